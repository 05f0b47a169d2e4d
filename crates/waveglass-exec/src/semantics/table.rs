//! The macros that vector ALU tables are written with.

/// Lane operations: `"name" [flags] (a: T, b: T) -> R => expression;`
///
/// The types say how operands are read and which modifiers act on them (see
/// [`Lane`](crate::valu::kernel::Lane)). Flags: `acc` for operations whose last operand is the
/// destination's old value, `keep` for 16-bit results that leave the other half alone on gfx9 too.
macro_rules! valu {
    ($r:expr; $($name:literal [$($flag:ident)*] ($($a:ident: $ta:ty),*) -> $tr:ty => $body:expr;)*) => {$({
        struct Kernel;
        impl $crate::valu::LaneOp for Kernel {
            #[inline(always)]
            fn run(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, _: u64) -> u64 {
                $crate::semantics::table::lanes!(regs, d, s, n, ($($a: $ta),*) -> $tr => $body);
                0
            }
        }
        static SPEC: $crate::valu::Spec = {
            #[allow(unused_mut)]
            let mut spec = $crate::valu::Spec {
                name: $name,
                kernel: $crate::valu::kernel::builds::<Kernel>(),
                sources: $crate::semantics::table::types!($($ta),*),
                result: <$tr as $crate::valu::kernel::Lane>::TY,
                mask: $crate::valu::MaskUse::None,
                clamp: $crate::valu::ClampKind::Float,
                high: $crate::valu::High16::ZeroOnGfx9,
                accumulate: false,
            };
            $($crate::semantics::table::flag!(spec, $flag);)*
            spec
        };
        $r.insert($name, $crate::semantics::Semantics::Valu(&SPEC));
    })*};
}

/// Comparisons: `"v_cmp_…" "v_cmpx_…" (a: T, b: U) condition;`
macro_rules! compares {
    ($r:expr; $($cmp:literal $cmpx:literal ($a:ident: $ta:ty, $b:ident: $tb:ty) $body:expr;)*) => {$({
        struct Kernel;
        impl $crate::valu::LaneOp for Kernel {
            #[inline(always)]
            fn run(regs: &mut [u32], _: usize, s: [usize; 3], n: usize, _: u64) -> u64 {
                $crate::valu::kernel::compare(regs, s, n, |$a: $ta, $b: $tb| $body)
            }
        }
        static CMP: $crate::valu::Spec = $crate::valu::Spec {
            name: $cmp,
            kernel: $crate::valu::kernel::builds::<Kernel>(),
            sources: $crate::semantics::table::types!($ta, $tb),
            result: $crate::valu::Ty::None,
            mask: $crate::valu::MaskUse::Compare,
            clamp: $crate::valu::ClampKind::Float,
            high: $crate::valu::High16::ZeroOnGfx9,
            accumulate: false,
        };
        static CMPX: $crate::valu::Spec =
            $crate::valu::Spec { name: $cmpx, mask: $crate::valu::MaskUse::CompareExec, ..CMP };
        $r.insert($cmp, $crate::semantics::Semantics::Valu(&CMP));
        $r.insert($cmpx, $crate::semantics::Semantics::Valu(&CMPX));
    })*};
}

/// Operations with a bit a lane in or out: `"name" MaskUse (a: T, b: T, c) -> R => (value, carry);`
/// where `c` is the bit that comes in.
macro_rules! masked {
    ($r:expr; $($name:literal $mask:ident ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident) -> $tr:ty => $body:expr;)*) => {$({
        struct Kernel;
        impl $crate::valu::LaneOp for Kernel {
            #[inline(always)]
            fn run(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, mask: u64) -> u64 {
                $crate::valu::kernel::map_mask(
                    regs, d, s, n, mask,
                    |$a: $ta, $b: $tb, _: $crate::valu::kernel::Absent, $c: bool| -> ($tr, bool) { $body },
                )
            }
        }
        static SPEC: $crate::valu::Spec = $crate::valu::Spec {
            name: $name,
            kernel: $crate::valu::kernel::builds::<Kernel>(),
            sources: $crate::semantics::table::types!($ta, $tb),
            result: <$tr as $crate::valu::kernel::Lane>::TY,
            mask: $crate::valu::MaskUse::$mask,
            clamp: $crate::valu::ClampKind::Float,
            high: $crate::valu::High16::ZeroOnGfx9,
            accumulate: false,
        };
        $r.insert($name, $crate::semantics::Semantics::Valu(&SPEC));
    })*};
}

macro_rules! lanes {
    ($regs:ident, $d:ident, $s:ident, $n:ident, ($a:ident: $ta:ty) -> $tr:ty => $body:expr) => {
        $crate::valu::kernel::map(
            $regs,
            $d,
            $s,
            $n,
            |$a: $ta, _: $crate::valu::kernel::Absent, _: $crate::valu::kernel::Absent| -> $tr {
                $body
            },
        )
    };
    ($regs:ident, $d:ident, $s:ident, $n:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty) -> $tr:ty => $body:expr) => {
        $crate::valu::kernel::map(
            $regs,
            $d,
            $s,
            $n,
            |$a: $ta, $b: $tb, _: $crate::valu::kernel::Absent| -> $tr { $body },
        )
    };
    ($regs:ident, $d:ident, $s:ident, $n:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr) => {
        $crate::valu::kernel::map($regs, $d, $s, $n, |$a: $ta, $b: $tb, $c: $tc| -> $tr {
            $body
        })
    };
}

macro_rules! types {
    ($a:ty) => {
        [
            <$a as $crate::valu::kernel::Lane>::TY,
            $crate::valu::Ty::None,
            $crate::valu::Ty::None,
        ]
    };
    ($a:ty, $b:ty) => {
        [
            <$a as $crate::valu::kernel::Lane>::TY,
            <$b as $crate::valu::kernel::Lane>::TY,
            $crate::valu::Ty::None,
        ]
    };
    ($a:ty, $b:ty, $c:ty) => {
        [
            <$a as $crate::valu::kernel::Lane>::TY,
            <$b as $crate::valu::kernel::Lane>::TY,
            <$c as $crate::valu::kernel::Lane>::TY,
        ]
    };
}

macro_rules! flag {
    ($spec:ident, acc) => {
        $spec.accumulate = true
    };
    ($spec:ident, keep) => {
        $spec.high = $crate::valu::High16::Keep
    };
}

pub(crate) use {compares, flag, lanes, masked, types, valu};

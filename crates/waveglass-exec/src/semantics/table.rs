//! The macros that vector ALU tables are written with.

/// Lane operations: `"name" | "other name" [flags] (a: T, b: T) -> R => expression;`
///
/// The types say how operands are read and which modifiers act on them (see
/// [`Lane`](crate::valu::kernel::Lane)). Flags: `acc` for operations whose last operand is the
/// destination's old value, `keep` for 16-bit results that leave the other half alone on gfx9 too,
/// `upper` for those that go to the high half; `table` and `signed` give the expression
/// the instruction's own bits as the setting, `selection` adds OP_SEL and the clamp bit to it.
///
/// `(m; a: T) -> …` gives the expression the wave's
/// [`Setting`](crate::valu::kernel::Setting) as `m`. `=> expression, clamp other;` is an integer
/// operation whose clamp bit puts the second expression in the first one's place.
/// `=> expression, fast other;` is a float operation whose second expression gives the same
/// results as the first wherever it does not give NaN (see
/// [`map_unless_nan`](crate::valu::kernel::map_unless_nan)). `=> expression, by halves a b => other;`
/// is the same for half precision, the second expression on singles of any number (see
/// [`map_halves`](crate::valu::kernel::map_halves) and [`Single`](crate::valu::kernel::Single)),
/// `by brains a b => other` for bfloat16 (see [`map_brains`](crate::valu::kernel::map_brains)),
/// `by ordered a b => other` on integers in the halves' order (see
/// [`map_ordered`](crate::valu::kernel::map_ordered)), `by narrowed a b c => other` a single that is
/// rounded to a half (see [`map_narrowed`](crate::valu::kernel::map_narrowed)), `by usual => (value, holds)`
/// the values of a row's lanes where they hold (see [`map_usual`](crate::valu::kernel::map_usual)),
/// `by easy => (easy, fast)` the same in two steps (see [`map_easy`](crate::valu::kernel::map_easy)),
/// `by median => other` the median of halves (see [`map_median`](crate::valu::kernel::map_median)),
/// `by rows => other` a function of whole rows (see [`map_rows`](crate::valu::kernel::map_rows)), `by fixup
/// => other` the division's last step (see [`map_fixup`](crate::valu::kernel::map_fixup)). In all of them `L` is the
/// build of the kernel.
/// `=> expression, by tabled;`
/// works the results of a 16-bit source out once (see [`Table`](crate::valu::kernel::Table)).
macro_rules! valu {
    ($r:expr; $($($name:literal)|+ [$($flag:ident)*] $params:tt -> $tr:ty => $body:expr $(, clamp $sat:expr)? $(, fast $fast:expr)? $(, by $way:ident $($half:ident)* $(=> $wide:expr)?)?;)*) => {$({
        struct Kernel;
        impl $crate::valu::LaneOp for Kernel {
            #[inline(always)]
            fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, setting: u64) -> u64 {
                $crate::semantics::table::lanes!(regs, d, s, n, setting, $params -> $tr => $body $(, fast $fast)? $(, by $way $($half)* $(=> $wide)?)?);
                0
            }
        }
        static SPEC: $crate::valu::Spec = {
            #[allow(unused_mut)]
            let mut spec = $crate::valu::Spec {
                name: [$($name),+][0],
                kernel: $crate::valu::kernel::builds::<Kernel>(),
                sources: $crate::semantics::table::types!($params),
                result: <$tr as $crate::valu::kernel::Lane>::TY,
                mask: $crate::valu::MaskUse::None,
                clamp: $crate::valu::ClampKind::Float,
                high: $crate::valu::High16::ZeroOnGfx9,
                accumulate: false,
            };
            $($crate::semantics::table::flag!(spec, $flag);)*
            $(
                struct Saturating;
                impl $crate::valu::LaneOp for Saturating {
                    #[inline(always)]
                    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, setting: u64) -> u64 {
                        $crate::semantics::table::lanes!(regs, d, s, n, setting, $params -> $tr => $sat);
                        0
                    }
                }
                spec.clamp = $crate::valu::ClampKind::Saturating(
                    $crate::valu::kernel::builds::<Saturating>(),
                );
            )?
            spec
        };
        $($r.insert($name, $crate::semantics::Semantics::Valu(&SPEC));)+
    })*};
}

/// Comparisons: `"v_cmp_…" "v_cmpx_…" (a: T, b: U) condition;`
macro_rules! compares {
    ($r:expr; $($cmp:literal $cmpx:literal ($a:ident: $ta:ty, $b:ident: $tb:ty) $body:expr;)*) => {$({
        struct Kernel;
        impl $crate::valu::LaneOp for Kernel {
            #[inline(always)]
            fn run<const L: usize>(regs: &mut [u32], _: usize, s: [usize; 3], n: usize, _: u64) -> u64 {
                $crate::valu::kernel::compare::<L, _, _>(regs, s, n, |$a: $ta, $b: $tb| $body)
            }
        }
        static CMP: $crate::valu::Spec = $crate::valu::Spec {
            name: $cmp,
            kernel: $crate::valu::kernel::builds::<Kernel>(),
            sources: $crate::semantics::table::types!((a: $ta, b: $tb)),
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

/// Operations with a bit a lane in or out:
/// `"name" MaskUse (bit; a: T, b: T) -> R => (value, carry);`
/// where `bit` is the bit that comes in, with names and `clamp` as for `valu!`. `=> expression, by unscaled
/// other;` is the division's scaling (see [`map_scale`](crate::valu::kernel::map_scale)), `by fused other` its
/// multiply-add (see [`map_fmas`](crate::valu::kernel::map_fmas)), which have no bit in or none out.
macro_rules! masked {
    ($r:expr; $($($name:literal)|+ $mask:ident ($c:ident; $($params:tt)*) -> $tr:ty => $body:expr $(, clamp $sat:expr)? $(, by $way:ident $usual:expr)?;)*) => {$(
        $crate::semantics::table::masked_one!($r; [$($name)+] $mask $c ($($params)*) -> $tr => $body $(, clamp $sat)? $(, by $way $usual)?);
    )*};
}

macro_rules! masked_one {
    ($r:expr; [$($name:literal)+] $mask:ident $c:ident $params:tt -> $tr:ty => $body:expr $(, clamp $sat:expr)? $(, by $way:ident $usual:expr)?) => {{
        struct Kernel;
        impl $crate::valu::LaneOp for Kernel {
            #[inline(always)]
            fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, mask: u64) -> u64 {
                $crate::semantics::table::masked_lanes!(regs, d, s, n, mask, $c $params -> $tr => $body $(, by $way $usual)?)
            }
        }
        static SPEC: $crate::valu::Spec = {
            #[allow(unused_mut)]
            let mut spec = $crate::valu::Spec {
                name: [$($name),+][0],
                kernel: $crate::valu::kernel::builds::<Kernel>(),
                sources: $crate::semantics::table::types!($params),
                result: <$tr as $crate::valu::kernel::Lane>::TY,
                mask: $crate::valu::MaskUse::$mask,
                clamp: $crate::valu::ClampKind::Float,
                high: $crate::valu::High16::ZeroOnGfx9,
                accumulate: false,
            };
            $(
                struct Saturating;
                impl $crate::valu::LaneOp for Saturating {
                    #[inline(always)]
                    fn run<const L: usize>(regs: &mut [u32], d: usize, s: [usize; 3], n: usize, mask: u64) -> u64 {
                        $crate::semantics::table::masked_lanes!(regs, d, s, n, mask, $c $params -> $tr => $sat)
                    }
                }
                spec.clamp = $crate::valu::ClampKind::Saturating(
                    $crate::valu::kernel::builds::<Saturating>(),
                );
            )?
            spec
        };
        $($r.insert($name, $crate::semantics::Semantics::Valu(&SPEC));)+
    }};
}

macro_rules! lanes {
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty) -> $tr:ty => $body:expr, fast $fast:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_unless_nan::<L, _, _, _, _>(
            $regs,
            $d,
            $s,
            $n,
            |$a: $ta, $b: $tb, _: $crate::valu::kernel::Absent| -> $tr { $fast },
            |$a: $ta, $b: $tb, _: $crate::valu::kernel::Absent| -> $tr { $body },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, fast $fast:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_unless_nan::<L, _, _, _, _>(
            $regs,
            $d,
            $s,
            $n,
            |$a: $ta, $b: $tb, $c: $tc| -> $tr { $fast },
            |$a: $ta, $b: $tb, $c: $tc| -> $tr { $body },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($set:ident; $($p:tt)*) -> $tr:ty => $body:expr $(, fast $fast:expr)? $(, by $way:ident $($half:ident)* $(=> $wide:expr)?)?) => {{
        let $set = $crate::valu::kernel::Setting($m);
        $crate::semantics::table::lanes!($regs, $d, $s, $n, $m, ($($p)*) -> $tr => $body $(, fast $fast)? $(, by $way $($half)* $(=> $wide)?)?)
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by rows => $rows:expr) => {{
        let _ = $m;
        // Called by name: a function that is handed on is not inlined into a build.
        $crate::valu::kernel::map_rows($regs, $d, $s, $n, |rows| $rows(rows))
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by easy => $ways:expr) => {{
        let _ = $m;
        let (easy, fast) = $ways;
        $crate::valu::kernel::map_easy::<L, $tr>(
            $regs, $d, $s, $n,
            |a, b, c| easy(a, b, c),
            |a, b, c| fast(a, b, c),
            |$a: $ta, $b: $tb, $c: $tc| -> $tr { $body },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by median => $median:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_median::<L>(
            $regs, $d, $s, $n,
            |a, b, c| $median(a, b, c),
            |a: u32, b: u32, c: u32| {
                let $a = <$ta as $crate::valu::kernel::Halves>::of_dword(a);
                let $b = <$tb as $crate::valu::kernel::Halves>::of_dword(b);
                let $c = <$tc as $crate::valu::kernel::Halves>::of_dword(c);
                $crate::valu::kernel::Halves::dword($body)
            },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by fixup => $ordinary:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_fixup::<L, $tr>(
            $regs, $d, $s, $n,
            |a, b, c| $ordinary(a, b, c),
            |$a: $ta, $b: $tb, $c: $tc| -> $tr { $body },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty) -> $tr:ty => $body:expr, by usual => $usual:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_usual::<L, _, _, _, _>(
            $regs, $d, $s, $n,
            |$a: $ta, _: $crate::valu::kernel::Absent, _: $crate::valu::kernel::Absent| -> ($tr, bool) { $usual },
            |$a: $ta, _: $crate::valu::kernel::Absent, _: $crate::valu::kernel::Absent| -> $tr { $body },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty) -> $tr:ty => $body:expr, by tabled) => {{
        let _ = $m;
        static TABLE: $crate::valu::kernel::Table = $crate::valu::kernel::Table::new();
        let table = TABLE.of(|a| {
            let $a = <$ta as $crate::valu::kernel::Halves>::of_dword(a.into());
            $crate::valu::kernel::Halves::dword($body) as u16
        });
        $crate::valu::kernel::map_tabled($regs, $d, $s, $n, table)
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by narrowed $x:ident $y:ident $z:ident => $single:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_narrowed::<L, _, _, _, _>(
            $regs, $d, $s, $n,
            |$x: $ta, $y: $tb, $z: $tc| -> f32 { $single },
            |$a: $ta, $b: $tb, $c: $tc| -> $tr { $body },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty) -> $tr:ty => $body:expr, by ordered $x:ident $y:ident => $key:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_ordered::<2, { <$tr as $crate::valu::kernel::Halves>::PACKED }>(
            $regs, $d, $s, $n,
            |$x: i16, $y: i16, _: i16| $key,
            |a: u32, b: u32, _: u32| {
                let $a = <$ta as $crate::valu::kernel::Halves>::of_dword(a);
                let $b = <$tb as $crate::valu::kernel::Halves>::of_dword(b);
                $crate::valu::kernel::Halves::dword($body)
            },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by ordered $x:ident $y:ident $z:ident => $key:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_ordered::<3, { <$tr as $crate::valu::kernel::Halves>::PACKED }>(
            $regs, $d, $s, $n,
            |$x: i16, $y: i16, $z: i16| $key,
            |a: u32, b: u32, c: u32| {
                let $a = <$ta as $crate::valu::kernel::Halves>::of_dword(a);
                let $b = <$tb as $crate::valu::kernel::Halves>::of_dword(b);
                let $c = <$tc as $crate::valu::kernel::Halves>::of_dword(c);
                $crate::valu::kernel::Halves::dword($body)
            },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty) -> $tr:ty => $body:expr, by brains $x:ident $y:ident => $wide:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_brains::<L, 2>(
            $regs, $d, $s, $n,
            |$x: $crate::valu::kernel::Singles, $y: $crate::valu::kernel::Singles, _: $crate::valu::kernel::Singles| $wide,
            |a: u32, b: u32, _: u32| {
                let $a = <$ta as $crate::valu::kernel::Halves>::of_dword(a);
                let $b = <$tb as $crate::valu::kernel::Halves>::of_dword(b);
                $crate::valu::kernel::Halves::dword($body)
            },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by brains $x:ident $y:ident $z:ident => $wide:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_brains::<L, 3>(
            $regs, $d, $s, $n,
            |$x: $crate::valu::kernel::Singles, $y: $crate::valu::kernel::Singles, $z: $crate::valu::kernel::Singles| $wide,
            |a: u32, b: u32, c: u32| {
                let $a = <$ta as $crate::valu::kernel::Halves>::of_dword(a);
                let $b = <$tb as $crate::valu::kernel::Halves>::of_dword(b);
                let $c = <$tc as $crate::valu::kernel::Halves>::of_dword(c);
                $crate::valu::kernel::Halves::dword($body)
            },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty) -> $tr:ty => $body:expr, by halves $x:ident => $wide:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_halves::<L, 1, { <$tr as $crate::valu::kernel::Halves>::PACKED }>(
            $regs, $d, $s, $n,
            |$x: f32, _: f32, _: f32| $wide,
            |$x: $crate::valu::kernel::Singles, _: $crate::valu::kernel::Singles, _: $crate::valu::kernel::Singles| $wide,
            |a: u32, _: u32, _: u32| {
                let $a = <$ta as $crate::valu::kernel::Halves>::of_dword(a);
                $crate::valu::kernel::Halves::dword($body)
            },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty) -> $tr:ty => $body:expr, by halves $x:ident $y:ident => $wide:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_halves::<L, 2, { <$tr as $crate::valu::kernel::Halves>::PACKED }>(
            $regs, $d, $s, $n,
            |$x: f32, $y: f32, _: f32| $wide,
            |$x: $crate::valu::kernel::Singles, $y: $crate::valu::kernel::Singles, _: $crate::valu::kernel::Singles| $wide,
            |a: u32, b: u32, _: u32| {
                let $a = <$ta as $crate::valu::kernel::Halves>::of_dword(a);
                let $b = <$tb as $crate::valu::kernel::Halves>::of_dword(b);
                $crate::valu::kernel::Halves::dword($body)
            },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by halves $x:ident $y:ident $z:ident => $wide:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_halves::<L, 3, { <$tr as $crate::valu::kernel::Halves>::PACKED }>(
            $regs, $d, $s, $n,
            |$x: f32, $y: f32, $z: f32| $wide,
            |$x: $crate::valu::kernel::Singles, $y: $crate::valu::kernel::Singles, $z: $crate::valu::kernel::Singles| $wide,
            |a: u32, b: u32, c: u32| {
                let $a = <$ta as $crate::valu::kernel::Halves>::of_dword(a);
                let $b = <$tb as $crate::valu::kernel::Halves>::of_dword(b);
                let $c = <$tc as $crate::valu::kernel::Halves>::of_dword(c);
                $crate::valu::kernel::Halves::dword($body)
            },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty) -> $tr:ty => $body:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map::<L, _, _, _, _>(
            $regs,
            $d,
            $s,
            $n,
            |$a: $ta, _: $crate::valu::kernel::Absent, _: $crate::valu::kernel::Absent| -> $tr {
                $body
            },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty) -> $tr:ty => $body:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map::<L, _, _, _, _>(
            $regs,
            $d,
            $s,
            $n,
            |$a: $ta, $b: $tb, _: $crate::valu::kernel::Absent| -> $tr { $body },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map::<L, _, _, _, _>($regs, $d, $s, $n, |$a: $ta, $b: $tb, $c: $tc| -> $tr {
            $body
        })
    }};
}

macro_rules! masked_lanes {
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, $bit:ident ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by unscaled $unscaled:expr) => {{
        let _ = $m;
        $crate::valu::kernel::map_scale::<L, $ta, $tr>(
            $regs,
            $d,
            $s,
            $n,
            |b, c| $unscaled(b, c),
            |$a: $ta, $b: $tb, $c: $tc| -> ($tr, bool) { $body },
        )
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, $bit:ident ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr, by fused $fused:expr) => {{
        $crate::valu::kernel::map_fmas::<L, $ta, $tr>(
            $regs,
            $d,
            $s,
            $n,
            $m,
            |$a: $ta, $b: $tb, $c: $tc| -> $tr { $fused },
            |$a: $ta, $b: $tb, $c: $tc, $bit: bool| -> $tr { ($body).0 },
        );
        0
    }};
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, $bit:ident ($a:ident: $ta:ty, $b:ident: $tb:ty) -> $tr:ty => $body:expr) => {
        $crate::valu::kernel::map_mask::<L, _, _, _, _>(
            $regs,
            $d,
            $s,
            $n,
            $m,
            |$a: $ta, $b: $tb, _: $crate::valu::kernel::Absent, $bit: bool| -> ($tr, bool) {
                $body
            },
        )
    };
    ($regs:ident, $d:ident, $s:ident, $n:ident, $m:ident, $bit:ident ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $tr:ty => $body:expr) => {
        $crate::valu::kernel::map_mask::<L, _, _, _, _>(
            $regs,
            $d,
            $s,
            $n,
            $m,
            |$a: $ta, $b: $tb, $c: $tc, $bit: bool| -> ($tr, bool) { $body },
        )
    };
}

/// The operand types of a parameter list.
macro_rules! types {
    (($set:ident; $($p:tt)*)) => {
        $crate::semantics::table::types!(($($p)*))
    };
    (($a:ident: $ta:ty)) => {
        [
            <$ta as $crate::valu::kernel::Lane>::TY,
            $crate::valu::Ty::None,
            $crate::valu::Ty::None,
        ]
    };
    (($a:ident: $ta:ty, $b:ident: $tb:ty)) => {
        [
            <$ta as $crate::valu::kernel::Lane>::TY,
            <$tb as $crate::valu::kernel::Lane>::TY,
            $crate::valu::Ty::None,
        ]
    };
    (($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty)) => {
        [
            <$ta as $crate::valu::kernel::Lane>::TY,
            <$tb as $crate::valu::kernel::Lane>::TY,
            <$tc as $crate::valu::kernel::Lane>::TY,
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
    ($spec:ident, upper) => {
        $spec.high = $crate::valu::High16::Upper
    };
    ($spec:ident, table) => {
        $spec.mask = $crate::valu::MaskUse::TruthTable
    };
    ($spec:ident, selection) => {
        $spec.mask = $crate::valu::MaskUse::Selection
    };
    ($spec:ident, signed) => {
        $spec.mask = $crate::valu::MaskUse::Signed
    };
}

pub(crate) use {compares, flag, lanes, masked, masked_lanes, masked_one, types, valu};

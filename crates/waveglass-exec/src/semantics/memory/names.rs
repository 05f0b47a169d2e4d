//! The mnemonics of loads, stores and atomics, which the families share: `PREFIX_load_dword` up to
//! gfx10, `PREFIX_load_b32` from gfx11 on.

/// Registers `$compile(c, element, half)` for every load.
macro_rules! loads {
    ($r:expr, $prefix:literal, $compile:path) => {
        $crate::semantics::memory::names::entries! { $r, $prefix, $compile;
            "_load_ubyte" "_load_u8" U8 Whole;
            "_load_sbyte" "_load_i8" I8 Whole;
            "_load_ushort" "_load_u16" U16 Whole;
            "_load_sshort" "_load_i16" I16 Whole;
            "_load_dword" "_load_b32" B32 Whole;
            "_load_dwordx2" "_load_b64" B64 Whole;
            "_load_dwordx3" "_load_b96" B96 Whole;
            "_load_dwordx4" "_load_b128" B128 Whole;
            "_load_ubyte_d16" "_load_d16_u8" U8 Lo;
            "_load_sbyte_d16" "_load_d16_i8" I8 Lo;
            "_load_short_d16" "_load_d16_b16" U16 Lo;
            "_load_ubyte_d16_hi" "_load_d16_hi_u8" U8 Hi;
            "_load_sbyte_d16_hi" "_load_d16_hi_i8" I8 Hi;
            "_load_short_d16_hi" "_load_d16_hi_b16" U16 Hi;
        }
    };
}

/// Registers `$compile(c, element, half)` for every store.
macro_rules! stores {
    ($r:expr, $prefix:literal, $compile:path) => {
        $crate::semantics::memory::names::entries! { $r, $prefix, $compile;
            "_store_byte" "_store_b8" U8 Whole;
            "_store_short" "_store_b16" U16 Whole;
            "_store_dword" "_store_b32" B32 Whole;
            "_store_dwordx2" "_store_b64" B64 Whole;
            "_store_dwordx3" "_store_b96" B96 Whole;
            "_store_dwordx4" "_store_b128" B128 Whole;
            "_store_byte_d16_hi" "_store_d16_hi_b8" U8 Hi;
            "_store_short_d16_hi" "_store_d16_hi_b16" U16 Hi;
        }
    };
}

macro_rules! entries {
    ($r:expr, $prefix:literal, $compile:path; $($old:literal $new:literal $element:ident $half:ident;)*) => {$(
        for name in [concat!($prefix, $old), concat!($prefix, $new)] {
            $r.insert(name, $crate::semantics::Semantics::Custom(|c| {
                $compile(
                    c,
                    waveglass_mem::Element::$element,
                    $crate::semantics::memory::Half::$half,
                )
            }));
        }
    )*};
}

/// Registers `$compile(c, operation, width)` for every atomic.
macro_rules! atomics {
    ($r:expr, $prefix:literal, $compile:path) => {
        $crate::semantics::memory::names::atomic_entries! { $r, $prefix, $compile;
            Swap B32: "swap" "swap_b32";
            CmpSwap B32: "cmpswap" "cmpswap_b32";
            Add B32: "add" "add_u32";
            Sub B32: "sub" "sub_u32";
            SubClamp B32: "csub" "csub_u32" "sub_clamp_u32";
            CondSub B32: "cond_sub_u32";
            Smin B32: "smin" "min_i32";
            Umin B32: "umin" "min_u32";
            Smax B32: "smax" "max_i32";
            Umax B32: "umax" "max_u32";
            And B32: "and" "and_b32";
            Or B32: "or" "or_b32";
            Xor B32: "xor" "xor_b32";
            Inc B32: "inc" "inc_u32";
            Dec B32: "dec" "dec_u32";
            FCmpSwap B32: "fcmpswap" "cmpswap_f32";
            FMin B32: "fmin" "min_f32" "min_num_f32";
            FMax B32: "fmax" "max_f32" "max_num_f32";
            FAdd B32: "add_f32";
            PkAddF16 B32: "pk_add_f16";
            PkAddBf16 B32: "pk_add_bf16";
            Swap B64: "swap_x2" "swap_b64";
            CmpSwap B64: "cmpswap_x2" "cmpswap_b64";
            Add B64: "add_x2" "add_u64";
            Sub B64: "sub_x2" "sub_u64";
            Smin B64: "smin_x2" "min_i64";
            Umin B64: "umin_x2" "min_u64";
            Smax B64: "smax_x2" "max_i64";
            Umax B64: "umax_x2" "max_u64";
            And B64: "and_x2" "and_b64";
            Or B64: "or_x2" "or_b64";
            Xor B64: "xor_x2" "xor_b64";
            Inc B64: "inc_x2" "inc_u64";
            Dec B64: "dec_x2" "dec_u64";
            FCmpSwap B64: "fcmpswap_x2";
            FMin B64: "fmin_x2" "min_f64" "min_num_f64";
            FMax B64: "fmax_x2" "max_f64" "max_num_f64";
            FAdd B64: "add_f64";
        }
    };
}

macro_rules! atomic_entries {
    ($r:expr, $prefix:literal, $compile:path; $($op:ident $width:ident: $($name:literal)+;)*) => {$(
        for name in [$(concat!($prefix, "_atomic_", $name)),+] {
            $r.insert(name, $crate::semantics::Semantics::Custom(|c| {
                $compile(
                    c,
                    waveglass_mem::AtomicOp::$op,
                    waveglass_mem::AtomicWidth::$width,
                )
            }));
        }
    )*};
}

pub(super) use {atomic_entries, atomics, entries, loads, stores};

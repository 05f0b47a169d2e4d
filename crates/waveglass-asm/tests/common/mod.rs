//! What the golden tests of both directions share.

use std::io::Read as _;
use std::path::Path;

/// The text of a compressed file of `tests/vectors`.
pub(crate) fn vectors(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(name);
    let file = std::fs::File::open(&path).expect("the vectors are part of the crate");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .expect("gzip of UTF-8");
    text
}

/// A test of `check(Target)` for each target.
macro_rules! for_each_target {
    ($check:path) => {
        $crate::common::for_each_target! { $check;
            gfx900 Gfx900, gfx906 Gfx906, gfx908 Gfx908, gfx90a Gfx90a, gfx942 Gfx942,
            gfx950 Gfx950, gfx1010 Gfx1010, gfx1030 Gfx1030, gfx1100 Gfx1100, gfx1150 Gfx1150,
            gfx1200 Gfx1200, gfx1201 Gfx1201, gfx1250 Gfx1250, gfx1251 Gfx1251,
        }
    };
    ($check:path; $($name:ident $target:ident,)*) => {$(
        #[test]
        fn $name() {
            $check(waveglass_isa::Target::$target);
        }
    )*};
}
pub(crate) use for_each_target;

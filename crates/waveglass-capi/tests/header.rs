//! `include/waveglass.h` is what cbindgen makes of the sources.
//!
//! After a change to the interface: `WAVEGLASS_BLESS=1 cargo test -p waveglass-capi --test header`.

use std::path::Path;

#[test]
fn the_header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::generate_with_config(root, config).unwrap();
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = without_safety_sections(&String::from_utf8(made).unwrap());
    let path = root.join("include/waveglass.h");
    if std::env::var_os("WAVEGLASS_BLESS").is_some() {
        std::fs::create_dir_all(root.join("include")).unwrap();
        std::fs::write(&path, &made).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(
        kept == made,
        "include/waveglass.h is not what the sources say; \
         WAVEGLASS_BLESS=1 cargo test -p waveglass-capi --test header writes it"
    );
}

/// C programmers know that pointers must be valid; the sections that tell Rust so are left out.
fn without_safety_sections(header: &str) -> String {
    let mut out = String::new();
    let mut skipping = false;
    for line in header.lines() {
        let text = line.trim();
        if text == "* # Safety" {
            skipping = true;
            // The blank line in front goes with it.
            if let Some(end) = out.trim_end().strip_suffix('*') {
                let length = end.trim_end_matches([' ', '\t']).len();
                out.truncate(length);
            }
            continue;
        }
        if skipping && text.starts_with("*/") {
            skipping = false;
        }
        if !skipping {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

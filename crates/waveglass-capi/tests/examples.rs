//! The C examples compile without a warning, against both libraries, and do what they say.
//!
//! Without a C compiler they are left out; `.ci/run` has one.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the libraries that were built with this test.
fn libraries() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().to_owned()
}

fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").output();
    let found = found.is_ok_and(|o| o.status.success());
    if !found {
        eprintln!("there is no cc: the C examples are left out");
    }
    found
}

/// A library of this crate in `folder`; Cargo puts a hash into the names of some kinds.
fn library(folder: &Path, extension: &str) -> Option<PathBuf> {
    let found = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path());
    let named = found.filter(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libwaveglass_capi") && name.ends_with(extension)
    });
    named.max_by_key(|p| p.metadata().and_then(|m| m.modified()).ok())
}

fn build(example: &str, library: &Path, out: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("cc")
        .args([
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
            "-g",
        ])
        .arg("-I")
        .arg(root.join("include"))
        .arg(root.join("examples").join(example))
        .arg("-o")
        .arg(out)
        .arg(library)
        .args(["-lpthread", "-ldl", "-lm"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn run(program: &Path, args: &[&str]) -> Output {
    Command::new(program)
        .args(args)
        .env("LD_LIBRARY_PATH", libraries())
        .output()
        .unwrap()
}

/// Builds an example against the static and the shared library; gives what each prints.
fn outputs(example: &str, args: &[&str]) -> Vec<String> {
    if cfg!(not(target_os = "linux")) || !has_compiler() {
        return Vec::new();
    }
    let mut outputs = Vec::new();
    for extension in [".a", ".so"] {
        let library = library(&libraries(), extension)
            .unwrap_or_else(|| panic!("no library {extension} beside the test"));
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("example");
        build(example, &library, &program);
        let output = run(&program, args);
        assert!(
            output.status.success(),
            "{example} with {extension}: {} {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        outputs.push(String::from_utf8(output.stdout).unwrap());
    }
    outputs
}

#[test]
fn a_client_replaces_its_engine() {
    for output in outputs("client.c", &[]) {
        assert!(output.starts_with("global store of 4 bytes at 0x10 by lane 0"));
        assert!(output.ends_with("ok\n"), "{output}");
    }
}

#[test]
fn a_kernel_is_launched_by_name() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels/built");
    let file = kernels.join("linear.O3.gfx90a.hsaco");
    for output in outputs("launch.c", &[file.to_str().unwrap(), "gfx90a"]) {
        let lines: Vec<&str> = output.lines().collect();
        assert_eq!(lines.len(), 6, "{output}");
        // Each of 1000 elements reads two floats and writes one; the kernel's arguments come on top.
        assert!(lines[0].starts_with("8 workgroups, "), "{output}");
        assert!(lines[0].ends_with(", 4000 written"), "{output}");
        // Element 1000 is lane 40 of its wave: 1000 = 15 * 64 + 40. The loads stray first.
        assert!(lines[1].starts_with("global_load_dword"), "{output}");
        assert!(
            lines[1].contains("lane 40, 0 bytes from the end of "),
            "{output}"
        );
        // Two loads and a store.
        for (line, name) in [
            (2, "global_load_dword"),
            (3, "global_load_dword"),
            (4, "global_store_dword"),
        ] {
            assert!(lines[line].starts_with(name), "{output}");
            assert!(lines[line].ends_with(": 1 times by 1 waves"), "{output}");
        }
        assert_eq!(lines[5], "ok");
    }
}

#[test]
fn the_header_is_plain_c_and_cpp() {
    if !has_compiler() {
        return;
    }
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/waveglass.h");
    for language in ["c", "c++"] {
        let output = Command::new("cc")
            .args([
                "-fsyntax-only",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-x",
                language,
            ])
            .arg(&header)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        // A C compiler need not come with one for C++.
        if language == "c" || !text.contains("cc1plus") {
            assert!(output.status.success(), "{language}: {text}");
        }
    }
}

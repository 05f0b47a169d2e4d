//! What the kernels executed, noted in a file of the folder that `WAVEGLASS_EVIDENCE` names:
//! `cargo xtask evidence` makes the evidence of the fidelity table of it.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write as _;
use std::sync::{LazyLock, Mutex};
use waveglass::isa::{Inst, Target};

type Notes = Mutex<(HashSet<(Target, &'static str)>, File)>;

static NOTES: LazyLock<Option<Notes>> = LazyLock::new(|| {
    let folder = std::env::var_os("WAVEGLASS_EVIDENCE")?;
    let name = format!("kernels-{}", std::process::id());
    let file = File::create(std::path::Path::new(&folder).join(name)).expect("a folder");
    Some(Mutex::new((HashSet::new(), file)))
});

pub(crate) fn is_wanted() -> bool {
    NOTES.is_some()
}

pub(crate) fn note(inst: &Inst) {
    let Some(notes) = &*NOTES else { return };
    let (seen, file) = &mut *notes.lock().unwrap_or_else(|e| e.into_inner());
    if seen.insert((inst.target(), inst.mnemonic())) {
        writeln!(file, "{} {}", inst.target(), inst.mnemonic()).expect("room for notes");
    }
}

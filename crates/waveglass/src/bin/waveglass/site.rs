//! `waveglass site`.

use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;
use waveglass::reference::site;

use crate::failure::Failure;
use crate::output;

/// The file that says that a folder is a site, with the paths that were written.
const MARKER: &str = ".waveglass-site";

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  waveglass site /tmp/reference")]
pub(crate) struct SiteArgs {
    /// The folder; it is made if it is not there.
    out: PathBuf,
    /// Write into a folder that has other files.
    #[arg(long)]
    force: bool,
}

pub(crate) fn main(args: &SiteArgs) -> Result<(), Failure> {
    let start = Instant::now();
    let earlier = earlier(&args.out, args.force)?;
    let (files, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    make_folder(&args.out)?;
    // The marker first, so that a run that was cut off can be done again.
    let paths = site::paths();
    let marker = args.out.join(MARKER);
    fs::write(&marker, paths.join("\n") + "\n")
        .with_context(|| format!("{}: cannot write", marker.display()))?;
    for folder in site::folders() {
        make_folder(&args.out.join(folder))?;
    }
    site::build(|path, text| {
        let file = args.out.join(path);
        fs::write(&file, text).with_context(|| format!("{}: cannot write", file.display()))?;
        files.fetch_add(1, Ordering::Relaxed);
        bytes.fetch_add(text.len(), Ordering::Relaxed);
        Ok::<(), anyhow::Error>(())
    })?;
    remove_stale(&args.out, &earlier, &paths);
    output::write(&format!(
        "{} files, {:.1} MB, {:.1} s; open {}\n",
        files.into_inner(),
        bytes.into_inner() as f64 / 1e6,
        start.elapsed().as_secs_f64(),
        args.out.join("index.html").display()
    ))
}

fn make_folder(path: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(path).with_context(|| format!("{}: cannot make the folder", path.display()))
}

/// The paths that an earlier site in the folder has; an error where the folder holds something
/// else.
fn earlier(out: &Path, force: bool) -> anyhow::Result<Vec<String>> {
    if !out.exists() {
        return Ok(Vec::new());
    }
    if !out.is_dir() {
        bail!("{}: is no folder", out.display());
    }
    let marker = out.join(MARKER);
    if marker.is_file() {
        let text = fs::read_to_string(&marker)
            .with_context(|| format!("{}: cannot read", marker.display()))?;
        return Ok(text.lines().map(str::to_owned).collect());
    }
    let mut entries =
        fs::read_dir(out).with_context(|| format!("{}: cannot read", out.display()))?;
    if entries.next().is_some() && !force {
        bail!(
            "{}: has other files and is no site of an earlier run; name an empty folder, or give --force",
            out.display()
        );
    }
    Ok(Vec::new())
}

/// Removes the pages of an earlier site that this one does not have. One that cannot be removed
/// does no harm: nothing links it.
fn remove_stale(out: &Path, earlier: &[String], now: &[String]) {
    let now: HashSet<&str> = now.iter().map(String::as_str).collect();
    for path in earlier {
        // What leads out of the folder was not written by a run of this command.
        let inside = Path::new(path)
            .components()
            .all(|c| matches!(c, Component::Normal(_)));
        if inside && !path.is_empty() && !now.contains(path.as_str()) {
            let _ = fs::remove_file(out.join(path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_files_is_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        assert!(earlier(dir.path(), false).expect("empty").is_empty());
        assert!(
            earlier(&dir.path().join("new"), false)
                .expect("new")
                .is_empty()
        );
        let other = dir.path().join("thesis.tex");
        fs::write(&other, "x").expect("written");
        let refused = earlier(dir.path(), false)
            .expect_err("other files")
            .to_string();
        assert!(refused.contains(&dir.path().display().to_string()));
        assert!(earlier(dir.path(), true).expect("forced").is_empty());
        assert!(
            earlier(&other, true)
                .expect_err("a file")
                .to_string()
                .contains("thesis.tex")
        );
        fs::write(dir.path().join(MARKER), "index.html\na/b.html\n").expect("written");
        assert_eq!(
            earlier(dir.path(), false).expect("a site"),
            ["index.html", "a/b.html"]
        );
    }

    #[test]
    fn stale_pages_go_and_nothing_outside_does() {
        let dir = tempfile::tempdir().expect("a folder");
        let out = dir.path().join("site");
        fs::create_dir(&out).expect("made");
        for f in ["old.html", "new.html"] {
            fs::write(out.join(f), "x").expect("written");
        }
        fs::write(dir.path().join("outside"), "x").expect("written");
        let earlier = ["old.html", "new.html", "../outside", "", "/etc/none"].map(str::to_owned);
        remove_stale(&out, &earlier, &["new.html".to_owned()]);
        assert!(!out.join("old.html").exists());
        assert!(out.join("new.html").exists());
        assert!(dir.path().join("outside").exists());
    }
}

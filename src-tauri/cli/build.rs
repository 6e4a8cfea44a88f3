//! Puts the built pages (ui/dist) into the binary; without them the console says how to build them.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

fn main() -> ExitCode {
    match embed() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cargo:warning=the pages cannot be put into the binary: {why}");
            ExitCode::FAILURE
        }
    }
}

fn embed() -> io::Result<()> {
    let here = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let pages = here.join("../../ui/dist");
    // A folder that is not there counts as changed, so the pages are found as soon as they are built.
    println!("cargo:rerun-if-changed={}", pages.display());
    let mut files = Vec::new();
    if pages.is_dir() {
        gather(&pages.canonicalize()?, "", &mut files)?;
    }
    files.sort();
    let rows: String =
        files.iter().map(|(name, path)| format!("    ({name:?}, include_bytes!({path:?})),\n")).collect();
    let text =
        format!("/// Every file of the pages: its path and its bytes.\nconst FILES: &[(&str, &[u8])] = &[\n{rows}];\n");
    fs::write(Path::new(&variable("OUT_DIR")?).join("console_files.rs"), text)
}

fn variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|why| io::Error::other(format!("{name}: {why}")))
}

fn gather(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            gather(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}

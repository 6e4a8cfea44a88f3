//! Embeds the built pages (ui/dist) in the binary, compressed. Without them the console says how to build them.

use std::{
    env,
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use flate2::{Compression, read::DeflateEncoder};

fn main() -> ExitCode {
    match embed_pages() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cargo:warning=the pages cannot be embedded in the binary: {why}");
            ExitCode::FAILURE
        }
    }
}

fn embed_pages() -> io::Result<()> {
    let crate_folder = PathBuf::from(read_variable("CARGO_MANIFEST_DIR")?);
    let pages = crate_folder.join("../../ui/dist");
    // A missing folder counts as changed, so the pages are found as soon as they are built.
    println!("cargo:rerun-if-changed={}", pages.display());
    let mut files = Vec::new();
    if pages.is_dir() {
        list_files(&pages.canonicalize()?, "", &mut files)?;
    }
    files.sort();
    let out = PathBuf::from(read_variable("OUT_DIR")?);
    let mut rows = String::new();
    for (at, (name, path)) in files.iter().enumerate() {
        let mut bytes = Vec::new();
        DeflateEncoder::new(File::open(path)?, Compression::best()).read_to_end(&mut bytes)?;
        let packed = out.join(format!("{at}.deflate"));
        fs::write(&packed, bytes)?;
        rows += &format!("    PackedFile::new({name:?}, include_bytes!({packed:?})),\n");
    }
    let text = format!("/// Every file of the pages.\nstatic FILES: [PackedFile; {}] = [\n{rows}];\n", files.len());
    fs::write(out.join("console_files.rs"), text)
}

fn read_variable(name: &str) -> io::Result<String> {
    env::var(name).map_err(|why| io::Error::other(format!("{name}: {why}")))
}

fn list_files(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list_files(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}

//! The ready file: the address of a running server, and how to get in.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use roost_app::file::{Durability, write_whole};
use roost_emulator::EmulatorHandle;
use serde_json::{Value, json};

use crate::failure::{CliFailure, write_failure};

/// The most bytes of a ready file; a longer file is something else.
const LENGTH_MAX: u64 = 64 << 10;

/// A ready file, which is removed when this is dropped.
pub(super) struct ReadyFile(PathBuf);

impl ReadyFile {
    pub(super) fn write(path: &Path, handle: &EmulatorHandle) -> Result<Self, CliFailure> {
        if !is_replaceable(path) {
            let message = format!("{} exists and is not a ready file of roost. Choose another path.", path.display());
            return Err(CliFailure::new(message));
        }
        let document = ready_document(handle);
        write_whole(path, Durability::Volatile, |out| writeln!(out, "{document}"))
            .map_err(|why: io::Error| write_failure(path, &why))?;
        Ok(Self(path.to_owned()))
    }
}

/// Whether the path is free or holds a ready file, which a killed server may have left. Any other file must not be
/// replaced.
fn is_replaceable(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(about) if about.is_file() && about.len() <= LENGTH_MAX => {}
        Ok(_) => return false,
        Err(_) => return true,
    }
    let text = fs::read(path).unwrap_or_default();
    let ready: Value = serde_json::from_slice(&text).unwrap_or_default();
    text.is_empty() || (ready["admin_url"].is_string() && ready["pid"].is_u64())
}

fn ready_document(handle: &EmulatorHandle) -> Value {
    let mut document = json!({
        "url": handle.url(),
        "listening": handle.listen_url(),
        "admin_url": handle.operator_url(),
        "admin_token": handle.admin_token(),
        "console_url": handle.console_url(),
        "pid": std::process::id(),
        "version": env!("CARGO_PKG_VERSION"),
    });
    if let Some(path) = handle.ca().and_then(|ca| ca.path.as_deref()) {
        document["ca"] = path.to_string_lossy().into();
    }
    if let Some(path) = handle.unix() {
        document["socket"] = path.to_string_lossy().into();
    }
    document
}

/// Writes the same document as one line to an open file descriptor.
#[cfg(unix)]
pub(super) fn write_ready_line(fd: u32, handle: &EmulatorHandle) -> Result<(), CliFailure> {
    use std::io::Write;

    let path = format!("/dev/fd/{fd}");
    let written =
        fs::OpenOptions::new().write(true).open(path).and_then(|mut out| writeln!(out, "{}", ready_document(handle)));
    written.map_err(|why| {
        CliFailure::new(match why.kind() {
            io::ErrorKind::NotFound => format!("--ready-fd {fd} is not open. Open it for writing."),
            _ => format!("--ready-fd {fd} cannot be written: {why}. Keep it open for writing."),
        })
    })
}

impl Drop for ReadyFile {
    fn drop(&mut self) {
        // Another server may have written its own file there meanwhile.
        let text = fs::read(&self.0).unwrap_or_default();
        let document: Value = serde_json::from_slice(&text).unwrap_or_default();
        if document["pid"] == std::process::id() {
            let _ = fs::remove_file(&self.0);
        }
    }
}

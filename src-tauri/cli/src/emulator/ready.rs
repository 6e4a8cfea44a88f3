//! The ready file: where the server is and how to get in, while it answers.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use roost_app::file::{Lasting, write_whole};
use roost_emulator::Handle;
use serde_json::{Value, json};

use crate::failure::{Failure, unwritable};

/// A longer file is not a ready file.
const LENGTH_MAX: u64 = 64 << 10;

/// The file is removed when this is dropped.
pub struct ReadyFile(PathBuf);

impl ReadyFile {
    pub fn write(path: &Path, handle: &Handle) -> Result<Self, Failure> {
        if !is_replaceable(path) {
            let told = format!("{} exists and is not a ready file of roost. Choose another path.", path.display());
            return Err(Failure::new(told));
        }
        let told = told(handle);
        write_whole(path, Lasting::Perhaps, |out| writeln!(out, "{told}"))
            .map_err(|why: io::Error| unwritable(path, &why))?;
        Ok(Self(path.to_owned()))
    }
}

/// A ready file of an earlier server may stay behind when its process is killed. Any other file is somebody else's.
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

fn told(handle: &Handle) -> Value {
    let mut told = json!({
        "url": handle.url(),
        "listening": handle.place(),
        "admin_url": handle.operator_url(),
        "admin_token": handle.admin_token(),
        "console_url": handle.console_url(),
        "pid": std::process::id(),
        "version": env!("CARGO_PKG_VERSION"),
    });
    if let Some(path) = handle.ca().and_then(|ca| ca.path.as_deref()) {
        told["ca"] = path.to_string_lossy().into();
    }
    if let Some(path) = handle.unix() {
        told["socket"] = path.to_string_lossy().into();
    }
    told
}

/// One line of the same into what whoever started this program left open for it.
#[cfg(unix)]
pub fn write_to(fd: u32, handle: &Handle) -> Result<(), Failure> {
    use std::io::Write;

    let path = format!("/dev/fd/{fd}");
    let written = fs::OpenOptions::new().write(true).open(path).and_then(|mut out| writeln!(out, "{}", told(handle)));
    written.map_err(|why| Failure::new(format!("--ready-fd {fd} cannot be written: {why}. Keep it open for writing.")))
}

impl Drop for ReadyFile {
    fn drop(&mut self) {
        // Another server may have written its own there meanwhile.
        let text = fs::read(&self.0).unwrap_or_default();
        let told: Value = serde_json::from_slice(&text).unwrap_or_default();
        if told["pid"] == std::process::id() {
            let _ = fs::remove_file(&self.0);
        }
    }
}

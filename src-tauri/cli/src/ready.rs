//! The ready file: where the server is and how to get in, while it answers.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use roost_emulator::Handle;
use serde_json::{Value, json};

use crate::{
    failure::Failure,
    file::{Lasting, write_whole},
};

/// The file goes when this does.
pub struct ReadyFile(PathBuf);

impl ReadyFile {
    pub fn write(path: &Path, handle: &Handle) -> Result<Self, Failure> {
        let told = json!({
            "url": handle.url(),
            "admin_url": handle.admin_url(),
            "admin_token": handle.admin_token(),
            "console_url": handle.console_url(),
            "pid": std::process::id(),
            "version": env!("CARGO_PKG_VERSION"),
        });
        write_whole(path, Lasting::Perhaps, |out| writeln!(out, "{told}")).map_err(|e: io::Error| {
            Failure::new(format!("the ready file {} cannot be written: {e}; choose another path", path.display()))
        })?;
        Ok(Self(path.to_owned()))
    }
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

//! SIGHUP: what is served goes back to its seed, read anew, while the server runs.

use std::{fs, path::Path};

use roost_emulator::Handle;

use crate::said::warn;

/// A file is somebody's work, and a signal is sent by more than those who mean it.
pub fn decline() {
    warn("not reset to its seed: --db names a file. Use `roost seed` or `roost reset`.");
}

/// What went wrong is told, and everything stays as it is.
pub async fn begin(handle: &Handle, seed: Option<&Path>) {
    let told = match put_back(handle, seed).await {
        Ok(()) => "reset to its seed".to_owned(),
        Err(why) => format!("not reset to its seed: {why}"),
    };
    warn(&told);
}

async fn put_back(handle: &Handle, seed: Option<&Path>) -> Result<(), String> {
    let admin = handle.admin().map_err(|why| why.to_string())?;
    let done = match seed {
        Some(path) => {
            let text = fs::read(path).map_err(|why| format!("{}: {why}", path.display()))?;
            admin.send_text("PUT", "/seed", text).await
        }
        None => admin.call("POST", "/reset", None).await,
    };
    done.map(drop).map_err(|why| why.to_string())
}

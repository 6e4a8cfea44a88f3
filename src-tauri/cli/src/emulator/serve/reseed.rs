//! SIGHUP: resets a running server to its seed, which is read again.

use std::{fs, path::Path};

use roost_emulator::EmulatorHandle;

use crate::terminal::print_warning;

/// Refuses to reset an account file, because it can hold somebody's work and a signal can be sent by accident.
pub(super) fn refuse_reseed() {
    print_warning("not reset to its seed: --db names a file. Use `roost seed` or `roost reset`.");
}

/// Resets the server. If that fails, reports why and changes nothing.
pub(super) async fn reseed_server(handle: &EmulatorHandle, seed: Option<&Path>) {
    let outcome = match send_reseed(handle, seed).await {
        Ok(()) => "reset to its seed".to_owned(),
        Err(why) => format!("not reset to its seed: {why}"),
    };
    print_warning(&outcome);
}

async fn send_reseed(handle: &EmulatorHandle, seed: Option<&Path>) -> Result<(), String> {
    let admin = handle.admin().map_err(|why| why.to_string())?;
    let done = match seed {
        Some(path) => {
            let text = fs::read(path).map_err(|why| format!("{}: {why}", path.display()))?;
            admin.call_with_text("PUT", "/seed", text).await
        }
        None => admin.call("POST", "/reset", None).await,
    };
    done.map(drop).map_err(|why| why.to_string())
}

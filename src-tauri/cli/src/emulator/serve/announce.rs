//! Prints the addresses of a server that has started.

use std::io::{self, Write};

use roost_emulator::EmulatorHandle;

use crate::terminal::plain_value;

pub(super) fn announce_server(handle: &EmulatorHandle, shows_console: bool) {
    let mut out = io::stdout().lock();
    // The server runs even if standard output is closed.
    let _ = writeln!(out, "roost listening on {}", handle.listen_url());
    if let Some(path) = handle.ca().and_then(|ca| ca.path.as_deref()) {
        let _ = writeln!(out, "authority {}", plain_value(&path.display().to_string()));
    }
    if let Some(path) = handle.unix() {
        let _ = writeln!(out, "socket {}", plain_value(&path.display().to_string()));
    }
    if shows_console {
        let _ = writeln!(out, "console {}", handle.console_url());
    }
    let _ = out.flush();
}

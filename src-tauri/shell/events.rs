//! Forwards the change feed to the page as the Tauri event `changes`.

use std::thread;

use roost_app::App;
use tauri::{AppHandle, Emitter, Manager};

const CHANGES_EVENT: &str = "changes";

/// Forwards the change feed for as long as the window exists.
pub(crate) fn forward_changes(handle: &AppHandle) {
    let changes = handle.state::<App>().changes();
    let handle = handle.clone();
    thread::spawn(move || {
        for change in changes {
            if handle.emit(CHANGES_EVENT, &change).is_err() {
                return;
            }
        }
    });
}

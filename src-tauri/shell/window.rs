//! The main window: made hidden, shown by the page when it has something to show.

use std::{thread, time::Duration};

use tauri::{Error, WebviewWindowBuilder};

/// A page that cannot run its script could never show the window, so it is shown anyway after this long.
const SHOWN_AT_LATEST: Duration = Duration::from_secs(4);

/// Made here and not by tauri.conf.json alone, so that the account is open before the page can call.
pub fn show(tauri: &tauri::App) -> Result<(), Error> {
    for config in &tauri.config().app.windows {
        let window = WebviewWindowBuilder::from_config(tauri, config)?.build()?;
        thread::spawn(move || {
            thread::sleep(SHOWN_AT_LATEST);
            if !window.is_visible().unwrap_or(true) {
                // Closed meanwhile: nothing left to show.
                let _ = window.show();
            }
        });
    }
    Ok(())
}

//! The windows: made hidden, shown by the page when it has something to show.

use std::{thread, time::Duration};

use tauri::{AppHandle, Error, Manager, Runtime, WebviewWindow, WebviewWindowBuilder, plugin::TauriPlugin};
use tauri_plugin_window_state::StateFlags;

use crate::display;

/// The first window; the others are numbered after it.
const FIRST: &str = "main";
/// A page that cannot run its script could never show the window, so it is shown anyway after this long.
const SHOWN_AT_LATEST: Duration = Duration::from_secs(4);

/// Keeps size and place of the first window. Not whether it shows: that is the page's to say.
pub fn state_plugin<R: Runtime>() -> TauriPlugin<R> {
    let flags = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN;
    tauri_plugin_window_state::Builder::new()
        .with_state_flags(flags)
        .with_filename("window.json")
        .with_filter(|label| label == FIRST)
        .build()
}

/// Made here and not by tauri.conf.json alone, so that the account is open before the page can call.
pub fn show_first(tauri: &AppHandle) -> Result<(), Error> {
    show(tauri, FIRST.to_owned())
}

/// One more window on the same account.
pub fn show_another(tauri: &AppHandle) -> Result<(), Error> {
    let is_free = |label: &String| tauri.get_webview_window(label).is_none();
    let first = std::iter::once(FIRST.to_owned());
    let labels = first.chain((2_u32..).map(|number| format!("{FIRST}-{number}")));
    match labels.into_iter().find(is_free) {
        Some(label) => show(tauri, label),
        None => Ok(()),
    }
}

fn show(tauri: &AppHandle, label: String) -> Result<(), Error> {
    let Some(config) = tauri.config().app.windows.first() else { return Err(Error::WindowNotFound) };
    let mut config = config.clone();
    config.label = label;
    let window = WebviewWindowBuilder::from_config(tauri, &config)?
        .on_document_title_changed(|window, title| {
            if !title.is_empty() {
                // Closed meanwhile: no title to show.
                let _ = window.set_title(&title);
            }
        })
        .build()?;
    display::suit(&window)?;
    thread::spawn(move || {
        thread::sleep(SHOWN_AT_LATEST);
        if !window.is_visible().unwrap_or(true) {
            // Closed meanwhile: nothing left to show.
            let _ = window.show();
        }
    });
    Ok(())
}

/// Whether the person looks at Roost.
pub fn is_any_focused(tauri: &AppHandle) -> bool {
    tauri.webview_windows().values().any(|window| window.is_focused().unwrap_or(false))
}

/// Brings a window before the others; the first one, if it is still there.
pub fn come_forward(tauri: &AppHandle) {
    let windows = tauri.webview_windows();
    if let Some(window) = windows.get(FIRST).or_else(|| windows.values().next()) {
        raise(window);
    }
}

fn raise(window: &WebviewWindow) {
    // A desktop may refuse any of these; the window is there all the same.
    let _ = window.unminimize();
    let _ = window.show();
    let _ = window.set_focus();
}

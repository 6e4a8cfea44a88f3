//! Creates the windows. They are hidden until their page has something to show.

use std::{thread, time::Duration};

use tauri::{AppHandle, Error, Manager, Runtime, WebviewWindow, WebviewWindowBuilder, plugin::TauriPlugin};
use tauri_plugin_window_state::StateFlags;

use crate::{display, reviving};

/// The label of the first window. The labels of other windows add a number.
const FIRST_WINDOW: &str = "main";
/// The time after which a hidden window is shown anyway, because a page whose script fails would never show it.
const SHOWN_AT_LATEST: Duration = Duration::from_secs(4);

/// Restores the size and position of the first window, but not its visibility, which the page decides.
pub(crate) fn state_plugin<R: Runtime>() -> TauriPlugin<R> {
    let flags = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED | StateFlags::FULLSCREEN;
    tauri_plugin_window_state::Builder::new()
        .with_state_flags(flags)
        .with_filename("window.json")
        .with_filter(|label| label == FIRST_WINDOW)
        .build()
}

/// The window is created here and not from tauri.conf.json, so that the account is open before the page sends commands.
pub(crate) fn show_first(tauri: &AppHandle) -> Result<(), Error> {
    create_window(tauri, FIRST_WINDOW.to_owned())
}

/// Opens another window on the same account.
pub(crate) fn show_another(tauri: &AppHandle) -> Result<(), Error> {
    let is_free = |label: &String| tauri.get_webview_window(label).is_none();
    let first = std::iter::once(FIRST_WINDOW.to_owned());
    let labels = first.chain((2_u32..).map(|number| format!("{FIRST_WINDOW}-{number}")));
    match labels.into_iter().find(is_free) {
        Some(label) => create_window(tauri, label),
        None => Ok(()),
    }
}

fn create_window(tauri: &AppHandle, label: String) -> Result<(), Error> {
    let Some(config) = tauri.config().app.windows.first() else { return Err(Error::WindowNotFound) };
    let mut config = config.clone();
    config.label = label;
    let window = WebviewWindowBuilder::from_config(tauri, &config)?
        .on_document_title_changed(|window, title| {
            if !title.is_empty() {
                // If the window was closed meanwhile, it has no title to set.
                let _ = window.set_title(&title);
            }
        })
        .build()?;
    display::suit(&window)?;
    reviving::watch(&window)?;
    thread::spawn(move || {
        thread::sleep(SHOWN_AT_LATEST);
        if !window.is_visible().unwrap_or(true) {
            // If the window was closed meanwhile, there is nothing to show.
            let _ = window.show();
        }
    });
    Ok(())
}

/// Returns whether the user is looking at a window of Roost.
pub(crate) fn is_any_focused(tauri: &AppHandle) -> bool {
    tauri.webview_windows().values().any(|window| window.is_focused().unwrap_or(false))
}

/// Brings a window to the front: the first one, or another if it was closed.
pub(crate) fn bring_to_front(tauri: &AppHandle) {
    let windows = tauri.webview_windows();
    if let Some(window) = windows.get(FIRST_WINDOW).or_else(|| windows.values().next()) {
        raise_window(window);
    }
}

fn raise_window(window: &WebviewWindow) {
    // A desktop may refuse any of these requests. The window stays usable.
    let _ = window.unminimize();
    let _ = window.show();
    let _ = window.set_focus();
}

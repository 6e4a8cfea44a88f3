//! One program for one data folder: a second start hands its arguments to the first and ends.
//!
//! Without a session bus there is no way to find the first; then the lock on the account file keeps both from harm.

use std::{
    ffi::OsString,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf, absolute},
    thread,
};

use roost_app::{App, Asked, Start};
use tauri::{AppHandle, Manager, Wry, plugin::TauriPlugin};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

use crate::{state, window};

/// As in tauri.conf.json, which is not read yet when the plugin is made.
const IDENTIFIER: &str = "roost.desktop";

pub fn plugin() -> TauriPlugin<Wry> {
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(bus_name())
        .callback(|tauri, arguments, folder| {
            let arguments = arguments.into_iter().skip(1).map(OsString::from);
            match Asked::read(arguments, Path::new(&folder)) {
                Ok(Asked::ToStart(start)) => act(tauri, start),
                Ok(Asked::ForHelp | Asked::ForVersion) | Err(_) => window::come_forward(tauri),
            }
        })
        .build()
}

/// Another data folder is another life: its program does not answer for this one.
fn bus_name() -> String {
    match state::named_folder() {
        None => IDENTIFIER.to_owned(),
        Some(folder) => {
            let mut hasher = DefaultHasher::new();
            absolute(&folder).unwrap_or(folder).hash(&mut hasher);
            format!("{IDENTIFIER}.f{:016x}", hasher.finish())
        }
    }
}

fn act(tauri: &AppHandle, start: Start) {
    if start.is_new_window {
        if let Err(why) = window::show_another(tauri) {
            tracing::warn!(%why, "a second start asked for a window that cannot be made");
        }
    } else {
        window::come_forward(tauri);
    }
    match start.file {
        // What is given with an account goes into that account.
        Some(file) => open_account(tauri, file, start.contacts),
        None => offer(tauri, start.contacts),
    }
}

fn offer(tauri: &AppHandle, contacts: Vec<PathBuf>) {
    if let Some(app) = tauri.try_state::<App>() {
        app.offer_files(contacts);
    }
}

/// Whoever asked has ended already, so a refusal is told here, by a dialog.
fn open_account(tauri: &AppHandle, file: PathBuf, contacts: Vec<PathBuf>) {
    let tauri = tauri.clone();
    thread::spawn(move || {
        let Some(app) = tauri.try_state::<App>() else { return };
        match app.open_by_hand(&file) {
            Ok(()) => app.offer_files(contacts),
            Err(why) => {
                tauri.dialog().message(why.message).title("Roost").kind(MessageDialogKind::Error).blocking_show();
            }
        }
    });
}

/// Files that the desktop asks to be opened while the program runs.
#[cfg(target_os = "macos")]
pub fn open_addresses(tauri: &AppHandle, urls: &[tauri::Url]) {
    let files = urls.iter().filter_map(|url| url.to_file_path().ok());
    if let Ok(Asked::ToStart(start)) = Asked::read(files.map(OsString::from), Path::new("/")) {
        act(tauri, start);
    }
}

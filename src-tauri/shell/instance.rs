//! Allows one running program for each data folder. A second start passes its arguments to the first and ends.
//!
//!
//! Without a session bus the first program cannot be found. The lock on the account file then prevents damage.

use std::{
    ffi::OsString,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf, absolute},
    thread,
};

use roost_app::{App, CommandLine, StartRequest};
use tauri::{AppHandle, Manager, Wry, plugin::TauriPlugin};
use tauri_plugin_dialog::{DialogExt, MessageDialogKind};

use crate::{state, window};

/// The identifier from tauri.conf.json, which is not loaded yet when the plugin is created.
const IDENTIFIER: &str = "roost.desktop";

pub(crate) fn instance_plugin() -> TauriPlugin<Wry> {
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(bus_name())
        .callback(|tauri, arguments, folder| {
            let arguments = arguments.into_iter().skip(1).map(OsString::from);
            match CommandLine::read(arguments, Path::new(&folder)) {
                Ok(CommandLine::ToStart(start)) => handle_start(tauri, start),
                Ok(CommandLine::ForHelp | CommandLine::ForVersion) | Err(_) => window::bring_to_front(tauri),
            }
        })
        .build()
}

/// Returns the name of this program on the session bus. Programs with different data folders must not answer for each
/// other.
fn bus_name() -> String {
    match state::data_folder_override() {
        None => IDENTIFIER.to_owned(),
        Some(folder) => {
            let mut hasher = DefaultHasher::new();
            absolute(&folder).unwrap_or(folder).hash(&mut hasher);
            format!("{IDENTIFIER}.f{:016x}", hasher.finish())
        }
    }
}

fn handle_start(tauri: &AppHandle, start: StartRequest) {
    if start.is_new_window {
        if let Err(why) = window::show_another(tauri) {
            tracing::warn!(%why, "a second start asked for a window that cannot be made");
        }
    } else {
        window::bring_to_front(tauri);
    }
    match start.file {
        // Contact files that come with an account are imported into that account.
        Some(file) => open_account(tauri, file, start.contacts),
        None => offer_contacts(tauri, start.contacts),
    }
}

fn offer_contacts(tauri: &AppHandle, contacts: Vec<PathBuf>) {
    if let Some(app) = tauri.try_state::<App>() {
        app.offer_files(contacts);
    }
}

/// The second program has already ended, so a refusal is shown here, in a dialog.
fn open_account(tauri: &AppHandle, file: PathBuf, contacts: Vec<PathBuf>) {
    let tauri = tauri.clone();
    thread::spawn(move || {
        let Some(app) = tauri.try_state::<App>() else { return };
        match app.open_chosen(&file) {
            Ok(()) => app.offer_files(contacts),
            Err(why) => {
                tauri.dialog().message(why.message).title("Roost").kind(MessageDialogKind::Error).blocking_show();
            }
        }
    });
}

/// Opens files that the desktop passes to the running program.
#[cfg(target_os = "macos")]
pub(crate) fn open_file_addresses(tauri: &AppHandle, urls: &[tauri::Url]) {
    let files = urls.iter().filter_map(|url| url.to_file_path().ok());
    if let Ok(CommandLine::ToStart(start)) = CommandLine::read(files.map(OsString::from), Path::new("/")) {
        handle_start(tauri, start);
    }
}

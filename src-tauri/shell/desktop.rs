//! Implements the desktop for the app: dialogs, notifications, windows, the browser.

use std::path::{Path, PathBuf};

use notify_rust::Notification;
use roost_app::{CONTACTS, Desktop, EXTENSION, FileKind};
use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder, FilePath};

use crate::window;

pub(crate) struct WindowDesktop {
    tauri: AppHandle,
}

impl WindowDesktop {
    pub(crate) fn new(tauri: AppHandle) -> Self {
        Self { tauri }
    }

    fn file_dialog(&self) -> FileDialogBuilder<tauri::Wry> {
        self.tauri.dialog().file()
    }
}

fn to_full_path(chosen: Option<FilePath>) -> Option<PathBuf> {
    chosen.and_then(|path| path.into_path().ok())
}

impl Desktop for WindowDesktop {
    fn choose_save_path(&self, name: &str, kind: FileKind) -> Option<PathBuf> {
        let ending = kind.extension();
        to_full_path(
            self.file_dialog().set_file_name(name).add_filter(ending.to_uppercase(), &[ending]).blocking_save_file(),
        )
    }

    fn choose_account(&self, folder: Option<&Path>) -> Option<PathBuf> {
        let dialog = self.file_dialog().add_filter("Roost", &[EXTENSION]);
        let dialog = match folder {
            Some(folder) => dialog.set_directory(folder),
            None => dialog,
        };
        to_full_path(dialog.blocking_pick_file())
    }

    fn choose_files(&self) -> Vec<PathBuf> {
        let dialog = self.file_dialog().add_filter("CSV, XLSX, ODS, vCard, JSON", CONTACTS).add_filter("*", &["*"]);
        let chosen = dialog.blocking_pick_files().unwrap_or_default();
        chosen.into_iter().filter_map(|path| path.into_path().ok()).collect()
    }

    fn notify(&self, title: &str, body: &str) -> Result<bool, String> {
        if window::is_any_focused(&self.tauri) {
            return Ok(false);
        }
        let mut notification = Notification::new();
        notification.appname("Roost").summary(title).body(body);
        #[cfg(target_os = "windows")]
        notification.app_id(&self.tauri.config().identifier);
        notification.show().map(|_| true).map_err(|why| why.to_string())
    }

    fn reveal(&self, path: &Path) -> Result<(), String> {
        // A damaged file may have been set aside since. Its folder is shown instead.
        let there = if path.exists() { path } else { path.parent().unwrap_or(path) };
        tauri_plugin_opener::reveal_item_in_dir(there).map_err(|why| why.to_string())
    }

    fn open_window(&self) -> Result<(), String> {
        window::show_another(&self.tauri).map_err(|why| why.to_string())
    }

    fn browse(&self, url: &str) -> Result<(), String> {
        tauri_plugin_opener::open_url(url, None::<&str>).map_err(|why| why.to_string())
    }
}

//! Opens the account of the window and closes it at the end.

use std::{env, error::Error, path::PathBuf};

use roost_app::{App, StartRequest};
use tauri::Manager;

use crate::desktop::WindowDesktop;

/// The environment variable that names another data folder than the platform's, for tests and for separate instances.
const DATA_DIR: &str = "ROOST_DATA_DIR";

/// Opens the account. If that fails, the window opens all the same and every command returns the error.
pub(crate) fn open(tauri: &tauri::App, start: StartRequest) -> Result<(), Box<dyn Error>> {
    let folder = match data_folder_override() {
        Some(named) => named,
        None => tauri.path().app_data_dir()?,
    };
    let open = if start.is_safe_mode { App::in_safe_mode } else { App::with_config_folder };
    let app = open(&folder, start.file.as_deref());
    app.set_desktop(WindowDesktop::new(tauri.handle().clone()));
    app.offer_files(start.contacts);
    tauri.manage(app);
    Ok(())
}

pub(crate) fn close(tauri: &tauri::AppHandle) {
    tauri.state::<App>().close();
}

/// Returns the data folder that the environment names, if it names one.
pub(crate) fn data_folder_override() -> Option<PathBuf> {
    env::var_os(DATA_DIR).filter(|named| !named.is_empty()).map(PathBuf::from)
}

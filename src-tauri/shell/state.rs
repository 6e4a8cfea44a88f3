//! Creates the app of the window at the start, with its account, and closes it at the end.

use std::{env, error::Error, path::PathBuf};

use roost_app::{App, StartRequest};
use tauri::Manager;

use crate::desktop::WindowDesktop;

/// The environment variable that overrides the platform's data folder, for tests and for separate instances.
const DATA_DIR_VARIABLE: &str = "ROOST_DATA_DIR";

/// Opens the account. If that fails, the window still opens and every command returns the error.
pub(crate) fn open(tauri: &tauri::App, start: StartRequest) -> Result<(), Box<dyn Error>> {
    let folder = match data_folder_override() {
        Some(path) => path,
        None => tauri.path().app_data_dir()?,
    };
    let open_app = if start.is_safe_mode { App::in_safe_mode } else { App::with_config_folder };
    let app = open_app(&folder, start.file.as_deref());
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
    env::var_os(DATA_DIR_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from)
}

//! What the window holds: the one open account.

use std::{env, error::Error, path::PathBuf};

use roost_app::App;
use tauri::Manager;

/// Names another data folder than the platform's, for tests and for a second account.
const DATA_DIR: &str = "ROOST_DATA_DIR";

/// Opens the account; one that cannot be opened is kept as its fault, which every command then answers.
pub fn open(tauri: &tauri::App) -> Result<(), Box<dyn Error>> {
    tauri.manage(App::in_folder(&data_folder(tauri)?));
    Ok(())
}

pub fn close(tauri: &tauri::AppHandle) {
    tauri.state::<App>().close();
}

fn data_folder(tauri: &tauri::App) -> Result<PathBuf, tauri::Error> {
    match env::var_os(DATA_DIR) {
        Some(named) if !named.is_empty() => Ok(PathBuf::from(named)),
        _ => tauri.path().app_data_dir(),
    }
}

//! Finds the data folder, in which the window keeps its accounts, the server its authority, and both their reports of
//! crashes.

use std::{env, path::PathBuf};

/// The folder of the desktop app within the system's folder for application data.
const DATA_FOLDER: &str = "roost.desktop";

/// Returns the folder that the environment names, or the system's.
pub fn find_data_folder() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("ROOST_DATA_DIR").or_else(|| {
        let system = if cfg!(windows) {
            named("APPDATA")
        } else if cfg!(target_os = "macos") {
            named("HOME").map(|home| home.join("Library/Application Support"))
        } else {
            let absolute = named("XDG_DATA_HOME").filter(|folder| folder.is_absolute());
            absolute.or_else(|| named("HOME").map(|home| home.join(".local/share")))
        };
        system.map(|folder| folder.join(DATA_FOLDER))
    })
}

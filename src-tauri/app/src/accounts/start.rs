//! Parses the command line of the desktop program. A second start passes its request to the running program.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use url::Url;

use super::files::is_of_contacts;

/// What the window is asked to open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StartRequest {
    /// The absolute path of an account file.
    pub file: Option<PathBuf>,
    /// The absolute paths of contact files to import.
    pub contacts: Vec<PathBuf>,
    /// Whether to open another window if the program is already running.
    pub is_new_window: bool,
    /// Whether to open nothing by itself: no account, no stored preferences, no stored place of the window.
    pub is_safe_mode: bool,
}

/// A parsed command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLine {
    ToStart(StartRequest),
    ForHelp,
    ForVersion,
}

impl CommandLine {
    pub const HELP: &str = "Usage: roost-desktop [--new-window] [--safe-mode] [FILE…]\n\n  FILE           the account file to open; without one, the account that was open last.\n                 Files of contacts (CSV, XLSX, ODS, vCard, JSON) begin an import\n  --new-window   one more window, when Roost runs already\n  --safe-mode    open only FILE, or no account, and use no stored preferences, if the window does not open otherwise\n  --help         this text\n  --version      the version\n\nROOST_DATA_DIR names another data folder, ROOST_LOG what to log (such as `debug`),\nROOST_LOG_FORMAT how (`text` or `json`).";

    /// Parses the arguments after the program's name. Relative paths are resolved against `folder`.
    pub fn read(arguments: impl IntoIterator<Item = OsString>, folder: &Path) -> Result<Self, String> {
        let mut start = StartRequest::default();
        let mut only_files = false;
        for argument in arguments {
            match argument.to_str() {
                Some("--") if !only_files => only_files = true,
                Some("--help" | "-h") if !only_files => return Ok(Self::ForHelp),
                Some("--version" | "-V") if !only_files => return Ok(Self::ForVersion),
                Some("--new-window") if !only_files => start.is_new_window = true,
                Some("--safe-mode") if !only_files => start.is_safe_mode = true,
                Some(unknown) if !only_files && unknown.starts_with('-') && unknown.len() > 1 => {
                    return Err(format!("there is no option {unknown}"));
                }
                text => {
                    let path = text.and_then(file_address).unwrap_or_else(|| folder.join(&argument));
                    if is_of_contacts(&path) {
                        start.contacts.push(path);
                    } else if start.file.replace(path).is_some() {
                        return Err("only one account file can be opened at a time".to_owned());
                    }
                }
            }
        }
        Ok(Self::ToStart(start))
    }
}

/// Parses a `file://` URL, which file managers may pass instead of a path.
fn file_address(text: &str) -> Option<PathBuf> {
    text.starts_with("file://").then(|| Url::parse(text).ok()?.to_file_path().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_arguments(arguments: &[&str]) -> Result<CommandLine, String> {
        CommandLine::read(arguments.iter().map(OsString::from), Path::new("/elsewhere/me"))
    }

    fn parse_start(file: Option<&str>, is_new_window: bool) -> Result<CommandLine, String> {
        Ok(CommandLine::ToStart(StartRequest {
            file: file.map(PathBuf::from),
            is_new_window,
            ..StartRequest::default()
        }))
    }

    #[test]
    fn a_file_argument_in_any_form_becomes_an_absolute_path() {
        assert_eq!(read_arguments(&[]), parse_start(None, false));
        assert_eq!(read_arguments(&["shop.roost"]), parse_start(Some("/elsewhere/me/shop.roost"), false));
        assert_eq!(read_arguments(&["--new-window", "/a/shop.roost"]), parse_start(Some("/a/shop.roost"), true));
        assert_eq!(
            read_arguments(&["file:///a/corner%20shop.roost"]),
            parse_start(Some("/a/corner shop.roost"), false)
        );
        assert_eq!(read_arguments(&["--", "--help"]), parse_start(Some("/elsewhere/me/--help"), false));
    }

    #[test]
    fn files_of_contacts_are_to_be_imported() {
        let contacts = ["/elsewhere/me/May.CSV", "/a/old shop.xlsx"].map(PathBuf::from).to_vec();
        let file = Some(PathBuf::from("/elsewhere/me/shop.roost"));
        let wanted = StartRequest { file, contacts, ..StartRequest::default() };
        assert_eq!(
            read_arguments(&["May.CSV", "shop.roost", "file:///a/old%20shop.xlsx"]),
            Ok(CommandLine::ToStart(wanted))
        );
    }

    #[test]
    fn safe_mode_is_requested_beside_a_file_or_alone() {
        let start = |file: Option<&str>| {
            let file = file.map(PathBuf::from);
            Ok(CommandLine::ToStart(StartRequest { file, is_safe_mode: true, ..StartRequest::default() }))
        };
        assert_eq!(read_arguments(&["--safe-mode"]), start(None));
        assert_eq!(read_arguments(&["shop.roost", "--safe-mode"]), start(Some("/elsewhere/me/shop.roost")));
        assert!(CommandLine::HELP.contains("--safe-mode    open only FILE, or no account"));
    }

    #[test]
    fn unknown_arguments_are_reported() {
        assert_eq!(read_arguments(&["--help"]), Ok(CommandLine::ForHelp));
        assert_eq!(read_arguments(&["a", "-V"]), Ok(CommandLine::ForVersion));
        assert!(read_arguments(&["--new"]).unwrap_err().contains("--new"));
        assert!(read_arguments(&["a", "b"]).is_err());
    }
}

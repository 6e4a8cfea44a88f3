//! The interface to the desktop: dialogs, notifications, windows. The window's shell implements it; a console has none.

use std::path::{Path, PathBuf};

use roost_model::error::ErrorCode;
use serde::Deserialize;

use crate::error::CommandError;

/// The content of a saved file, which decides its extension and its name in a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum FileKind {
    Csv,
    Tsv,
    Json,
    Jsonl,
    Svg,
    Png,
    Text,
    Pdf,
    Xlsx,
    Vcf,
    Yaml,
    /// A copy of the account.
    Account,
}

impl FileKind {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Text => "txt",
            Self::Pdf => "pdf",
            Self::Xlsx => "xlsx",
            Self::Vcf => "vcf",
            Self::Yaml => "yaml",
            Self::Account => "roost",
        }
    }
}

/// The functions of a desktop. Each may block until the user has responded. Errors are texts for the user.
pub trait Desktop: Send + Sync + 'static {
    /// Asks where to save a file, and returns nothing if the user cancels. The dialog confirms before it replaces a
    /// file.
    fn choose_save_path(&self, name: &str, kind: FileKind) -> Option<PathBuf>;

    /// Asks for an account file to open. The dialog begins in `folder`.
    fn choose_account(&self, folder: Option<&Path>) -> Option<PathBuf>;

    /// Asks for contact files to import, and returns none if the user cancels.
    fn choose_files(&self) -> Vec<PathBuf>;

    /// Notifies the user who is looking at another program. Returns false if nothing was shown because the user is
    /// looking at Roost.
    fn notify(&self, title: &str, body: &str) -> Result<bool, String>;

    /// Shows a file in the file manager.
    fn reveal(&self, path: &Path) -> Result<(), String>;

    /// Opens another window on the open account.
    fn open_window(&self) -> Result<(), String>;

    /// Opens a web address in the browser.
    fn browse(&self, url: &str) -> Result<(), String>;
}

impl CommandError {
    pub(crate) fn no_desktop() -> Self {
        Self::new(ErrorCode::Unsupported, "Only Roost's own window can do this.")
    }

    /// Reports an error of the desktop. The account is not affected by it.
    pub(crate) fn desktop(why: &str) -> Self {
        tracing::warn!(why, "the desktop could not do what was asked");
        Self::new(ErrorCode::Unsupported, format!("The desktop could not do this: {why}"))
    }
}

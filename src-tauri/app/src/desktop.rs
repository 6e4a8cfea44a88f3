//! What only a desktop can do: dialogs, notifications, windows. The window's shell brings it; a console goes without.

use std::path::{Path, PathBuf};

use roost_model::error::ErrorCode;
use serde::Deserialize;

use crate::error::CommandError;

/// What a file that is saved holds: its ending, and what a dialog calls it.
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
        }
    }
}

/// All of it may block until the person has answered. What fails is told in words.
pub trait Desktop: Send + Sync + 'static {
    /// Where to save; none when the person thought better of it. The dialog asks before a file is replaced.
    fn choose_place(&self, name: &str, kind: FileKind) -> Option<PathBuf>;

    /// An account file to open; the dialog begins in `folder`.
    fn choose_account(&self, folder: Option<&Path>) -> Option<PathBuf>;

    /// Files of contacts to import; none when the person thought better of it.
    fn choose_files(&self) -> Vec<PathBuf>;

    /// Tells something to a person who looks elsewhere; false when it was not shown because they look here.
    fn notify(&self, title: &str, body: &str) -> Result<bool, String>;

    /// Shows a file in the file manager.
    fn reveal(&self, path: &Path) -> Result<(), String>;

    /// One more window on what is open.
    fn open_window(&self) -> Result<(), String>;

    /// Opens a web address in the browser.
    fn browse(&self, url: &str) -> Result<(), String>;
}

impl CommandError {
    pub(crate) fn no_desktop() -> Self {
        Self::new(ErrorCode::Unsupported, "Only Roost's own window can do this.")
    }

    /// The desktop refused; nothing of the account is touched by that.
    pub(crate) fn desktop(why: &str) -> Self {
        tracing::warn!(why, "the desktop could not do what was asked");
        Self::new(ErrorCode::Unsupported, format!("The desktop could not do it: {why}"))
    }
}

//! The core of every UI: the command list, the open account, the change feed.

mod accounts;
mod changes;
mod commands;
mod console;
mod data_folder;
mod desktop;
pub mod diagnostics;
mod error;
pub mod file;
mod local_server;
mod page_cache;
mod preferences;
mod reading;
mod tasks;

pub use accounts::{ACCOUNT_FILE, App, CONTACTS, CommandLine, EXTENSION, ListedAccount, StartRequest, list_accounts};
pub use changes::{ChangeEvent, ChangeTopic, Changes, OutsideTopic};
#[cfg(feature = "ts")]
pub use commands::typescript;
pub use commands::{CommandResponse, command_names};
pub use data_folder::find_data_folder;
pub use desktop::{Desktop, FileKind};
pub use error::CommandError;

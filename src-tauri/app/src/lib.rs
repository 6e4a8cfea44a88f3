//! The core of every UI: the command list, the open account, the change feed.

mod accounts;
mod changes;
mod commands;
mod console;
mod desktop;
mod error;
pub mod file;
mod local_server;
mod preferences;
mod reading;
mod tasks;
#[cfg(feature = "ts")]
pub mod typescript;

pub use accounts::{ACCOUNT_FILE, App, CONTACTS, CommandLine, EXTENSION, ListedAccount, StartRequest, list_accounts};
pub use changes::{ChangeEvent, ChangeTopic, Changes, OutsideTopic};
pub use commands::{CommandResponse, command_names};
pub use desktop::{Desktop, FileKind};
pub use error::{CommandError, FieldFault};

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

pub use accounts::{ACCOUNT_FILE, App, Asked, CONTACTS, EXTENSION, Start};
pub use changes::{Beside, ChangeEvent, Changes, Topic};
pub use commands::{Answer, names};
pub use desktop::{Desktop, FileKind};
pub use error::{CommandError, FieldFault};

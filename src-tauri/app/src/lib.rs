//! What every door of the UI stands on: the one command list, the open account, the change feed.

mod accounts;
mod changes;
mod commands;
mod console;
mod error;
#[cfg(feature = "ts")]
pub mod typescript;

pub use accounts::{ACCOUNT_FILE, App};
pub use changes::{ChangeEvent, Changes};
pub use commands::NAMES;
pub use error::{CommandError, FieldFault};

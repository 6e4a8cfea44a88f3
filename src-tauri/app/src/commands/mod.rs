//! The commands of the UI, one module for each subject, with the types of their responses. `table` lists them all.

mod account;
mod contact;
mod custom_field;
mod desktop;
mod files;
mod list;
mod operator;
mod opt_out;
mod page;
mod past;
mod server;
mod short_link;
mod sync;
mod table;

pub use self::table::command_names;
#[cfg(feature = "ts")]
pub use self::table::typescript;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::CommandError;

/// The response of a command.
#[derive(Debug, Clone, PartialEq)]
pub enum CommandResponse {
    Json(Value),
    Bytes(Vec<u8>),
}

/// The request of a command that needs to know nothing.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct Nothing {}

/// The response of a command that has nothing to report.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct Done {}

/// The response of a command that returns bytes instead of JSON. The page decodes them itself.
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "ArrayBuffer"))]
pub(crate) struct Bytes(pub Vec<u8>);

/// Converts the result of a command to its response: bytes stay bytes, everything else becomes JSON.
trait Outgoing {
    fn outgoing(self) -> Result<CommandResponse, CommandError>;
}

impl Outgoing for Bytes {
    fn outgoing(self) -> Result<CommandResponse, CommandError> {
        Ok(CommandResponse::Bytes(self.0))
    }
}

impl<T: Serialize> Outgoing for T {
    fn outgoing(self) -> Result<CommandResponse, CommandError> {
        serde_json::to_value(self).map(CommandResponse::Json).map_err(|why| CommandError::internal(&why))
    }
}

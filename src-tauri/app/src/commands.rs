//! The acts of the UI, a module a subject, and what they answer. The list of them all is the table.

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
mod task;

#[cfg(feature = "ts")]
pub(crate) use self::table::declare;
pub use self::table::names;
pub(crate) use self::{files::export::MadeFiles, opt_out::OptOutWork, table::route};

use serde::Serialize;
use serde_json::Value;

use crate::error::CommandError;

/// What a command answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Json(Value),
    Bytes(Vec<u8>),
}

/// The answer of a command that is no JSON: in a form of its own, which the page reads as it is.
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(type = "ArrayBuffer"))]
pub(crate) struct Bytes(pub Vec<u8>);

/// How an act's answer goes out: bytes as they are, everything else as JSON.
trait Outgoing {
    fn outgoing(self) -> Result<Answer, CommandError>;
}

impl Outgoing for Bytes {
    fn outgoing(self) -> Result<Answer, CommandError> {
        Ok(Answer::Bytes(self.0))
    }
}

impl<T: Serialize> Outgoing for T {
    fn outgoing(self) -> Result<Answer, CommandError> {
        serde_json::to_value(self).map(Answer::Json).map_err(|why| CommandError::internal(&why))
    }
}

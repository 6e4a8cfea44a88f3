//! One file a noun: each handler parses, acts, and writes.

pub mod contact;
mod contact_stream;
pub mod list;
pub mod opt_out;
pub mod redirect;
pub mod sender;
pub mod short_link;
mod visitor;

use roost_wire::RestError;

use crate::settings::{Settings, UnknownOnDelete};

/// How deleting something unknown is told: the setting chooses between the two.
fn unknown_on_delete(settings: &Settings, message: &'static str) -> RestError {
    match settings.unknown_on_delete {
        UnknownOnDelete::BadRequest => RestError::BadReference(message),
        UnknownOnDelete::NotFound => RestError::NotFound(message.to_owned()),
    }
}

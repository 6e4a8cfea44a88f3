//! One file for each noun; each handler parses the request, calls ops and writes the response.

pub(crate) mod contact;
mod contact_stream;
pub(crate) mod list;
pub(crate) mod opt_out;
pub(crate) mod redirect;
pub(crate) mod sender;
pub(crate) mod short_link;
mod visitor;

use roost_wire::RestError;

use crate::settings::{Settings, UnknownOnDelete};

/// Returns the refusal for deleting an unknown record, in the form that the settings choose.
fn unknown_on_delete_refusal(settings: &Settings, message: &'static str) -> RestError {
    match settings.unknown_on_delete {
        UnknownOnDelete::BadRequest => RestError::BadReference(message),
        UnknownOnDelete::NotFound => RestError::NotFound(message.to_owned()),
    }
}

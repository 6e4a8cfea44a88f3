//! Contacts: the query, bulk creation, deletion and the written records.

mod callback;
mod contact_query;
mod create;
mod draft;
mod response;

pub use callback::{JobEnded, JobResults, job_ended_body};
pub use contact_query::{ContactQuery, parse_query};
pub use create::{ContactsCreate, ContactsRequest, QUEUED_MESSAGE, QueuedContacts, parse_create};
pub use response::{Contact, ContactsPage, RecordWriter};

use roost_model::id::ContactId;

use crate::envelope::RestError;

pub const NOT_FOUND: &str = "Contact not found";

pub fn parse_delete(uid: &str) -> Result<ContactId, RestError> {
    ContactId::parse(uid).map_err(|e| RestError::BadUid { field: "deleteContact.uid", given: e.given })
}

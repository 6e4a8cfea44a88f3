//! Contacts: the query, bulk creation, deletion and the written records.

mod answer;
mod callback;
mod create;
mod draft;
mod query;

pub use answer::{Contact, ContactsPage, RecordWriter};
pub use callback::{JobEnded, JobResults, job_ended};
pub use create::{ContactsCreate, ContactsRequest, QUEUED, QueuedContacts, parse_create};
pub use query::{ContactQuery, parse_query};

use roost_model::id::ContactId;

use crate::envelope::Refusal;

pub const NOT_FOUND: &str = "Contact not found";

pub fn parse_delete(uid: &str) -> Result<ContactId, Refusal> {
    ContactId::parse(uid).map_err(|e| Refusal::BadUid { field: "deleteContact.uid", given: e.given })
}

//! Contacts: the query, the bulk creation with its jobs and callbacks.

pub(crate) mod attributes;
pub(crate) mod callbacks;
pub(crate) mod faults;
pub(crate) mod jobs;
pub(crate) mod kept;
pub(crate) mod numbers;
pub(crate) mod query;
pub(crate) mod sequence;

use super::{LIST, contacts_of, create_contacts, creation_body, send_creation, stored_contacts};

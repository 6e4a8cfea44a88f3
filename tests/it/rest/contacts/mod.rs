//! Contacts: the query, the bulk creation with its jobs and callbacks.

pub mod attributes;
pub mod callbacks;
pub mod faults;
pub mod jobs;
pub mod kept;
pub mod numbers;
pub mod query;
pub mod sequence;

use super::{LIST, contacts_of, create_contacts, creation_body, send_creation, stored_contacts};

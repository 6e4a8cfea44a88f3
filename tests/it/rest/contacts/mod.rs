//! Contacts: the query, the creation in bulk, what its jobs do and whom they tell.

pub mod attributes;
pub mod callbacks;
pub mod faults;
pub mod jobs;
pub mod numbers;
pub mod query;
pub mod sequence;

use super::{LIST, contacts_of, create, creation, send, stored};

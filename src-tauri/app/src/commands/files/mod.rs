//! Commands on files of contacts.

pub mod export;
pub mod import;

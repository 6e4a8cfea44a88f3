//! The contract. Every part of it has a test, and every documented sample is replayed.

mod admin_pointers;
pub(crate) mod admin_rules;
mod causes;
pub(crate) mod decisions;
pub(crate) mod documents;
mod guides;
pub(crate) mod inventory;
pub(crate) mod matrix;
pub(crate) mod operations;
pub(crate) mod rows;
pub(crate) mod samples;

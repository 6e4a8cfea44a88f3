//! The contract. Every part of it has a test, and every documented sample is replayed.

mod admin_pointers;
pub mod admin_rules;
mod causes;
pub mod decisions;
pub mod documents;
mod guides;
pub mod inventory;
pub mod matrix;
pub mod operations;
pub mod rows;
pub mod samples;

//! Opt-outs: creation, query, deletion.

pub mod creation;
pub mod query;
pub mod removal;

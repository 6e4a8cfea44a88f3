//! Opt-outs: creation, query, removal.

pub mod creation;
pub mod query;
pub mod removal;

//! Opt-outs: creation, query, deletion.

pub(crate) mod creation;
pub(crate) mod query;
pub(crate) mod removal;

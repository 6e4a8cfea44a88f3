//! Importing contacts: a file is put aside as rows of text, its columns are given a meaning, and what would come of every
//! row is told before anything is written.

mod accept;
pub mod columns;
pub mod history;
pub mod ledger;
pub mod mapping;
pub(crate) mod number;
pub mod reading;
pub mod rehearse;
pub mod rejects;
pub mod session;
pub mod settle;
mod spool;
pub mod verdicts;

pub use self::{
    accept::{Accept, Accepted, accept},
    number::PackedNumber,
    rehearse::{Rehearsal, Rows, rehearse},
    spool::{FrameReader, Spool},
};

#[cfg(test)]
mod tests;

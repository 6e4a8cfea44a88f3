//! Imports contacts. The rows of a file are copied into a spool, a mapping gives its columns a meaning, and a rehearsal
//! determines the result for every row before anything is written to the account.

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
mod spool;
pub mod validate;
pub mod verdicts;

pub use self::{
    accept::{AcceptOptions, AcceptedImport, accept_rehearsal},
    number::PackedNumber,
    rehearse::{Rehearsal, SpooledRows, rehearse_rows},
    spool::{FrameReader, Spool},
};

#[cfg(test)]
mod tests;

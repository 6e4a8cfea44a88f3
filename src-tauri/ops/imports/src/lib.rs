//! Imports contacts. The rows of a file are copied into a spool, a mapping gives its columns a meaning, and a rehearsal
//! determines the result for every row before anything is written to the account.

mod accept;
pub mod history;
pub mod ledger;
pub mod mapping;
pub mod packed_number;
pub mod reading;
pub mod rehearse;
pub mod rejects;
pub mod session;
mod spool;
pub mod validate;
pub mod verdicts;

pub use self::{
    accept::{AcceptOptions, AcceptedImport, accept_rehearsal},
    rehearse::{Rehearsal, SpooledRows, rehearse_rows},
    spool::{FrameReader, Spool},
};
pub use crate::packed_number::PackedNumber;

#[cfg(test)]
mod tests;

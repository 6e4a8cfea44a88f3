//! Makes every decision of a sync and carries out none of it: merge, plan, cost, pace, responses, verification, undo of
//! a run.
//!
//! It has no I/O, no clock and no randomness: times and seeds are arguments, so that every decision can be reproduced.

pub mod adopt;
pub mod audit;
pub mod edit_log;
pub mod input;
pub mod merge;
pub mod pace;
pub mod plan;
pub mod response;
pub mod row;
pub mod schedule;
#[cfg(test)]
mod tests;
pub mod uncertain;
pub mod verify;

pub use input::PlanInput;
pub use plan::{SyncPlan, make_plan};
pub use row::{ContactKey, ContactRow, SyncField};

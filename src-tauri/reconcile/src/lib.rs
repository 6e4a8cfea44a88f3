//! Every decision of a sync, without doing any of it: merge, plan, cost, pace, answers, verification, undo of a run.
//!
//! No I/O, no clock, no randomness: times and seeds come in as arguments, so that each answer can be made again.

pub mod adopt;
pub mod answer;
pub mod audit;
pub mod input;
pub mod log;
pub mod merge;
pub mod pace;
pub mod plan;
pub mod row;
pub mod schedule;
#[cfg(test)]
mod tests;
pub mod uncertain;
pub mod verify;

pub use input::Input;
pub use plan::{Plan, plan};
pub use row::{Field, Key, Row};

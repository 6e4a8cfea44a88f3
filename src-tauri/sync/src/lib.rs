//! Connects the account with a remote service: sends calls at a limited rate with the stored key and merges the
//! results.

pub mod account;
pub mod apply;
pub mod decide;
pub mod gather;
pub mod merge;
pub mod plan;
pub mod probe;
pub mod progress;
pub mod pull;
pub mod remote;
#[cfg(test)]
mod tests;
pub mod vault;

pub use account::SyncError;
use account::{BlockingTask, cells, fields, identity, lease, run_blocking, store_pace, update_speed};
pub use progress::Progress;
pub use remote::{Client, ServiceError, ServiceTransport};

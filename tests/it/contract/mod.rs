//! The contract: nothing of it is without a test, and every documented sample is replayed.

mod causes;
mod decisions;
pub mod inventory;
pub mod operations;
mod rows;
pub mod samples;

//! One call at the door of a world: its visit, its limits, its strictness, its faults and its record.

mod call;
mod fault_response;
pub mod limits;
pub mod strictness;
mod trace;

pub use call::{CalledAt, OperationCall, WorldVisit, is_read_only};
pub use trace::RequestTrace;

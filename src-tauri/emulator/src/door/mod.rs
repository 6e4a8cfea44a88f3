//! One call at the door of a world: its visit, its limits, its strictness, its faults and its record.

mod call;
mod fault_response;
pub(crate) mod limits;
pub(crate) mod strictness;
mod trace;

pub(crate) use call::{CalledAt, OperationCall, WorldVisit, is_read_only};
pub(crate) use trace::RequestTrace;

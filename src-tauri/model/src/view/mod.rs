//! The parts of a view of many records: which records it has, in which order, and which of its rows are selected.

pub mod filter;
pub mod intervals;
pub mod page;
pub mod pattern;
pub mod readiness;

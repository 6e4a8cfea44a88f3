//! What a view of many records is made of: which ones, in which order, and which rows of it.

pub mod filter;
pub mod intervals;
pub mod page;
pub mod pattern;
pub mod readiness;

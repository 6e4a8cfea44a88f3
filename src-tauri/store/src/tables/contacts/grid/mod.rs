//! Reads contacts for the grid: ids and sort columns as streams, windows as bytes, counts of values.

pub mod contact_changes;
pub mod drafts;
pub mod edit;
pub mod filter;
pub mod scan;
pub mod window;

//! The SQL behind the grid: reads contacts as streams and windows, compiles filters, writes cells, and stores drafts.

pub mod contact_changes;
pub mod drafts;
pub mod edit;
pub mod filter;
pub mod scan;
pub mod window;

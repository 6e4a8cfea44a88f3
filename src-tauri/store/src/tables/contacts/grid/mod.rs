//! Contacts as the grid reads them: ids and sort columns in streams, windows as bytes, counts of values.

pub mod changed;
pub mod drafts;
pub mod edit;
pub mod filter;
pub mod scan;
pub mod window;

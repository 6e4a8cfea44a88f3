//! Short links: their records, and the search for them.

pub mod records;
pub mod search;

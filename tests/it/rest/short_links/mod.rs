//! Short links: their records, and the search.

pub mod records;
pub mod search;

//! Short links: their records, and the search.

pub(crate) mod records;
pub(crate) mod search;

//! Pages of many records.

use serde::Deserialize;
/// The number and the size of a page. Both are at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    pub number: u32,
    pub size: u32,
}

impl PageRequest {
    pub fn offset(self) -> u64 {
        u64::from(self.number.saturating_sub(1)) * u64::from(self.size)
    }
}

/// One page, and the number of all records.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub total_items: u64,
}

/// Returns how many pages `total` records fill. It is 0 when there are no records.
pub fn total_pages(total: u64, size: u32) -> u64 {
    total.div_ceil(u64::from(size.max(1)))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SortOrder {
    #[serde(rename = "ASC")]
    Ascending,
    #[serde(rename = "DESC")]
    Descending,
}

crate::variant_names! { pub SortOrder { Ascending = "ASC", Descending = "DESC" } }

//! The paged shape every query of many answers with.

use roost_model::page::{PageRequest, total_pages};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Paging {
    /// The requested page, even if it is after the last one.
    pub current_page: u32,
    pub total_items: u64,
    pub total_pages: u64,
}

impl Paging {
    pub fn of(page: PageRequest, total_items: u64) -> Self {
        Self { current_page: page.number, total_items, total_pages: total_pages(total_items, page.size) }
    }

    /// Everything in one answer.
    pub fn whole(total_items: u64) -> Self {
        Self { current_page: 1, total_items, total_pages: u64::from(total_items > 0) }
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub struct Paged<T> {
    pub paging: Paging,
    pub items: Vec<T>,
}

/// The bytes of an answer that cannot fail to be written.
pub fn to_bytes(answer: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(512);
    let written = serde_json::to_writer(&mut bytes, answer);
    debug_assert!(written.is_ok(), "answers are plain data");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_true_behind_the_end_and_when_empty() {
        let at = |number, size, total| Paging::of(PageRequest { number, size }, total);
        assert_eq!(at(1, 10, 0), Paging { current_page: 1, total_items: 0, total_pages: 0 });
        assert_eq!(at(9, 10, 11), Paging { current_page: 9, total_items: 11, total_pages: 2 });
        assert_eq!(Paging::whole(0).total_pages, 0);
        assert_eq!(Paging::whole(1_000_000).total_pages, 1);
    }
}

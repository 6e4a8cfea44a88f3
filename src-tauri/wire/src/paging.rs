//! The paged shape of the responses to all queries.

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
    pub fn for_page(page: PageRequest, total_items: u64) -> Self {
        Self { current_page: page.number, total_items, total_pages: total_pages(total_items, page.size) }
    }

    /// Describes all records in one response.
    pub fn single_page(total_items: u64) -> Self {
        Self { current_page: 1, total_items, total_pages: u64::from(total_items > 0) }
    }
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub struct Paged<T> {
    pub paging: Paging,
    pub items: Vec<T>,
}

/// Writes a page piece by piece, in the form of [`Paged`].
#[derive(Default)]
pub struct PageWriter {
    written: bool,
}

impl PageWriter {
    pub fn write_head(&mut self, paging: Paging, out: &mut Vec<u8>) {
        self.written = false;
        out.extend_from_slice(b"{\"paging\":");
        out.extend_from_slice(&to_bytes(&paging));
        out.extend_from_slice(b",\"items\":[");
    }

    /// Separates the next record from the one before it.
    pub fn separate(&mut self, out: &mut Vec<u8>) {
        if self.written {
            out.push(b',');
        }
        self.written = true;
    }

    pub fn write_foot(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"]}");
    }
}

pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    let written = serde_json::to_writer(out, text);
    debug_assert!(written.is_ok(), "a text into memory");
}

/// Serializes a response, which cannot fail because responses are plain data.
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
        let at = |number, size, total| Paging::for_page(PageRequest { number, size }, total);
        assert_eq!(at(1, 10, 0), Paging { current_page: 1, total_items: 0, total_pages: 0 });
        assert_eq!(at(9, 10, 11), Paging { current_page: 9, total_items: 11, total_pages: 2 });
        assert_eq!(Paging::single_page(0).total_pages, 0);
        assert_eq!(Paging::single_page(1_000_000).total_pages, 1);
    }
}

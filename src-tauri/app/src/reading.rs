//! Parses and checks the parts that requests share: pages, regions, times and IDs. A part that is invalid is reported
//! at its field. Also builds the pages of responses.

use roost_model::{
    error::FieldError,
    id::MalformedId,
    page::{self, Page, PageRequest},
    phone::Region,
    time::TimeBound,
};
use roost_ops::{Core, account::read_country};
use serde::Serialize;

use crate::error::CommandError;

/// The maximum number of rows on a page.
const PAGE_SIZE_MAX: u32 = 200;

pub(crate) fn read_page_request(number: u32, size: u32) -> Result<PageRequest, CommandError> {
    let mut faults = Vec::new();
    if number == 0 {
        faults.push(FieldError::new("page_number", "must be at least 1", number));
    }
    if !(1..=PAGE_SIZE_MAX).contains(&size) {
        faults.push(FieldError::new("page_size", format!("must be between 1 and {PAGE_SIZE_MAX}"), size));
    }
    if faults.is_empty() { Ok(PageRequest { number, size }) } else { Err(CommandError::invalid(faults)) }
}

pub(crate) fn total_pages(total: u64, page: PageRequest) -> u64 {
    page::total_pages(total, page.size)
}

/// One page of records.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct PageResponse<T> {
    pub total_items: u64,
    pub total_pages: u64,
    pub items: Vec<T>,
}

impl<T> PageResponse<T> {
    pub(crate) fn new(page: Page<T>, request: PageRequest) -> Self {
        Self { total_items: page.total_items, total_pages: total_pages(page.total_items, request), items: page.items }
    }

    pub(crate) fn map<U>(self, to: impl FnMut(T) -> U) -> PageResponse<U> {
        let Self { total_items, total_pages, items } = self;
        PageResponse { total_items, total_pages, items: items.into_iter().map(to).collect() }
    }
}

/// Returns the region in which numbers without a country code are read: the given one, or that of the account.
pub(crate) fn parse_region(core: &Core, code: Option<&str>) -> Result<Option<Region>, CommandError> {
    let Some(code) = code else { return Ok(Some(read_country(core)?.region)) };
    let message = "A region is an ISO 3166 code of two capital letters, such as GB.";
    Region::parse(code).map(Some).ok_or_else(|| FieldError::new("region", message, code).into())
}

pub(crate) fn parse_time_bound(path: &str, text: Option<&str>) -> Result<Option<TimeBound>, CommandError> {
    let Some(text) = text else { return Ok(None) };
    let message = "Write the time as 2026-01-05T09:00:00Z.";
    TimeBound::parse(text).map(Some).ok_or_else(|| FieldError::new(path, message, text).into())
}

pub(crate) fn parse_id<T>(
    path: &str,
    text: &str,
    parse: impl Fn(&str) -> Result<T, MalformedId>,
) -> Result<T, CommandError> {
    parse(text).map_err(|error| FieldError::new(path, error.to_string(), text).into())
}

/// Checks that a request names at most this many items.
pub(crate) fn check_count(path: &str, count: usize, max: usize) -> Result<(), CommandError> {
    if count <= max { Ok(()) } else { Err(FieldError::new(path, format!("Give at most {max} at once."), count).into()) }
}

/// Checks that a request asks for at least one item and for at most this many.
pub(crate) fn check_range(path: &str, count: u32, max: u32) -> Result<(), CommandError> {
    if (1..=max).contains(&count) {
        Ok(())
    } else {
        Err(FieldError::new(path, format!("must be between 1 and {max}"), count).into())
    }
}

//! The journal over HTTP: reading it, waiting for entries, verifying requests, and clearing it.

pub(crate) mod bounds;
pub(crate) mod forms;
pub(crate) mod links;
pub(crate) mod stream;
pub(crate) mod verifying;
pub(crate) mod waiting;

use roost_tests::{Served, Setup};
use serde_json::{Value, json};

pub(crate) const REQUESTS: &str = "/__admin/requests";
pub(crate) const MAKE_LIST: &str = "/contacts/v1/lists/create";

/// Starts a server whose journal records.
pub(crate) fn start_recording() -> Served {
    Setup::new().recording().serve()
}

/// Creates a list, which adds one entry to the journal.
#[track_caller]
pub(crate) fn make_list(api: &Served, name: &str) {
    api.post(MAKE_LIST, &json!({ "name": name })).expect(200);
}

/// Returns a page of the journal. `query` begins with a question mark or is empty.
#[track_caller]
pub(crate) fn read_page(api: &Served, query: &str) -> Value {
    api.admin().get(format!("{REQUESTS}{query}")).ok()
}

/// Returns the numbers of a page's entries.
#[track_caller]
pub(crate) fn entry_numbers(page: &Value) -> Vec<u64> {
    let items = page["items"].as_array().unwrap_or_else(|| panic!("no items in {page}"));
    items.iter().map(|item| item["seq"].as_u64().unwrap_or_else(|| panic!("no number in {item}"))).collect()
}

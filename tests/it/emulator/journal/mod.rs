//! The journal over HTTP: what the operator reads of it, waits for, verifies and takes away.

pub mod bounds;
pub mod forms;
pub mod links;
pub mod stream;
pub mod verifying;
pub mod waiting;

use roost_tests::{Served, Setup};
use serde_json::{Value, json};

pub const REQUESTS: &str = "/__admin/requests";
pub const MAKE_LIST: &str = "/contacts/v1/lists/create";

/// A server whose journal records.
pub fn journaled() -> Served {
    Setup::new().recording().serve()
}

/// A list is made, which is one line of the journal.
#[track_caller]
pub fn make_list(api: &Served, name: &str) {
    api.post(MAKE_LIST, &json!({ "name": name })).expect(200);
}

/// A page of the journal; `query` begins with a question mark or is empty.
#[track_caller]
pub fn page(api: &Served, query: &str) -> Value {
    api.admin().get(format!("{REQUESTS}{query}")).ok()
}

/// The numbers of a page's lines.
#[track_caller]
pub fn seqs(page: &Value) -> Vec<u64> {
    let items = page["items"].as_array().unwrap_or_else(|| panic!("no items in {page}"));
    items.iter().map(|item| item["seq"].as_u64().unwrap_or_else(|| panic!("no number in {item}"))).collect()
}

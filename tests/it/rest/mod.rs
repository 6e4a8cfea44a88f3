//! The operations, grouped by noun.

pub mod contacts;
pub mod ids;
pub mod list_clock;
pub mod lists;
pub mod opt_outs;
pub mod senders;
pub mod short_links;

use roost_tests::{Answer, Served};
use serde_json::{Value, json};

/// The list that most tests use.
pub const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";

pub fn contacts_of(list: &str) -> String {
    format!("/contacts/v1/contacts/list/{list}")
}

/// Returns the body of a request to create contacts in that list.
pub fn creation_body(merge_type: &str, contacts: Value) -> Value {
    json!({ "list_id": LIST, "merge_type": merge_type, "contacts": contacts })
}

/// Requests contacts. The caller checks whether they are accepted.
pub fn send_creation(api: &Served, merge_type: &str, contacts: Value) -> Answer {
    api.post("/contacts/v1/contacts", &creation_body(merge_type, contacts))
}

/// Creates contacts and waits until they are stored.
#[track_caller]
pub fn create_contacts(api: &Served, merge_type: &str, contacts: Value) {
    send_creation(api, merge_type, contacts).expect(200);
    api.settle();
}

/// Returns every contact of that list, newest first.
#[track_caller]
pub fn stored_contacts(api: &Served) -> Vec<Value> {
    api.get(contacts_of(LIST)).items()
}

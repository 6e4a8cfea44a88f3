//! The operations, grouped by noun.

pub(crate) mod contacts;
pub(crate) mod ids;
pub(crate) mod list_clock;
pub(crate) mod lists;
pub(crate) mod opt_outs;
pub(crate) mod senders;
pub(crate) mod short_links;

use roost_tests::{Answer, Served};
use serde_json::{Value, json};

/// The list that most tests use.
pub(crate) const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";

pub(crate) fn contacts_of(list: &str) -> String {
    format!("/contacts/v1/contacts/list/{list}")
}

/// Returns the body of a request to create contacts in that list.
pub(crate) fn creation_body(merge_type: &str, contacts: Value) -> Value {
    json!({ "list_id": LIST, "merge_type": merge_type, "contacts": contacts })
}

/// Requests contacts. The caller checks whether they are accepted.
pub(crate) fn send_creation(api: &Served, merge_type: &str, contacts: Value) -> Answer {
    api.post("/contacts/v1/contacts", &creation_body(merge_type, contacts))
}

/// Creates contacts and waits until they are stored.
#[track_caller]
pub(crate) fn create_contacts(api: &Served, merge_type: &str, contacts: Value) {
    send_creation(api, merge_type, contacts).expect(200);
    api.settle();
}

/// Returns every contact of that list, newest first.
#[track_caller]
pub(crate) fn stored_contacts(api: &Served) -> Vec<Value> {
    api.get(contacts_of(LIST)).items()
}

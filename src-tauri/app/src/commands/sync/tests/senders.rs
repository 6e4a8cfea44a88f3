//! Senders of an account that has a service.

use roost_model::error::ErrorCode;
use serde_json::json;

use super::*;

#[test]
fn a_sender_is_requested_and_reviewed_at_the_service_alone_once_there_is_one() {
    let world = new_world();
    let sender = world.call("sender_request", json!({ "name": "Before" }));
    world.connect();
    let target = json!({ "id": sender["id"] });
    for (name, request) in
        [("sender_request", json!({ "name": "Roost" })), ("sender_approve", target.clone()), ("sender_refuse", target)]
    {
        let error = world.request(name, request).unwrap_err();
        assert!(error.code == ErrorCode::Conflict && error.message.contains("web application"), "{name}: {error}");
    }
    let page = world.call("sender_page", json!({ "name": null, "status": null, "page_number": 1, "page_size": 9 }));
    assert_eq!(page["total_items"], 1, "{page}");
}

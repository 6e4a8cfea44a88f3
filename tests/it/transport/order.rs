//! The order of the checks. Only the first failed check is reported.

use roost_tests::{
    Request, Setup,
    expected::{C, bad_body, invalid, malformed_uid, not_found, shape_b, unknown},
    seeds,
};
use serde_json::{Value, json};

/// Proves: D6.
#[test]
fn path_then_method_then_key_then_rate() {
    let api = Setup::new().set("limits", "on").set("limits.per_second", "1").serve();
    let nobody = api.without("x-auth-key");
    nobody.send(Request::new("BREW", "/contacts/v1/nowhere")).is(&not_found(C, "Requested resource not found"));
    nobody.send(Request::new("PUT", "/contacts/v1/optouts")).expect(405);
    for _ in 0..3 {
        nobody.get("/contacts/v1/optouts?page_size=x").expect(401);
    }
    api.get("/contacts/v1/optouts?page_size=x").expect(400);
}

/// Proves: D6.
#[test]
fn rate_then_size_then_type_then_identifier() {
    let large = vec![b' '; 64 * 1024 * 1024 + 1];
    let api = Setup::new().set("limits", "on").set("limits.per_second", "1").serve();
    let remove = |text: &str| Request::delete("/contacts/v1/optouts").header("content-type", text);
    let mut answer = api.send(remove("text/plain").body("["));
    answer.is(&bad_body(C));
    for _ in 0..20 {
        answer = api.send(remove("text/plain").body("["));
        if answer.status == 429 {
            break;
        }
    }
    answer.is(&shape_b(429, C, "LIM_001", "TOO_MANY_REQUESTS", "Too many requests"));

    let api = Setup::new().serve();
    api.send(remove("text/plain").body(large)).expect(413);
    let faulty = json!({ "numbers": ["x"], "asset_id": "num_1" }).to_string();
    api.send(remove("text/plain").body(faulty.clone())).is(&bad_body(C));
    let wrong_type = json!({ "numbers": [1], "asset_id": "num_1" }).to_string();
    api.send(remove("application/json").body(wrong_type)).is(&bad_body(C));
    api.send(remove("application/json").body(faulty)).is(&malformed_uid(C, "assetId", "num_1"));
}

/// Proves: D6.
#[test]
fn identifier_then_rules_then_existence() {
    let api = Setup::new().serve();
    let unknown_list = seeds::id("LST_", "9");
    api.get("/contacts/v1/contacts/list/abc?page_size=0&fields=x").is(&malformed_uid(C, "search.listUid", "abc"));
    api.get(format!("/contacts/v1/contacts/list/{unknown_list}?page_size=0"))
        .is(&invalid(C, &[("search.pageSize", "page.size.generic", json!(0))]));
    api.get(format!("/contacts/v1/contacts/list/{unknown_list}")).is(&unknown("List not found"));
    let body =
        |list: &str, contacts: Value| json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts });
    let send = |body: Value| api.post("/contacts/v1/contacts", &body);
    send(body("abc", json!([{}]))).is(&malformed_uid(C, "createContacts.request.listUid", "abc"));
    send(body(&unknown_list, json!([{}]))).is(&invalid(
        C,
        &[(
            "createContacts.request.conCreateRequests[0]",
            "Either phone_number or whatsapp_number must be given.",
            json!({}),
        )],
    ));
    send(body(&unknown_list, json!([{ "phone_number": "07700900001" }]))).is(&unknown("List not found"));
}

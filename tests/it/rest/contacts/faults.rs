//! Refused requests to create contacts: the errors, their order, and that nothing is queued.

use roost_tests::{
    Served, Setup,
    expected::{C, invalid, malformed_uid, unknown},
    seeds,
};
use serde_json::{Value, json};

use super::{LIST, creation_body, send_creation, stored_contacts};

const CONTACTS: &str = "createContacts.request.conCreateRequests";
const NO_NUMBER: &str = "Either phone_number or whatsapp_number must be given.";
const INVALID_NUMBER: &str = "Invalid phone number.";
const MERGE_TYPE: &str = "Invalid merge_type. Allowed values: skipDuplicates, allowDuplicates, mergeByPhoneNumberInList, mergeByWhatsappIdInList.";

fn start_server() -> Served {
    Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve()
}

/// Returns the request with some of its keys changed. Null removes a key.
fn changed_request(changes: Value) -> Value {
    let mut body = creation_body("skipDuplicates", json!([{ "phone_number": "07700900001" }]));
    for (key, value) in changes.as_object().expect("an object") {
        body[key] = value.clone();
        if value.is_null() {
            body.as_object_mut().expect("an object").remove(key);
        }
    }
    body
}

/// Proves: D67, D68, R7_2_success_cnt_gen_001.
#[test]
fn a_request_is_queued_and_says_so() {
    let message = "The contacts creation request has been queued.";
    let expected = json!({ "list_id": LIST, "list_name": "VIP", "message": message, "code": "SUCCESS_CNT_GEN_001" });
    assert_eq!(
        send_creation(&start_server(), "skipDuplicates", json!([{ "phone_number": "07700900001" }])).ok(),
        expected
    );
}

/// Proves: D68.
#[test]
fn the_status_of_a_queued_request_is_a_setting() {
    for status in [200, 201, 202] {
        let seed = json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] });
        let api = Setup::new().set("status.contact_create", &status.to_string()).seed(seed).serve();
        let queued =
            send_creation(&api, "skipDuplicates", json!([{ "phone_number": "07700900001" }])).expect(status).json();
        assert_eq!(queued["code"], "SUCCESS_CNT_GEN_001");
    }
}

/// Proves: D69, R4_3_list_unknown.
#[test]
fn one_bad_contact_refuses_the_request_and_every_bad_one_is_listed() {
    let api = start_server();
    let good = json!({ "phone_number": "07700900001" });
    let bad = json!({ "phone_number": "1" });
    let contacts = json!([good, bad, good, {}, bad]);
    send_creation(&api, "skipDuplicates", contacts).is(&invalid(
        C,
        &[
            (&format!("{CONTACTS}[1]"), INVALID_NUMBER, bad.clone()),
            (&format!("{CONTACTS}[3]"), NO_NUMBER, json!({})),
            (&format!("{CONTACTS}[4]"), INVALID_NUMBER, bad),
        ],
    ));
    let unknown_list = changed_request(json!({ "list_id": seeds::id("LST_", "9") }));
    api.post("/contacts/v1/contacts", &unknown_list).is(&unknown("List not found"));
    let malformed = changed_request(json!({ "list_id": "VIP", "merge_type": "x", "contacts": [{}] }));
    api.post("/contacts/v1/contacts", &malformed).is(&malformed_uid(C, "createContacts.request.listUid", "VIP"));
    api.settle();
    assert_eq!(stored_contacts(&api), Vec::<Value>::new());
    assert_eq!(api.admin().get("/__admin/jobs").items(), Vec::<Value>::new(), "nothing was queued");
}

/// Proves: D70, R7_2_validation_error.
#[test]
fn faults_come_in_the_order_of_the_interface() {
    let bad = json!({
        "field_3": "", "field_1": "", "alternate_phone": "", "email_address": "", "company_name": "", "country": "", "state": "", "zip": "",
        "city": "", "address_2": "", "address_1": "", "date_of_birth": "", "lastname": "", "firstname": "", "title": "",
        "whatsapp_number": "", "phone_number": "1",
    });
    let body = json!({
        "contacts": [bad, { "whatsapp_number": "", "phone_number": "" }], "callback_url": "x", "phone_region": "UK",
    });
    let answer = start_server().post("/contacts/v1/contacts", &body).expect(400).json();
    let fields = answer["validation_errors"].as_array().expect("entries").iter();
    let fields: Vec<String> =
        fields.map(|entry| entry["field"].as_str().expect("a field").replace("createContacts.request.", "")).collect();
    let mut wanted: Vec<String> = ["listUid", "phoneRegion", "mergeType", "callbackUrl"].map(str::to_owned).to_vec();
    // A number that needs the region is not checked without one.
    for attribute in [
        "whatsapp_number",
        "title",
        "firstname",
        "lastname",
        "date_of_birth",
        "address_1",
        "address_2",
        "city",
        "zip",
        "state",
        "country",
        "company_name",
        "email_address",
        "alternate_phone",
        "field_1",
        "field_3",
    ] {
        wanted.push(format!("conCreateRequests[0].{attribute}"));
    }
    wanted.extend(["phone_number", "whatsapp_number"].map(|attribute| format!("conCreateRequests[1].{attribute}")));
    assert_eq!(fields, wanted);

    let both = json!([{ "title": "", "phone_number": "1" }]);
    send_creation(&start_server(), "skipDuplicates", both.clone()).is(&invalid(
        C,
        &[
            (&format!("{CONTACTS}[0]"), INVALID_NUMBER, both[0].clone()),
            (&format!("{CONTACTS}[0].title"), "size must be between 1 and 30", json!("")),
        ],
    ));
}

/// Proves: D71.
#[test]
fn a_missing_list_is_reported_as_blank() {
    let api = start_server();
    let expected = invalid(C, &[("createContacts.request.listUid", "must not be blank", Value::Null)]);
    api.post("/contacts/v1/contacts", &changed_request(json!({ "list_id": null }))).is(&expected);
    let mut null = changed_request(json!({}));
    null["list_id"] = Value::Null;
    api.post("/contacts/v1/contacts", &null).is(&expected);
}

/// Proves: D72, D43, R4_3_invalid_region.
#[test]
fn an_invalid_region_is_reported_and_numbers_that_need_it_are_only_measured() {
    let api = start_server();
    let fault =
        |region: &str| ("createContacts.request.phoneRegion", "Invalid phone number region code.", json!(region));
    for bad in ["gb", "UK", "", " GB", "GBR", "001", "ZZ", "XX", "44"] {
        api.post("/contacts/v1/contacts", &changed_request(json!({ "phone_region": bad })))
            .is(&invalid(C, &[fault(bad)]));
    }
    let contacts = json!([{ "phone_number": "1" }, { "phone_number": "+1" }, { "phone_number": "12345678901234567" }]);
    api.post("/contacts/v1/contacts", &changed_request(json!({ "phone_region": "UK", "contacts": contacts }))).is(
        &invalid(
            C,
            &[
                fault("UK"),
                (&format!("{CONTACTS}[1]"), INVALID_NUMBER, contacts[1].clone()),
                (
                    &format!("{CONTACTS}[2].phone_number"),
                    "size must be between 1 and 16",
                    contacts[2]["phone_number"].clone(),
                ),
            ],
        ),
    );
}

/// Proves: D73, R4_3_invalid_merge_type.
#[test]
fn a_merge_type_is_one_of_four_words() {
    let api = start_server();
    for good in ["skipDuplicates", "allowDuplicates", "mergeByPhoneNumberInList", "mergeByWhatsappIdInList"] {
        send_creation(&api, good, json!([{ "phone_number": "07700900001" }])).expect(200);
    }
    let expected = |given: Value| invalid(C, &[("createContacts.request.mergeType", MERGE_TYPE, given)]);
    for bad in ["", "SkipDuplicates", "skipduplicates", " skipDuplicates", "merge"] {
        send_creation(&api, bad, json!([{ "phone_number": "07700900001" }])).is(&expected(json!(bad)));
    }
    api.post("/contacts/v1/contacts", &changed_request(json!({ "merge_type": null }))).is(&expected(Value::Null));
    let mut null = changed_request(json!({}));
    null["merge_type"] = Value::Null;
    api.post("/contacts/v1/contacts", &null).is(&expected(Value::Null));
}

/// Proves: D74.
#[test]
fn a_callback_address_is_absolute_and_of_the_web() {
    let api = start_server();
    let long = |length: usize| format!("http://127.0.0.1/{}", "a".repeat(length - 17));
    for bad in [
        "",
        " ",
        "x",
        "/hook",
        "//client.example",
        "ftp://client.example",
        "http://",
        "https:///x",
        "mailto:a@b.example",
        &long(2_049),
    ] {
        let expected = invalid(C, &[("createContacts.request.callbackUrl", "Invalid callback URL.", json!(bad))]);
        api.post("/contacts/v1/contacts", &changed_request(json!({ "callback_url": bad }))).is(&expected);
    }
    // No server listens there, and no answer is needed, because only the address is checked.
    for good in ["http://127.0.0.1:1", "https://127.0.0.1:1/hook?a=b", "HTTP://127.0.0.1:1/x", &long(2_048)] {
        api.post("/contacts/v1/contacts", &changed_request(json!({ "callback_url": good }))).expect(200);
    }
}

/// Proves: D75.
#[test]
fn any_correlation_id_will_do() {
    let api = start_server();
    let ids = ["", " ", "job-17", "\u{1f600}\u{0}\"\\", &"x".repeat(100_000)].map(str::to_owned);
    for id in &ids {
        api.post("/contacts/v1/contacts", &changed_request(json!({ "correlation_id": id }))).expect(200);
    }
    let mut kept = api.admin().get("/__admin/jobs").column("correlation_id");
    kept.reverse();
    assert_eq!(kept, ids);
}

/// Proves: D76, R4_3_contacts_empty.
#[test]
fn an_empty_or_null_list_of_contacts_is_refused() {
    let api = start_server();
    let expected = |given: Value| invalid(C, &[(CONTACTS, "must not be empty", given)]);
    api.post("/contacts/v1/contacts", &changed_request(json!({ "contacts": [] }))).is(&expected(json!([])));
    api.post("/contacts/v1/contacts", &changed_request(json!({ "contacts": null }))).is(&expected(Value::Null));
    let mut null = changed_request(json!({}));
    null["contacts"] = Value::Null;
    api.post("/contacts/v1/contacts", &null).is(&expected(Value::Null));
}

/// Proves: D77.
#[test]
fn more_than_ten_thousand_contacts_are_too_many_and_not_looked_at() {
    let api = start_server();
    let many = |count: usize| Value::from(vec![json!({}); count]);
    send_creation(&api, "skipDuplicates", many(10_001))
        .is(&invalid(C, &[(CONTACTS, "size must be between 1 and 10000", json!(10_001))]));
    let looked_at = send_creation(&api, "skipDuplicates", many(10_000)).expect(400).json();
    assert_eq!(looked_at["validation_errors"].as_array().map(Vec::len), Some(10_000));
}

/// Proves: D78, R4_3_no_number.
#[test]
fn a_contact_without_a_number_is_reported_as_received() {
    let api = start_server();
    let expected = |given: &Value| invalid(C, &[(&format!("{CONTACTS}[0]"), NO_NUMBER, given.clone())]);
    for contact in [
        json!({}),
        json!({ "firstname": "Ada", "x": [1, null] }),
        json!({ "phone_number": null, "whatsapp_number": null }),
    ] {
        send_creation(&api, "skipDuplicates", json!([contact])).is(&expected(&contact));
    }
    let size = |attribute: &str| {
        invalid(C, &[(&format!("{CONTACTS}[0].{attribute}"), "size must be between 1 and 16", json!(""))])
    };
    send_creation(&api, "skipDuplicates", json!([{ "phone_number": "" }])).is(&size("phone_number"));
    send_creation(&api, "skipDuplicates", json!([{ "whatsapp_number": "" }])).is(&size("whatsapp_number"));
}

/// Proves: D79, R4_3_invalid_number.
#[test]
fn an_invalid_number_is_reported_once_per_contact() {
    let api = start_server();
    for contact in [
        json!({ "phone_number": "1" }),
        json!({ "whatsapp_number": "1" }),
        json!({ "phone_number": "1", "whatsapp_number": "2" }),
        json!({ "phone_number": "07700900001", "whatsapp_number": "x" }),
    ] {
        send_creation(&api, "skipDuplicates", json!([contact]))
            .is(&invalid(C, &[(&format!("{CONTACTS}[0]"), INVALID_NUMBER, contact)]));
    }
}

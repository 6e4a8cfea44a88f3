//! New opt-outs: one entry in each request, with its outcome inside a 201.

use roost_tests::{
    Expected, Served, Setup,
    expected::{C, bad_body, missing},
    seeds,
};
use serde_json::{Value, json};

const PATH: &str = "/contacts/v1/optouts";
const MISMATCH: &str = "Channel mismatch: the specified asset does not match the requested channel";
const BAD_NUMBER: &str = "Invalid phone number. The number must be in E.164 format.";
const BAD_CHANNEL: &str = "Invalid channel. Must be SMS or WHATSAPP.";

fn test_number() -> String {
    seeds::id("num_", "1")
}

fn business_number() -> String {
    seeds::id("wbp_", "1")
}

fn opt_out_setup() -> Setup {
    let assets = json!([seeds::sms_asset("1", "+447700900100"), seeds::whatsapp_asset("1", "+447700900101")]);
    Setup::new().at("2026-01-05T09:00:00Z").seed(json!({ "assets": assets }))
}

/// Returns the outcome of one entry.
#[track_caller]
fn entry_outcome(api: &Served, entry: Value) -> Value {
    let response = api.post(PATH, &json!({ "optouts": [entry] })).expect(201).json();
    let succeeded = usize::from(response["items"][0]["status"] == "success");
    let totals = json!({ "total_submitted": 1, "total_succeeded": succeeded, "total_failed": 1 - succeeded, "items": [response["items"][0]] });
    assert_eq!(response, totals);
    response["items"][0].clone()
}

fn expected_failure(number: &str, channel: &str, message: &str) -> Value {
    json!({ "number": number, "channel": channel, "status": "failure", "message": message })
}

/// Proves: D95.
#[test]
fn creating_over_the_same_identity_replaces_type_time_and_asset() {
    let api = opt_out_setup().serve();
    let keyword = json!({ "from": seeds::mobile(1), "asset_id": test_number(), "text": "stop" });
    api.admin().post("/__admin/inbound_messages", &keyword).expect(200);
    let first = &api.get(PATH).items()[0];
    assert_eq!((&first["opt_out_type"], &first["inbound_asset_id"]), (&json!("keyword"), &json!(test_number())));
    api.advance(60);
    entry_outcome(&api, json!({ "number": seeds::mobile(1), "asset_id": test_number() }));
    let replaced = json!({
        "number": seeds::mobile(1), "channel": "SMS", "account_level_opt_out": false, "opt_out_type": "api_import",
        "opt_out_time": "2026-01-05T09:01:00Z",
    });
    assert_eq!(api.get(PATH).items(), [replaced]);
    api.advance(60);
    api.admin().post("/__admin/inbound_messages", &keyword).expect(200);
    let last = &api.get(PATH).items()[0];
    assert_eq!((&last["opt_out_type"], &last["opt_out_time"]), (&json!("keyword"), &json!("2026-01-05T09:02:00Z")));
}

/// Proves: D95.
#[test]
fn channels_and_scopes_are_identities_of_their_own() {
    let api = opt_out_setup().serve();
    let number = seeds::mobile(1);
    for entry in [
        json!({ "number": number }),
        json!({ "number": number, "channel": "WHATSAPP" }),
        json!({ "number": number, "asset_id": test_number() }),
        json!({ "number": number, "asset_id": business_number(), "channel": "WHATSAPP" }),
    ] {
        assert_eq!(entry_outcome(&api, entry)["status"], "success");
    }
    assert_eq!(api.get(PATH).items().len(), 4);
}

/// Proves: D102.
#[test]
fn only_the_first_entry_is_processed_unless_the_setting_says_all() {
    let entries = json!([{ "number": seeds::mobile(1) }, { "number": "x" }, { "number": seeds::mobile(3) }]);
    let api = opt_out_setup().serve();
    let response = api.post(PATH, &json!({ "optouts": entries })).expect(201).json();
    assert_eq!((&response["total_submitted"], response["items"].as_array().map(Vec::len)), (&json!(1), Some(1)));
    // Later entries are not even checked.
    api.post(PATH, &json!({ "optouts": [{ "number": seeds::mobile(2) }, 7, {}] })).expect(201);
    assert_eq!(api.get(PATH).items().len(), 2);

    let api = opt_out_setup().set("opt_outs.entries", "all").serve();
    let response = api.post(PATH, &json!({ "optouts": entries })).expect(201).json();
    let totals = ["total_submitted", "total_succeeded", "total_failed"].map(|key| response[key].as_u64());
    assert_eq!(totals, [Some(3), Some(2), Some(1)]);
    let statuses: Vec<&Value> =
        response["items"].as_array().expect("items").iter().map(|item| &item["status"]).collect();
    assert_eq!(statuses, ["success", "failure", "success"]);
    api.post(PATH, &json!({ "optouts": [{ "number": seeds::mobile(2) }, 7] })).is(&bad_body(C));
    let expected = missing("number", "optOuts[1].number", "Phone number is required", json!(" "));
    api.post(PATH, &json!({ "optouts": [{ "number": seeds::mobile(2) }, { "number": " " }] })).is(&expected);
}

/// Proves: D103, D66.
#[test]
fn missing_null_or_empty_optouts_are_refused() {
    let api = opt_out_setup().serve();
    let expected = |given: Value| missing("optouts", "optOuts", "The optouts list must not be empty", given);
    api.post(PATH, &json!({})).is(&expected(Value::Null));
    api.post(PATH, &json!({ "optouts": null })).is(&expected(Value::Null));
    api.post(PATH, &json!({ "optouts": [] })).is(&expected(json!([])));
    for wrong in [json!({}), json!("x"), json!([1]), json!([null]), json!([[]])] {
        api.post(PATH, &json!({ "optouts": wrong })).is(&bad_body(C));
    }
}

/// Proves: D104, R4_4_missing_number, R7_2_missing_required_field.
#[test]
fn a_missing_or_blank_number_is_reported_with_its_place() {
    let api = opt_out_setup().serve();
    let expected = |given: Value| missing("number", "optOuts[0].number", "Phone number is required", given);
    api.post(PATH, &json!({ "optouts": [{}] })).is(&expected(Value::Null));
    api.post(PATH, &json!({ "optouts": [{ "number": null, "channel": "x" }] })).is(&expected(Value::Null));
    for blank in ["", " ", "\t\u{a0}"] {
        api.post(PATH, &json!({ "optouts": [{ "number": blank }] })).is(&expected(json!(blank)));
    }
}

/// Proves: D105.
#[test]
fn a_channel_is_read_in_any_case_and_sms_when_left_out() {
    let api = opt_out_setup().serve();
    for (given, channel) in [("sms", "SMS"), (" Sms ", "SMS"), ("WHATSAPP", "WHATSAPP"), ("WhatsApp", "WHATSAPP")] {
        assert_eq!(entry_outcome(&api, json!({ "number": seeds::mobile(1), "channel": given }))["channel"], channel);
    }
    assert_eq!(entry_outcome(&api, json!({ "number": seeds::mobile(1) }))["channel"], "SMS");
    assert_eq!(entry_outcome(&api, json!({ "number": seeds::mobile(1), "channel": null }))["channel"], "SMS");
    let mismatch = expected_failure(&seeds::mobile(1), "SMS", MISMATCH);
    assert_eq!(entry_outcome(&api, json!({ "number": seeds::mobile(1), "asset_id": business_number() })), mismatch);
    for bad in ["", " ", "x", "SMS,WHATSAPP"] {
        let expected = expected_failure(&seeds::mobile(1), bad, BAD_CHANNEL);
        assert_eq!(entry_outcome(&api, json!({ "number": seeds::mobile(1), "channel": bad })), expected);
    }
}

/// Proves: D106.
#[test]
fn success_names_the_scope() {
    let api = opt_out_setup().serve();
    let success = |channel: &str, message: &str, is_account_level: bool| {
        json!({
            "number": seeds::mobile(1), "channel": channel, "status": "success", "message": message,
            "account_level_opt_out": is_account_level, "opt_out_type": "api_import", "opt_out_time": "2026-01-05T09:00:00Z",
        })
    };
    // The second request replaces the record and has the same answer.
    for _ in 0..2 {
        let whole = entry_outcome(&api, json!({ "number": seeds::mobile(1) }));
        assert_eq!(whole, success("SMS", "Account-level opt-out created for the SMS channel.", true));
        let whole = entry_outcome(&api, json!({ "number": seeds::mobile(1), "channel": "whatsapp" }));
        assert_eq!(whole, success("WHATSAPP", "Account-level opt-out created for the WHATSAPP channel.", true));
        let one = entry_outcome(&api, json!({ "number": seeds::mobile(1), "asset_id": test_number() }));
        assert_eq!(one, success("SMS", &format!("Opt-out created for the asset {}.", test_number()), false));
    }
}

/// Proves: D107.
#[test]
fn the_first_fault_of_an_entry_counts() {
    let api = opt_out_setup().serve();
    let unknown = seeds::id("num_", "9");
    for (number, channel, asset, expected) in [
        ("x", "x", "x", expected_failure("x", "x", BAD_CHANNEL)),
        ("x", "SMS", "x", expected_failure("x", "SMS", BAD_NUMBER)),
        ("447700900001", "whatsapp", "x", expected_failure("+447700900001", "WHATSAPP", "Invalid asset ID: x")),
        ("447700900001", "whatsapp", &unknown, expected_failure("+447700900001", "WHATSAPP", MISMATCH)),
        (
            "447700900001",
            "sms",
            &unknown,
            expected_failure("+447700900001", "SMS", &format!("Invalid asset ID: {unknown}")),
        ),
    ] {
        assert_eq!(entry_outcome(&api, json!({ "number": number, "channel": channel, "asset_id": asset })), expected);
    }
}

/// Proves: D108, R4_4_entry_number, R4_4_entry_asset, R4_4_entry_mismatch.
#[test]
fn failures_say_why_and_nothing_more() {
    let api = opt_out_setup().serve();
    for asset in ["", "num_1", "LST_36AbCdEfGhIjKlMnOpQrStUvWx1", &seeds::id("num_", "9")] {
        let expected = expected_failure("+447700900001", "SMS", &format!("Invalid asset ID: {asset}"));
        assert_eq!(entry_outcome(&api, json!({ "number": "447700900001", "asset_id": asset })), expected);
    }
    assert_eq!(
        entry_outcome(&api, json!({ "number": " 07700900001 " })),
        expected_failure(" 07700900001 ", "SMS", BAD_NUMBER)
    );
    assert_eq!(
        entry_outcome(&api, json!({ "number": "447700900001", "channel": "whatsapp", "asset_id": test_number() })),
        expected_failure("+447700900001", "WHATSAPP", MISMATCH)
    );
    api.get(PATH).is(&Expected::new(
        200,
        json!({ "paging": { "current_page": 1, "total_items": 0, "total_pages": 0 }, "items": [] }),
    ));
}

/// Proves: D39.
#[test]
fn numbers_are_international_with_or_without_their_plus() {
    let api = opt_out_setup().serve();
    for good in ["+447700900001", "447700900001", " +44 7700-900 001 ", "44(7700)900001"] {
        assert_eq!(entry_outcome(&api, json!({ "number": good }))["number"], "+447700900001", "{good}");
    }
    for bad in ["07700900001", "00447700900001", "7700900001", "+44770090000", "x", "+44 (0)7700 900001x", "+"] {
        assert_eq!(entry_outcome(&api, json!({ "number": bad })), expected_failure(bad, "SMS", BAD_NUMBER));
    }
    let spaced = format!("+44 7700 {}900001", " ".repeat(40));
    assert_eq!(entry_outcome(&api, json!({ "number": spaced }))["status"], "success", "no length rule of its own");
}

/// Proves: D115.
#[test]
fn opt_outs_send_no_notice() {
    let api = opt_out_setup().serve();
    entry_outcome(&api, json!({ "number": seeds::mobile(1), "callback_url": "http://127.0.0.1:1/" }));
    api.admin().post("/__admin/web_opt_outs", &json!({ "number": seeds::mobile(2) })).expect(201);
    api.send(roost_tests::Request::delete(PATH).json(&json!({ "numbers": [seeds::mobile(1)] }))).expect(200);
    assert!(api.admin().get("/__admin/callbacks").items().is_empty());
    assert!(api.admin().get("/__admin/jobs").items().is_empty());
}

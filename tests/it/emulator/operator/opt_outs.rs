//! Opt-outs from other sources than the interface: keywords, web forms, imports.

use roost_tests::{Served, Setup, seeds};
use serde_json::{Value, json};

const NOW: &str = "2026-01-05T09:00:00Z";

fn test_number(tail: &str) -> String {
    seeds::id("num_", tail)
}

fn start_server() -> Served {
    let assets = json!([
        seeds::sms_asset("1", "+447700900100"),
        seeds::sms_asset("2", "60006"),
        seeds::whatsapp_asset("1", "+447700900101")
    ]);
    Setup::new().at(NOW).seed(json!({ "assets": assets })).serve()
}

/// Returns the opt-out that a message caused.
fn receive_reply(api: &Served, from: &str, asset: &str, text: &str) -> Value {
    let message = json!({ "from": from, "asset_id": asset, "text": text });
    api.admin().post("/__admin/inbound_messages", &message).ok()["opt_out"].clone()
}

fn read_records(api: &Served) -> Vec<Value> {
    api.get("/contacts/v1/optouts").items()
}

/// Proves: D148.
#[test]
fn a_keyword_as_a_whole_and_in_any_case_opts_its_sender_out() {
    for text in ["STOP", "stop", " Stop\n", "unsubscribe"] {
        let api = start_server();
        assert!(!receive_reply(&api, &seeds::mobile(1), &test_number("1"), text).is_null(), "{text}");
        let record = json!({
            "number": seeds::mobile(1), "channel": "SMS", "account_level_opt_out": false, "opt_out_type": "keyword",
            "inbound_asset_id": test_number("1"), "inbound_number": "+447700900100", "opt_out_time": NOW,
        });
        assert_eq!(read_records(&api), [record]);
    }
    let api = start_server();
    receive_reply(&api, "447700900001", &test_number("2"), "STOP");
    assert_eq!(read_records(&api)[0]["inbound_number"], "60006");
    let wbp = seeds::id("wbp_", "1");
    api.admin().patch(format!("/__admin/assets/{wbp}"), &json!({ "keywords": ["\u{c9}T\u{c9} halt"] })).expect(200);
    assert!(receive_reply(&api, &seeds::mobile(2), &wbp, "STOP").is_null());
    assert!(!receive_reply(&api, &seeds::mobile(2), &wbp, "\u{e9}t\u{e9} HALT").is_null());
    assert_eq!(api.get("/contacts/v1/optouts?channel=whatsapp").column("number"), [seeds::mobile(2)]);
}

/// Proves: D148.
#[test]
fn the_scope_follows_the_option_of_the_asset() {
    let api = start_server();
    api.admin()
        .patch(format!("/__admin/assets/{}", test_number("1")), &json!({ "enforce_account_level_opt_outs": true }))
        .expect(200);
    receive_reply(&api, &seeds::mobile(1), &test_number("1"), "STOP");
    let record = read_records(&api).swap_remove(0);
    assert_eq!(
        (&record["account_level_opt_out"], &record["inbound_asset_id"]),
        (&json!(true), &json!(test_number("1")))
    );
    api.advance(1);
    let entry = json!({ "optouts": [{ "number": seeds::mobile(1) }] });
    api.post("/contacts/v1/optouts", &entry).expect(201);
    let types: Vec<Value> = read_records(&api).iter().map(|record| record["opt_out_type"].clone()).collect();
    assert_eq!(types, ["api_import"], "both are of the account, so the newer replaces");
}

/// Proves: D148.
#[test]
fn other_texts_and_invalid_senders_make_nothing() {
    let api = start_server();
    for text in ["", "STOP please", "please stop", "STOPP", "S T O P", "STOP."] {
        assert!(receive_reply(&api, &seeds::mobile(1), &test_number("1"), text).is_null(), "{text}");
    }
    for from in ["", "x", "07700900001", "60006", "+4477"] {
        assert!(receive_reply(&api, from, &test_number("1"), "STOP").is_null(), "{from}");
    }
    let unknown = json!({ "from": seeds::mobile(1), "asset_id": test_number("9"), "text": "STOP" });
    api.admin().post("/__admin/inbound_messages", &unknown).expect(404);
    assert!(read_records(&api).is_empty());
}

/// Proves: D149.
#[test]
fn a_web_form_opts_out_of_the_whole_account() {
    let api = start_server();
    for (form, channel) in [
        (json!({ "number": "447700900001" }), "SMS"),
        (json!({ "number": "+447700900001", "channel": "whatsapp" }), "WHATSAPP"),
    ] {
        api.admin().post("/__admin/web_opt_outs", &form).expect(201);
        let record = json!({
            "number": seeds::mobile(1), "channel": channel, "account_level_opt_out": true, "opt_out_type": "web_opt_out", "opt_out_time": NOW,
        });
        assert_eq!(read_records(&api)[0], record);
    }
    for bad in [
        json!({ "number": "07700900001" }),
        json!({ "number": "" }),
        json!({}),
        json!({ "number": "447700900001", "channel": "x" }),
    ] {
        api.admin().post("/__admin/web_opt_outs", &bad).expect(400);
    }
    assert_eq!(read_records(&api).len(), 2);
}

/// Proves: D150.
#[test]
fn an_import_is_checked_row_by_row_and_bad_rows_are_left_out() {
    let api = start_server();
    let unknown = test_number("9");
    let rows = json!([
        { "number": "447700900001" },
        { "number": "07700900002" },
        { "number": "+447700900003", "channel": "whatsapp" },
        { "number": "+447700900004", "channel": "x" },
        { "number": "+447700900005", "asset_id": test_number("1") },
        { "number": "+447700900006", "asset_id": seeds::id("wbp_", "1") },
        { "number": "+447700900007", "asset_id": unknown },
        { "number": "+447700900001" },
    ]);
    let report = api.admin().post("/__admin/opt_out_imports", &json!({ "rows": rows })).ok();
    let totals = ["total_submitted", "total_succeeded", "total_failed"].map(|key| report[key].as_u64());
    assert_eq!(totals, [Some(8), Some(4), Some(4)]);
    let messages: Vec<Value> =
        report["items"].as_array().expect("items").iter().map(|item| item["message"].clone()).collect();
    let expected = [
        Value::Null,
        json!("Invalid phone number. The number must be in E.164 format."),
        Value::Null,
        json!("Invalid channel. Must be SMS or WHATSAPP."),
        Value::Null,
        json!("Channel mismatch: the specified asset does not match the requested channel"),
        json!(format!("Invalid asset ID: {unknown}")),
        Value::Null,
    ];
    assert_eq!(messages, expected);
    let kept = read_records(&api);
    assert!(
        kept.iter()
            .all(|record| record["opt_out_type"] == "account_import" && record.get("inbound_asset_id").is_none())
    );
    let numbers: Vec<Value> = kept.iter().map(|record| record["number"].clone()).collect();
    assert_eq!(
        numbers,
        [seeds::mobile(1), seeds::mobile(5), seeds::mobile(3)],
        "the second of the first number replaced it"
    );
}

/// Proves: D155.
#[test]
fn an_opted_out_number_can_still_be_added_as_a_contact() {
    let api = start_server();
    api.post("/contacts/v1/optouts", &json!({ "optouts": [{ "number": seeds::mobile(1) }] })).expect(201);
    let list = api.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).ok()["uid"].clone();
    let body =
        json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": [{ "phone_number": seeds::mobile(1) }] });
    api.post("/contacts/v1/contacts", &body).expect(200);
    api.settle();
    let contacts = format!("/contacts/v1/contacts/list/{}", list.as_str().expect("a uid"));
    assert_eq!(api.get(contacts).column("phone_number"), [seeds::mobile(1)]);
    assert_eq!(read_records(&api).len(), 1);
}

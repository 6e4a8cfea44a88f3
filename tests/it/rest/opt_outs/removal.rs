//! Deleting opt-outs by number, by channel and by asset.

use roost_tests::{
    Answer, Request, Served, Setup,
    expected::{C, bad_body, invalid_message, malformed_uid, missing},
    seeds,
};
use serde_json::{Value, json};

const PATH: &str = "/contacts/v1/optouts";
const GONE: &str = "The opt-out entry was deleted.";

fn test_number(tail: &str) -> String {
    seeds::id("num_", tail)
}

/// A setup with one number that is opted out in every way, named by channel, scope and type.
fn opt_out_setup() -> Setup {
    let record = |channel: &str, kind: &str, asset: Value, is_account_level: bool| {
        let mut record = json!({
            "number": seeds::mobile(1), "channel": channel, "opt_out_type": kind, "account_level_opt_out": is_account_level,
            "opt_out_time": "2026-01-05T09:00:00Z",
        });
        if !asset.is_null() {
            record[if kind == "keyword" { "inbound_asset_id" } else { "asset_id" }] = asset;
        }
        record
    };
    let optouts = json!([
        record("SMS", "keyword", json!(test_number("1")), true),
        record("SMS", "api_import", json!(test_number("1")), false),
        record("SMS", "keyword", json!(test_number("2")), false),
        record("WHATSAPP", "web_opt_out", Value::Null, true),
        record("WHATSAPP", "account_import", json!(seeds::id("wbp_", "1")), false),
    ]);
    let assets = json!([
        seeds::sms_asset("1", "+447700900100"),
        seeds::sms_asset("2", "60006"),
        seeds::whatsapp_asset("1", "+447700900101")
    ]);
    Setup::new().seed(json!({ "assets": assets, "opt_outs": optouts }))
}

fn remove_opt_outs(api: &Served, body: &Value) -> Answer {
    api.send(Request::delete(PATH).json(body))
}

/// Returns the message of every outcome.
fn outcome_messages(api: &Served, body: &Value) -> Vec<String> {
    let response = remove_opt_outs(api, body).ok();
    let items = response["items"].as_array().expect("items");
    let succeeded = items.iter().filter(|item| item["status"] == "success").count();
    let totals = ["total_submitted", "total_succeeded", "total_failed"]
        .map(|key| response[key].as_u64().expect("a number") as usize);
    assert_eq!(totals, [items.len(), succeeded, items.len() - succeeded]);
    items.iter().map(|item| item["message"].as_str().expect("a message").to_owned()).collect()
}

/// Returns the remaining records as channel and type.
fn remaining_records(api: &Served) -> Vec<String> {
    let short =
        |r: &Value| format!("{} {}", r["channel"].as_str().unwrap_or("?"), r["opt_out_type"].as_str().unwrap_or("?"));
    let mut left: Vec<String> = api.get(PATH).items().iter().map(short).collect();
    left.sort();
    left
}

/// Proves: D109.
#[test]
fn a_removal_answers_with_the_configured_status_whatever_its_outcomes() {
    for status in [200, 201, 202] {
        let api = opt_out_setup().set("status.opt_out_delete", &status.to_string()).serve();
        remove_opt_outs(&api, &json!({ "numbers": [seeds::mobile(1)] })).expect(status);
        remove_opt_outs(&api, &json!({ "numbers": ["x", seeds::mobile(1)] })).expect(status);
    }
}

/// Proves: D110, R4_4_numbers_missing, R4_4_delete_mismatch.
#[test]
fn faults_of_the_request_come_in_their_order() {
    let api = opt_out_setup().serve();
    let empty = |given: Value| missing("numbers", "numbers", "The numbers list must not be empty", given);
    let (bad_channel, mismatch) = (
        invalid_message("Invalid channel. Must be SMS or WHATSAPP."),
        invalid_message("Channel mismatch: the specified asset does not match the requested channel"),
    );
    remove_opt_outs(&api, &json!({ "numbers": [1], "channel": "x", "asset_id": "x" })).is(&bad_body(C));
    for (body, given) in [
        (json!({ "channel": "x" }), Value::Null),
        (json!({ "numbers": null }), Value::Null),
        (json!({ "numbers": [], "asset_id": "x" }), json!([])),
    ] {
        remove_opt_outs(&api, &body).is(&empty(given));
    }
    for channel in ["x", "", " "] {
        remove_opt_outs(&api, &json!({ "numbers": [seeds::mobile(1)], "channel": channel, "asset_id": "x" }))
            .is(&bad_channel);
    }
    for asset in ["x", "", "num_1", "LST_36AbCdEfGhIjKlMnOpQrStUvWx1"] {
        let body = json!({ "numbers": [seeds::mobile(1)], "channel": "whatsapp", "asset_id": asset });
        remove_opt_outs(&api, &body).is(&malformed_uid(C, "assetId", asset));
    }
    remove_opt_outs(&api, &json!({ "numbers": ["x"], "channel": "whatsapp", "asset_id": test_number("1") }))
        .is(&mismatch);
    assert_eq!(remaining_records(&api).len(), 5, "nothing was removed");
}

/// Proves: D111.
#[test]
fn the_asset_decides_the_channel_if_none_is_given() {
    let api = opt_out_setup().serve();
    assert_eq!(
        outcome_messages(&api, &json!({ "numbers": [seeds::mobile(1)], "asset_id": seeds::id("wbp_", "1") })),
        [GONE]
    );
    assert_eq!(remaining_records(&api), ["SMS api_import", "SMS keyword", "SMS keyword", "WHATSAPP web_opt_out"]);
    let unknown = json!({ "numbers": [seeds::mobile(1)], "asset_id": test_number("9") });
    assert_eq!(outcome_messages(&api, &unknown), ["Number not found for the specified asset."]);
}

/// Proves: D112.
#[test]
fn with_an_asset_only_its_own_record_goes() {
    let api = opt_out_setup().serve();
    let one = json!({ "numbers": [seeds::mobile(1)], "asset_id": test_number("1"), "channel": "sms" });
    assert_eq!(outcome_messages(&api, &one), [GONE]);
    assert_eq!(
        remaining_records(&api),
        ["SMS keyword", "SMS keyword", "WHATSAPP account_import", "WHATSAPP web_opt_out"]
    );
    assert_eq!(
        outcome_messages(&api, &one),
        ["Number not found for the specified asset."],
        "the account-level one it received stays"
    );
    assert_eq!(outcome_messages(&api, &json!({ "numbers": [seeds::mobile(1)], "asset_id": test_number("2") })), [GONE]);
    assert_eq!(remaining_records(&api), ["SMS keyword", "WHATSAPP account_import", "WHATSAPP web_opt_out"]);
}

/// Proves: D112.
#[test]
fn without_an_asset_every_record_on_the_channels_goes() {
    let api = opt_out_setup().serve();
    assert_eq!(outcome_messages(&api, &json!({ "numbers": [seeds::mobile(1)], "channel": " Sms " })), [GONE]);
    assert_eq!(remaining_records(&api), ["WHATSAPP account_import", "WHATSAPP web_opt_out"]);
    assert_eq!(outcome_messages(&api, &json!({ "numbers": [seeds::mobile(1)] })), [GONE]);
    assert_eq!(remaining_records(&api), Vec::<String>::new());
    let api = opt_out_setup().serve();
    assert_eq!(
        outcome_messages(&api, &json!({ "numbers": [seeds::mobile(1)], "channel": null, "asset_id": null })),
        [GONE]
    );
    assert_eq!(remaining_records(&api), Vec::<String>::new());
}

/// Proves: D113, R4_4_delete_not_on_channel, R4_4_delete_not_for_asset, R4_4_delete_invalid_number.
#[test]
fn each_number_has_an_outcome() {
    let api = opt_out_setup().serve();
    let remove_one = |body: Value| remove_opt_outs(&api, &body).ok()["items"][0].clone();
    let failure = |number: &str, message: &str| json!({ "number": number, "status": "failure", "message": message });
    for (channel, message) in [
        (json!("SMS"), "Number not found on the SMS channel."),
        (json!("whatsapp"), "Number not found on the WHATSAPP channel."),
        (Value::Null, "Number not found on any channel."),
    ] {
        let answer = remove_one(json!({ "numbers": ["44 7700 900002"], "channel": channel }));
        assert_eq!(answer, failure("44 7700 900002", message), "as submitted");
    }
    for bad in ["07700900001", "x", "", "+"] {
        assert_eq!(
            remove_one(json!({ "numbers": [bad] })),
            failure(bad, "Invalid phone number. The number must be in E.164 format.")
        );
    }
    let answer = remove_one(json!({ "numbers": ["44 7700 900001"] }));
    assert_eq!(answer, json!({ "number": "+447700900001", "status": "success", "message": GONE }));
}

/// Proves: D114.
#[test]
fn numbers_are_processed_one_after_the_other_and_without_a_cap() {
    let api = opt_out_setup().serve();
    let twice = json!({ "numbers": [seeds::mobile(1), "447700900001"] });
    assert_eq!(outcome_messages(&api, &twice), [GONE, "Number not found on any channel."]);
    let many: Vec<String> = (0..20_000).map(|n| seeds::mobile(n % 1_000)).collect();
    assert_eq!(outcome_messages(&api, &json!({ "numbers": many })).len(), 20_000);
}

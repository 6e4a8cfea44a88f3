//! The query of opt-outs: filters, order, and the errors about invalid ones.

use roost_tests::{
    Answer, Served, Setup,
    expected::{C, bad_format, invalid, malformed_uid, untraced},
    seeds,
};
use serde_json::{Value, json};

const QUERY: &str = "/contacts/v1/optouts";
const NUMBER: &str = "Invalid number. Supply a valid E.164 number, or a national number with country_code.";
const TYPE: &str = "Invalid opt_out_type. Allowed values: keyword, web_opt_out, account_import, api_import.";
const CHANNEL: &str = "Invalid channel. Must be SMS or WHATSAPP.";

fn test_number() -> String {
    seeds::id("num_", "1")
}

/// Returns one record of each kind, a second apart, oldest first.
fn all_records() -> Value {
    let record = |n: usize, kind: &str, extra: Value| {
        let mut record = json!({ "number": seeds::mobile(n), "opt_out_type": kind, "opt_out_time": format!("2026-01-05T09:00:{n:02}Z") });
        for (key, value) in extra.as_object().expect("an object") {
            record[key] = value.clone();
        }
        record
    };
    json!([
        record(1, "api_import", json!({})),
        record(2, "web_opt_out", json!({ "channel": "WHATSAPP" })),
        record(3, "account_import", json!({ "asset_id": test_number(), "account_level_opt_out": false })),
        record(
            4,
            "keyword",
            json!({ "inbound_asset_id": test_number(), "inbound_number": "+447700900100", "account_level_opt_out": false })
        ),
        record(
            5,
            "keyword",
            json!({ "inbound_asset_id": seeds::id("num_", "2"), "inbound_number": "60006", "account_level_opt_out": true })
        ),
        record(6, "api_import", json!({ "asset_id": seeds::id("wbp_", "1"), "account_level_opt_out": false })),
    ])
}

fn opt_out_setup() -> Setup {
    let assets = json!([
        seeds::sms_asset("1", "+447700900100"),
        seeds::sms_asset("2", "60006"),
        seeds::whatsapp_asset("1", "+447700900101")
    ]);
    Setup::new().seed(json!({ "assets": assets, "opt_outs": all_records() }))
}

/// Returns the last digits of the numbers found, newest first.
fn found_endings(api: &Served, query: &str) -> String {
    api.get(format!("{QUERY}?{query}"))
        .column("number")
        .iter()
        .map(|number| number[number.len() - 1..].to_owned())
        .collect()
}

/// Proves: D93, D94.
#[test]
fn only_keyword_records_have_asset_fields() {
    let api = opt_out_setup().serve();
    let records = api.get(QUERY).items();
    for record in &records {
        let carries = |key: &str| record.as_object().is_some_and(|keys| keys.contains_key(key));
        let is_keyword = record["opt_out_type"] == "keyword";
        assert_eq!((carries("inbound_asset_id"), carries("inbound_number")), (is_keyword, is_keyword), "{record}");
        assert!(!carries("inbound_asset") && !carries("asset_id"));
    }
    let keyword = json!({
        "number": seeds::mobile(5), "channel": "SMS", "account_level_opt_out": true, "opt_out_type": "keyword",
        "inbound_asset_id": seeds::id("num_", "2"), "inbound_number": "60006", "opt_out_time": "2026-01-05T09:00:05Z",
    });
    assert_eq!(records[1], keyword, "a short code is digits only");
}

/// Proves: D94.
#[test]
fn the_setting_shows_them_on_every_record_of_one_asset() {
    let api = opt_out_setup().set("opt_outs.asset_fields", "asset").serve();
    let shown: Vec<(Value, bool)> = api
        .get(QUERY)
        .items()
        .iter()
        .map(|r| (r["inbound_asset_id"].clone(), r.as_object().is_some_and(|k| k.contains_key("inbound_number"))))
        .collect();
    let wanted = [
        (json!(seeds::id("wbp_", "1")), true),
        (json!(seeds::id("num_", "2")), true),
        (json!(test_number()), true),
        (json!(test_number()), true),
        (Value::Null, false),
        (Value::Null, false),
    ];
    assert_eq!(shown, wanted);
    assert_eq!(
        found_endings(&api, &format!("asset_id={}", seeds::id("wbp_", "1"))),
        "6",
        "what is shown can be asked for"
    );
}

/// Proves: D96.
#[test]
fn ties_come_in_the_order_of_creation() {
    let api = Setup::new().at("2026-01-05T09:00:00Z").serve();
    let create = |n: usize| api.post(QUERY, &json!({ "optouts": [{ "number": seeds::mobile(n) }] })).expect(201);
    for n in [3, 1, 2] {
        create(n);
    }
    assert_eq!(found_endings(&api, ""), "213");
    assert_eq!(found_endings(&api, "sort_order=ASC"), "312");
    create(3);
    assert_eq!(found_endings(&api, "sort_order=ASC"), "123", "a replaced record is new");
}

/// Proves: D97, D39, R4_4_invalid_number.
#[test]
fn a_number_is_read_with_or_without_its_plus_and_judged() {
    let api = opt_out_setup().serve();
    for good in ["%2B447700900001", "447700900001", "+447700900001", "44%207700%20900-001", "%20447700900001%20"] {
        assert_eq!(found_endings(&api, &format!("number={good}")), "1", "{good}");
    }
    assert_eq!(found_endings(&api, "number=447700900999"), "");
    for bad in
        ["07700900001", "00447700900001", "%2B4477", "x", "%2B447700900001x", "%2B%2B447700900001", "999999999999"]
    {
        api.get(format!("{QUERY}?number={bad}")).is(&untraced(NUMBER));
    }
}

/// Proves: D98.
#[test]
fn filters_on_assets_match_only_records_that_carry_them() {
    let api = opt_out_setup().serve();
    let asset = format!("asset_id={}", test_number());
    assert_eq!(found_endings(&api, &asset), "4");
    assert_eq!(found_endings(&api, &format!("{asset}&opt_out_type=keyword")), "4");
    assert_eq!(found_endings(&api, &format!("{asset}&opt_out_type=account_import")), "", "a filter is never dropped");
    assert_eq!(found_endings(&api, &format!("{asset}&channel=WHATSAPP")), "", "asset and channel at odds");
    assert_eq!(found_endings(&api, &format!("asset_id={}", seeds::id("num_", "9"))), "", "an unknown asset");
    assert_eq!(found_endings(&api, &format!("asset_id={}", seeds::id("num_", "2"))), "5");
    for number in ["%2B447700900100", "447700900100", "+447700900100", "44%207700-900.100"] {
        assert_eq!(found_endings(&api, &format!("inbound_number={number}")), "4", "{number}");
    }
    for code in ["60006", "%2B60006", "60%20006"] {
        assert_eq!(found_endings(&api, &format!("inbound_number={code}")), "5", "{code}");
    }
    assert_eq!(found_endings(&api, "inbound_number=60006&opt_out_type=api_import"), "");
    for none in ["x", "07700900100", "447700900101", "%25"] {
        assert_eq!(found_endings(&api, &format!("inbound_number={none}")), "", "{none}");
    }
}

/// Proves: D99, R4_4_invalid_type, R4_4_invalid_channel.
#[test]
fn message_only_errors_come_first_and_alone_without_a_trace() {
    let api = opt_out_setup().serve();
    let ask = |query: &str| -> Answer { api.get(format!("{QUERY}?{query}")) };
    for (good, hits) in [("keyword", "54"), ("web_opt_out", "2"), ("account_import", "3"), ("api_import", "61")] {
        assert_eq!(found_endings(&api, &format!("opt_out_type={good}")), hits);
    }
    for (good, hits) in [("SMS", "5431"), ("sms", "5431"), ("WhatsApp", "62"), ("%20whatsapp%20", "62")] {
        assert_eq!(found_endings(&api, &format!("channel={good}")), hits, "{good}");
    }
    for bad in ["KEYWORD", "keyword,web_opt_out", "x"] {
        ask(&format!("opt_out_type={bad}")).is(&untraced(TYPE));
    }
    for bad in ["x", "SMS,WHATSAPP", "E-MAIL"] {
        ask(&format!("channel={bad}")).is(&untraced(CHANNEL));
    }
    // Each error hides all later ones.
    let faults = [
        ("page_number=x", bad_format("page_number", "int")),
        ("page_size=x", bad_format("page_size", "int")),
        ("start_time=x", bad_format("start_time", "date-time")),
        ("end_time=x", bad_format("end_time", "date-time")),
        ("number=x", untraced(NUMBER)),
        ("opt_out_type=x", untraced(TYPE)),
        ("channel=x", untraced(CHANNEL)),
        ("asset_id=x", malformed_uid(C, "getOptOuts.assetId", "x")),
        ("sort_order=x", invalid(C, &[("getOptOuts.sortOrder", "sorting.order.generic", json!("x"))])),
    ];
    for at in 0..faults.len() {
        let query: Vec<&str> = faults[at..].iter().rev().map(|(query, _)| *query).collect();
        ask(&query.join("&")).is(&faults[at].1);
    }
}

/// Proves: D100.
#[test]
fn times_bound_inclusively_and_malformed_ones_are_refused() {
    let api = opt_out_setup().serve();
    assert_eq!(found_endings(&api, "start_time=2026-01-05T09:00:03Z"), "6543");
    assert_eq!(found_endings(&api, "end_time=2026-01-05T09:00:03Z"), "321");
    assert_eq!(found_endings(&api, "start_time=2026-01-05T09:00:03Z&end_time=2026-01-05T09:00:03Z"), "3");
    assert_eq!(
        found_endings(&api, "start_time=2026-01-05T09:00:04Z&end_time=2026-01-05T09:00:03Z"),
        "",
        "start after end"
    );
    api.get(format!("{QUERY}?start_time=yesterday")).is(&bad_format("start_time", "date-time"));
    api.get(format!("{QUERY}?end_time=2026-01-05")).is(&bad_format("end_time", "date-time"));
}

/// Proves: D101.
#[test]
fn an_invalid_order_is_reported_with_its_place() {
    let api = opt_out_setup().serve();
    assert_eq!(found_endings(&api, "sort_order=ASC"), "123456");
    assert_eq!(found_endings(&api, "sort_order=DESC"), "654321");
    for bad in ["asc", "Desc", "UP"] {
        api.get(format!("{QUERY}?sort_order={bad}"))
            .is(&invalid(C, &[("getOptOuts.sortOrder", "sorting.order.generic", json!(bad))]));
    }
}

/// Proves: D93.
#[test]
fn without_parameters_the_ten_newest_come() {
    let optouts: Value =
        (0..25).map(|n| seeds::opt_out(&seeds::mobile(n), "SMS", &format!("2026-01-05T09:00:{n:02}Z"))).collect();
    let api = Setup::new().seed(json!({ "opt_outs": optouts })).serve();
    let page = api.get(QUERY).ok();
    assert_eq!(page["paging"], json!({ "current_page": 1, "total_items": 25, "total_pages": 3 }));
    let numbers: Vec<String> = (15..25).rev().map(seeds::mobile).collect();
    assert_eq!(api.get(QUERY).column("number"), numbers);
    assert_eq!(api.get(format!("{QUERY}?page_size=1000")).items().len(), 25);
}

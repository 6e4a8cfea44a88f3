//! Inbound assets: their numbers, their options, and what remains when they are removed.

use roost_tests::{Served, Setup, seeds};
use serde_json::{Value, json};

const PATH: &str = "/__admin/assets";

fn add_asset(api: &Served, channel: &str, number: &str) -> roost_tests::Answer {
    api.admin().post(PATH, &json!({ "channel": channel, "number": number }))
}

/// Proves: D145.
#[test]
fn an_asset_has_a_number_of_its_channel_once() {
    let api = Setup::new().serve();
    for (channel, number, prefix, kept) in [
        ("SMS", "+447700900100", "num_", "+447700900100"),
        ("sms", "60006", "num_", "60006"),
        ("SMS", "44 7700 900101", "num_", "+447700900101"),
        ("WHATSAPP", "+447700900100", "wbp_", "+447700900100"),
    ] {
        let made = add_asset(&api, channel, number).expect(201).json();
        assert!(made["id"].as_str().is_some_and(|id| id.starts_with(prefix) && id.len() == 31), "{made}");
        assert_eq!((&made["number"], &made["channel"]), (&json!(kept), &json!(channel.to_uppercase())));
    }
    for (channel, number) in
        [("SMS", "+447700900100"), ("SMS", "447700900101"), ("SMS", "60006"), ("WHATSAPP", "+447700900100")]
    {
        add_asset(&api, channel, number).expect(409);
    }
    for (channel, number) in [
        ("WHATSAPP", "60006"),
        ("SMS", "6000"),
        ("SMS", "600066"),
        ("SMS", "07700900100"),
        ("SMS", "x"),
        ("EMAIL", "+447700900102"),
    ] {
        add_asset(&api, channel, number).expect(400);
    }
    assert_eq!(api.admin().get(PATH).items().len(), 4);
}

/// Proves: D145.
#[test]
fn buying_a_long_number_makes_its_sender_and_the_two_are_independent() {
    let api = Setup::new().serve();
    let asset = add_asset(&api, "SMS", "+447700900100").expect(201).json();
    add_asset(&api, "SMS", "60006").expect(201);
    add_asset(&api, "WHATSAPP", "+447700900101").expect(201);
    let senders = api.get("/assets/v1/senders/").items();
    assert_eq!(
        senders,
        [json!({ "id": senders[0]["id"], "name": "447700900100", "status": "Verified" })],
        "only a long SMS number"
    );
    api.delete(format!("/assets/v1/senders/{}", senders[0]["id"].as_str().expect("an id"))).expect(204);
    assert_eq!(api.admin().get(PATH).items().len(), 3);
    let api = Setup::new().serve();
    let id = add_asset(&api, "SMS", "+447700900100").expect(201).json()["id"].clone();
    assert_ne!(id, asset["id"]);
    api.admin().delete(format!("{PATH}/{}", id.as_str().expect("an id"))).expect(204);
    assert_eq!(api.get("/assets/v1/senders/").column("name"), ["447700900100"]);
}

/// Proves: D146.
#[test]
fn options_have_defaults_and_keywords_are_unique_in_any_case() {
    let api = Setup::new().serve();
    for (channel, number) in [("SMS", "60006"), ("WHATSAPP", "+447700900100")] {
        let made = add_asset(&api, channel, number).expect(201).json();
        assert_eq!(
            (&made["enforce_account_level_opt_outs"], &made["keywords"]),
            (&json!(false), &json!(["STOP", "UNSUBSCRIBE"]))
        );
        let path = format!("{PATH}/{}", made["id"].as_str().expect("an id"));
        let change = |change: Value| api.admin().patch(&path, &change);
        let changed =
            change(json!({ "keywords": [" Halt ", "halt", "STOP", "stop", "\u{c9}T\u{c9}", "\u{e9}t\u{e9}"] })).ok();
        assert_eq!(changed["keywords"], json!(["Halt", "STOP", "\u{c9}T\u{c9}"]));
        assert_eq!(changed["enforce_account_level_opt_outs"], false, "what is left out stays");
        let changed = change(json!({ "enforce_account_level_opt_outs": true })).ok();
        assert_eq!(
            (&changed["enforce_account_level_opt_outs"], changed["keywords"].as_array().map(Vec::len)),
            (&json!(true), Some(3))
        );
        assert_eq!(change(json!({ "keywords": [] })).ok()["keywords"], json!([]), "any can be removed");
        change(json!({ "keywords": ["ok", " "] })).expect(400);
        change(json!({ "keyword": ["ok"] })).expect(400);
    }
}

/// Proves: D147.
#[test]
fn opt_outs_outlive_their_asset_and_new_ones_are_refused() {
    let asset = seeds::id("num_", "1");
    let api = Setup::new().seed(json!({ "assets": [seeds::sms_asset("1", "+447700900100")] })).serve();
    let message = json!({ "from": seeds::mobile(1), "asset_id": asset, "text": "STOP" });
    api.admin().post("/__admin/inbound_messages", &message).expect(200);
    let before = api.get("/contacts/v1/optouts").items();
    api.admin().delete(format!("{PATH}/{asset}")).expect(204);
    assert_eq!(api.get(format!("/contacts/v1/optouts?asset_id={asset}")).items(), before);
    let entry = json!({ "optouts": [{ "number": seeds::mobile(2), "asset_id": asset }] });
    let outcome = api.post("/contacts/v1/optouts", &entry).expect(201).json();
    assert_eq!(outcome["items"][0]["message"], format!("Invalid asset ID: {asset}"));
    api.admin().post("/__admin/inbound_messages", &message).expect(404);
    let removal = json!({ "numbers": [seeds::mobile(1)], "asset_id": asset });
    let removed = api.send(roost_tests::Request::delete("/contacts/v1/optouts").json(&removal)).ok();
    assert_eq!(removed["total_succeeded"], 1);
}

//! The account as a whole: its status, its content, its jobs, its settings, its export.

use roost_tests::{Setup, seeds};
use serde_json::{Value, json};

use crate::rest::{LIST, create_contacts, stored_contacts};

/// Proves: D83.
#[test]
fn every_contact_of_a_job_has_an_outcome() {
    let api = Setup::new().seed(json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] })).serve();
    create_contacts(
        &api,
        "skipDuplicates",
        json!([{ "phone_number": "07700900001" }, { "phone_number": "07700900001" }, { "phone_number": "07700900002" }]),
    );
    let job = api.admin().get("/__admin/jobs").items().swap_remove(0);
    assert_eq!((&job["state"], &job["contacts"], &job["list_id"]), (&json!("done"), &json!(3), &json!(LIST)));
    let outcomes = api.admin().get(format!("/__admin/jobs/{}/outcomes", job["id"])).items();
    let uids: Vec<Value> = stored_contacts(&api).iter().rev().map(|contact| contact["uid"].clone()).collect();
    let wanted = [
        ("imported", uids[0].clone(), json!(null), json!("+447700900001")),
        ("skipped", json!(null), json!("duplicate"), json!(null)),
        ("imported", uids[1].clone(), json!(null), json!("+447700900002")),
    ];
    let wanted: Vec<Value> = wanted
        .iter()
        .enumerate()
        .map(|(at, (word, uid, reason, number))| {
            json!({ "index": at, "outcome": word, "reason": reason, "contact_id": uid, "number": number })
        })
        .collect();
    assert_eq!(outcomes, wanted);
    api.admin().get("/__admin/jobs/999").expect(404);
}

/// Proves: D3, D24, D49.
#[test]
fn settings_can_be_changed_while_it_runs_all_or_none() {
    let api = Setup::new().serve();
    let before = api.admin().get("/__admin/settings").ok();
    let bad = json!({ "status.list_create": 201, "opt_out.entries": "all" });
    let response = api.admin().patch("/__admin/settings", &bad).expect(400).json();
    assert!(response["error"]["message"].as_str().is_some_and(|text| text.contains("opt_outs.entries")), "{response}");
    assert_eq!(api.admin().get("/__admin/settings").ok(), before);
    api.admin().patch("/__admin/settings", &json!({ "status.list_create": 201, "auth": "off" })).expect(200);
    api.without("x-auth-key").post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).expect(201);
    api.admin().patch("/__admin/settings", &json!({ "auth": "keys", "auth.keys": "first-key,second-key" })).expect(200);
    api.get("/contacts/v1/lists/").expect(401);
    api.with_key("second-key").get("/contacts/v1/lists/").expect(200);
}

/// Proves: D124, D144, D64.
#[test]
fn what_the_operator_changes_is_seen_at_once() {
    let link = json!({ "link_id": seeds::id("shl_", "1"), "title": "Spring", "target_url": "https://shop.example/s" });
    let seed = json!({ "lists": [seeds::filled_list(LIST, "VIP", 1)], "short_links": [link], "senders": [{ "name": "AcmeShop" }] });
    let (api, path) = (Setup::new().seed(seed).serve(), format!("/assets/v1/shortlink/{}", seeds::id("shl_", "1")));
    let url = |expected: &str| {
        let url = api.get(&path).ok()["short_link_url"].as_str().expect("a url").to_owned();
        assert!(url.starts_with(expected), "{url}");
    };
    // Each is requested twice, so that a cached answer would be noticed.
    for base in ["https://sl.example", "https://go.example/to"] {
        url("http");
        api.admin().patch("/__admin/settings", &json!({ "short_link_base": base })).expect(200);
        url(base);
        url(base);
    }
    for (n, label) in ["Rank", "Size"].iter().enumerate() {
        assert_eq!(stored_contacts(&api)[0].as_object().map(|keys| keys.len()), Some(23 + n));
        api.admin().post("/__admin/custom_fields", &json!({ "label": label })).expect(201);
    }
    let sender = api.get("/assets/v1/senders/").column("id").swap_remove(0);
    assert_eq!(api.get(format!("/assets/v1/senders/{sender}")).ok()["status"], "Pending");
    api.admin().post(format!("/__admin/senders/{sender}/approve"), &json!({})).expect(200);
    assert_eq!(api.get(format!("/assets/v1/senders/{sender}")).ok()["status"], "Verified");
    assert_eq!(api.get("/assets/v1/senders/").column("status"), ["Verified"]);
}

/// Proves: D141.
#[test]
fn an_export_is_the_whole_account_and_seeds_it_again() {
    let seed = json!({
        "senders": [{ "name": "AcmeShop" }],
        "assets": [seeds::sms_asset("1", "+447700900100")],
        "lists": [seeds::filled_list(LIST, "VIP", 3)],
        "opt_outs": [seeds::opt_out(&seeds::mobile(1), "SMS", "2026-01-05T09:00:00Z")],
        "short_links": [{ "title": "Spring", "target_url": "https://shop.example/s" }],
    });
    let base = "https://sl.example";
    let export =
        |seed: Value| Setup::new().set("short_link_base", base).seed(seed).serve().admin().get("/__admin/export").ok();
    let first = export(seed);
    let counts = ["senders", "assets", "custom_fields", "lists", "opt_outs", "short_links"]
        .map(|key| first[key].as_array().map(Vec::len));
    assert_eq!(counts, [1, 1, 3, 1, 1, 1].map(Some));
    assert_eq!(export(first.clone()), first);
}

/// Proves: D1.
#[test]
fn anybody_reads_the_health_and_only_the_operator_the_rest() {
    let api = Setup::new().seed(json!({ "lists": [seeds::filled_list(LIST, "VIP", 3)] })).serve();
    for path in ["/__admin/livez", "/__admin/readyz"] {
        assert_eq!(api.without("x-auth-key").get(path).ok(), json!({ "status": "ok", "server": "roost" }));
    }
    api.get("/__admin/info").expect(401);
    let info = api.admin().get("/__admin/info").ok();
    assert_eq!((&info["url"], &info["counts"]["contacts"]), (&json!(api.url()), &json!(3)));
    assert_eq!(info["pid"], std::process::id());
}

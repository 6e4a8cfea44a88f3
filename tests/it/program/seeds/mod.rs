//! Seed files: their content, and the reports about invalid ones.

mod fixtures;
mod watch;

use std::fs;

use roost_tests::{Spawned, seeds};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{refusal_message, run_program};

fn whole_seed() -> Value {
    let ada = json!({
        "uid": seeds::id("CON_", "1"), "phone_number": "+447700900001", "phone_region": "GB", "whatsapp_id": "+447700900002",
        "whatsapp_region": "GB", "alternate_phone": "ask", "title": "Ms", "firstname": "Ada", "lastname": "Byrne", "company_name": "Acme",
        "email_address": "ada@acme.example", "date_of_birth": "spring", "address_1": "1", "address_2": "2", "city": "Leeds", "state": "x",
        "zip": "LS1", "country": "UK", "field_1": "a", "field_2": null, "field_7": "seven", "created_at": "2026-01-05 09:12:40",
        "updated_at": "2026-01-05 09:12:41",
    });
    json!({
        "senders": [{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop", "status": "Verified" }],
        "assets": [
            { "id": seeds::id("num_", "1"), "channel": "SMS", "number": "+447700900100", "enforce_account_level_opt_outs": true },
            { "id": seeds::id("wbp_", "1"), "channel": "WHATSAPP", "number": "+447700900101" },
        ],
        "custom_fields": ["Rank", "Size", { "number": 7, "label": "Seven" }],
        "lists": [{
            "uid": seeds::id("LST_", "1"), "name": "VIP", "created_at": "2026-01-05T09:00:00Z", "updated_at": "2026-01-05T09:12:41Z",
            "contacts": [ada],
        }],
        "opt_outs": [
            { "number": "+447700900001", "channel": "SMS", "account_level_opt_out": false, "opt_out_type": "keyword",
              "inbound_asset_id": seeds::id("num_", "1"), "inbound_number": "+447700900100", "opt_out_time": "2026-01-05T09:20:10Z" },
            { "number": "+447700900001", "channel": "WHATSAPP", "account_level_opt_out": false, "opt_out_type": "api_import",
              "asset_id": seeds::id("wbp_", "1"), "opt_out_time": "2026-01-05T09:20:11Z" },
            { "number": "+447700900001", "channel": "SMS", "account_level_opt_out": true, "opt_out_type": "web_opt_out",
              "opt_out_time": "2026-01-05T09:20:12Z" },
        ],
        "short_links": [{
            "title": "Spring", "link_id": seeds::id("shl_", "1"), "target_url": "https://shop.example/s", "tags": ["spring"],
            "short_link_url": "https://sl.example/Ab3dE9", "created_at": "2026-01-05T09:30:00Z", "track_clicks": false,
        }],
    })
}

/// Returns a folder with this seed and the path of the seed.
fn seed_file(text: &str) -> (TempDir, String) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("seed.json");
    fs::write(&path, text).expect("a file");
    (folder, path.to_string_lossy().into_owned())
}

/// Proves: S0_seed.
#[test]
fn a_seed_fills_an_account_with_everything_it_can_hold() {
    let seed = whole_seed();
    let (_folder, path) = seed_file(&seed.to_string());
    let server = Spawned::start(["--seed", &path]);
    let (api, admin) = (server.client(), server.admin());
    assert_eq!(api.get("/assets/v1/senders/").items(), *seed["senders"].as_array().expect("senders"));
    let mut contact = seed["lists"][0]["contacts"][0].clone();
    assert_eq!(api.get(format!("/contacts/v1/contacts/list/{}", seeds::id("LST_", "1"))).items(), [contact.take()]);
    let list = &api.get("/contacts/v1/lists/").items()[0];
    assert_eq!(
        (&list["created_at"], &list["updated_at"]),
        (&seed["lists"][0]["created_at"], &seed["lists"][0]["updated_at"])
    );
    let mut optouts = api.get("/contacts/v1/optouts?sort_order=ASC").items();
    let mut wanted = seed["opt_outs"].as_array().expect("records").clone();
    wanted[1].as_object_mut().expect("an object").remove("asset_id");
    optouts.iter_mut().zip(wanted).for_each(|(found, wanted)| assert_eq!(found, &wanted));
    assert_eq!(api.get(format!("/assets/v1/shortlink/{}", seeds::id("shl_", "1"))).ok(), seed["short_links"][0]);
    let labels = admin.get("/__admin/custom_fields").items();
    let field = |number: u32, label: &str| json!({ "number": number, "label": label });
    assert_eq!(labels, [field(1, "Rank"), field(2, "Size"), field(7, "Seven")]);
    let assets = admin.get("/__admin/assets").items();
    assert_eq!(
        assets.iter().map(|asset| &asset["enforce_account_level_opt_outs"]).collect::<Vec<_>>(),
        [&json!(true), &json!(false)]
    );
}

/// Proves: S0_seed.
#[test]
fn values_that_a_seed_leaves_out_are_generated() {
    let seed = json!({
        "senders": [{ "name": "AcmeShop" }, { "name": "60000" }],
        "assets": [{ "channel": "SMS", "number": "60006" }],
        "lists": [{ "name": "VIP", "contacts": [{ "phone_number": "+447700900001" }, { "whatsapp_id": "+447700900002" }] }],
        "opt_outs": [{ "number": "+447700900001" }],
        "short_links": [{ "title": "Spring", "target_url": "https://shop.example/s" }],
    });
    let (_folder, path) = seed_file(&seed.to_string());
    let server = Spawned::start(["--seed", &path, "--limits", "off"]);
    let api = server.client();
    let statuses: Vec<(String, String)> = api
        .get("/assets/v1/senders/")
        .column("name")
        .into_iter()
        .zip(api.get("/assets/v1/senders/").column("status"))
        .collect();
    assert!(
        statuses.contains(&("AcmeShop".to_owned(), "Pending".to_owned()))
            && statuses.contains(&("60000".to_owned(), "Verified".to_owned()))
    );
    let uid = api.get("/contacts/v1/lists/").column("uid").swap_remove(0);
    let contacts = api.get(format!("/contacts/v1/contacts/list/{uid}")).items();
    assert!(contacts.iter().all(|contact| contact["uid"].as_str().is_some_and(|uid| uid.len() == 31)));
    let record = &api.get("/contacts/v1/optouts").items()[0];
    assert_eq!(
        (&record["channel"], &record["opt_out_type"], &record["account_level_opt_out"]),
        (&json!("SMS"), &json!("api_import"), &json!(true))
    );
    let link = api.post("/assets/v1/shortlink/filter", &json!({})).items().swap_remove(0);
    assert!(
        link["short_link_url"].as_str().is_some_and(|url| url.starts_with(&format!("{}/s/", server.url()))),
        "{link}"
    );
    let empty = seed_file("{}");
    assert_eq!(Spawned::start(["--seed", &empty.1]).admin().get("/__admin/custom_fields").items().len(), 3);
}

/// Proves: S0_seed.
#[test]
fn a_faulty_seed_is_reported_with_its_place_and_nothing_of_it_is_stored() {
    let cases = [
        (json!({ "list": [] }), "lists"),
        (json!({ "lists": [{ "name": "VIP", "contact": [] }] }), "contacts"),
        (json!({ "lists": [{ "name": "VIP" }, { "name": "" }] }), "lists[1].name"),
        (json!({ "lists": [{ "uid": "LST_1", "name": "VIP" }] }), "lists[0].uid"),
        (json!({ "lists": [{ "name": "VIP", "created_at": "yesterday" }] }), "lists[0].created_at"),
        (
            json!({ "lists": [{ "name": "VIP", "contacts": [{ "phone_number": "+447700900001" }, { "phone_number": "1" }] }] }),
            "lists[0].contacts[1].phone_number",
        ),
        (json!({ "lists": [{ "name": "VIP", "contacts": [{ "title": "Ms" }] }] }), "lists[0].contacts[0]"),
        (
            json!({ "lists": [{ "name": "VIP", "contacts": [{ "phone_number": "+447700900001", "titel": "Ms" }] }] }),
            "title",
        ),
        (
            json!({ "lists": [{ "name": "VIP", "contacts": [{ "phone_number": "+447700900001", "title": "x".repeat(31) }] }] }),
            "lists[0].contacts[0].title",
        ),
        (json!({ "senders": [{ "name": "ab" }] }), "senders[0].name"),
        (json!({ "senders": [{ "name": "Acme" }, { "name": "ACME" }] }), "senders[1].name"),
        (
            json!({ "assets": [{ "id": seeds::id("wbp_", "1"), "channel": "SMS", "number": "60006" }] }),
            "assets[0].channel",
        ),
        (json!({ "opt_outs": [{ "number": "07700900001" }] }), "opt_outs[0].number"),
        (json!({ "opt_outs": [{ "number": "+447700900001", "opt_out_type": "keyword" }] }), "opt_outs[0]"),
        (json!({ "short_links": [{ "title": "x", "target_url": "shop" }] }), "short_links[0].target_url"),
        (json!({ "custom_fields": [""] }), "custom_fields[0]"),
        (json!({ "lists": {} }), "lists"),
        (json!([]), "object"),
    ];
    for (seed, place) in cases {
        let (folder, path) = seed_file(&seed.to_string());
        let db = folder.path().join("account.roost").to_string_lossy().into_owned();
        let message = refusal_message(&run_program(&["serve", "--port", "0", "--seed", &path, "--db", &db]));
        assert!(message.contains(place) && message.contains(&path), "{place}: {message}");
        let server = Spawned::start(["--db", &db]);
        let counts = server.admin().get("/__admin/info").ok()["counts"].clone();
        let held: u64 = counts
            .as_object()
            .expect("counts")
            .iter()
            .filter(|(key, _)| *key != "custom_fields")
            .filter_map(|(_, n)| n.as_u64())
            .sum();
        assert_eq!((held, &counts["custom_fields"]), (0, &json!(3)), "{place}");
    }
}

/// Proves: S0_seed.
#[test]
fn a_missing_or_unreadable_seed_is_reported() {
    let (folder, path) = seed_file("{\n  \"lists\": [}\n");
    let message = refusal_message(&run_program(&["serve", "--port", "0", "--seed", &path]));
    assert!(message.contains("line 2"), "{message}");
    for path in [folder.path().join("nowhere.json"), folder.path().to_owned()] {
        let message = refusal_message(&run_program(&["serve", "--port", "0", "--seed", &path.to_string_lossy()]));
        assert!(message.contains(&*path.to_string_lossy()), "{message}");
    }
}

/// Proves: S0_seed.
#[test]
fn a_seed_does_not_go_into_an_account_that_holds_something() {
    let (folder, path) = seed_file(&whole_seed().to_string());
    let db = folder.path().join("account.roost").to_string_lossy().into_owned();
    let mut first = Spawned::start(["--db", &db, "--seed", &path]);
    assert_eq!(first.terminate().code(), Some(0));
    let message = refusal_message(&run_program(&["serve", "--port", "0", "--db", &db, "--seed", &path]));
    assert!(message.contains("already holds data"), "{message}");
    assert_eq!(Spawned::start(["--db", &db]).client().get("/contacts/v1/lists/").items().len(), 1);
}

#[test]
fn a_server_on_the_same_file_starts_again_with_its_seed() {
    let (folder, path) = seed_file(&whole_seed().to_string());
    let db = folder.path().join("account.roost").to_string_lossy().into_owned();
    let arguments = ["--db", &db, "--seed", &path, "--seed-if-empty"];
    let lists = |server: &Spawned| server.client().get("/contacts/v1/lists/").column("name");
    let mut first = Spawned::start(arguments);
    let seeded = lists(&first);
    first.client().post("/contacts/v1/lists/create", &json!({ "name": "Later" })).expect(200);
    assert_eq!(first.terminate().code(), Some(0));
    let again = Spawned::start(arguments);
    assert_eq!(lists(&again).len(), seeded.len() + 1, "what came later is kept, and the seed does not come twice");
    let message = refusal_message(&run_program(&["serve", "--port", "0", "--seed-if-empty"]));
    assert!(message.contains("--seed"), "{message}");
}

//! Exports and imports of the whole account: every format, and replacing the account.

use roost_tests::{Answer, Request, Served, Setup, seeds};
use serde_json::{Value, json};

use super::{super::worlds::create_world, diff::start_seeded};

/// Starts a server whose account has a history.
fn start_with_history() -> Served {
    let api = start_seeded();
    let admin = api.admin();
    admin.post("/__admin/senders", &json!({ "name": "Second" })).expect(201);
    let field = admin.post("/__admin/custom_fields", &json!({ "label": "Gone" })).expect(201).json();
    admin.delete(format!("/__admin/custom_fields/{}", field["number"])).expect(204);
    let message = json!({ "from": seeds::mobile(5), "asset_id": seeds::id("num_", "1"), "text": "STOP" });
    admin.post("/__admin/inbound_messages", &message).expect(200);
    let link =
        json!({ "title": "0123 \u{1f426} \"x\"\n: #", "target_url": "https://shop.example/s", "tags": ["a", "1"] });
    let made = api.post("/assets/v1/shortlink", &link).ok();
    api.post("/assets/v1/shortlink", &link).expect(200);
    api.delete(format!("/assets/v1/shortlink/{}", made["link_id"].as_str().expect("an id"))).expect(204);
    api
}

fn export_account(api: &Served, format: &str) -> Answer {
    api.admin().get(format!("/__admin/export?format={format}")).expect(200)
}

fn import_account(api: &Served, body: &[u8]) -> Answer {
    let request = Request::post("/__admin/import?mode=replace").header("content-type", "application/octet-stream");
    api.admin().send(request.body(body.to_vec()))
}

fn read_diff(api: &Served, from: &str, to: &str) -> Value {
    api.admin().get(format!("/__admin/snapshots/{from}/diff/{to}")).ok()
}

#[test]
fn every_form_of_an_export_comes_in_again_without_a_difference() {
    let api = start_with_history();
    api.admin().post("/__admin/snapshots", &json!({ "name": "lived" })).expect(201);
    for format in ["json", "yaml", "ndjson", "sqlite"] {
        let out = export_account(&api, format).body;
        api.admin().post("/__admin/reset", &json!({})).expect(200);
        assert_eq!(read_diff(&api, "lived", "now")["is_empty"], false, "{format}");
        import_account(&api, &out).expect(200);
        let diff = read_diff(&api, "lived", "now");
        assert_eq!(diff["is_empty"], true, "{format}: {diff}");
        // Numbers that were used before are not assigned again.
        let next = api.admin().post("/__admin/custom_fields", &json!({ "label": "Next" })).expect(201).json();
        assert_eq!(next["number"], 5, "{format}");
        api.admin().post("/__admin/snapshots/lived/restore", &json!({})).expect(200);
    }
}

#[test]
fn an_export_says_what_it_is() {
    let api = start_with_history();
    for (format, media, begins) in [
        ("json", "application/json", "{"),
        ("yaml", "application/yaml", "senders:\n- "),
        ("ndjson", "application/x-ndjson", "{\"resource\":\"senders\","),
        ("sqlite", "application/vnd.sqlite3", "SQLite format 3"),
    ] {
        let answer = export_account(&api, format);
        assert_eq!(answer.header("content-type"), Some(media));
        assert!(answer.body.starts_with(begins.as_bytes()), "{format}: {}", answer.shown());
    }
    let lines = String::from_utf8(export_account(&api, "ndjson").body.to_vec()).expect("text");
    let records: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let contacts: Vec<_> = records.iter().filter(|record| record["resource"] == "contacts").collect();
    assert_eq!(contacts.len(), 2);
    assert!(contacts.iter().all(|contact| contact["list_uid"] == json!(seeds::id("LST_", "1"))), "{contacts:?}");
    let answer = api.admin().get("/__admin/export?format=csv").expect(400);
    assert_eq!(answer.json()["error"]["code"], "bad_query");
}

#[test]
fn an_import_takes_the_place_of_everything_but_the_seed() {
    let api = start_with_history();
    let body = json!({ "lists": [{ "name": "Imported", "contacts": [{ "phone_number": seeds::mobile(1) }] }] });
    let response = api.admin().post("/__admin/import?mode=replace", &body).ok();
    assert_eq!(
        (&response["imported"]["lists"], &response["imported"]["contacts"]),
        (&json!(1), &json!(1)),
        "{response}"
    );
    assert_eq!(response["reset"]["epoch"], 2);
    assert_eq!(api.get("/contacts/v1/lists/").column("name"), ["Imported"]);
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(api.get("/contacts/v1/lists/").column("name"), ["VIP"], "reset goes back to the seed there was");
    // A world is imported into with its own token, and no other world changes.
    let world = create_world(&api, &json!({}));
    api.with_token(&world.token).post("/__admin/import?mode=replace", &body).expect(200);
    assert_eq!(api.get("/contacts/v1/lists/").column("name"), ["VIP"]);
}

#[test]
fn an_import_is_taken_whole_or_not_at_all() {
    let api = start_with_history();
    let before = export_account(&api, "json").body;
    let database = export_account(&api, "sqlite").body;
    let mut torn = database.to_vec();
    torn.truncate(torn.len() / 2 / 4096 * 4096);
    for body in [&b"{\"lists\":[{\"name\":\"one\"},{\"name\":\"\"}]}"[..], b"lists:\n- nam: x\n", b"[]", b"", &torn[..]]
    {
        let answer = import_account(&api, body).expect(400);
        assert_eq!(answer.json()["error"]["code"], "bad_seed", "{}", answer.shown());
    }
    for query in ["", "?mode=", "?mode=wipe"] {
        let answer = api.admin().post(format!("/__admin/import{query}"), &json!({})).expect(400);
        assert_eq!(answer.json()["error"]["code"], "bad_query");
    }
    assert_eq!(export_account(&api, "json").body, before);
    let mut lent = Setup::new();
    lent.config.account = roost_emulator::AccountOwnership::Lent;
    let answer = import_account(&lent.serve(), b"{}").expect(409);
    assert_eq!(answer.json()["error"]["code"], "not_own");
}

#[test]
fn short_links_of_a_server_are_those_of_whoever_imports_them() {
    let api = start_with_history();
    let (own, elsewhere) = (format!("{}/s/Own123", api.url()), "https://sl.example/Else12");
    let link = |url: &str| json!({ "title": "x", "target_url": "https://shop.example/", "short_link_url": url });
    let seed = json!({ "short_links": [link(&own), link(elsewhere)] });
    api.admin().put("/__admin/seed", &seed).expect(200);
    for format in ["json", "yaml", "ndjson", "sqlite", "world"] {
        let other = Setup::new().serve();
        let as_world = if format == "world" { "&format=world" } else { "" };
        let request = Request::post(format!("/__admin/import?mode=replace{as_world}"));
        other.admin().send(request.body(export_account(&api, format).body.to_vec())).expect(200);
        let mut urls = other.admin().get("/__admin/state/short_links").column("short_link_url");
        urls.sort();
        assert_eq!(urls, [format!("{}/s/Own123", other.url()), elsewhere.to_owned()], "{format}");
        other.get("/s/Own123").expect(302);
    }
}

#[test]
fn lines_of_a_seed_say_where_they_are_wrong() {
    let api = Setup::new().serve();
    for (lines, words) in [
        ("{\"resource\":\"senders\",\"name\":\"A\"}\n{\"name\":\"B\"}\n", "line 2: has no resource"),
        ("{\"resource\":\"senders\",\"name\":\"A\"}\n\n{\"resource\":\n", "line 3: is not a JSON object"),
        (
            "{\"resource\":\"contacts\",\"list_uid\":\"LST_x\"}\n",
            "line 1: belongs to a list that does not come before it",
        ),
        ("{\"resource\":\"contacts\"}\n", "line 1: has no list_uid"),
        ("{\"resource\":\"sendrs\",\"name\":\"A\"}\n", "sendrs: unknown key. Did you mean 'senders'?"),
    ] {
        let response = import_account(&api, lines.as_bytes()).expect(400).json();
        assert!(response["error"]["message"].as_str().is_some_and(|text| text.contains(words)), "{words}: {response}");
    }
}

#[test]
fn a_seed_may_be_yaml() {
    let api = Setup::new().serve();
    let yaml = "lists:\n  - name: 2026\n    contacts:\n      - phone_number: +447700900001\n        zip: 02134\n";
    let request = Request::new("PUT", "/__admin/seed").header("content-type", "application/yaml");
    let response = api.admin().send(request.body(yaml.as_bytes().to_vec())).ok();
    assert_eq!(response["seeded"]["contacts"], 1, "{response}");
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(api.get("/contacts/v1/lists/").column("name"), ["2026"]);
    let whole = export_account(&api, "json").json();
    let contact = &whole["lists"][0]["contacts"][0];
    assert_eq!((&contact["phone_number"], &contact["zip"]), (&json!("+447700900001"), &json!("02134")));
}

#[test]
fn a_body_that_cannot_be_read_is_refused_in_plain_words() {
    let api = Setup::new().serve();
    for (path, body, words) in [
        ("/__admin/senders", json!({}), "Missing field 'name'"),
        ("/__admin/senders", json!({ "nam": "x" }), "Did you mean 'name'?"),
        ("/__admin/senders", json!({ "name": 7 }), "Expected a text, got 7"),
        ("/__admin/opt_out_imports", json!({ "rows": {} }), "Expected a list, got an object"),
    ] {
        let answer = api.admin().post(path, &body).expect(400);
        let message = answer.json()["error"]["message"].to_string();
        assert!(message.contains(words) && !message.contains('`'), "{message}");
    }
}

//! The register of behaviours, and the header that names the assumptions behind a response.

pub(crate) mod check;
pub(crate) mod strict;

use std::collections::{BTreeMap, BTreeSet};

use roost_tests::{Answer, Request, Served, Setup, seeds};
use serde_json::{Value, json};

use crate::contract::decisions::DECISIONS;

const FIDELITY: &str = "/__admin/fidelity";
const HEADER_SWITCH: &str = "/__admin/fidelity/header";
const HEADER: &str = "x-roost-assumed";

fn list_items(api: &Served, query: &str) -> Vec<Value> {
    let query = query.trim_start_matches('?');
    api.admin().get(format!("{FIDELITY}?page_size=1000&{query}")).items()
}

fn field_texts(items: &[Value], field: &str) -> Vec<String> {
    items.iter().map(|item| item[field].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn every_decision_is_in_the_register_or_has_a_reason_not_to_be() {
    let api = Setup::new().serve();
    let shown = api.admin().get(format!("{FIDELITY}?page_size=1000")).ok();
    let of = |name: &str| field_texts(shown[name].as_array().expect("a list"), "decision");
    let mut found = of("items");
    found.extend(of("others"));
    let unique: BTreeSet<&String> = found.iter().collect();
    assert_eq!(unique.len(), found.len(), "each once");
    let wanted: BTreeSet<String> = DECISIONS.iter().map(|(id, _)| (*id).to_owned()).collect();
    assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), wanted);
    let counts = ["documented", "inferred", "assumed"].map(|mark| shown["counts"][mark].as_u64().expect("a number"));
    assert_eq!(counts.iter().sum::<u64>() as usize, shown["items"].as_array().expect("items").len());
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}

#[test]
fn the_register_is_filtered_by_operation_and_mark() {
    let api = Setup::new().serve();
    let create = field_texts(&list_items(&api, "?operation=contacts.create"), "name");
    for (name, is_there) in [
        ("contacts.create.status", true),
        ("transport.body", true),
        ("contacts.query.unpaged", false),
        ("callback.retries", false),
    ] {
        assert_eq!(create.iter().any(|found| found == name), is_there, "{name}");
    }
    let group = field_texts(&list_items(&api, "?operation=contacts"), "name");
    assert!(create.iter().all(|name| group.contains(name)) && group.len() > create.len());
    for item in list_items(&api, "?mark=inferred&operation=lists") {
        assert!([&item["mark"], &item["detail"]].contains(&&json!("inferred")), "{item}");
    }
    for (query, message) in [
        ("?operation=contact.create", "Did you mean 'contacts.create'?"),
        ("?mark=guessed", "documented, inferred or assumed"),
        ("?operations=lists", "Did you mean 'operation'?"),
    ] {
        let answer = api.admin().get(format!("{FIDELITY}{query}"));
        assert!(answer.status == 400 && answer.text().contains(message), "{}", answer.shown());
    }
}

#[test]
fn rows_show_the_setting_that_changes_them_and_what_it_is() {
    let api = Setup::new().serve();
    let status = |api: &Served| {
        let all = list_items(api, "?operation=contacts.create");
        all.into_iter().find(|item| item["name"] == "contacts.create.status").expect("a row")
    };
    let row = status(&api);
    assert_eq!((&row["decision"], &row["mark"], &row["in_header"]), (&json!("D68"), &json!("assumed"), &json!(true)));
    assert_eq!((&row["setting"], &row["value"]), (&json!("status.contact_create"), &json!(200)));
    api.admin().patch("/__admin/settings", &json!({ "status.contact_create": 202 })).expect(200);
    assert_eq!(status(&api)["value"], 202);
}

/// An account with one record of everything, so that each refusal has its intended reason.
fn filled_account() -> Setup {
    Setup::new().at("2026-01-05T09:00:00Z").seed(json!({
        "senders": [{ "id": seeds::id("ssd_", "1"), "name": "AcmeShop" }],
        "lists": [seeds::filled_list(&seeds::id("LST_", "1"), "VIP", 2)],
    }))
}

fn refusal_codes(answer: &Answer) -> BTreeSet<String> {
    answer.header(HEADER).into_iter().flat_map(|names| names.split(", ")).map(str::to_owned).collect()
}

#[test]
fn no_answer_mentions_assumptions_unless_requested() {
    let api = filled_account().serve();
    let create = |name: &str| api.post("/contacts/v1/lists/create", &json!({ "name": name })).expect(200);
    assert_eq!(create("A").header(HEADER), None);
    assert_eq!(api.admin().get(HEADER_SWITCH).ok()["enabled"], false);
    assert_eq!(api.admin().put(HEADER_SWITCH, &json!({ "enabled": true })).ok(), json!({ "enabled": true }));
    assert_eq!(create("B").header(HEADER), Some("lists.create.status"));
    let listed = api.get("/contacts/v1/lists/").expect(200);
    assert_eq!(listed.header(HEADER), None, "nothing of it is assumed");
    api.admin().post("/__admin/reset", &json!({})).expect(200);
    assert_eq!(create("C").header(HEADER), None, "a reset goes back to what it began with");
    api.admin().put(HEADER_SWITCH, &json!({ "enbled": true })).expect(400);
}

#[test]
fn every_row_that_promises_the_header_keeps_it() {
    let mut setup = filled_account();
    setup.config.settings.assumed_header = true;
    let api = setup.serve();
    let list = seeds::id("LST_", "1");
    let contacts = format!("/contacts/v1/contacts/list/{list}");
    let body = |change: &dyn Fn(&mut Value)| {
        let contacts = json!([{ "phone_number": "+447700900050" }]);
        let mut body = json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts });
        change(&mut body);
        Request::post("/contacts/v1/contacts").json(&body)
    };
    let link = |body: Value| Request::post("/assets/v1/shortlink").json(&body);
    let lists_create = || Request::post("/contacts/v1/lists/create");
    let many = vec![json!({ "phone_number": "+447700900050" }); 10_001];
    let mut seen = BTreeSet::new();
    for (request, status, want) in [
        (Request::get("/contacts/v1/lists/").without("x-auth-key"), 401, "auth.unauthorized"),
        (Request::new("HEAD", "/contacts/v1/lists/"), 200, "transport.head"),
        (Request::new("OPTIONS", "/contacts/v1/lists/"), 204, "transport.options"),
        (Request::new("PUT", "/contacts/v1/lists/"), 405, "transport.wrong_method"),
        (Request::get("/contacts/v1/nothing"), 404, "transport.unknown_path"),
        (lists_create().body(r#"{"name":"A"}"#).header("content-type", "text/plain"), 400, "transport.content_type"),
        (lists_create().json_text("["), 400, "transport.body"),
        (lists_create().json(&json!({ "name": "A" })), 200, "lists.create.status"),
        (Request::get("/contacts/v1/lists/?page_number=0"), 400, "paging.page_number"),
        (Request::get("/assets/v1/senders/?page_number=0"), 400, "senders.query.paging"),
        (Request::get("/assets/v1/senders/"), 200, "senders.query.order"),
        (Request::get(format!("/assets/v1/senders/{}", seeds::id("ssd_", "9"))), 404, "senders.unknown"),
        (Request::delete(format!("/contacts/v1/lists/{}", seeds::id("LST_", "9"))), 400, "lists.delete.unknown"),
        (Request::get(format!("{contacts}?fields=uid&page_number=1&page_size=5")), 200, "contacts.query.chosen_fields"),
        (Request::get(contacts.clone()), 200, "contacts.query.unpaged"),
        (Request::get(format!("{contacts}?page_number=1")), 200, "contacts.query.default_size"),
        (
            Request::get(format!("/contacts/v1/contacts/list/{}?page_number=1&page_size=1", seeds::id("LST_", "9"))),
            400,
            "contacts.query.unknown_list",
        ),
        (Request::delete(format!("/contacts/v1/contacts/{}", seeds::id("CON_", "9"))), 400, "contacts.delete.unknown"),
        (body(&|_| {}), 200, "contacts.create.status"),
        (body(&|body| body["list_id"] = Value::Null), 400, "contacts.create.no_list"),
        (body(&|body| body["callback_url"] = json!("ftp://x")), 400, "contacts.create.callback_url"),
        (body(&|body| body["contacts"] = json!(many)), 400, "contacts.create.too_many"),
        (Request::get("/contacts/v1/optouts?start_time=soon"), 400, "optouts.query.times"),
        (Request::get("/contacts/v1/optouts?sort_order=desc"), 400, "optouts.query.sort_order"),
        (link(json!({ "target_url": "https://shop.example" })), 400, "shortlinks.create.title"),
        (link(json!({ "title": "x", "target_url": "shop" })), 400, "shortlinks.create.target_url"),
        (
            link(json!({ "title": "x", "target_url": "https://shop.example", "tags": ["a!b"] })),
            400,
            "shortlinks.create.tags",
        ),
        (Request::delete(format!("/assets/v1/shortlink/{}", seeds::id("shl_", "9"))), 404, "shortlinks.unknown"),
        (
            Request::post("/assets/v1/shortlink/filter").json(&json!({ "filter": { "created_at_end": "x" } })),
            400,
            "shortlinks.search.times",
        ),
    ] {
        let client = if want == "auth.unauthorized" { api.without("x-auth-key") } else { api.with_key("any-key") };
        let answer = client.send(request);
        assert_eq!(answer.status, status, "{want}: {}", answer.shown());
        assert_eq!(refusal_codes(&answer), BTreeSet::from([want.to_owned()]), "{}", answer.shown());
        seen.insert(want.to_owned());
    }
    let strict = ["parameters", "deprecated_forms"].map(|name| (format!("strict.{name}"), json!("refuse")));
    api.admin().patch("/__admin/settings", &json!(BTreeMap::from(strict))).expect(200);
    for request in [
        Request::get("/contacts/v1/lists/?nme=x"),
        Request::get("/contacts/v1/optouts?number=+447700900001"),
        Request::post("/assets/v1/shortlink/filter").json(&json!({ "page": { "page_number": "1" } })),
    ] {
        seen.extend(refusal_codes(&api.send(request).expect(400)));
    }
    // These rows need other settings, or an internal error.
    api.admin().patch("/__admin/settings", &json!({ "lists.unique_names": "on" })).expect(200);
    let taken = api.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).expect(400);
    seen.extend(refusal_codes(&taken));
    api.admin().put("/__admin/clock", &json!({ "mode": "frozen" })).expect(200);
    api.admin().patch("/__admin/limits", &json!({ "enabled": true, "per_second": 1 })).expect(200);
    api.get("/contacts/v1/optouts").expect(200);
    seen.extend(refusal_codes(&api.get("/contacts/v1/optouts").expect(429)));
    let keys = json!({ "auth": "keys", "auth.keys": [{ "value": "lists-key", "permissions": ["lists"] }] });
    api.admin().patch("/__admin/settings", &keys).expect(200);
    seen.extend(refusal_codes(&api.with_key("lists-key").get("/contacts/v1/optouts").expect(403)));
    let promised: BTreeSet<String> = list_items(&api, "")
        .into_iter()
        .filter(|item| item["in_header"] == true)
        .map(|item| item["name"].as_str().expect("a name").to_owned())
        .collect();
    let unseen: Vec<_> = promised.difference(&seen).map(String::as_str).collect();
    // Bodies of 64 MiB and broken disks have their own tests.
    assert_eq!(unseen, ["errors.server", "transport.too_large"]);
    assert!(seen.is_subset(&promised), "{seen:?}");
}

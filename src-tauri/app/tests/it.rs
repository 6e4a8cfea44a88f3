//! Opt-outs, links, senders, the trash and undo as a page uses them. An ignored test prints the time of each command.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::{path::Path, time::Instant};

use roost_app::App;
use roost_model::error::ErrorCode;
use roost_ops::{Core, Ctx};
use serde_json::{Value, json};

fn new_app() -> App {
    App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"))
}

fn run_command(app: &App, name: &str, request: Value) -> Value {
    app.dispatch(name, request, None).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn a_national_number_is_read_in_the_country_of_the_account_wherever_it_is_typed() {
    let app = new_app();
    let account = run_command(&app, "account_set_country", json!({ "country": "gb" }));
    assert_eq!(account["country"], json!({ "code": "GB", "by": "account" }));
    let list = run_command(&app, "list_create", json!({ "name": "Guests" }))["uid"].clone();
    let contacts = json!([{ "phone_number": "07700 900001", "firstname": "Ada" }]);
    let pasted = run_command(&app, "contact_paste", json!({ "list": list, "contacts": contacts, "region": null }));
    assert_eq!((&pasted["added"], &pasted["faults"]), (&json!(1), &json!([])));
    let found = json!({ "text": "07700 900001", "noun": "contact", "after": null, "limit": 5 });
    assert_eq!(run_command(&app, "search_everything", found)["hits"][0]["title"], "Ada");
    let entry = json!({ "number": "(07700) 900-001", "channels": ["SMS"], "asset": null });
    let added =
        run_command(&app, "opt_out_add", json!({ "entries": [entry], "reason": "Asked by mail", "region": null }));
    assert_eq!(added["records"][0]["number"], "+447700900001");
    let look_up = |region: Value| {
        let request = json!({ "lookup": null, "numbers": ["07700 900001"], "region": region });
        run_command(&app, "opt_out_check", request)["totals"].clone()
    };
    assert_eq!(look_up(Value::Null)["opted_out"], 1);
    assert_eq!(look_up(json!("US"))["invalid"], 1, "the country of this look-up");
    let read = run_command(&app, "number_read", json!({ "text": "07700 900001", "region": null, "contact": null }));
    assert_eq!((&read["kind"], &read["region"]), (&json!("valid"), &json!("GB")));

    let country = |numbers: Value| run_command(&app, "account_country", json!({ "numbers": numbers }));
    assert_eq!(country(json!([])), json!({ "code": "GB", "by": "account" }));
    let mixed = json!(["+1 202 555 0123", "+12025550124", "+447700900001", "07700 900002"]);
    assert_eq!(country(mixed), json!({ "code": "GB", "by": "account" }), "the last one is valid in the chosen country");
    let american = json!(["(202) 555-0125", "+12025550124"]);
    assert_eq!(country(american), json!({ "code": "US", "by": "given" }));
    let refused = app.dispatch("account_set_country", json!({ "country": "Britain" }), None).unwrap_err();
    assert!(format!("{refused:?}").contains("not a country code"), "{refused:?}");
}

fn open_grid(page: u32) -> Value {
    json!({
        "number": null, "kind": null, "channel": null, "scope": null, "asset": null, "inbound_number": null,
        "from": null, "to": null, "order": "DESC", "page_number": page, "page_size": 100,
    })
}

fn link_page(query: Value, tags: Value) -> Value {
    json!({
        "query": query, "tags": tags, "from": null, "to": null, "order": "DESC", "page_number": 1, "page_size": 50,
    })
}

#[test]
fn a_person_opts_out_looks_up_removes_and_takes_it_back() {
    let app = new_app();
    let entry = json!({ "number": "07700 900001", "channels": ["SMS", "WHATSAPP"], "asset": null });
    let added =
        run_command(&app, "opt_out_add", json!({ "entries": [entry], "reason": "Asked by mail", "region": "GB" }));
    assert_eq!((&added["added"], &added["records"][0]["scope"]), (&json!(2), &json!("account")));
    assert_eq!(run_command(&app, "history_standing", json!({}))["undo"]["act"], "opt_out_add");
    let item = &run_command(&app, "opt_out_page", open_grid(1))["items"][0];
    assert_eq!((&item["number"], &item["reason"]), (&json!("+447700900001"), &json!("Asked by mail")));

    let request = json!({ "lookup": null, "numbers": ["+447700900001", "x"], "region": null });
    let lookup = run_command(&app, "opt_out_check", request)["lookup"].clone();
    let request = json!({ "lookup": lookup, "numbers": ["07700 900002"], "region": "GB" });
    assert_eq!(run_command(&app, "opt_out_check", request)["totals"]["lines"], 3);
    let page = json!({ "lookup": lookup, "only": "opted_out", "page_number": 1, "page_size": 10 });
    assert_eq!(run_command(&app, "opt_out_check_page", page)["items"][0]["sms"]["is_account"], true);

    let what = json!({ "records": [{ "number": "+447700900001", "channel": "SMS", "asset": null }] });
    let shown = run_command(&app, "opt_out_removal_preview", json!({ "what": what }));
    assert_eq!((&shown["count"], &shown["records"][0]["is_asked"]), (&json!(1), &json!(true)));
    let mut remove = json!({ "what": what, "expected_count": 2, "stamp": shown["stamp"], "reason": "A mistake" });
    assert_eq!(app.dispatch("opt_out_remove", remove.clone(), None).unwrap_err().code, ErrorCode::Conflict);
    remove["expected_count"] = json!(1);
    assert_eq!(run_command(&app, "opt_out_remove", remove)["removed"], 1);
    let trash = run_command(&app, "trash_page", json!({ "noun": "opt_out", "page_number": 1, "page_size": 10 }));
    assert_eq!((&trash["items"][0]["trash"], &trash["items"][0]["count"]), (&json!("opt_out"), &json!(1)));
    assert_eq!(run_command(&app, "history_undo", json!({}))["rows"], 1);
    assert_eq!(run_command(&app, "opt_out_page", open_grid(1))["total_items"], 2);
    let states = run_command(&app, "opt_out_states", json!({ "numbers": ["+447700900001", "+447700900002"] }));
    assert_eq!(states["states"].as_array().unwrap().len(), 1);
}

#[test]
fn an_import_is_looked_at_page_by_page_and_asks_for_the_count() {
    let app = new_app();
    let preview = json!({
        "text": "number\tchannel\n+447700900001\tSMS\n+447700900001\tSMS\nnone\tSMS", "region": null,
        "channels": ["SMS"], "columns": null,
    });
    let read = run_command(&app, "opt_out_import_preview", preview);
    assert_eq!((&read["separator"], &read["counts"]["would_add"]), (&json!("tab"), &json!(1)));
    let rows = json!({ "import": read["import"], "status": "invalid", "page_number": 1, "page_size": 10 });
    assert_eq!(run_command(&app, "opt_out_import_rows", rows)["items"][0]["fault"], "not_a_number");
    let mut import = json!({ "import": read["import"], "typed_count": 3, "reason": "Old system" });
    let error = app.dispatch("opt_out_import", import.clone(), None).unwrap_err();
    assert_eq!((error.code, error.details[0].path.as_str()), (ErrorCode::Invalid, "typed_count"));
    import["typed_count"] = json!(1);
    assert_eq!(run_command(&app, "opt_out_import", import.clone())["added"], 1);
    assert_eq!(
        app.dispatch("opt_out_import", import, None).unwrap_err().code,
        ErrorCode::Conflict,
        "the import was discarded"
    );
}

#[test]
fn a_link_is_found_by_a_slip_and_its_address_leads_to_the_local_server() {
    let app = new_app();
    let link = json!({
        "title": "Spring", "target_url": "https://shop.example/s", "tags": ["sale"], "track_clicks": true,
    });
    let made = run_command(&app, "short_link_create", json!({ "links": [link] }))["links"][0].clone();
    let code = made["code"].as_str().unwrap();
    assert_eq!(made["short_url"], format!("http://127.0.0.1:4010/s/{code}"));
    assert_eq!(run_command(&app, "short_link_page", link_page(json!("sprng"), json!(["sale"])))["total_items"], 1);
    let series = run_command(&app, "short_link_click_series", json!({ "uid": made["link_id"], "days": 30 }));
    assert_eq!(series["days"].as_array().unwrap().len(), 30);
    assert_eq!(run_command(&app, "short_link_delete", json!({ "uids": [made["link_id"]] }))["deleted"], 1);
    let step = run_command(&app, "history_standing", json!({}))["undo"]["id"].clone();
    let error = app.dispatch("trash_purge", json!({ "steps": [step], "typed_count": 9 }), None).unwrap_err();
    assert_eq!(error.details[0].path, "typed_count");
    assert_eq!(run_command(&app, "trash_restore", json!({ "step": step }))["rows"], 1);
}

#[test]
fn senders_and_assets_are_administered_and_the_timeline_shows_it() {
    let app = new_app();
    let sender = run_command(&app, "sender_request", json!({ "name": "Roost" }));
    run_command(&app, "sender_approve", json!({ "id": sender["id"] }));
    run_command(&app, "sender_delete", json!({ "id": sender["id"], "typed_name": "Roost" }));
    let history = run_command(&app, "sender_history", json!({ "id": null, "name": "Roost" }));
    assert_eq!((&history["id"], &history["events"][0]["kind"]), (&sender["id"], &json!("deleted")));
    let asset = run_command(&app, "asset_add", json!({ "channel": "SMS", "number": "60000" }))["asset"].clone();
    let come = json!({ "id": asset["id"], "from": "+447700900001", "text": "stop" });
    assert_eq!(run_command(&app, "asset_inbound", come)["record"]["scope_number"], "60000");
    let request = json!({
        "source": "user", "noun": "asset", "text": null, "uid": null, "from": null, "to": null,
        "page_number": 1, "page_size": 10,
    });
    assert_eq!(run_command(&app, "activity_page", request)["items"][0]["step"]["act"], "asset_add");
}

/// `cargo nextest run -p roost-app --run-ignored only`: prints the longest of three runs of each command.
#[test]
#[ignore = "figures, not a test"]
fn figures_on_fifty_thousand_opt_outs_and_ten_thousand_links() {
    let folder = tempfile::tempdir().unwrap();
    let core = Core::open(&folder.path().join("figures.roost"), Ctx::system()).unwrap();
    let app = App::with_core(core, &folder.path().join("figures.roost"));
    let numbers: Vec<String> = command_areas().take(50_000).collect();
    for n in 0..100 {
        run_command(&app, "list_create", json!({ "name": format!("List {n}") }));
    }
    let text = numbers.join("\n");
    let at = Instant::now();
    let preview = json!({ "text": text, "region": null, "channels": ["SMS", "WHATSAPP"], "columns": null });
    let read = run_command(&app, "opt_out_import_preview", preview);
    eprintln!("{:>8.1} ms opt_out_import_preview of 50,000", at.elapsed().as_secs_f64() * 1e3);
    let count = read["counts"]["would_add"].clone();
    let at = Instant::now();
    run_command(&app, "opt_out_import", json!({ "import": read["import"], "typed_count": count, "reason": "Figures" }));
    eprintln!("{:>8.1} ms opt_out_import of {count}", at.elapsed().as_secs_f64() * 1e3);
    let links: Vec<Value> = (0..10_000)
        .map(|n| {
            json!({
                "title": format!("Offer {n}"), "target_url": format!("https://shop.example/{n}"),
                "tags": [format!("tag {}", n % 40)], "track_clicks": true,
            })
        })
        .collect();
    let at = Instant::now();
    let made = run_command(&app, "short_link_create", json!({ "links": links }));
    eprintln!("{:>8.1} ms short_link_create of 10,000", at.elapsed().as_secs_f64() * 1e3);
    let uid = &made["links"][0]["link_id"];
    let known = run_command(&app, "opt_out_page", open_grid(1))["items"][0]["number"].clone();
    let with = |key: &str, value: Value| {
        let mut request = open_grid(1);
        request[key] = value;
        request
    };
    let what = json!({ "numbers": {
        "numbers": numbers[..100], "channel": null, "asset": null, "region": null,
    } });
    let activity = json!({
        "source": null, "noun": "opt_out", "text": "out", "uid": null, "from": null, "to": null,
        "page_number": 1, "page_size": 50,
    });
    let cases = [
        ("opt_out_page", open_grid(1)),
        ("opt_out_page", open_grid(500)),
        ("opt_out_page", with("number", json!("555 01"))),
        ("opt_out_page", with("scope", json!("asset"))),
        ("opt_out_states", json!({ "numbers": numbers[..200] })),
        ("opt_out_check", json!({ "lookup": null, "numbers": numbers[..2_000], "region": null })),
        ("opt_out_removal_preview", json!({ "what": what })),
        ("opt_out_timeline", json!({ "number": known, "region": null })),
        ("short_link_page", link_page(Value::Null, json!([]))),
        ("short_link_page", link_page(json!("ofer 99"), json!([]))),
        ("short_link_page", link_page(Value::Null, json!(["tag 7"]))),
        ("short_link_tags", json!({ "prefix": "ta" })),
        ("short_link_same_target", json!({ "targets": ["https://shop.example/77"] })),
        ("short_link_get", json!({ "uid": uid })),
        ("short_link_click_series", json!({ "uid": uid, "days": 366 })),
        ("sender_page", json!({ "name": null, "status": null, "page_number": 1, "page_size": 50 })),
        ("asset_all", json!({})),
        ("job_page", json!({ "page_number": 1, "page_size": 50 })),
        ("activity_page", activity),
        ("history_standing", json!({})),
        ("trash_page", json!({ "noun": null, "page_number": 1, "page_size": 50 })),
        (
            "opt_out_evidence",
            json!({
                "number": null, "channel": null, "from": null, "to": null, "format": "csv", "region": null,
            }),
        ),
    ];
    for (name, request) in cases {
        let longest = (0..3)
            .map(|_| {
                let at = Instant::now();
                run_command(&app, name, request.clone());
                at.elapsed().as_secs_f64() * 1e3
            })
            .fold(0.0, f64::max);
        eprintln!("{longest:>8.1} ms {name}");
    }
    for name in ["history_undo", "history_undo", "history_redo"] {
        let at = Instant::now();
        let taken = run_command(&app, name, json!({}));
        eprintln!("{:>8.1} ms {name} of {} rows", at.elapsed().as_secs_f64() * 1e3, taken["rows"]);
    }
}

/// Returns the numbers reserved for fiction, 555 0100 to 555 0199, in every area of North America.
fn command_areas() -> impl Iterator<Item = String> {
    (200..1_000).flat_map(|area| (100..200).map(move |last| format!("+1{area}5550{last}")))
}

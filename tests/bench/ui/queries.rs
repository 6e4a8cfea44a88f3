//! Requests that only read.

use roost_model::time::Timestamp;
use roost_ops::Ctx;
use serde_json::{Value, json};

use super::{
    fill::{self, make_id},
    samples::{CommandSample, plain_sample, quick_sample},
    world::contact_page,
};

pub(super) fn all_samples() -> Vec<CommandSample> {
    [
        account_samples(),
        search_samples(),
        list_samples(),
        contact_samples(),
        opt_out_samples(),
        link_samples(),
        past_samples(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns the start of each of the last days in UTC.
fn last_days(count: i64) -> Vec<String> {
    let today = Ctx::system().now().unix() / 86_400;
    (0..count).rev().map(|ago| Timestamp::from_unix((today - ago) * 86_400).to_iso()).collect()
}

fn account_samples() -> Vec<CommandSample> {
    let keys: Vec<_> = (0..20).map(|n| format!("columns.{n}")).collect();
    vec![
        plain_sample("account_list", "", json!({})),
        plain_sample("desktop_get", "", json!({})),
        plain_sample("start_notice_get", "", json!({})),
        plain_sample("preferences_get", "", json!({})),
        plain_sample("ui_state_get", "20 keys", json!({ "keys": keys })),
        plain_sample("task_list", "", json!({})),
        plain_sample("overview_get", "", json!({})),
        plain_sample("overview_recent", "30 days", json!({ "days": last_days(30) })),
        plain_sample("account_country", "2 numbers", json!({ "numbers": ["+447700900001", "07700900002"] })),
        plain_sample("custom_field_all", "", json!({})),
        plain_sample("custom_field_uses", "first stretch", json!({ "number": 1, "after": null })),
        plain_sample("server_status", "", json!({})),
        plain_sample("server_settings", "", json!({})),
        plain_sample(
            "server_operate",
            "the worlds",
            json!({ "method": "GET", "target": "/__admin/worlds?page_size=1000", "body": null }),
        ),
        plain_sample("server_requests", "full journal, no hit", journal_request(500, Some("nowhere"))),
        plain_sample("server_requests", "500 lines", journal_request(500, None)),
        quick_sample("server_request", "", |w, _| {
            let page = journal_request(1, None);
            let line = w.run_command("server_requests", page)?["items"][0].clone();
            Ok(json!({ "world": line["world"], "id": line["id"] }))
        }),
    ]
}

/// Returns a request for the newest entries of the journal.
fn journal_request(limit: u32, text: Option<&str>) -> Value {
    json!({
        "skip": 0, "limit": limit, "until": null, "world": null, "is_ruled": false,
        "text": text, "operation": null, "status": null,
    })
}

fn search_request(text: &str, noun: Value, after: Value) -> Value {
    json!({ "text": text, "noun": noun, "after": after, "limit": 50 })
}

fn search_samples() -> Vec<CommandSample> {
    vec![
        quick_sample("search_everything", "two letters", |_, n| {
            Ok(search_request(["an", "el", "ma", "ro", "li"][n % 5], Value::Null, Value::Null))
        }),
        quick_sample("search_everything", "two letters, next stretch", |w, n| {
            let text = ["zq", "qz", "xq", "qx", "zz"][n % 5];
            let first = w.run_command("search_everything", search_request(text, Value::Null, Value::Null))?;
            Ok(search_request(text, Value::Null, first["next"].clone()))
        }),
        plain_sample(
            "search_everything",
            "words without a hit",
            search_request("nobody of that name", Value::Null, Value::Null),
        ),
        plain_sample("search_everything", "part of a number", search_request("07700 9", Value::Null, Value::Null)),
        plain_sample("search_everything", "digits", search_request("55", Value::Null, Value::Null)),
        plain_sample("search_everything", "links only", search_request("spring", json!("short_link"), Value::Null)),
    ]
}

fn list_page(sort: &str, name: Value) -> Value {
    json!({ "page_number": 1, "page_size": 200, "sort_by": sort, "sort_order": "DESC", "name": name })
}

fn list_samples() -> Vec<CommandSample> {
    let all: Vec<_> = (0..fill::LISTS).map(|n| make_id("LST", n)).collect();
    let split = |by: Value| json!({ "uid": make_id("LST", 0), "by": by, "names": "{name} {value} {n}", "empty_value": "none", "delete_source": false });
    let combine =
        |op: &str, lists: &[String]| json!({ "op": op, "lists": lists, "key": "phone", "with_those_without": false });
    vec![
        plain_sample("list_page", "200, by size", list_page("contact_count", Value::Null)),
        plain_sample("list_page", "200, by name, filtered", list_page("name", json!("List"))),
        plain_sample("list_get", "", json!({ "uid": make_id("LST", 0) })),
        plain_sample("list_facts", "of 100,000 contacts", json!({ "uid": make_id("LST", 0) })),
        plain_sample("list_facts", "of 1,010 contacts", json!({ "uid": make_id("LST", 7) })),
        plain_sample("list_pins", "", json!({})),
        plain_sample("list_split_preview", "100,000 by size", split(json!({ "size": 1_000 }))),
        plain_sample("list_split_preview", "100,000 by field", split(json!({ "field": "field_3" }))),
        plain_sample("list_combine_preview", "union of two small lists", combine("union", &all[5..7])),
        plain_sample(
            "list_combine_preview",
            "100,000 less a small list",
            combine("subtract", &[all[0].clone(), all[9].clone()]),
        ),
        plain_sample("list_combine_preview", "union of all lists", combine("union", &all)),
        plain_sample("list_combine_preview", "100,000 and others in common", combine("intersect", &all[..20])),
    ]
}

fn contact_samples() -> Vec<CommandSample> {
    let large = make_id("LST", 0);
    let of = |page: usize, sort: Value, filter: Value| contact_page(&make_id("LST", 0), page, 200, sort, filter);
    let by = |field: &str, order: &str| json!({ "field": field, "order": order });
    let mut opted_out = of(1, Value::Null, Value::Null);
    opted_out["opted_out"] = json!(true);
    let mut busy = of(3, by("field_2", "DESC"), json!("an"));
    busy["opted_out"] = json!(false);
    vec![
        plain_sample("contact_page", "100,000, first page", of(1, Value::Null, Value::Null)),
        plain_sample("contact_page", "100,000, last page", of(fill::LARGE / 200, Value::Null, Value::Null)),
        plain_sample("contact_page", "100,000, oldest first", of(1, by("created_at", "ASC"), Value::Null)),
        plain_sample("contact_page", "100,000, by last name", of(1, by("lastname", "ASC"), Value::Null)),
        plain_sample(
            "contact_page",
            "100,000, by a custom field, last page",
            of(fill::LARGE / 200, by("field_2", "DESC"), Value::Null),
        ),
        plain_sample("contact_page", "100,000, by number", of(1, by("phone_number", "ASC"), Value::Null)),
        plain_sample("contact_page", "100,000, filter with many hits", of(1, Value::Null, json!("an"))),
        plain_sample("contact_page", "100,000, filter without a hit", of(1, Value::Null, json!("nobody of that name"))),
        plain_sample("contact_page", "100,000, filter by digits", of(1, Value::Null, json!("55"))),
        plain_sample("contact_page", "100,000, opted out", opted_out),
        plain_sample("contact_page", "100,000, filter, sort, not opted out", busy),
        plain_sample(
            "contact_page",
            "1,010, filter and sort",
            contact_page(&make_id("LST", 9), 1, 200, by("lastname", "ASC"), json!("a")),
        ),
        quick_sample("contact_get", "", move |w, _| Ok(json!({ "uid": w.newest_contacts(&large, 1)?[0] }))),
        plain_sample("contact_fields", "", json!({})),
        quick_sample("contact_elsewhere", "", |w, _| Ok(json!({ "uid": w.newest_contacts(&w.list_uid(3), 1)?[0] }))),
        quick_sample("contact_history", "60 changes", |w, _| {
            Ok(json!({ "uid": w.newest_contacts(&w.list_uid(99), 1)?[0] }))
        }),
        plain_sample("number_read", "", json!({ "text": "07700 900", "region": null, "contact": null })),
        quick_sample("contact_paste_preview", "1,000 rows", |w, _| super::acts::paste_request(w, 1_000)),
    ]
}

pub(super) fn grid_request(page: usize, set: &[(&str, Value)]) -> Value {
    let mut request = json!({
        "number": null, "kind": null, "channel": null, "scope": null, "asset": null, "inbound_number": null,
        "from": null, "to": null, "order": "DESC", "page_number": page, "page_size": 200,
    });
    for (key, value) in set {
        request[*key] = value.clone();
    }
    request
}

fn opt_out_samples() -> Vec<CommandSample> {
    vec![
        plain_sample("opt_out_page", "first page", grid_request(1, &[])),
        plain_sample("opt_out_page", "last page", grid_request(fill::OPT_OUTS / 200, &[])),
        plain_sample("opt_out_page", "part of a number", grid_request(1, &[("number", json!("55"))])),
        plain_sample("opt_out_page", "number without a hit", grid_request(1, &[("number", json!("99999999"))])),
        plain_sample(
            "opt_out_page",
            "keyword, by inbound number",
            grid_request(1, &[("kind", json!("keyword")), ("inbound_number", json!("5"))]),
        ),
        plain_sample(
            "opt_out_page",
            "of an asset, oldest first",
            grid_request(1, &[("asset", json!(make_id("num", 2))), ("order", json!("ASC"))]),
        ),
        plain_sample(
            "opt_out_page",
            "WhatsApp, last page",
            grid_request(50, &[("channel", json!("WHATSAPP")), ("scope", json!("account"))]),
        ),
        quick_sample("opt_out_states", "1,000 numbers", |w, n| {
            Ok(json!({ "numbers": w.some_numbers(n * 999, 2, 1_000) }))
        }),
        quick_sample("opt_out_lost", "1,000 numbers", |w, n| {
            let numbers = w.some_numbers(n * 999, 2, 1_000).into_iter();
            let lost: Vec<_> = numbers
                .map(|number| json!({ "opted_out": number, "number": number, "channel": "SMS", "asset": null }))
                .collect();
            Ok(json!({ "lost": lost }))
        }),
        quick_sample("opt_out_check", "a slice of 2,000", |w, n| {
            Ok(json!({ "lookup": null, "numbers": w.some_numbers(n * 5_000, 1, 2_000), "region": "GB" }))
        }),
        quick_sample("opt_out_check", "2,000 in national form", |w, n| {
            let given: Vec<_> =
                w.some_numbers(n * 500, 3, 2_000).iter().map(|number| number.replace("+44", "0")).collect();
            Ok(json!({ "lookup": null, "numbers": given, "region": "GB" }))
        }),
        quick_sample("opt_out_check_page", "100,000 lines, few of a kind", |w, _| {
            let mut lookup = Value::Null;
            for n in 0..50 {
                let slice = json!({ "lookup": lookup, "numbers": w.some_numbers(n * 2_000, 1, 2_000), "region": "GB" });
                lookup = w.run_command("opt_out_check", slice)?["lookup"].clone();
            }
            Ok(json!({ "lookup": lookup, "only": "opted_out", "page_number": 100, "page_size": 200 }))
        }),
        quick_sample("opt_out_removal_preview", "10 numbers", |w, n| {
            Ok(unwanted_request(w.some_numbers(n * 100, 2, 10)))
        }),
        quick_sample("opt_out_removal_preview", "1,000 numbers", |w, n| {
            Ok(unwanted_request(w.some_numbers(n * 100, 2, 1_000)))
        }),
        quick_sample("opt_out_import_rows", "of 1,000", |w, _| {
            let import =
                w.run_command("opt_out_import_preview", super::acts::import_request(w, 0, 1_000))?["import"].clone();
            Ok(json!({ "import": import, "status": "new", "page_number": 1, "page_size": 200 }))
        }),
        quick_sample("opt_out_import_preview", "1,000 rows", |w, n| Ok(super::acts::import_request(w, n, 1_000))),
        quick_sample("opt_out_timeline", "", |w, _| Ok(json!({ "number": w.numbers[1], "region": null }))),
        quick_sample("opt_out_evidence", "of one number", |w, _| {
            Ok(
                json!({ "number": w.numbers[1], "channel": null, "from": null, "to": null, "format": "csv", "region": null }),
            )
        }),
    ]
}

pub(super) fn unwanted_request(numbers: Vec<&String>) -> Value {
    json!({ "what": { "numbers": { "numbers": numbers, "channel": null, "asset": null, "region": null } } })
}

fn link_page(page: usize, query: Value, tags: Value) -> Value {
    json!({ "query": query, "tags": tags, "from": null, "to": null, "order": "DESC", "page_number": page, "page_size": 200 })
}

fn link_samples() -> Vec<CommandSample> {
    let link = make_id("shl", 0);
    vec![
        plain_sample("short_link_page", "first page", link_page(1, Value::Null, json!([]))),
        plain_sample("short_link_page", "last page", link_page(fill::LINKS / 200, Value::Null, json!([]))),
        plain_sample("short_link_page", "words with slips", link_page(1, json!("sprng vouchre"), json!([]))),
        plain_sample("short_link_page", "two letters", link_page(1, json!("sa"), json!([]))),
        plain_sample(
            "short_link_page",
            "many words without a hit",
            link_page(1, json!("a newsletter that nobody ever wrote or read"), json!([])),
        ),
        plain_sample("short_link_page", "tags", link_page(1, Value::Null, json!(["spring", "week-3"]))),
        plain_sample("short_link_get", "", json!({ "uid": link })),
        plain_sample("short_link_tags", "all", json!({ "prefix": "" })),
        plain_sample("short_link_tags", "by a letter", json!({ "prefix": "w" })),
        plain_sample("short_link_same_target", "one", json!({ "targets": ["https://shop.example.com/spring/0"] })),
        quick_sample("short_link_same_target", "1,000", |_, n| {
            let targets: Vec<_> = (0..1_000).map(|m| format!("https://nowhere.example.com/{n}/{m}")).collect();
            Ok(json!({ "targets": targets }))
        }),
        plain_sample(
            "short_link_clicks",
            "20,000, last page",
            json!({ "uid": link, "page_number": 100, "page_size": 200 }),
        ),
        plain_sample("short_link_click_series", "20,000, a year", json!({ "uid": link, "days": 366 })),
        plain_sample(
            "sender_page",
            "part of a name",
            json!({ "name": "op1", "status": null, "page_number": 1, "page_size": 200 }),
        ),
        plain_sample("sender_history", "", json!({ "id": make_id("ssd", 1), "name": null })),
        plain_sample("asset_all", "", json!({})),
    ]
}

fn past_samples() -> Vec<CommandSample> {
    let activity = |page: usize, noun: Value, text: Value, uid: Value| json!({ "source": null, "noun": noun, "text": text, "uid": uid, "from": null, "to": null, "page_number": page, "page_size": 200 });
    let null = || Value::Null;
    vec![
        plain_sample("job_page", "first page", json!({ "page_number": 1, "page_size": 200 })),
        plain_sample("job_page", "last page", json!({ "page_number": 15, "page_size": 200 })),
        plain_sample("job_get", "", json!({ "id": 1 })),
        plain_sample(
            "job_outcomes",
            "10,000, last page",
            json!({ "id": 1, "outcome": "imported", "page_number": 50, "page_size": 200 }),
        ),
        plain_sample("activity_page", "first page", activity(1, null(), null(), null())),
        plain_sample("activity_page", "last page", activity(100, null(), null(), null())),
        plain_sample("activity_page", "of a noun", activity(1, json!("opt_out"), null(), null())),
        plain_sample("activity_page", "text without a hit", activity(1, null(), json!("nowhere"), null())),
        plain_sample("activity_page", "of a uid", activity(1, null(), null(), json!(make_id("LST", 5)))),
        plain_sample("history_standing", "", json!({})),
        plain_sample("trash_page", "", json!({ "noun": null, "page_number": 1, "page_size": 200 })),
    ]
}

//! Short links: creation, retrieval, deletion.

use std::collections::BTreeSet;

use roost_tests::{
    Answer, Served, Setup,
    expected::{L, invalid, malformed_uid, not_found},
    seeds,
};
use serde_json::{Value, json};

const CREATE: &str = "/assets/v1/shortlink";
const TARGET: &str = "https://shop.example/s";

fn create_link(api: &Served, body: Value) -> Answer {
    api.post(CREATE, &body)
}

fn with_tags(api: &Served, tags: Value) -> Answer {
    create_link(api, json!({ "title": "Spring", "target_url": TARGET, "tags": tags }))
}

/// Proves: D116, D117.
#[test]
fn a_link_is_made_read_and_found_with_the_same_seven_keys() {
    let api = Setup::new().at("2026-01-05T09:30:00Z").serve();
    let made = create_link(
        &api,
        json!({ "title": "Spring", "target_url": TARGET, "tags": ["spring"], "track_clicks": false }),
    )
    .ok();
    let wanted = json!({
        "title": "Spring", "link_id": made["link_id"], "target_url": TARGET, "short_link_url": made["short_link_url"], "tags": ["spring"],
        "created_at": "2026-01-05T09:30:00Z", "track_clicks": false,
    });
    assert_eq!(made, wanted);
    let id = made["link_id"].as_str().expect("an id");
    assert_eq!(api.get(format!("{CREATE}/{id}")).ok(), wanted);
    assert_eq!(api.post(format!("{CREATE}/filter"), &json!({})).items(), [wanted]);
    api.delete(format!("{CREATE}/{id}")).expect(204);
    api.get(format!("{CREATE}/{id}")).expect(404);
}

/// Proves: D116.
#[test]
fn there_is_no_update() {
    let api = Setup::new().serve();
    for method in ["PUT", "PATCH", "POST"] {
        let request = roost_tests::Request::new(method, format!("{CREATE}/{}", seeds::id("shl_", "1")))
            .json(&json!({ "title": "x" }));
        api.send(request).expect(405);
    }
}

/// Proves: D118.
#[test]
fn a_title_is_trimmed_and_has_one_to_a_hundred_characters() {
    let api = Setup::new().serve();
    let titled = |title: &Value| create_link(&api, json!({ "title": title, "target_url": TARGET }));
    for (sent, kept) in
        [(" Spring \t", "Spring".to_owned()), (&format!(" {} ", "\u{1f600}".repeat(100)), "\u{1f600}".repeat(100))]
    {
        assert_eq!(titled(&json!(sent)).ok()["title"], kept);
    }
    for blank in [json!(""), json!(" \u{2003}"), Value::Null] {
        titled(&blank).is(&invalid(L, &[("title", "must not be blank", blank.clone())]));
    }
    create_link(&api, json!({ "target_url": TARGET })).is(&invalid(L, &[("title", "must not be blank", Value::Null)]));
    let long = json!("\u{e9}".repeat(101));
    titled(&long).is(&invalid(L, &[("title", "size must be between 1 and 100", long.clone())]));
}

/// Proves: D119.
#[test]
fn a_target_is_an_absolute_address_of_the_web() {
    let api = Setup::new().serve();
    let to = |target: &Value| create_link(&api, json!({ "title": "Spring", "target_url": target }));
    let long = |length: usize| format!("https://shop.example/{}", "a".repeat(length - 21));
    for good in [
        "http://shop.example",
        "HTTPS://shop.example/a?b=c#d",
        "https://127.0.0.1:8080/",
        "https://[::1]/x",
        &long(2_048),
    ] {
        assert_eq!(to(&json!(good)).ok()["target_url"], good);
    }
    assert_eq!(to(&json!(format!(" {TARGET}\n"))).ok()["target_url"], TARGET);
    for bad in [
        "",
        " ",
        "shop",
        "shop.example/s",
        "//shop.example",
        "ftp://shop.example",
        "javascript:alert(1)",
        "https://",
        "https:///s",
        &long(2_049),
    ] {
        to(&json!(bad)).is(&invalid(L, &[("target_url", "Invalid URL.", json!(bad))]));
    }
    to(&Value::Null).is(&invalid(L, &[("target_url", "Invalid URL.", Value::Null)]));
}

/// Proves: D120, R4_5_invalid_tag.
#[test]
fn tags_are_trimmed_merged_and_judged_one_by_one() {
    let api = Setup::new().serve();
    let kept =
        with_tags(&api, json!([" b ", "a", "b", "B", "summer sale", "x-y_z", "\u{e9}t\u{e9}", "\u{590f}", "\u{663}"]))
            .ok()["tags"]
            .clone();
    assert_eq!(kept, json!(["b", "a", "B", "summer sale", "x-y_z", "\u{e9}t\u{e9}", "\u{590f}", "\u{663}"]));
    assert_eq!(with_tags(&api, json!([])).ok()["tags"], json!([]));
    assert_eq!(create_link(&api, json!({ "title": "x", "target_url": TARGET })).ok()["tags"], json!([]));
    let fifty = "\u{e9}".repeat(50);
    assert_eq!(with_tags(&api, json!([fifty])).ok()["tags"], json!([fifty]));
    let bad = ["", " ", "a!b", "a,b", "\u{1f600}", "a\nb", &"x".repeat(51)];
    for tag in bad {
        with_tags(&api, json!(["good", tag])).is(&invalid(L, &[("tags[]", "Invalid tag.", json!(tag))]));
    }
    let entries: Vec<_> = bad.iter().map(|tag| ("tags[]", "Invalid tag.", json!(tag))).collect();
    with_tags(&api, json!(bad)).is(&invalid(L, &entries));
    let many = |count: usize| (0..count).map(|n| json!(format!("tag {n}"))).collect::<Value>();
    with_tags(&api, many(10)).expect(200);
    let mut doubled = many(10).as_array().expect("tags").clone();
    doubled.extend(many(10).as_array().expect("tags").clone());
    assert_eq!(with_tags(&api, json!(doubled)).ok()["tags"], many(10), "counted after merging");
    let response = with_tags(&api, many(11)).expect(400).json();
    let entry = &response["validation_errors"][0];
    assert_eq!((&entry["field"], &entry["message"]), (&json!("tags"), &json!("size must be between 0 and 10")));
}

/// Proves: D121.
#[test]
fn clicks_are_tracked_unless_the_request_says_otherwise() {
    let api = Setup::new().serve();
    for (sent, kept) in [(json!(true), true), (json!(false), false), (Value::Null, true)] {
        let body = json!({ "title": "x", "target_url": TARGET, "track_clicks": sent });
        assert_eq!(create_link(&api, body).ok()["track_clicks"], kept);
    }
    assert_eq!(create_link(&api, json!({ "title": "x", "target_url": TARGET })).ok()["track_clicks"], true);
}

/// Proves: D122.
#[test]
fn faults_of_a_new_link_come_together_in_their_order() {
    let api = Setup::new().serve();
    create_link(&api, json!({ "tags": ["a!b", "ok", "c!"], "target_url": "shop", "title": " " })).is(&invalid(
        L,
        &[
            ("title", "must not be blank", json!(" ")),
            ("target_url", "Invalid URL.", json!("shop")),
            ("tags[]", "Invalid tag.", json!("a!b")),
            ("tags[]", "Invalid tag.", json!("c!")),
        ],
    ));
}

/// Proves: D123.
#[test]
fn the_same_target_twice_makes_two_links() {
    let api = Setup::new().serve();
    let made: Vec<Value> =
        (0..2).map(|_| create_link(&api, json!({ "title": "Spring", "target_url": TARGET })).ok()).collect();
    assert_ne!(made[0]["link_id"], made[1]["link_id"]);
    assert_ne!(made[0]["short_link_url"], made[1]["short_link_url"]);
}

/// Proves: D124.
#[test]
fn a_short_url_is_the_base_and_six_letters_or_digits() {
    let api = Setup::new().serve();
    let base = format!("{}/s/", api.url());
    let mut codes = BTreeSet::new();
    for _ in 0..50 {
        let made = create_link(&api, json!({ "title": "Spring", "target_url": TARGET })).ok();
        let url = made["short_link_url"].as_str().expect("a url");
        let code = url.strip_prefix(&base).unwrap_or_else(|| panic!("{url} does not begin with {base}"));
        assert!(code.len() == 6 && code.bytes().all(|b| b.is_ascii_alphanumeric()), "{code}");
        assert!(codes.insert(code.to_owned()), "{code} came twice");
        let id = made["link_id"].as_str().expect("an id");
        api.delete(format!("{CREATE}/{id}")).expect(204);
    }
}

/// Proves: D124.
#[test]
fn the_base_is_a_setting() {
    let api = Setup::new().set("short_link_base", "https://sl.example").serve();
    let made = create_link(&api, json!({ "title": "Spring", "target_url": TARGET })).ok();
    let url = made["short_link_url"].as_str().expect("a url");
    assert!(url.starts_with("https://sl.example/") && url.len() == 25, "{url}");
}

/// Proves: D125, R4_5_unknown_link, R7_3_nf_003.
#[test]
fn an_unknown_link_is_named() {
    let api = Setup::new().serve();
    let id = seeds::id("shl_", "9");
    let expected = not_found(L, &format!("Short link with id '{id}' not found"));
    for setting in ["400", "404"] {
        let api = Setup::new().set("unknown_on_delete", setting).serve();
        api.get(format!("{CREATE}/{id}")).is(&expected);
        api.delete(format!("{CREATE}/{id}")).is(&expected);
    }
    api.get(format!("{CREATE}/abc")).is(&malformed_uid(L, "get_short_link_by_id.id", "abc"));
    api.delete(format!("{CREATE}/abc")).is(&malformed_uid(L, "delete_short_link_by_id.id", "abc"));
}

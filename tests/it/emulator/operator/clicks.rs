//! Short URLs redirect, and each visit is recorded.

use roost_tests::{Client, Request, Served, Setup, seeds};
use serde_json::{Value, json};

const NOW: &str = "2026-01-05T09:00:00Z";
const TARGET: &str = "https://shop.example/s?q=1#top";

fn create_link(api: &Client, body: Value) -> (String, String) {
    let mut whole = json!({ "title": "Spring", "target_url": TARGET });
    for (key, value) in body.as_object().expect("an object") {
        whole[key] = value.clone();
    }
    let made = api.post("/assets/v1/shortlink", &whole).ok();
    let text = |key: &str| made[key].as_str().expect("a text").to_owned();
    (text("link_id"), text("short_link_url"))
}

/// Returns the path of a short URL, to be requested from the test server.
fn path_of(url: &str) -> String {
    let rest = url.split_once("://").expect("a scheme").1;
    format!("/{}", rest.split_once('/').expect("a path").1)
}

fn read_clicks(api: &Served, link: &str) -> Vec<Value> {
    api.admin().get(format!("/__admin/short_links/{link}/clicks")).items()
}

/// Proves: D151.
#[test]
fn a_short_url_leads_to_its_target_without_key_or_limit() {
    let api = Setup::new().set("limits", "on").set("limits.per_second", "1").serve();
    let (_, url) = create_link(&api, json!({}));
    assert!(url.starts_with(&format!("{}/s/", api.url())));
    let nobody = api.without("x-auth-key");
    for _ in 0..30 {
        let answer = nobody.get(path_of(&url)).expect(302);
        assert_eq!((answer.header("location"), answer.header("cache-control")), (Some(TARGET), Some("no-store")));
        assert!(answer.body.is_empty());
    }
}

/// Proves: D151.
#[test]
fn a_target_beyond_ascii_is_written_as_a_header_can_say_it() {
    let api = Setup::new().serve();
    for (target, location) in [
        ("https://shop.example/\u{e9}t\u{e9}?q=\u{1f600}", "https://shop.example/%C3%A9t%C3%A9?q=%F0%9F%98%80"),
        ("https://b\u{fc}cher.example/", "https://xn--bcher-kva.example/"),
    ] {
        let (link, url) = create_link(&api, json!({ "target_url": target }));
        assert_eq!(api.get(path_of(&url)).expect(302).header("location"), Some(location));
        assert_eq!(api.get(format!("/assets/v1/shortlink/{link}")).ok()["target_url"], target, "stored as sent");
    }
}

/// Proves: D151.
#[test]
fn unknown_and_deleted_codes_are_not_found() {
    let api = Setup::new().serve();
    let (link, url) = create_link(&api, json!({}));
    api.delete(format!("/assets/v1/shortlink/{link}")).expect(204);
    for path in [path_of(&url), "/s/aaaaaa".to_owned(), "/s/x".to_owned(), "/s/%00".to_owned()] {
        let answer = api.get(path).expect(404);
        assert!(answer.body.is_empty(), "{}", answer.shown());
    }
}

/// Proves: D151, D124.
#[test]
fn the_path_of_the_base_is_where_codes_are_served() {
    for base in ["https://sl.example", "https://sl.example/go/to", "http://sl.example:8080/%67o"] {
        let api = Setup::new().set("short_link_base", base).serve();
        let (_, url) = create_link(&api, json!({}));
        assert!(url.starts_with(&format!("{base}/")), "{url}");
        let answer = api.without("x-auth-key").get(path_of(&url)).expect(302);
        assert_eq!(answer.header("location"), Some(TARGET));
        api.get(format!("/s/{}", &url[url.len() - 6..])).expect(404);
    }
}

const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";

/// Proves: D152.
#[test]
fn a_visit_is_recorded_with_what_the_browser_sends() {
    let api = Setup::new().at(NOW).serve();
    let (link, url) = create_link(&api, json!({}));
    api.send(Request::get(path_of(&url)).header("user-agent", IPHONE)).expect(302);
    api.advance(1);
    api.get(path_of(&url)).expect(302);
    let click = |device: Value, browser: Value, system: Value, time: &str| {
        json!({
            "link_id": link, "title": "Spring", "short_link_url": url, "target_url": TARGET, "recipient": null, "device": device,
            "browser": browser, "operating_system": system, "campaign_uid": null, "time": time,
        })
    };
    let newest = click(Value::Null, Value::Null, Value::Null, "2026-01-05T09:00:01Z");
    assert_eq!(read_clicks(&api, &link), [newest, click(json!("mobile"), json!("Safari"), json!("iOS"), NOW)]);
    let known = json!({ "recipient": seeds::mobile(1), "campaign_uid": "summer", "device": "tablet", "browser": "x", "operating_system": "y" });
    let added = api.admin().post(format!("/__admin/short_links/{link}/clicks"), &known).expect(201).json();
    for (key, value) in known.as_object().expect("an object") {
        assert_eq!(&added[key], value);
    }
    assert_eq!(read_clicks(&api, &link)[0], added);
}

/// Proves: D152.
#[test]
fn a_look_and_an_untracked_link_leave_no_record() {
    let api = Setup::new().serve();
    let (tracked, url) = create_link(&api, json!({}));
    let (untracked, other) = create_link(&api, json!({ "track_clicks": false }));
    let look = api.send(Request::new("HEAD", path_of(&url))).expect(302);
    assert_eq!(look.header("location"), Some(TARGET));
    api.get(path_of(&other)).expect(302);
    assert!(read_clicks(&api, &tracked).is_empty() && read_clicks(&api, &untracked).is_empty());
}

/// Proves: D152.
#[test]
fn a_record_keeps_what_was_true_and_goes_with_its_link() {
    let api = Setup::new().serve();
    let (link, url) = create_link(&api, json!({}));
    api.get(path_of(&url)).expect(302);
    assert_eq!(read_clicks(&api, &link)[0]["target_url"], TARGET);
    api.delete(format!("/assets/v1/shortlink/{link}")).expect(204);
    api.admin().get(format!("/__admin/short_links/{link}/clicks")).expect(404);
}

/// Proves: D152.
#[test]
fn clicks_are_not_readable_through_the_interface() {
    let api = Setup::new().serve();
    let (link, url) = create_link(&api, json!({}));
    api.get(path_of(&url)).expect(302);
    let record = api.get(format!("/assets/v1/shortlink/{link}")).ok();
    assert_eq!(record.as_object().map(|keys| keys.len()), Some(7));
    api.get(format!("/assets/v1/shortlink/{link}/clicks")).expect(404);
}

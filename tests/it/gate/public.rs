//! Addresses in answers: by default those by which the caller called, with a public address always that one.

use roost_tests::{Client, Served, Setup, Spawned, until};
use serde_json::{Value, json};

use super::console_setup;

const LINK: &str = "/assets/v1/shortlink";

/// Every address that a response names, and what each of them begins with there.
fn addresses(client: &Client, token: &str, world: &str) -> Vec<(String, &'static str)> {
    let admin = client.with_token(token);
    let text = |value: &Value| value.as_str().expect("an address").to_owned();
    let made = admin.post("/__admin/worlds", &json!({ "name": world })).expect(201).json();
    let link = client.post(LINK, &json!({ "title": "x", "target_url": "https://shop.example" })).ok();
    let id = link["link_id"].as_str().expect("an id");
    let of_world =
        client.post(format!("/w/{world}{LINK}"), &json!({ "title": "x", "target_url": "https://shop.example" }));
    let found = client.post(format!("{LINK}/filter"), &json!({})).items();
    let info = admin.get("/__admin/info").ok();
    vec![
        (text(&made["base_url"]), "/w/"),
        (text(&made["admin_url"]), "/__admin/worlds/"),
        (text(&admin.get(format!("/__admin/worlds/{world}")).ok()["base_url"]), "/w/"),
        (text(&admin.get("/__admin/worlds").items()[0]["base_url"]), ""),
        (text(&admin.get("/__admin/hooks/inbox").ok()["url"]), "/__hook/default/inbox"),
        (text(&link["short_link_url"]), "/s/"),
        (text(&client.get(format!("{LINK}/{id}")).ok()["short_link_url"]), "/s/"),
        (text(&client.get(format!("{LINK}/{id}")).ok()["short_link_url"]), "/s/"),
        (text(&found[0]["short_link_url"]), "/s/"),
        (text(&of_world.ok()["short_link_url"]), "/w/"),
        (text(&info["url"]), ""),
        (text(&info["short_link_base"]), "/s"),
    ]
}

#[track_caller]
fn all_begin_with(base: &str, addresses: &[(String, &str)]) {
    for (address, path) in addresses {
        assert!(address.starts_with(&format!("{base}{path}")), "{address}: not below {base}{path}");
    }
}

#[test]
fn addresses_begin_with_the_name_that_the_caller_called() {
    let mut setup = console_setup();
    setup.config.allow_hosts = vec!["roost".to_owned()];
    let api: Served = setup.serve();
    let port = api.address().port();
    for (at, (host, base)) in [
        (format!("roost:{port}"), format!("http://roost:{port}")),
        ("ROOST".to_owned(), format!("http://roost:{port}")),
        (format!("localhost:{port}"), format!("http://localhost:{port}")),
        (format!("127.0.0.1:{port}"), api.url().to_owned()),
    ]
    .into_iter()
    .enumerate()
    {
        let client = api.with("host", host).with("x-auth-key", "a-key");
        all_begin_with(&base, &addresses(&client, api.token(), &format!("world-{at}")));
    }
    // One link, asked for by each name, has the address of who asks.
    let named = |host: &str| api.with("host", format!("{host}:{port}")).with("x-auth-key", "a-key");
    let link = named("roost").post(LINK, &json!({ "title": "x", "target_url": "https://shop.example" })).ok();
    let id = link["link_id"].as_str().expect("an id");
    for host in ["roost", "localhost", "127.0.0.1", "roost"] {
        let url = named(host).get(format!("{LINK}/{id}")).ok()["short_link_url"].clone();
        assert!(url.as_str().is_some_and(|url| url.starts_with(&format!("http://{host}:{port}/s/"))), "{url}");
    }
    // The name of a world is not an address of the others.
    let made = api.admin().with("host", format!("world-0.localhost:{port}"));
    let made = made.post("/__admin/worlds", &json!({ "name": "other" })).expect(201).json();
    assert_eq!(made["base_url"], format!("{}/w/other", api.url()));
    let refused = api.admin().with("host", format!("evil.example:{port}"));
    assert_eq!(refused.get("/__admin/info").status, 421);
}

#[test]
fn a_short_link_leads_to_its_target_at_every_name() {
    let mut setup = Setup::new();
    setup.config.allow_hosts = vec!["roost".to_owned()];
    let api = setup.serve();
    let client = api.with("host", format!("roost:{}", api.address().port())).with("x-auth-key", "k");
    let made =
        client.post(LINK, &json!({ "title": "x", "target_url": "https://shop.example/y", "track_clicks": true })).ok();
    let url = made["short_link_url"].as_str().expect("an address");
    let path = &url[url.find("/s/").expect("a code")..];
    assert_eq!(client.get(path).header("location"), Some("https://shop.example/y"));
    let clicks = format!("/__admin/short_links/{}/clicks", made["link_id"].as_str().expect("an id"));
    assert_eq!(api.admin().get(clicks).items()[0]["short_link_url"], url, "the address that was opened");
}

#[test]
fn with_a_public_address_every_address_begins_with_it() {
    let server = Spawned::start(["--public-url", "http://roost.example:8080/", "--limits", "off"]);
    let port = server.address().port();
    let hosts = ["roost.example:8080".to_owned(), format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    for (at, host) in hosts.into_iter().enumerate() {
        let client = server.client().with_key("a-key").with("host", host);
        all_begin_with("http://roost.example:8080", &addresses(&client, server.admin_token(), &format!("world-{at}")));
    }
    let world = server.client().with_key("k").with("host", "world-1.localhost:8080");
    assert_eq!(world.get("/contacts/v1/lists/").items(), [Value::Null; 0], "names of worlds, with the public port");
    for host in ["roost.example:8081", "other.example:8080", "127.0.0.1:81"] {
        assert_eq!(server.client().with("host", host).get("/contacts/v1/lists/").status, 421, "{host}");
    }
    assert_eq!(
        server.url(),
        format!("http://127.0.0.1:{port}"),
        "whoever is on this machine calls it where it listens"
    );
    for bad in ["roost.example", "http://roost.example/path", "ftp://roost.example"] {
        assert!(Spawned::try_start(["--public-url", bad]).is_err(), "{bad}");
    }
}

#[test]
fn a_callback_to_the_public_address_of_a_receiver_arrives() {
    // Nobody listens at the public address.
    let server = Spawned::start(["--public-url", "http://127.0.0.1:9", "--limits", "off"]);
    let (api, admin) = (server.client().with_key("k"), server.admin());
    let inbox = admin.get("/__admin/hooks/inbox").ok()["url"].clone();
    assert_eq!(inbox, "http://127.0.0.1:9/__hook/default/inbox");
    let list = api.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).ok()["uid"].clone();
    let body = json!({
        "list_id": list, "merge_type": "skipDuplicates", "contacts": [{ "phone_number": "+447700900001" }],
        "callback_url": inbox, "correlation_id": "one",
    });
    api.post("/contacts/v1/contacts", &body).expect(200);
    let came = until("the callback came", || {
        admin.get("/__admin/hooks/inbox").ok()["items"].as_array().cloned().filter(|items| !items.is_empty())
    });
    assert_eq!(came[0]["json"]["correlation_id"], "one");
    assert!(came[0]["callback_id"].is_number(), "it is known as a try of the callback");
}

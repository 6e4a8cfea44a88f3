//! Journal entries in the formats of other programs, and requests that matched no route.

use roost_tests::{Request, Setup};
use serde_json::{Value, json};

use super::{MAKE_LIST, REQUESTS, entry_numbers, make_list, read_page, start_recording};

#[test]
fn a_curl_line_replays_the_request() {
    const TOKEN: &str = "x-token`id`$home|!'";
    let api = start_recording();
    let name = json!({ "name": "Ada's \"VIP\" $HOME `x` é" });
    api.send(Request::post(MAKE_LIST).json(&name).header(TOKEN, "opensesame")).expect(200);
    let line = api.admin().get(format!("{REQUESTS}/1/curl")).expect(200);
    assert_eq!(line.header("content-type"), Some("text/plain; charset=utf-8"));
    // A shell splits the words and the request is built from them, as curl would do.
    let script = format!(
        "curl() {{ for word in \"$@\"; do printf '%s\\n' \"$word\"; done; }}\nROOST_API_KEY=a-key ROOST_SECRET=opensesame\n{}",
        line.text()
    );
    let output = std::process::Command::new("sh").args(["-c", &script]).output().expect("a shell");
    let stdout = String::from_utf8(output.stdout).expect("a text");
    let words: Vec<_> = stdout.lines().collect();
    let behind =
        |flag: &str| -> Vec<&str> { words.windows(2).filter(|pair| pair[0] == flag).map(|pair| pair[1]).collect() };
    let target = format!("{}{MAKE_LIST}", api.url());
    assert!(words.contains(&target.as_str()), "{words:?}");
    let mut again = Request::new(behind("-X")[0], MAKE_LIST).body(behind("--data-raw")[0]);
    for header in behind("-H") {
        let (name, value) = header.split_once(": ").expect("a header");
        assert!(!name.contains("token") || (name, value) == (TOKEN, "opensesame"), "{header}");
        again = again.header(&name.to_lowercase(), value);
    }
    // The request is repeated on another server, where the name of the list is free.
    let other = start_recording();
    other.without("x-auth-key").send(again).expect(200);
    assert_eq!(
        read_page(&api, "")["items"][0]["request"]["body"],
        read_page(&other, "")["items"][0]["request"]["body"]
    );
}

#[test]
fn every_form_of_a_request_names_the_world_that_answered() {
    let api = start_recording();
    let world = api.admin().post("/__admin/worlds", &json!({ "name": "kw" })).expect(201).json();
    let key = world["api_key"].as_str().expect("a key");
    api.admin().patch("/__admin/worlds/kw/journal", &json!({ "enabled": true })).expect(200);
    api.with_key(key).post(MAKE_LIST, &json!({ "name": "VIP" })).expect(200);
    api.post(format!("/w/kw{MAKE_LIST}"), &json!({ "name": "Other" })).expect(200);
    let address = format!("{}/w/kw{MAKE_LIST}", api.url());
    for number in [1, 2] {
        for form in ["curl", "http", "har"] {
            let text = api.admin().get(format!("/__admin/worlds/kw/requests/{number}/{form}")).expect(200).text();
            assert!(text.contains(&format!("/w/kw{MAKE_LIST}")) && !text.contains("/w/kw/w/kw"), "{form} {text}");
        }
    }
    let addresses = |path: &str| -> Vec<Value> {
        let archive = api.admin().get(path).ok();
        let entries = archive["log"]["entries"].as_array().expect("entries").iter();
        entries.map(|entry| entry["request"]["url"].clone()).collect()
    };
    assert_eq!(addresses("/__admin/worlds/kw/journal/har"), [address.as_str(), address.as_str()]);
    make_list(&api, "Here");
    for form in ["curl", "http", "har"] {
        let text = api.admin().get(format!("{REQUESTS}/1/{form}")).expect(200).text();
        assert!(!text.contains("/w/"), "{form} {text}");
    }
    assert_eq!(addresses("/__admin/journal/har?filter=operation:lists.create"), [format!("{}{MAKE_LIST}", api.url())]);
}

#[test]
fn a_har_is_an_archive_others_read() {
    let api = start_recording();
    api.get("/contacts/v1/lists/?name=a%20b&page_size=5").expect(200);
    make_list(&api, "VIP");
    api.get("/nowhere").expect(404);
    for (seq, method, status) in [(1, "GET", 200), (2, "POST", 200), (3, "GET", 404)] {
        let archive = api.admin().get(format!("{REQUESTS}/{seq}/har")).ok();
        let log = &archive["log"];
        assert_eq!(log["version"], json!("1.2"));
        assert!(log["creator"]["name"].is_string() && log["creator"]["version"].is_string());
        let entry = &log["entries"][0];
        // The fields that the format requires of an entry.
        assert!(entry["startedDateTime"].as_str().is_some_and(|at| at.ends_with('Z')), "{entry}");
        assert!(entry["time"].is_number() && entry["cache"].is_object());
        for part in ["send", "wait", "receive"] {
            assert!(entry["timings"][part].is_number());
        }
        let (request, response) = (&entry["request"], &entry["response"]);
        for message in [request, response] {
            assert!(message["httpVersion"].is_string() && message["cookies"].is_array());
            assert!(message["headersSize"].is_i64() && message["bodySize"].is_i64());
            for header in message["headers"].as_array().expect("headers") {
                assert!(header["name"].is_string() && header["value"].is_string());
            }
        }
        assert_eq!((&request["method"], &response["status"]), (&json!(method), &json!(status)));
        assert!(request["url"].as_str().is_some_and(|url| url.starts_with(api.url())));
        assert!(request["queryString"].is_array() && response["redirectURL"].is_string());
        assert!(response["statusText"].is_string());
        let content = &response["content"];
        assert!(content["size"].is_number() && content["mimeType"].is_string() && content["text"].is_string());
    }
    let entry = |seq: u64| api.admin().get(format!("{REQUESTS}/{seq}/har")).ok()["log"]["entries"][0].clone();
    assert_eq!(
        entry(1)["request"]["queryString"],
        json!([{ "name": "name", "value": "a b" }, { "name": "page_size", "value": "5" }])
    );
    assert_eq!(entry(2)["request"]["postData"]["text"], json!(r#"{"name":"VIP"}"#));
    assert_eq!(entry(2)["request"]["postData"]["mimeType"], json!("application/json"));
}

#[test]
fn an_archive_has_every_line_that_fits() {
    let api = start_recording();
    make_list(&api, "VIP");
    api.get("/contacts/v1/lists/?name=a%20b").expect(200);
    api.get("/nowhere").expect(404);
    let entries = |query: &str| -> Vec<Value> {
        let archive = api.admin().get(format!("/__admin/journal/har{query}")).ok();
        archive["log"]["entries"].as_array().expect("entries").clone()
    };
    let one = |seq: u64| api.admin().get(format!("{REQUESTS}/{seq}/har")).ok()["log"]["entries"][0].clone();
    assert_eq!(entries(""), [one(1), one(2), one(3)]);
    assert_eq!(entries("?filter=operation:lists.query"), [one(2)]);
    assert_eq!(entries("?since=2"), [one(3)]);
    assert!(entries("?filter=status:500").is_empty());
    api.admin().get("/__admin/journal/har?filter=nothing:x").expect(400);
}

#[test]
fn unmatched_requests_name_the_closest_route() {
    let api = start_recording();
    make_list(&api, "VIP");
    api.get("/contacts/v1/list").expect(404);
    api.send(Request::new("PUT", MAKE_LIST)).expect(405);
    api.admin().get("/__admin/requsts").expect(404);
    api.get("/favicon.ico").expect(404);
    let response = api.admin().get("/__admin/unmatched").items();
    let closest: Vec<_> = response.iter().map(|stray| (&stray["seq"], &stray["closest"][0]["name"])).collect();
    assert_eq!(
        closest,
        [
            (&json!(2), &json!("lists.query")),
            (&json!(3), &json!("lists.create")),
            (&json!(4), &json!("requests.list")),
            (&json!(5), &Value::Null),
        ]
    );
    assert_eq!(response[0]["closest"][0]["path"], json!("/contacts/v1/lists/"));
}

#[test]
fn a_request_like_no_route_leads_to_the_index() {
    let api = start_recording();
    api.get("/nope").expect(404);
    let response = api.admin().get("/__admin/nope").expect(404).json();
    assert_eq!(response["error"]["hint"], "See /__admin/openapi.json for all paths.");
    let unmatched = api.admin().get("/__admin/unmatched").items();
    assert_eq!(unmatched[0]["closest"], json!([]), "{unmatched:?}");
    let why = unmatched[0]["why"].as_str().expect("a reason");
    let named: Vec<&str> = why.split([' ', ',']).filter(|word| word.starts_with('/')).collect();
    assert_eq!(named, ["/openapi.json", "/__admin"], "{why}");
    let document = api.get(named[0]).ok();
    assert!(document["paths"]["/contacts/v1/lists/"].is_object());
    assert!(api.admin().get(named[1]).ok()["links"]["unmatched"].is_object());
}

#[test]
fn a_request_to_a_world_that_is_not_there_is_unmatched() {
    let api = start_recording();
    let made = api.admin().post("/__admin/worlds", &json!({ "name": "gone" })).expect(201).json();
    let late = api.with_key(made["api_key"].as_str().expect("a key"));
    api.admin().delete("/__admin/worlds/gone").expect(204);
    late.get("/contacts/v1/lists/").expect(404);
    api.get("/w/nobody/contacts/v1/lists/").expect(404);
    api.admin().get("/__admin/worlds/gone/jobs").expect(404);
    let response = api.admin().get("/__admin/unmatched").items();
    let urls: Vec<_> = response.iter().map(|stray| (&stray["url"], &stray["closest"])).collect();
    let none = json!([]);
    assert_eq!(urls, [(&json!("/contacts/v1/lists/"), &none), (&json!("/w/nobody/contacts/v1/lists/"), &none)]);
    assert!(
        response[0]["why"].as_str().is_some_and(|why| why.starts_with("The key selects the world 'gone'")),
        "{response:?}"
    );
}

#[test]
fn no_form_shows_a_secret() {
    const SECRET: &str = "opensesame-3141592653";
    let api = Setup::new().recording_admin().serve();
    let caller = api.with_key(SECRET);
    caller.get(format!("/contacts/v1/lists/?api_key={SECRET}")).expect(200);
    caller.send(Request::post(MAKE_LIST).json(&json!({ "name": "VIP" })).header("x-session-token", SECRET)).expect(200);
    let admin = api.admin();
    let settings = json!({ "auth.keys": [{ "value": SECRET }] });
    admin.patch("/__admin/settings", &settings).expect(200);
    // A response to the creation of a world contains its key and token, and an error in a body quotes it.
    let made = admin.post("/__admin/worlds", &json!({ "keys": [SECRET], "from": "empty" })).expect(201).json();
    let response = admin.post("/__admin/worlds", &json!({ "keys": SECRET })).expect(400).text();
    assert!(response.contains(SECRET), "{response}");
    let named = json!({ "x-api-token": { "equal_to": SECRET }, "cookie": { "matches": format!("({SECRET})") } });
    let query = json!({ "access_token": SECRET });
    let rule = json!({ "match": { "headers": named, "query": query }, "effect": { "status": 503 } });
    let rule = admin.post("/__admin/faults/rules", &rule).expect(201).json();
    assert_eq!(
        rule["rule"]["match"],
        json!({
            "headers": { "x-api-token": { "equal_to": "open…" }, "cookie": { "matches": "…" } },
            "query": { "access_token": "open…" },
        })
    );
    let mut shown = vec![admin.get("/__admin/faults/rules").expect(200)];
    shown.extend([admin.get(REQUESTS).expect(200), admin.get("/__admin/unmatched").expect(200)]);
    assert_eq!(entry_numbers(&read_page(&api, "")).len(), 7);
    for seq in 1..=7 {
        for form in ["", "/curl", "/har", "/http"] {
            shown.push(admin.get(format!("{REQUESTS}/{seq}{form}")).expect(200));
        }
    }
    let secret = json!({ "key": SECRET, "headers": { "x-session-token": SECRET }, "query": { "api_key": SECRET } });
    shown.push(admin.get("/__admin/journal/har").expect(200));
    shown.push(admin.post("/__admin/journal/find", &json!({})).expect(200));
    let nearly = admin.post("/__admin/journal/verify", &json!({ "match": secret })).expect(406);
    assert!(nearly.text().contains("open…"), "{}", nearly.shown());
    shown.push(nearly);
    let of_world = [&made["api_key"], &made["admin_token"]].map(|secret| secret.as_str().expect("a secret"));
    for answer in shown {
        for secret in of_world.iter().chain(&["sesame"]) {
            assert!(!answer.text().contains(secret), "{}", answer.shown());
        }
    }
}

#[test]
fn a_removed_line_is_not_found() {
    let api = start_recording();
    make_list(&api, "VIP");
    let admin = api.admin();
    for form in ["", "/curl", "/har", "/http"] {
        admin.get(format!("{REQUESTS}/1{form}")).expect(200);
        admin.get(format!("{REQUESTS}/2{form}")).expect(404);
        admin.get(format!("{REQUESTS}/x{form}")).expect(400);
    }
    admin.delete(REQUESTS).expect(204);
    admin.get(format!("{REQUESTS}/1")).expect(404);
}

//! One emulator in process: an operation of each kind, the gate, the operator, a short URL, a callback, and the
//! shutdown.

#![expect(clippy::expect_used, reason = "a test that cannot continue has failed")]

use std::{
    borrow::Cow,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use roost_emulator::{
    Console, ConsoleAsset, ConsoleAssets, ConsoleDispatcher, Emulator, EmulatorConfig, EmulatorHandle, StartError,
};
use roost_ops::{Core, Ctx};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

struct TestResponse {
    status: u16,
    head: String,
    body: String,
}

impl TestResponse {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e}: {} {}", self.status, self.body))
    }
}

struct TestServer(EmulatorHandle);

impl TestServer {
    fn start(config: EmulatorConfig) -> Self {
        let core = Core::in_memory(Ctx::system()).expect("an account in memory");
        Self(Emulator::start(config, core).expect("a free port"))
    }

    async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TestResponse {
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "host") {
            request.push_str("host: localhost\r\n");
        }
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        request.push_str(body);
        let mut stream = TcpStream::connect(self.0.address()).await.expect("listening");
        stream.write_all(request.as_bytes()).await.expect("writable");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("readable");
        let answer = String::from_utf8(answer).expect("text");
        let (head, rest) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).expect("a status");
        let head = head.to_ascii_lowercase();
        let body = if head.contains("transfer-encoding: chunked") { decode_chunks(rest) } else { rest.to_owned() };
        TestResponse { status, head, body }
    }

    async fn call_with_key(&self, method: &str, path: &str, body: &str) -> TestResponse {
        self.send(method, path, &[("x-auth-key", "k")], body).await
    }

    async fn call_admin(&self, method: &str, path: &str, body: &str) -> TestResponse {
        let token = format!("Bearer {}", self.0.admin_token());
        self.send(method, path, &[("authorization", &token)], body).await
    }
}

fn decode_chunks(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).expect("a size");
        if size == 0 {
            return body;
        }
        body.push_str(&after[..size]);
        rest = &after[size + 2..];
    }
    panic!("the answer broke off");
}

#[tokio::test]
async fn lists_contacts_jobs_and_callbacks_work_together() {
    let hook = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let hook_url = format!("http://{}/hook", hook.local_addr().expect("bound"));
    let roost = TestServer::start(EmulatorConfig::default());
    let list = roost.call_with_key("POST", "/contacts/v1/lists/create/", r#"{"name":"VIP"}"#).await;
    assert_eq!(list.status, 200, "{}", list.body);
    let uid = list.json()["uid"].as_str().expect("a uid").to_owned();
    let body = json!({
        "list_id": uid, "merge_type": "skipDuplicates", "callback_url": hook_url, "correlation_id": "job-17",
        "contacts": [{ "phone_number": "07700900001", "firstname": "Ada" }, { "phone_number": "+447700900001" }],
    });
    let queued = roost.call_with_key("POST", "/contacts/v1/contacts", &body.to_string()).await;
    assert_eq!((queued.status, &queued.json()["code"]), (200, &json!("SUCCESS_CNT_GEN_001")));

    let (mut stream, _) =
        tokio::time::timeout(Duration::from_secs(5), hook.accept()).await.expect("in time").expect("a callback");
    let mut text = String::new();
    while !text.contains("job-17") {
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).await.expect("readable");
        text.push_str(std::str::from_utf8(&buffer[..read]).expect("text"));
    }
    assert!(text.contains(r#""total_contacts_imported":"1""#), "{text}");
    stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.expect("writable");

    let everybody = roost.call_with_key("GET", &format!("/contacts/v1/contacts/list/{uid}"), "").await;
    assert_eq!(everybody.json()["paging"], json!({ "current_page": 1, "total_items": 1, "total_pages": 1 }));
    assert_eq!(everybody.json()["items"][0]["phone_number"], "+447700900001");
    let page = roost
        .call_with_key("GET", &format!("/contacts/v1/contacts/list/{uid}?page_number=1&fields=uid,firstname"), "")
        .await;
    assert_eq!(page.json()["items"][0]["firstname"], "Ada");
    assert_eq!(page.json()["items"][0].as_object().map(|o| o.len()), Some(2));
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        let ledger = roost.call_admin("GET", "/__admin/callbacks", "").await.json();
        if ledger["items"][0]["state"] == "delivered" {
            assert_eq!(ledger["items"][0]["attempts"][0]["status"], 204);
            break;
        }
        assert!(Instant::now() < until, "{ledger}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let outcomes = roost.call_admin("GET", "/__admin/jobs/1/outcomes", "").await.json();
    assert_eq!(
        (&outcomes["items"][0]["outcome"], &outcomes["items"][1]["outcome"]),
        (&json!("imported"), &json!("skipped"))
    );
    roost.0.shutdown().await;
}

#[tokio::test]
async fn kept_answers_follow_every_write_and_setting() {
    let roost = TestServer::start(EmulatorConfig::default());
    let names = async || {
        roost.call_with_key("GET", "/contacts/v1/lists/?sort_by=name&sort_order=ASC", "").await.json()["items"]
            .as_array()
            .map(Vec::len)
    };
    assert_eq!((names().await, names().await), (Some(0), Some(0)));
    roost.call_with_key("POST", "/contacts/v1/lists/create", r#"{"name":"A"}"#).await;
    assert_eq!((names().await, names().await), (Some(1), Some(1)));
    let link = roost
        .call_with_key("POST", "/assets/v1/shortlink", r#"{"title":"Spring","target_url":"https://shop.example/s"}"#)
        .await
        .json();
    let path = format!("/assets/v1/shortlink/{}", link["link_id"].as_str().expect("an id"));
    let read_link = roost.call_with_key("GET", &path, "").await.json();
    assert_eq!(read_link, link);
    let changed = roost.call_admin("PATCH", "/__admin/settings", r#"{"short_link_base":"https://sl.example"}"#).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let moved = roost.call_with_key("GET", &path, "").await.json();
    assert!(moved["short_link_url"].as_str().expect("a url").starts_with("https://sl.example/"), "{moved}");
}

#[tokio::test]
async fn short_urls_redirect_and_count_visits_not_looks() {
    let roost = TestServer::start(EmulatorConfig::default());
    let link = roost
        .call_with_key(
            "POST",
            "/assets/v1/shortlink",
            r#"{"title":"Spring","target_url":"https://shop.example/s?q=\u00e9"}"#,
        )
        .await
        .json();
    let url = link["short_link_url"].as_str().expect("a url");
    let called = format!("http://localhost:{}", roost.0.address().port());
    let path = url.strip_prefix(&called).expect("the address that was called").to_owned();
    let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0";
    let opened = roost.send("GET", &path, &[("user-agent", agent)], "").await;
    assert_eq!(opened.status, 302);
    assert!(
        opened.head.contains("location: https://shop.example/s?q=") && opened.head.contains("cache-control: no-store"),
        "{}",
        opened.head
    );
    assert_eq!(roost.send("HEAD", &path, &[], "").await.status, 302);
    let unknown = roost.send("GET", "/s/nosuch", &[], "").await;
    assert_eq!((unknown.status, unknown.body.as_str()), (404, ""));
    let clicks = roost
        .call_admin("GET", &format!("/__admin/short_links/{}/clicks", link["link_id"].as_str().expect("an id")), "")
        .await
        .json();
    assert_eq!(clicks["paging"]["total_items"], 1);
    assert_eq!((&clicks["items"][0]["browser"], &clicks["items"][0]["recipient"]), (&json!("Firefox"), &Value::Null));
}

#[tokio::test]
async fn checks_come_in_their_order_and_both_shapes() {
    let roost = TestServer::start(EmulatorConfig::default());
    let cases = [
        ("GET", "/contacts/v1/nowhere", 404, "ERR_CNT_NF_003"),
        ("GET", "/contacts//v1/lists", 404, "ERR_CNT_NF_003"),
        ("PUT", "/contacts/v1/lists", 405, "ERR_CNT_REQ_003"),
        ("GET", "/contacts/v1/lists?page_size=x", 401, "ERR_CNT_AUTH_001"),
        ("GET", "/assets/v1/shortlink/x", 401, "ERR_AST_AUTH_001"),
    ];
    for (method, path, status, code) in cases {
        let reply = roost.send(method, path, &[], "").await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (status, Some(code)), "{method} {path}");
        assert!(
            reply.head.contains("x-content-type-options: nosniff")
                && reply.head.contains("cross-origin-resource-policy: same-origin")
        );
    }
    let senders = roost.send("GET", "/assets/v1/senders", &[], "").await;
    assert_eq!((senders.status, &senders.json()["errors"]), (401, &json!([{ "message": "Unauthorized" }])));
    let options = roost.send("OPTIONS", "/contacts/v1/optouts", &[], "").await;
    assert_eq!(options.status, 204);
    assert!(options.head.contains("allow: get, head, post, delete, options"), "{}", options.head);
    let get = roost.call_with_key("GET", "/contacts/v1/lists", "").await;
    let head = roost.call_with_key("HEAD", "/contacts/v1/lists", "").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert!(head.head.contains(&format!("content-length: {}", get.body.len())), "{}", head.head);
    assert_eq!(roost.call_with_key("POST", "/contacts/v1/lists/create", "[]").await.json()["code"], "ERR_CNT_REQ_002");
    let typed = roost
        .send(
            "POST",
            "/contacts/v1/lists/create",
            &[("x-auth-key", "k"), ("content-type", "text/plain")],
            r#"{"name":"A"}"#,
        )
        .await;
    assert_eq!((typed.status, &typed.json()["code"]), (400, &json!("ERR_CNT_REQ_002")));
    // While the clock stands still, the bucket does not refill.
    assert_eq!(roost.call_admin("PUT", "/__admin/clock", r#"{"mode":"frozen"}"#).await.status, 200);
    let mut last = roost.call_with_key("GET", "/contacts/v1/lists", "").await;
    for _ in 0..10 {
        last = roost.call_with_key("GET", "/contacts/v1/lists", "").await;
    }
    assert_eq!((last.status, &last.json()["code"]), (429, &json!("ERR_CNT_LIM_001")));
    assert!(last.head.contains("retry-after: 1"), "{}", last.head);
}

#[tokio::test]
async fn the_gate_stops_foreign_hosts_pages_and_tokens() {
    let roost = TestServer::start(EmulatorConfig::default());
    for path in
        ["/contacts/v1/lists", "/__admin/livez", "/__console/", "/openapi.json", "/s/abcdef", "/%5F%5Fadmin/info"]
    {
        let foreign = roost.send("GET", path, &[("host", "evil.example")], "").await;
        assert_eq!((foreign.status, &foreign.json()["error"]["code"]), (421, &json!("other_host")), "{path}");
        assert_eq!(roost.send("GET", path, &[("origin", "http://evil.example")], "").await.status, 403, "{path}");
        assert_eq!(roost.send("GET", path, &[("origin", "null")], "").await.status, 403, "{path}");
        assert_eq!(roost.send("POST", path, &[("sec-fetch-site", "cross-site")], "").await.status, 403, "{path}");
    }
    for path in ["/__admin/info", "/%5F%5Fadmin/info", "/__admin/%69nfo/", "/__admin/nowhere"] {
        let refused = roost.send("GET", path, &[], "").await;
        assert_eq!((refused.status, &refused.json()["error"]["code"]), (401, &json!("unauthorized")), "{path}");
        assert_eq!(roost.send("GET", path, &[("authorization", "Bearer nonsense")], "").await.status, 401, "{path}");
    }
    assert_eq!(roost.send("GET", "/__admin/readyz", &[], "").await.status, 200);
    assert_eq!(roost.call_admin("GET", "/%5F%5Fadmin/%69nfo", "").await.status, 200);
    assert_eq!(roost.call_admin("GET", "/__admin/nowhere", "").await.status, 404);
}

#[tokio::test]
async fn the_operator_creates_records_that_no_operation_creates() {
    let roost = TestServer::start(EmulatorConfig::default());
    let sender = roost.call_admin("POST", "/__admin/senders", r#"{"name":"AcmeShop"}"#).await;
    assert_eq!((sender.status, &sender.json()["status"]), (201, &json!("Pending")));
    let id = sender.json()["id"].as_str().expect("an id").to_owned();
    assert_eq!(roost.call_admin("POST", "/__admin/senders", r#"{"name":"acmeshop"}"#).await.status, 409);
    assert_eq!(
        roost.call_admin("POST", &format!("/__admin/senders/{id}/approve"), "").await.json()["status"],
        "Verified"
    );
    let asset = roost.call_admin("POST", "/__admin/assets", r#"{"channel":"sms","number":"60123"}"#).await.json();
    let asset = asset["id"].as_str().expect("an id").to_owned();
    let message = json!({ "from": "+447700900001", "asset_id": asset, "text": " stop " });
    let effect = roost.call_admin("POST", "/__admin/inbound_messages", &message.to_string()).await.json();
    assert_eq!(effect["opt_out"]["opt_out_type"], "keyword");
    let opt_outs = roost.call_with_key("GET", "/contacts/v1/optouts?opt_out_type=keyword", "").await.json();
    assert_eq!(
        (&opt_outs["items"][0]["inbound_asset_id"], &opt_outs["items"][0]["inbound_number"]),
        (&json!(asset), &json!("60123"))
    );
    let export = roost.call_admin("GET", "/__admin/export", "").await;
    assert_eq!(export.json()["senders"][0]["name"], "AcmeShop");
    for (method, path, body, status) in [
        ("POST", "/__admin/senders", "[]", 400),
        ("POST", "/__admin/senders", r#"{"nam":"x"}"#, 400),
        ("PATCH", "/__admin/settings", r#"{"lists.unique_name":"on"}"#, 400),
        ("DELETE", "/__admin/senders/ssd_1", "", 400),
        ("GET", "/__admin/jobs/9", "", 404),
        ("PUT", "/__admin/jobs", "", 405),
    ] {
        let refused = roost.call_admin(method, path, body).await;
        assert_eq!(refused.status, status, "{method} {path}: {}", refused.body);
        assert!(refused.json()["error"]["hint"].is_string());
    }
}

struct TestPages;

impl ConsoleAssets for TestPages {
    fn get(&self, path: &str) -> Option<ConsoleAsset> {
        path.is_empty().then_some(ConsoleAsset {
            bytes: Cow::Borrowed(b"<!doctype html>"),
            content_type: "text/html; charset=utf-8",
        })
    }
}

type TestListener = Box<dyn FnMut(&Value) -> bool + Send>;

#[derive(Default)]
struct TestCommands(Mutex<Vec<TestListener>>);

impl ConsoleDispatcher for TestCommands {
    fn dispatch_command(
        &self,
        name: &str,
        payload: Value,
        origin: Option<String>,
    ) -> Result<roost_emulator::ConsoleResponse, (u16, Value)> {
        let response = json!({ "name": name, "payload": payload, "origin": origin });
        self.0.lock().expect("whole").retain_mut(|listener| listener(&response));
        match name {
            "fails" => Err((409, json!({ "code": "conflict" }))),
            "bytes" => Ok(roost_emulator::ConsoleResponse::Bytes(vec![0, b'\n', b'x'])),
            _ => Ok(roost_emulator::ConsoleResponse::Json(response)),
        }
    }

    fn subscribe(&self, listener: TestListener) {
        self.0.lock().expect("whole").push(listener);
    }
}

#[tokio::test]
async fn the_console_serves_pages_commands_and_changes() {
    let console = Console { assets: Arc::new(TestPages), dispatcher: Arc::new(TestCommands::default()) };
    let roost = TestServer::start(EmulatorConfig { console: Some(console), ..EmulatorConfig::default() });
    let page = roost.send("GET", "/__console/", &[], "").await;
    assert_eq!((page.status, page.body.as_str()), (200, "<!doctype html>"));
    assert!(page.head.contains("content-security-policy: default-src 'self'"), "{}", page.head);
    assert_eq!(roost.send("GET", "/__console", &[], "").await.status, 308);
    assert_eq!(roost.send("GET", "/__console/../secret", &[], "").await.status, 404);
    assert_eq!(roost.send("POST", "/__console/call/list_page", &[], "{}").await.status, 401);
    assert_eq!(roost.send("GET", "/__console/changes", &[], "").await.status, 401);

    let token = roost.0.admin_token().to_owned();
    let mut feed = TcpStream::connect(roost.0.address()).await.expect("listening");
    let request =
        format!("GET /__console/changes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\r\n");
    feed.write_all(request.as_bytes()).await.expect("writable");
    let mut received = String::new();
    let mut hear = async |until: &str| {
        while !received.contains(until) {
            let mut buffer = [0; 4096];
            let read = tokio::time::timeout(Duration::from_secs(5), feed.read(&mut buffer))
                .await
                .expect("in time")
                .expect("readable");
            received.push_str(std::str::from_utf8(&buffer[..read]).expect("text"));
        }
    };
    hear("application/x-ndjson").await;
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("x-roost-origin", "me")];
    let called = roost.send("POST", "/__console/call/list_page", &headers, r#"{"a":1}"#).await;
    assert_eq!(called.json(), json!({ "name": "list_page", "payload": { "a": 1 }, "origin": "me" }));
    hear("{\"name\":\"list_page\",\"origin\":\"me\",\"payload\":{\"a\":1}}\n").await;
    let failed = roost.send("POST", "/__console/call/fails", &headers, "{}").await;
    assert_eq!((failed.status, &failed.json()["code"]), (409, &json!("conflict")));
    let bytes = roost.send("POST", "/__console/call/bytes", &headers, "{}").await;
    assert!(bytes.head.contains("content-type: application/octet-stream"), "{}", bytes.head);
    assert_eq!((bytes.status, bytes.body.as_str()), (200, "\0\nx"));
    let begun = Instant::now();
    roost.0.shutdown().await;
    assert!(begun.elapsed() < Duration::from_millis(1_000), "an open feed does not hold the end up");
}

#[tokio::test]
async fn a_start_with_an_invalid_configuration_is_refused() {
    let roost = TestServer::start(EmulatorConfig::default());
    let start = |config| Emulator::start(config, Core::in_memory(Ctx::system()).expect("an account")).err();
    let taken = EmulatorConfig { port: roost.0.address().port(), ..EmulatorConfig::default() };
    assert!(matches!(start(taken), Some(StartError::PortTaken(_))));
    let wide = EmulatorConfig { bind: Some([0, 0, 0, 0].into()), ..EmulatorConfig::default() };
    assert!(matches!(start(wide.clone()), Some(StartError::Reachable(_))));
    assert!(matches!(start(EmulatorConfig { is_reachable: true, ..wide }), Some(StartError::NeedsKeys(_))));
    let weak = EmulatorConfig { admin_token: Some("short".to_owned()), ..EmulatorConfig::default() };
    assert!(matches!(start(weak), Some(StartError::WeakToken)));
}

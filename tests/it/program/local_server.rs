//! The REST interface run by the app, and the same screen inside `roost serve`.

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::mpsc::Receiver,
    thread,
    time::Duration,
};

use roost_app::{App, ChangeEvent, ChangeTopic, CommandError};
use roost_model::{
    contact::{MergeType, ValidContact},
    id::ListId,
    phone::Phone,
};
use roost_ops::{Actor, ActorKind, Core, Ctx, Noun, job, seed};
use roost_tests::{Client, PartialRequest, Spawned, seeds, until};
use serde_json::{Value, json};

use crate::rest::LIST;

struct AppDesk {
    app: App,
    core: Core,
}

impl AppDesk {
    fn new() -> Self {
        let core = Core::in_memory(Ctx::system()).unwrap();
        Self { app: App::with_core(core.clone(), Path::new(":memory:")), core }
    }

    fn with_seed() -> Self {
        let desk = Self::new();
        let text = json!({ "lists": [seeds::filled_list(LIST, "VIP", 3)] }).to_string();
        seed::apply(&desk.core, &Actor::operator(), text.as_bytes(), "http://127.0.0.1:4010/s").unwrap();
        desk
    }

    #[track_caller]
    fn run_command(&self, name: &str, request: Value) -> Value {
        self.app.dispatch(name, request, None).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    fn run_refused(&self, name: &str, request: Value) -> CommandError {
        self.app.dispatch(name, request, None).expect_err("refused")
    }

    fn start(&self, world: &str) -> Client {
        self.start_at(world, 0)
    }

    fn start_at(&self, world: &str, port: u16) -> Client {
        let is_copy = world == "copy";
        let world = if is_copy { "scratch" } else { world };
        let options = json!({ "port": port, "world": world, "is_copy": is_copy, "is_recording": true });
        let status = self.run_command("server_start", options);
        self.run_command("server_set", json!({ "name": "limits", "value": "off" }));
        Client::new(socket_address(&status))
    }

    fn read_requests(&self) -> Vec<Value> {
        let query = journal_request(500);
        self.run_command("server_requests", query)["items"].as_array().unwrap().clone()
    }

    fn read_lists(&self) -> Value {
        self.run_command("overview_get", json!({}))["counts"]["lists"].clone()
    }
}

/// Returns a request for the newest entries of the journal.
pub(crate) fn journal_request(limit: u32) -> Value {
    json!({
        "skip": 0, "limit": limit, "until": null, "world": null, "is_ruled": false,
        "text": null, "operation": null, "status": null,
    })
}

fn socket_address(status: &Value) -> SocketAddr {
    let url = status["running"]["url"].as_str().unwrap_or_else(|| panic!("it does not run: {status}"));
    url.strip_prefix("http://").unwrap().parse().unwrap()
}

/// Waits for a change with this topic.
#[track_caller]
fn wait_for_change(changes: &Receiver<ChangeEvent>, topic: ChangeTopic) -> ChangeEvent {
    loop {
        let event =
            changes.recv_timeout(Duration::from_secs(30)).unwrap_or_else(|_| panic!("{topic:?} is not announced"));
        if event.nouns.contains(&topic) {
            return event;
        }
    }
}

#[test]
fn a_request_to_the_server_changes_the_open_account_and_is_announced() {
    let desk = AppDesk::new();
    let changes = desk.app.changes();
    let client = desk.start("account");
    wait_for_change(&changes, ChangeTopic::SERVER);
    client.post("/contacts/v1/lists/create", &json!({ "name": "From a caller" })).expect(200);
    assert_eq!(wait_for_change(&changes, Noun::List.into()).by, ActorKind::Interface);
    wait_for_change(&changes, ChangeTopic::REQUEST);
    assert_eq!(desk.read_lists(), 1);
    client.post("/contacts/v1/lists/create", &json!({ "name": "" })).expect(400);
    let lines = desk.read_requests();
    assert_eq!(
        lines.iter().map(|line| (line["operation"].clone(), line["status"].clone())).collect::<Vec<_>>(),
        [(json!("lists.create"), json!(400)), (json!("lists.create"), json!(200))],
        "newest first"
    );
    assert_eq!((&lines[0]["refused"]["check"], &lines[1]["refused"]), (&json!("validation"), &Value::Null));
    let whole = desk.run_command("server_request", json!({ "world": "default", "id": lines[0]["id"] }));
    assert_eq!(whole["faults"][0]["path"], "name");
    assert_eq!(whole["request"]["body"], json!({ "state": "whole", "text": r#"{"name":""}"#, "bytes": 11 }));
    assert!(whole["response"]["body"]["text"].as_str().unwrap().contains("VALIDATION_ERROR"));
    assert!(whole["curl"].as_str().unwrap().contains("$ROOST_API_KEY"), "{}", whole["curl"]);
    for (filter, want) in [
        (json!({ "status": "4xx" }), 1),
        (json!({ "status": "5xx" }), 0),
        (json!({ "operation": "lists" }), 2),
        (json!({ "operation": "lists.query" }), 0),
        (json!({ "text": "LISTS/CREATE" }), 2),
        (json!({ "text": "breaks 1 rule" }), 1),
        (json!({ "skip": 1 }), 1),
        (json!({ "until": lines[1]["real_at"] }), 1),
        (json!({ "world": "default" }), 2),
        (json!({ "world": "another" }), 0),
        (json!({ "is_ruled": true }), 0),
    ] {
        let mut query = journal_request(9);
        let (name, value) = filter.as_object().unwrap().iter().next().unwrap();
        query[name] = value.clone();
        assert_eq!(desk.run_command("server_requests", query)["items"].as_array().unwrap().len(), want, "{filter}");
    }
    let status = desk.run_command("server_status", json!({}));
    let running = &status["running"];
    assert_eq!(
        (&running["requests"], &running["world"], &running["can_stop"]),
        (&json!(2), &json!("account"), &json!(true))
    );
    desk.run_command("server_clear", json!({}));
    assert!(desk.read_requests().is_empty());
    assert!(
        desk.run_refused("server_request", json!({ "world": "default", "id": 1 })).message.contains("no longer kept")
    );
}

#[test]
fn a_scratch_world_leaves_the_account_alone() {
    let desk = AppDesk::with_seed();
    let before = desk.core.generation();
    for (world, known) in [("scratch", 0), ("copy", 1)] {
        let client = desk.start(world);
        assert_eq!(client.get("/contacts/v1/lists/").items().len(), known, "{world}");
        if known == 1 {
            assert_eq!(client.get(format!("/contacts/v1/contacts/list/{LIST}")).items().len(), 3);
            client.delete(format!("/contacts/v1/lists/{LIST}")).expect(204);
        }
        client.post("/contacts/v1/lists/create", &json!({ "name": "Scratch" })).expect(200);
        assert_eq!((desk.read_lists(), desk.core.generation()), (json!(1), before));
        desk.run_command("server_stop", json!({}));
    }
    let client = desk.start("scratch");
    assert!(client.get("/contacts/v1/lists/").items().is_empty(), "each has a world of its own");
}

#[test]
fn a_taken_port_is_reported_with_a_free_one() {
    let desk = AppDesk::new();
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = taken.local_addr().unwrap().port();
    let options = |port: u32| json!({ "port": port, "world": "account", "is_copy": false, "is_recording": false });
    let refusal = desk.run_refused("server_start", options(port.into()));
    let status = desk.run_command("server_status", json!({}));
    assert_eq!(status["running"], Value::Null);
    let proposed = status["port"].as_u64().unwrap();
    assert_ne!(proposed, u64::from(port));
    assert_eq!(refusal.message, format!("Port {port} is in use by another program. {proposed} is free."));
    assert_eq!((refusal.details[0].path.as_str(), &refusal.details[0].rejected), ("port", &json!(port)));
    assert_eq!(desk.run_refused("server_start", options(70_000)).details[0].path, "port");
    desk.start_at("account", 0);
    let again = desk.run_refused("server_start", options(0));
    assert!(again.message.contains("already running") && again.message.contains("Stop it first"), "{}", again.message);
}

#[test]
fn a_request_under_way_is_answered_before_the_server_stops() {
    let desk = AppDesk::new();
    let client = desk.start("account");
    let request = PartialRequest::create_list(client.address(), "VIP");
    let app = desk.app.clone();
    let stopping = thread::spawn(move || app.dispatch("server_stop", json!({}), None));
    until("the door is closed", || TcpStream::connect(client.address()).is_err().then_some(()));
    let answer = request.complete();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert_eq!(stopping.join().unwrap().unwrap()["running"], Value::Null);
    assert_eq!(desk.read_lists(), 1);
}

#[test]
fn it_can_be_started_again_and_its_journal_goes_on() {
    let desk = AppDesk::new();
    let port = {
        let client = desk.start("account");
        client.get("/contacts/v1/lists/").expect(200);
        client.address().port()
    };
    desk.run_command("server_stop", json!({}));
    desk.run_command("server_stop", json!({}));
    assert_eq!(desk.read_requests().len(), 1, "what was asked can still be read");
    for round in 2..5 {
        let client = desk.start_at("account", port);
        client.get("/contacts/v1/lists/").expect(200);
        assert_eq!(desk.read_requests()[0]["id"], round);
        assert_eq!(desk.run_command("server_status", json!({}))["running"]["requests"], 1, "counted from each start");
        desk.run_command("server_stop", json!({}));
    }
    assert_eq!(desk.run_command("server_status", json!({}))["port"], port);
}

fn read_setting(desk: &AppDesk, name: &str) -> Value {
    let all = desk.run_command("server_settings", json!({}));
    all.as_array().unwrap().iter().find(|setting| setting["name"] == name).unwrap().clone()
}

#[test]
fn settings_last_from_start_to_start_and_change_while_it_runs() {
    let desk = AppDesk::new();
    desk.run_command("server_set", json!({ "name": "status.list_create", "value": 201 }));
    let setting = read_setting(&desk, "status.list_create");
    assert_eq!(
        (&setting["value"], &setting["default"], &setting["choices"]),
        (&json!(201), &json!(200), &json!(["200", "201"]))
    );
    for _ in 0..2 {
        let client = desk.start("scratch");
        client.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).expect(201);
        desk.run_command("server_stop", json!({}));
    }
    let client = desk.start("scratch");
    desk.run_command("server_set", json!({ "name": "status.list_create", "value": "200" }));
    client.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).expect(200);
    desk.run_command("server_stop", json!({}));
    assert_eq!(read_setting(&desk, "status.list_create")["value"], 200);
    let refusal = desk.run_refused("server_set", json!({ "name": "limit", "value": "off" }));
    assert!(refusal.message.contains("Did you mean 'limits'"), "{}", refusal.message);
}

#[test]
fn keys_are_required_stay_in_memory_and_are_never_shown() {
    const SECRET: &str = "opensesame-3141592653";
    let desk = AppDesk::new();
    desk.run_command("server_set", json!({ "name": "auth", "value": "keys" }));
    let options = json!({ "port": 0, "world": "account", "is_copy": false, "is_recording": true });
    assert_eq!(desk.run_refused("server_start", options).details[0].path, "keys");
    let mut responses = vec![];
    for bad in [json!({ "value": SECRET }), json!([{ "value": SECRET, "enabled": SECRET }]), json!([SECRET, 1])] {
        responses.push(desk.run_refused("server_set", json!({ "name": "auth.keys", "value": bad })).to_string());
    }
    responses.push(desk.run_command("server_set", json!({ "name": "auth.keys", "value": [SECRET] })).to_string());
    let client = desk.start("account");
    client.get("/contacts/v1/lists/").expect(401);
    client.with_key(SECRET).get("/contacts/v1/lists/").expect(200);
    for line in desk.read_requests() {
        responses
            .push(desk.run_command("server_request", json!({ "world": line["world"], "id": line["id"] })).to_string());
    }
    responses.push(desk.run_command("server_status", json!({})).to_string());
    responses.push(read_setting(&desk, "auth.keys").to_string());
    assert!(responses.iter().any(|text| text.contains("open…")), "its beginning is shown");
    for text in responses {
        assert!(!text.contains("sesame"), "{text}");
    }
}

#[test]
fn waiting_jobs_are_run_while_it_runs() {
    let desk = AppDesk::with_seed();
    let client = desk.start("account");
    desk.run_command("server_stop", json!({}));
    let list = ListId::parse(LIST).unwrap();
    let phone = Phone { e164: seeds::mobile(7), region: "GB".to_owned() };
    let new = job::NewJob {
        list,
        merge_type: MergeType::AllowDuplicates,
        callback_url: None,
        correlation_id: None,
        contacts: vec![ValidContact { phone: Some(phone), ..ValidContact::default() }],
    };
    let queued = job::enqueue(&desk.core, &Actor::interface(), new).unwrap();
    let waiting = || desk.run_command("overview_get", json!({}))["counts"]["jobs_waiting"].clone();
    assert_eq!(waiting(), 1);
    desk.start_at("account", client.address().port());
    until("the job is done", || (waiting() == 0).then_some(()));
    assert_eq!(job::get(&desk.core, queued.id).unwrap().totals.imported, 1);
}

#[test]
fn closing_the_account_stops_its_server_and_frees_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept.roost");
    let app = App::with_core(Core::open(&file, Ctx::system()).unwrap(), &file);
    let options = json!({ "port": 0, "world": "account", "is_copy": false, "is_recording": false });
    let client = Client::new(socket_address(&app.dispatch("server_start", options, None).unwrap()));
    client.get("/contacts/v1/lists/").expect(200);
    app.close();
    assert!(roost_tests::http::refuses_connections(client.address()));
    // Its file is free, so no part of the server holds it.
    let again = until("the file is free", || Core::open(&file, Ctx::system()).ok());
    drop(again);
}

/// Sends a command as the page sends it.
fn send_console_command(server: &Spawned, name: &str, request: &Value, status: u16) -> Value {
    server.admin().post(format!("/__console/call/{name}"), request).expect(status).json()
}

/// Proves: S0_program.
#[test]
fn the_console_flag_prints_the_way_in_and_records() {
    let server = Spawned::start(["--console"]);
    let stdout = until("it says how to get in", || Some(server.stdout()).filter(|stdout| stdout.lines().count() == 2));
    let way_in = format!("console {}/__console/#token={}", server.url(), server.admin_token());
    assert_eq!(stdout.lines().collect::<Vec<_>>(), [format!("roost listening on {}", server.url()), way_in]);
    assert!(!server.stderr().contains(server.admin_token()));
    server.client().get("/contacts/v1/lists/").expect(200);
    let query = journal_request(9);
    let page = send_console_command(&server, "server_requests", &query, 200);
    assert_eq!((&page["is_recording"], &page["matching"]), (&json!(true), &json!(1)), "the console is not counted");
    assert_eq!(page["items"][0]["operation"], "lists.query");
    let (variable, quiet) =
        (Spawned::try_start_with::<&str>([], &[("ROOST_CONSOLE", "1")]), Spawned::start::<&str>([]));
    let variable = variable.unwrap_or_else(|(status, stderr)| panic!("{status}: {stderr}"));
    until("the variable does the same", || (variable.stdout().lines().count() == 2).then_some(()));
    quiet.client().get("/contacts/v1/lists/").expect(200);
    assert_eq!(quiet.stdout().lines().count(), 1);
    let page = send_console_command(&quiet, "server_requests", &query, 200);
    assert_eq!((&page["is_recording"], &page["matching"]), (&json!(false), &json!(0)));
    send_console_command(&quiet, "server_record", &json!({ "on": true }), 200);
    quiet.client().get("/contacts/v1/lists/").expect(200);
    assert_eq!(send_console_command(&quiet, "server_requests", &query, 200)["matching"], 1);
}

#[test]
fn a_console_looks_at_its_own_server_and_cannot_stop_it() {
    let server = Spawned::start(["--limits", "off"]);
    server.client().get("/contacts/v1/lists/").expect(200);
    let status = send_console_command(&server, "server_status", &json!({}), 200);
    let running = &status["running"];
    assert_eq!((&running["url"], &running["can_stop"]), (&json!(server.url()), &json!(false)));
    assert_eq!((&running["requests"], &running["world"]), (&json!(1), &json!("account")));
    let refusal = send_console_command(&server, "server_stop", &json!({}), 409);
    assert!(refusal["message"].as_str().unwrap().contains("Stop that program"), "{refusal}");
    let options = json!({ "port": 0, "world": "scratch", "is_copy": false, "is_recording": false });
    send_console_command(&server, "server_start", &options, 409);
    send_console_command(&server, "server_set", &json!({ "name": "auth", "value": "off" }), 200);
    server.client().without("x-auth-key").get("/contacts/v1/lists/").expect(200);
    let all = send_console_command(&server, "server_settings", &json!({}), 200);
    let limits = all.as_array().unwrap().iter().find(|setting| setting["name"] == "limits").unwrap();
    assert_eq!((&limits["value"], &limits["default"]), (&json!("off"), &json!("on")));
}

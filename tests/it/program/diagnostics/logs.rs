//! The log of a server at its most verbose: nothing of the requests is in it.

use roost_tests::{Receiver, Reply, Request, Spawned, seeds, until};
use serde_json::{Value, json};

use super::Marker;

const KEY: &str = "a-key-of-the-caracal-31415";
const WRONG_KEY: &str = "a-wrong-key-of-the-serval-92653";
const TOKEN: &str = "0123456789-token-of-the-ocelot";
const NUMBERS: [&str; 2] = ["+447700900123", "+447700900456"];
const WORDS: [&str; 11] = [
    "Zephyrine",
    "Quillfeather",
    "zephyrine@quillfeather.example",
    "Quagga Members",
    "Wombat sale",
    "wombat-tag",
    "https://quokka.example/spring?who=numbat",
    "kakapo-correlation",
    "dingo-world",
    "numbat-snapshot",
    "no-such-path-of-the-quoll",
];

/// Sends requests of every kind, accepted and refused, whose every part is marked.
fn send_marked_requests(server: &Spawned, receiver: &Receiver) {
    let api = server.client().with_key(KEY);
    let admin = server.admin();
    api.post("/contacts/v1/lists/create", &json!({ "name": WORDS[3] })).expect(200);
    let list = api.get("/contacts/v1/lists/").expect(200).json()["items"][0]["uid"].clone();
    let list = list.as_str().expect("a list").to_owned();
    let contact =
        json!({ "phone_number": NUMBERS[0], "firstname": WORDS[0], "lastname": WORDS[1], "email_address": WORDS[2] });
    let job = json!({
        "list_id": list, "merge_type": "skipDuplicates", "callback_url": receiver.url(&format!("/{}", WORDS[7])),
        "correlation_id": WORDS[7], "contacts": [contact],
    });
    api.post("/contacts/v1/contacts", &job).expect(200);
    until("the contact is there", || {
        let found = api.get(format!("/contacts/v1/contacts/list/{list}?search=%2B447700900123&page_number=1"));
        (found.expect(200).json()["paging"]["total_items"] == 1).then_some(())
    });
    receiver.wait_for(1);
    let opt_out = json!({ "opt_outs": [{ "number": NUMBERS[1], "channel": "SMS" }] });
    api.post("/contacts/v1/optouts", &opt_out);
    api.get("/contacts/v1/optouts?number=%2B447700900456");
    api.send(Request::delete("/contacts/v1/optouts").json(&opt_out));
    let link = json!({ "title": WORDS[4], "target_url": WORDS[6], "tags": [WORDS[5]], "track_clicks": true });
    api.post("/assets/v1/shortlink", &link);
    api.post("/assets/v1/shortlink/filter", &json!({ "title": WORDS[4] }));
    // What is refused, at every stage.
    let others = server.client().with_key(WRONG_KEY);
    others.get("/contacts/v1/lists/").expect(401);
    api.get(format!("/contacts/v1/contacts/{}", NUMBERS[0]));
    api.get(format!("/{}/{}", WORDS[10], NUMBERS[1]));
    api.send(Request::new(WORDS[0], "/contacts/v1/lists/"));
    api.send(
        Request::post("/contacts/v1/contacts").json_text(format!("{{\"list_id\": \"{}\", {}", WORDS[3], NUMBERS[0])),
    );
    api.post("/contacts/v1/contacts", &json!({ "list_id": WORDS[3], "contacts": [{ "phone_number": WORDS[0] }] }));
    api.send(Request::get("/contacts/v1/lists/").header("host", format!("{}.example", WORDS[8])));
    api.send(Request::get("/contacts/v1/lists/").header("origin", "https://quokka.example"));
    // The operator.
    admin.post("/__admin/worlds", &json!({ "id": WORDS[8] }));
    admin.post("/__admin/snapshots", &json!({ "name": WORDS[9] }));
    admin.post("/__admin/snapshots/none/restore", &json!({ "name": WORDS[9] }));
    admin.post("/__admin/faults", &json!({ "match": { "path": WORDS[10] }, WORDS[0]: WORDS[1] }));
    admin.post(
        "/__admin/seed",
        &json!({ "lists": [seeds::list(WORDS[3], WORDS[4], json!([{ "phone_number": WORDS[0] }]))] }),
    );
    admin.post("/__admin/reset", &json!({}));
}

fn log_of_server(format: &str) -> String {
    let receiver = Receiver::replying([Reply::Status(503), Reply::Status(200)]);
    let keys = format!("auth.keys={KEY}");
    let args = ["--auth", "keys", "--set", &keys, "--limits", "off", "--console"];
    let variables = [("ROOST_LOG", "trace"), ("ROOST_LOG_FORMAT", format), ("ROOST_ADMIN_TOKEN", TOKEN)];
    let mut server =
        Spawned::try_start_with(args, &variables).unwrap_or_else(|(status, stderr)| panic!("{status}: {stderr}"));
    send_marked_requests(&server, &receiver);
    server.terminate();
    server.stderr()
}

#[track_caller]
fn assert_unmarked(log: &str) {
    for marker in [KEY, WRONG_KEY, TOKEN].iter().chain(&NUMBERS).chain(&WORDS) {
        Marker::new(marker).is_absent_from("the log", log.as_bytes());
    }
}

#[test]
fn the_most_verbose_log_holds_nothing_of_the_requests() {
    let log = log_of_server("text");
    assert!(
        log.contains("DEBUG roost_emulator::server::dispatch::routes: answered operation=lists.create status=200"),
        "{log}"
    );
    assert!(log.contains("TRACE"), "everything was logged: {log}");
    assert_unmarked(&log);
}

#[test]
fn a_log_in_json_has_one_object_a_line_and_nothing_of_the_requests() {
    let log = log_of_server("json");
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert!(lines.len() > 20 && lines.len() + 1 >= log.lines().count(), "{log}");
    let answered = lines.iter().find(|line| line["fields"]["operation"] == "contacts.create").expect("a line");
    for name in ["time", "level", "target", "message"] {
        assert!(answered[name].is_string(), "{name}: {answered}");
    }
    assert_eq!(answered["fields"]["status"], 200);
    assert_unmarked(&log);
}

#[test]
fn an_unknown_format_of_the_log_is_reported() {
    let mut command = roost_tests::spawned::command(["openapi"]);
    command.env("ROOST_LOG_FORMAT", "xml");
    let stderr = String::from_utf8_lossy(&super::super::command_output(command).stderr).into_owned();
    assert!(stderr.contains("neither text nor json"), "{stderr}");
}

/// A value in a message would pass the redaction that knows the fields.
#[test]
fn no_message_of_the_log_contains_a_value() {
    let mut checked = 0;
    let mut open = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../src-tauri"))];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path());
            open.extend(entries.filter(|path| !path.ends_with("target")));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            for level in ["error", "warn", "info", "debug", "trace"] {
                for call in text.split(&format!("tracing::{level}!(")).skip(1) {
                    let message = call.split('"').nth(1).unwrap_or_default();
                    checked += 1;
                    assert!(!message.contains('{'), "{}: {message}", path.display());
                }
            }
        }
    }
    assert!(checked > 30, "{checked} calls");
}

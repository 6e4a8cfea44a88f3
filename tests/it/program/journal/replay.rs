//! `roost replay`: sends the requests that one server recorded to another.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use roost_tests::{Client, Spawned, spawned::command};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::{command_output, refusal_message};

const SERVE: [&str; 4] = ["--journal", "on", "--limits", "off"];

/// Creates, fills, reads and deletes a list, causes a refusal, and creates a short link, so that IDs occur in paths,
/// queries and bodies.
fn perform_work(client: &Client, admin: &Client) {
    let list = client.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).ok();
    let uid = list["uid"].as_str().expect("an id");
    client.post("/contacts/v1/lists/create", &json!({ "name": "" })).expect(400);
    let body = json!({
        "list_id": uid, "merge_type": "skipDuplicates",
        "contacts": [{ "phone_number": "+447700900001" }, { "phone_number": "+447700900002" }],
    });
    client.post("/contacts/v1/contacts", &body).expect(200);
    admin.post("/__admin/settle", &json!({ "timeout": "30000ms" })).expect(200);
    let found = client.get(format!("/contacts/v1/contacts/list/{uid}")).items();
    assert_eq!(found.len(), 2);
    client.delete(format!("/contacts/v1/contacts/{}", found[0]["uid"].as_str().expect("an id"))).expect(204);
    let link = json!({ "title": "Spring", "target_url": "https://shop.example/s" });
    client.post("/assets/v1/shortlink", &link).ok();
    client.delete(format!("/contacts/v1/lists/{uid}")).expect(204);
    client.delete(format!("/contacts/v1/lists/{uid}"));
    client.get("/contacts/v1/lists/").expect(200);
}

struct RecordedWork {
    folder: TempDir,
    server: Spawned,
}

impl RecordedWork {
    fn record(work: impl FnOnce(&Client, &Client)) -> Self {
        let server = Spawned::start(SERVE);
        work(&server.client(), &server.admin());
        Self { folder: TempDir::new().expect("a folder"), server }
    }

    fn write_file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, text).expect("a file");
        path
    }

    fn read_lines(&self) -> Vec<Value> {
        interface_requests(&self.server)
    }

    /// Returns the journal as `roost tail --json` writes it.
    fn journal_file(&self) -> PathBuf {
        let mut tail = command(["tail", "--json", "--no-wait", "--lines", "1000"]);
        tail.env("ROOST_READY_FILE", self.server.ready_file());
        let tail = command_output(tail);
        assert!(tail.status.success(), "{}", String::from_utf8_lossy(&tail.stderr));
        self.write_file("journal.jsonl", tail.stdout)
    }

    /// Returns one archive of all entries.
    fn read_archive(&self) -> Value {
        let entry = |line: &Value| {
            let one = self.server.admin().get(format!("/__admin/requests/{}/har", line["seq"])).ok();
            one["log"]["entries"][0].clone()
        };
        let entries: Vec<Value> = self.read_lines().iter().map(entry).collect();
        json!({ "log": { "version": "1.2", "entries": entries } })
    }
}

/// Returns the requests of the interface.
fn interface_requests(server: &Spawned) -> Vec<Value> {
    let mut lines = server.admin().get("/__admin/requests?limit=1000").items();
    lines.retain(|line| line["url"].as_str().is_some_and(|url| !url.starts_with("/__")));
    lines
}

fn run_replay(file: &Path, against: &str, args: &[&str]) -> Output {
    command_output(command([&["replay", &file.to_string_lossy(), "--against", against], args].concat()))
}

#[track_caller]
fn parse_output(output: &Output, status: i32) -> Value {
    assert_eq!(output.status.code(), Some(status), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_recording_replayed_at_an_equally_empty_server_shows_no_difference() {
    let recording = RecordedWork::record(perform_work);
    let request_count = recording.read_lines().len();
    let archive = recording.write_file("archive.har", recording.read_archive().to_string());
    for file in [recording.journal_file(), archive] {
        let other = Spawned::start(SERVE);
        let report = parse_output(&run_replay(&file, other.url(), &["--patience", "30s", "--json"]), 0);
        assert_eq!(
            (&report["is_same"], &report["sent"], &report["different"]),
            (&json!(true), &json!(request_count), &json!(0))
        );
        assert!(interface_requests(&other).len() >= request_count);
    }
    let limited = Spawned::start(["--journal", "on", "--set", "limits.per_second=50"]);
    limited.admin().post("/__admin/worlds", &json!({ "name": "again" })).expect(201);
    let base = format!("{}/w/again", limited.url());
    let output = run_replay(&recording.journal_file(), &base, &["--patience", "30s"]);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    assert!(
        stdout.starts_with(&format!("{request_count} sent: {request_count} as recorded, 0 different.\n")),
        "{stdout}"
    );
}

#[test]
fn a_difference_is_shown_with_its_pointer_and_is_an_exit_status() {
    let recording = RecordedWork::record(|client, _| {
        client.get("/contacts/v1/lists/").expect(200);
        client.post("/contacts/v1/lists/create", &json!({ "name": "VIP" })).expect(200);
    });
    let other = Spawned::start(SERVE);
    other.client().post("/contacts/v1/lists/create", &json!({ "name": "Guests" })).expect(200);
    let file = recording.journal_file();
    let brief = ["--patience", "0"];
    let output = run_replay(&file, other.url(), &brief);
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(stdout.starts_with("DIFF 1: GET /contacts/v1/lists/\n"), "{stdout}");
    assert!(stdout.contains("     /items/0: recorded nothing, now {"), "{stdout}");
    assert!(stdout.ends_with("2 sent: 1 as recorded, 1 different.\n"), "{stdout}");
    let empty = Spawned::start(SERVE);
    assert_eq!(run_replay(&file, empty.url(), &["--exact", "--patience", "0"]).status.code(), Some(1), "other ids");
    // The list exists now, so its count and pages may differ.
    let ignored = ["--ignore", "/items,/paging", "--patience", "0", "--json"];
    let report = parse_output(&run_replay(&file, empty.url(), &ignored), 0);
    assert_eq!(report["exchanges"], json!([]));
}

#[test]
fn what_cannot_be_asked_again_is_left_out_and_counted() {
    let recording = RecordedWork::record(|client, _| {
        client.get("/contacts/v1/lists/").expect(200);
    });
    let mut lines = recording.read_lines();
    let line = lines.remove(0);
    let with = |name: &str, value: Value| {
        let mut line = line.clone();
        line[name] = value;
        line
    };
    let mixed = json!([line, with("direction", json!("out")), with("status", json!(429)), with("status", json!(null))]);
    let file = recording.write_file("lines.json", mixed.to_string());
    let other = Spawned::start(SERVE);
    let report = parse_output(&run_replay(&file, other.url(), &["--json"]), 0);
    assert_eq!((&report["sent"], &report["without_recorded_answer"]), (&json!(2), &json!(1)));
    let left_out = report["left_out"].as_object().expect("counts");
    assert_eq!(left_out.values().cloned().collect::<Vec<_>>(), [json!(1), json!(1)]);
    let none = recording.write_file("none.json", json!([with("direction", json!("out"))]).to_string());
    assert!(refusal_message(&run_replay(&none, other.url(), &[])).contains("no request that can be sent again"));
    let broken = recording.write_file("broken.json", "{\"log\":");
    assert!(refusal_message(&run_replay(&broken, other.url(), &[])).contains("broken.json"));
}

#[test]
fn a_recording_is_sent_only_to_an_intended_server() {
    let recording = RecordedWork::record(|client, _| {
        client.get("/contacts/v1/lists/").expect(200);
    });
    let file = recording.journal_file();
    for (against, words) in [
        ("http://192.0.2.1", "--elsewhere"),
        ("https://api.example", "--elsewhere"),
        ("http://127.0.0.1:1", "number 1: "),
        ("127.0.0.1", "is not a valid server address"),
    ] {
        let message = refusal_message(&run_replay(&file, against, &[]));
        assert!(message.contains(words), "{against}: {message}");
    }
    let message = refusal_message(&run_replay(&file, "http://192.0.2.1", &["--elsewhere"]));
    assert!(message.contains("unencrypted"), "plain http leads to this machine alone: {message}");
    let mut archive = recording.read_archive();
    let mut other = archive["log"]["entries"][0].clone();
    other["request"]["url"] = json!("https://api.example/contacts/v1/lists/");
    archive["log"]["entries"].as_array_mut().expect("entries").push(other);
    let archive = recording.write_file("two.har", archive.to_string());
    let server = Spawned::start(SERVE);
    let message = refusal_message(&run_replay(&archive, server.url(), &[]));
    assert!(message.contains("--host") && message.contains("api.example"), "{message}");
    let report = parse_output(&run_replay(&archive, server.url(), &["--host", "api.example", "--json"]), 0);
    assert_eq!(report["sent"], 1);
}

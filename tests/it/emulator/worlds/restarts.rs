//! A server on an account file is killed and restarted. Everything that was arranged in it still exists and continues.

use std::{fs, path::Path};

use roost_tests::{Client, Spawned, seeds};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::whole::{assert_same, read_everything};
use crate::rest::LIST;

fn serve_file(file: &Path, more: &[&str]) -> Spawned {
    let file = file.to_str().expect("a path of letters");
    let usual = ["--db", file, "--clock", "frozen@2026-01-05T09:00:00Z", "--random-seed", "7"];
    Spawned::start(usual.iter().chain(more))
}

/// Arranges rules, policies, receivers, waiting jobs, a moved clock, and buckets that are not full.
fn arrange_world(client: &Client, admin: &Client) {
    let seed = json!({ "lists": [seeds::list(LIST, "VIP", json!([]))] });
    admin.put("/__admin/seed", &seed).expect(200);
    admin.put("/__admin/job_policy", &json!({ "progress": "manual" })).expect(200);
    admin.put("/__admin/callback_policy", &json!({ "hold": true, "template": { "json": { "n": 1 } } })).expect(200);
    admin.put("/__admin/hooks/inbox", &json!({ "answers": [500, 501], "then": 204 })).expect(200);
    admin.put("/__admin/limits", &json!({ "per_second": 4 })).expect(200);
    admin.put("/__admin/faults/prefer", &json!({ "enabled": true })).expect(200);
    admin.put("/__admin/faults/profile", &json!({ "name": "flaky" })).expect(200);
    let rule = json!({ "match": { "operation": "lists.query" }, "effect": { "status": 503 }, "apply": { "first": 3 } });
    admin.post("/__admin/faults/rules", &rule).expect(201);
    admin.post("/__admin/clock/advance", &json!({ "by": "1h" })).expect(200);
    for n in 0..3 {
        let body = json!({
            "list_id": LIST, "merge_type": "skipDuplicates", "contacts": [{ "phone_number": seeds::mobile(n) }],
            "callback_url": "http://127.0.0.1:9/hook",
        });
        client.post("/contacts/v1/contacts", &body);
    }
    admin.post("/__admin/jobs/2/pause", &json!({})).expect(200);
    admin.post("/__admin/jobs/1/run", &json!({})).expect(200);
    admin.post("/__admin/snapshots", &json!({ "name": "kept" })).expect(201);
    client.post("/__hook/inbox", &json!({ "n": 1 })).expect(500);
    for _ in 0..2 {
        client.get("/contacts/v1/lists/").expect(503);
    }
}

fn finish_work(client: &Client, admin: &Client) -> Vec<String> {
    let answers = [
        client.get("/contacts/v1/lists/"),
        client.get("/contacts/v1/lists/"),
        client.get("/contacts/v1/lists/"),
        client.post("/contacts/v1/lists/create", &json!({ "name": "New" })),
        client.post("/__hook/inbox", &json!({ "n": 2 })),
        admin.post("/__admin/jobs/2/resume", &json!({})),
        admin.post("/__admin/jobs/2/run", &json!({})),
        client.get(format!("/contacts/v1/contacts/list/{LIST}")),
    ];
    answers.iter().map(|answer| format!("{} {}", answer.status, answer.text())).collect()
}

#[test]
fn a_kill_costs_nothing_that_was_arranged() {
    let folders = [TempDir::new().expect("a folder"), TempDir::new().expect("a folder")];
    let begun = folders.each_ref().map(|folder| {
        let file = folder.path().join("account.roost");
        let server = serve_file(&file, &[]);
        arrange_world(&server.client(), &server.admin());
        (file, server)
    });
    let [(_, calm), (file, mut killed)] = begun;
    // The port changes with a restart.
    let seen = |server: &Spawned| -> Vec<(String, Value)> {
        let plain = |seen: Value| serde_json::from_str(&seen.to_string().replace(server.url(), "http://server"));
        read_everything(&server.admin())
            .into_iter()
            .map(|(path, seen)| (path, plain(seen).expect("as it was")))
            .collect()
    };
    let before = seen(&killed);
    let snapshots = killed.admin().get("/__admin/snapshots").text();
    killed.kill();
    let killed = serve_file(&file, &[]);
    assert_same(&seen(&killed), &before, "after a kill");
    assert_eq!(killed.admin().get("/__admin/snapshots").text(), snapshots);
    assert_eq!(
        finish_work(&killed.client(), &killed.admin()),
        finish_work(&calm.client(), &calm.admin()),
        "as if nobody had killed it"
    );
    for server in [&killed, &calm] {
        server.admin().post("/__admin/snapshots/kept/restore?opt_outs=0", &json!({})).expect(200);
    }
    assert_eq!(finish_work(&killed.client(), &killed.admin()), finish_work(&calm.client(), &calm.admin()), "restored");
}

#[test]
fn a_changed_start_option_takes_precedence_over_the_stored_settings() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    let mut server = serve_file(&file, &["--set", "status.list_create=201"]);
    server.admin().put("/__admin/settings", &json!({ "unknown_on_delete": "404" })).expect(200);
    server.admin().post("/__admin/clock/advance", &json!({ "by": "1h" })).expect(200);
    server.kill();
    let seen = |server: &Spawned| {
        let settings = server.admin().get("/__admin/settings").json();
        let clock = server.admin().get("/__admin/clock").json();
        [&settings["status.list_create"], &settings["unknown_on_delete"], &clock["now"]].map(Value::to_string)
    };
    let mut server = serve_file(&file, &["--set", "status.list_create=201"]);
    let moved = seen(&server);
    assert!(moved[1].contains("404") && moved[2].contains("T10:00:00"), "{moved:?}");
    server.kill();
    let mut server = serve_file(&file, &["--set", "status.list_create=200"]);
    assert!(seen(&server)[0].contains("200") && seen(&server)[1].contains("400"), "{:?}", seen(&server));
    assert_eq!(seen(&server)[2], moved[2], "the clock was set to the same");
    server.kill();
    let path = file.to_str().expect("a path of letters");
    let server = Spawned::start(["--db", path, "--clock", "frozen@2026-02-01T00:00:00Z"]);
    assert!(seen(&server)[2].contains("2026-02-01T00:00:00"), "{:?}", seen(&server));
}

#[test]
fn what_the_journal_records_outlasts_a_restart_unless_the_start_says_otherwise() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    let mut server = serve_file(&file, &[]);
    let request = json!({ "enabled": true, "lines": 77, "admin_calls": { "enabled": true } });
    server.admin().patch("/__admin/journal", &request).expect(200);
    server.kill();
    let seen = |server: &Spawned| {
        let shown = server.admin().get("/__admin/journal").ok();
        json!([shown["enabled"], shown["limits"]["lines"], shown["admin_calls"]["enabled"]])
    };
    let mut server = serve_file(&file, &[]);
    assert_eq!(seen(&server), json!([true, 77, true]));
    server.kill();
    let server = serve_file(&file, &["--journal-lines", "50"]);
    assert_eq!(seen(&server), json!([false, 50, false]));
}

#[test]
fn what_belongs_to_another_file_or_cannot_be_read_is_set_aside() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("account.roost");
    let state = folder.path().join("account.roost.world/state");
    let hits = |server: &Spawned| server.admin().get("/__admin/faults/rules").items().len();
    let rule = json!({ "match": { "operation": "lists.query" }, "effect": { "status": 503 } });
    let arrange = |server: &Spawned| {
        server.client().post("/contacts/v1/lists/create", &json!({ "name": "One" })).expect(200);
        server.admin().post("/__admin/faults/rules", &rule).expect(201);
    };
    let mut server = serve_file(&file, &[]);
    arrange(&server);
    server.kill();
    // A kill may leave an incomplete record at the end.
    let whole = fs::read(&state).expect("a state");
    fs::write(&state, [whole.as_slice(), b"faults 900 0123456789abcdef\n{\"rules\":["].concat()).expect("written");
    let mut server = serve_file(&file, &[]);
    assert_eq!(hits(&server), 1);
    server.terminate();
    fs::write(&state, b"ROOST-STATE 2\n").expect("written");
    let mut server = serve_file(&file, &[]);
    assert_eq!(hits(&server), 0);
    assert!(server.stderr().contains("state.unread-1"), "{}", server.stderr());
    arrange(&server);
    server.terminate();
    fs::remove_file(&file).expect("it was there");
    let server = serve_file(&file, &[]);
    assert_eq!(hits(&server), 0, "another account under the same name");
    assert!(state.with_extension("unread-2").exists());
}

//! `--seed-watch`: a changed seed is taken, a faulty one changes nothing.

use std::fs;

use roost_tests::{Spawned, until};

use super::{refusal_message, run_program, seed_file};

fn names(server: &Spawned) -> Vec<String> {
    server.client().with_key("k").get("/contacts/v1/lists/").column("name")
}

#[track_caller]
fn becomes(server: &Spawned, want: &[&str]) {
    until("the seed was taken", || (names(server) == want).then_some(()));
}

#[test]
fn a_changed_seed_is_taken_and_a_faulty_one_changes_nothing() {
    let (folder, path) = seed_file(r#"{"lists":[{"name":"A"}]}"#);
    let server = Spawned::start(["--limits", "off", "--seed", &path, "--seed-watch"]);
    assert_eq!(names(&server), ["A"]);
    fs::write(&path, "lists: [{name: B}]").expect("written");
    becomes(&server, &["B"]);
    // A reset goes back to what was taken.
    server.client().with_key("k").post("/contacts/v1/lists/create", &serde_json::json!({ "name": "C" })).expect(200);
    server.admin().post("/__admin/reset", &serde_json::json!({})).expect(200);
    assert_eq!(names(&server), ["B"]);
    server.client().with_key("k").post("/contacts/v1/lists/create", &serde_json::json!({ "name": "C" })).expect(200);
    fs::write(&path, r#"{"lists":[{"nme":"D"}]}"#).expect("written");
    until("the fault is reported", || server.stderr().contains("Nothing was changed").then_some(()));
    let stderr = server.stderr();
    assert!(stderr.contains("nme") && stderr.contains(&path), "{stderr}");
    assert_eq!(stderr.to_lowercase().matches("nothing was changed").count(), 1, "{stderr}");
    let mut left = names(&server);
    left.sort();
    assert_eq!(left, ["B", "C"], "nothing was changed");
    // An editor may write another file and put it in place of the old one.
    let next = folder.path().join("next");
    fs::write(&next, r#"{"lists":[{"name":"E"}]}"#).expect("written");
    fs::rename(&next, &path).expect("renamed");
    becomes(&server, &["E"]);
    // A file that is touched and holds the same changes nothing.
    server.client().with_key("k").post("/contacts/v1/lists/create", &serde_json::json!({ "name": "F" })).expect(200);
    fs::write(&path, r#"{"lists":[{"name":"E"}]}"#).expect("written");
    let epoch = || server.admin().get("/__admin/worlds/default").ok()["epoch"].clone();
    let before = epoch();
    std::thread::sleep(std::time::Duration::from_millis(900));
    assert_eq!(epoch(), before);
}

#[test]
fn the_seed_of_an_account_file_is_not_watched() {
    let (folder, path) = seed_file("{}");
    let account = folder.path().join("m.roost").to_string_lossy().into_owned();
    let message =
        refusal_message(&run_program(&["serve", "--port", "0", "--db", &account, "--seed", &path, "--seed-watch"]));
    assert!(message.contains("--seed-watch needs a server in memory"), "{message}");
    let message = refusal_message(&run_program(&["serve", "--port", "0", "--seed-watch"]));
    assert!(message.contains("--seed"), "{message}");
}

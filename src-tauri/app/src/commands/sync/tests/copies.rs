//! A copy of an account has its own key, or none. A pull that removes something leaves a copy of the state before.

use std::{fs, sync::Arc, time::Instant};

use roost_model::{error::ErrorCode, id::ContactId};
use roost_ops::{
    Actor, Core, Ctx,
    account::backup::{self, CopyReason},
    contact,
};
use serde_json::{Value, json};

use super::*;

/// Opens the account in `file` with the given keyring.
fn open_copy(file: &Path, rings: &FakeKeyrings) -> App {
    App::with_core_and_keyrings(Core::open(file, Ctx::system()).unwrap(), file, Arc::new(rings.clone()))
}

fn set_key(app: &App) -> Value {
    app.dispatch("connection_get", json!({}), None).unwrap()["connection"]["key"]["at"].clone()
}

/// Copies the account file byte by byte while nothing has it open.
fn copy_by_hand(world: SyncWorld) -> (PathBuf, PathBuf, FakeKeyrings, StandaloneEmulator, TempDir) {
    let SyncWorld { app, core, feed, server, rings, file, folder, .. } = world;
    app.close();
    drop((app, core, feed));
    // Background work closes its handle a moment after it ends. Closing the last handle moves the write-ahead log into
    // the file.
    let waits = file.with_file_name("shop.roost-wal");
    let until = Instant::now() + PATIENCE;
    while waits.exists() {
        assert!(Instant::now() < until, "somebody still has the account open");
        std::thread::sleep(Duration::from_millis(5));
    }
    let copy = folder.path().join("by-hand.roost");
    fs::copy(&file, &copy).unwrap();
    (file, copy, rings, server, folder)
}

#[test]
fn a_copy_made_by_hand_asks_for_the_key_again_and_leaves_the_original_its_own() {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 3);
    world.pull();
    world.rename_contact(&world.list_contacts(&list)[0]["uid"], "Edited");
    let (file, copy, rings, _server, _folder) = copy_by_hand(world);

    let app = open_copy(&copy, &rings);
    let call = |name: &str, request: Value| app.dispatch(name, request, None);
    let known = call("connection_get", json!({})).unwrap()["connection"].clone();
    assert_eq!(
        (&known["is_copy"], &known["key"]["at"], &known["name"]),
        (&json!(true), &Value::Null, &json!("Service"))
    );
    let status = call("sync_status", json!({})).unwrap();
    assert_eq!((&status["changes"], &status["is_key_ready"]), (&json!(1), &json!(false)));
    let plan = call("plan_make", json!({})).unwrap();
    for (name, request) in [
        ("sync_pull", json!({ "list": null, "full": false, "believe": false })),
        ("connection_test", json!({})),
        ("run_start", json!({ "plan": plan["id"], "typed": [] })),
    ] {
        let error = call(name, request).unwrap_err();
        assert!(error.code == ErrorCode::Conflict && error.message.contains("is a copy of another"), "{name}: {error}");
    }
    // The copy has a key entry of its own, so changing the key here leaves the original's key alone.
    call("connection_key_forget", json!({})).unwrap();
    call("connection_key_set", json!({ "key": "another-key-0123456789", "keep": "keyring", "passphrase": null }))
        .unwrap();
    assert_eq!(call("connection_get", json!({})).unwrap()["connection"]["is_copy"], false);
    assert_eq!(rings.0.lock().unwrap().len(), 2);
    call("connection_key_forget", json!({})).unwrap();
    app.close();
    drop(app);

    let app = open_copy(&file, &rings);
    assert_eq!(set_key(&app), "keyring");
    let tested = app.dispatch("connection_test", json!({}), None).unwrap();
    assert_eq!(tested["lists"], 1, "{tested}");
    app.close();
    drop(app);
    let app = open_copy(&copy, &rings);
    assert_eq!(set_key(&app), Value::Null, "the copy stays distinct from the original");
    app.close();
}

#[test]
fn an_account_that_was_moved_is_the_same_account() {
    let world = new_world();
    world.connect();
    let (file, moved, rings, _server, _folder) = copy_by_hand(world);
    fs::remove_file(&file).unwrap();
    for _ in 0..2 {
        let app = open_copy(&moved, &rings);
        let known = app.dispatch("connection_get", json!({}), None).unwrap()["connection"].clone();
        assert_eq!((&known["is_copy"], &known["key"]["at"]), (&json!(false), &json!("keyring")));
        app.close();
    }
}

#[test]
fn what_the_original_has_under_way_is_not_sent_by_a_copy_too() {
    let world = new_world();
    let plan = world.count_deletions();
    let typed = typed_texts(&plan);
    world.call("run_start", json!({ "plan": plan["id"], "typed": typed }));
    world.call("run_pause", json!({}));
    assert_eq!(world.wait_until_idle()["run"]["state"], "paused");
    let (file, copy, rings, _server, _folder) = copy_by_hand(world);
    let run = |file: &Path| {
        let app = open_copy(file, &rings);
        let run = app.dispatch("sync_status", json!({}), None).unwrap()["run"].clone();
        app.close();
        run
    };
    assert_eq!(run(&copy), Value::Null);
    assert_eq!(run(&file)["state"], "paused", "the original goes on with it");
}

#[test]
fn a_pull_that_removes_something_is_copied_before_once() {
    let world = new_world();
    world.connect();
    let lists = [world.create_service_list("Members", 3), world.create_service_list("Guests", 2)];
    world.pull();
    let copied = || {
        world.core().finish_copies();
        let copies = backup::list_copies(&world.file).into_iter();
        let copies = copies.map(|copy| (copy.reason, copy.is_sound, copy.summary.unwrap().counts.contacts));
        copies.collect::<Vec<_>>()
    };
    assert_eq!(copied(), []);
    for list in &lists {
        let deleted = ContactId::parse(world.list_contacts(list)[0]["uid"].as_str().unwrap()).unwrap();
        contact::delete(&world.there, &Actor::interface(), &deleted).unwrap();
    }
    world.pull();
    assert_eq!(copied(), [(CopyReason::Pull, true, 5)]);
    assert_eq!(backup::summarize_file(&world.file).unwrap().counts.contacts, 3);
    world.pull();
    assert_eq!(copied().len(), 1, "it removed nothing");
}

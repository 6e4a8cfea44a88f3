//! Questions are counted, listed and answered without a window. A push ends with status 0 only if everything arrived.

use roost_ops::{Actor, ActorKind, contact, history, list, opt_out};
use roost_tests::{Request, Served, Setup, seeds};
use serde_json::json;

use super::{LIST, SyncFolder, contact_id, field_values, list_id, rename_at_service, service_contacts, start_service};

#[test]
fn a_question_is_counted_until_it_is_answered_by_its_key() {
    let api = start_service(2);
    let place = SyncFolder::pulled_from(&api);
    assert_eq!(place.run_expecting(0, &["conflicts"]), "There are no conflicts.\n");
    place.rename_contact(0, "Mine");
    rename_at_service(&api, 0, "Theirs");
    for pull in ["finds it", "finds nothing new"] {
        let stdout = place.run_expecting(3, &["pull"]);
        assert!(stdout.contains("; 1 conflict.\n"), "{pull}: {stdout}");
    }
    let stdout = place.run_expecting(3, &["conflicts"]);
    let key = stdout.split_whitespace().next().expect("a key").to_owned();
    assert!(key.starts_with("contact:") && stdout.contains("firstname: here Mine, there Theirs"), "{stdout}");
    assert_eq!(place.run_for_json(3, &["conflicts", "--json"])[0]["answer_key"], json!(key));
    let message = place.run_failing(2, &["answer", &key, "mine", "--field", "nope"]);
    assert!(message.contains("not about the field “nope”. Its fields are: firstname."), "{message}");
    assert!(place.run_failing(2, &["answer", "contact:999", "mine"]).contains("There is no conflict contact:999."));
    assert!(place.run_failing(2, &["answer", &key, "let-go"]).contains("is not possible for this conflict"));
    assert_eq!(place.run_expecting(0, &["answer", &key, "mine"]), "Answered. 0 conflicts left.\n");
    place.run_expecting(0, &["push", "--yes"]);
    assert_eq!(service_contacts(&api)[0].1, "Mine");
    assert_eq!(place.run_expecting(0, &["conflicts"]), "There are no conflicts.\n");
}

#[test]
fn a_refused_step_does_not_count_as_success() {
    let api = start_service(40);
    let place = SyncFolder::pulled_from(&api);
    place.delete_contacts(0..1);
    rename_at_service(&api, 0, "Changed after the pull");
    let stdout = place.run_expecting(5, &["push", "--yes"]);
    assert!(stdout.contains("refused with their step") && stdout.contains("was not deleted"), "{stdout}");
    assert_eq!(service_contacts(&api).len(), 40);
}

/// Starts a service with an opt-out that was pulled and then deleted at the service.
fn service_with_lost_opt_out() -> (Served, SyncFolder) {
    let number = seeds::mobile(7);
    let opt_out = |number: &str| seeds::opt_out(number, "SMS", "2026-01-05T09:00:00Z");
    let seed = json!({
        "lists": [seeds::filled_list(list_id().as_str(), LIST, 2)],
        "opt_outs": [opt_out(&number), opt_out(&seeds::mobile(8))],
    });
    let api = Setup::new().set("auth", "off").seed(seed).serve();
    let place = SyncFolder::pulled_from(&api);
    let deletion = json!({ "channel": "SMS", "account_level_opt_out": true, "numbers": [number] });
    api.send(Request::delete("/contacts/v1/optouts").json(&deletion)).expect(200);
    place.run_expecting(3, &["pull", "--full"]);
    (api, place)
}

#[test]
fn an_answered_question_waits_for_the_push_and_is_no_longer_counted() {
    let (api, place) = service_with_lost_opt_out();
    let key = place.run_for_json(3, &["conflicts", "--json"])[0]["answer_key"].as_str().expect("a key").to_owned();
    place.run_expecting(0, &["answer", &key, "create-again"]);
    let stdout = place.run_expecting(0, &["conflicts"]);
    assert_eq!(stdout, "There are no conflicts.\n1 answered conflict waits for the next push or pull.\n");
    assert_eq!(place.run_for_json(0, &["conflicts", "--json"]), json!([]));
    let status = place.run_for_json(3, &["status", "--json"]);
    assert_eq!((&status["changes"], &status["conflicts"], &status["answered"]), (&json!(1), &json!(0), &json!(1)));
    place.run_expecting(3, &["plan"]);
    place.run_expecting(0, &["push", "--yes"]);
    assert_eq!(api.get("/contacts/v1/optouts").items().len(), 2);
    assert_eq!(place.run_expecting(0, &["conflicts"]), "There are no conflicts.\n");
    place.run_expecting(0, &["status"]);
}

#[test]
fn every_command_reports_an_answer_that_waits_for_the_pull() {
    let seed = json!({ "lists": [
        seeds::filled_list(list_id().as_str(), LIST, 2),
        seeds::list(&seeds::id("LST_", "2"), "Another", json!([])),
    ] });
    let api = Setup::new().set("auth", "off").seed(seed).serve();
    let place = SyncFolder::pulled_from(&api);
    place.rename_contact(0, "Mine");
    api.send(Request::delete(format!("/contacts/v1/lists/{}", list_id()))).expect(204);
    place.run_expecting(3, &["pull", "--full"]);
    let key = place.run_for_json(3, &["conflicts", "--json"])[0]["answer_key"].as_str().expect("a key").to_owned();
    place.run_expecting(0, &["answer", &key, "discard"]);
    place.run_expecting(0, &["conflicts"]);
    for verb in [&["status"][..], &["plan"], &["push", "--yes"]] {
        let stdout = place.run_expecting(3, verb);
        assert!(stdout.contains("answered"), "{verb:?}: {stdout}");
    }
    place.run_expecting(0, &["pull"]);
    for verb in [&["status"][..], &["plan"], &["push", "--yes"]] {
        place.run_expecting(0, verb);
    }
}

#[test]
fn an_opt_out_that_the_service_lost_is_removed_with_the_count_and_a_reason_at_once() {
    let (_api, place) = service_with_lost_opt_out();
    let key = place.run_for_json(3, &["conflicts", "--json"])[0]["answer_key"].as_str().expect("a key").to_owned();
    assert!(place.run_failing(4, &["answer", &key, "let-go"]).contains("Repeat with --opt-outs 1"));
    let with =
        |count: &'static str, reason: &'static str| ["answer", &key, "let-go", "--opt-outs", count, "--reason", reason];
    assert!(place.run_failing(4, &with("2", "asked by phone")).contains("Repeat with --opt-outs 1"));
    assert!(place.run_failing(2, &with("1", " ")).contains("Enter a reason"));
    let wrong = ["answer", &key, "create-again", "--opt-outs", "1", "--reason", "asked by phone"];
    assert!(place.run_failing(2, &wrong).contains("Only let-go"));
    place.run_expecting(0, &with("1", "asked by phone"));
    for verb in [&["status"][..], &["conflicts"], &["plan"], &["push", "--yes"], &["pull"]] {
        place.run_expecting(0, verb);
    }
    place.edit_account(|core| {
        let timeline = opt_out::read_timeline(core, &seeds::mobile(7), None).expect("a time line");
        assert_eq!(timeline.records, []);
        let last = &timeline.events[0];
        assert_eq!((last.source, last.reason.as_deref()), (ActorKind::User, Some("asked by phone")));
        let removed = history::read_undo_status(core).expect("steps").undo.expect("an act of a person");
        assert_eq!((removed.act.as_str(), removed.subject), ("opt_out_remove", Some(seeds::mobile(7))));
    });
}

#[test]
fn a_change_that_the_interface_cannot_express_can_be_answered_on_the_command_line() {
    let api = start_service(20);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| {
        for n in 0..2 {
            let number = field_values(&[("phone_number", &seeds::mobile(500 + n))]);
            contact::update(core, &Actor::user(None), &contact_id(n), &number, None).expect("an edit");
        }
    });
    let stdout = place.run_expecting(3, &["conflicts"]);
    assert_eq!(stdout.matches("cannot change the number").count(), 2, "{stdout}");
    assert!(stdout.contains("(keep-local, replace"), "{stdout}");
    let key = stdout.split_whitespace().next().expect("a key").to_owned();
    assert!(place.run_failing(2, &["answer", &key, "mine"]).contains("is not possible for this conflict"));
    assert_eq!(place.run_expecting(3, &["answer", &key, "replace"]), "Answered. 1 conflict left.\n");
    let key = place.run_for_json(3, &["conflicts", "--json"])[0]["answer_key"].as_str().expect("a key").to_owned();
    assert_eq!(place.run_expecting(0, &["answer", &key, "replace", "--alike"]), "Answered. 0 conflicts left.\n");
    place.run_expecting(0, &["conflicts"]);
    place.run_expecting(0, &["push", "--yes", "--type", "2"]);
    let numbers: Vec<String> = service_contacts(&api).into_iter().map(|(number, _)| number).collect();
    let expected: Vec<String> = (2..20).chain(500..502).map(seeds::mobile).collect();
    assert_eq!(numbers, expected);
}

#[test]
fn a_list_that_was_renamed_is_settled_without_a_window() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| list::rename(core, &Actor::user(None), &list_id(), "New name").expect("a name"));
    let stdout = place.run_expecting(3, &["conflicts"]);
    assert!(stdout.starts_with("list:") && stdout.contains("alias") && stdout.contains("recreate"), "{stdout}");
    let key = stdout.split_whitespace().next().expect("a key").to_owned();
    place.run_expecting(0, &["answer", &key, "alias"]);
    assert_nothing_to_do(&place);
}

/// Checks that every command about pending work reports none.
fn assert_nothing_to_do(place: &SyncFolder) {
    for verb in [&["conflicts"][..], &["status"], &["plan"], &["push", "--yes"]] {
        place.run_expecting(0, verb);
    }
    assert_eq!(place.run_for_json(0, &["status", "--json"])["changes"], 0);
}

#[test]
fn a_difference_that_the_user_chose_to_keep_is_not_a_pending_change() {
    let api = start_service(3);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| {
        let number = field_values(&[("phone_number", &seeds::mobile(500))]);
        contact::update(core, &Actor::user(None), &contact_id(0), &number, None).expect("an edit");
    });
    let key = place.run_for_json(3, &["conflicts", "--json"])[0]["answer_key"].as_str().expect("a key").to_owned();
    place.run_expecting(0, &["answer", &key, "keep-local"]);
    assert_nothing_to_do(&place);
    // Another edit of the same contact is pending until it arrives.
    place.rename_contact(0, "Edited");
    assert_eq!(place.run_for_json(3, &["status", "--json"])["changes"], 1);
    place.run_expecting(0, &["push", "--yes"]);
    assert!(service_contacts(&api).contains(&(seeds::mobile(0), "Edited".to_owned())), "{:?}", service_contacts(&api));
    assert_nothing_to_do(&place);
    // The choice covered this difference only, not later ones.
    for (number, status) in [(0, 0), (501, 3)] {
        place.edit_account(|core| {
            let number = field_values(&[("phone_number", &seeds::mobile(number))]);
            contact::update(core, &Actor::user(None), &contact_id(0), &number, None).expect("an edit");
        });
        place.run_expecting(status, &["plan"]);
    }
    assert_eq!(place.run_for_json(3, &["conflicts", "--json"]).as_array().map(Vec::len), Some(1));
}

#[test]
fn a_script_learns_at_once_what_has_to_be_typed() {
    let api = start_service(30);
    let place = SyncFolder::pulled_from(&api);
    place.delete_contacts(0..25);
    let ended = place.run_verb(&["push", "--json"]);
    assert_eq!(ended.status, Some(4), "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("--type '25' --yes"), "{}", ended.err);
    let shown: serde_json::Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!((&shown["missing"]["yes"], &shown["missing"]["type"][0]["word"]), (&json!(true), &json!("25")));
    assert_eq!(service_contacts(&api).len(), 30);
}

#[test]
fn the_status_names_the_service_and_a_key_that_the_next_command_finds() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    for (name, text) in [("key", "a-key-5e27\n"), ("pass", "wrong pony capacitor\n")] {
        std::fs::write(place.file_path(name), text).expect("a file");
    }
    let sealed = |args: &[&str]| {
        let mut command = place.command(args);
        command.env("ROOST_PASSPHRASE_FILE", place.file_path("pass"));
        let ended = super::wait_for_end(command);
        assert_eq!(ended.status, Some(0), "{}{}", ended.out, ended.err);
        ended.out
    };
    sealed(&["connect", api.url(), "--name", "Shop", "--key-file", &place.file_path("key"), "--keep", "sealed"]);
    let status: serde_json::Value = serde_json::from_str(&sealed(&["status", "--json"])).expect("JSON");
    let named = (&status["name"], &status["key_at"], &status["is_key_ready"]);
    assert_eq!(named, (&json!("Shop"), &json!("sealed"), &json!(true)));
    assert!(status["service"].as_str().expect("an address").starts_with(api.url()), "{status}");
    assert_eq!(
        place.run_for_json(0, &["status", "--json"])["is_key_ready"],
        json!(false),
        "nobody names the passphrase"
    );
}

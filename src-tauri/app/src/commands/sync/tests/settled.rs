//! Settled conflicts can be reopened.

use roost_model::{channel::Channel, error::ErrorCode, id::ContactId, opt_out::OptOutType};
use roost_ops::{Actor, asset, contact, opt_out};
use serde_json::{Value, json};

use super::*;

fn read_page() -> Value {
    json!({ "noun": null, "field": null, "from": 0, "count": 50 })
}

fn find_uid(contact: &Value) -> ContactId {
    ContactId::parse(contact["uid"].as_str().unwrap()).unwrap()
}

/// Creates three contacts with two conflicting fields each, and one contact that was edited here and deleted at the
/// service.
fn disputed_world() -> (SyncWorld, ListId) {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 4);
    world.pull();
    let contacts = world.list_contacts(&list);
    for (at, contact) in contacts.iter().enumerate().take(3) {
        let mine = json!({ "firstname": format!("Mine {at}"), "city": format!("Here {at}") });
        world.call("contact_update", json!({ "uid": contact["uid"], "fields": mine, "region": null }));
        let theirs = field_values(&[("firstname", &format!("Theirs {at}")), ("city", &format!("There {at}"))]);
        contact::update(&world.there, &Actor::interface(), &find_uid(contact), &theirs, None).unwrap();
    }
    world.rename_contact(&contacts[3]["uid"], "Edited");
    contact::delete(&world.there, &Actor::interface(), &find_uid(&contacts[3])).unwrap();
    assert_eq!(world.pull()["conflicts"], 4);
    (world, list)
}

impl SyncWorld {
    fn answer_question(&self, key: &Value, field: Value, side: &str, alike: bool) -> Value {
        let answer = json!({ "answer": side });
        self.call("conflicts_answer", json!({ "keys": [key], "field": field, "answer": answer, "alike": alike }))
    }

    fn read_questions(&self) -> Value {
        self.call("conflicts_page", read_page())["rows"].clone()
    }

    fn reopen_answer(&self, settled: &Value) -> Value {
        self.call("conflicts_reopen", json!({ "settlement": settled["undo"] }))
    }
}

#[test]
fn a_reopened_conflict_is_the_same_question_as_before() {
    let (world, list) = disputed_world();
    let (questions, here) = (world.read_questions(), world.list_contacts(&list));
    let rows = questions.as_array().unwrap();
    let deleted = rows.iter().find(|row| row["dispute"] == "deleted_there").unwrap();
    let of_fields = rows.iter().find(|row| row["dispute"] == "fields").unwrap();
    for side in ["theirs", "mine"] {
        for row in [of_fields, deleted] {
            let settled = world.answer_question(&row["key"], Value::Null, side, false);
            assert_eq!((&settled["settled"], &settled["left"]), (&json!(1), &json!(3)), "{side}");
            assert_ne!(world.read_questions(), questions);
            assert_eq!(world.reopen_answer(&settled), json!({ "opened": 1, "kept": 0 }));
            assert_eq!(world.read_questions(), questions, "{side} {}", row["dispute"]);
            assert_eq!(world.list_contacts(&list), here);
            assert_eq!(world.status()["conflicts"], 4);
            let again = world.request("conflicts_reopen", json!({ "settlement": settled["undo"] })).unwrap_err();
            assert_eq!(again.code, ErrorCode::NotFound, "{again}");
        }
    }
    // Answers one of two fields, then the other for all records. The first answer must remain.
    let first = world.answer_question(&of_fields["key"], json!("firstname"), "theirs", false);
    assert_eq!((&first["settled"], &first["undo"]), (&json!(0), &Value::Null));
    let questions = world.read_questions();
    let settled = world.answer_question(&of_fields["key"], json!("city"), "mine", true);
    assert_eq!(settled["settled"], 1);
    world.reopen_answer(&settled);
    assert_eq!(world.read_questions(), questions);
}

#[test]
fn undoing_a_rule_reopens_the_conflicts_that_it_settled() {
    let (world, list) = disputed_world();
    let (questions, here) = (world.read_questions(), world.list_contacts(&list));
    world.call("conflicts_rule", json!({ "field": "city", "rule": "theirs" }));
    let narrowed = world.read_questions();
    let settled = world.call("conflicts_rule", json!({ "field": "firstname", "rule": "mine" }));
    assert_eq!(settled["settled"], 3);
    assert_eq!(world.reopen_answer(&settled), json!({ "opened": 3, "kept": 0 }));
    assert_eq!(world.read_questions(), narrowed);
    world.call("conflicts_rule", json!({ "field": "city", "rule": "ask" }));
    assert_eq!((world.read_questions(), world.list_contacts(&list)), (questions, here));
}

#[test]
fn only_the_last_answer_is_undone_and_records_edited_since_stay_settled() {
    let (world, list) = disputed_world();
    let rows = world.read_questions();
    let mut of_fields = rows.as_array().unwrap().iter().filter(|row| row["dispute"] == "fields");
    let (one, two) = (of_fields.next().unwrap(), of_fields.next().unwrap());
    let first = world.answer_question(&one["key"], Value::Null, "theirs", false);
    let second = world.answer_question(&two["key"], Value::Null, "theirs", false);
    let error = world.request("conflicts_reopen", json!({ "settlement": first["undo"] })).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound, "{error}");
    world.rename_contact(&two["uid"], "Edited since");
    assert_eq!(world.reopen_answer(&second), json!({ "opened": 0, "kept": 1 }));
    assert!(world.list_contacts(&list).iter().any(|contact| contact["values"]["firstname"] == "Edited since"));
    assert_eq!(world.status()["conflicts"], 2);
}

#[test]
fn a_list_that_was_deleted_here_and_changed_there_can_be_kept() {
    let world = new_world();
    world.connect();
    let list = world.create_service_list("Members", 4);
    world.pull();
    roost_ops::list::delete(world.core(), &Actor::user(None), &list).unwrap();
    let late = field_values(&[("phone_number", &to_number(70)), ("firstname", "Late")]);
    contact::add(&world.there, &Actor::interface(), &list, &late, None).unwrap();
    world.pull();
    let questions = world.read_questions();
    assert_eq!(
        (questions.as_array().map(Vec::len), &questions[0]["dispute"]),
        (Some(1), &json!("list_changed")),
        "{questions}"
    );
    let choose =
        |choice: &str| world.request("conflicts_choose", json!({ "key": questions[0]["key"], "choice": choice }));
    assert!(choose("recreate").is_err(), "it does not fit the question");
    assert_eq!(choose("discard").unwrap()["left"], 0);
    world.pull();
    assert_eq!(world.list_contacts(&list).len(), 5, "what came meanwhile is here, too");
    assert_eq!(world.make_plan()["steps"], json!([]));
}

#[test]
fn another_key_sends_nothing_before_a_pull_has_compared_the_accounts() {
    let (world, _) = disputed_world();
    world.call("list_create", json!({ "name": "New" }));
    let plan = world.make_plan();
    let start = || world.request("run_start", json!({ "plan": plan["id"], "typed": [] }));
    world.call("connection_key_set", json!({ "key": "another-key-zebra", "keep": "keyring", "passphrase": null }));
    let error = start().unwrap_err().to_string();
    assert!(error.contains("Pull first"), "{error}");
    world.pull();
    let plan = world.make_plan();
    world.call("run_start", json!({ "plan": plan["id"], "typed": [] }));
    assert_eq!(world.wait_until_idle()["failed"], Value::Null);
}

#[test]
fn a_removal_that_would_take_another_opt_out_along_can_only_be_given_up() {
    let world = new_world();
    world.connect();
    let numbers = [to_number(1)];
    opt_out::add_web_opt_out(&world.there, &Actor::interface(), &numbers[0], Channel::Sms).unwrap();
    world.pull();
    let unwanted = opt_out::RemovalSelection::Numbers {
        numbers: numbers.to_vec(),
        channel: Some(Channel::Sms),
        asset: None,
        region: None,
    };
    let shown = opt_out::preview_removal(world.core(), &unwanted).unwrap();
    opt_out::remove(world.core(), &Actor::user(None), &unwanted, shown.count, &shown.stamp, "asked for it").unwrap();
    // The customer texts STOP to one of the account's numbers.
    let asset = asset::add(&world.there, &Actor::operator(), Channel::Sms, "+447700900500").unwrap().id;
    let entry = opt_out::OptOutEntry { number: &numbers[0], channel: Some("SMS"), asset_id: Some(asset.as_str()) };
    opt_out::create(&world.there, &Actor::interface(), &[entry], OptOutType::Keyword).unwrap();
    world.pull();
    let blocked = world.make_plan()["blocked"].clone();
    assert_eq!(blocked[0]["obstacle"], "only_account_level", "{blocked}");
    assert_eq!(blocked[0]["choices"], json!([{ "choice": "discard", "calls": 0 }]), "{blocked}");
    let choose = |choice: &str| {
        world.request("plan_choose", json!({ "key": blocked[0]["key"], "choice": choice, "alike": true }))
    };
    assert!(choose("keep_local").is_err(), "nobody who opted out is reachable here alone");
    let plan = choose("discard").unwrap();
    assert_eq!((&plan["blocked"], &plan["steps"]), (&json!([]), &json!([])), "{plan}");
    assert_eq!(world.status()["changes"], 0);
    assert_eq!(opt_out::preview_removal(world.core(), &unwanted).unwrap().count, 2, "both opt-outs are here");
}

#[test]
fn opt_outs_that_the_service_lost_are_created_again_all_at_once_and_never_removed_so() {
    let world = new_world();
    let numbers: Vec<String> = (0..5).map(to_number).collect();
    for number in &numbers {
        opt_out::add_web_opt_out(&world.there, &Actor::interface(), number, Channel::Sms).unwrap();
    }
    world.connect();
    world.pull();
    let stamped = opt_out::RemovalSelection::Numbers {
        numbers: numbers[..3].to_vec(),
        channel: Some(Channel::Sms),
        asset: None,
        region: None,
    };
    let shown = opt_out::preview_removal(&world.there, &stamped).unwrap();
    opt_out::remove(&world.there, &Actor::user(None), &stamped, shown.count, &shown.stamp, "lost").unwrap();
    world.call("sync_pull", json!({ "list": null, "full": true, "believe": true }));
    world.wait_until_idle();
    let page = || world.call("conflicts_page", json!({ "noun": null, "field": null, "from": 0, "count": 9 }));
    let open = page();
    assert_eq!((&open["total"], &open["open_opt_outs"]), (&json!(3), &json!(3)), "{open}");

    let key = open["rows"][0]["key"].clone();
    let confirmed = json!({ "typed_count": 3, "reason": "all of them" });
    let all = json!({ "key": key, "choice": "let_go", "confirmed": confirmed, "alike": true });
    let error = world.request("conflicts_choose", all).unwrap_err();
    assert_eq!((error.code, error.details[0].path.as_str()), (ErrorCode::Invalid, "alike"));
    assert_eq!(page()["open_opt_outs"], 3);

    let again = json!({ "key": key, "choice": "create_again", "confirmed": null, "alike": true });
    assert_eq!(world.call("conflicts_choose", again)["left"], 0);
    assert_eq!(page()["open_opt_outs"], 0);
    let plan = world.call("plan_make", json!({}));
    let steps = plan["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["why"] == "removed_there"), "{plan}");
    world.call("run_start", json!({ "plan": plan["id"], "typed": typed_texts(&plan) }));
    assert_eq!(world.wait_until_idle()["failed"], Value::Null);
    world.pull();
    assert_eq!(page()["total"], 0);
}

//! The whole workflow: connecting, pulling, editing, reviewing, pushing, reporting.

use std::fs;

use roost_ops::{Actor, contact, list};
use serde_json::{Value, json};

use super::{LIST, SyncFolder, field_values, list_id, service_contacts, start_service};

/// Renames one contact, deletes one and adds one.
fn edit_contacts(place: &SyncFolder) {
    place.rename_contact(0, "Edited");
    place.delete_contacts(1..2);
    place.edit_account(|core| {
        let new = field_values(&[("phone_number", "+447700900900"), ("firstname", "New")]);
        contact::add(core, &Actor::user(None), &list_id(), &new, None).expect("a contact");
    });
}

#[test]
fn an_account_is_pulled_edited_planned_pushed_and_reported() {
    let api = start_service(3);
    let place = SyncFolder::new();
    assert!(place.run_expecting(0, &["connect", api.url(), "--name", "Test"]).contains("which has 1 list."));
    assert!(place.run_expecting(0, &["pull"]).starts_with("3 contacts added, 0 changed, 0 removed; 0 conflicts.\n"));
    let again = place.run_for_json(0, &["pull", "--json"]);
    assert_eq!((&again["added"], &again["lists"][0]["name"]), (&json!(0), &json!(LIST)));
    assert_eq!(place.run_expecting(0, &["plan"]), "Plan 1: nothing to send.\n");
    assert_eq!(place.run_expecting(0, &["runs"]), "Nothing was sent yet.\n");
    assert!(place.run_expecting(0, &["status"]).contains("(Test)\n"), "the connection's name");

    edit_contacts(&place);
    let status = place.run_for_json(3, &["status", "--json"]);
    assert_eq!((&status["changes"], &status["conflicts"], &status["run"]), (&json!(3), &json!(0), &Value::Null));
    let refused = place.run_verb(&["push"]);
    assert_eq!(refused.status, Some(4), "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("--type '1' --yes. Nothing was sent."), "{}", refused.err);
    assert_eq!(service_contacts(&api).len(), 3);

    let stdout = place.run_expecting(0, &["push", "--yes", "--type", "1"]);
    assert!(stdout.contains("Run 1 is done.") && stdout.contains("3  arrived"), "{stdout}");
    let command = format!("roost report 1 --db {} lists its steps", place.file_path("account.roost"));
    assert!(stdout.contains(&command), "{stdout}");
    let names: Vec<_> = service_contacts(&api).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["Edited", "", "New"]);
    place.run_expecting(0, &["status"]);
    assert!(place.run_expecting(0, &["push", "--yes"]).ends_with("nothing to send.\n"));

    let runs = place.run_for_json(0, &["runs", "--json"]);
    assert_eq!((&runs[0]["id"], &runs[0]["state"], &runs[0]["refused"]), (&json!(1), &json!("done"), &json!(0)));
    let report = place.run_expecting(0, &["report"]);
    assert!(report.starts_with("# Run 1: done") && report.contains("| contacts.delete | 1 | verified |"), "{report}");
    assert!(report.contains("\nSeal of the audit record when this report was written: "), "{report}");
    let file = place.file_path("run.json");
    place.run_expecting(0, &["report", "1", "--format", "json", "--out", &file]);
    let kept: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    assert_eq!(kept["run"], 1);
    assert!(place.run_failing(2, &["report", "--out", &file]).contains("--force"));
    assert!(place.run_failing(2, &["report", "7"]).contains("There is no run 7"));
}

#[test]
fn a_plan_is_shown_in_text_and_in_json_with_each_request() {
    let api = start_service(3);
    let place = SyncFolder::pulled_from(&api);
    edit_contacts(&place);
    let text = place.run_expecting(3, &["plan"]);
    let lines: Vec<&str> = text.lines().take(6).collect();
    assert_eq!(
        lines,
        [
            "Plan 1: 3 steps, 3 calls to write and 3 to read, about 2 s.",
            "",
            "  step  what                    rows  why",
            "     0  update contacts of VIP     1  changed here: firstname",
            "     1  add contacts to VIP        1  created here",
            "     2  delete contacts of VIP     1  deleted here",
        ],
        "{text}"
    );
    let plan = || {
        let mut plan = place.run_for_json(3, &["plan", "--json"]);
        for moving in ["id", "at"] {
            plan.as_object_mut().expect("an object").remove(moving).expect("it is there");
        }
        plan
    };
    let first = plan();
    assert_eq!(first, plan(), "equal states, equal plans");
    let kinds: Vec<&str> =
        first["steps"].as_array().expect("steps").iter().filter_map(|s| s["kind"].as_str()).collect();
    assert_eq!(kinds, ["contacts_update", "contacts_create", "contact_delete"]);
    assert_eq!(first["steps"][0]["fields"], json!(["firstname"]));
    for key in ["is_stale", "writes", "reads", "seconds", "lanes", "conflicts", "blocked", "refused", "notes", "gates"]
    {
        assert!(first.get(key).is_some(), "{key}");
    }

    let masked = place.run_expecting(0, &["plan", "--body", "1"]);
    assert!(masked.starts_with(&format!("POST {}/contacts/v1/contacts\n", api.url())), "{masked}");
    assert!(!masked.contains("+447700900900") && masked.contains("\"New\""), "{masked}");
    assert!(place.run_expecting(0, &["plan", "--body", "1", "--unmasked"]).contains("+447700900900"));
    let body = place.run_for_json(0, &["plan", "--body", "2", "--json"]);
    assert_eq!((&body["method"], &body["body"]), (&json!("DELETE"), &Value::Null));
    place.run_failing(2, &["plan", "--body", "9"]);
    place.rename_contact(2, "Later");
    assert!(place.run_failing(2, &["plan", "--body", "1"]).contains("changed after the newest plan"));
}

#[test]
fn a_plan_with_a_gate_is_sent_only_after_its_text_was_typed() {
    let api = start_service(2);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| list::delete(core, &Actor::user(None), &list_id()).expect("deleted"));
    let plan = place.run_for_json(3, &["plan", "--json"]);
    let wanted = plan["gates"][0]["wanted"].as_str().expect("a word").to_owned();
    for typed in [&["--yes"][..], &["--yes", "--type", "something else"]] {
        let refused = place.run_verb(&[&["push"], typed].concat());
        assert_eq!(refused.status, Some(4), "{}{}", refused.out, refused.err);
        assert!(refused.err.contains(&format!("--type '{wanted}'")), "{}", refused.err);
    }
    api.get("/contacts/v1/lists/").expect(200);
    assert_eq!(api.get("/contacts/v1/lists/").items().len(), 1, "nothing was sent");
    place.run_expecting(0, &["push", "--yes", "--type", &wanted]);
    assert!(api.get("/contacts/v1/lists/").items().is_empty());
}

#[test]
fn exit_statuses_are_in_the_help() {
    for args in [&["--help"][..], &["push", "--help"], &["status", "-h"]] {
        let help = super::wait_for_end(roost_tests::spawned::command(args)).out;
        for status in 3..=9 {
            assert!(help.contains(&format!("\n  {status}  ")), "{args:?}: {help}");
        }
    }
    let help = super::wait_for_end(roost_tests::spawned::command(["connect", "--help"])).out;
    assert!(help.contains("--key-stdin") && !help.contains("--key <"), "a key is not an argument: {help}");
}

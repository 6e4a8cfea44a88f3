//! Each obstacle has its own exit status and a sentence that says what to do.

use std::net::TcpListener;

use roost_ops::{Actor, Core, Ctx, contact};
use roost_tests::Setup;

use super::{
    LIST, SyncFolder, between::start_proxy, field_values, list_id, rename_at_service, service_contacts, start_service,
};

#[test]
fn a_question_is_left_and_holds_nothing_else() {
    let api = start_service(2);
    let place = SyncFolder::pulled_from(&api);
    place.rename_contact(0, "Mine");
    place.rename_contact(1, "Mine too");
    rename_at_service(&api, 0, "Theirs");
    assert!(place.run_expecting(3, &["pull", "--full"]).contains("1 conflict."));
    let text = place.run_expecting(3, &["plan"]);
    assert!(text.contains("1 step,") && text.contains("1 conflict:"), "{text}");
    place.run_expecting(3, &["push", "--yes"]);
    let names: Vec<_> = service_contacts(&api).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["Theirs", "Mine too"]);
    let status = place.run_for_json(3, &["status", "--json"]);
    assert_eq!(status["conflicts"], 1);
    place.run_expecting(3, &["push", "--yes"]);
}

#[test]
fn a_row_that_the_service_refuses_leaves_the_others_alone() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| {
        for (number, name) in [("+447700900777", "Refused"), ("+447700900778", "Taken")] {
            let new = field_values(&[("phone_number", number), ("firstname", name)]);
            contact::add(core, &Actor::user(None), &list_id(), &new, None).expect("a contact");
        }
    });
    let url = start_proxy(api.address(), |body| body.replace("+447700900777", "1"));
    place.run_expecting(0, &["connect", &url]);
    // Another address may have another account, so a pull must compare the two first.
    place.run_expecting(0, &["pull"]);
    let stdout = place.run_expecting(5, &["push", "--yes"]);
    assert!(stdout.contains("1  refused by the service"), "{stdout}");
    let names: Vec<_> = service_contacts(&api).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["", "Taken"]);
    let status = place.run_for_json(3, &["status", "--json"]);
    assert_eq!(status["refused"], 1);
    // The record is reported with its reason until it is changed here, and nothing else is left to send.
    let plan = place.run_expecting(3, &["plan"]);
    assert!(plan.contains("Refused in VIP") && plan.contains("valid phone or WhatsApp number"), "{plan}");
    assert!(!plan.contains("held back"), "{plan}");
    place.run_expecting(5, &["push", "--yes"]);
    let report = place.run_expecting(0, &["report"]);
    assert!(report.contains("was refused") && report.contains("valid phone or WhatsApp number"), "{report}");
}

#[test]
fn an_unreachable_service_is_reported() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let place = SyncFolder::new();
    let message = place.run_failing(7, &["connect", &url]);
    assert!(message.contains("was saved") && message.contains("cannot be reached"), "{message}");
    let message = place.run_failing(7, &["pull"]);
    assert!(message.contains("Check that this computer is online and the service runs"), "{message}");
    place.run_expecting(0, &["plan"]);
}

#[test]
fn an_account_that_another_has_is_left_alone() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    let held = Core::open(place.file_path("account.roost").as_ref(), Ctx::system()).expect("the account");
    for verb in [&["pull"][..], &["plan"], &["push", "--yes"], &["status"], &["runs"], &["report"]] {
        let message = place.run_failing(9, verb);
        assert!(
            message.contains("is open in another process") && message.contains("Close it there"),
            "{verb:?}: {message}"
        );
    }
    assert!(place.run_failing(9, &["connect", api.url()]).contains("Close it there"));
    held.end_background_work();
    drop(held);
    place.run_expecting(0, &["pull"]);
}

#[test]
fn a_read_only_connection_sends_nothing() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    place.run_expecting(0, &["connect", api.url(), "--read-only"]);
    place.rename_contact(0, "Mine");
    let refused = place.run_verb(&["push", "--yes"]);
    assert_eq!(refused.status, Some(2), "{}{}", refused.out, refused.err);
    assert!(refused.err.contains("is read-only") && refused.err.contains("without --read-only"), "{}", refused.err);
    place.run_expecting(0, &["pull"]);
    assert_eq!(service_contacts(&api)[0].1, "");
    let status = place.run_expecting(3, &["status"]);
    assert!(status.contains(", read-only"), "{status}");
}

#[test]
fn a_file_of_another_kind_or_without_a_connection_says_what_to_do() {
    let place = SyncFolder::new();
    for verb in ["pull", "plan", "push", "status", "runs", "report"] {
        assert!(place.run_failing(2, &[verb]).contains("--db"), "{verb}");
    }
    place.edit_account(|_| ());
    for verb in [&["pull"][..], &["status"]] {
        assert!(place.run_failing(2, verb).contains("roost connect URL"), "{verb:?}");
    }
    assert!(place.run_failing(2, &["connect", "ftp://x"]).contains("https://host"));
    assert!(place.run_failing(2, &["connect", "https://me:secret@x.example"]).contains("Leave them out"));
    let nobody = Setup::new().serve();
    assert!(place.run_expecting(0, &["connect", nobody.url(), "--no-test"]).contains("was saved without a test"));
    let message = place.run_failing(2, &["connect", "http://api.example"]);
    assert!(message.contains("--plain-http") && message.contains("Nothing was saved"), "{message}");
    std::fs::write(place.file_path("key"), "k".repeat(4_097)).expect("a file");
    let message = place.run_failing(8, &["connect", nobody.url(), "--key-file", &place.file_path("key")]);
    assert!(message.contains("more than 4096 characters"), "{message}");
    let status = place.run_for_json(0, &["status", "--json"]);
    assert!(status["service"].as_str().expect("an address").starts_with(nobody.url()), "the good address stays");
    assert!(place.run_failing(2, &["pull", "--list", LIST]).contains("There is no list"));
    assert!(place.run_failing(2, &["push", "--resume"]).contains("No run is unfinished"));
    assert!(place.run_failing(2, &["push", "--resume", "--cancel"]).contains("cannot be used with"));
}

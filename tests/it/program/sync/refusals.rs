//! What stands in the way has a status of its own, and a sentence that says what to do.

use std::net::TcpListener;

use roost_ops::{By, Core, Ctx, contact};
use roost_tests::Setup;

use super::{LIST, Place, between::between, list_id, rename_there, service, there, values};

#[test]
fn a_question_is_left_and_holds_nothing_else() {
    let api = service(2);
    let place = Place::pulled(&api);
    place.rename(0, "Mine");
    place.rename(1, "Mine too");
    rename_there(&api, 0, "Theirs");
    assert!(place.done(3, &["pull", "--full"]).contains("1 conflict."));
    let text = place.done(3, &["plan"]);
    assert!(text.contains("1 step,") && text.contains("1 conflict:"), "{text}");
    place.done(3, &["push", "--yes"]);
    let names: Vec<_> = there(&api).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["Theirs", "Mine too"]);
    let status = place.json(3, &["status", "--json"]);
    assert_eq!(status["conflicts"], 1);
    place.done(3, &["push", "--yes"]);
}

#[test]
fn a_row_that_the_service_refuses_leaves_the_others_alone() {
    let api = service(1);
    let place = Place::pulled(&api);
    place.edit(|core| {
        for (number, name) in [("+447700900777", "Refused"), ("+447700900778", "Taken")] {
            let new = values(&[("phone_number", number), ("firstname", name)]);
            contact::add(core, &By::user(None), &list_id(), &new, None).expect("a contact");
        }
    });
    let url = between(api.address(), |body| body.replace("+447700900777", "1"));
    place.done(0, &["connect", &url]);
    // Another address may have another account, so it is compared first.
    place.done(0, &["pull"]);
    let said = place.done(5, &["push", "--yes"]);
    assert!(said.contains("1  refused by the service"), "{said}");
    let names: Vec<_> = there(&api).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["", "Taken"]);
    let status = place.json(3, &["status", "--json"]);
    assert_eq!(status["refused"], 1);
    // It is named with its reason until it is changed here, and nothing else is left to send.
    let plan = place.done(3, &["plan"]);
    assert!(plan.contains("Refused in VIP") && plan.contains("valid phone or WhatsApp number"), "{plan}");
    assert!(!plan.contains("held back"), "{plan}");
    place.done(5, &["push", "--yes"]);
    let report = place.done(0, &["report"]);
    assert!(report.contains("was refused") && report.contains("valid phone or WhatsApp number"), "{report}");
}

#[test]
fn a_service_that_is_not_there_is_told() {
    let gone = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!("http://{}", gone.local_addr().expect("an address"));
    drop(gone);
    let place = Place::new();
    let said = place.fails(7, &["connect", &url]);
    assert!(said.contains("was saved") && said.contains("cannot be reached"), "{said}");
    let said = place.fails(7, &["pull"]);
    assert!(said.contains("Check that this computer is online and the service runs"), "{said}");
    place.done(0, &["plan"]);
}

#[test]
fn an_account_that_another_has_is_left_alone() {
    let api = service(1);
    let place = Place::pulled(&api);
    let held = Core::open(place.path("account.roost").as_ref(), Ctx::system()).expect("the account");
    for verb in [&["pull"][..], &["plan"], &["push", "--yes"], &["status"], &["runs"], &["report"]] {
        let said = place.fails(9, verb);
        assert!(said.contains("is open in another process") && said.contains("Close it there"), "{verb:?}: {said}");
    }
    assert!(place.fails(9, &["connect", api.url()]).contains("Close it there"));
    held.end();
    drop(held);
    place.done(0, &["pull"]);
}

#[test]
fn a_read_only_connection_sends_nothing() {
    let api = service(1);
    let place = Place::pulled(&api);
    place.done(0, &["connect", api.url(), "--read-only"]);
    place.rename(0, "Mine");
    let refused = place.run(&["push", "--yes"]);
    assert_eq!(refused.status, Some(2), "{}{}", refused.out, refused.err);
    assert!(
        refused.err.contains("for reading alone") && refused.err.contains("without --read-only"),
        "{}",
        refused.err
    );
    place.done(0, &["pull"]);
    assert_eq!(there(&api)[0].1, "");
    let status = place.done(3, &["status"]);
    assert!(status.contains(", read-only"), "{status}");
}

#[test]
fn what_is_no_account_or_not_connected_says_what_to_do() {
    let place = Place::new();
    for verb in ["pull", "plan", "push", "status", "runs", "report"] {
        assert!(place.fails(2, &[verb]).contains("--db"), "{verb}");
    }
    place.edit(|_| ());
    for verb in [&["pull"][..], &["status"]] {
        assert!(place.fails(2, verb).contains("roost connect URL"), "{verb:?}");
    }
    assert!(place.fails(2, &["connect", "ftp://x"]).contains("https://host"));
    assert!(place.fails(2, &["connect", "https://me:secret@x.example"]).contains("Leave them out"));
    let nobody = Setup::new().serve();
    assert!(place.done(0, &["connect", nobody.url(), "--no-test"]).contains("was saved without a test"));
    let said = place.fails(2, &["connect", "http://api.example"]);
    assert!(said.contains("--plain-http") && said.contains("Nothing was saved"), "{said}");
    std::fs::write(place.path("key"), "k".repeat(4_097)).expect("a file");
    let said = place.fails(8, &["connect", nobody.url(), "--key-file", &place.path("key")]);
    assert!(said.contains("more than 4096 characters"), "{said}");
    let status = place.json(0, &["status", "--json"]);
    assert!(status["service"].as_str().expect("an address").starts_with(nobody.url()), "the good address stays");
    assert!(place.fails(2, &["pull", "--list", LIST]).contains("There is no list"));
    assert!(place.fails(2, &["push", "--resume"]).contains("No run is unfinished"));
    assert!(place.fails(2, &["push", "--resume", "--cancel"]).contains("cannot be used with"));
}

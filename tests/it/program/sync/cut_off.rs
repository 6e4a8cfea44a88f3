//! Ctrl-C pauses, a second one ends; whatever was cut off goes on where it was.

use roost_tests::{Receiver, Reply, until};
use serde_json::json;

use super::{Place, Running, service, there};

/// So many deletions take some seconds at the pace that a service allows.
const DELETED: usize = 60;
const ALL: usize = 90;

/// A push that was interrupted when the first of it had arrived.
fn paused(api: &roost_tests::Served) -> Place {
    let place = Place::pulled(api);
    place.delete(0..DELETED);
    let plan = place.json(3, &["plan", "--json"]);
    let wanted = plan["gates"][0]["wanted"].as_str().expect("a gate").to_owned();
    let mut push = Running::start(place.command(&["push", "--yes", "--type", &wanted]));
    until("a contact is deleted", || (there(api).len() < ALL).then_some(()));
    push.interrupt();
    let ended = push.wait();
    assert_eq!(ended.status, Some(3), "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("Pausing after the current request"), "{}", ended.err);
    assert!(!ended.err.contains('\r'), "no line is rewritten where nobody sees it");
    assert!(ended.out.contains("is paused; continue it with roost push --resume"), "{}", ended.out);
    place
}

#[test]
fn ctrl_c_pauses_a_run_and_it_is_taken_up_again() {
    let api = service(ALL);
    let place = paused(&api);
    let left = there(&api).len();
    assert!(left > ALL - DELETED, "{left} are left");
    let status = place.json(3, &["status", "--json"]);
    assert_eq!(status["run"]["state"], "paused");
    assert!(place.done(3, &["status"]).contains("roost push --resume"));
    let said = place.fails(3, &["push", "--yes"]);
    assert!(said.contains("has not ended") && said.contains("--resume"), "{said}");
    assert_eq!(there(&api).len(), left, "nothing was sent meanwhile");
    let resumed = place.json(0, &["push", "--resume", "--json"]);
    assert_eq!((&resumed["state"], &resumed["counts"]["verified"]), (&json!("done"), &json!(DELETED)));
    assert_eq!(there(&api).len(), ALL - DELETED);
    place.done(0, &["status"]);
}

#[test]
fn a_run_that_is_given_up_sends_nothing_more() {
    let api = service(ALL);
    let place = paused(&api);
    let left = there(&api).len();
    let said = place.done(3, &["push", "--cancel"]);
    assert!(said.contains("was cancelled"), "{said}");
    assert_eq!(there(&api).len(), left);
    let status = place.json(3, &["status", "--json"]);
    assert_eq!(status["run"], json!(null));
    // What was not sent is still wanted, and what arrived is not sent again.
    place.done(0, &["pull", "--full"]);
    let plan = place.json(3, &["plan", "--json"]);
    assert_eq!(plan["steps"][0]["rows"], left - (ALL - DELETED));
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let place = Place::new();
    let silent = Receiver::replying([Reply::Silence]);
    place.done(0, &["connect", &silent.url(""), "--no-test"]);
    let mut pull = Running::start(place.command(&["pull"]));
    silent.wait_for(1);
    pull.interrupt();
    until("it says that it pauses", || pull.said("err").contains("Ctrl-C again").then_some(()));
    pull.interrupt();
    assert_eq!(pull.wait().status, Some(130));
    place.done(0, &["plan"]);
}

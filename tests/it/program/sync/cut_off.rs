//! Ctrl-C pauses a run and a second one ends the program. Interrupted work continues where it was.

use roost_tests::{Receiver, Reply, until};
use serde_json::json;

use super::{RunningProcess, SyncFolder, service_contacts, start_service};

/// This many deletions take some seconds at the pace that a service allows.
const DELETED: usize = 60;
const ALL: usize = 90;

/// Starts a push and interrupts it when its first change has arrived.
fn paused_push(api: &roost_tests::Served) -> SyncFolder {
    let place = SyncFolder::pulled_from(api);
    place.delete_contacts(0..DELETED);
    let plan = place.run_for_json(3, &["plan", "--json"]);
    let wanted = plan["gates"][0]["wanted"].as_str().expect("a gate").to_owned();
    let mut push = RunningProcess::start(place.command(&["push", "--yes", "--type", &wanted]));
    until("a contact is deleted", || (service_contacts(api).len() < ALL).then_some(()));
    push.interrupt();
    let ended = push.wait_for_end();
    assert_eq!(ended.status, Some(3), "{}{}", ended.out, ended.err);
    assert!(ended.err.contains("Pausing after the current request"), "{}", ended.err);
    assert!(!ended.err.contains('\r'), "no line is rewritten where nobody sees it");
    assert!(ended.out.contains("is paused; continue it with roost push --resume"), "{}", ended.out);
    place
}

#[test]
fn ctrl_c_pauses_a_run_and_it_is_taken_up_again() {
    let api = start_service(ALL);
    let place = paused_push(&api);
    let left = service_contacts(&api).len();
    assert!(left > ALL - DELETED, "{left} are left");
    let status = place.run_for_json(3, &["status", "--json"]);
    assert_eq!(status["run"]["state"], "paused");
    assert!(place.run_expecting(3, &["status"]).contains("roost push --resume"));
    let message = place.run_failing(3, &["push", "--yes"]);
    assert!(message.contains("has not ended") && message.contains("--resume"), "{message}");
    assert_eq!(service_contacts(&api).len(), left, "nothing was sent meanwhile");
    let resumed = place.run_for_json(0, &["push", "--resume", "--json"]);
    assert_eq!((&resumed["state"], &resumed["counts"]["verified"]), (&json!("done"), &json!(DELETED)));
    assert_eq!(service_contacts(&api).len(), ALL - DELETED);
    place.run_expecting(0, &["status"]);
}

#[test]
fn a_cancelled_run_sends_nothing_more() {
    let api = start_service(ALL);
    let place = paused_push(&api);
    let left = service_contacts(&api).len();
    let stdout = place.run_expecting(3, &["push", "--cancel"]);
    assert!(stdout.contains("was cancelled"), "{stdout}");
    assert_eq!(service_contacts(&api).len(), left);
    let status = place.run_for_json(3, &["status", "--json"]);
    assert_eq!(status["run"], json!(null));
    // Unsent changes are still planned, and changes that arrived are not sent again.
    place.run_expecting(0, &["pull", "--full"]);
    let plan = place.run_for_json(3, &["plan", "--json"]);
    assert_eq!(plan["steps"][0]["rows"], left - (ALL - DELETED));
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let place = SyncFolder::new();
    let silent = Receiver::replying([Reply::Silence]);
    place.run_expecting(0, &["connect", &silent.url(""), "--no-test"]);
    let mut pull = RunningProcess::start(place.command(&["pull"]));
    silent.wait_for(1);
    pull.interrupt();
    until("it says that it pauses", || pull.read_output("err").contains("Ctrl-C again").then_some(()));
    pull.interrupt();
    assert_eq!(pull.wait_for_end().status, Some(130));
    place.run_expecting(0, &["plan"]);
}

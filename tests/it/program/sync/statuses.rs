//! The exit status of a push follows from the reason that stopped the run, whatever other answers arrived.

use std::{
    io::{self, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use roost_model::channel::Channel;
use roost_ops::{
    Actor, contact, list,
    opt_out::{self, NewOptOut},
};
use roost_tests::{Receiver, Reply, Setup, seeds, until};
use serde_json::json;

use super::{
    RunningProcess, SyncFolder, between::ProxiedRequest, contact_id, field_values, list_id, service_contacts,
    start_service,
};

/// The action of a proxy for a request, chosen by its first line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProxyAction {
    Through,
    /// Answers at once with this status.
    No(&'static str),
    /// Forwards the request after another one was refused.
    Behind,
    /// Never answers.
    Silence,
}

type ChooseAction = dyn Fn(&str) -> ProxyAction + Send + Sync;

/// The events at the service so far.
#[derive(Default)]
struct ServiceEvents {
    has_refused: Mutex<bool>,
    refused: Condvar,
}

/// Starts a proxy before a service. It runs until the tests' process ends.
fn start_proxy(service: SocketAddr, judge: impl Fn(&str) -> ProxyAction + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (judge, seen): (Arc<ChooseAction>, Arc<ServiceEvents>) = (Arc::new(judge), Arc::default());
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (judge, seen) = (Arc::clone(&judge), Arc::clone(&seen));
            // A client that hangs up early is not an error of the proxy.
            thread::spawn(move || drop(handle_connection(&client, service, &*judge, &seen)));
        }
    });
    url
}

/// Handles one request and its response, then closes both connections.
fn handle_connection(
    mut client: &TcpStream,
    service: SocketAddr,
    judge: &ChooseAction,
    seen: &ServiceEvents,
) -> io::Result<()> {
    let mut from = BufReader::new(client);
    let request = ProxiedRequest::read(&mut from, service)?;
    let way = judge(request.head.lines().next().unwrap_or_default());
    match way {
        ProxyAction::No(status) => {
            write!(client, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
            client.flush()?;
            *seen.has_refused.lock().expect("nobody panicked") = true;
            seen.refused.notify_all();
            return Ok(());
        }
        ProxyAction::Silence => {
            // Waits until the client hangs up.
            from.read_to_end(&mut Vec::new())?;
            return Ok(());
        }
        ProxyAction::Behind => {
            let has_refused = seen.has_refused.lock().expect("nobody panicked");
            drop(seen.refused.wait_while(has_refused, |has_refused| !*has_refused).expect("nobody panicked"));
        }
        ProxyAction::Through => {}
    }
    request.forward(service, client)
}

/// Creates a list here and a contact in another, which use two lanes at once.
fn in_two_lanes(place: &SyncFolder) {
    place.edit_account(|core| {
        list::create(core, &Actor::user(None), "Made here", list::UniqueNames::Off).expect("a list");
        let new = field_values(&[("phone_number", "+447700900777"), ("firstname", "New")]);
        contact::add(core, &Actor::user(None), &list_id(), &new, None).expect("a contact");
    });
}

fn makes_a_list(line: &str) -> bool {
    line.starts_with("POST /contacts/v1/lists")
}

fn writes_contacts(line: &str) -> bool {
    line.starts_with("POST /contacts/v1/contacts ")
}

#[test]
fn a_key_that_one_lane_refuses_is_reported_although_another_succeeded_after_it() {
    for (answer, status, says) in
        [("401 Unauthorized", 8, "does not accept the key"), ("302 Found", 2, "redirects to another address")]
    {
        let api = start_service(1);
        let place = SyncFolder::pulled_from(&api);
        in_two_lanes(&place);
        let url = start_proxy(api.address(), move |line| match line {
            line if makes_a_list(line) => ProxyAction::No(answer),
            line if writes_contacts(line) => ProxyAction::Behind,
            _ => ProxyAction::Through,
        });
        place.run_expecting(0, &["connect", &url]);
        place.run_expecting(0, &["pull"]);
        let ended = place.run_verb(&["push", "--yes"]);
        assert_eq!(ended.status, Some(status), "{answer}: {}{}", ended.out, ended.err);
        assert!(ended.err.contains(says) && ended.err.contains("roost push --resume"), "{answer}: {}", ended.err);
        let is_repeated = |line: &str| line.contains(says) && !line.starts_with(' ');
        assert!(!ended.out.lines().any(is_repeated), "{answer}: {}", ended.out);
        assert_eq!(service_contacts(&api).len(), 2, "{answer}: what the other lane sent has arrived");
        assert_eq!(place.run_for_json(3, &["status", "--json"])["run"]["state"], "paused");
        // With the right address, the run continues to its end.
        place.run_expecting(0, &["connect", api.url()]);
        place.run_expecting(0, &["pull"]);
        place.run_expecting(0, &["push", "--resume"]);
        place.run_expecting(0, &["status"]);
    }
}

#[test]
fn what_may_have_happened_or_not_is_in_doubt_until_it_is_read() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| {
        list::create(core, &Actor::user(None), "Made here", list::UniqueNames::Off).expect("a list")
    });
    let (sender, sent) = std::sync::mpsc::channel();
    let sender = Mutex::new(sender);
    let url = start_proxy(api.address(), move |line| {
        if makes_a_list(line) {
            // The test may have ended.
            let _ = sender.lock().expect("nobody panicked").send(());
            ProxyAction::Silence
        } else {
            ProxyAction::Through
        }
    });
    place.run_expecting(0, &["connect", &url]);
    place.run_expecting(0, &["pull"]);
    let mut push = RunningProcess::start(place.command(&["push", "--yes"]));
    sent.recv_timeout(std::time::Duration::from_secs(60)).expect("the list is sent");
    // The push is killed during its request.
    push.child.kill().expect("it runs");
    push.wait_for_end();
    // No service is there to report the result.
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let nowhere = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    place.run_expecting(0, &["connect", &nowhere, "--no-test"]);
    let ended = place.run_verb(&["push", "--cancel"]);
    assert_eq!(ended.status, Some(6), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("is in doubt"), "{}", ended.out);
    assert_eq!(place.run_for_json(0, &["runs", "--json"])[0]["state"], "in_doubt");
    // Changes that did not arrive are still planned.
    place.run_expecting(0, &["connect", api.url()]);
    place.run_expecting(0, &["pull", "--full"]);
    place.run_expecting(0, &["push", "--yes"]);
    assert_eq!(api.get("/contacts/v1/lists/").items().len(), 2, "made once");
}

#[test]
fn a_refused_step_is_counted_until_it_arrives() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| {
        let channels = vec![Channel::Sms];
        let entry = NewOptOut { number: seeds::mobile(7), channels, asset: None };
        opt_out::add(core, &Actor::user(None), &[entry], "by telephone", None).expect("an opt-out");
    });
    let url = start_proxy(api.address(), |line| {
        if line.starts_with("POST /contacts/v1/optouts") {
            ProxyAction::No("422 Unprocessable Content")
        } else {
            ProxyAction::Through
        }
    });
    place.run_expecting(0, &["connect", &url]);
    place.run_expecting(0, &["pull"]);
    place.run_expecting(5, &["push", "--yes"]);
    let status = place.run_for_json(3, &["status", "--json"]);
    assert_eq!((&status["changes"], &status["refused"]), (&json!(1), &json!(1)), "{status}");
    place.run_expecting(0, &["connect", api.url()]);
    place.run_expecting(0, &["pull"]);
    place.run_expecting(0, &["push", "--yes"]);
    assert_eq!(place.run_for_json(0, &["status", "--json"])["refused"], 0);
}

#[test]
fn a_run_that_is_cancelled_while_it_is_uncertain_ends_in_doubt() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| {
        list::create(core, &Actor::user(None), "Made here", list::UniqueNames::Off).expect("a list")
    });
    let sent = Arc::new(AtomicBool::new(false));
    let is_sent = Arc::clone(&sent);
    // It is unknown whether the list was created, and the refused key does not help to find out.
    let url = start_proxy(api.address(), move |line| {
        if makes_a_list(line) {
            is_sent.store(true, Ordering::Release);
            return ProxyAction::No("503 Service Unavailable");
        }
        if is_sent.load(Ordering::Acquire) { ProxyAction::No("401 Unauthorized") } else { ProxyAction::Through }
    });
    place.run_expecting(0, &["connect", &url]);
    place.run_expecting(0, &["pull"]);
    let ended = place.run_verb(&["push", "--yes"]);
    // The reason that stopped the run decides as long as the run is paused, and the text says what is uncertain.
    assert_eq!(ended.status, Some(8), "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("1  uncertain"), "{}", ended.out);
    let ended = place.run_verb(&["push", "--cancel"]);
    assert_eq!(ended.status, Some(6), "{}{}", ended.out, ended.err);
}

#[test]
fn contacts_that_were_sent_and_not_found_may_still_arrive() {
    let api = start_service(1);
    let place = SyncFolder::pulled_from(&api);
    place.edit_account(|core| {
        let new = field_values(&[("phone_number", "+447700900777"), ("firstname", "New")]);
        contact::add(core, &Actor::user(None), &list_id(), &new, None).expect("a contact");
    });
    let (sender, sent) = std::sync::mpsc::channel();
    let sender = Mutex::new(sender);
    let url = start_proxy(api.address(), move |line| {
        if writes_contacts(line) {
            // The test may have ended.
            let _ = sender.lock().expect("nobody panicked").send(());
            return ProxyAction::No("503 Service Unavailable");
        }
        ProxyAction::Through
    });
    place.run_expecting(0, &["connect", &url]);
    place.run_expecting(0, &["pull"]);
    let mut push = RunningProcess::start(place.command(&["push", "--yes"]));
    sent.recv_timeout(std::time::Duration::from_secs(60)).expect("the contact is sent");
    push.interrupt();
    for (ended, how) in [(push.wait_for_end(), "1  uncertain"), (place.run_verb(&["push", "--cancel"]), "is in doubt")]
    {
        assert_eq!(ended.status, Some(6), "{}{}", ended.out, ended.err);
        assert!(ended.out.contains(how), "{}", ended.out);
    }
}

#[test]
fn status_reports_a_doubtful_reading_until_a_person_accepts_it() {
    let api = start_service(8);
    let place = SyncFolder::pulled_from(&api);
    for n in 0..6 {
        contact::delete(api.core(), &Actor::operator(), &contact_id(n)).expect("deleted");
    }
    let ended = place.run_verb(&["pull", "--full"]);
    assert_eq!(ended.status, Some(3), "{}{}", ended.out, ended.err);
    let ended = place.run_verb(&["status"]);
    assert!(ended.status == Some(3) && ended.out.contains("lost many records at once"), "{}{}", ended.out, ended.err);
    assert_eq!(place.run_for_json(3, &["status", "--json"])["is_doubtful"], true);
    place.run_expecting(0, &["pull", "--full", "--believe"]);
    place.run_expecting(0, &["status"]);
}

#[test]
fn a_removed_list_is_counted_and_its_changes_are_refused_for_that_reason() {
    let api = start_service(8);
    list::create(api.core(), &Actor::operator(), "Other", list::UniqueNames::Off).expect("a list");
    let place = SyncFolder::pulled_from(&api);
    place.rename_contact(0, "Mine");
    list::delete(api.core(), &Actor::operator(), &list_id()).expect("deleted");
    let stdout = place.run_expecting(3, &["pull"]);
    assert!(stdout.contains("1 list with 8 contacts is missing at once; it stays here"), "{stdout}");
    let stdout = place.run_expecting(5, &["push", "--yes"]);
    assert!(stdout.contains("VIP: the list is no longer at the service") && !stdout.contains("changed at"), "{stdout}");
    place.run_expecting(3, &["pull", "--believe"]);
    let stdout = place.run_expecting(3, &["conflicts"]);
    assert!(stdout.contains("VIP: changed here, deleted at the service") && !stdout.contains("VIP in VIP"), "{stdout}");
    let key = stdout.split_whitespace().next().expect("a key").to_owned();
    place.run_expecting(0, &["answer", &key, "discard"]);
    let stdout = place.run_expecting(0, &["pull"]);
    assert!(stdout.contains("VIP: removed here with 8 contacts, because the service no longer has it"), "{stdout}");
    place.run_expecting(0, &["status"]);
}

#[test]
fn a_change_that_is_only_another_order_of_custom_fields_is_removed_when_the_account_is_opened() {
    let mut list = seeds::filled_list(list_id().as_str(), super::LIST, 1);
    for (name, value) in [("firstname", "Ada"), ("field_1", "x"), ("field_2", "y")] {
        list["contacts"][0][name] = json!(value);
    }
    let seed = json!({ "custom_fields": ["Rank", "Size"], "lists": [list] });
    let api = Setup::new().set("auth", "off").seed(seed).serve();
    let place = SyncFolder::pulled_from(&api);
    place.rename_contact(0, "Mine");
    // The state as an earlier version wrote it, in which only the order differs.
    let swapped = "UPDATE sync_base SET cells = replace(replace(cells, '\"Ada\"', '\"Mine\"'),
        '\"field_1\":\"x\",\"field_2\":\"y\"', '\"field_2\":\"y\",\"field_1\":\"x\"')";
    let account = rusqlite::Connection::open(place.file_path("account.roost")).expect("the account");
    account.execute_batch(swapped).expect("written");
    let cells: String = account.query_row("SELECT cells FROM sync_base", [], |row| row.get(0)).expect("one change");
    assert!(cells.contains(r#""Mine""#) && cells.contains(r#""field_2":"y","field_1":"x""#), "{cells}");
    drop(account);
    assert_eq!(place.run_for_json(0, &["status", "--json"])["changes"], 0);
    place.run_expecting(0, &["plan"]);
}

#[test]
fn a_log_shows_that_a_command_is_still_at_work() {
    let silent = Receiver::replying([Reply::Silence]);
    let place = SyncFolder::new();
    place.run_expecting(0, &["connect", "--no-test", &silent.url("")]);
    let pull = RunningProcess::start(place.command(&["pull"]));
    let line = until("a line in the log", || pull.read_output("err").lines().next().map(str::to_owned));
    assert!(!line.contains('\r') && line.contains("Reading"), "{line}");
}

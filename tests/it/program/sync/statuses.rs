//! Exit statuses of push follow from what stopped a run, whatever else was answered meanwhile.

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
    By, contact, list,
    opt_out::{self, NewOptOut},
};
use roost_tests::{Receiver, Reply, Setup, seeds, until};
use serde_json::json;

use super::{Place, Running, between::Asked, contact_id, list_id, service, there, values};

/// What a door does with a request, by its first line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Through,
    /// Answered at once, with this status.
    No(&'static str),
    /// Let through when another was answered with a no.
    Behind,
    /// Never answered.
    Silence,
}

type Judge = dyn Fn(&str) -> Way + Send + Sync;

/// What of the service's side has happened.
#[derive(Default)]
struct Seen {
    said_no: Mutex<bool>,
    told: Condvar,
}

/// Stands before a service; lives as long as the tests' process.
fn door(service: SocketAddr, judge: impl Fn(&str) -> Way + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (judge, seen): (Arc<Judge>, Arc<Seen>) = (Arc::new(judge), Arc::default());
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (judge, seen) = (Arc::clone(&judge), Arc::clone(&seen));
            // A client that hangs up in the middle is its own affair.
            thread::spawn(move || drop(pass(&client, service, &*judge, &seen)));
        }
    });
    url
}

/// One request and its answer; then both ends hang up.
fn pass(mut client: &TcpStream, service: SocketAddr, judge: &Judge, seen: &Seen) -> io::Result<()> {
    let mut from = BufReader::new(client);
    let asked = Asked::read(&mut from, service)?;
    let way = judge(asked.head.lines().next().unwrap_or_default());
    match way {
        Way::No(status) => {
            write!(client, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
            client.flush()?;
            *seen.said_no.lock().expect("nobody panicked") = true;
            seen.told.notify_all();
            return Ok(());
        }
        Way::Silence => {
            // Until it hangs up.
            from.read_to_end(&mut Vec::new())?;
            return Ok(());
        }
        Way::Behind => {
            let said_no = seen.said_no.lock().expect("nobody panicked");
            drop(seen.told.wait_while(said_no, |said_no| !*said_no).expect("nobody panicked"));
        }
        Way::Through => {}
    }
    asked.pass(service, client)
}

/// A list made here, and a contact in another: two lanes at once.
fn in_two_lanes(place: &Place) {
    place.edit(|core| {
        list::create(core, &By::user(None), "Made here", list::UniqueNames::Off).expect("a list");
        let new = values(&[("phone_number", "+447700900777"), ("firstname", "New")]);
        contact::add(core, &By::user(None), &list_id(), &new, None).expect("a contact");
    });
}

fn makes_a_list(line: &str) -> bool {
    line.starts_with("POST /contacts/v1/lists")
}

fn writes_contacts(line: &str) -> bool {
    line.starts_with("POST /contacts/v1/contacts ")
}

#[test]
fn a_key_that_one_lane_refuses_is_told_though_another_was_answered_well_after_it() {
    for (answer, status, says) in
        [("401 Unauthorized", 8, "does not accept the key"), ("302 Found", 2, "points to another address")]
    {
        let api = service(1);
        let place = Place::pulled(&api);
        in_two_lanes(&place);
        let url = door(api.address(), move |line| match line {
            line if makes_a_list(line) => Way::No(answer),
            line if writes_contacts(line) => Way::Behind,
            _ => Way::Through,
        });
        place.done(0, &["connect", &url]);
        place.done(0, &["pull"]);
        let said = place.run(&["push", "--yes"]);
        assert_eq!(said.status, Some(status), "{answer}: {}{}", said.out, said.err);
        assert!(said.err.contains(says) && said.err.contains("roost push --resume"), "{answer}: {}", said.err);
        assert_eq!(there(&api).len(), 2, "{answer}: what the other lane sent has arrived");
        assert_eq!(place.json(3, &["status", "--json"])["run"]["state"], "paused");
        // With the right way there, it goes on to its end.
        place.done(0, &["connect", api.url()]);
        place.done(0, &["pull"]);
        place.done(0, &["push", "--resume"]);
        place.done(0, &["status"]);
    }
}

#[test]
fn what_may_have_happened_or_not_is_in_doubt_until_it_is_read() {
    let api = service(1);
    let place = Place::pulled(&api);
    place.edit(|core| list::create(core, &By::user(None), "Made here", list::UniqueNames::Off).expect("a list"));
    let (tell, sent) = std::sync::mpsc::channel();
    let tell = Mutex::new(tell);
    let url = door(api.address(), move |line| {
        if makes_a_list(line) {
            // The test may be over.
            let _ = tell.lock().expect("nobody panicked").send(());
            Way::Silence
        } else {
            Way::Through
        }
    });
    place.done(0, &["connect", &url]);
    place.done(0, &["pull"]);
    let mut push = Running::start(place.command(&["push", "--yes"]));
    sent.recv_timeout(std::time::Duration::from_secs(60)).expect("the list is sent");
    // Cut off in the middle of its request.
    push.child.kill().expect("it runs");
    push.wait();
    // Nobody is there to be asked what became of it.
    let gone = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let nowhere = format!("http://{}", gone.local_addr().expect("an address"));
    drop(gone);
    place.done(0, &["connect", &nowhere, "--no-test"]);
    let said = place.run(&["push", "--cancel"]);
    assert_eq!(said.status, Some(6), "{}{}", said.out, said.err);
    assert!(said.out.contains("is in doubt"), "{}", said.out);
    assert_eq!(place.json(0, &["runs", "--json"])[0]["state"], "in_doubt");
    // What did not arrive is still wanted.
    place.done(0, &["connect", api.url()]);
    place.done(0, &["pull", "--full"]);
    place.done(0, &["push", "--yes"]);
    assert_eq!(api.get("/contacts/v1/lists/").items().len(), 2, "made once");
}

#[test]
fn a_refused_step_is_counted_until_it_arrives() {
    let api = service(1);
    let place = Place::pulled(&api);
    place.edit(|core| {
        let channels = vec![Channel::Sms];
        let entry = NewOptOut { number: seeds::mobile(7), channels, asset: None };
        opt_out::add(core, &By::user(None), &[entry], "by telephone", None).expect("an opt-out");
    });
    let url = door(api.address(), |line| {
        if line.starts_with("POST /contacts/v1/optouts") { Way::No("422 Unprocessable Content") } else { Way::Through }
    });
    place.done(0, &["connect", &url]);
    place.done(0, &["pull"]);
    place.done(5, &["push", "--yes"]);
    let status = place.json(3, &["status", "--json"]);
    assert_eq!((&status["changes"], &status["refused"]), (&json!(1), &json!(1)), "{status}");
    place.done(0, &["connect", api.url()]);
    place.done(0, &["pull"]);
    place.done(0, &["push", "--yes"]);
    assert_eq!(place.json(0, &["status", "--json"])["refused"], 0);
}

#[test]
fn a_run_that_is_cancelled_while_it_is_uncertain_ends_in_doubt() {
    let api = service(1);
    let place = Place::pulled(&api);
    place.edit(|core| list::create(core, &By::user(None), "Made here", list::UniqueNames::Off).expect("a list"));
    let sent = Arc::new(AtomicBool::new(false));
    let is_sent = Arc::clone(&sent);
    // Nobody knows whether the list was made, and the key does not help to find out.
    let url = door(api.address(), move |line| {
        if makes_a_list(line) {
            is_sent.store(true, Ordering::Release);
            return Way::No("503 Service Unavailable");
        }
        if is_sent.load(Ordering::Acquire) { Way::No("401 Unauthorized") } else { Way::Through }
    });
    place.done(0, &["connect", &url]);
    place.done(0, &["pull"]);
    let said = place.run(&["push", "--yes"]);
    // What stopped it weighs more as long as the run waits, and the text says what is uncertain.
    assert_eq!(said.status, Some(8), "{}{}", said.out, said.err);
    assert!(said.out.contains("1  uncertain"), "{}", said.out);
    let said = place.run(&["push", "--cancel"]);
    assert_eq!(said.status, Some(6), "{}{}", said.out, said.err);
}

#[test]
fn contacts_that_were_sent_and_not_found_may_still_arrive() {
    let api = service(1);
    let place = Place::pulled(&api);
    place.edit(|core| {
        let new = values(&[("phone_number", "+447700900777"), ("firstname", "New")]);
        contact::add(core, &By::user(None), &list_id(), &new, None).expect("a contact");
    });
    let (tell, sent) = std::sync::mpsc::channel();
    let tell = Mutex::new(tell);
    let url = door(api.address(), move |line| {
        if writes_contacts(line) {
            // The test may be over.
            let _ = tell.lock().expect("nobody panicked").send(());
            return Way::No("503 Service Unavailable");
        }
        Way::Through
    });
    place.done(0, &["connect", &url]);
    place.done(0, &["pull"]);
    let mut push = Running::start(place.command(&["push", "--yes"]));
    sent.recv_timeout(std::time::Duration::from_secs(60)).expect("the contact is sent");
    push.interrupt();
    for (said, how) in [(push.wait(), "1  uncertain"), (place.run(&["push", "--cancel"]), "is in doubt")] {
        assert_eq!(said.status, Some(6), "{}{}", said.out, said.err);
        assert!(said.out.contains(how), "{}", said.out);
    }
}

#[test]
fn a_reading_in_doubt_is_told_by_status_until_a_person_believes_it() {
    let api = service(8);
    let place = Place::pulled(&api);
    for n in 0..6 {
        contact::delete(api.core(), &By::operator(), &contact_id(n)).expect("deleted");
    }
    let said = place.run(&["pull", "--full"]);
    assert_eq!(said.status, Some(3), "{}{}", said.out, said.err);
    let said = place.run(&["status"]);
    assert!(said.status == Some(3) && said.out.contains("lost many records at once"), "{}{}", said.out, said.err);
    assert_eq!(place.json(3, &["status", "--json"])["is_doubtful"], true);
    place.done(0, &["pull", "--full", "--believe"]);
    place.done(0, &["status"]);
}

#[test]
fn a_list_that_is_gone_is_counted_and_its_changes_are_refused_for_that_reason() {
    let api = service(8);
    list::create(api.core(), &By::operator(), "Other", list::UniqueNames::Off).expect("a list");
    let place = Place::pulled(&api);
    place.rename(0, "Mine");
    list::delete(api.core(), &By::operator(), &list_id()).expect("deleted");
    let said = place.done(3, &["pull"]);
    assert!(said.contains("1 list with 8 contacts is missing at once; nothing was removed here"), "{said}");
    let said = place.done(5, &["push", "--yes"]);
    assert!(said.contains("VIP: the list is no longer at the service") && !said.contains("changed at"), "{said}");
    place.done(3, &["pull", "--believe"]);
    let said = place.done(3, &["conflicts"]);
    assert!(said.contains("VIP: changed here, deleted at the service") && !said.contains("VIP in VIP"), "{said}");
    let key = said.split_whitespace().next().expect("a key").to_owned();
    place.done(0, &["answer", &key, "discard"]);
    let said = place.done(0, &["pull"]);
    assert!(said.contains("VIP: removed here, because the service no longer has it"), "{said}");
    place.done(0, &["status"]);
}

#[test]
fn a_change_that_is_only_another_order_of_custom_fields_is_gone_when_the_account_is_opened() {
    let mut list = seeds::filled_list(list_id().as_str(), super::LIST, 1);
    for (name, value) in [("firstname", "Ada"), ("field_1", "x"), ("field_2", "y")] {
        list["contacts"][0][name] = json!(value);
    }
    let seed = json!({ "custom_fields": ["Rank", "Size"], "lists": [list] });
    let api = Setup::new().set("auth", "off").seed(seed).serve();
    let place = Place::pulled(&api);
    place.rename(0, "Mine");
    // As an earlier version wrote it: nothing differs but the order.
    let swapped = "UPDATE sync_base SET cells = replace(replace(cells, '\"Ada\"', '\"Mine\"'),
        '\"field_1\":\"x\",\"field_2\":\"y\"', '\"field_2\":\"y\",\"field_1\":\"x\"')";
    let account = rusqlite::Connection::open(place.path("account.roost")).expect("the account");
    account.execute_batch(swapped).expect("written");
    let cells: String = account.query_row("SELECT cells FROM sync_base", [], |row| row.get(0)).expect("one change");
    assert!(cells.contains(r#""Mine""#) && cells.contains(r#""field_2":"y","field_1":"x""#), "{cells}");
    drop(account);
    assert_eq!(place.json(0, &["status", "--json"])["changes"], 0);
    place.done(0, &["plan"]);
}

#[test]
fn a_log_shows_that_a_command_is_still_at_work() {
    let silent = Receiver::replying([Reply::Silence]);
    let place = Place::new();
    place.done(0, &["connect", "--no-test", &silent.url("")]);
    let pull = Running::start(place.command(&["pull"]));
    let line = until("a line in the log", || pull.said("err").lines().next().map(str::to_owned));
    assert!(!line.contains('\r') && line.contains("Reading"), "{line}");
}

//! Tests unknown values of the service, slow responses, and seconds in which two things happen.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use roost_model::{channel::Channel, id::ContactId};
use roost_ops::Error;
use roost_reconcile::input::ChangeChoice;
use roost_store::tables::sync::{
    SyncedTable, changes,
    runs::{self, RunState},
};
use roost_wire::OperationId;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    bent::{BentResponse, BentService, build_client},
    service::{ServiceFaults, TestService},
    world::{World, add_contact, add_opt_out, phone_number, remove_opt_out, rename_contact, run_paused},
};
use crate::{
    Progress, apply,
    apply::{RunControl, report},
    decide::{self, ContactDecision},
    gather, merge, plan,
    pull::PullOptions,
    remote::{ReplyFuture, ServiceRequest, ServiceTransport},
};

fn is_of_opt_outs(request: &ServiceRequest) -> bool {
    request.method == "GET" && request.url.contains("/optouts")
}

#[test]
fn an_opt_out_of_a_kind_channel_or_scope_that_nobody_here_knows_blocks_the_number_and_fails_nothing() {
    run_paused(async {
        let mut world = World::new(1);
        add_opt_out(&world.service.core, 1, Channel::Sms);
        let strange = Arc::new(Mutex::new(vec![
            json!({ "number": phone_number(2), "channel": "RCS", "account_level_opt_out": true, "opt_out_type": "keyword",
                    "opt_out_time": "2026-01-05T09:00:00.25Z" }),
            json!({ "number": phone_number(3), "channel": "SMS", "account_level_opt_out": true, "opt_out_type": "carrier",
                    "opt_out_time": "2026-01-05T09:00:01Z" }),
            json!({ "number": phone_number(4), "channel": "SMS", "account_level_opt_out": false, "opt_out_type": "keyword",
                    "inbound_asset_id": "campaign-7", "opt_out_time": "2026-01-05T09:00:02Z" }),
        ]));
        let shown = strange.clone();
        let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            let Some(response) = response.filter(|_| is_of_opt_outs(request)) else { return };
            let mut body: Value = serde_json::from_slice(&response.body).expect("JSON");
            let more = shown.lock().expect("nobody panicked").clone();
            let total = body["paging"]["total_items"].as_u64().expect("a total") + more.len() as u64;
            body["paging"]["total_items"] = total.into();
            if !request.url.contains("page_size=1&") {
                body["items"].as_array_mut().expect("items").extend(more);
            }
            response.body = body.to_string().into_bytes();
        };
        world.client = build_client(BentService(world.service.clone(), bend));
        let pulled = world.pull().await;
        assert_eq!((pulled.unsupported, pulled.other_changes.opt_outs), (2, 4));
        // Nobody knows which messages the other channel is for, so none are sent.
        let blocked = [
            (phone_number(1), Channel::Sms),
            (phone_number(2), Channel::Sms),
            (phone_number(3), Channel::Sms),
            (phone_number(4), Channel::Sms),
            (phone_number(2), Channel::WhatsApp),
        ];
        assert_eq!(World::read_opt_outs(&world.core), blocked);
        let plan = world.make_plan().await;
        assert!(plan.has_no_work(), "{plan:#?}");

        let request_count = world.service.request_count(OperationId::OptOutsQuery);
        let again = world.pull_with(&PullOptions::default()).await.expect("pulled");
        assert_eq!(again.unsupported, 2);
        let request_count = world.service.request_count(OperationId::OptOutsQuery) - request_count;
        assert_eq!(
            request_count, 2,
            "what is new and how many there are: they are known, so nothing is read as a whole"
        );

        strange.lock().expect("nobody panicked").clear();
        assert_eq!(world.pull().await.unsupported, 0, "removed at the service, so no longer counted");
        let opted_out = [(phone_number(1), Channel::Sms), (phone_number(3), Channel::Sms)];
        assert_eq!(World::read_opt_outs(&world.core), opted_out, "one that vanished without a reason is asked about");
    });
}

#[test]
fn fewer_opt_outs_than_the_service_claims_to_have_are_doubtful_and_none_is_removed() {
    run_paused(async {
        let mut world = World::new(1);
        (1..=5).for_each(|n| add_opt_out(&world.service.core, n, Channel::Sms));
        world.pull().await;
        let short = Arc::new(AtomicBool::new(true));
        let is_short = short.clone();
        let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            let Some(response) = response.filter(|_| is_of_opt_outs(request) && is_short.load(Ordering::Acquire))
            else {
                return;
            };
            let mut body: Value = serde_json::from_slice(&response.body).expect("JSON");
            body["items"].as_array_mut().expect("items").pop();
            response.body = body.to_string().into_bytes();
        };
        world.client = build_client(BentService(world.service.clone(), bend));
        let full = PullOptions { full: true, ..PullOptions::default() };
        let before = world.service.request_count(OperationId::OptOutsQuery);
        let pulled = world.pull_with(&full).await.expect("pulled");
        assert_eq!((pulled.drifting, pulled.other_changes.opt_outs), (vec![SyncedTable::OptOuts], 0));
        assert_eq!(world.service.request_count(OperationId::OptOutsQuery) - before, 2, "it was looked at again first");
        assert_eq!(World::read_opt_outs(&world.core).len(), 5);
        short.store(false, Ordering::Release);
        assert_eq!(world.pull_with(&full).await.expect("pulled").drifting, []);
    });
}

#[test]
fn an_opt_out_without_a_number_is_counted_and_not_kept() {
    run_paused(async {
        let mut world = World::new(1);
        (1..=3).for_each(|n| add_opt_out(&world.service.core, n, Channel::Sms));
        let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            let Some(response) = response.filter(|_| is_of_opt_outs(request)) else { return };
            let mut body: Value = serde_json::from_slice(&response.body).expect("JSON");
            if let Some(first) = body["items"].as_array_mut().expect("items").first_mut() {
                first["number"] = Value::Null;
            }
            response.body = body.to_string().into_bytes();
        };
        world.client = build_client(BentService(world.service.clone(), bend));
        let pulled = world.pull().await;
        assert_eq!((pulled.unnamed, pulled.drifting), (1, Vec::new()));
        let kept = World::read_opt_outs(&world.core);
        assert!(kept.len() == 2 && kept.iter().all(|(number, _)| !number.is_empty()), "{kept:?}");
    });
}

#[test]
fn an_unreachable_service_is_reported_at_once_and_one_that_had_responded_is_waited_for() {
    run_paused(async {
        let world = World::new(2);
        world.service.cut_after(Some(0));
        for _ in 0..4 {
            let began = Instant::now();
            let error = world.pull_with(&PullOptions::default()).await.expect_err("nobody there").to_string();
            assert!(error.contains("cannot be reached") && began.elapsed() < Duration::from_secs(2), "{error}");
        }
        world.service.cut_after(Some(1));
        let began = Instant::now();
        world.pull_with(&PullOptions::default()).await.expect_err("gone after the first answer");
        assert!(began.elapsed() > Duration::from_secs(10), "{:?}", began.elapsed());
        world.service.cut_after(None);
        world.pull_with(&PullOptions::default()).await.expect("back");
    });
}

#[test]
fn a_retry_after_date_is_measured_by_the_clock_of_the_service() {
    run_paused(async {
        let mut world = World::new(3);
        let is_first = AtomicBool::new(true);
        let bend = move |_: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            if let Some(response) = response
                && is_first.swap(false, Ordering::Relaxed)
            {
                response.status = 429;
                response.date = Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned());
                response.retry_after = Some("Sun, 06 Nov 1994 08:50:17 GMT".to_owned());
            }
        };
        world.client = build_client(BentService(world.service.clone(), bend));
        let began = Instant::now();
        world.pull_with(&PullOptions::default()).await.expect("pulled");
        let took = began.elapsed();
        assert!((Duration::from_secs(40)..Duration::from_secs(45)).contains(&took), "{took:?}");
    });
}

#[test]
fn a_run_whose_service_wants_it_to_wait_for_long_can_be_paused_meanwhile() {
    run_paused(async {
        let mut world = World::new(4);
        let list = world.create_remote_list("A", 1);
        world.pull().await;
        add_contact(&world.core, &World::read_lists(&world.core)[0].1, 500, "New");
        let id = world.begin_run().await;
        let bend = |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            if let (true, Some(response)) = (request.method == "POST", response) {
                (response.status, response.retry_after) = (429, Some(u32::MAX.to_string()));
            }
        };
        world.client = build_client(BentService(world.service.clone(), bend));
        let (control, progress, began) = (RunControl::default(), Progress::default(), Instant::now());
        let (ended, ()) = tokio::join!(apply::drive_run(&world.core, &world.client, id, &control, &progress), async {
            sleep(Duration::from_secs(30)).await;
            control.pause();
        });
        assert_eq!(ended.expect("ended").state, RunState::Paused);
        assert!(began.elapsed() < Duration::from_secs(35), "{:?}", began.elapsed());
        assert_eq!(World::read_contacts(&world.service.core, &list).len(), 1);
    });
}

#[test]
fn a_run_that_is_paused_while_its_service_is_gone_counts_as_paused_by_the_user() {
    run_paused(async {
        let (mut paused, mut stopped) = (0, 0);
        for seconds in (0..900).step_by(10) {
            let world = World::new(6);
            world.pull().await;
            (0..8).for_each(|at| add_opt_out(&world.core, at, Channel::Sms));
            let id = world.begin_run().await;
            world.service.cut_after(Some(3));
            let (control, progress) = (RunControl::default(), Progress::default());
            let mut is_asked = false;
            let mut run = Box::pin(apply::drive_run(&world.core, &world.client, id, &control, &progress));
            let ended = tokio::select! {
                ended = &mut run => ended,
                () = sleep(Duration::from_secs(seconds)) => {
                    control.pause();
                    is_asked = true;
                    run.await
                }
            };
            let ended = ended.expect("ended");
            let why = world.core.read(|tx| Ok(runs::read_run(tx, id)?)).expect("read").expect("the run").why;
            assert_eq!(ended.state, RunState::Paused);
            assert_eq!((ended.stopped.is_none(), why.is_none()), (is_asked, is_asked), "after {seconds} s: {why:?}");
            *(if is_asked { &mut paused } else { &mut stopped }) += 1;
        }
        assert!(paused > 10 && stopped > 10, "{paused} paused, {stopped} stopped");
    });
}

#[test]
fn a_run_that_is_killed_after_it_was_resumed_no_longer_names_what_stopped_it_before() {
    run_paused(async {
        let world = World::new(7);
        world.pull().await;
        (0..8).for_each(|at| add_opt_out(&world.core, at, Channel::Sms));
        let id = world.begin_run().await;
        world.service.cut_after(Some(3));
        assert_eq!(world.drive_run(id).await.expect("stopped"), RunState::Paused);
        let read = || world.core.read(|tx| Ok(runs::read_run(tx, id)?)).expect("read").expect("the run");
        assert!(read().why.is_some_and(|why| why.contains("cut")));
        tokio::select! {
            _ = world.drive_run(id) => panic!("it ended"),
            () = sleep(Duration::from_secs(1)) => {}
        }
        assert_eq!((read().state, read().why), (RunState::Running, None));
    });
}

/// Moves the service's clock along with the clock of the test.
fn keep_time(service: &TestService, began: Instant) {
    let ctx = service.core.ctx();
    let now = 1_767_600_100 + began.elapsed().as_secs() as i64;
    ctx.advance(now - ctx.now().unix());
}

#[test]
fn an_edit_there_in_the_second_in_which_its_list_was_read_is_seen_the_next_time() {
    for tells_time in [true, false] {
        run_paused(async {
            let mut world = World::new(5);
            let list = world.create_remote_list("A", 2);
            let contact = World::read_contacts(&world.service.core, &list)[0].0.clone();
            let (service, began) = (world.service.clone(), Instant::now());
            let edits = AtomicUsize::new(0);
            let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                keep_time(&service, began);
                let edited = edits.load(Ordering::Relaxed);
                // Once in the second in which the lists are read, and once just after the contacts were read.
                let is_due = match (&response, edited) {
                    (None, 0) => request.url.contains("/lists"),
                    (Some(_), 1) => request.url.contains("/contacts/list/"),
                    _ => false,
                };
                if is_due {
                    edits.store(edited + 1, Ordering::Relaxed);
                    rename_contact(&service.core, &contact, &format!("Edit {edited}"));
                }
                if let (true, Some(response)) = (tells_time, response) {
                    let date = service.core.ctx().now().to_iso();
                    let date = chrono::DateTime::parse_from_rfc3339(&date).expect("a time");
                    response.date = Some(date.format("%a, %d %b %Y %H:%M:%S GMT").to_string());
                }
                // The service counts the second of the request itself.
                service.core.ctx().advance(-1);
            };
            world.client = build_client(BentService(world.service.clone(), bend));
            for _ in 0..2 {
                sleep(Duration::from_secs(5)).await;
                world.pull_with(&PullOptions::default()).await.expect("pulled");
            }
            assert_eq!(world.local_contents(), world.remote_contents(), "{tells_time}");
            let names: Vec<String> =
                World::read_contents(&world.core)["A"].iter().map(|(_, name)| name.clone()).collect();
            assert!(names.contains(&"Edit 1".to_owned()), "{names:?}");
            let read = world.service.request_count(OperationId::ContactsQuery);
            world.pull_with(&PullOptions::default()).await.expect("pulled");
            assert_eq!(
                world.service.request_count(OperationId::ContactsQuery),
                read + 1,
                "one look: assumed unchanged"
            );
        });
    }
}

#[test]
fn a_plan_is_stale_as_long_as_something_is_other_than_it_was() {
    run_paused(async {
        let world = World::new(6);
        world.create_remote_list("A", 3);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let contacts = World::read_contacts(&world.core, &list);
        rename_contact(&world.core, &contacts[0].0, "One");
        let id = plan::make(&world.core).await.expect("a plan").id;
        let is_stale = || plan::is_stale(&world.core, id).expect("looked");
        assert!(!is_stale());
        rename_contact(&world.core, &contacts[1].0, "Another");
        assert!(is_stale(), "one more");
        rename_contact(&world.core, &contacts[1].0, &contacts[1].2);
        assert!(!is_stale(), "taken back");
        rename_contact(&world.core, &contacts[0].0, "Two");
        assert!(is_stale(), "as many, and other");
        assert!(plan::is_stale(&world.core, id + 1).expect("looked"), "no such plan");
    });
}

#[test]
fn the_reaches_of_a_number_are_its_own() {
    run_paused(async {
        let world = World::new(7);
        for (at, channel) in [(1, Channel::Sms), (1, Channel::WhatsApp), (10, Channel::Sms)] {
            add_opt_out(&world.service.core, at, channel);
        }
        world.pull().await;
        let scopes =
            |at| world.core.read(|tx| Ok::<_, Error>(gather::find_scopes(tx, &phone_number(at), Channel::Sms)?));
        assert_eq!(scopes(1).expect("read"), [""]);
        remove_opt_out(&world.core, 1, Channel::Sms);
        assert_eq!(scopes(1).expect("read"), [""], "there, and not here any more");
        assert!(scopes(2).expect("read").is_empty());
    });
}

#[test]
fn every_refusal_of_the_service_is_reported_with_its_record() {
    run_paused(async {
        let mut world = World::new(8);
        world.create_remote_list("A", 1);
        for at in [1, 2] {
            add_opt_out(&world.service.core, at, Channel::Sms);
        }
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        for (at, name) in [(500, "Bad"), (501, "Good")] {
            add_contact(&world.core, &list, at, name);
        }
        add_opt_out(&world.core, 3, Channel::Sms);
        for at in [1, 2] {
            remove_opt_out(&world.core, at, Channel::Sms);
        }
        world.service.refuse_name(Some("Bad"), true);
        // A request that is reported as failed had no effect.
        let bend = |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            if request.method != "GET" {
                request.url = request.url.replace("/optouts", "/refused");
            }
            let Some(response) = response.filter(|_| request.url.ends_with("/refused")) else { return };
            let sent: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).expect("JSON");
            let one = vec![sent["optouts"][0]["number"].clone()];
            let numbers = sent["numbers"].as_array().cloned().unwrap_or(one);
            let entry = |number| json!({ "number": number, "status": "failure", "message": "Not this one." });
            let items: Vec<Value> = numbers.into_iter().map(entry).collect();
            (response.status, response.body) = (201, json!({ "items": items }).to_string().into_bytes());
        };
        world.client = build_client(BentService(world.service.clone(), bend));
        let id = world.begin_run().await;
        world.drive_run(id).await.expect("ran");
        let report = report::build_report(&world.core, id).expect("read").expect("a run");
        let why = |operation: &str| {
            let step = report.steps.iter().find(|step| step.operation == operation).expect(operation);
            step.why.clone().unwrap_or_default()
        };
        let added = why("optouts.create");
        assert!(added.starts_with(&phone_number(3)) && added.contains("“Not this one.” Correct the number"), "{added}");
        let removed = why("optouts.delete");
        assert!(
            removed.starts_with(&format!("{}, {}: “Not this one.” Pull", phone_number(1), phone_number(2))),
            "{removed}"
        );
        assert_eq!((report.refused.len(), &report.refused[0].about), (1, &phone_number(500)));
        assert!(report.refused[0].faults[0].starts_with("firstname may have"), "{report:?}");
        let text = report.to_markdown();
        assert!(
            text.contains(&format!("{} was refused: firstname", phone_number(500))) && text.contains("| A |"),
            "{text}"
        );
    });
}

#[test]
fn a_run_that_has_ended_cannot_be_driven_again() {
    run_paused(async {
        let world = World::new(9);
        world.create_remote_list("A", 1);
        world.pull().await;
        add_contact(&world.core, &World::read_lists(&world.core)[0].1, 500, "New");
        let id = world.begin_run().await;
        assert_eq!(apply::cancel_run(&world.core, id).await.expect("ended"), RunState::Cancelled);
        let stored = || world.core.read(|tx| Ok::<_, Error>(runs::read_run(tx, id)?)).expect("read");
        let before = stored();
        assert_eq!(world.drive_run(id).await.expect("nothing to do"), RunState::Cancelled);
        assert_eq!(stored(), before);
        assert_eq!(world.remote_contents()["A"].len(), 1, "nothing was sent");
    });
}

#[test]
fn a_run_that_nobody_hears_any_more_waits_for_a_person_and_goes_on_later() {
    run_paused(async {
        let world = World::new(9);
        world.create_remote_list("A", 1);
        world.pull().await;
        add_contact(&world.core, &World::read_lists(&world.core)[0].1, 500, "New");
        let id = world.begin_run().await;
        world.service.set_faults(ServiceFaults { lost: 1, ..ServiceFaults::default() });
        let (control, progress, began) = (RunControl::default(), Progress::default(), Instant::now());
        let ended = apply::drive_run(&world.core, &world.client, id, &control, &progress).await.expect("ended");
        assert_eq!(ended.state, RunState::Paused);
        let why = ended.stopped.expect("a reason").to_string();
        assert!(why.contains("It is unknown whether sending contacts succeeded"), "{why}");
        assert!(began.elapsed() < Duration::from_secs(120), "{:?}", began.elapsed());
        world.service.set_faults(ServiceFaults::default());
        assert_eq!(world.drive_run(id).await.expect("ran"), RunState::Done);
        assert_eq!(world.local_contents(), world.remote_contents());
    });
}

/// Accepts every request and stops responding once it hangs.
struct HangingService(Arc<TestService>, Arc<AtomicBool>);

impl ServiceTransport for HangingService {
    fn carry_request(&self, request: ServiceRequest) -> ReplyFuture<'_> {
        match self.1.load(Ordering::Relaxed) {
            true => Box::pin(std::future::pending()),
            false => self.0.carry_request(request),
        }
    }
}

#[test]
fn a_service_that_hangs_is_waited_for_half_a_minute_and_two_minutes_once_it_has_answered() {
    run_paused(async {
        let mut world = World::new(12);
        world.create_remote_list("A", 1);
        let hangs = Arc::new(AtomicBool::new(false));
        world.client = build_client(HangingService(world.service.clone(), hangs.clone()));
        world.pull().await;
        add_contact(&world.core, &World::read_lists(&world.core)[0].1, 500, "New");
        let id = world.begin_run().await;
        hangs.store(true, Ordering::Relaxed);
        let (control, progress, began) = (RunControl::default(), Progress::default(), Instant::now());
        let ended = apply::drive_run(&world.core, &world.client, id, &control, &progress).await.expect("ended");
        assert_eq!(ended.state, RunState::Paused);
        let error = ended.stopped.expect("a reason").to_string();
        assert!(
            error.contains("within") && began.elapsed() < Duration::from_secs(130),
            "{error} {:?}",
            began.elapsed()
        );
        let began = Instant::now();
        let error = world.pull_with(&PullOptions::default()).await.expect_err("nothing comes").to_string();
        assert!(
            error.contains("within 30 s") && began.elapsed() < Duration::from_secs(40),
            "{error} {:?}",
            began.elapsed()
        );
        hangs.store(false, Ordering::Relaxed);
        assert_eq!(world.drive_run(id).await.expect("ran"), RunState::Done);
        assert_eq!(world.local_contents(), world.remote_contents());
    });
}

/// One opt-out is removed and another appears whose time is older than the newest known one, so neither the time nor
/// the count shows the change.
#[test]
fn nothing_is_missed_where_the_clock_of_the_service_was_set_back() {
    for tells_time in [true, false] {
        run_paused(async {
            let mut world = World::new(6);
            let service = world.service.clone();
            let bend = move |_: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                if let (true, Some(response)) = (tells_time, response) {
                    let date =
                        chrono::DateTime::parse_from_rfc3339(&service.core.ctx().now().to_iso()).expect("a time");
                    response.date = Some(date.format("%a, %d %b %Y %H:%M:%S GMT").to_string());
                }
            };
            world.client = build_client(BentService(world.service.clone(), bend));
            add_opt_out(&world.service.core, 1, Channel::Sms);
            add_opt_out(&world.service.core, 2, Channel::Sms);
            world.pull().await;
            world.service.core.ctx().advance(-3_600);
            remove_opt_out(&world.service.core, 1, Channel::Sms);
            add_opt_out(&world.service.core, 3, Channel::Sms);
            if !tells_time {
                // A service that does not send its time is read in full once a day.
                world.core.ctx().advance(24 * 60 * 60);
            }
            world.pull_with(&PullOptions::default()).await.expect("pulled");
            assert!(
                World::read_opt_outs(&world.core).contains(&(phone_number(3), Channel::Sms)),
                "tells time: {tells_time}"
            );
        });
    }
}

/// A faulty service gives contacts no identifier, or gives two of them the same one.
#[test]
fn no_contact_is_overwritten_by_another_with_its_identifier_or_none() {
    for is_empty in [true, false] {
        run_paused(async {
            let mut world = World::new(7);
            let first = world.create_remote_list("A", 2);
            let second = world.create_remote_list_from("B", 100, 2);
            world.pull().await;
            let here = world.local_contents();
            let taken = World::read_contacts(&world.service.core, &first)[0].0.to_string();
            let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                let Some(response) = response.filter(|_| request.url.contains(second.as_str())) else { return };
                let mut body: Value = serde_json::from_slice(&response.body).expect("JSON");
                for item in body["items"].as_array_mut().into_iter().flatten().take(if is_empty { 2 } else { 1 }) {
                    item["uid"] = json!(if is_empty { "" } else { &taken });
                }
                response.body = body.to_string().into_bytes();
            };
            world.client = build_client(BentService(world.service.clone(), bend));
            for _ in 0..2 {
                world.pull().await;
                assert_eq!(world.local_contents()["A"], here["A"], "empty {is_empty}");
            }
            world.client = build_client(BentService(
                world.service.clone(),
                |_: &mut ServiceRequest, _: Option<&mut BentResponse>| {},
            ));
            world.pull().await;
            assert_eq!(world.local_contents(), here, "empty {is_empty}");
            assert!(world.make_plan().await.has_no_work(), "empty {is_empty}");
        });
    }
}

#[test]
fn records_that_share_a_number_keep_their_identifiers_at_each_pull_and_through_a_replacement() {
    run_paused(async {
        let world = World::new(9);
        let there = world.create_remote_list("A", 2);
        add_contact(&world.service.core, &there, 0, "Twin");
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let by_name = || -> BTreeMap<String, ContactId> {
            World::read_contacts(&world.core, &list).into_iter().map(|(uid, _, name)| (name, uid)).collect()
        };
        let first = by_name();
        assert_eq!(first.len(), 3);
        rename_contact(&world.core, &first["Twin"], "Mine");
        let touched = world.core.read(|tx| Ok(changes::read_all::<i64>(tx, SyncedTable::Contacts)?)).expect("read");
        let ids: Vec<i64> = touched.into_iter().map(|one| one.id).collect();
        decide::decide_contacts(&world.core, &ids, &ContactDecision::Choice(Some(ChangeChoice::Replace)))
            .expect("decided");
        assert_eq!(world.push().await, RunState::Done);
        for round in 0..3 {
            let twins = World::read_contacts(&world.service.core, &there);
            let theirs = twins.iter().find(|(_, _, name)| name.starts_with("Contact 0")).expect("there").0.clone();
            rename_contact(&world.service.core, &theirs, &format!("Contact 0, round {round}"));
            world.pull().await;
            let now = by_name();
            assert_eq!(now["Mine"], first["Twin"], "round {round}");
            assert_eq!(now[&format!("Contact 0, round {round}")], first["Contact 0"], "round {round}");
            assert_eq!(world.pull().await.merged, merge::MergeCounts::default(), "round {round}");
            assert_eq!(world.local_contents(), world.remote_contents());
            assert!(world.make_plan().await.has_no_work(), "round {round}");
        }
    });
}

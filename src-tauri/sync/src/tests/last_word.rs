//! Tests that the customer's last word counts: no removal, undo, answer or discard here ends a newer opt-out.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use roost_model::{
    channel::Channel,
    opt_out::OptOutType,
    page::{PageRequest, SortOrder},
    time::Timestamp,
};
use roost_ops::{
    Actor, history,
    opt_out::{self as opt_outs, OptOutEventKind},
};
use roost_reconcile::{input::OptOutAnswer, plan::PlanSubject};
use roost_store::{
    tables::sync::{SyncedTable, answers, runs::RunState},
    tx::WriteTx,
};
use roost_wire::OperationId;
use serde_json::json;

use super::{
    bent::{BentResponse, BentService, build_client},
    service::ServiceFaults,
    world::{World, add_opt_out, phone_number, remove_opt_out, run_paused},
};
use crate::{
    Progress,
    apply::{self, RunControl},
    decide::{self, RecordKeys},
    gather::OptOutRecordKey,
    plan,
    pull::PullOptions,
    remote::ServiceRequest,
};

const SMS: Channel = Channel::Sms;

fn opt_out_key(at: u32) -> OptOutRecordKey {
    OptOutRecordKey { number: phone_number(at), channel: SMS, scope: String::new() }
}

/// Returns a world with an opt-out of the first number on both sides and a confirmed local removal.
async fn world_with_removal(seed: u64) -> World {
    let world = World::new(seed);
    add_opt_out(&world.service.core, 1, SMS);
    world.pull().await;
    remove_opt_out(&world.core, 1, SMS);
    world
}

/// The customer sends STOP again, later than before.
fn send_stop(world: &World, at: u32) {
    world.service.core.ctx().advance(5);
    add_opt_out(&world.service.core, at, SMS);
}

fn is_opted_out(world: &World, at: u32) -> (bool, bool) {
    let stands = |core| World::read_opt_outs(core).contains(&(phone_number(at), SMS));
    (stands(&world.core), stands(&world.service.core))
}

#[test]
fn an_opt_out_made_after_its_removal_was_planned_is_not_destroyed_by_the_push() {
    run_paused(async {
        let world = world_with_removal(1).await;
        let id = world.begin_run().await;
        send_stop(&world, 1);
        assert_eq!(world.drive_run(id).await.expect("ran"), RunState::Done);
        assert_eq!(is_opted_out(&world, 1), (true, true));
        assert_eq!(world.service.request_count(OperationId::OptOutsDelete), 0, "nothing was removed");
        let reasons = world.failure_reasons(id);
        assert!(
            reasons.len() == 1 && reasons[0].contains(&phone_number(1)) && reasons[0].contains("stays opted out"),
            "{reasons:?}"
        );
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn a_removal_that_nobody_took_back_is_sent_one_round_trip_after_its_number_was_read() {
    run_paused(async {
        let mut world = world_with_removal(2).await;
        for at in [2, 3] {
            add_opt_out(&world.service.core, at, SMS);
        }
        world.pull().await;
        for at in [2, 3] {
            remove_opt_out(&world.core, at, SMS);
        }
        let made = plan::make(&world.core).await.expect("a plan").plan;
        assert_eq!((made.cost.writes, made.cost.reads), (3, 3), "each number is read before it is removed");
        let order = Arc::new(std::sync::Mutex::new(Vec::new()));
        let seen = order.clone();
        let note = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            if response.is_none() {
                seen.lock().expect("nobody panicked").push(request.method);
            }
        };
        world.client = build_client(BentService(world.service.clone(), note));
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(*order.lock().expect("nobody panicked"), ["GET", "DELETE", "GET", "DELETE", "GET", "DELETE"]);
        assert!(World::read_opt_outs(&world.service.core).is_empty() && World::read_opt_outs(&world.core).is_empty());
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn a_removal_that_is_taken_back_while_its_run_is_paused_is_not_sent() {
    run_paused(async {
        let world = world_with_removal(3).await;
        let id = world.begin_run().await;
        let control = RunControl::default();
        control.pause();
        let paused =
            apply::drive_run(&world.core, &world.client, id, &control, &Progress::default()).await.expect("paused");
        assert_eq!(paused.state, RunState::Paused);
        history::undo(&world.core, &Actor::user(None)).expect("undone");
        assert_eq!(world.drive_run(id).await.expect("ran"), RunState::Done);
        assert_eq!(is_opted_out(&world, 1), (true, true));
    });
}

#[test]
fn a_removal_that_a_pull_takes_back_while_its_run_is_paused_is_not_sent() {
    run_paused(async {
        let world = world_with_removal(4).await;
        let id = world.begin_run().await;
        let control = RunControl::default();
        control.pause();
        apply::drive_run(&world.core, &world.client, id, &control, &Progress::default()).await.expect("paused");
        send_stop(&world, 1);
        world.pull().await;
        assert_eq!(is_opted_out(&world, 1), (true, true), "the pull brings it back");
        world.drive_run(id).await.expect("ran");
        assert_eq!(is_opted_out(&world, 1), (true, true));
    });
}

#[test]
fn a_removal_without_a_response_is_checked_again_when_its_run_is_resumed() {
    for is_done in [true, false] {
        run_paused(async {
            let world = world_with_removal(5).await;
            let id = world.begin_run().await;
            let faults = if is_done {
                ServiceFaults { unheard: 1, ..ServiceFaults::default() }
            } else {
                ServiceFaults { lost: 1, ..ServiceFaults::default() }
            };
            // The pull is answered, the removal is not.
            let mut world = world;
            let (requests, service) = (AtomicUsize::new(0), world.service.clone());
            let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                if request.method == "DELETE" && response.is_none() && requests.fetch_add(1, Ordering::Relaxed) == 0 {
                    service.set_faults(faults);
                }
            };
            world.client = build_client(BentService(world.service.clone(), bend));
            assert_eq!(world.drive_run(id).await.expect("ended"), RunState::Paused, "nobody answers any more");
            world.service.set_faults(ServiceFaults::default());
            send_stop(&world, 1);
            world.drive_run(id).await.expect("ran");
            assert_eq!(is_opted_out(&world, 1), (true, true), "done before: {is_done}");
        });
    }
}

#[test]
fn an_opt_out_that_differs_in_anything_is_not_the_one_whose_removal_was_confirmed() {
    // An opt-out of another type at the same time, an earlier one after the clock was set back, and one without a time.
    for bent in [
        json!({ "opt_out_type": "keyword" }),
        json!({ "opt_out_time": "2020-01-01T00:00:00Z" }),
        json!({ "opt_out_time": null }),
    ] {
        run_paused(async {
            let mut world = world_with_removal(6).await;
            let id = world.begin_run().await;
            let differing = bent.clone();
            let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                let Some(response) = response.filter(|_| request.method == "GET" && request.url.contains("/optouts"))
                else {
                    return;
                };
                let mut body: serde_json::Value = serde_json::from_slice(&response.body).expect("JSON");
                for item in body["items"].as_array_mut().expect("items") {
                    for (key, value) in differing.as_object().expect("fields") {
                        item[key] = value.clone();
                    }
                }
                response.body = body.to_string().into_bytes();
            };
            world.client = build_client(BentService(world.service.clone(), bend));
            world.drive_run(id).await.expect("ran");
            assert_eq!(is_opted_out(&world, 1), (true, true), "{bent}");
        });
    }
}

#[test]
fn a_removal_that_is_confirmed_while_its_opt_out_is_on_its_way_is_still_sent() {
    run_paused(async {
        let mut world = World::new(9);
        world.pull().await;
        add_opt_out(&world.core, 1, SMS);
        let (service, core, is_first) = (world.service.clone(), world.core.clone(), AtomicBool::new(true));
        world.client = build_client(BentService(
            service,
            move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                let is_made = request.method == "POST" && request.url.ends_with("/optouts") && response.is_some();
                if is_made && is_first.swap(false, Ordering::Relaxed) {
                    remove_opt_out(&core, 1, SMS);
                }
            },
        ));
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(is_opted_out(&world, 1), (false, true), "the removal waits to be sent");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(is_opted_out(&world, 1), (false, false));
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn creating_a_lost_opt_out_again_is_answered_once() {
    run_paused(async {
        let world = World::new(42);
        for at in 1..5 {
            add_opt_out(&world.service.core, at, SMS);
        }
        world.pull().await;
        for times in 1..=2 {
            remove_opt_out(&world.service.core, 1, SMS);
            world.pull().await;
            assert_eq!(world.make_plan().await.conflicts.len(), 1, "a person is asked, time {times}");
            decide::answer_opt_outs(&world.core, &[opt_out_key(1)], Some(OptOutAnswer::CreateAgain)).expect("answered");
            assert_eq!(world.push().await, RunState::Done);
            assert_eq!(is_opted_out(&world, 1), (true, true));
            let left = world.core.read(|tx| Ok(answers::read_all::<String>(tx, SyncedTable::OptOuts)?)).expect("read");
            assert_eq!(left, [], "the answer is spent");
        }
    });
}

#[test]
fn the_answer_to_remove_a_lost_opt_out_applies_to_one_loss_only() {
    run_paused(async {
        let world = World::new(7);
        for at in 1..5 {
            add_opt_out(&world.service.core, at, SMS);
        }
        world.pull().await;
        let remove_there = || {
            let numbers = [phone_number(1)];
            let removal = opt_outs::OptOutRemovalRequest { numbers: &numbers, channel: Some(SMS), asset: None };
            opt_outs::delete(&world.service.core, &Actor::interface(), &removal).expect("removed");
        };
        remove_there();
        world.pull().await;
        assert_eq!(is_opted_out(&world, 1), (true, false), "a person is asked");
        decide::remove_opt_out(&world.core, &Actor::user(None), &opt_out_key(1), 1, "Subscribed again")
            .expect("answered");
        assert_eq!(is_opted_out(&world, 1), (false, false));
        let left = world.core.read(|tx| Ok(answers::read_all::<String>(tx, SyncedTable::OptOuts)?)).expect("read");
        assert_eq!(left, [], "the answer is spent");
        send_stop(&world, 1);
        world.pull().await;
        remove_there();
        world.pull().await;
        assert_eq!(is_opted_out(&world, 1), (true, false), "a person is asked again");
        let conflicts = world.make_plan().await.conflicts;
        assert!(matches!(&conflicts[..], [one] if matches!(one.subject, PlanSubject::OptOut { .. })), "{conflicts:?}");
    });
}

#[test]
fn an_answer_that_an_earlier_version_took_without_a_reason_removes_nothing() {
    run_paused(async {
        let world = World::new(43);
        for at in 1..5 {
            add_opt_out(&world.service.core, at, SMS);
        }
        world.pull().await;
        remove_opt_out(&world.service.core, 1, SMS);
        let id = opt_out_key(1).id();
        let kept = |tx: &WriteTx| Ok(answers::set_answer(tx, SyncedTable::OptOuts, &id, "choice", Some("\"let_go\""))?);
        world.core.write_quietly(kept).expect("kept");
        world.pull().await;
        assert_eq!(is_opted_out(&world, 1), (true, false));
        assert_eq!(world.make_plan().await.conflicts.len(), 1, "a person is asked");
    });
}

#[test]
fn undoing_redoing_and_discarding_end_no_opt_out() {
    run_paused(async {
        let world = World::new(8);
        world.create_remote_list("A", 1);
        world.pull().await;
        let by = Actor::user(None);
        add_opt_out(&world.core, 1, SMS);
        let undone = history::undo(&world.core, &by).expect("undone");
        assert_eq!((undone.rows, undone.opt_outs_kept), (0, 1));
        assert_eq!(is_opted_out(&world, 1), (true, false));

        let discarded =
            decide::discard_changes(&world.core, &by, &[RecordKeys::OptOuts(vec![opt_out_key(1)])]).expect("discarded");
        assert_eq!((discarded.count, discarded.opt_outs_kept), (0, 1));
        assert_eq!(is_opted_out(&world, 1), (true, false));
        world.push().await;
        assert_eq!(is_opted_out(&world, 1), (true, true), "and it is sent");

        remove_opt_out(&world.core, 1, SMS);
        history::undo(&world.core, &by).expect("undone");
        assert_eq!(is_opted_out(&world, 1), (true, true));
        let redone = history::redo(&world.core, &by).expect("redone");
        assert_eq!((redone.rows, redone.opt_outs_kept), (0, 1), "a removal is confirmed each time");
        assert_eq!(is_opted_out(&world, 1), (true, true));
        assert!(world.make_plan().await.has_no_work());
    });
}

/// The interface of the local server removes opt-outs without a reason. Such a removal is not sent.
#[test]
fn an_opt_out_that_was_removed_here_without_a_reason_is_back_after_any_pull() {
    run_paused(async {
        let world = World::new(44);
        add_opt_out(&world.service.core, 1, SMS);
        add_opt_out(&world.service.core, 2, SMS);
        // A pull from the newest opt-out on does not show the first two.
        send_stop(&world, 3);
        world.pull().await;
        let numbers = [phone_number(1)];
        let unexplained = opt_outs::OptOutRemovalRequest { numbers: &numbers, channel: None, asset: None };
        opt_outs::delete(&world.core, &Actor::interface(), &unexplained).expect("removed");
        remove_opt_out(&world.core, 2, SMS);
        assert_eq!((is_opted_out(&world, 1), is_opted_out(&world, 2)), ((false, true), (false, true)));
        let pulled = world.pull_with(&PullOptions::default()).await.expect("pulled");
        assert_eq!(pulled.other_changes.opt_outs, 1);
        assert_eq!(is_opted_out(&world, 1), (true, true));
        assert_eq!(is_opted_out(&world, 2), (false, true), "a removal with a reason waits to be sent");
        let plan = world.make_plan().await;
        assert_eq!((plan.steps.len(), plan.notes.len()), (1, 0), "{plan:#?}");
    });
}

#[test]
fn an_opt_out_of_an_unnamed_asset_is_not_taken_for_that_of_another() {
    run_paused(async {
        let mut world = World::new(9);
        let asset = "num_36AbCdEfGhIjKlMnOpQrStUvWx1";
        let shown = Arc::new(std::sync::Mutex::new(vec![json!({
            "number": phone_number(1), "channel": "SMS", "account_level_opt_out": false, "opt_out_type": "keyword",
            "inbound_asset_id": asset, "inbound_number": "+447700900100", "opt_out_time": "2026-01-05T09:00:00Z",
        })]));
        let answers = shown.clone();
        let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            let Some(response) = response.filter(|_| request.method == "GET" && request.url.contains("/optouts"))
            else {
                return;
            };
            let items = answers.lock().expect("nobody panicked").clone();
            let paging = json!({ "current_page": 1, "total_items": items.len(), "total_pages": 1 });
            response.body = json!({ "paging": paging, "items": items }).to_string().into_bytes();
        };
        world.client = build_client(BentService(world.service.clone(), bend));
        world.pull().await;
        let scopes = |world: &World| {
            let found =
                world.core.read(|tx| Ok(roost_store::tables::opt_outs::read_scopes(tx, &phone_number(1), SMS)?));
            found.expect("read")
        };
        assert_eq!(scopes(&world), [asset]);
        // Another of our numbers received a STOP too, and the service does not say which.
        shown.lock().expect("nobody panicked").push(json!({
            "number": phone_number(1), "channel": "SMS", "account_level_opt_out": false, "opt_out_type": "api_import",
            "opt_out_time": "2026-01-05T09:30:00Z",
        }));
        world.pull().await;
        let both = scopes(&world);
        assert!(both.len() == 2 && both.contains(&asset.to_owned()), "{both:?}");
        assert!(world.make_plan().await.has_no_work());
        assert_eq!(
            world.pull_with(&PullOptions::default()).await.expect("pulled").other_changes.opt_outs,
            0,
            "and it stays so"
        );
    });
}

#[test]
fn a_removal_says_why_it_is_not_sent_if_the_service_cannot_distinguish_two_opt_outs() {
    run_paused(async {
        let mut world = world_with_removal(43).await;
        let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            let Some(response) = response.filter(|_| request.method == "GET" && request.url.contains("/optouts"))
            else {
                return;
            };
            let mut body: serde_json::Value = serde_json::from_slice(&response.body).expect("JSON");
            let total = body["paging"]["total_items"].as_u64().expect("a total") + 1;
            body["paging"]["total_items"] = total.into();
            body["items"].as_array_mut().expect("items").push(json!({
                "number": phone_number(1), "channel": "SMS", "opt_out_type": "keyword",
                "opt_out_time": "2026-01-01T09:00:00Z",
            }));
            response.body = body.to_string().into_bytes();
        };
        let id = world.begin_run().await;
        world.client = build_client(BentService(world.service.clone(), bend));
        world.drive_run(id).await.expect("ran");
        assert_eq!(is_opted_out(&world, 1), (true, true));
        let reasons = world.failure_reasons(id);
        assert!(reasons.len() == 1 && reasons[0].contains("does not tell apart"), "{reasons:?}");
    });
}

#[test]
fn a_number_that_opts_out_again_while_its_lost_opt_out_is_asked_about_is_sent_whatever_was_answered() {
    for answer in [None, Some(OptOutAnswer::CreateAgain)] {
        run_paused(async {
            let world = World::new(40);
            for at in 1..5 {
                add_opt_out(&world.service.core, at, SMS);
            }
            world.pull().await;
            // The service loses the opt-out, and Roost asks.
            remove_opt_out(&world.service.core, 1, SMS);
            world.pull().await;
            assert_eq!(world.make_plan().await.conflicts.len(), 1);
            decide::answer_opt_outs(&world.core, &[opt_out_key(1)], answer).expect("answered");
            // The customer sends STOP to this account.
            world.core.ctx().advance(60);
            add_opt_out(&world.core, 1, SMS);
            let plan = world.make_plan().await;
            assert_eq!((plan.conflicts.len(), plan.steps.len()), (0, 1), "{answer:?}");
            assert_eq!(world.push().await, RunState::Done);
            world.pull().await;
            assert_eq!(is_opted_out(&world, 1), (true, true), "{answer:?}");
            assert!(world.make_plan().await.has_no_work());
        });
    }
}

#[test]
fn a_service_that_never_says_what_it_did_is_asked_a_few_times_and_not_for_ever() {
    run_paused(async {
        let mut world = World::new(41);
        add_opt_out(&world.core, 1, SMS);
        let requests = Arc::new(AtomicUsize::new(0));
        let count = requests.clone();
        let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            let is_creation = request.method == "POST" && request.url.contains("/optouts");
            match response {
                None if is_creation => {
                    count.fetch_add(1, Ordering::Relaxed);
                    request.url = request.url.replace("/optouts", "/nowhere");
                }
                Some(response) if request.url.contains("/nowhere") => {
                    (response.status, response.body) = (200, br#"{"ok":true}"#.to_vec());
                }
                _ => {}
            }
        };
        world.client = build_client(BentService(world.service.clone(), bend));
        assert_eq!(world.push().await, RunState::InDoubt);
        assert!((1..=6).contains(&requests.load(Ordering::Relaxed)), "{requests:?}");
        assert_eq!(is_opted_out(&world, 1), (true, false));
        assert_eq!(world.make_plan().await.steps.len(), 1, "it is planned again");
    });
}

/// Returns the local record of the first number as the UI shows it, and the events of its history.
fn read_shown_opt_out(world: &World) -> (Option<String>, OptOutType, Timestamp, Vec<OptOutEventKind>) {
    let timeline = opt_outs::read_timeline(&world.core, &phone_number(1), None).expect("a time line");
    let [record] = &timeline.records[..] else { panic!("one record: {:?}", timeline.records) };
    let query = opt_outs::OptOutGridQuery {
        number: opt_outs::parse_number_part(&phone_number(1)),
        kind: None,
        channel: None,
        scope: None,
        asset: None,
        inbound_number: None,
        from: None,
        to: None,
        order: SortOrder::Ascending,
        page: PageRequest { number: 1, size: 10 },
    };
    let row = opt_outs::read_grid(&world.core, &query).expect("rows").items.remove(0);
    assert_eq!((row.record.kind, row.record.time), (record.kind, record.time));
    let events = timeline.events.iter().map(|event| event.action).collect();
    (row.reason, record.kind, record.time, events)
}

#[test]
fn what_is_sent_and_seen_back_keeps_its_reason_method_and_time() {
    run_paused(async {
        let world = World::new(31);
        let entry = opt_outs::NewOptOut { number: phone_number(1), channels: vec![SMS], asset: None };
        opt_outs::add(&world.core, &Actor::user(None), &[entry], "asked by letter", None).expect("added");
        let before = read_shown_opt_out(&world);
        assert_eq!(before.1, OptOutType::AccountImport);
        world.core.ctx().advance(60);
        world.service.core.ctx().advance(90);
        world.push().await;
        assert_eq!(is_opted_out(&world, 1), (true, true));
        assert_eq!(read_shown_opt_out(&world), before, "what was sent is the same opt-out");
        assert!(world.make_plan().await.has_no_work());
        world.pull().await;
        assert_eq!(read_shown_opt_out(&world), before, "and so is what was seen back");
        assert!(world.make_plan().await.has_no_work());

        // The customer's own word is another opt-out and is shown as one.
        send_stop(&world, 1);
        world.pull().await;
        let after = read_shown_opt_out(&world);
        assert_eq!((after.0, after.1), (None, OptOutType::WebOptOut));
        assert_eq!(after.3, [OptOutEventKind::Renewed, OptOutEventKind::Added]);

        remove_opt_out(&world.core, 1, SMS);
        world.push().await;
        assert_eq!(is_opted_out(&world, 1), (false, false));
    });
}

#[test]
fn what_was_sent_is_removed_like_any_other() {
    run_paused(async {
        let world = World::new(32);
        add_opt_out(&world.core, 1, SMS);
        world.core.ctx().advance(60);
        world.service.core.ctx().advance(90);
        world.push().await;
        remove_opt_out(&world.core, 1, SMS);
        let by = Actor::user(None);
        history::undo(&world.core, &by).expect("undone");
        assert!(world.make_plan().await.has_no_work(), "it is as both sides know it");
        remove_opt_out(&world.core, 1, SMS);
        world.push().await;
        assert_eq!(is_opted_out(&world, 1), (false, false));
        // The number opted out again locally, so that is sent again.
        add_opt_out(&world.core, 1, SMS);
        world.push().await;
        add_opt_out(&world.core, 1, SMS);
        world.core.ctx().advance(5);
        add_opt_out(&world.core, 1, SMS);
        world.push().await;
        assert_eq!(is_opted_out(&world, 1), (true, true));
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn an_opt_out_that_the_service_lost_leaves_as_a_person_confirmed_it() {
    run_paused(async {
        let world = World::new(33);
        for at in 1..5 {
            add_opt_out(&world.service.core, at, SMS);
        }
        world.pull().await;
        let by = Actor::user(Some("Ada".to_owned()));
        let early = decide::remove_opt_out(&world.core, &by, &opt_out_key(1), 1, "asked by phone");
        assert!(early.is_err(), "nobody is asked about it");
        remove_opt_out(&world.service.core, 1, SMS);
        world.pull().await;
        assert_eq!(is_opted_out(&world, 1), (true, false), "a person is asked");
        for (count, reason) in [(0, "asked by phone"), (2, "asked by phone"), (1, " ")] {
            assert!(
                decide::remove_opt_out(&world.core, &by, &opt_out_key(1), count, reason).is_err(),
                "{count} {reason}"
            );
        }
        assert_eq!(is_opted_out(&world, 1), (true, false));
        decide::remove_opt_out(&world.core, &by, &opt_out_key(1), 1, "asked by phone").expect("removed");
        assert_eq!(is_opted_out(&world, 1), (false, false), "at once");
        let timeline = opt_outs::read_timeline(&world.core, &phone_number(1), None).expect("a time line");
        assert_eq!(timeline.events[0].reason.as_deref(), Some("asked by phone"));
        let step = history::read_undo_status(&world.core).expect("steps").undo.expect("an act of a person");
        assert_eq!((step.act.as_str(), step.subject), ("opt_out_remove", Some(phone_number(1))));
        assert!(world.make_plan().await.has_no_work());
        world.pull().await;
        assert_eq!(is_opted_out(&world, 1), (false, false));
        // A restored opt-out is a new local one, and is sent.
        history::undo(&world.core, &Actor::user(None)).expect("undone");
        world.push().await;
        assert_eq!(is_opted_out(&world, 1), (true, true));
    });
}

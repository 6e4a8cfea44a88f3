//! Tests whole walks: pull, edit on both sides, push, and verify.

use roost_model::{channel::Channel, page::PageRequest};
use roost_ops::{
    Actor, Noun, contact,
    history::{self, ChangeAction, StepQuery},
    list,
};
use roost_reconcile::{
    input::{ListChoice, ServiceCapabilities},
    merge::ForkAnswer,
    plan::{ConflictKind, PlanSubject, StepKind},
    row::SyncField,
};
use roost_store::tables::sync::{
    SyncedTable, changes, connection,
    runs::{self, RunState},
    scopes,
};
use roost_wire::OperationId;

use super::{
    service::ServiceFaults,
    world::{World, add_contact, add_opt_out, phone_number, rename_contact, run_paused, to_field_values},
};
use crate::{
    Progress, SyncError, account,
    apply::{self, RunControl, report, undo},
    decide::{self, ContactDecision, RecordKeys},
    merge, plan, probe,
    pull::{self, ListReadResult, PullOptions, ReadingQuality},
};

#[test]
fn remote_records_arrive_here_and_are_not_changes() {
    run_paused(async {
        let world = World::new(1);
        world.create_remote_list("A", 250);
        let pulled = world.pull().await;
        assert_eq!(pulled.merged.added, 250);
        assert!(matches!(pulled.lists[..], [(_, ListReadResult::Read(ReadingQuality::Whole))]));
        assert_eq!(world.local_contents(), world.remote_contents());
        assert!(world.make_plan().await.has_no_work());
        let again = world.pull_with(&PullOptions::default()).await.expect("pulled");
        assert!(matches!(again.lists[..], [(_, ListReadResult::AssumedUnchanged)]), "one call tells");
        assert_eq!(world.pull().await.merged, merge::MergeCounts::default(), "and nothing is new in all of them");
    });
}

#[test]
fn edits_of_both_sides_meet() {
    run_paused(async {
        let world = World::new(2);
        let there = world.create_remote_list("A", 10);
        world.pull().await;
        let here = World::read_lists(&world.core)[0].1.clone();
        let mine = World::read_contacts(&world.core, &here);
        let theirs = World::read_contacts(&world.service.core, &there);
        let uid_at = |all: &[(roost_model::id::ContactId, String, String)], at: u32| {
            all.iter().find(|(_, phone, _)| *phone == phone_number(at)).expect("there").0.clone()
        };
        rename_contact(&world.core, &uid_at(&mine, 0), "Mine");
        contact::delete(&world.core, &Actor::user(None), &uid_at(&mine, 1)).expect("deleted");
        add_contact(&world.core, &here, 20, "Made here");
        rename_contact(&world.service.core, &uid_at(&theirs, 2), "Theirs");
        contact::delete(&world.service.core, &Actor::interface(), &uid_at(&theirs, 3)).expect("deleted");
        add_contact(&world.service.core, &there, 21, "Made there");
        world.pull().await;
        let plan = world.make_plan().await;
        assert_eq!((plan.steps.len(), plan.conflicts.len()), (3, 0), "{plan:#?}");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.local_contents(), world.remote_contents());
        assert_eq!(world.local_contents()["A"].len(), 10);
        assert!(world.make_plan().await.has_no_work(), "{:#?}", world.make_plan().await);
        assert_eq!(world.pull().await.merged, merge::MergeCounts::default());
    });
}

#[test]
fn a_fork_waits_for_its_answer_and_holds_nothing_else() {
    run_paused(async {
        let world = World::new(3);
        let there = world.create_remote_list("A", 2);
        world.pull().await;
        let here = World::read_lists(&world.core)[0].1.clone();
        for (uid, ..) in World::read_contacts(&world.core, &here) {
            rename_contact(&world.core, &uid, "Mine");
        }
        let forked = World::read_contacts(&world.service.core, &there)[0].clone();
        rename_contact(&world.service.core, &forked.0, "Theirs");
        world.pull().await;
        let plan = world.make_plan().await;
        assert!(matches!(&plan.conflicts[..], [one] if matches!(one.disputed, ConflictKind::Fields { .. })));
        assert!(
            matches!(&plan.steps[..], [step] if matches!(&step.kind, StepKind::Contacts { items, .. } if items.len() == 1))
        );
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.remote_contents()["A"].iter().filter(|(_, name)| name == "Mine").count(), 1);
        assert_eq!(world.local_contents()["A"].iter().filter(|(_, name)| name == "Mine").count(), 2, "it waits");
    });
}

#[test]
fn a_list_is_made_filled_and_deleted() {
    run_paused(async {
        let world = World::new(4);
        world.pull().await;
        let made =
            list::create(&world.core, &Actor::user(None), "Made here", list::UniqueNames::Off).expect("a list").uid;
        for at in 0..120 {
            add_contact(&world.core, &made, at, "x");
        }
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.local_contents(), world.remote_contents());
        assert_eq!(world.pull().await.merged, merge::MergeCounts::default());
        list::delete(&world.core, &Actor::user(None), &made).expect("deleted");
        assert_eq!(world.push().await, RunState::Done);
        assert!(world.remote_contents().is_empty());
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn a_run_is_undone_by_edits_that_are_pushed_like_any_others() {
    run_paused(async {
        let world = World::new(5);
        world.create_remote_list("A", 6);
        world.pull().await;
        let before = world.remote_contents();
        let here = World::read_lists(&world.core)[0].1.clone();
        let contacts = World::read_contacts(&world.core, &here);
        rename_contact(&world.core, &contacts[0].0, "Edited");
        contact::delete(&world.core, &Actor::user(None), &contacts[1].0).expect("deleted");
        add_contact(&world.core, &here, 30, "Made here");
        let run = world.begin_run().await;
        assert_eq!(world.drive_run(run).await.expect("ran"), RunState::Done);
        assert_ne!(world.remote_contents(), before);
        let preview = undo::preview_undo(&world.core, run).expect("a preview");
        assert_ne!(world.local_contents(), before, "a look changes nothing");
        let undone = undo::undo_run(&world.core, &Actor::user(None), run).expect("undone");
        assert_eq!(preview, undone);
        assert_eq!((undone.count, undone.lost.len()), (3, 1), "a new identity: {undone:?}");
        assert_eq!(world.local_contents(), before);
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.remote_contents(), before);
        let report = report::build_report(&world.core, run).expect("read").expect("a run").to_markdown();
        assert!(report.contains("| contacts.delete | 1 | verified |"), "{report}");
    });
}

#[test]
fn an_answer_settles_its_question_at_once() {
    run_paused(async {
        let world = World::new(6);
        let there = world.create_remote_list("A", 1);
        world.pull().await;
        let here = World::read_lists(&world.core)[0].1.clone();
        rename_contact(&world.core, &World::read_contacts(&world.core, &here)[0].0, "Mine");
        rename_contact(&world.service.core, &World::read_contacts(&world.service.core, &there)[0].0, "Theirs");
        world.pull().await;
        let PlanSubject::Contact { id, .. } = world.make_plan().await.conflicts[0].subject else { panic!("a contact") };
        let first = SyncField::parse("firstname").expect("a field");
        decide::decide_contacts(&world.core, &[id], &ContactDecision::Field(first, Some(ForkAnswer::Theirs)))
            .expect("decided");
        assert_eq!(world.local_contents(), world.remote_contents());
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn few_edits_of_a_long_list_are_looked_up_one_by_one() {
    run_paused(async {
        let world = World::new(8);
        world.create_remote_list("A", 350);
        world.pull().await;
        let here = World::read_lists(&world.core)[0].1.clone();
        let contacts = World::read_contacts(&world.core, &here);
        rename_contact(&world.core, &contacts[0].0, "Edited");
        contact::delete(&world.core, &Actor::user(None), &contacts[1].0).expect("deleted");
        add_contact(&world.core, &here, 900, "Made here");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.local_contents(), world.remote_contents());
        assert!(world.make_plan().await.has_no_work());
        assert_eq!(world.pull().await.merged, merge::MergeCounts::default());
    });
}

#[test]
fn a_list_is_renamed_by_recreating_it() {
    run_paused(async {
        let world = World::new(9);
        world.create_remote_list("A", 5);
        world.pull().await;
        let here = World::read_lists(&world.core)[0].1.clone();
        add_contact(&world.core, &here, 20, "Made here");
        assert_eq!(world.push().await, RunState::Done);
        list::rename(&world.core, &Actor::user(None), &here, "B").expect("renamed");
        let plan = world.make_plan().await;
        let PlanSubject::List { id } = plan.blocked[0].subject else { panic!("a list: {plan:#?}") };
        decide::choose_for_list(&world.core, id, Some(ListChoice::Recreate)).expect("decided");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.local_contents(), world.remote_contents());
        assert_eq!(world.remote_contents()["B"].len(), 6);
        assert!(world.make_plan().await.has_no_work(), "{:#?}", world.make_plan().await);
        assert_eq!(world.pull().await.merged, merge::MergeCounts::default());
    });
}

/// A caller may move a pull or a run to any thread.
#[test]
fn pulls_runs_plans_and_probes_can_be_sent_to_another_thread() {
    fn assert_spawnable<T: Send>(_: T) {}
    run_paused(async {
        let world = World::new(10);
        let (progress, control) = (Progress::default(), RunControl::default());
        assert_spawnable(pull::run_pull(&world.core, &world.client, &PullOptions::default(), &progress));
        assert_spawnable(apply::drive_run(&world.core, &world.client, 1, &control, &progress));
        assert_spawnable(plan::make(&world.core));
        assert_spawnable(probe::probe_by_reading(&world.client));
        assert_spawnable(probe::probe_by_writing(&world.client, "A", probe::NUMBERS));
    });
}

fn read_touched(world: &World) -> Vec<(i64, changes::ServiceState)> {
    let all = world.core.read(|tx| Ok(changes::read_all::<i64>(tx, SyncedTable::Contacts)?)).expect("read");
    all.into_iter().map(|one| (one.id, one.at_service)).collect()
}

#[test]
fn discarding_all_local_changes_restores_the_state_of_the_last_pull() {
    run_paused(async {
        let world = World::new(21);
        for name in ["A", "B", "C"] {
            world.create_remote_list(name, 4);
        }
        world.pull().await;
        let before = world.local_contents();
        let lists = World::read_lists(&world.core);
        let by = Actor::user(None);
        let contacts = World::read_contacts(&world.core, &lists[0].1);
        rename_contact(&world.core, &contacts[0].0, "Edited");
        contact::delete(&world.core, &by, &contacts[1].0).expect("deleted");
        add_contact(&world.core, &lists[0].1, 40, "Made here");
        list::rename(&world.core, &by, &lists[1].1, "Renamed").expect("renamed");
        rename_contact(&world.core, &World::read_contacts(&world.core, &lists[2].1)[0].0, "Edited");
        list::delete(&world.core, &by, &lists[2].1).expect("deleted");
        let made = list::create(&world.core, &by, "New", list::UniqueNames::Off).expect("a list").uid;
        add_contact(&world.core, &made, 41, "Made here");
        let changed = world.local_contents();
        let read_changes = |place| world.core.read(|tx| Ok(changes::read_all::<i64>(tx, place)?)).expect("read");
        let ids = |place| read_changes(place).into_iter().map(|one| one.id).collect::<Vec<_>>();
        let all = [RecordKeys::Contacts(ids(SyncedTable::Contacts)), RecordKeys::Lists(ids(SyncedTable::Lists))];
        assert_eq!(all[1].len(), 3);
        decide::discard_changes(&world.core, &by, &all).expect("discarded");
        assert_eq!(world.local_contents(), before);
        assert!(world.make_plan().await.has_no_work(), "{:#?}", world.make_plan().await);
        assert!(read_touched(&world).is_empty(), "{:?}", read_touched(&world));
        assert_eq!(world.pull().await.merged, merge::MergeCounts::default());
        roost_ops::history::undo(&world.core, &by).expect("undone");
        assert_eq!(world.local_contents(), changed, "one step");
    });
}

#[test]
fn a_column_that_is_held_back_is_not_sent_and_stays_a_change() {
    run_paused(async {
        let world = World::new(22);
        world.create_remote_list("A", 3);
        world.pull().await;
        let here = World::read_lists(&world.core)[0].1.clone();
        let contacts = World::read_contacts(&world.core, &here);
        let by = Actor::user(None);
        rename_contact(&world.core, &contacts[0].0, "Edited");
        let both = to_field_values(&[("firstname", "Edited too"), ("lastname", "Sent")]);
        contact::update(&world.core, &by, &contacts[1].0, &both, None).expect("an edit");
        add_contact(&world.core, &here, 40, "Made here");
        let first = SyncField::parse("firstname").expect("a field");
        decide::hold_column(&world.core, first, true).expect("held");
        let wanted = world.local_contents();
        world.push().await;
        world.remote_contents();
        assert!(world.make_plan().await.has_no_work(), "{:#?}", world.make_plan().await);
        world.pull().await;
        assert_eq!(
            (world.local_contents(), read_touched(&world).len()),
            (wanted.clone(), 3),
            "all three wait for their names"
        );
        let names: Vec<String> = world.remote_contents()["A"].iter().map(|(_, name)| name.clone()).collect();
        assert_eq!(names, ["Contact 0", "Contact 1", "Contact 2", ""]);
        decide::hold_column(&world.core, first, false).expect("released");
        world.push().await;
        assert_eq!(world.remote_contents(), wanted);
        assert!(read_touched(&world).is_empty());
    });
}

#[test]
fn held_records_wait_and_all_else_goes() {
    run_paused(async {
        let world = World::new(23);
        world.create_remote_list("A", 3);
        world.pull().await;
        let by = Actor::user(None);
        let here = World::read_lists(&world.core)[0].1.clone();
        let contacts = World::read_contacts(&world.core, &here);
        rename_contact(&world.core, &contacts[0].0, "Held");
        rename_contact(&world.core, &contacts[1].0, "Sent");
        let made = list::create(&world.core, &by, "Held list", list::UniqueNames::Off).expect("a list").uid;
        add_contact(&world.core, &made, 40, "In it");
        let known = |place| world.core.read(|tx| Ok(changes::read_all::<i64>(tx, place)?)).expect("read");
        let is_held = |one: &changes::SyncChange<i64>| one.local.as_ref().is_some_and(|cells| cells.contains("Held"));
        let held = known(SyncedTable::Contacts).into_iter().find(is_held).expect("edited").id;
        let list = known(SyncedTable::Lists)[0].id;
        for records in [RecordKeys::Contacts(vec![held]), RecordKeys::Lists(vec![list])] {
            decide::hold_records(&world.core, &records, true).expect("held");
        }
        world.push().await;
        assert_eq!(world.remote_contents().len(), 1, "no list was made");
        let named = |name: &str| world.remote_contents()["A"].iter().any(|(_, first)| first == name);
        assert!(named("Sent") && !named("Held"));
        for records in [RecordKeys::Contacts(vec![held]), RecordKeys::Lists(vec![list])] {
            decide::hold_records(&world.core, &records, false).expect("released");
        }
        world.push().await;
        assert_eq!(world.remote_contents(), world.local_contents());
        assert!(world.make_plan().await.has_no_work());
    });
}

/// The service refuses one contact by its position or without naming it: the others arrive, and this one waits until it
/// is fixed.
#[test]
fn a_contact_that_the_service_refuses_waits_until_it_is_corrected() {
    for by_place in [true, false] {
        run_paused(async {
            let world = World::new(31);
            world.create_remote_list("A", 1);
            world.pull().await;
            let here = World::read_lists(&world.core)[0].1.clone();
            for at in 0..20 {
                add_contact(&world.core, &here, 100 + at, if at == 13 { "Bad" } else { "Good" });
            }
            world.service.refuse_name(Some("Bad"), by_place);
            let id = world.begin_run().await;
            assert_eq!(world.drive_run(id).await.expect("ran"), RunState::Done);
            assert_eq!(world.remote_contents()["A"].len(), 20, "all but one");
            let refused =
                world.core.read(|tx| Ok(runs::read_refused::<i64>(tx, SyncedTable::Contacts)?)).expect("read");
            let [one] = &refused[..] else { panic!("{refused:?}") };
            assert!(one.cells.contains("Bad") && one.faults.len() > 10, "{one:?}");
            assert!(world.make_plan().await.steps.is_empty(), "it is not sent again as it is");
            let requests = world.service.request_count(OperationId::ContactsCreate);
            assert_eq!(requests, if by_place { 2 } else { 11 }, "by place: {by_place}");
            let bad =
                World::read_contacts(&world.core, &here).into_iter().find(|(_, _, name)| name == "Bad").expect("here");
            rename_contact(&world.core, &bad.0, "Mended");
            assert_eq!(world.push().await, RunState::Done);
            assert_eq!(world.local_contents(), world.remote_contents());
            assert!(world.make_plan().await.has_no_work());
            let left = world.core.read(|tx| Ok(runs::read_refused::<i64>(tx, SyncedTable::Contacts)?)).expect("read");
            assert!(left.is_empty(), "{left:?}");
        });
    }
}

#[test]
fn a_request_that_is_too_large_is_sent_in_parts() {
    run_paused(async {
        let world = World::new(32);
        world.pull().await;
        let made =
            list::create(&world.core, &Actor::user(None), "Made here", list::UniqueNames::Off).expect("a list").uid;
        for at in 0..40 {
            add_contact(&world.core, &made, at, "x");
        }
        world.service.set_faults(ServiceFaults { most_bytes: 1_000, ..ServiceFaults::default() });
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.local_contents(), world.remote_contents());
        assert!(world.service.request_count(OperationId::ContactsCreate) > 3);
        assert!(world.make_plan().await.has_no_work());
    });
}

/// With this capability of the service, one response replaces four.
#[test]
fn all_contacts_come_from_one_answer_where_the_service_gives_them() {
    run_paused(async {
        let world = World::new(33);
        world.create_remote_list("A", 350);
        let can = ServiceCapabilities { all_pages_read: true, ..ServiceCapabilities::default() };
        world
            .core
            .write_quietly(|tx| {
                let known = connection::get(tx)?.expect("connected");
                let capabilities = serde_json::to_string(&can).expect("JSON");
                Ok(connection::set(tx, &connection::ServiceConnection { capabilities, ..known })?)
            })
            .expect("learnt");
        let pulled = world.pull().await;
        assert!(matches!(pulled.lists[..], [(_, ListReadResult::Read(ReadingQuality::Whole))]));
        assert_eq!(
            (world.local_contents(), world.service.request_count(OperationId::ContactsQuery)),
            (world.remote_contents(), 1)
        );
        world.service.set_faults(ServiceFaults { truncated: 1, ..ServiceFaults::default() });
        world.pull().await;
        assert_eq!(world.local_contents(), world.remote_contents(), "an answer that lacks a row removes nothing");
    });
}

#[test]
fn a_reading_that_is_stopped_goes_on_behind_its_page() {
    run_paused(async {
        let world = World::new(34);
        world.create_remote_list("A", 450);
        let progress = Progress::default();
        let options = PullOptions { full: true, ..PullOptions::default() };
        let soon = std::time::Duration::from_millis(250);
        let stop = async {
            while progress.status().page < 2 || progress.status().what.is_empty() {
                tokio::time::sleep(soon / 50).await;
            }
            progress.stop();
        };
        let (pulled, ()) = tokio::join!(pull::run_pull(&world.core, &world.client, &options, &progress), stop);
        assert!(matches!(pulled, Err(SyncError::Stopped)), "{pulled:?}");
        let at = progress.status();
        assert_eq!((at.what.as_str(), at.pages, at.rows_total), ("A", Some(5), Some(450)));
        assert!((2..5).contains(&at.page), "behind the page that was on its way: {at:?}");
        world.pull().await;
        assert_eq!(world.local_contents(), world.remote_contents());
        assert_eq!(world.service.request_count(OperationId::ContactsQuery), 5, "no page was read twice");
    });
}

/// A run reads the lists that it wrote to, and a pull may read a single list. Neither reads opt-outs.
#[test]
fn only_a_whole_pull_moves_the_time_at_which_everything_was_read() {
    run_paused(async {
        let world = World::new(36);
        world.create_remote_list("A", 150);
        let read_time = || world.core.read(|tx| Ok(scopes::read_pull_time(tx)?)).expect("read");
        assert_eq!(read_time(), None);
        let list = world.pull().await.lists[0].0;
        let pulled_at = read_time();
        assert!(pulled_at.is_some());
        let here = World::read_lists(&world.core)[0].1.clone();
        for at in 200..320 {
            add_contact(&world.core, &here, at, "Made here");
        }
        world.core.ctx().advance(60);
        assert_eq!(world.push().await, RunState::Done);
        let of_list = world.core.read(|tx| Ok(scopes::get(tx, SyncedTable::Contacts, list)?)).expect("read");
        assert!(of_list.checked_at > pulled_at, "the run read the whole list: {of_list:?}");
        assert_eq!(read_time(), pulled_at);
        let of_list = PullOptions { list: Some(list), full: true, ..PullOptions::default() };
        world.pull_with(&of_list).await.expect("pulled");
        assert_eq!(read_time(), pulled_at);
        let progress = Progress::default();
        progress.stop();
        let stopped = pull::run_pull(&world.core, &world.client, &PullOptions::default(), &progress).await;
        assert!(matches!(stopped, Err(SyncError::Stopped)), "{stopped:?}");
        assert_eq!(read_time(), pulled_at);
        world.pull().await;
        assert!(read_time() > pulled_at);
    });
}

/// The next client begins at the pace that throttling taught this one.
#[test]
fn a_service_that_throttles_is_asked_more_slowly_from_then_on() {
    run_paused(async {
        let world = World::new(35);
        world.create_remote_list("A", 450);
        world.service.set_faults(ServiceFaults { throttled: 2, ..ServiceFaults::default() });
        let _ = world.pull_with(&PullOptions::default()).await;
        let learnt = world.core.read(|tx| Ok(account::read_speed(tx)?)).expect("read");
        assert!((1..5).contains(&learnt.calls_per_second), "{learnt:?}");
        assert!(world.client.lane_statuses().iter().any(|lane| lane.throttled > 0 && lane.done > 0));
    });
}

#[test]
fn the_log_says_of_what_a_pull_brings_whether_it_is_new() {
    run_paused(async {
        let world = World::new(99);
        let there = world.create_remote_list("A", 1);
        add_opt_out(&world.service.core, 1, Channel::Sms);
        world.pull().await;
        let read_actions = |noun: Noun| -> Vec<(ChangeAction, u64)> {
            let page = PageRequest { number: 1, size: 50 };
            let entries = history::read_timeline(&world.core, &StepQuery::default(), page).expect("a timeline").items;
            let changes = entries.into_iter().flat_map(|entry| entry.changes).filter(|change| change.noun == noun);
            changes.map(|change| (change.action, change.count)).collect()
        };
        assert_eq!(read_actions(Noun::OptOut), [(ChangeAction::Created, 1)]);
        assert_eq!(read_actions(Noun::List), [(ChangeAction::Created, 1)]);
        world.service.core.ctx().advance(60);
        add_opt_out(&world.service.core, 1, Channel::Sms);
        list::rename(&world.service.core, &Actor::interface(), &there, "B").expect("renamed");
        world.pull().await;
        assert_eq!(read_actions(Noun::OptOut)[0], (ChangeAction::Updated, 1));
        assert_eq!(read_actions(Noun::List)[0], (ChangeAction::Updated, 1));
    });
}

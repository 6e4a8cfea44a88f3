//! Tests whole walks: pull, edit on both sides, push, and verify.

use roost_ops::{By, contact, list};
use roost_reconcile::{
    input::{Capabilities, ListChoice},
    merge::Answer,
    plan::{Disputed, StepKind, Subject},
    row::Field,
};
use roost_store::tables::sync::{
    Place, changes, connection,
    runs::{self, RunState},
};
use roost_wire::OperationId;

use super::{
    service::Faults,
    world::{World, add, number, rename, run, values},
};
use crate::{
    Failed, Progress,
    apply::{self, Control, report, undo},
    decide::{self, Decision, Records},
    gather, merge, plan, probe,
    pull::{self, Asked, How, Sight},
};

#[test]
fn what_is_there_comes_here_and_is_no_change() {
    run(async {
        let world = World::new(1);
        world.list_there("A", 250);
        let pulled = world.pull().await;
        assert_eq!(pulled.merged.added, 250);
        assert!(matches!(pulled.lists[..], [(_, How::Read(Sight::Whole))]));
        assert_eq!(world.here(), world.there());
        assert!(world.plan().await.is_quiet());
        let again = world.pull_asked(&Asked::default()).await.expect("pulled");
        assert!(matches!(again.lists[..], [(_, How::AssumedUnchanged)]), "one call tells");
        assert_eq!(world.pull().await.merged, merge::Merged::default(), "and nothing is new in all of them");
    });
}

#[test]
fn edits_of_both_sides_meet() {
    run(async {
        let world = World::new(2);
        let there = world.list_there("A", 10);
        world.pull().await;
        let here = World::lists(&world.core)[0].1.clone();
        let mine = World::contacts(&world.core, &here);
        let theirs = World::contacts(&world.service.core, &there);
        let of = |all: &[(roost_model::id::ContactId, String, String)], at: u32| {
            all.iter().find(|(_, phone, _)| *phone == number(at)).expect("there").0.clone()
        };
        rename(&world.core, &of(&mine, 0), "Mine");
        contact::delete(&world.core, &By::user(None), &of(&mine, 1)).expect("deleted");
        add(&world.core, &here, 20, "Made here");
        rename(&world.service.core, &of(&theirs, 2), "Theirs");
        contact::delete(&world.service.core, &By::interface(), &of(&theirs, 3)).expect("deleted");
        add(&world.service.core, &there, 21, "Made there");
        world.pull().await;
        let plan = world.plan().await;
        assert_eq!((plan.steps.len(), plan.conflicts.len()), (3, 0), "{plan:#?}");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.here(), world.there());
        assert_eq!(world.here()["A"].len(), 10);
        assert!(world.plan().await.is_quiet(), "{:#?}", world.plan().await);
        assert_eq!(world.pull().await.merged, merge::Merged::default());
    });
}

#[test]
fn a_fork_waits_for_its_answer_and_holds_nothing_else() {
    run(async {
        let world = World::new(3);
        let there = world.list_there("A", 2);
        world.pull().await;
        let here = World::lists(&world.core)[0].1.clone();
        for (uid, ..) in World::contacts(&world.core, &here) {
            rename(&world.core, &uid, "Mine");
        }
        let forked = World::contacts(&world.service.core, &there)[0].clone();
        rename(&world.service.core, &forked.0, "Theirs");
        world.pull().await;
        let plan = world.plan().await;
        assert!(matches!(&plan.conflicts[..], [one] if matches!(one.disputed, Disputed::Fields { .. })));
        assert!(
            matches!(&plan.steps[..], [step] if matches!(&step.kind, StepKind::Contacts { items, .. } if items.len() == 1))
        );
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.there()["A"].iter().filter(|(_, name)| name == "Mine").count(), 1);
        assert_eq!(world.here()["A"].iter().filter(|(_, name)| name == "Mine").count(), 2, "it waits");
    });
}

#[test]
fn a_list_is_made_filled_and_deleted() {
    run(async {
        let world = World::new(4);
        world.pull().await;
        let made = list::create(&world.core, &By::user(None), "Made here", list::UniqueNames::Off).expect("a list").uid;
        for at in 0..120 {
            add(&world.core, &made, at, "x");
        }
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.here(), world.there());
        assert_eq!(world.pull().await.merged, merge::Merged::default());
        list::delete(&world.core, &By::user(None), &made).expect("deleted");
        assert_eq!(world.push().await, RunState::Done);
        assert!(world.there().is_empty());
        assert!(world.plan().await.is_quiet());
    });
}

#[test]
fn a_run_is_undone_by_edits_that_are_pushed_like_any_others() {
    run(async {
        let world = World::new(5);
        world.list_there("A", 6);
        world.pull().await;
        let before = world.there();
        let here = World::lists(&world.core)[0].1.clone();
        let contacts = World::contacts(&world.core, &here);
        rename(&world.core, &contacts[0].0, "Edited");
        contact::delete(&world.core, &By::user(None), &contacts[1].0).expect("deleted");
        add(&world.core, &here, 30, "Made here");
        let run = world.begin().await;
        assert_eq!(world.go(run).await.expect("ran"), RunState::Done);
        assert_ne!(world.there(), before);
        let told = undo::preview(&world.core, run).expect("told");
        assert_ne!(world.here(), before, "a look changes nothing");
        let undone = undo::undo(&world.core, &By::user(None), run).expect("undone");
        assert_eq!(told, undone);
        assert_eq!((undone.count, undone.lost.len()), (3, 1), "a new identity: {undone:?}");
        assert_eq!(world.here(), before);
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.there(), before);
        let report = report::of(&world.core, run).expect("read").expect("a run").text();
        assert!(report.contains("| contacts.delete | 1 | verified |"), "{report}");
    });
}

#[test]
fn an_answer_settles_its_question_at_once() {
    run(async {
        let world = World::new(6);
        let there = world.list_there("A", 1);
        world.pull().await;
        let here = World::lists(&world.core)[0].1.clone();
        rename(&world.core, &World::contacts(&world.core, &here)[0].0, "Mine");
        rename(&world.service.core, &World::contacts(&world.service.core, &there)[0].0, "Theirs");
        world.pull().await;
        let Subject::Contact { id, .. } = world.plan().await.conflicts[0].subject else { panic!("a contact") };
        let first = Field::parse("firstname").expect("a field");
        decide::contacts(&world.core, &[id], &Decision::Field(first, Some(Answer::Theirs))).expect("decided");
        assert_eq!(world.here(), world.there());
        assert!(world.plan().await.is_quiet());
    });
}

#[test]
fn few_edits_of_a_long_list_are_looked_up_one_by_one() {
    run(async {
        let world = World::new(8);
        world.list_there("A", 350);
        world.pull().await;
        let here = World::lists(&world.core)[0].1.clone();
        let contacts = World::contacts(&world.core, &here);
        rename(&world.core, &contacts[0].0, "Edited");
        contact::delete(&world.core, &By::user(None), &contacts[1].0).expect("deleted");
        add(&world.core, &here, 900, "Made here");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.here(), world.there());
        assert!(world.plan().await.is_quiet());
        assert_eq!(world.pull().await.merged, merge::Merged::default());
    });
}

#[test]
fn a_list_is_renamed_by_making_it_anew() {
    run(async {
        let world = World::new(9);
        world.list_there("A", 5);
        world.pull().await;
        let here = World::lists(&world.core)[0].1.clone();
        add(&world.core, &here, 20, "Made here");
        assert_eq!(world.push().await, RunState::Done);
        list::rename(&world.core, &By::user(None), &here, "B").expect("renamed");
        let plan = world.plan().await;
        let Subject::List { id } = plan.blocked[0].subject else { panic!("a list: {plan:#?}") };
        decide::list(&world.core, id, Some(ListChoice::Recreate)).expect("decided");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.here(), world.there());
        assert_eq!(world.there()["B"].len(), 6);
        assert!(world.plan().await.is_quiet(), "{:#?}", world.plan().await);
        assert_eq!(world.pull().await.merged, merge::Merged::default());
    });
}

/// A caller may move a pull or a run to any thread.
#[test]
fn work_may_be_spawned() {
    fn spawnable<T: Send>(_: T) {}
    run(async {
        let world = World::new(10);
        let (progress, control) = (Progress::default(), Control::default());
        spawnable(pull::pull(&world.core, &world.client, &Asked::default(), &progress));
        spawnable(apply::run(&world.core, &world.client, 1, &control, &progress));
        spawnable(plan::make(&world.core));
        spawnable(probe::look(&world.client));
        spawnable(probe::try_out(&world.client, "A", probe::NUMBERS));
    });
}

fn touched(world: &World) -> Vec<(i64, changes::There)> {
    let all = world.core.read(|tx| Ok(changes::all::<i64>(tx, Place::Contacts)?)).expect("read");
    all.into_iter().map(|one| (one.id, one.there)).collect()
}

#[test]
fn what_was_changed_here_is_given_up_and_is_as_it_was() {
    run(async {
        let world = World::new(21);
        for name in ["A", "B", "C"] {
            world.list_there(name, 4);
        }
        world.pull().await;
        let before = world.here();
        let lists = World::lists(&world.core);
        let by = By::user(None);
        let contacts = World::contacts(&world.core, &lists[0].1);
        rename(&world.core, &contacts[0].0, "Edited");
        contact::delete(&world.core, &by, &contacts[1].0).expect("deleted");
        add(&world.core, &lists[0].1, 40, "Made here");
        list::rename(&world.core, &by, &lists[1].1, "Renamed").expect("renamed");
        rename(&world.core, &World::contacts(&world.core, &lists[2].1)[0].0, "Edited");
        list::delete(&world.core, &by, &lists[2].1).expect("deleted");
        let made = list::create(&world.core, &by, "New", list::UniqueNames::Off).expect("a list").uid;
        add(&world.core, &made, 41, "Made here");
        let changed = world.here();
        let of = |place| world.core.read(|tx| Ok(changes::all::<i64>(tx, place)?)).expect("read");
        let ids = |place| of(place).into_iter().map(|one| one.id).collect::<Vec<_>>();
        let all = [Records::Contacts(ids(Place::Contacts)), Records::Lists(ids(Place::Lists))];
        assert_eq!(all[1].len(), 3);
        decide::discard(&world.core, &by, &all).expect("discarded");
        assert_eq!(world.here(), before);
        assert!(world.plan().await.is_quiet(), "{:#?}", world.plan().await);
        assert!(touched(&world).is_empty(), "{:?}", touched(&world));
        assert_eq!(world.pull().await.merged, merge::Merged::default());
        roost_ops::history::undo(&world.core, &by).expect("undone");
        assert_eq!(world.here(), changed, "one step");
    });
}

#[test]
fn a_column_that_is_held_back_is_not_sent_and_stays_a_change() {
    run(async {
        let world = World::new(22);
        world.list_there("A", 3);
        world.pull().await;
        let here = World::lists(&world.core)[0].1.clone();
        let contacts = World::contacts(&world.core, &here);
        let by = By::user(None);
        rename(&world.core, &contacts[0].0, "Edited");
        let both = values(&[("firstname", "Edited too"), ("lastname", "Sent")]);
        contact::update(&world.core, &by, &contacts[1].0, &both, None).expect("an edit");
        add(&world.core, &here, 40, "Made here");
        let first = Field::parse("firstname").expect("a field");
        decide::hold_column(&world.core, first, true).expect("held");
        let wanted = world.here();
        world.push().await;
        world.there();
        assert!(world.plan().await.is_quiet(), "{:#?}", world.plan().await);
        world.pull().await;
        assert_eq!((world.here(), touched(&world).len()), (wanted.clone(), 3), "all three wait for their names");
        let names: Vec<String> = world.there()["A"].iter().map(|(_, name)| name.clone()).collect();
        assert_eq!(names, ["Contact 0", "Contact 1", "Contact 2", ""]);
        decide::hold_column(&world.core, first, false).expect("let go");
        world.push().await;
        assert_eq!(world.there(), wanted);
        assert!(touched(&world).is_empty());
    });
}

#[test]
fn held_records_wait_and_all_else_goes() {
    run(async {
        let world = World::new(23);
        world.list_there("A", 3);
        world.pull().await;
        let by = By::user(None);
        let here = World::lists(&world.core)[0].1.clone();
        let contacts = World::contacts(&world.core, &here);
        rename(&world.core, &contacts[0].0, "Held");
        rename(&world.core, &contacts[1].0, "Sent");
        let made = list::create(&world.core, &by, "Held list", list::UniqueNames::Off).expect("a list").uid;
        add(&world.core, &made, 40, "In it");
        let known = |place| world.core.read(|tx| Ok(changes::all::<i64>(tx, place)?)).expect("read");
        let is_held = |one: &changes::Touched<i64>| one.local.as_ref().is_some_and(|cells| cells.contains("Held"));
        let held = known(Place::Contacts).into_iter().find(is_held).expect("edited").id;
        let list = known(Place::Lists)[0].id;
        for records in [Records::Contacts(vec![held]), Records::Lists(vec![list])] {
            decide::held(&world.core, &records, true).expect("held");
        }
        world.push().await;
        assert_eq!(world.there().len(), 1, "no list was made");
        let named = |name: &str| world.there()["A"].iter().any(|(_, first)| first == name);
        assert!(named("Sent") && !named("Held"));
        for records in [Records::Contacts(vec![held]), Records::Lists(vec![list])] {
            decide::held(&world.core, &records, false).expect("let go");
        }
        world.push().await;
        assert_eq!(world.there(), world.here());
        assert!(world.plan().await.is_quiet());
    });
}

/// The service refuses one contact by its position or without naming it: the others arrive, and this one waits until it
/// is fixed.
#[test]
fn a_contact_that_the_service_refuses_waits_until_it_is_mended() {
    for by_place in [true, false] {
        run(async {
            let world = World::new(31);
            world.list_there("A", 1);
            world.pull().await;
            let here = World::lists(&world.core)[0].1.clone();
            for at in 0..20 {
                add(&world.core, &here, 100 + at, if at == 13 { "Bad" } else { "Good" });
            }
            world.service.dislike(Some("Bad"), by_place);
            let id = world.begin().await;
            assert_eq!(world.go(id).await.expect("ran"), RunState::Done);
            assert_eq!(world.there()["A"].len(), 20, "all but one");
            let refused = world.core.read(|tx| Ok(runs::quarantine::<i64>(tx, Place::Contacts)?)).expect("read");
            let [one] = &refused[..] else { panic!("{refused:?}") };
            assert!(one.cells.contains("Bad") && one.faults.len() > 10, "{one:?}");
            assert!(world.plan().await.steps.is_empty(), "it is not sent again as it is");
            let requests = world.service.requests(OperationId::ContactsCreate);
            assert_eq!(requests, if by_place { 2 } else { 11 }, "by place: {by_place}");
            let bad = World::contacts(&world.core, &here).into_iter().find(|(_, _, name)| name == "Bad").expect("here");
            rename(&world.core, &bad.0, "Mended");
            assert_eq!(world.push().await, RunState::Done);
            assert_eq!(world.here(), world.there());
            assert!(world.plan().await.is_quiet());
            let left = world.core.read(|tx| Ok(runs::quarantine::<i64>(tx, Place::Contacts)?)).expect("read");
            assert!(left.is_empty(), "{left:?}");
        });
    }
}

#[test]
fn a_request_that_is_too_large_is_sent_in_parts() {
    run(async {
        let world = World::new(32);
        world.pull().await;
        let made = list::create(&world.core, &By::user(None), "Made here", list::UniqueNames::Off).expect("a list").uid;
        for at in 0..40 {
            add(&world.core, &made, at, "x");
        }
        world.service.faults(Faults { most_bytes: 1_000, ..Faults::default() });
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.here(), world.there());
        assert!(world.service.requests(OperationId::ContactsCreate) > 3);
        assert!(world.plan().await.is_quiet());
    });
}

/// With this capability of the service, one response replaces four.
#[test]
fn all_contacts_come_from_one_answer_where_the_service_gives_them() {
    run(async {
        let world = World::new(33);
        world.list_there("A", 350);
        let can = Capabilities { all_pages_read: true, ..Capabilities::default() };
        world
            .core
            .write_quietly(|tx| {
                let known = connection::get(tx)?.expect("connected");
                let capabilities = serde_json::to_string(&can).expect("JSON");
                Ok(connection::set(tx, &connection::Connection { capabilities, ..known })?)
            })
            .expect("learnt");
        let pulled = world.pull().await;
        assert!(matches!(pulled.lists[..], [(_, How::Read(Sight::Whole))]));
        assert_eq!((world.here(), world.service.requests(OperationId::ContactsQuery)), (world.there(), 1));
        world.service.faults(Faults { truncated: 1, ..Faults::default() });
        world.pull().await;
        assert_eq!(world.here(), world.there(), "an answer that lacks a row removes nothing");
    });
}

#[test]
fn a_reading_that_is_stopped_goes_on_behind_its_page() {
    run(async {
        let world = World::new(34);
        world.list_there("A", 450);
        let progress = Progress::default();
        let asked = Asked { full: true, ..Asked::default() };
        let soon = std::time::Duration::from_millis(250);
        let stop = async {
            while progress.now().page < 2 || progress.now().what.is_empty() {
                tokio::time::sleep(soon / 50).await;
            }
            progress.stop();
        };
        let (pulled, ()) = tokio::join!(pull::pull(&world.core, &world.client, &asked, &progress), stop);
        assert!(matches!(pulled, Err(Failed::Stopped)), "{pulled:?}");
        let at = progress.now();
        assert_eq!((at.what.as_str(), at.pages, at.rows_total), ("A", Some(5), Some(450)));
        assert!((2..5).contains(&at.page), "behind the page that was on its way: {at:?}");
        world.pull().await;
        assert_eq!(world.here(), world.there());
        assert_eq!(world.service.requests(OperationId::ContactsQuery), 5, "no page was read twice");
    });
}

/// The next client begins at the pace that throttling taught this one.
#[test]
fn a_service_that_throttles_is_asked_more_slowly_from_then_on() {
    run(async {
        let world = World::new(35);
        world.list_there("A", 450);
        world.service.faults(Faults { throttled: 2, ..Faults::default() });
        let _ = world.pull_asked(&Asked::default()).await;
        let learnt = world.core.read(|tx| Ok(gather::learnt(tx)?)).expect("read");
        assert!((1..5).contains(&learnt.calls_per_second), "{learnt:?}");
        assert!(world.client.lanes_now().iter().any(|lane| lane.throttled > 0 && lane.done > 0));
    });
}

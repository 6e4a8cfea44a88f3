//! Tests that deletions and updates use present knowledge: nothing is doubled, torn or destroyed on old knowledge.

use std::sync::atomic::{AtomicBool, Ordering};

use roost_model::{channel::Channel, short_link::LinkParts};
use roost_ops::{
    Actor, Error, history,
    list::{self, UniqueNames},
};
use roost_reconcile::{input::ChangeChoice, plan::PlanSubject};
use roost_store::{
    tables::sync::{SyncedTable, answers, changes, ids, runs::RunState},
    tx::WriteTx,
};
use roost_wire::OperationId;

use super::{
    bent::{BentResponse, BentService, build_client},
    service::ServiceFaults,
    world::{World, add_contact, add_opt_out, phone_number, rename_contact, run_paused},
};
use crate::{
    SyncError,
    decide::{self, ContactDecision},
    gather, identity, merge,
    pull::{ListReadResult, PullOptions},
    remote::ServiceRequest,
};

const SMS: Channel = Channel::Sms;

pub(super) fn link_parts(title: &str) -> LinkParts {
    let (title, target_url) = (title.to_owned(), "https://a.example/".to_owned());
    LinkParts { title, target_url, tags: Vec::new(), track_clicks: false }
}

#[test]
fn a_write_that_a_gateway_or_a_login_page_answered_is_not_carried_out_twice() {
    for status in [503, 500, 200] {
        run_paused(async {
            let mut world = World::new(10);
            world.create_remote_list("A", 1);
            world.pull().await;
            let by = Actor::user(None);
            let list = World::read_lists(&world.core)[0].1.clone();
            let values =
                super::world::to_field_values(&[("whatsapp_id", &phone_number(600)), ("firstname", "Only WhatsApp")]);
            roost_ops::contact::add(&world.core, &by, &list, &values, None).expect("a contact");
            let made = roost_ops::list::create(&world.core, &by, "New", roost_ops::list::UniqueNames::Off);
            add_contact(&world.core, &made.expect("a list").uid, 601, "In the new list");
            let parts = link_parts("Link");
            roost_ops::short_link::create(&world.core, &by, parts).expect("a link");
            add_opt_out(&world.core, 602, SMS);
            // The first write of each kind takes effect, and a gateway or a login page answers in place of the service.
            let is_first = [(); 4].map(|()| AtomicBool::new(true));
            let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                let kinds = ["/lists/create", "/contacts", "/shortlink", "/optouts"];
                let kind = kinds.iter().position(|kind| request.url.ends_with(kind));
                let (Some(kind), Some(response), "POST") = (kind, response, request.method) else { return };
                if is_first[kind].swap(false, Ordering::Relaxed) {
                    (response.status, response.body) = (status, b"<html>Please log in</html>".to_vec());
                }
            };
            world.client = build_client(BentService(world.service.clone(), bend));
            assert_eq!(world.push().await, RunState::Done, "{status}");
            world.service.run_jobs(true);
            assert_eq!(world.local_contents(), world.remote_contents(), "{status}");
            assert_eq!(
                World::read_other_records(&world.core),
                World::read_other_records(&world.service.core),
                "{status}"
            );
            assert!(world.make_plan().await.has_no_work(), "{status}");
        });
    }
}

#[test]
fn a_login_page_deletes_nothing_however_it_answers() {
    run_paused(async {
        let mut world = World::new(11);
        world.create_remote_list("A", 2);
        world.create_remote_list("B", 1);
        roost_ops::sender::request(&world.service.core, &Actor::interface(), "Alpha").expect("a sender");
        world.pull().await;
        let by = Actor::user(None);
        let lists = World::read_lists(&world.core);
        let contact = World::read_contacts(&world.core, &lists[0].1)[0].0.clone();
        roost_ops::contact::delete(&world.core, &by, &contact).expect("deleted");
        roost_ops::list::delete(&world.core, &by, &lists[1].1).expect("deleted");
        let page = roost_model::page::PageRequest { number: 1, size: 10 };
        let sender = roost_ops::sender::read_page(&world.core, page).expect("senders").items[0].id.clone();
        roost_ops::sender::delete(&world.core, &by, &sender).expect("deleted");
        let before = (world.remote_contents(), World::read_other_records(&world.service.core));
        let service = world.service.clone();
        let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| match response {
            None if request.method == "DELETE" => request.url = "http://service.test/login".to_owned(),
            Some(response) if request.url.ends_with("/login") => {
                (response.status, response.body) = (200, b"<html>Please log in</html>".to_vec());
            }
            _ => {}
        };
        world.client = build_client(BentService(service, bend));
        let id = world.begin_run().await;
        world.drive_run(id).await.expect("ran");
        assert_eq!((world.remote_contents(), World::read_other_records(&world.service.core)), before);
        assert!(!world.make_plan().await.steps.is_empty(), "it is still to be done");
        world.client =
            build_client(BentService(world.service.clone(), |_: &mut ServiceRequest, _: Option<&mut BentResponse>| {}));
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.local_contents(), world.remote_contents());
        assert_eq!(World::read_other_records(&world.core), World::read_other_records(&world.service.core));
    });
}

#[test]
fn a_push_that_adds_an_opt_out_deletes_a_contact_and_renumbers_another_doubles_nobody_and_ends_soon() {
    run_paused(async {
        let world = World::new(12);
        world.create_remote_list("A", 6);
        world.pull().await;
        world.service.set_faults(ServiceFaults { job_delay: 4, ..ServiceFaults::default() });
        let by = Actor::user(None);
        let list = World::read_lists(&world.core)[0].1.clone();
        let contacts = World::read_contacts(&world.core, &list);
        add_opt_out(&world.core, 700, SMS);
        roost_ops::contact::delete(&world.core, &by, &contacts[0].0).expect("deleted");
        let renumbered = super::world::to_field_values(&[("phone_number", &phone_number(701))]);
        roost_ops::contact::update(&world.core, &by, &contacts[1].0, &renumbered, None).expect("an edit");
        rename_contact(&world.core, &contacts[2].0, "Edited");
        let ids = world.core.read(|tx| Ok(changes::read_all::<i64>(tx, SyncedTable::Contacts)?)).expect("read");
        let ids: Vec<i64> = ids.into_iter().map(|one| one.id).collect();
        decide::decide_contacts(&world.core, &ids, &ContactDecision::Choice(Some(ChangeChoice::Replace)))
            .expect("decided");
        let wanted = world.local_contents();
        let began = tokio::time::Instant::now();
        assert_eq!(world.push().await, RunState::Done);
        assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
        assert_eq!((world.local_contents(), world.remote_contents()), (wanted.clone(), wanted));
        assert!(world.make_plan().await.has_no_work(), "{:#?}", world.make_plan().await);
        assert_eq!(world.pull().await.merged, merge::MergeCounts::default());
    });
}

/// The moment at which a record that a run deletes is restored locally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RestoreMoment {
    BeforeItsRun,
    /// The run reads the record once more before the request leaves.
    WhileItIsRead,
    OnItsWay,
}

fn restore_while_deleted(moment: RestoreMoment, noun: &'static str) {
    run_paused(async move {
        let mut world = World::new(13);
        world.create_remote_list("A", 3);
        world.create_remote_list("B", 2);
        roost_ops::sender::request(&world.service.core, &Actor::interface(), "Alpha").expect("a sender");
        world.pull().await;
        let by = Actor::user(None);
        let lists = World::read_lists(&world.core);
        let wanted = (world.local_contents(), World::read_other_records(&world.core));
        match noun {
            "list" => roost_ops::list::delete(&world.core, &by, &lists[1].1).expect("deleted"),
            "contact" => {
                let contact = World::read_contacts(&world.core, &lists[0].1)[0].0.clone();
                roost_ops::contact::delete(&world.core, &by, &contact).expect("deleted");
            }
            _ => {
                let page = roost_model::page::PageRequest { number: 1, size: 10 };
                let sender = roost_ops::sender::read_page(&world.core, page).expect("senders").items[0].id.clone();
                roost_ops::sender::delete(&world.core, &by, &sender).expect("deleted");
            }
        }
        let id = world.begin_run().await;
        let (core, is_restored) = (world.core.clone(), AtomicBool::new(false));
        let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            let method = if moment == RestoreMoment::WhileItIsRead { "GET" } else { "DELETE" };
            if request.method == method && response.is_none() && !is_restored.swap(true, Ordering::Relaxed) {
                history::undo(&core, &Actor::user(None)).expect("restored");
            }
        };
        if moment == RestoreMoment::BeforeItsRun {
            history::undo(&world.core, &by).expect("restored");
        } else {
            world.client = build_client(BentService(world.service.clone(), bend));
        }
        world.drive_run(id).await.expect("ran");
        assert_eq!(
            (world.local_contents(), World::read_other_records(&world.core)),
            wanted,
            "{moment:?} {noun}: it stays here"
        );
        if moment != RestoreMoment::OnItsWay {
            assert_eq!(world.service.request_count(OperationId::ListsDelete), 0);
            assert_eq!(
                (world.remote_contents(), World::read_other_records(&world.service.core)),
                wanted,
                "{moment:?} {noun}: and there"
            );
        }
        world.pull().await;
        if !world.make_plan().await.steps.is_empty() {
            world.push().await;
        }
        world.pull().await;
        assert_eq!(world.local_contents(), wanted.0, "{moment:?} {noun}: it stays here");
        assert_eq!(world.remote_contents(), wanted.0, "{moment:?} {noun}: and is there again");
        if moment != RestoreMoment::OnItsWay {
            assert_eq!(World::read_other_records(&world.service.core), wanted.1);
        }
        assert!(world.make_plan().await.steps.is_empty());
    });
}

#[test]
fn what_is_restored_here_is_not_deleted_there() {
    for noun in ["list", "contact", "sender"] {
        restore_while_deleted(RestoreMoment::BeforeItsRun, noun);
    }
}

#[test]
fn what_is_restored_here_while_its_run_reads_it_is_not_deleted_there() {
    for noun in ["list", "contact"] {
        restore_while_deleted(RestoreMoment::WhileItIsRead, noun);
    }
}

#[test]
fn what_is_restored_here_while_its_deletion_is_on_its_way_stays_and_is_made_again() {
    for noun in ["list", "contact"] {
        restore_while_deleted(RestoreMoment::OnItsWay, noun);
    }
}

#[test]
fn a_deletion_is_seen_and_can_be_taken_back_while_others_empty_the_list() {
    run_paused(async {
        let mut world = World::new(66);
        let there = world.create_remote_list("A", 4);
        world.create_remote_list_from("B", 500, 1);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let contact = World::read_contacts(&world.core, &list)[0].clone();
        roost_ops::contact::delete(&world.core, &Actor::user(None), &contact.0).expect("deleted");
        let id = world.begin_run().await;
        let (core, service, is_emptied) = (world.core.clone(), world.service.clone(), AtomicBool::new(false));
        let bend = move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
            if request.method == "DELETE" && response.is_some() && !is_emptied.swap(true, Ordering::Relaxed) {
                for (uid, ..) in World::read_contacts(&service.core, &there) {
                    roost_ops::contact::delete(&service.core, &Actor::interface(), &uid).expect("deleted");
                }
                history::undo(&core, &Actor::user(None)).expect("restored");
            }
        };
        world.client = build_client(BentService(world.service.clone(), bend));
        let began = tokio::time::Instant::now();
        assert_eq!(world.drive_run(id).await.expect("ran"), RunState::Done);
        assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
        let believed = PullOptions { full: true, believe: true, ..PullOptions::default() };
        world.pull_with(&believed).await.expect("pulled");
        assert_eq!(world.local_contents()["A"], [(contact.1.clone(), contact.2.clone())], "what was restored stays");
        world.push().await;
        assert_eq!(world.remote_contents()["A"], [(contact.1, contact.2)], "and is made again");
    });
}

#[test]
fn an_edit_of_a_contact_that_was_deleted_there_makes_no_torn_contact() {
    run_paused(async {
        let world = World::new(14);
        let there = world.create_remote_list("A", 3);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let contacts = World::read_contacts(&world.core, &list);
        rename_contact(&world.core, &contacts[0].0, "Edited");
        rename_contact(&world.core, &contacts[1].0, "Edited too");
        let contact_at = |at: usize| {
            let all = World::read_contacts(&world.service.core, &there);
            all.into_iter().find(|(_, phone, _)| *phone == contacts[at].1).expect("there").0
        };
        roost_ops::contact::delete(&world.service.core, &Actor::interface(), &contact_at(0)).expect("deleted");
        world.push().await;
        let face = world.remote_contents();
        assert_eq!(face["A"].len(), 2, "{face:?}");
        assert!(face["A"].contains(&(contacts[1].1.clone(), "Edited too".to_owned())), "the other one arrived");
        let conflicts = world.make_plan().await.conflicts;
        assert!(matches!(&conflicts[..], [one] if matches!(one.subject, PlanSubject::Contact { .. })), "{conflicts:?}");
    });
}

#[test]
fn an_edit_of_a_contact_that_was_edited_there_is_asked_about_before_it_is_sent() {
    run_paused(async {
        let world = World::new(15);
        let there = world.create_remote_list("A", 3);
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let contacts = World::read_contacts(&world.core, &list);
        rename_contact(&world.core, &contacts[0].0, "Mine");
        let all = World::read_contacts(&world.service.core, &there);
        let theirs = all.iter().find(|(_, phone, _)| *phone == contacts[0].1).expect("there").0.clone();
        rename_contact(&world.service.core, &theirs, "Theirs");
        world.push().await;
        assert!(
            world.remote_contents()["A"].contains(&(contacts[0].1.clone(), "Theirs".to_owned())),
            "it is not overwritten"
        );
        assert!(world.local_contents()["A"].contains(&(contacts[0].1.clone(), "Mine".to_owned())), "nor here");
        assert_eq!(world.make_plan().await.conflicts.len(), 1);
    });
}

#[test]
fn a_change_of_another_writer_arrives_after_the_edit_in_conflict_with_it_was_undone() {
    for (is_deleted, full) in [(false, false), (false, true), (true, false), (true, true)] {
        run_paused(async {
            let world = World::new(27);
            let there = world.create_remote_list("A", 3);
            world.pull().await;
            let list = World::read_lists(&world.core)[0].1.clone();
            let contact = World::read_contacts(&world.core, &list)[0].clone();
            rename_contact(&world.core, &contact.0, "Mine");
            let all = World::read_contacts(&world.service.core, &there);
            let theirs = all.iter().find(|(_, phone, _)| *phone == contact.1).expect("there").0.clone();
            if is_deleted {
                roost_ops::contact::delete(&world.service.core, &Actor::interface(), &theirs).expect("deleted");
            } else {
                rename_contact(&world.service.core, &theirs, "Theirs");
            }
            world.pull().await;
            assert_eq!(world.make_plan().await.conflicts.len(), 1);
            roost_ops::history::undo(&world.core, &Actor::user(None)).expect("undone");
            let pulled = world.pull_with(&PullOptions { full, ..PullOptions::default() }).await.expect("pulled");
            let is_assumed = matches!(pulled.lists[..], [(_, ListReadResult::AssumedUnchanged)]);
            assert_eq!(is_assumed, !full, "the list did not change again");
            assert_eq!(world.local_contents(), world.remote_contents(), "deleted: {is_deleted}, full: {full}");
            let plan = world.make_plan().await;
            assert_eq!((plan.conflicts.len(), plan.steps.len()), (0, 0), "{plan:?}");
        });
    }
}

#[test]
fn an_edit_of_another_writer_is_not_lost_with_a_contact_that_is_deleted_or_moved_here() {
    for is_moved in [true, false] {
        run_paused(async {
            let world = World::new(21);
            let there = world.create_remote_list("A", 3);
            world.create_remote_list_from("B", 500, 1);
            world.pull().await;
            let lists = World::read_lists(&world.core);
            let contact = World::read_contacts(&world.core, &lists[0].1)[0].clone();
            let all = World::read_contacts(&world.service.core, &there);
            let theirs = all.iter().find(|(_, phone, _)| *phone == contact.1).expect("there").0.clone();
            rename_contact(&world.service.core, &theirs, "Theirs");
            let by = Actor::user(None);
            if is_moved {
                let target = roost_ops::contact::ContactTarget::Uids(vec![contact.0.clone()]);
                roost_ops::contact::move_many(&world.core, &by, &target, &lists[1].1).expect("moved");
            } else {
                roost_ops::contact::delete(&world.core, &by, &contact.0).expect("deleted");
            }
            world.push().await;
            let face = world.remote_contents();
            let stands = face.values().flatten().any(|(phone, name)| *phone == contact.1 && name == "Theirs");
            assert!(stands, "moved {is_moved}: {face:?}");
            world.pull().await;
            let face = world.local_contents();
            let stands = face.values().flatten().any(|(phone, name)| *phone == contact.1 && name == "Theirs");
            assert!(stands, "moved {is_moved}: {face:?}");
        });
    }
}

#[test]
fn an_account_that_is_another_one_is_asked_about_before_anything_is_merged() {
    run_paused(async {
        let mut world = World::new(16);
        for at in 0..5 {
            world.create_remote_list_from(&format!("List {at}"), 10 * at, 4);
        }
        add_opt_out(&world.service.core, 1, SMS);
        world.pull().await;
        let before = (world.local_contents(), World::read_other_records(&world.core));
        // The same address, with the key of another account.
        let other = World::new(17);
        other.create_remote_list_from("Only one", 900, 1);
        world.client =
            build_client(BentService(other.service.clone(), |_: &mut ServiceRequest, _: Option<&mut BentResponse>| {}));
        for full in [true, false] {
            let options = PullOptions { full, ..PullOptions::default() };
            let error = world.pull_with(&options).await.expect_err("another account").to_string();
            assert!(error.contains("a different account: none of the account’s lists"), "{error}");
            assert_eq!((world.local_contents(), World::read_other_records(&world.core)), before, "nothing was merged");
        }
        let believed = PullOptions { full: true, believe: true, ..PullOptions::default() };
        world.pull_with(&believed).await.expect("confirmed");
        assert_eq!(world.local_contents(), other.remote_contents());
    });
}

#[test]
fn what_a_pull_removes_goes_to_the_trash_and_can_be_restored() {
    run_paused(async {
        let world = World::new(19);
        let long = world.create_remote_list_from("Long", 0, 30);
        let short = world.create_remote_list_from("Short", 500, 2);
        let link = link_parts("Link");
        let link = roost_ops::short_link::create(&world.service.core, &Actor::interface(), link).expect("a link");
        roost_ops::short_link::create(&world.service.core, &Actor::interface(), link_parts("Stays")).expect("a link");
        world.pull().await;
        let before = (world.local_contents(), World::read_other_records(&world.core));
        let by = Actor::interface();
        roost_ops::list::delete(&world.service.core, &by, &short).expect("deleted");
        roost_ops::short_link::delete(&world.service.core, &by, &link.link_id).expect("deleted");
        let contact = World::read_contacts(&world.service.core, &long)[0].0.clone();
        roost_ops::contact::delete(&world.service.core, &by, &contact).expect("deleted");
        world.pull().await;
        assert_eq!(world.local_contents(), world.remote_contents());
        let page = roost_model::page::PageRequest { number: 1, size: 10 };
        let trash = history::read_trash(&world.core, None, page).expect("trash").items;
        assert_eq!(trash.len(), 3, "{trash:#?}");
        for step in trash.iter().rev() {
            history::restore(&world.core, &Actor::user(None), step.id).expect("restored");
        }
        assert_eq!((world.local_contents(), World::read_other_records(&world.core)), before);
        world.push().await;
        assert_eq!(world.remote_contents(), before.0, "and it is made again");
        assert!(world.make_plan().await.has_no_work());
    });
}

#[test]
fn custom_fields_in_another_order_are_not_changes() {
    run_paused(async {
        let world = World::new(23);
        let by = Actor::user(None);
        for label in ["Four", "Five", "Six"] {
            roost_ops::custom_field::add(&world.service.core, &Actor::interface(), label).expect("a field");
        }
        let there = world.create_remote_list("A", 0);
        // The first contacts have the later fields, so the columns of these are added first.
        for (at, fields) in
            [(1, vec![("field_6", "x")]), (2, vec![("field_4", "y"), ("field_5", "z"), ("field_6", "x")])]
        {
            let number = phone_number(at);
            let mut pairs = vec![("phone_number", number.as_str())];
            pairs.extend(fields);
            let values = super::world::to_field_values(&pairs);
            roost_ops::contact::add(&world.service.core, &Actor::interface(), &there, &values, None)
                .expect("a contact");
        }
        world.pull().await;
        let list = World::read_lists(&world.core)[0].1.clone();
        let contact = World::read_contacts(&world.core, &list)[0].0.clone();
        rename_contact(&world.core, &contact, "Edited");
        assert_eq!(world.push().await, RunState::Done);
        assert_eq!(world.pull().await.merged, merge::MergeCounts::default());
        assert!(world.make_plan().await.has_no_work());
        let touched = world.core.read(|tx| Ok(changes::read_all::<i64>(tx, SyncedTable::Contacts)?)).expect("read");
        assert!(touched.is_empty(), "{touched:?}");
        history::undo(&world.core, &by).expect("undone");
        history::redo(&world.core, &by).expect("redone");
        let touched = world.core.read(|tx| Ok(changes::read_all::<i64>(tx, SyncedTable::Contacts)?)).expect("read");
        assert!(touched.is_empty(), "{touched:?}");
    });
}

#[test]
fn after_another_key_or_address_nothing_is_sent_before_a_pull_has_compared_the_accounts() {
    run_paused(async {
        let mut world = World::new(60);
        let list = world.create_remote_list_from("VIP", 0, 3);
        world.pull().await;
        add_contact(&world.core, &list, 50, "Made here");
        let paused = world.begin_run().await;
        world.core.write_quietly(identity::change_key).expect("written");
        let other = World::new(61);
        let own = std::mem::replace(
            &mut world.client,
            build_client(BentService(other.service.clone(), |_: &mut ServiceRequest, _: Option<&mut BentResponse>| {})),
        );
        assert!(matches!(world.drive_run(paused).await, Err(SyncError::Unconfirmed)), "a run does not go on elsewhere");
        assert!(world.pull_with(&PullOptions::default()).await.is_err(), "it is another account");
        assert!(matches!(world.drive_run(paused).await, Err(SyncError::Unconfirmed)));
        assert!(other.remote_contents().is_empty() && other.service.request_count(OperationId::ContactsCreate) == 0);
        world.client = own;
        world.pull_with(&PullOptions::default()).await.expect("the same account");
        assert_eq!(world.drive_run(paused).await.expect("ran"), RunState::Done);
        assert_eq!(world.local_contents(), world.remote_contents());
        // If nothing was agreed on yet, nothing can be mixed up.
        let fresh = World::new(62);
        list::create(&fresh.core, &Actor::user(None), "New", UniqueNames::Off).expect("a list");
        fresh.core.write_quietly(identity::change_key).expect("written");
        assert_eq!(fresh.push().await, RunState::Done);
    });
}

#[test]
fn a_new_contact_whose_number_somebody_else_added_is_a_question_at_once_and_does_not_count_as_arrived() {
    run_paused(async {
        let world = World::new(63);
        let there = world.create_remote_list_from("VIP", 0, 3);
        world.pull().await;
        let here = World::read_lists(&world.core)[0].1.clone();
        add_contact(&world.core, &here, 50, "Mine");
        add_contact(&world.core, &here, 51, "Alone");
        add_contact(&world.service.core, &there, 50, "Theirs");
        let id = world.begin_run().await;
        let began = tokio::time::Instant::now();
        assert_eq!(world.drive_run(id).await.expect("ran"), RunState::Done);
        assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
        let reasons = world.failure_reasons(id);
        assert!(reasons.len() == 1 && reasons[0].starts_with("1 new contact was not created"), "{reasons:?}");
        let steps = world.core.read(|tx| Ok::<_, Error>(gather::read_steps(tx, id)?)).expect("read");
        assert_eq!(steps.iter().map(|(step, _)| step.kind.row_count()).sum::<usize>(), 1, "one arrived");
        let plan = world.make_plan().await;
        assert_eq!((plan.conflicts.len(), plan.steps.len()), (1, 0), "{plan:?}");
        assert_eq!(world.remote_contents()["VIP"].len(), 5);
    });
}

#[test]
fn a_sent_deletion_is_forgotten_for_the_contacts_of_a_list_that_still_exist() {
    run_paused(async {
        let world = World::new(67);
        let first_list = world.create_remote_list("A", 3);
        let other_list = world.create_remote_list_from("B", 500, 1);
        world.pull().await;
        let find = |place, uid: &str| {
            let found = world.core.read(|tx| Ok::<_, Error>(ids::find_by_service_uid(tx, place, uid)?));
            found.expect("read").expect("a record")
        };
        let contacts =
            [first_list.clone(), other_list].map(|list| World::read_contacts(&world.service.core, &list)).concat();
        let rows: Vec<i64> = contacts.iter().map(|(uid, ..)| find(SyncedTable::Contacts, uid.as_str())).collect();
        let subject = answers::DELETION_SENT;
        let mark_sent =
            |tx: &WriteTx, id| Ok::<_, Error>(answers::set_answer(tx, SyncedTable::Contacts, id, subject, Some("1"))?);
        world.core.write_quietly(|tx| [0, 1, 3].iter().try_for_each(|at| mark_sent(tx, &rows[*at]))).expect("written");
        merge::forget_sent_deletions(&world.core, find(SyncedTable::Lists, first_list.as_str()), &rows[..1])
            .expect("ran");
        let remaining = world.core.read(|tx| Ok::<_, Error>(answers::find_about(tx, SyncedTable::Contacts, subject)?));
        assert_eq!(remaining.expect("read"), [rows[0], rows[3]], "the missing one, and that of another list");
    });
}

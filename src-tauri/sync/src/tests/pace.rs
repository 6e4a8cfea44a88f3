//! Tests that a push without failures takes no longer than its calls need.

use std::{sync::Mutex, time::Duration};

use roost_model::{channel::Channel, short_link::LinkParts};
use roost_ops::{Actor, contact, history, list, sender, short_link};
use roost_reconcile::{
    input::{ChangeChoice, ListChoice},
    plan::PlanSubject,
};
use roost_store::tables::sync::runs::RunState;
use roost_wire::{OPERATIONS, OperationId};
use tokio::time::Instant;

use super::{
    bent::{BentResponse, BentService, build_client},
    service::ServiceFaults,
    world::{
        World, add_contact, add_opt_out, phone_number, remove_opt_out, rename_contact, run_paused, to_field_values,
    },
};
use crate::{
    decide::{self, ContactDecision},
    merge,
    remote::ServiceRequest,
};

const SMS: Channel = Channel::Sms;
/// The number of requests a second that the service allows for each operation.
const CALLS_PER_SECOND: f64 = 10.0;
/// The longest time in seconds that a job of the service waits.
const LONGEST_JOB_SECONDS: u64 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EditKind {
    AddContact,
    ChangeField,
    ClearField,
    ChangeNumber,
    MoveContact,
    DeleteContact,
    RestoreContact,
    CreateList,
    RenameList,
    DeleteList,
    AddOptOut,
    RemoveOptOut,
    CreateLink,
    DeleteLink,
    DeleteSender,
}

const EDITS: [EditKind; 15] = [
    EditKind::AddContact,
    EditKind::ChangeField,
    EditKind::ClearField,
    EditKind::ChangeNumber,
    EditKind::MoveContact,
    EditKind::DeleteContact,
    EditKind::RestoreContact,
    EditKind::CreateList,
    EditKind::RenameList,
    EditKind::DeleteList,
    EditKind::AddOptOut,
    EditKind::RemoveOptOut,
    EditKind::CreateLink,
    EditKind::DeleteLink,
    EditKind::DeleteSender,
];

impl EditKind {
    /// Returns the number of jobs of the service that must follow each other in its push.
    fn job_count(self) -> u64 {
        match self {
            Self::AddContact
            | Self::ChangeField
            | Self::ClearField
            | Self::ChangeNumber
            | Self::MoveContact
            | Self::RestoreContact
            | Self::CreateList
            | Self::RenameList => 1,
            _ => 0,
        }
    }

    /// Makes this many edits of the kind locally.
    async fn make_edits(self, world: &World, count: u32) {
        let (core, by) = (&world.core, Actor::user(None));
        let lists = World::read_lists(core);
        let (first, second) = (&lists[0].1, &lists[1].1);
        let contacts: Vec<_> = World::read_contacts(core, first).into_iter().take(count as usize).collect();
        let uids = || contacts.iter().map(|(uid, ..)| uid);
        match self {
            Self::AddContact => (0..count).for_each(|at| add_contact(core, first, 700 + at, "New")),
            Self::ChangeField => uids().for_each(|uid| rename_contact(core, uid, "Edited")),
            Self::ClearField => {
                let cleared = [("firstname".to_owned(), None)].into();
                uids().for_each(|uid| drop(contact::update(core, &by, uid, &cleared, None).expect("an edit")));
            }
            Self::ChangeNumber => {
                for (at, uid) in uids().enumerate() {
                    let changed = to_field_values(&[("phone_number", &phone_number(800 + at as u32))]);
                    contact::update(core, &by, uid, &changed, None).expect("an edit");
                }
            }
            Self::MoveContact => {
                let target = contact::ContactTarget::Uids(uids().cloned().collect());
                contact::move_many(core, &by, &target, second).expect("moved");
            }
            Self::DeleteContact | Self::RestoreContact => {
                contact::delete_many(core, &by, &contact::ContactTarget::Uids(uids().cloned().collect()))
                    .expect("deleted");
                if self == Self::RestoreContact {
                    world.push().await;
                    history::undo(core, &by).expect("undone");
                }
            }
            Self::CreateList => {
                let made = list::create(core, &by, "New", list::UniqueNames::Off).expect("a list").uid;
                (0..count).for_each(|at| add_contact(core, &made, 700 + at, "New"));
            }
            Self::RenameList => drop(list::rename(core, &by, first, "Renamed").expect("renamed")),
            Self::DeleteList => list::delete(core, &by, first).expect("deleted"),
            Self::AddOptOut => (0..count).for_each(|at| add_opt_out(core, 600 + at, SMS)),
            Self::RemoveOptOut => (0..count).for_each(|at| remove_opt_out(core, 500 + at, SMS)),
            Self::CreateLink => (0..count).for_each(|at| create_link(core, &format!("New {at}"))),
            Self::DeleteLink => {
                let links = short_link::search(core, &short_link::LinkQuery::default()).expect("links").items;
                links
                    .iter()
                    .take(count as usize)
                    .for_each(|link| short_link::delete(core, &by, &link.link_id).expect("deleted"));
            }
            Self::DeleteSender => {
                let page = roost_model::page::PageRequest { number: 1, size: 100 };
                let senders = sender::read_page(core, page).expect("senders").items;
                senders
                    .iter()
                    .take(count as usize)
                    .for_each(|one| sender::delete(core, &by, &one.id).expect("deleted"));
            }
        }
    }
}

fn create_link(core: &roost_ops::Core, title: &str) {
    let (title, target_url) = (title.to_owned(), "https://a.example/".to_owned());
    let parts = LinkParts { title, target_url, tags: Vec::new(), track_clicks: false };
    short_link::create(core, &Actor::user(None), parts).expect("a link");
}

/// Returns a world in which both sides have two lists, opt-outs, links and senders.
async fn agreed_world(contacts: u32) -> World {
    let world = World::new(70);
    world.create_remote_list("A", contacts);
    world.create_remote_list_from("B", 900, 3);
    let there = &world.service.core;
    for at in 0..30 {
        add_opt_out(there, 500 + at, SMS);
        create_link(there, &format!("Link {at}"));
        sender::request(there, &Actor::interface(), &format!("Sender{at}")).expect("a sender");
    }
    world.pull().await;
    // Records created a moment ago at the service are distinguished by their times.
    world.core.ctx().advance(60);
    world.service.core.ctx().advance(60);
    world.service.set_faults(ServiceFaults { job_delay: LONGEST_JOB_SECONDS + 1, ..ServiceFaults::default() });
    world
}

/// Makes the choices for changes that the interface cannot express.
async fn choose_all(world: &World) {
    for blocked in world.make_plan().await.blocked {
        match blocked.subject {
            PlanSubject::Contact { id, .. } => {
                decide::decide_contacts(&world.core, &[id], &ContactDecision::Choice(Some(ChangeChoice::Replace)))
                    .expect("decided");
            }
            PlanSubject::List { id } => {
                decide::choose_for_list(&world.core, id, Some(ListChoice::Recreate)).expect("decided")
            }
            other => panic!("{other:?} is not blocked by any of these edits"),
        }
    }
}

/// Returns the seconds that the calls of the busiest operation need at the service's rate.
fn seconds_needed(world: &World, before: &[usize]) -> f64 {
    let calls =
        OPERATIONS.iter().zip(before).map(|(operation, before)| world.service.request_count(operation.id) - before);
    calls.max().unwrap_or_default() as f64 / CALLS_PER_SECOND
}

/// The bound is twice the time that the calls of the busiest operation need at ten a second, plus the time of the
/// service's own jobs.
#[test]
fn a_push_of_any_kind_of_edit_ends_within_twice_the_time_that_its_calls_need() {
    let mut slow = Vec::new();
    for (contacts, count) in [(5, 1), (30, 25), (250, 1), (250, 25)] {
        for edit in EDITS {
            run_paused(async {
                let world = agreed_world(contacts).await;
                edit.make_edits(&world, count).await;
                choose_all(&world).await;
                let wanted = (world.local_contents(), World::read_other_records(&world.core));
                let before: Vec<usize> = OPERATIONS.iter().map(|one| world.service.request_count(one.id)).collect();
                let began = Instant::now();
                assert_eq!(world.push().await, RunState::Done, "{edit:?}");
                let took = began.elapsed().as_secs_f64();
                let bound = 2.0 * seconds_needed(&world, &before) + (LONGEST_JOB_SECONDS * edit.job_count()) as f64;
                if took > bound {
                    slow.push(format!("{count} × {edit:?} of {contacts}: {took:.2} s of {bound:.2}"));
                }
                assert_eq!(
                    (world.remote_contents(), World::read_other_records(&world.service.core)),
                    wanted,
                    "{edit:?}"
                );
                assert!(world.make_plan().await.has_no_work(), "{edit:?}");
                assert_eq!(world.pull().await.merged, merge::MergeCounts::default(), "{edit:?}");
            });
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

/// The interface leaves one round trip in which a newer opt-out of the same number can be lost.
#[test]
fn a_removal_leaves_as_soon_as_its_number_was_read() {
    run_paused(async {
        let mut world = agreed_world(5).await;
        EditKind::RemoveOptOut.make_edits(&world, 25).await;
        // Other edits are sent meanwhile.
        EditKind::ChangeField.make_edits(&world, 3).await;
        let calls: std::sync::Arc<Mutex<Vec<(String, bool, Instant)>>> = Default::default();
        let noted = calls.clone();
        world.client = build_client(BentService(
            world.service.clone(),
            move |request: &mut ServiceRequest, response: Option<&mut BentResponse>| {
                if request.url.contains("optout") {
                    let call = (request.method.to_owned(), response.is_some(), Instant::now());
                    noted.lock().expect("nobody panicked").push(call);
                }
            },
        ));
        assert_eq!(world.push().await, RunState::Done);
        let calls = calls.lock().expect("nobody panicked");
        assert_eq!(calls.len(), 4 * 25);
        for call in calls.chunks(4) {
            let order: Vec<(&str, bool)> =
                call.iter().map(|(method, answered, _)| (method.as_str(), *answered)).collect();
            assert_eq!(order, [("GET", false), ("GET", true), ("DELETE", false), ("DELETE", true)]);
            assert_eq!(call[2].2 - call[1].2, Duration::ZERO, "nothing is waited for between the two");
        }
        assert_eq!(world.service.request_count(OperationId::OptOutsDelete), 25);
    });
}

//! Tests that a replacement is created once and the old record is deleted, wherever the run is interrupted.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use roost_model::short_link::LinkParts;
use roost_ops::{Actor, contact, list};
use roost_reconcile::input::{ChangeChoice, ListChoice};
use roost_store::tables::sync::{SyncedTable, changes};
use tokio::sync::Notify;

use super::{
    bent::{BentResponse, BentService, build_client},
    service::ServiceFaults,
    world::{World, add_contact, phone_number, run_paused, to_field_values},
};
use crate::{
    Progress, SyncError,
    apply::{self, RunControl},
    decide::{self, ContactDecision},
    merge,
    remote::ServiceRequest,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReplacementKind {
    Moved,
    Renumbered,
    ListRenamed,
    /// A list with a contact, and a short link, which the interrupted run may have created.
    Made,
}

/// The way in which the run ends at the cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CutMode {
    Cancelled,
    /// Killed with a request under way, and later cancelled by the user.
    Killed,
}

fn edit_records(world: &World, kind: ReplacementKind) {
    let by = Actor::user(None);
    let lists = World::read_lists(&world.core);
    let some = World::read_contacts(&world.core, &lists[0].1)[0].0.clone();
    let rows = || world.core.read(|tx| Ok(changes::read_all::<i64>(tx, SyncedTable::Contacts)?)).expect("read");
    match kind {
        ReplacementKind::Moved => {
            contact::move_many(&world.core, &by, &contact::ContactTarget::Uids(vec![some]), &lists[1].1)
                .expect("moved");
        }
        ReplacementKind::Renumbered => {
            contact::update(&world.core, &by, &some, &to_field_values(&[("phone_number", &phone_number(701))]), None)
                .expect("an edit");
            let ids: Vec<i64> = rows().into_iter().map(|one| one.id).collect();
            decide::decide_contacts(&world.core, &ids, &ContactDecision::Choice(Some(ChangeChoice::Replace)))
                .expect("decided");
        }
        ReplacementKind::ListRenamed => {
            list::rename(&world.core, &by, &lists[0].1, "Renamed").expect("renamed");
            let id = world.core.read(|tx| Ok(roost_store::tables::lists::row_of(tx, &lists[0].1)?)).expect("read");
            decide::choose_for_list(&world.core, id.expect("a row").number(), Some(ListChoice::Recreate))
                .expect("decided");
        }
        ReplacementKind::Made => {
            let made = list::create(&world.core, &by, "New", list::UniqueNames::Off).expect("a list");
            add_contact(&world.core, &made.uid, 702, "In the new list");
            let (title, target_url) = ("Link".to_owned(), "https://a.example/".to_owned());
            let parts = LinkParts { title, target_url, tags: Vec::new(), track_clicks: false };
            roost_ops::short_link::create(&world.core, &by, parts).expect("a link");
        }
    }
}

/// Pushes until the service has received this many requests. Returns whether the run was cut.
async fn run_until(world: &mut World, cut: CutMode, calls: usize) -> bool {
    let id = world.begin_run().await;
    let (control, reached, count) = (RunControl::default(), Arc::new(Notify::new()), AtomicUsize::new(0));
    let (run, reached_count) = (control.clone(), reached.clone());
    let bend = move |_: &mut ServiceRequest, response: Option<&mut BentResponse>| {
        // A cancelled run receives the response, a killed one does not.
        if response.is_some() && count.fetch_add(1, Ordering::Relaxed) + 1 == calls {
            match cut {
                CutMode::Cancelled => run.cancel(),
                CutMode::Killed => reached_count.notify_one(),
            }
        }
    };
    world.client = build_client(BentService(world.service.clone(), bend));
    let progress = Progress::default();
    let ended = tokio::select! {
        biased;
        () = reached.notified() => None,
        ended = apply::drive_run(&world.core, &world.client, id, &control, &progress) => Some(ended.expect("ran").state),
    };
    world.client =
        build_client(BentService(world.service.clone(), |_: &mut ServiceRequest, _: Option<&mut BentResponse>| {}));
    if ended.is_none() {
        // The killed run holds the lease until it expires.
        world.core.ctx().advance(600);
        tokio::time::sleep(std::time::Duration::from_secs(600)).await;
        // The run may have ended with its last request.
        assert!(matches!(apply::cancel_run(&world.core, id).await, Ok(_) | Err(SyncError::Unknown)));
    }
    ended != Some(roost_store::tables::sync::runs::RunState::Done)
}

#[test]
fn a_replacement_that_is_cut_off_anywhere_takes_effect_exactly_once() {
    for kind in
        [ReplacementKind::Moved, ReplacementKind::Renumbered, ReplacementKind::ListRenamed, ReplacementKind::Made]
    {
        for cut in [CutMode::Cancelled, CutMode::Killed] {
            for is_pulled in [true, false] {
                let mut cuts = 0;
                // Most of the effects happen in the first calls; the later ones mostly verify.
                for calls in (1..10).chain((10..).step_by(10)) {
                    let was_cut = run_paused(async {
                        let mut world = World::new(30 + calls as u64);
                        world.create_remote_list("A", 3);
                        world.create_remote_list_from("B", 100, 1);
                        world.pull().await;
                        world.service.set_faults(ServiceFaults { job_delay: 2, ..ServiceFaults::default() });
                        edit_records(&world, kind);
                        let wanted = (world.local_contents(), World::read_other_records(&world.core));
                        let context = format!("{kind:?}, {cut:?} at call {calls}, pulled {is_pulled}");
                        let was_cut = run_until(&mut world, cut, calls).await;
                        if is_pulled {
                            world.service.run_jobs(true);
                            world.pull().await;
                            assert_eq!(
                                (world.local_contents(), World::read_other_records(&world.core)),
                                wanted,
                                "{context}: after a pull"
                            );
                        }
                        for _ in 0..3 {
                            world.push().await;
                            if world.make_plan().await.has_no_work() {
                                break;
                            }
                            world.pull().await;
                        }
                        assert_eq!(
                            (world.local_contents(), World::read_other_records(&world.core)),
                            wanted,
                            "{context}: here"
                        );
                        assert_eq!(
                            (world.remote_contents(), World::read_other_records(&world.service.core)),
                            wanted,
                            "{context}: there"
                        );
                        assert!(world.make_plan().await.has_no_work(), "{context}: {:#?}", world.make_plan().await);
                        assert_eq!(world.pull().await.merged, merge::MergeCounts::default(), "{context}");
                        was_cut
                    });
                    if !was_cut {
                        break;
                    }
                    cuts = calls;
                }
                assert!(cuts > 4, "{kind:?}, {cut:?}: {cuts} cuts");
            }
        }
    }
}

//! Tests that a replacement is created once and the old record is deleted, wherever the run is interrupted.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use roost_model::short_link::LinkParts;
use roost_ops::{By, contact, list};
use roost_reconcile::input::{Choice, ListChoice};
use roost_store::tables::sync::{Place, changes};
use tokio::sync::Notify;

use super::{
    bent::{Bent, Told, client},
    service::Faults,
    world::{World, add, number, run, values},
};
use crate::{
    Failed, Progress,
    apply::{self, Control},
    decide::{self, Decision},
    merge,
    remote::Request,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Moved,
    Renumbered,
    ListRenamed,
    /// A list with a contact, and a short link, which the interrupted run may have created.
    Made,
}

/// The way in which the run ends at the cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Cancelled,
    /// Killed with a request under way, and later cancelled by the user.
    Killed,
}

fn edit(world: &World, kind: Kind) {
    let by = By::user(None);
    let lists = World::lists(&world.core);
    let some = World::contacts(&world.core, &lists[0].1)[0].0.clone();
    let rows = || world.core.read(|tx| Ok(changes::all::<i64>(tx, Place::Contacts)?)).expect("read");
    match kind {
        Kind::Moved => {
            contact::move_many(&world.core, &by, &contact::Target::Uids(vec![some]), &lists[1].1).expect("moved");
        }
        Kind::Renumbered => {
            contact::update(&world.core, &by, &some, &values(&[("phone_number", &number(701))]), None)
                .expect("an edit");
            let ids: Vec<i64> = rows().into_iter().map(|one| one.id).collect();
            decide::contacts(&world.core, &ids, &Decision::Choice(Some(Choice::Replace))).expect("decided");
        }
        Kind::ListRenamed => {
            list::rename(&world.core, &by, &lists[0].1, "Renamed").expect("renamed");
            let id = world.core.read(|tx| Ok(roost_store::tables::lists::row_of(tx, &lists[0].1)?)).expect("read");
            decide::list(&world.core, id.expect("a row").number(), Some(ListChoice::Recreate)).expect("decided");
        }
        Kind::Made => {
            let made = list::create(&world.core, &by, "New", list::UniqueNames::Off).expect("a list");
            add(&world.core, &made.uid, 702, "In the new list");
            let (title, target_url) = ("Link".to_owned(), "https://a.example/".to_owned());
            let parts = LinkParts { title, target_url, tags: Vec::new(), track_clicks: false };
            roost_ops::short_link::create(&world.core, &by, parts).expect("a link");
        }
    }
}

/// Pushes until the service has received this many requests. Returns whether the run was cut.
async fn run_until(world: &mut World, cut: Cut, calls: usize) -> bool {
    let id = world.begin().await;
    let (control, reached, count) = (Control::default(), Arc::new(Notify::new()), AtomicUsize::new(0));
    let (wish, there) = (control.clone(), reached.clone());
    let bend = move |_: &mut Request, told: Option<&mut Told>| {
        // A cancelled run receives the response, a killed one does not.
        if told.is_some() && count.fetch_add(1, Ordering::Relaxed) + 1 == calls {
            match cut {
                Cut::Cancelled => wish.cancel(),
                Cut::Killed => there.notify_one(),
            }
        }
    };
    world.client = client(Bent(world.service.clone(), bend));
    let progress = Progress::default();
    let ended = tokio::select! {
        biased;
        () = reached.notified() => None,
        ended = apply::run(&world.core, &world.client, id, &control, &progress) => Some(ended.expect("ran").state),
    };
    world.client = client(Bent(world.service.clone(), |_: &mut Request, _: Option<&mut Told>| {}));
    if ended.is_none() {
        // The killed run holds the lease until it expires.
        world.core.ctx().advance(600);
        tokio::time::sleep(std::time::Duration::from_secs(600)).await;
        // The run may have ended with its last request.
        assert!(matches!(apply::cancel(&world.core, id).await, Ok(_) | Err(Failed::Unknown)));
    }
    ended != Some(roost_store::tables::sync::runs::RunState::Done)
}

#[test]
fn a_replacement_that_is_cut_off_anywhere_comes_about_once() {
    for kind in [Kind::Moved, Kind::Renumbered, Kind::ListRenamed, Kind::Made] {
        for cut in [Cut::Cancelled, Cut::Killed] {
            for is_pulled in [true, false] {
                let mut cuts = 0;
                // Most of the effects happen in the first calls; the later ones mostly verify.
                for calls in (1..10).chain((10..).step_by(10)) {
                    let was_cut = run(async {
                        let mut world = World::new(30 + calls as u64);
                        world.list_there("A", 3);
                        world.list_from("B", 100, 1);
                        world.pull().await;
                        world.service.faults(Faults { job_delay: 2, ..Faults::default() });
                        edit(&world, kind);
                        let wanted = (world.here(), World::rest(&world.core));
                        let told = format!("{kind:?}, {cut:?} at call {calls}, pulled {is_pulled}");
                        let was_cut = run_until(&mut world, cut, calls).await;
                        if is_pulled {
                            world.service.work(true);
                            world.pull().await;
                            assert_eq!((world.here(), World::rest(&world.core)), wanted, "{told}: after a pull");
                        }
                        for _ in 0..3 {
                            world.push().await;
                            if world.plan().await.is_quiet() {
                                break;
                            }
                            world.pull().await;
                        }
                        assert_eq!((world.here(), World::rest(&world.core)), wanted, "{told}: here");
                        assert_eq!((world.there(), World::rest(&world.service.core)), wanted, "{told}: there");
                        assert!(world.plan().await.is_quiet(), "{told}: {:#?}", world.plan().await);
                        assert_eq!(world.pull().await.merged, merge::Merged::default(), "{told}");
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

//! Invariant 20 and the cost of a push: long lists at the service's pace, counted by the emulator's own journal.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use roost_model::id::ListId;
use roost_ops::{
    Actor, Core, contact,
    list::{self, UniqueNames},
};
use roost_reconcile::input::ServiceCapabilities;
use roost_store::tables::sync::{SyncedTable, runs::RunState, scopes};
use roost_sync::pull::PullOptions;
use roost_tests::numbers;

use super::{
    edits::{field_values, rename_contact},
    face::{AccountFace, read_contacts, read_lists},
    world::{SimulatedWorld, open_account, run_simulated, set_capabilities, world_context},
};

const PASTED: usize = 1_000;
/// Returns the number of contacts to push: a hundred thousand in `make soak`, and in `make test` just enough to check
/// the formula.
fn contact_count() -> u64 {
    if super::is_soak() { 100_000 } else { 20_000 }
}
/// The reads that show when a job is done: the total and up to five contacts, at least twice, and one read before all
/// are compared.
const LOOKS: u64 = 4 * 6 + 1;

fn fill_list(core: &Core, list: &ListId, count: usize) {
    let numbers = numbers::fiction(count);
    for part in numbers.chunks(PASTED) {
        let row =
            |number: &String| field_values(&[("phone_number", number), ("firstname", "Contact"), ("city", "Leeds")]);
        let rows: Vec<_> = part.iter().map(row).collect();
        assert_eq!(
            contact::paste(core, &Actor::user(None), list, &rows, None).expect("pasted").added,
            part.len() as u64
        );
    }
}

/// The emulator's journal counts as many requests as the plan announces, and no second exceeds the limit of the
/// service.
#[test]
fn a_push_of_new_contacts_is_a_call_for_ten_thousand_and_a_look_at_each_page() {
    run_simulated(async {
        let core = Core::in_memory(world_context(1)).expect("a database");
        let made = list::create(&core, &Actor::user(None), "A", UniqueNames::Off).expect("a list").uid;
        let long = contact_count();
        fill_list(&core, &made, long as usize);
        // The service answers in pages, because a single answer would leave nothing to count.
        let world = SimulatedWorld::with_core(1, core);
        set_capabilities(&world.core, &ServiceCapabilities::default());
        let cost = world.make_plan().await.cost;
        assert_eq!(
            (cost.writes, cost.reads),
            (1 + long / 10_000, long / 100 + 1),
            "a list, its calls, its pages, and its time"
        );
        assert_eq!(world.push_all().await, RunState::Done);
        let service = &world.service;
        assert_eq!(
            (service.count_calls("lists.create"), service.count_calls("contacts.create")),
            (1, long / 10_000),
            "as planned"
        );
        let looked = service.count_calls("contacts.query");
        assert!((cost.reads - 1..=cost.reads + LOOKS).contains(&looked), "{looked} looks, {} planned", cost.reads);
        let all = service.lock_lines().len() as u64;
        assert_eq!(all, 1 + long / 10_000 + looked + service.count_calls("lists.query"), "and no other call");
        world.pull_with(&PullOptions::default()).await.expect("pulled");
        assert_eq!(
            service.count_calls("contacts.query") - looked,
            1,
            "its time is known, so its pages are not read again"
        );
        assert_eq!(service.count_answered(429), 0, "never too fast");
        let (most, operation) = service.busiest_second();
        assert!((8..=10).contains(&most), "{most} of {operation} within a second");
        let there = world.service_face().await;
        assert_eq!((world.local_face() == there, there.count_rows() as u64), (true, long));
        assert!(world.make_plan().await.has_no_work());
        assert_eq!(open_account(&world.core), None);
    });
}

#[test]
fn a_reading_of_many_pages_holds_one_of_them() {
    run_simulated(async {
        let world = SimulatedWorld::read_by_pages(1);
        let there = list::create(&world.service.core, &Actor::interface(), "A", UniqueNames::Off).expect("a list").uid;
        fill_list(&world.service.core, &there, 3_000);
        let (core, most) = (world.core.clone(), Arc::new(AtomicU64::new(0)));
        let (held, mut pages) = (most.clone(), 0);
        world.service.set_observer(move |request| {
            if request.url.contains("/contacts/list/") {
                // Rows that were read before are stored in the account and therefore not in memory.
                let kept = core.read(|tx| Ok(scopes::count_records(tx, SyncedTable::Contacts, 1)?)).expect("read");
                held.fetch_max((pages * 100_u64).saturating_sub(kept), Ordering::Relaxed);
                pages += 1;
            }
        });
        world.run_pull().await;
        assert_eq!(AccountFace::read(&world.core).count_rows(), 3_000);
        assert_eq!(world.service.count_calls("contacts.query"), 30, "each page once");
        assert_eq!(most.load(Ordering::Relaxed), 0, "contacts that were read and not yet written down");
        assert!(world.service.busiest_second().0 <= 10);
    });
}

#[test]
fn few_edits_of_a_long_list_cost_one_call_and_a_look_at_each() {
    run_simulated(async {
        let world = SimulatedWorld::read_by_pages(2);
        let there = list::create(&world.service.core, &Actor::interface(), "A", UniqueNames::Off).expect("a list").uid;
        fill_list(&world.service.core, &there, 3_000);
        world.run_pull().await;
        let before = world.service.count_calls("contacts.query");
        let list = read_lists(&world.core)[0].1.clone();
        for (uid, _) in read_contacts(&world.core, &list).into_iter().step_by(300) {
            rename_contact(&world.core, &uid, "Edited");
        }
        let cost = world.make_plan().await.cost;
        assert_eq!((cost.writes, cost.reads), (1, 20), "each is looked up before it is sent, and after");
        assert_eq!(world.push_all().await, RunState::Done);
        let looked = world.service.count_calls("contacts.query") - before;
        assert_eq!(world.service.count_calls("contacts.create"), 1);
        assert!((20..=20 + LOOKS).contains(&looked), "{looked} looks");
        let wanted = world.local_face();
        world.assert_arrives(&wanted, "few edits").await;
    });
}

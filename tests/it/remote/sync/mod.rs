//! The whole engine (pull, plan, apply, verify) against the emulator itself, in one thread and on a clock that moves
//! when no task has anything to do. Each failure names its seed.
//!
//! | | Invariant of the design | Tests |
//! |---|---|---|
//! | 15 | killed anywhere, the program ends as without the kill | `kills`: at any await, at any commit, network cut |
//! | 16 | lost, late and broken answers, jobs split, refused, forgotten; a second writer | `faults`, `writers` |
//! | 17 | no second has more calls than the limit | `rate`, `long` |
//! | 18 | a doubtful pull removes nothing | `doubts` |
//! | 19 | the audit log explains the state of the service | `record` |
//! | 20 | memory does not grow with the list | `long::a_reading_of_many_pages_holds_one_of_them` |
//!
//! `edits::disturb` edits each world: contacts, twins, moves, cleared fields, changed numbers, lists that are created,
//! renamed and deleted, opt-outs that are added and removed, links, senders. Half of the worlds read contacts in one
//! answer instead of in pages.
//!
//! `ROOST_SEEDS` sets the number of seeds for each test; `make soak` sets many.

mod doubts;
mod edits;
mod face;
mod faults;
mod kills;
mod long;
mod rate;
mod record;
mod service;
mod world;
mod writers;

use roost_model::channel::Channel;
use roost_ops::{Actor, sender};

use self::{
    edits::{add_contact, make_random_edits, opt_out},
    service::RequestDice,
    world::SimulatedWorld,
};

/// Returns the seeds of a test, `few` of them by default. `ROOST_SEED` selects a single one.
fn test_seeds(few: u64) -> std::ops::Range<u64> {
    let read_number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match read_number("ROOST_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..read_number("ROOST_SEEDS").unwrap_or(few),
    }
}

/// Returns whether the test may take hours, as in `make soak`.
fn is_soak() -> bool {
    std::env::var_os("ROOST_SEEDS").is_some()
}

/// Creates a world in which both sides agree, and then edits here.
async fn edited_world(seed: u64) -> (SimulatedWorld, RequestDice) {
    let world = SimulatedWorld::new(seed);
    let dice = edit_randomly(&world, seed).await;
    (world, dice)
}

async fn edit_randomly(world: &SimulatedWorld, seed: u64) -> RequestDice {
    let mut dice = RequestDice::new(seed);
    let there = &world.service.core;
    for list in 0..1 + dice.draw_below(2) {
        let made = world.create_service_list(&format!("List {list}"), 3 + dice.draw_below(8) as u32);
        if dice.one_in(3) {
            add_contact(there, &made, dice.draw_below(3) as u32, "Twin");
        }
    }
    for name in ["Alpha", "Beta"] {
        sender::request(there, &Actor::interface(), name).expect("a sender");
    }
    for at in 20..20 + dice.draw_below(3) as u32 {
        opt_out(there, &Actor::interface(), at, *dice.pick(&Channel::ALL));
    }
    world.run_pull().await;
    world.pass_time(5).await;
    let mut fresh = 500;
    let edits = 1 + dice.draw_below(10);
    make_random_edits(&world.core, &mut dice, &mut fresh, edits);
    dice
}

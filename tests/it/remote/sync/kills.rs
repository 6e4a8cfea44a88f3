//! Invariant 15: the program is killed anywhere and restarted, and the result is the same as without the kill.

use std::{fs, path::Path, time::Duration};

use roost_ops::Core;
use roost_store::tables::sync::runs::RunState;
use roost_sync::pull::PullOptions;

use super::{
    edit_randomly, edited_world, is_soak,
    service::SimulatedService,
    test_seeds,
    world::{
        SimulatedWorld, connect_account, kill_after, open_account, run_simulated, service_behaviour, world_context,
    },
};

#[test]
fn a_run_that_is_cut_off_at_any_await_ends_as_if_it_had_not_been() {
    for seed in test_seeds(12) {
        run_simulated(async {
            let (mut world, mut dice) = edited_world(seed).await;
            let wanted = world.local_face();
            let id = world.begin_run().await;
            for _ in 0..1 + dice.draw_below(4) {
                let done = kill_after(world.continue_run(id), 1 + dice.draw_below(120)).await;
                world.restart().await;
                if done.is_some() {
                    break;
                }
            }
            world.end_run().await;
            world.assert_arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

/// Uses one world and every third await. `make soak` tries each.
#[test]
fn a_run_goes_on_from_each_of_its_awaits() {
    let step = if is_soak() { 1 } else { 3 };
    for awaits in (1..).step_by(step) {
        let ended = run_simulated(async {
            let (mut world, _) = edited_world(11).await;
            let wanted = world.local_face();
            let id = world.begin_run().await;
            let ended = kill_after(world.continue_run(id), awaits).await.is_some();
            world.restart().await;
            world.end_run().await;
            world.assert_arrives(&wanted, format_args!("await {awaits}")).await;
            ended
        });
        if ended {
            return;
        }
    }
}

#[test]
fn a_reading_that_is_cut_off_at_any_await_goes_on() {
    let mut awaits = 1;
    loop {
        let ended = run_simulated(async {
            let mut world = SimulatedWorld::new(awaits);
            world.create_service_list("A", 230);
            world.create_service_list("B", 0);
            super::edits::opt_out(
                &world.service.core,
                &roost_ops::Actor::interface(),
                3,
                roost_model::channel::Channel::Sms,
            );
            let full = PullOptions { full: true, ..PullOptions::default() };
            let mut ended = kill_after(world.pull_with(&full), awaits).await.is_some();
            world.restart().await;
            ended &= kill_after(world.pull_with(&full), awaits / 2 + 1).await.is_some();
            world.restart().await;
            world.run_pull().await;
            let wanted = world.service_face().await;
            world.assert_arrives(&wanted, format_args!("await {awaits}")).await;
            ended
        });
        if ended {
            return;
        }
        awaits += 1 + awaits / 6;
    }
}

/// Returns the ends of the transactions in a write-ahead log in bytes, with the salt that distinguishes this log from
/// the next one in the file.
fn commit_ends(wal: &[u8]) -> (Vec<usize>, [u8; 8]) {
    const HEAD: usize = 32;
    const FRAME: usize = 24;
    let number = |at: usize| u32::from_be_bytes([wal[at], wal[at + 1], wal[at + 2], wal[at + 3]]);
    if wal.len() < HEAD {
        return (Vec::new(), [0; 8]);
    }
    let page = number(8) as usize;
    let salt: [u8; 8] = wal[16..24].try_into().expect("eight");
    let mut ends = Vec::new();
    let mut at = HEAD;
    while at + FRAME + page <= wal.len() && wal[at + 8..at + 16] == salt {
        let is_commit = number(at + 4) != 0;
        at += FRAME + page;
        if is_commit {
            ends.push(at);
        }
    }
    (ends, salt)
}

/// Uses memory if there is a folder for that, because thousands of commits need no disk.
fn temporary_folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder")
}

fn read_log(file: &Path) -> Vec<u8> {
    fs::read(file.with_extension("roost-wal")).unwrap_or_default()
}

/// Several commits may happen between two awaits. The file is reset to each of them.
#[test]
fn whatever_commit_is_the_last_one_on_disk_the_run_goes_on_from_it() {
    let mut tried = 0;
    let step = if is_soak() { 1 } else { 6 };
    for seed in test_seeds(2) {
        let mut awaits = 1 + seed % step;
        loop {
            let (ended, between) = run_simulated(killed_on_disk(seed, awaits, None));
            for back in 1..=between {
                run_simulated(killed_on_disk(seed, awaits, Some(back)));
                tried += 1;
            }
            tried += 1;
            if ended {
                break;
            }
            awaits += step;
        }
    }
    eprintln!("{tried} last commits");
    assert!(tried > 10, "{tried} last commits");
}

/// Kills the program at an await, and drops the last `back` commits that were made since the previous await. Returns
/// whether the run had ended, and the number of commits since then.
async fn killed_on_disk(seed: u64, awaits: u64, back: Option<usize>) -> (bool, usize) {
    let folder = temporary_folder();
    let file = folder.path().join("account.roost");
    let service = SimulatedService::new(seed, service_behaviour(seed));
    let core = Core::open(&file, world_context(seed)).expect("an account");
    connect_account(&core, seed);
    let world = SimulatedWorld::restarted_on(core, service.clone());
    edit_randomly(&world, seed).await;
    let wanted = world.local_face();
    let id = world.begin_run().await;
    let mut before = (Vec::new(), [0; 8]);
    let mut going = Box::pin(world.continue_run(id));
    let mut ended = false;
    for _ in 0..awaits {
        ended = kill_after(going.as_mut(), 1).await.is_some();
        // Every request sent so far depends on these commits. No request has relied on later ones yet.
        before = commit_ends(&read_log(&file));
        if ended {
            break;
        }
    }
    drop(going);
    // Requests that were sent take effect even if nobody waits for them.
    world.pass_time(1).await;
    let after = commit_ends(&read_log(&file));
    let between = if before.1 == after.1 { after.0.len().saturating_sub(before.0.len()) } else { 0 };
    let image = folder.path().join("image.roost");
    fs::copy(&file, &image).expect("a copy");
    let mut log = read_log(&file);
    if let Some(back) = back.map(|back| back.min(between)).filter(|back| *back > 0) {
        log.truncate(after.0.get(after.0.len() - 1 - back).copied().unwrap_or_default());
    }
    fs::write(image.with_extension("roost-wal"), log).expect("a copy");
    drop(world);
    let core = Core::open(&image, world_context(seed + 1_000)).expect("the account opens");
    core.ctx().advance_by(Duration::from_secs(3_600));
    let mut world = SimulatedWorld::restarted_on(core, service);
    world.end_run().await;
    world.assert_arrives(&wanted, format_args!("seed {seed}, await {awaits}, {back:?} commits back")).await;
    (ended, between)
}

#[test]
fn a_cut_network_is_a_pause() {
    for seed in test_seeds(20) {
        run_simulated(async {
            let (mut world, mut dice) = edited_world(seed).await;
            let wanted = world.local_face();
            let id = world.begin_run().await;
            world.service.stop_after(Some(dice.draw_below(12)));
            let state = world.continue_run(id).await.expect("an end");
            world.service.stop_after(None);
            world.restart().await;
            if state != RunState::Done {
                assert_eq!(state, RunState::Paused, "seed {seed}");
                assert_eq!(world.continue_run(id).await.expect("ran"), RunState::Done, "seed {seed}");
            }
            assert_eq!(open_account(&world.core), None, "seed {seed}");
            world.assert_arrives(&wanted, format_args!("seed {seed}")).await;
        });
    }
}

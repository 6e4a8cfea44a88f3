//! Scripts can be read back, are deterministic, shrink, and cover every kind of act and fault.

#![allow(clippy::cast_possible_truncation)]

mod toy;

use std::collections::HashSet;

use roost_world::{
    Dice, FAULTS, PERSON_ACT_KINDS, SITUATIONS, SMALLEST_SEED, Script, ScriptStep, ScriptTaste, WRITER_ACT_KINDS,
    World, find_operation, generate_script, shrink_script,
};
use toy::{ToyFlaw, play_counted, play_script};

fn all_tastes() -> [ScriptTaste; 3] {
    [ScriptTaste::without_trouble(), ScriptTaste::with_trouble(), ScriptTaste::with_much_trouble()]
}

#[test]
fn a_script_survives_its_text() {
    let mut dice = Dice::new(7);
    for taste in all_tastes() {
        for _ in 0..500 {
            let script = generate_script(&mut dice, &taste);
            let text = script.to_string();
            let read: Script = text.parse().expect("a script");
            assert_eq!(read, script);
            assert_eq!(read.to_string(), text);
        }
    }
    for bad in ["", "seed x", "seed 1\nfly", "seed 1\nwait 1 2", "seed 1\nact fly 1 2 3"] {
        assert!(bad.parse::<Script>().is_err(), "{bad}");
    }
}

#[test]
fn the_same_seed_gives_the_same_history() {
    for index in 0..300 {
        let taste = &all_tastes()[index as usize % 3];
        let script = generate_script(&mut Dice::new(index), taste);
        assert_eq!(script, generate_script(&mut Dice::new(index), taste));
        let (first, first_calls, first_world) = play_counted(&script, ToyFlaw::LetsServiceWin);
        let (second, second_calls, second_world) = play_counted(&script, ToyFlaw::LetsServiceWin);
        assert_eq!((first, first_calls), (second, second_calls));
        assert_eq!(first_world.now_ms(), second_world.now_ms());
    }
}

#[test]
fn scripts_hold_every_kind_of_act_and_fault() {
    let mut words = HashSet::new();
    for index in 0..3_000 {
        let text = generate_script(&mut Dice::new(index), &ScriptTaste::with_much_trouble()).to_string();
        words.extend(text.split_whitespace().map(str::to_owned));
    }
    for name in PERSON_ACT_KINDS.iter().chain(WRITER_ACT_KINDS).chain(FAULTS) {
        assert!(words.contains(*name), "{name}");
    }
    for name in [
        "act-at",
        "pull",
        "full-pull",
        "plan",
        "push-old-plan",
        "reopen",
        "kill-before",
        "kill-after",
        "wait",
        "writer-before",
        "writer-after",
        "job-delay",
        "job-order",
        "clock-jump",
    ] {
        assert!(words.contains(name), "{name}");
    }
}

#[test]
fn a_failing_script_shrinks() {
    let (script, _) = (0..5_000)
        .map(|index| generate_script(&mut Dice::new(index), &ScriptTaste::with_much_trouble()))
        .filter(|script| script.steps.len() >= 10)
        .find_map(|script| {
            let found = play_script(&script, ToyFlaw::LetsServiceWin);
            found.iter().any(|violation| violation.rule == "contact.value").then_some((script, found))
        })
        .expect("a failing script");
    let mut attempts = 0;
    let small = shrink_script(&script, &mut |candidate| {
        attempts += 1;
        play_script(candidate, ToyFlaw::LetsServiceWin).iter().any(|violation| violation.rule == "contact.value")
    });
    assert!(small.steps.len() <= 5, "{small}");
    assert!(attempts <= roost_world::SHRINK_ATTEMPTS);
    assert!(play_script(&small, ToyFlaw::LetsServiceWin).iter().any(|violation| violation.rule == "contact.value"));
}

#[test]
fn a_run_ends_every_script() {
    for index in 0..500 {
        let script = generate_script(&mut Dice::new(index), &ScriptTaste::with_trouble());
        assert_eq!(script.steps.last(), Some(&ScriptStep::PushRun));
    }
}

/// Set `ROOST_SEEDS=n` to search this many seeds for others.
#[test]
fn the_first_state_of_the_situations_is_the_smallest() {
    let seeds = std::env::var("ROOST_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let found: Vec<u64> = (0..seeds).filter(|seed| World::new(*seed).is_smallest()).collect();
    println!("smallest states: {found:?}");
    assert!(World::new(SMALLEST_SEED).is_smallest());
}

#[test]
fn pulls_that_lack_rows_and_runs_that_end_in_doubt_are_marked_as_telling() {
    let (read, write) = (find_operation("GET", "/contacts/v1/lists/"), find_operation("POST", "/contacts/v1/contacts"));
    assert!(read.is_some() && write.is_some());
    for situation in SITUATIONS {
        let ends_with_pull =
            matches!(situation.build_script().steps.last(), Some(ScriptStep::PullRun | ScriptStep::FullPullRun));
        let count = |call| situation.disturb_at(&[call]).iter().filter(|one| one.is_telling).count();
        assert_eq!(count(read), if ends_with_pull { 3 } else { 0 }, "{situation:?}");
        assert_eq!(count(write), 4, "{situation:?}");
    }
}

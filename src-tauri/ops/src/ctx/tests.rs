//! Tests the order of ids, and that the same seed and acts give the same ids.

use std::{collections::BTreeSet, thread};

use roost_model::id::{ContactId, ListId};

use super::{ids::IdStyle, *};

fn start_time() -> Timestamp {
    Timestamp::from_unix(1_767_600_000)
}

fn ctx() -> Ctx {
    Ctx::seeded(Clock::fixed(start_time()), 7)
}

fn next_list_id(ctx: &Ctx) -> ListId {
    ListId::new(ctx.ksuid(ctx.now()))
}

#[test]
fn ids_sort_in_the_order_they_were_made() {
    let ctx = ctx();
    let ids: Vec<_> = (0..1_000).map(|_| ContactId::new(ctx.ksuid(ctx.now()))).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    let acts: Vec<_> = (0..1_000).map(|_| next_list_id(&ctx.with_stream(ctx.ids().begin_act()))).collect();
    assert!(acts.windows(2).all(|pair| pair[0] < pair[1]), "of acts as they came");
    let jobs = (1..9).flat_map(|id| {
        let job = ctx.with_stream(IdStream::Job { id, first: 0 });
        (0..100).map(move |_| next_list_id(&job))
    });
    assert!(jobs.is_sorted(), "and of jobs");
    assert!(next_list_id(&ctx.for_seed()) < next_list_id(&ctx), "what there was at first stays first");
}

#[test]
fn the_region_of_the_computer_is_that_of_the_first_locale_that_is_set() {
    let region = |set: &[(&str, &str)]| {
        let value = |name: &str| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        system_region(value).map(Region::code)
    };
    assert_eq!(region(&[]), None);
    assert_eq!(region(&[("LANG", "en_US.UTF-8"), ("LC_TELEPHONE", "en_GB.UTF-8")]).as_deref(), Some("GB"));
    assert_eq!(region(&[("LANG", "de_DE.UTF-8"), ("LC_TELEPHONE", "")]).as_deref(), Some("DE"));
    assert_eq!(region(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")]), None, "LC_ALL goes before the others");
}

#[test]
fn a_clock_set_back_does_not_repeat_or_reorder_ids() {
    let ctx = Ctx::seeded(Clock::system(), 7);
    let later = ContactId::new(ctx.ksuid(Timestamp::from_unix(1_767_600_010)));
    let earlier = ContactId::new(ctx.ksuid(Timestamp::from_unix(1_767_600_000)));
    assert!(earlier > later);
    let act = ctx.with_stream(ctx.ids().begin_act());
    assert!(ContactId::new(act.ksuid(Timestamp::from_unix(1_767_600_000))) > earlier, "whoever makes them");
}

#[test]
fn the_same_seed_gives_the_same_ids() {
    let make = |seed| {
        let ctx = Ctx::seeded(Clock::fixed(start_time()), seed);
        (ContactId::new(ctx.ksuid(ctx.now())), ctx.code(6), ctx.trace_id())
    };
    assert_eq!(make(42), make(42));
    let (one, other) = (make(42), make(43));
    assert!(one.0 != other.0 && one.1 != other.1 && one.2 != other.2);
}

#[test]
fn acts_at_the_same_time_do_not_change_each_others_ids() {
    let drawn = |ctx: &Ctx| (next_list_id(ctx), ctx.code(6), ctx.trace_id());
    let in_order = {
        let ctx = ctx();
        let acts: Vec<_> = (0..8).map(|_| ctx.with_stream(ctx.ids().begin_act())).collect();
        acts.iter().map(drawn).collect::<Vec<_>>()
    };
    let ctx = ctx();
    let acts: Vec<_> = (0..8).map(|_| ctx.with_stream(ctx.ids().begin_act())).collect();
    let mut at_once: Vec<_> = thread::scope(|threads| {
        let begun: Vec<_> = acts.iter().rev().map(|act| threads.spawn(|| drawn(act))).collect();
        begun.into_iter().map(|act| act.join().expect("drawn")).collect()
    });
    at_once.reverse();
    assert_eq!(at_once, in_order);
}

#[test]
fn no_id_is_made_twice_in_any_style() {
    for style in [IdStyle::Random, IdStyle::Sequence, IdStyle::Hash] {
        let ctx = ctx();
        ctx.ids().set_seed_and_style(None, Some(style));
        let mut made = BTreeSet::new();
        let mut count = 0;
        let mut draw = |ctx: &Ctx, most: usize| {
            for _ in 0..most {
                made.insert(next_list_id(ctx));
            }
            count += most;
            made.len() == count
        };
        assert!(draw(&ctx, 500) && draw(&ctx.for_seed(), 500), "{style:?}");
        for id in 1..50 {
            // Draw the ids of a job in portions.
            assert!(draw(&ctx.with_stream(IdStream::Job { id, first: 0 }), 20), "{style:?}");
            assert!(draw(&ctx.with_stream(IdStream::Job { id, first: 20 }), 20), "{style:?}");
            assert!(draw(&ctx.with_stream(ctx.ids().begin_act()), 3), "{style:?}");
        }
        // Set the same seed again: no earlier id is repeated.
        ctx.ids().set_seed_and_style(Some(7), None);
        assert!(draw(&ctx, 100) && draw(&ctx.with_stream(ctx.ids().begin_act()), 100), "{style:?}");
    }
}

#[test]
fn restoring_a_position_repeats_the_ids_that_followed_it() {
    let ctx = ctx();
    let make = || {
        ctx.advance(10);
        let act = ctx.with_stream(ctx.ids().begin_act());
        let look = ctx.with_stream(ctx.ids().begin_read());
        (next_list_id(&ctx), ctx.code(4), next_list_id(&act), act.trace_id(), look.trace_id())
    };
    make();
    let (position, time) = (ctx.ids().position(), ctx.clock().reading());
    let first = [make(), make()];
    ctx.ids().restore_position(position);
    ctx.clock().apply_setting(time).expect("a setting");
    assert_eq!([make(), make()], first);
}

#[test]
fn sequence_ids_are_readable_and_hash_ids_do_not_depend_on_the_time() {
    let ctx = ctx();
    ctx.ids().set_seed_and_style(None, Some(IdStyle::Sequence));
    let act = ctx.with_stream(ctx.ids().begin_act());
    assert_eq!(next_list_id(&act).to_string(), "LST_000000000000030000000010001");
    assert_eq!(act.trace_id(), "3000000000010001");
    ctx.ids().set_seed_and_style(None, Some(IdStyle::Hash));
    let hashed = |ctx: &Ctx| next_list_id(&ctx.with_stream(IdStream::Act(1)));
    let before = hashed(&ctx);
    ctx.advance(86_400);
    assert_eq!(hashed(&ctx), before);
}

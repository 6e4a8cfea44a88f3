//! Tests invariants 12 and 13: the undo of a transaction, and the net effect of a log.

use std::collections::BTreeMap;

use super::{
    Tape, always,
    world::{World, any_row, edit},
};
use crate::{
    ensure,
    log::{Change, Lost, Pushed, View, coalesce, compensate, inverse, replay},
    plan::{StepKind, plan},
    row::Row,
};

fn any_view(tape: &mut Tape) -> View {
    (0..tape.below(4) as i64).map(|id| (id, any_row(tape))).collect()
}

/// Returns a transaction that can be applied to `view`, and applies it.
fn any_changes(view: &mut View, tape: &mut Tape) -> Vec<Change> {
    let mut log = Vec::new();
    for _ in 0..1 + tape.below(6) {
        let id = tape.below(5) as i64;
        let changes: Vec<Change> = match view.get(&id).cloned() {
            None => vec![Change::Made { id, row: any_row(tape) }],
            Some(row) if tape.one_in(4) => vec![Change::Gone { id, row }],
            Some(row) => {
                let mut edited = row.clone();
                edit(&mut edited, tape);
                let owned = |text: Option<&str>| text.map(str::to_owned);
                let cell = |d: &crate::row::Difference<'_>| Change::Cell {
                    id,
                    field: d.field,
                    before: owned(d.from),
                    after: owned(d.to),
                };
                row.differences(&edited).iter().map(cell).collect()
            }
        };
        replay(view, &changes);
        log.extend(changes);
    }
    log
}

#[test]
fn p12_a_transaction_and_its_inverse_are_nothing_and_undo_with_redo_too() {
    always(|tape| {
        let start = any_view(tape);
        let mut view = start.clone();
        let mut views = vec![start];
        let mut done = Vec::new();
        for _ in 0..1 + tape.below(4) {
            done.push(any_changes(&mut view, tape));
            views.push(view.clone());
        }
        let back = tape.below(done.len() + 1);
        for at in (done.len() - back..done.len()).rev() {
            replay(&mut view, &inverse(&done[at]));
            ensure!(view == views[at], "undo of {:?} gives {view:?}", done[at]);
        }
        for at in done.len() - back..done.len() {
            replay(&mut view, &done[at]);
            ensure!(view == views[at + 1], "redo of {:?} gives {view:?}", done[at]);
        }
        Ok(back > 0)
    });
}

#[test]
fn p12_the_compensating_plan_restores_what_can_be_said() {
    always(|tape| {
        let mut world = World::agreed(tape);
        world.disturb_here(tape);
        let made = plan(world.gather());
        if made.steps.iter().any(|step| matches!(step.kind, StepKind::ListDelete { .. })) {
            return Ok(false);
        }
        let rows = |world: &World| -> View { world.base.iter().map(|(id, base)| (*id, base.row.clone())).collect() };
        let before = rows(&world);
        let homes: BTreeMap<i64, i64> = world.base.iter().map(|(id, base)| (*id, base.list)).collect();
        world.send(&made, tape);
        world.pull();
        let after = rows(&world);
        let ids: std::collections::BTreeSet<i64> = before.keys().chain(after.keys()).copied().collect();
        let pushed: Vec<Pushed> = ids
            .into_iter()
            .filter(|id| before.get(id) != after.get(id))
            .map(|id| Pushed { id, before: before.get(&id).cloned(), after: after.get(&id).cloned() })
            .collect();
        // Edits that were not pushed would disturb the comparison.
        world.discard();
        let (changes, lost) = compensate(&pushed, &after);
        let mut here: View = world.contacts.iter().map(|(id, (_, row))| (*id, row.clone())).collect();
        replay(&mut here, &changes);
        let home = |id: &i64, world: &World| {
            world.contacts.get(id).map(|(list, _)| *list).or_else(|| homes.get(id).copied()).expect("known")
        };
        let contacts = here.into_iter().map(|(id, row)| (id, (home(&id, &world), row))).collect();
        world.contacts = contacts;
        let back = plan(world.gather());
        world.send(&back, tape);
        world.pull();
        let now = rows(&world);
        let told = |id: i64| {
            back.blocked
                .iter()
                .any(|one| matches!(one.subject, crate::plan::Subject::Contact { id: of, .. } if of == id))
        };
        for one in &pushed {
            let was = one.before.as_ref();
            let kept = |row: &Row| world.service.kept(row);
            let same = now.get(&one.id).map(kept) == was.map(kept);
            ensure!(same || told(one.id), "{one:#?} came back as {:#?}\n{back:#?}", now.get(&one.id));
            if told(one.id) && one.before.is_some() && one.after.is_some() {
                let all_said = back
                    .blocked
                    .iter()
                    .filter(|b| b.subject == crate::plan::Subject::Contact { id: one.id, list: homes[&one.id] });
                for blocked in all_said {
                    if let crate::plan::Obstacle::Clearing { fields } = &blocked.obstacle {
                        let listed = lost.iter().any(|l| matches!(l, Lost::Empty { id, fields: all } if *id == one.id && fields.iter().all(|f| all.contains(f))));
                        ensure!(listed, "{fields:?} of {} were not said to be lost: {lost:?}", one.id);
                    }
                }
            }
        }
        Ok(!pushed.is_empty())
    });
}

#[test]
fn p13_the_dirty_set_and_the_log_give_one_view() {
    always(|tape| {
        let base = any_view(tape);
        let mut view = base.clone();
        let log = any_changes(&mut view, tape);
        let dirty = coalesce(&base, &log);
        let mut laid_over = base.clone();
        for (id, net) in &dirty {
            ensure!(base.get(id) == net.before.as_ref(), "{id} was {:?}", net.before);
            ensure!(net.before != net.after, "{id} is not dirty");
            match &net.after {
                Some(row) => drop(laid_over.insert(*id, row.clone())),
                None => drop(laid_over.remove(id)),
            }
        }
        ensure!(laid_over == view, "{laid_over:?} and {view:?} after {log:?}");
        ensure!(
            base.keys().chain(view.keys()).all(|id| base.get(id) == view.get(id) || dirty.contains_key(id)),
            "forgotten"
        );
        Ok(!dirty.is_empty())
    });
}

//! Tests invariants 12 and 13: the undo of a transaction, and the net effect of a log.

use std::collections::BTreeMap;

use super::{
    Tape, assert_always,
    world::{World, any_row, edit_row},
};
use crate::{
    edit_log::{
        ContactEdit, ContactsById, PushedContact, UndoLoss, coalesce_log, compensate_run, invert_log, replay_log,
    },
    ensure,
    plan::{StepKind, make_plan},
    row::ContactRow,
};

fn any_view(tape: &mut Tape) -> ContactsById {
    (0..tape.below(4) as i64).map(|id| (id, any_row(tape))).collect()
}

/// Returns a transaction that can be applied to `view`, and applies it.
fn any_changes(view: &mut ContactsById, tape: &mut Tape) -> Vec<ContactEdit> {
    let mut log = Vec::new();
    for _ in 0..1 + tape.below(6) {
        let id = tape.below(5) as i64;
        let changes: Vec<ContactEdit> = match view.get(&id).cloned() {
            None => vec![ContactEdit::Created { id, row: any_row(tape) }],
            Some(row) if tape.one_in(4) => vec![ContactEdit::Deleted { id, row }],
            Some(row) => {
                let mut edited = row.clone();
                edit_row(&mut edited, tape);
                let owned = |text: Option<&str>| text.map(str::to_owned);
                let cell = |d: &crate::row::FieldDifference<'_>| ContactEdit::CellChanged {
                    id,
                    field: d.field,
                    before: owned(d.from),
                    after: owned(d.to),
                };
                row.differences(&edited).iter().map(cell).collect()
            }
        };
        replay_log(view, &changes);
        log.extend(changes);
    }
    log
}

#[test]
fn p12_a_transaction_and_its_inverse_are_nothing_and_undo_with_redo_too() {
    assert_always(|tape| {
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
            replay_log(&mut view, &invert_log(&done[at]));
            ensure!(view == views[at], "undo of {:?} gives {view:?}", done[at]);
        }
        for at in done.len() - back..done.len() {
            replay_log(&mut view, &done[at]);
            ensure!(view == views[at + 1], "redo of {:?} gives {view:?}", done[at]);
        }
        Ok(back > 0)
    });
}

#[test]
fn p12_the_compensating_plan_restores_what_can_be_expressed() {
    assert_always(|tape| {
        let mut world = World::agreed_world(tape);
        world.disturb_here(tape);
        let made = make_plan(world.gather_input());
        if made.steps.iter().any(|step| matches!(step.kind, StepKind::ListDelete { .. })) {
            return Ok(false);
        }
        let rows =
            |world: &World| -> ContactsById { world.base.iter().map(|(id, base)| (*id, base.row.clone())).collect() };
        let before = rows(&world);
        let homes: BTreeMap<i64, i64> = world.base.iter().map(|(id, base)| (*id, base.list)).collect();
        world.send_plan(&made, tape);
        world.pull();
        let after = rows(&world);
        let ids: std::collections::BTreeSet<i64> = before.keys().chain(after.keys()).copied().collect();
        let pushed: Vec<PushedContact> = ids
            .into_iter()
            .filter(|id| before.get(id) != after.get(id))
            .map(|id| PushedContact { id, before: before.get(&id).cloned(), after: after.get(&id).cloned() })
            .collect();
        // Edits that were not pushed would disturb the comparison.
        world.discard_changes();
        let (changes, lost) = compensate_run(&pushed, &after);
        let mut here: ContactsById = world.contacts.iter().map(|(id, (_, row))| (*id, row.clone())).collect();
        replay_log(&mut here, &changes);
        let home = |id: &i64, world: &World| {
            world.contacts.get(id).map(|(list, _)| *list).or_else(|| homes.get(id).copied()).expect("known")
        };
        let contacts = here.into_iter().map(|(id, row)| (id, (home(&id, &world), row))).collect();
        world.contacts = contacts;
        let back = make_plan(world.gather_input());
        world.send_plan(&back, tape);
        world.pull();
        let now = rows(&world);
        let is_blocked = |id: i64| {
            back.blocked.iter().any(
                |one| matches!(one.subject, crate::plan::PlanSubject::Contact { id: contact, .. } if contact == id),
            )
        };
        for one in &pushed {
            let was = one.before.as_ref();
            let kept = |row: &ContactRow| world.service.to_stored_row(row);
            let same = now.get(&one.id).map(kept) == was.map(kept);
            ensure!(same || is_blocked(one.id), "{one:#?} came back as {:#?}\n{back:#?}", now.get(&one.id));
            if is_blocked(one.id) && one.before.is_some() && one.after.is_some() {
                let all_said = back
                    .blocked
                    .iter()
                    .filter(|b| b.subject == crate::plan::PlanSubject::Contact { id: one.id, list: homes[&one.id] });
                for blocked in all_said {
                    if let crate::plan::ChangeObstacle::Clearing { fields } = &blocked.obstacle {
                        let listed = lost.iter().any(|l| matches!(l, UndoLoss::Empty { id, fields: all } if *id == one.id && fields.iter().all(|f| all.contains(f))));
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
    assert_always(|tape| {
        let base = any_view(tape);
        let mut view = base.clone();
        let log = any_changes(&mut view, tape);
        let dirty = coalesce_log(&base, &log);
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

//! Tests invariant 12 for a run: the plan that undoes it restores what can be expressed.

use std::collections::BTreeMap;

use super::{assert_always, world::World};
use crate::{
    edit_log::{ContactEdit, ContactsById, PushedContact, UndoLoss, compensate_run},
    ensure,
    plan::{StepKind, make_plan},
    row::ContactRow,
};

/// Applies the edits one after the other.
fn replay_log(view: &mut ContactsById, log: &[ContactEdit]) {
    for edit in log {
        match edit {
            ContactEdit::Created { id, row } => drop(view.insert(*id, row.clone())),
            ContactEdit::Deleted { id, .. } => drop(view.remove(id)),
            ContactEdit::CellChanged { id, field, after, .. } => {
                if let Some(row) = view.get_mut(id) {
                    row.set(*field, after.as_deref());
                }
            }
        }
    }
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

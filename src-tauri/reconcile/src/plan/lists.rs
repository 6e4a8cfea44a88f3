//! Plans lists: creates and deletes them, and recreates one where the interface has no other way.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Alternative, Blocked, Conflict, Disputed, Gate, GateKind, Obstacle, Plan, StepKind, Subject, Told,
    contacts::{Act, Wanted, senders_of},
    cost,
};
use crate::input::{ContactChange, Input, List, ListChoice, ListThere};

/// The steps planned for lists.
#[derive(Debug, Default)]
pub struct Lists {
    /// The step that creates each list.
    pub created: BTreeMap<i64, u32>,
    /// The lists that are uploaded as a whole.
    pub whole: BTreeSet<i64>,
    /// The lists that are deleted at the service at the end.
    pub ending: BTreeSet<i64>,
}

/// Returns whether the user asked to upload the list into a new one. [`create`] decides whether this is possible now.
pub fn is_recreated(list: &List) -> bool {
    list.uid.is_some() && !list.deleted && !list.held && list.choice == Some(ListChoice::Recreate)
}

/// Counts the contacts that were created, changed, deleted or moved into the list locally.
fn changes_inside(input: &Input, list: i64) -> u64 {
    let is_mine = |change: &&ContactChange| change.local != change.base || change.was_in.is_some();
    input.contacts.iter().filter(|change| change.list == list).filter(is_mine).count() as u64
}

/// Returns the number of calls that upload a list into a new one and delete the old one, which is compared before both.
fn price(input: &Input, list: &List) -> u64 {
    let rows = list.local_rows;
    let compare = cost::reads(input, u64::MAX, list.rows);
    let verify = cost::reads(input, rows, rows) + u64::from(cost::is_dated(input, rows, rows));
    2 + rows.div_ceil(input.limits.rows as u64) + verify + 2 * compare + 1
}

/// Plans the creation of lists, and decides which ones are uploaded or deleted. Questions are added to the plan.
pub fn create(input: &Input, contacts: &Wanted<'_>, plan: &mut Plan) -> Lists {
    let mut lists = Lists::default();
    for list in &input.lists {
        let subject = Subject::List { id: list.id };
        let is_there = list.uid.is_some() && list.there != ListThere::Gone;
        if list.held {
            let is_renamed = list.base_name.as_ref() != Some(&list.name);
            if if list.deleted { is_there } else { !is_there || is_renamed } {
                plan.tell(subject, Told::Held);
            }
            continue;
        }
        let make = |plan: &mut Plan, lists: &mut Lists| {
            let step = plan.push(StepKind::ListCreate { list: list.id, name: list.name.clone() }, Vec::new());
            lists.created.insert(list.id, step);
        };
        if list.deleted {
            if !is_there {
                continue;
            }
            if list.there == ListThere::Changed && list.choice != Some(ListChoice::DeleteAnyway) {
                plan.conflicts.push(Conflict { subject, disputed: Disputed::ListChanged });
            } else {
                lists.ending.insert(list.id);
            }
        } else if list.uid.is_none() {
            make(plan, &mut lists);
        } else if is_recreated(list) {
            if contacts.unsettled.contains(&list.id) {
                plan.blocked.push(Blocked {
                    subject,
                    obstacle: Obstacle::ConflictsInside,
                    choices: Vec::new(),
                    list_choices: Vec::new(),
                    chosen: None,
                });
                continue;
            }
            make(plan, &mut lists);
            lists.whole.insert(list.id);
            if is_there {
                lists.ending.insert(list.id);
            }
        } else if !is_there {
            let rows = changes_inside(input, list.id);
            if rows > 0 && list.choice != Some(ListChoice::Discard) {
                plan.conflicts.push(Conflict { subject, disputed: Disputed::ListGone { rows } });
            }
        } else if list.base_name.as_ref() != Some(&list.name) && list.choice != Some(ListChoice::Alias) {
            plan.blocked.push(Blocked {
                subject,
                obstacle: Obstacle::Rename,
                choices: Vec::new(),
                list_choices: vec![(ListChoice::Alias, 0), (ListChoice::Recreate, price(input, list))],
                chosen: None,
            });
        }
    }
    lists
}

/// Plans the uploads of whole lists, in requests of the allowed size.
pub fn upload(input: &Input, lists: &Lists, plan: &mut Plan) {
    for list in &lists.whole {
        let rows = input.list(*list).map_or(0, |list| list.local_rows);
        let after: Vec<u32> = lists.created.get(list).copied().into_iter().collect();
        for from in (0..rows).step_by(input.limits.rows) {
            let count = (rows - from).min(input.limits.rows as u64);
            plan.push(StepKind::Upload { list: *list, from, count }, after.clone());
        }
    }
}

pub fn uploads_of(plan: &Plan, wanted: i64) -> Vec<u32> {
    let of_list = |kind: &StepKind| matches!(kind, StepKind::Upload { list, .. } if *list == wanted);
    plan.steps.iter().filter(|step| of_list(&step.kind)).map(|step| step.id).collect()
}

/// Returns whether the list has contacts that are not at the service and that this plan does not send either.
fn is_incomplete(input: &Input, list: i64, contacts: &Wanted<'_>) -> bool {
    let sent: BTreeSet<i64> = contacts.acts.iter().map(|(change, _)| change.id).collect();
    let is_missing = |change: &ContactChange| change.there().is_none() && change.local.is_some();
    let mut inside = input.contacts.iter().filter(|change| change.list == list);
    inside.any(|change| is_missing(change) && !sent.contains(&change.id))
}

/// Returns the steps that send contacts into a list.
fn senders_into(plan: &Plan, wanted: i64) -> Vec<u32> {
    let of_list = |kind: &StepKind| matches!(kind, StepKind::Contacts { list, .. } if *list == wanted);
    plan.steps.iter().filter(|step| of_list(&step.kind)).map(|step| step.id).collect()
}

/// Plans the deletion of lists. A list is deleted once everything that is moved out of it has arrived.
pub fn delete(input: &Input, lists: &Lists, contacts: &Wanted<'_>, plan: &mut Plan) {
    let made_by = senders_of(plan);
    for id in &lists.ending {
        let Some((list, uid)) = input.list(*id).and_then(|list| Some((list, list.uid.as_ref()?))) else { continue };
        let mut after = uploads_of(plan, *id);
        if let Some(new) = list.superseded_by {
            if is_incomplete(input, new, contacts) {
                plan.tell(Subject::List { id: *id }, Told::Waiting);
                continue;
            }
            after.extend(senders_into(plan, new));
        }
        if lists.whole.contains(id) && after.is_empty() {
            after.extend(lists.created.get(id));
        }
        for (change, act) in &contacts.acts {
            match act {
                Act::Create { replaces: Some(old), .. } if old.list == *id => after.extend(made_by.get(&change.id)),
                Act::Leave { old } if old.list == *id => after.extend(uploads_of(plan, change.list)),
                _ => {}
            }
        }
        after.sort_unstable();
        after.dedup();
        let step = plan.push(StepKind::ListDelete { list: *id, uid: uid.clone() }, after);
        let wanted = list.base_name.as_ref().unwrap_or(&list.name).clone();
        plan.gates.push(Gate { gate: GateKind::ListDeletion, list: Some(*id), step: Some(step), wanted });
    }
}

/// Offers to recreate a list where that costs fewer calls than its many deletions.
pub fn offer(input: &Input, contacts: &Wanted<'_>, plan: &mut Plan) {
    let mut deletions: BTreeMap<i64, u64> = BTreeMap::new();
    for (_, act) in &contacts.acts {
        if let Act::Delete { old } = act {
            *deletions.entry(old.list).or_default() += 1;
        }
    }
    for (id, instead_of) in deletions {
        let Some(list) = input.list(id).filter(|list| list.choice.is_none()) else { continue };
        let calls = price(input, list);
        if calls < instead_of {
            plan.alternatives.push(Alternative { list: id, choice: ListChoice::Recreate, calls, instead_of });
        }
    }
}

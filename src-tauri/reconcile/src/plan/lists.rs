//! Plans lists: creates and deletes them, and recreates one where the interface has no other way.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    BlockedChange, ChangeObstacle, ConflictKind, GateKind, ListAlternative, PlanConflict, PlanNotice, PlanSubject,
    RunGate, StepKind, SyncPlan,
    contacts::{ContactAction, ContactActions, steps_by_contact},
    cost,
};
use crate::input::{ContactChange, ListChoice, PlanInput, PlannedList, RemoteListState};

/// The steps planned for lists.
#[derive(Debug, Default)]
pub(super) struct ListSteps {
    /// The step that creates each list.
    pub created: BTreeMap<i64, u32>,
    /// The lists that are uploaded as a whole.
    pub uploaded: BTreeSet<i64>,
    /// The lists that are deleted at the service at the end.
    pub deleted: BTreeSet<i64>,
}

/// Returns whether the user asked to upload the list into a new one. [`plan_lists`] decides whether this is possible.
pub(super) fn is_recreated(list: &PlannedList) -> bool {
    list.uid.is_some() && !list.deleted && !list.held && list.choice == Some(ListChoice::Recreate)
}

/// Counts the contacts that were created, changed, deleted or moved into the list locally.
fn count_changes_inside(input: &PlanInput, list: i64) -> u64 {
    let is_mine = |change: &&ContactChange| change.local != change.base || change.was_in.is_some();
    input.contacts.iter().filter(|change| change.list == list).filter(is_mine).count() as u64
}

/// Returns the number of calls that upload a list into a new one and delete the old one, which is compared before both.
fn recreation_price(input: &PlanInput, list: &PlannedList) -> u64 {
    let rows = list.local_rows;
    let compare = cost::count_reads(input, u64::MAX, list.rows);
    let verify = cost::count_reads(input, rows, rows) + u64::from(cost::needs_list_time(input, rows, rows));
    2 + rows.div_ceil(input.limits.rows as u64) + verify + 2 * compare + 1
}

/// Plans the creation of lists, and decides which ones are uploaded or deleted. Questions are added to the plan.
pub(super) fn plan_lists(input: &PlanInput, contacts: &ContactActions<'_>, plan: &mut SyncPlan) -> ListSteps {
    let mut lists = ListSteps::default();
    for list in &input.lists {
        let subject = PlanSubject::List { id: list.id };
        let is_there = list.uid.is_some() && list.there != RemoteListState::Gone;
        if list.held {
            let is_renamed = list.base_name.as_ref() != Some(&list.name);
            if if list.deleted { is_there } else { !is_there || is_renamed } {
                plan.add_notice(subject, PlanNotice::Held);
            }
            continue;
        }
        let make = |plan: &mut SyncPlan, lists: &mut ListSteps| {
            let step = plan.push_step(StepKind::ListCreate { list: list.id, name: list.name.clone() }, Vec::new());
            lists.created.insert(list.id, step);
        };
        if list.deleted {
            if !is_there {
                continue;
            }
            if list.there == RemoteListState::Changed && list.choice != Some(ListChoice::DeleteAnyway) {
                plan.conflicts.push(PlanConflict { subject, disputed: ConflictKind::ListChanged });
            } else {
                lists.deleted.insert(list.id);
            }
        } else if list.uid.is_none() {
            make(plan, &mut lists);
        } else if is_recreated(list) {
            if contacts.unsettled.contains(&list.id) {
                plan.blocked.push(BlockedChange {
                    subject,
                    obstacle: ChangeObstacle::ConflictsInside,
                    choices: Vec::new(),
                    list_choices: Vec::new(),
                    chosen: None,
                });
                continue;
            }
            make(plan, &mut lists);
            lists.uploaded.insert(list.id);
            if is_there {
                lists.deleted.insert(list.id);
            }
        } else if !is_there {
            let rows = count_changes_inside(input, list.id);
            if rows > 0 && list.choice != Some(ListChoice::Discard) {
                plan.conflicts.push(PlanConflict { subject, disputed: ConflictKind::ListGone { rows } });
            }
        } else if list.base_name.as_ref() != Some(&list.name) && list.choice != Some(ListChoice::Alias) {
            plan.blocked.push(BlockedChange {
                subject,
                obstacle: ChangeObstacle::Rename,
                choices: Vec::new(),
                list_choices: vec![(ListChoice::Alias, 0), (ListChoice::Recreate, recreation_price(input, list))],
                chosen: None,
            });
        }
    }
    lists
}

/// Plans the uploads of whole lists, in requests of the allowed size.
pub(super) fn plan_uploads(input: &PlanInput, lists: &ListSteps, plan: &mut SyncPlan) {
    for list in &lists.uploaded {
        let rows = input.find_list(*list).map_or(0, |list| list.local_rows);
        let after: Vec<u32> = lists.created.get(list).copied().into_iter().collect();
        for from in (0..rows).step_by(input.limits.rows) {
            let count = (rows - from).min(input.limits.rows as u64);
            plan.push_step(StepKind::Upload { list: *list, from, count }, after.clone());
        }
    }
}

pub(super) fn upload_steps(plan: &SyncPlan, wanted: i64) -> Vec<u32> {
    let of_list = |kind: &StepKind| matches!(kind, StepKind::Upload { list, .. } if *list == wanted);
    plan.steps.iter().filter(|step| of_list(&step.kind)).map(|step| step.id).collect()
}

/// Returns whether the list has contacts that are not at the service and that this plan does not send either.
fn is_incomplete(input: &PlanInput, list: i64, contacts: &ContactActions<'_>) -> bool {
    let sent: BTreeSet<i64> = contacts.actions.iter().map(|(change, _)| change.id).collect();
    let is_missing = |change: &ContactChange| change.remote_row().is_none() && change.local.is_some();
    let mut inside = input.contacts.iter().filter(|change| change.list == list);
    inside.any(|change| is_missing(change) && !sent.contains(&change.id))
}

/// Returns the steps that send contacts into a list.
fn contact_steps(plan: &SyncPlan, wanted: i64) -> Vec<u32> {
    let of_list = |kind: &StepKind| matches!(kind, StepKind::Contacts { list, .. } if *list == wanted);
    plan.steps.iter().filter(|step| of_list(&step.kind)).map(|step| step.id).collect()
}

/// Plans the deletion of lists. A list is deleted once everything that is moved out of it has arrived.
pub(super) fn plan_deletions(input: &PlanInput, lists: &ListSteps, contacts: &ContactActions<'_>, plan: &mut SyncPlan) {
    let made_by = steps_by_contact(plan);
    for id in &lists.deleted {
        let Some((list, uid)) = input.find_list(*id).and_then(|list| Some((list, list.uid.as_ref()?))) else {
            continue;
        };
        let mut after = upload_steps(plan, *id);
        if let Some(new) = list.superseded_by {
            if is_incomplete(input, new, contacts) {
                plan.add_notice(PlanSubject::List { id: *id }, PlanNotice::Waiting);
                continue;
            }
            after.extend(contact_steps(plan, new));
        }
        if lists.uploaded.contains(id) && after.is_empty() {
            after.extend(lists.created.get(id));
        }
        for (change, act) in &contacts.actions {
            match act {
                ContactAction::Create { replaces: Some(old), .. } if old.list == *id => {
                    after.extend(made_by.get(&change.id))
                }
                ContactAction::MoveOut { old } if old.list == *id => after.extend(upload_steps(plan, change.list)),
                _ => {}
            }
        }
        after.sort_unstable();
        after.dedup();
        let step = plan.push_step(StepKind::ListDelete { list: *id, uid: uid.clone() }, after);
        let wanted = list.base_name.as_ref().unwrap_or(&list.name).clone();
        plan.gates.push(RunGate { gate: GateKind::ListDeletion, list: Some(*id), step: Some(step), wanted });
    }
}

/// Offers to recreate a list where that costs fewer calls than its many deletions.
pub(super) fn offer_recreation(input: &PlanInput, contacts: &ContactActions<'_>, plan: &mut SyncPlan) {
    let mut deletions: BTreeMap<i64, u64> = BTreeMap::new();
    for (_, act) in &contacts.actions {
        if let ContactAction::Delete { old } = act {
            *deletions.entry(old.list).or_default() += 1;
        }
    }
    for (id, instead_of) in deletions {
        let Some(list) = input.find_list(id).filter(|list| list.choice.is_none()) else { continue };
        let calls = recreation_price(input, list);
        if calls < instead_of {
            plan.alternatives.push(ListAlternative { list: id, choice: ListChoice::Recreate, calls, instead_of });
        }
    }
}

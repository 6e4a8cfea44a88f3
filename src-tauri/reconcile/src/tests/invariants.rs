//! Tests invariants 1 to 7, 10, 11 and 14, in the order of the design.

use std::collections::BTreeSet;

use roost_model::contact::MergeType;

use super::{
    Tape, assert_always,
    world::{OptOutKey, World, any_row, edit_row},
};
use crate::{
    ensure,
    input::{
        ChangeChoice, ContactChange, LinkChange, ListChoice, OptOutAnswer, OptOutEntry, OptOutTarget, PlanInput,
        PlannedList, RemoteListState, RemoteState,
    },
    merge::{MergeResult, RecordPresence, RowAnswer, merge_rows},
    plan::{ChangeObstacle, PlanNotice, PlanStage, PlanSubject, StepKind, SyncPlan, make_plan},
    row::{ContactRow, SyncField},
};

fn shuffle_items<T>(items: &mut [T], tape: &mut Tape) {
    for at in (1..items.len()).rev() {
        items.swap(at, tape.below(at + 1));
    }
}

#[test]
fn p01_equal_inputs_give_equal_plans_in_whatever_order_they_come() {
    assert_always(|tape| {
        let input = World::any_world(tape).gather_input();
        let mut other = input.clone();
        shuffle_items(&mut other.lists, tape);
        shuffle_items(&mut other.contacts, tape);
        shuffle_items(&mut other.opt_outs, tape);
        shuffle_items(&mut other.links, tape);
        shuffle_items(&mut other.senders, tape);
        other.lists.iter_mut().for_each(|list| shuffle_items(&mut list.taken, tape));
        other.opt_outs.iter_mut().for_each(|group| shuffle_items(&mut group.records, tape));
        let (one, two) = (make_plan(input), make_plan(other));
        ensure!(one.digest() == two.digest(), "{one:#?}\n{two:#?}");
        let text = serde_json::to_string(&one).expect("JSON");
        let read: SyncPlan = serde_json::from_str(&text).map_err(|why| format!("{why}: {text}"))?;
        ensure!(read == one, "read back as {read:#?}");
        Ok(one.steps.len() > 1)
    });
}

/// Returns whether waiting is all that this plan needs to reach agreement.
fn is_clean(plan: &SyncPlan) -> bool {
    let waits = |notice: &PlanNotice| matches!(notice, PlanNotice::Held | PlanNotice::Waiting);
    plan.conflicts.is_empty()
        && plan.blocked.is_empty()
        && plan.quarantine.is_empty()
        && !plan.notes.iter().any(|(_, notice)| waits(notice))
}

#[test]
fn p02_after_push_and_pull_there_is_nothing_left_to_send() {
    assert_always(|tape| {
        let mut world = World::any_world(tape);
        let first = make_plan(world.gather_input());
        world.send_plan(&first, tape);
        world.pull();
        let mut next = make_plan(world.gather_input());
        if is_clean(&first) {
            ensure!(next.has_no_work(), "{first:#?}\nthen\n{next:#?}\n{world:#?}");
            let left = world.gather_input();
            ensure!(left.contacts.is_empty(), "{first:#?} left {:#?}", left.contacts);
            ensure!(left.links.is_empty() && left.senders.is_empty(), "{first:#?} left {left:#?}");
        }
        let is_about_it = is_clean(&first) && !first.steps.is_empty();
        for _ in 0..4 {
            if next.steps.is_empty() {
                return Ok(is_about_it);
            }
            world.send_plan(&next, tape);
            world.pull();
            next = make_plan(world.gather_input());
        }
        ensure!(next.steps.is_empty(), "never ends: {next:#?}");
        Ok(is_about_it)
    });
}

#[test]
fn p03_without_edits_nothing_is_ever_sent() {
    assert_always(|tape| {
        let mut world = World::agreed_world(tape);
        world.disturb_here(tape);
        for _ in 0..4 {
            let next = make_plan(world.gather_input());
            world.send_plan(&next, tape);
            world.pull();
            // The next round would be the same once more.
            if next.steps.is_empty() {
                break;
            }
        }
        world.discard_changes();
        let before = world.contacts.clone();
        for round in 0..3 {
            world.disturb_there(tape);
            world.pull();
            let pulled = make_plan(world.gather_input());
            ensure!(pulled.steps.is_empty(), "round {round}: {pulled:#?}");
            let service = world.service.clone();
            world.send_plan(&pulled, tape);
            ensure!(world.service == service, "round {round}: the service changed");
        }
        Ok(world.contacts != before)
    });
}

/// Returns whether the contact was changed locally. If the service deleted it, the user must also have asked to create
/// it again.
fn is_changed_locally(input: &PlanInput, id: i64) -> bool {
    let Some(change) = input.contacts.iter().find(|change| change.id == id) else { return false };
    let again = change.base.is_some() && change.remote_row().is_none() && change.local.is_some();
    (change.local != change.base || change.was_in.is_some()) && (!again || change.answers.row == Some(RowAnswer::Mine))
}

#[test]
fn p04_every_write_comes_from_a_change_made_here() {
    assert_always(|tape| {
        let input = World::any_world(tape).gather_input();
        let made = make_plan(input.clone());
        let list = |id: &i64| input.lists.iter().find(|list| list.id == *id).expect("known");
        let opt_out = |number: &str, channel, reach: &OptOutTarget| {
            let group = input.opt_outs.iter().find(|group| group.number == number && group.channel == channel);
            group.and_then(|group| group.records.iter().find(|record| record.reach == *reach)).cloned()
        };
        let link = |id: i64| input.links.iter().find(|link| link.id == id);
        for step in &made.steps {
            let wanted = match &step.kind {
                StepKind::Contacts { items, .. } => items.iter().all(|item| is_changed_locally(&input, item.id)),
                StepKind::ContactDelete { id, .. } => is_changed_locally(&input, *id),
                StepKind::ListCreate { list: id, .. } => {
                    list(id).uid.is_none() || list(id).choice == Some(ListChoice::Recreate)
                }
                StepKind::ListDelete { list: id, .. } => {
                    list(id).deleted || list(id).choice == Some(ListChoice::Recreate)
                }
                StepKind::Upload { list: id, .. } => list(id).choice == Some(ListChoice::Recreate),
                StepKind::OptOutCreate { number, channel, asset } => {
                    let reach = asset.clone().map_or(OptOutTarget::Account, OptOutTarget::Asset);
                    opt_out(number, *channel, &reach).is_some_and(|record| {
                        record.local.is_some()
                            && record.remote.resolve(record.base.as_ref()).is_none()
                            && (record.base.is_none() || record.answer == Some(OptOutAnswer::CreateAgain))
                    })
                }
                StepKind::OptOutDelete { channel, asset, numbers } => numbers.iter().all(|number| {
                    let reach = asset.clone().map_or(OptOutTarget::Account, OptOutTarget::Asset);
                    opt_out(number, *channel, &reach)
                        .is_some_and(|record| record.local.is_none() && record.evidence.is_some())
                }),
                StepKind::LinkCreate { id, .. } => {
                    let again = |link: &LinkChange| link.edited && link.choice == Some(ChangeChoice::KeepBoth);
                    link(*id).is_some_and(|link| !link.deleted && (link.uid.is_none() || again(link)))
                }
                StepKind::LinkDelete { id, uid } => {
                    link(*id).is_some_and(|link| link.deleted && link.uid.as_ref() == Some(uid))
                }
                StepKind::SenderDelete { uid } => input.senders.iter().any(|sender| sender.uid == *uid),
            };
            ensure!(wanted, "nobody wanted {step:#?}\n{input:#?}");
        }
        Ok(made.steps.len() > 1)
    });
}

fn release_held(mut input: PlanInput) -> PlanInput {
    input.contacts.iter_mut().for_each(|change| change.held = false);
    input.lists.iter_mut().for_each(|list| list.held = false);
    input.links.iter_mut().for_each(|link| link.held = false);
    input.senders.iter_mut().for_each(|sender| sender.held = false);
    input.opt_outs.iter_mut().flat_map(|group| &mut group.records).for_each(|record| record.held = false);
    input
}

/// Tests that a held record asks nothing of the service, whatever else does.
#[test]
fn p04_what_is_held_is_left_out() {
    assert_always(|tape| {
        let mut input = World::any_world(tape).gather_input();
        let is_deleted = |list: &&mut PlannedList| list.there == RemoteListState::Gone && list.uid.is_some();
        input.lists.iter_mut().filter(is_deleted).for_each(|list| list.choice = Some(ListChoice::Recreate));
        let made = make_plan(input.clone());
        let contact = |id: i64| input.contacts.iter().any(|change| change.id == id && change.held);
        let list = |id: i64| input.lists.iter().any(|list| list.id == id && list.held);
        for step in &made.steps {
            let is_held = match &step.kind {
                StepKind::Contacts { list: to, items, .. } => {
                    let new = input.lists.iter().any(|list| list.id == *to && list.uid.is_none());
                    new && list(*to) || items.iter().any(|item| contact(item.id))
                }
                StepKind::ContactDelete { id, .. } => contact(*id),
                StepKind::ListCreate { list: id, .. } | StepKind::ListDelete { list: id, .. } => list(*id),
                StepKind::Upload { list: id, .. } => {
                    let asks = |change: &&ContactChange| {
                        change.settle_merge(&input.policy).map(|settled| settled.target)
                            != Ok(change.remote_row().cloned())
                    };
                    let mut held = input.contacts.iter().filter(|change| change.held && change.list == *id);
                    list(*id) || held.any(|change| change.local.is_some() && asks(&change))
                }
                StepKind::LinkCreate { id, .. } | StepKind::LinkDelete { id, .. } => {
                    input.links.iter().any(|link| link.id == *id && link.held)
                }
                StepKind::SenderDelete { uid } => input.senders.iter().any(|sender| sender.uid == *uid && sender.held),
                StepKind::OptOutDelete { channel, asset, numbers } => {
                    let reach = asset.clone().map_or(OptOutTarget::Account, OptOutTarget::Asset);
                    let groups = input.opt_outs.iter().filter(|group| group.channel == *channel);
                    groups.filter(|group| numbers.contains(&group.number)).any(|group| {
                        let mut named = group.records.iter().filter(|one| asset.is_none() || one.reach == reach);
                        named.any(|one| one.held && one.remote.resolve(one.base.as_ref()).is_some())
                    })
                }
                StepKind::OptOutCreate { .. } => false,
            };
            ensure!(!is_held, "{step:#?} is held\n{input:#?}");
        }
        Ok(make_plan(release_held(input)).steps != made.steps)
    });
}

#[test]
fn p05_a_field_not_changed_here_is_never_in_a_body() {
    assert_always(|tape| {
        let input = World::any_world(tape).gather_input();
        let made = make_plan(input.clone());
        let mut updates = 0;
        for step in &made.steps {
            let StepKind::Contacts { merge, items, .. } = &step.kind else { continue };
            for item in items {
                updates += u32::from(item.before.is_some());
                let change = input.contacts.iter().find(|change| change.id == item.id).expect("known");
                let (base, local) = (change.base.clone().unwrap_or_default(), change.local.clone().unwrap_or_default());
                let key = match merge {
                    MergeType::MergeByPhone => Some(SyncField::Phone),
                    MergeType::MergeByWhatsapp => Some(SyncField::Whatsapp),
                    _ => None,
                };
                for (field, text) in item.send.iter() {
                    let mine = base.get(field) != local.get(field);
                    let same =
                        item.before.as_ref().or(change.remote_row()).and_then(|row| row.get(field)) == Some(text);
                    let may = match &item.before {
                        Some(_) => mine || (key == Some(field) && same),
                        // A new record carries all values, including those that were not changed locally.
                        None => mine || same || item.before.is_none() && change.remote_row().is_none(),
                    };
                    ensure!(may, "{field:?} of {item:#?} in {step:#?}\n{change:#?}");
                }
                for field in &item.clear {
                    // A value that is missing when a contact is deleted and created again was removed locally.
                    let remade = change.base.is_none() && local.get(*field).is_none();
                    ensure!(remade || base.get(*field) != local.get(*field), "{field:?} is emptied by nobody");
                }
            }
        }
        Ok(updates > 0)
    });
}

#[test]
fn p06_opt_outs_never_shrink_without_evidence() {
    assert_always(|tape| {
        let mut world = World::any_world(tape);
        let (here, there) = (world.opt_outs.clone(), world.service.opt_outs.clone());
        let is_newer = |(key, entry): &(&OptOutKey, &OptOutEntry)| {
            world.base_opt_outs.get(*key).is_some_and(|base| base.time < entry.time)
        };
        let renewed: BTreeSet<OptOutKey> = there.iter().filter(is_newer).map(|(key, _)| key.clone()).collect();
        let mut removals = 0;
        for _ in 0..2 {
            let made = make_plan(world.gather_input());
            removals += made.steps.iter().filter(|step| step.stage == PlanStage::OptOutDelete).count();
            world.send_plan(&made, tape);
            world.pull();
            for key in there.keys() {
                // A removal must not affect a person who opted out again after it was requested.
                let removed = world.evidence.contains_key(key) && !renewed.contains(key);
                ensure!(removed || world.service.opt_outs.contains_key(key), "{key:?} is gone there");
                ensure!(removed || world.opt_outs.contains_key(key), "{key:?} of the service is not here");
            }
            for key in here.keys() {
                ensure!(world.opt_outs.contains_key(key), "{key:?} is gone here");
            }
        }
        let unsaid = there.keys().any(|key| !here.contains_key(key) && !world.evidence.contains_key(key));
        Ok(removals > 0 || unsaid)
    });
}

#[test]
fn p07_a_removal_touches_only_what_was_named() {
    assert_always(|tape| {
        let mut world = World::any_world(tape);
        let made = make_plan(world.gather_input());
        for step in &made.steps {
            if let StepKind::OptOutDelete { channel, asset: Some(asset), .. } = &step.kind {
                ensure!(asset.starts_with(channel.asset_prefix()), "{step:?}");
            }
        }
        let before = world.service.opt_outs.clone();
        let (named, here) = (world.evidence.clone(), world.opt_outs.clone());
        world.send_plan(&made, tape);
        for (key, entry) in before {
            let meant = named.contains_key(&key) && !here.contains_key(&key);
            ensure!(
                meant || world.service.opt_outs.get(&key) == Some(&entry),
                "{key:?} was not named: {:#?}",
                made.steps
            );
        }
        for key in here.keys().filter(|key| !world.base_opt_outs.contains_key(*key)) {
            ensure!(world.service.opt_outs.contains_key(key), "{key:?} was added here and did not stay there");
        }
        Ok(made.steps.iter().any(|step| step.stage == PlanStage::OptOutDelete))
    });
}

#[test]
fn p10_the_order_holds_whatever_comes_first() {
    assert_always(|tape| {
        let mut world = World::any_world(tape);
        let made = make_plan(world.gather_input());
        let trace = world.send_plan(&made, tape);
        ensure!(trace.faults.is_empty(), "{:?}\n{made:#?}", trace.faults);
        ensure!(trace.stages.len() == made.steps.len(), "some were left");
        let last = |stage: PlanStage| trace.stages.iter().rposition(|at| *at == stage);
        let first = |stage: PlanStage| trace.stages.iter().position(|at| *at == stage).unwrap_or(usize::MAX);
        ensure!(last(PlanStage::OptOutCreate) < Some(first(PlanStage::Bulk)), "opt-outs came late: {:?}", trace.stages);
        for stage in PlanStage::ALL.into_iter().filter(|stage| *stage < PlanStage::OptOutDelete) {
            ensure!(last(stage) < Some(first(PlanStage::OptOutDelete)), "removals came early: {:?}", trace.stages);
        }
        for stage in [PlanStage::Bulk, PlanStage::Delete] {
            ensure!(last(stage) < Some(first(PlanStage::ListDelete)), "a list went early: {:?}", trace.stages);
        }
        Ok(made.steps.iter().any(|step| !step.after.is_empty()))
    });
}

#[test]
fn p11_a_conflict_holds_its_own_row_and_nothing_else() {
    assert_always(|tape| {
        let input = World::any_world(tape).gather_input();
        let made = make_plan(input.clone());
        let mut tried = false;
        let recreated =
            |list: i64| input.lists.iter().any(|one| one.id == list && one.choice == Some(ListChoice::Recreate));
        for conflict in &made.conflicts {
            let PlanSubject::Contact { id, list } = conflict.subject else { continue };
            if recreated(list) {
                continue;
            }
            let mut without = input.clone();
            without.contacts.retain(|change| change.id != id);
            let other = make_plan(without);
            ensure!(made.steps == other.steps, "without {id}: {:#?}\n{:#?}", made.steps, other.steps);
            ensure!(made.blocked == other.blocked && made.gates == other.gates, "blocked or gates differ");
            ensure!(made.conflicts.len() == other.conflicts.len() + 1, "other conflicts moved");
            tried |= !made.steps.is_empty();
        }
        Ok(tried)
    });
}

fn mirror_merge(mut merged: MergeResult) -> MergeResult {
    merged.presence = match merged.presence {
        RecordPresence::DeletedByMe => RecordPresence::DeletedByThem,
        RecordPresence::DeletedByThem => RecordPresence::DeletedByMe,
        RecordPresence::Agreed => RecordPresence::Agreed,
    };
    for fork in &mut merged.forks {
        std::mem::swap(&mut fork.mine, &mut fork.theirs);
    }
    merged
}

fn any_optional_row(tape: &mut Tape, from: Option<&ContactRow>) -> Option<ContactRow> {
    match (tape.below(6), from) {
        (0, _) => from.cloned(),
        (1, _) => None,
        (2, _) | (_, None) => Some(any_row(tape)),
        (_, Some(row)) => {
            let mut row = row.clone();
            (0..1 + tape.below(3)).for_each(|_| edit_row(&mut row, tape));
            Some(row)
        }
    }
}

#[test]
fn p14_merging_mirrors_and_an_unchanged_side_yields() {
    assert_always(|tape| {
        let base = any_optional_row(tape, None);
        let (mine, theirs) = (any_optional_row(tape, base.as_ref()), any_optional_row(tape, base.as_ref()));
        let [base, mine, theirs] = [base.as_ref(), mine.as_ref(), theirs.as_ref()];
        let merged = merge_rows(base, mine, theirs);
        ensure!(merged == mirror_merge(merge_rows(base, theirs, mine)), "{merged:?} does not mirror");
        for (one, other) in [(merge_rows(base, base, theirs), theirs), (merge_rows(base, mine, base), mine)] {
            ensure!(
                one == MergeResult { row: other.cloned(), forks: vec![], presence: RecordPresence::Agreed },
                "{one:?}"
            );
        }
        ensure!(merge_rows(base, mine, mine).row.as_ref() == mine, "equal sides agree");
        if let (Some(row), Some(mine), Some(theirs)) = (&merged.row, mine, theirs) {
            let disputed: BTreeSet<SyncField> = merged.forks.iter().map(|fork| fork.field).collect();
            let empty = ContactRow::default();
            let base = base.unwrap_or(&empty);
            for field in super::world::FIELDS.into_iter().chain([SyncField::Phone, SyncField::Whatsapp]) {
                let (b, m, t) = (base.get(field), mine.get(field), theirs.get(field));
                let want = if m == t || t == b { m } else { t };
                let fork = m != t && m != b && t != b;
                ensure!(disputed.contains(&field) == fork, "{field:?} of {merged:?}");
                ensure!(fork || row.get(field) == want, "{field:?}: {want:?} in {merged:?}");
            }
        }
        Ok(!merged.forks.is_empty())
    });
}

#[test]
fn what_the_interface_cannot_express_is_reported_and_never_sent() {
    assert_always(|tape| {
        let input = World::any_world(tape).gather_input();
        let made = make_plan(input.clone());
        for blocked in &made.blocked {
            let (PlanSubject::Contact { id, .. }, ChangeObstacle::Clearing { .. } | ChangeObstacle::Number { .. }) =
                (&blocked.subject, &blocked.obstacle)
            else {
                continue;
            };
            let change = input.contacts.iter().find(|change| change.id == *id).expect("known");
            ensure!(change.choice != Some(ChangeChoice::Replace), "{blocked:?} although it is to be replaced");
            ensure!(!matches!(change.remote, RemoteState::Gone), "{blocked:?} although it is gone");
            ensure!(
                blocked.choices.iter().any(|(choice, _)| *choice == ChangeChoice::Replace),
                "{blocked:?} offers nothing"
            );
        }
        Ok(!made.blocked.is_empty())
    });
}

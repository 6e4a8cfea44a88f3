//! Shows the changes that no call can express, with the possible choices and similar records in one line.

use roost_ops::StoreError;
use roost_reconcile::{
    SyncPlan,
    input::{ChangeChoice, ListChoice},
    plan::{BlockedChange, ChangeObstacle, PlanSubject},
    row::SyncField,
};
use roost_store::tx::ReadTx;
use roost_sync::{
    account::{self, fields},
    probe,
};

use super::lines::{PlanTitles, record_key};
use crate::{PlanBlocked, PlanChoice, PlanObstacle, PlanOption, RecordKey, SyncNoun};

type Result<T> = std::result::Result<T, StoreError>;

/// The parts in which records of one line agree: the obstacle, its fields, and the choices with their prices.
type LineKey = (SyncNoun, PlanObstacle, Vec<String>, Vec<(PlanChoice, u64)>, Option<PlanChoice>);

fn line_key(one: &BlockedChange) -> LineKey {
    let (obstacle, fields) = to_plan_obstacle(&one.obstacle);
    let choices = one.choices.iter().map(|(choice, calls)| (to_plan_choice(*choice), *calls));
    let list_choices = one.list_choices.iter().map(|(choice, calls)| (list_to_plan_choice(*choice), *calls));
    (
        record_key(&one.subject).noun,
        obstacle,
        fields,
        choices.chain(list_choices).collect(),
        one.chosen.map(to_plan_choice),
    )
}

/// Returns all records in the line of this record.
pub(super) fn subjects_in_line(plan: &SyncPlan, wanted: &RecordKey) -> Vec<PlanSubject> {
    let Some(found) = plan.blocked.iter().find(|one| record_key(&one.subject) == *wanted) else { return Vec::new() };
    let line = line_key(found);
    plan.blocked.iter().filter(|one| line_key(one) == line).map(|one| one.subject.clone()).collect()
}

/// Returns the blocked changes that a choice would settle, record by record.
pub(super) fn open_changes(tx: &ReadTx, plan: &SyncPlan) -> Result<Vec<PlanBlocked>> {
    let mut titles = PlanTitles::new(tx);
    let is_open =
        |one: &&BlockedChange| one.chosen.is_none() && !(one.choices.is_empty() && one.list_choices.is_empty());
    let open = plan.blocked.iter().filter(is_open).map(|one| build_blocked(&mut titles, one, line_key(one)));
    name_field_obstacles(tx, open.collect::<Result<_>>()?)
}

/// Distinguishes fields that the service does not have from those of which nothing is known yet, and from those
/// that may mean something else there.
fn name_field_obstacles(tx: &ReadTx, mut all: Vec<PlanBlocked>) -> Result<Vec<PlanBlocked>> {
    let mut unknown = all.iter_mut().filter(|one| one.obstacle == PlanObstacle::UnknownField).peekable();
    if unknown.peek().is_none() {
        return Ok(all);
    }
    let clashes: Vec<String> =
        fields::open_clashes(tx)?.into_keys().map(|number| SyncField::Custom(number).name().into_owned()).collect();
    let is_checked = probe::has_found(tx, account::CUSTOM_FIELDS)?;
    for one in unknown {
        if one.fields.iter().any(|field| clashes.contains(field)) {
            one.obstacle = PlanObstacle::ClashingField;
        } else if !is_checked {
            one.obstacle = PlanObstacle::UncheckedField;
        }
    }
    Ok(all)
}

fn build_blocked(titles: &mut PlanTitles<'_>, one: &BlockedChange, alike: LineKey) -> Result<PlanBlocked> {
    let (_, obstacle, fields, choices, chosen) = alike;
    Ok(PlanBlocked {
        key: record_key(&one.subject),
        title: titles.subject_title(&one.subject)?,
        obstacle,
        fields,
        count: 1,
        choices: choices.into_iter().map(|(choice, calls)| PlanOption { choice, calls }).collect(),
        chosen,
    })
}

/// Groups the blocked changes of a plan into lines.
pub(super) fn group_blocked(tx: &ReadTx, titles: &mut PlanTitles<'_>, plan: &SyncPlan) -> Result<Vec<PlanBlocked>> {
    let mut shown: Vec<PlanBlocked> = Vec::new();
    let mut at: Vec<LineKey> = Vec::new();
    for one in &plan.blocked {
        let line = line_key(one);
        if let Some(known) = at.iter().position(|known| *known == line) {
            shown[known].count += 1;
            continue;
        }
        at.push(line.clone());
        shown.push(build_blocked(titles, one, line)?);
    }
    name_field_obstacles(tx, shown)
}

fn to_plan_obstacle(obstacle: &ChangeObstacle) -> (PlanObstacle, Vec<String>) {
    let names = |fields: &[SyncField]| fields.iter().map(|field| field.name().into_owned()).collect();
    match obstacle {
        ChangeObstacle::Clearing { fields } => (PlanObstacle::Clearing, names(fields)),
        ChangeObstacle::Number { fields } => (PlanObstacle::Number, names(fields)),
        ChangeObstacle::UnknownField { fields } => (PlanObstacle::UnknownField, names(fields)),
        ChangeObstacle::NoKey => (PlanObstacle::NoKey, Vec::new()),
        ChangeObstacle::KeyTaken { .. } => (PlanObstacle::KeyTaken, Vec::new()),
        ChangeObstacle::Rename => (PlanObstacle::Rename, Vec::new()),
        ChangeObstacle::LinkEdit => (PlanObstacle::LinkEdit, Vec::new()),
        ChangeObstacle::OnlyAccountLevel { .. } => (PlanObstacle::OnlyAccountLevel, Vec::new()),
        ChangeObstacle::UnnamedAsset => (PlanObstacle::UnnamedAsset, Vec::new()),
        ChangeObstacle::ConflictsInside => (PlanObstacle::ConflictsInside, Vec::new()),
    }
}

fn to_plan_choice(choice: ChangeChoice) -> PlanChoice {
    match choice {
        ChangeChoice::KeepLocal => PlanChoice::KeepLocal,
        ChangeChoice::Replace => PlanChoice::Replace,
        ChangeChoice::KeepBoth => PlanChoice::KeepBoth,
        ChangeChoice::Discard => PlanChoice::Discard,
    }
}

pub(super) fn list_to_plan_choice(choice: ListChoice) -> PlanChoice {
    match choice {
        ListChoice::Alias => PlanChoice::Alias,
        ListChoice::Recreate => PlanChoice::Recreate,
        ListChoice::Discard => PlanChoice::Discard,
        ListChoice::DeleteAnyway => PlanChoice::DeleteAnyway,
    }
}

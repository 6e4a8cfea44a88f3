//! Shows the changes that no call can express, with the possible choices and similar records in one line.

use roost_ops::StoreError;
use roost_reconcile::{
    Plan,
    input::{Choice, ListChoice},
    plan::{Blocked, Obstacle, Subject},
    row::Field,
};
use roost_store::tx::ReadTx;

use super::{
    super::{PlanBlocked, PlanChoice, PlanObstacle, PlanOption, RecordKey, SyncNoun},
    lines::{Titles, key},
};

type Result<T> = std::result::Result<T, StoreError>;

/// The parts in which records of one line agree: the obstacle, its fields, and the choices with their prices.
type Alike = (SyncNoun, PlanObstacle, Vec<String>, Vec<(PlanChoice, u64)>, Option<PlanChoice>);

fn alike_of(one: &Blocked) -> Alike {
    let (obstacle, fields) = obstacle(&one.obstacle);
    let choices = one.choices.iter().map(|(choice, calls)| (of_record(*choice), *calls));
    let list_choices = one.list_choices.iter().map(|(choice, calls)| (of_list(*choice), *calls));
    (key(&one.subject).noun, obstacle, fields, choices.chain(list_choices).collect(), one.chosen.map(of_record))
}

/// Returns all records in the line of this record.
pub fn alike(plan: &Plan, wanted: &RecordKey) -> Vec<Subject> {
    let Some(found) = plan.blocked.iter().find(|one| key(&one.subject) == *wanted) else { return Vec::new() };
    let line = alike_of(found);
    plan.blocked.iter().filter(|one| alike_of(one) == line).map(|one| one.subject.clone()).collect()
}

/// Returns the blocked changes that a choice would settle, record by record.
pub fn open(tx: &ReadTx, plan: &Plan) -> Result<Vec<PlanBlocked>> {
    let mut titles = Titles::new(tx);
    let is_open = |one: &&Blocked| one.chosen.is_none() && !(one.choices.is_empty() && one.list_choices.is_empty());
    plan.blocked.iter().filter(is_open).map(|one| blocked_one(&mut titles, one, alike_of(one))).collect()
}

fn blocked_one(titles: &mut Titles<'_>, one: &Blocked, alike: Alike) -> Result<PlanBlocked> {
    let (_, obstacle, fields, choices, chosen) = alike;
    Ok(PlanBlocked {
        key: key(&one.subject),
        title: titles.subject(&one.subject)?,
        obstacle,
        fields,
        count: 1,
        choices: choices.into_iter().map(|(choice, calls)| PlanOption { choice, calls }).collect(),
        chosen,
    })
}

/// Groups the blocked changes of a plan into lines.
pub fn shown(titles: &mut Titles<'_>, plan: &Plan) -> Result<Vec<PlanBlocked>> {
    let mut shown: Vec<PlanBlocked> = Vec::new();
    let mut at: Vec<Alike> = Vec::new();
    for one in &plan.blocked {
        let line = alike_of(one);
        if let Some(known) = at.iter().position(|known| *known == line) {
            shown[known].count += 1;
            continue;
        }
        at.push(line.clone());
        shown.push(blocked_one(titles, one, line)?);
    }
    Ok(shown)
}

fn obstacle(obstacle: &Obstacle) -> (PlanObstacle, Vec<String>) {
    let names = |fields: &[Field]| fields.iter().map(|field| field.name().into_owned()).collect();
    match obstacle {
        Obstacle::Clearing { fields } => (PlanObstacle::Clearing, names(fields)),
        Obstacle::Number { fields } => (PlanObstacle::Number, names(fields)),
        Obstacle::UnknownField { fields } => (PlanObstacle::UnknownField, names(fields)),
        Obstacle::NoKey => (PlanObstacle::NoKey, Vec::new()),
        Obstacle::KeyTaken { .. } => (PlanObstacle::KeyTaken, Vec::new()),
        Obstacle::Rename => (PlanObstacle::Rename, Vec::new()),
        Obstacle::LinkEdit => (PlanObstacle::LinkEdit, Vec::new()),
        Obstacle::OnlyAccountLevel { .. } => (PlanObstacle::OnlyAccountLevel, Vec::new()),
        Obstacle::UnnamedAsset => (PlanObstacle::UnnamedAsset, Vec::new()),
        Obstacle::ConflictsInside => (PlanObstacle::ConflictsInside, Vec::new()),
    }
}

fn of_record(choice: Choice) -> PlanChoice {
    match choice {
        Choice::KeepLocal => PlanChoice::KeepLocal,
        Choice::Replace => PlanChoice::Replace,
        Choice::KeepBoth => PlanChoice::KeepBoth,
        Choice::Discard => PlanChoice::Discard,
    }
}

pub fn of_list(choice: ListChoice) -> PlanChoice {
    match choice {
        ListChoice::Alias => PlanChoice::Alias,
        ListChoice::Recreate => PlanChoice::Recreate,
        ListChoice::Discard => PlanChoice::Discard,
        ListChoice::DeleteAnyway => PlanChoice::DeleteAnyway,
    }
}

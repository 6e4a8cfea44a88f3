//! Builds the rows of the page of conflicts: both sides, and the answers so far.

use roost_ops::StoreError;
use roost_reconcile::{
    Row,
    input::ContactChange,
    merge::{self, Answer as Chosen, Dispute, Fork, Policy},
    row::Field,
};
use roost_store::{
    tables::sync::{
        Place,
        changes::{self, There},
    },
    tx::ReadTx,
};

use super::{
    super::{
        ConflictAnswer, ConflictFork, ConflictRow, DisputeKind, RecordChoice, RecordKey, SyncNoun, SyncValue,
        titles::{self, Fields},
    },
    found::{Disputed, change, inside},
};
use crate::cells;

/// A row of the page. Lists come first, since most depends on them.
pub(super) enum Line<'d> {
    List(i64, Option<RecordChoice>),
    OptOut(&'d str, Option<RecordChoice>),
    Contact(&'d Disputed),
}

/// Builds a row, or returns `None` if its conflict is settled meanwhile.
pub(super) fn row(
    tx: &ReadTx,
    fields: &Fields,
    policy: &Policy,
    line: &Line<'_>,
) -> Result<Option<ConflictRow>, StoreError> {
    match line {
        Line::List(id, choice) => {
            let list = changes::one::<i64>(tx, Place::Lists, *id)?;
            let text = list.local.as_deref().or(list.base.as_deref()).unwrap_or("{}");
            Ok(Some(ConflictRow {
                key: RecordKey::of(SyncNoun::List, id),
                title: titles::record(SyncNoun::List, "", text),
                list: titles::list(tx, *id)?,
                dispute: if list.there == There::Gone { DisputeKind::ListGone } else { DisputeKind::ListChanged },
                forks: Vec::new(),
                agreed: Vec::new(),
                rows: Some(inside(tx, *id)?),
                choice: *choice,
                uid: list.uid,
            }))
        }
        Line::OptOut(id, choice) => Ok(Some(ConflictRow {
            key: RecordKey::of(SyncNoun::OptOut, id),
            uid: None,
            title: titles::record(SyncNoun::OptOut, id, "{}"),
            list: None,
            dispute: DisputeKind::OptOutGone,
            forks: Vec::new(),
            agreed: Vec::new(),
            rows: None,
            choice: *choice,
        })),
        Line::Contact(one) => contact(tx, fields, policy, one.id),
    }
}

fn contact(tx: &ReadTx, fields: &Fields, policy: &Policy, id: i64) -> Result<Option<ConflictRow>, StoreError> {
    let change = change(tx, id)?;
    let Err(dispute) = change.settle(policy) else { return Ok(None) };
    let answer =
        |field: Field| change.answers.fields.iter().find(|(known, _)| *known == field).map(|(_, answer)| answer);
    let (kind, forks, agreed) = match &dispute {
        Dispute::DeletedThere => (DisputeKind::DeletedThere, edits(&change), change.local.clone().unwrap_or_default()),
        Dispute::Fields { forks: open } => {
            let merged = merge::merge3(change.base.as_ref(), change.local.as_ref(), change.there());
            let is_shown = |fork: &Fork| answer(fork.field).is_some() || open.iter().any(|one| one.field == fork.field);
            let forks: Vec<Fork> = merged.forks.into_iter().filter(is_shown).collect();
            (DisputeKind::Fields, forks, merged.row.unwrap_or_default())
        }
    };
    let text = change.local.as_ref().or(change.base.as_ref()).map_or_else(|| "{}".to_owned(), cells::of);
    let is_forked = |field: Field| forks.iter().any(|fork| fork.field == field);
    let agreed = agreed.iter().filter(|(field, _)| !is_forked(*field)).map(|(field, value)| SyncValue {
        title: fields.title(&field.name()),
        field: field.name().into_owned(),
        value: Some(value.to_owned()),
    });
    Ok(Some(ConflictRow {
        key: RecordKey::of(SyncNoun::Contact, id),
        title: titles::contact(&text),
        list: titles::list(tx, change.list)?,
        dispute: kind,
        agreed: agreed.collect(),
        forks: forks
            .iter()
            .map(|fork| ConflictFork {
                title: fields.title(&fork.field.name()),
                answer: answer(fork.field).map(shown),
                field: fork.field.name().into_owned(),
                base: fork.base.clone(),
                mine: fork.mine.clone(),
                theirs: fork.theirs.clone(),
            })
            .collect(),
        rows: None,
        choice: None,
        uid: change.uid.clone(),
    }))
}

/// Returns the local edits of a contact that the service deleted.
fn edits(change: &ContactChange) -> Vec<Fork> {
    let empty = Row::default();
    let (base, local) = (change.base.as_ref().unwrap_or(&empty), change.local.as_ref().unwrap_or(&empty));
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let fork = |field, from, to| Fork { field, base: owned(from), mine: owned(to), theirs: None };
    base.differences(local).into_iter().map(|one| fork(one.field, one.from, one.to)).collect()
}

fn shown(answer: &Chosen) -> ConflictAnswer {
    match answer {
        Chosen::Mine => ConflictAnswer::Mine,
        Chosen::Theirs => ConflictAnswer::Theirs,
        Chosen::Base => ConflictAnswer::Base,
        Chosen::Value(value) => ConflictAnswer::Value { value: value.clone() },
    }
}

//! Builds the rows of the page of conflicts: both sides, and the answers so far.

use roost_ops::StoreError;
use roost_reconcile::{
    ContactRow,
    input::ContactChange,
    merge::{self, FieldFork, ForkAnswer, MergeDispute, MergePolicy},
    row::SyncField,
};
use roost_store::{
    tables::sync::{
        SyncedTable,
        changes::{self, ServiceState},
        local,
    },
    tx::ReadTx,
};
use roost_sync::account::cells;

use super::open_conflicts::{ContactConflict, count_changes_inside, read_change};
use crate::{
    ConflictAnswer, ConflictFork, ConflictRow, DisputeKind, RecordChoice, RecordKey, SyncNoun, SyncValue,
    titles::{self, FieldTitles},
};

/// A row of the page. Lists come first, since most depends on them.
pub(super) enum ConflictLine<'d> {
    List(i64, Option<RecordChoice>),
    OptOut(&'d str, Option<RecordChoice>),
    Contact(&'d ContactConflict),
}

/// Builds a row, or returns `None` if its conflict is settled meanwhile.
pub(super) fn build_row(
    tx: &ReadTx,
    fields: &FieldTitles,
    policy: &MergePolicy,
    line: &ConflictLine<'_>,
) -> Result<Option<ConflictRow>, StoreError> {
    match line {
        ConflictLine::List(id, choice) => {
            let list = changes::read_record::<i64>(tx, SyncedTable::Lists, *id)?;
            let text = list.local.as_deref().or(list.base.as_deref()).unwrap_or("{}");
            Ok(Some(ConflictRow {
                key: RecordKey::new(SyncNoun::List, id),
                title: titles::record_title(SyncNoun::List, "", text),
                list: titles::find_list(tx, *id)?,
                dispute: if list.at_service == ServiceState::Deleted {
                    DisputeKind::ListGone
                } else {
                    DisputeKind::ListChanged
                },
                forks: Vec::new(),
                agreed: Vec::new(),
                rows: Some(count_changes_inside(tx, *id)?),
                contacts: local::read_list(tx, *id)?.map(|(_, count)| count),
                choice: *choice,
                uid: list.uid,
            }))
        }
        ConflictLine::OptOut(id, choice) => Ok(Some(ConflictRow {
            key: RecordKey::new(SyncNoun::OptOut, id),
            uid: None,
            title: titles::record_title(SyncNoun::OptOut, id, "{}"),
            list: None,
            dispute: DisputeKind::OptOutGone,
            forks: Vec::new(),
            agreed: Vec::new(),
            rows: None,
            contacts: None,
            choice: *choice,
        })),
        ConflictLine::Contact(one) => build_contact_row(tx, fields, policy, one.id),
    }
}

fn build_contact_row(
    tx: &ReadTx,
    fields: &FieldTitles,
    policy: &MergePolicy,
    id: i64,
) -> Result<Option<ConflictRow>, StoreError> {
    let change = read_change(tx, id)?;
    let Err(dispute) = change.settle_merge(policy) else { return Ok(None) };
    let answer =
        |field: SyncField| change.answers.fields.iter().find(|(known, _)| *known == field).map(|(_, answer)| answer);
    let (kind, forks, agreed) = match &dispute {
        MergeDispute::DeletedThere => {
            (DisputeKind::DeletedThere, local_edits(&change), change.local.clone().unwrap_or_default())
        }
        MergeDispute::Fields { forks: open } => {
            let merged = merge::merge_rows(change.base.as_ref(), change.local.as_ref(), change.remote_row());
            let is_shown =
                |fork: &FieldFork| answer(fork.field).is_some() || open.iter().any(|one| one.field == fork.field);
            let forks: Vec<FieldFork> = merged.forks.into_iter().filter(is_shown).collect();
            (DisputeKind::Fields, forks, merged.row.unwrap_or_default())
        }
    };
    let text = change.local.as_ref().or(change.base.as_ref()).map_or_else(|| "{}".to_owned(), cells::to_cells);
    let is_forked = |field: SyncField| forks.iter().any(|fork| fork.field == field);
    let agreed = agreed.iter().filter(|(field, _)| !is_forked(*field)).map(|(field, value)| SyncValue {
        title: fields.title(&field.name()),
        field: field.name().into_owned(),
        value: Some(value.to_owned()),
    });
    Ok(Some(ConflictRow {
        key: RecordKey::new(SyncNoun::Contact, id),
        title: cells::contact_title(&text),
        list: titles::find_list(tx, change.list)?,
        dispute: kind,
        agreed: agreed.collect(),
        forks: forks
            .iter()
            .map(|fork| ConflictFork {
                title: fields.title(&fork.field.name()),
                answer: answer(fork.field).map(to_conflict_answer),
                field: fork.field.name().into_owned(),
                base: fork.base.clone(),
                mine: fork.mine.clone(),
                theirs: fork.theirs.clone(),
            })
            .collect(),
        rows: None,
        contacts: None,
        choice: None,
        uid: change.uid.clone(),
    }))
}

/// Returns the local edits of a contact that the service deleted.
fn local_edits(change: &ContactChange) -> Vec<FieldFork> {
    let empty = ContactRow::default();
    let (base, local) = (change.base.as_ref().unwrap_or(&empty), change.local.as_ref().unwrap_or(&empty));
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let fork = |field, from, to| FieldFork { field, base: owned(from), mine: owned(to), theirs: None };
    base.differences(local).into_iter().map(|one| fork(one.field, one.from, one.to)).collect()
}

fn to_conflict_answer(answer: &ForkAnswer) -> ConflictAnswer {
    match answer {
        ForkAnswer::Mine => ConflictAnswer::Mine,
        ForkAnswer::Theirs => ConflictAnswer::Theirs,
        ForkAnswer::Base => ConflictAnswer::Base,
        ForkAnswer::Value(value) => ConflictAnswer::Value { value: value.clone() },
    }
}

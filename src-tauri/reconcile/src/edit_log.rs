//! Treats edits as a log: inverts them, reduces them to their net effect, and computes the edits that undo a pushed
//! run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::row::{ContactRow, SyncField};

/// Contacts by their local id.
pub type ContactsById = BTreeMap<i64, ContactRow>;

/// One edit in the log of local edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactEdit {
    Created { id: i64, row: ContactRow },
    Deleted { id: i64, row: ContactRow },
    CellChanged { id: i64, field: SyncField, before: Option<String>, after: Option<String> },
}

impl ContactEdit {
    pub fn id(&self) -> i64 {
        match self {
            Self::Created { id, .. } | Self::Deleted { id, .. } | Self::CellChanged { id, .. } => *id,
        }
    }

    #[must_use]
    pub fn into_inverse(self) -> Self {
        match self {
            Self::Created { id, row } => Self::Deleted { id, row },
            Self::Deleted { id, row } => Self::Created { id, row },
            Self::CellChanged { id, field, before, after } => {
                Self::CellChanged { id, field, before: after, after: before }
            }
        }
    }

    fn apply_to(&self, row: Option<ContactRow>) -> Option<ContactRow> {
        match self {
            Self::Created { row, .. } => Some(row.clone()),
            Self::Deleted { .. } => None,
            Self::CellChanged { field, after, .. } => row.map(|mut row| {
                row.set(*field, after.as_deref());
                row
            }),
        }
    }
}

/// Applies the changes one after the other.
pub fn replay_log(view: &mut ContactsById, log: &[ContactEdit]) {
    for change in log {
        let row = view.remove(&change.id());
        if let Some(row) = change.apply_to(row) {
            view.insert(change.id(), row);
        }
    }
}

/// Returns the transaction that undoes `log`: the inverse of each change, last first.
pub fn invert_log(log: &[ContactEdit]) -> Vec<ContactEdit> {
    log.iter().rev().cloned().map(ContactEdit::into_inverse).collect()
}

/// The net effect of a log on one contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetChange {
    pub before: Option<ContactRow>,
    pub after: Option<ContactRow>,
}

/// Reduces a log to its net effect on each contact. A contact that is back in its initial state is left out.
pub fn coalesce_log(base: &ContactsById, log: &[ContactEdit]) -> BTreeMap<i64, NetChange> {
    let mut dirty: BTreeMap<i64, NetChange> = BTreeMap::new();
    for change in log {
        let before = || base.get(&change.id()).cloned();
        let net = dirty.entry(change.id()).or_insert_with(|| NetChange { before: before(), after: before() });
        net.after = change.apply_to(net.after.take());
    }
    dirty.retain(|_, net| net.before != net.after);
    dirty
}

/// A contact as a run changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushedContact {
    pub id: i64,
    pub before: Option<ContactRow>,
    pub after: Option<ContactRow>,
}

/// A loss that undoing a run cannot avoid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "lost", rename_all = "snake_case")]
pub enum UndoLoss {
    /// The contact is created again with another identifier and another creation date.
    Identity { id: i64 },
    /// These fields were empty, and the interface cannot clear a value.
    Empty { id: i64, fields: Vec<SyncField> },
    /// Somebody changed these fields since. Their values stay.
    ChangedSince { id: i64, fields: Vec<SyncField> },
}

/// Returns the local edits that undo a run, to be reviewed and planned like any others. Values that were changed since
/// the run are left alone.
pub fn compensate_run(pushed: &[PushedContact], now: &ContactsById) -> (Vec<ContactEdit>, Vec<UndoLoss>) {
    let (mut changes, mut lost) = (Vec::new(), Vec::new());
    for PushedContact { id, before, after } in pushed {
        let id = *id;
        match (before, after, now.get(&id)) {
            (Some(before), None, None) => {
                changes.push(ContactEdit::Created { id, row: before.clone() });
                lost.push(UndoLoss::Identity { id });
            }
            (None, Some(after), Some(row)) if after == row => {
                changes.push(ContactEdit::Deleted { id, row: row.clone() })
            }
            (Some(before), Some(after), Some(row)) => {
                let (mut empty, mut since) = (Vec::new(), Vec::new());
                for difference in after.differences(before) {
                    let field = difference.field;
                    if row.get(field) != difference.from {
                        since.push(field);
                        continue;
                    }
                    if difference.to.is_none() {
                        empty.push(field);
                    }
                    let owned = |text: Option<&str>| text.map(str::to_owned);
                    changes.push(ContactEdit::CellChanged {
                        id,
                        field,
                        before: owned(difference.from),
                        after: owned(difference.to),
                    });
                }
                if !empty.is_empty() {
                    lost.push(UndoLoss::Empty { id, fields: empty });
                }
                if !since.is_empty() {
                    lost.push(UndoLoss::ChangedSince { id, fields: since });
                }
            }
            (None, None, _) => {}
            _ => lost.push(UndoLoss::ChangedSince { id, fields: Vec::new() }),
        }
    }
    (changes, lost)
}

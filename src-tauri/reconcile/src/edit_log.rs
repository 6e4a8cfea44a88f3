//! Computes the local edits that undo a pushed run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::row::{ContactRow, SyncField};

/// Contacts by their local id.
pub type ContactsById = BTreeMap<i64, ContactRow>;

/// One local edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactEdit {
    Created { id: i64, row: ContactRow },
    Deleted { id: i64, row: ContactRow },
    CellChanged { id: i64, field: SyncField, before: Option<String>, after: Option<String> },
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

//! Treats edits as a log: inverts them, reduces them to their net effect, and computes the edits that undo a pushed
//! run.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::row::{Field, Row};

/// Contacts by their local id.
pub type View = BTreeMap<i64, Row>;

/// One edit in the log of local edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Made { id: i64, row: Row },
    Gone { id: i64, row: Row },
    Cell { id: i64, field: Field, before: Option<String>, after: Option<String> },
}

impl Change {
    pub fn id(&self) -> i64 {
        match self {
            Self::Made { id, .. } | Self::Gone { id, .. } | Self::Cell { id, .. } => *id,
        }
    }

    #[must_use]
    pub fn inverse(self) -> Self {
        match self {
            Self::Made { id, row } => Self::Gone { id, row },
            Self::Gone { id, row } => Self::Made { id, row },
            Self::Cell { id, field, before, after } => Self::Cell { id, field, before: after, after: before },
        }
    }

    fn act(&self, row: Option<Row>) -> Option<Row> {
        match self {
            Self::Made { row, .. } => Some(row.clone()),
            Self::Gone { .. } => None,
            Self::Cell { field, after, .. } => row.map(|mut row| {
                row.set(*field, after.as_deref());
                row
            }),
        }
    }
}

/// Applies the changes one after the other.
pub fn replay(view: &mut View, log: &[Change]) {
    for change in log {
        let row = view.remove(&change.id());
        if let Some(row) = change.act(row) {
            view.insert(change.id(), row);
        }
    }
}

/// Returns the transaction that undoes `log`: the inverse of each change, last first.
pub fn inverse(log: &[Change]) -> Vec<Change> {
    log.iter().rev().cloned().map(Change::inverse).collect()
}

/// The net effect of a log on one contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Net {
    pub before: Option<Row>,
    pub after: Option<Row>,
}

/// Reduces a log to its net effect on each contact. A contact that is back in its initial state is left out.
pub fn coalesce(base: &View, log: &[Change]) -> BTreeMap<i64, Net> {
    let mut dirty: BTreeMap<i64, Net> = BTreeMap::new();
    for change in log {
        let before = || base.get(&change.id()).cloned();
        let net = dirty.entry(change.id()).or_insert_with(|| Net { before: before(), after: before() });
        net.after = change.act(net.after.take());
    }
    dirty.retain(|_, net| net.before != net.after);
    dirty
}

/// A contact as a run changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pushed {
    pub id: i64,
    pub before: Option<Row>,
    pub after: Option<Row>,
}

/// A loss that undoing a run cannot avoid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "lost", rename_all = "snake_case")]
pub enum Lost {
    /// The contact is created again with another identifier and another creation date.
    Identity { id: i64 },
    /// These fields were empty, and the interface cannot clear a value.
    Empty { id: i64, fields: Vec<Field> },
    /// Somebody changed these fields since. Their values stay.
    ChangedSince { id: i64, fields: Vec<Field> },
}

/// Returns the local edits that undo a run, to be reviewed and planned like any others. Values that were changed since
/// the run are left alone.
pub fn compensate(pushed: &[Pushed], now: &View) -> (Vec<Change>, Vec<Lost>) {
    let (mut changes, mut lost) = (Vec::new(), Vec::new());
    for Pushed { id, before, after } in pushed {
        let id = *id;
        match (before, after, now.get(&id)) {
            (Some(before), None, None) => {
                changes.push(Change::Made { id, row: before.clone() });
                lost.push(Lost::Identity { id });
            }
            (None, Some(after), Some(row)) if after == row => changes.push(Change::Gone { id, row: row.clone() }),
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
                    changes.push(Change::Cell {
                        id,
                        field,
                        before: owned(difference.from),
                        after: owned(difference.to),
                    });
                }
                if !empty.is_empty() {
                    lost.push(Lost::Empty { id, fields: empty });
                }
                if !since.is_empty() {
                    lost.push(Lost::ChangedSince { id, fields: since });
                }
            }
            (None, None, _) => {}
            _ => lost.push(Lost::ChangedSince { id, fields: Vec::new() }),
        }
    }
    (changes, lost)
}

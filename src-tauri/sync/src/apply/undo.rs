//! Undoes a run by local edits, which are reviewed, planned and pushed like any others.

use std::collections::BTreeMap;

use roost_model::id::ContactId;
use roost_ops::{Actor, Core, Error, Noun};
use roost_reconcile::{
    ContactRow,
    edit_log::{ContactEdit, ContactsById, PushedContact, UndoLoss, compensate_run},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry},
    tables::sync::{
        SyncedTable, audit, changes,
        local::{self, AddedContact, ServiceTimes},
    },
    tx::{ActDescription, ReadTx},
};
use serde::Serialize;
use serde_json::Value;

use crate::cells;

/// The number of entries of the audit record read at once.
const ENTRIES_PER_READ: u32 = 100;

/// Returns what a run did to each contact, and the list of each.
fn read_pushed_contacts(core: &Core, run: i64) -> Result<(Vec<PushedContact>, BTreeMap<i64, i64>), Error> {
    let (mut all, mut lists): (BTreeMap<i64, PushedContact>, BTreeMap<i64, i64>) = Default::default();
    let mut behind = 0;
    loop {
        let entries = core.read(|tx| Ok(audit::read_after(tx, behind, Some(run), ENTRIES_PER_READ)?))?;
        let Some(last) = entries.last() else { return Ok((all.into_values().collect(), lists)) };
        behind = last.seq;
        for entry in &entries {
            let body: Value = serde_json::from_str(&entry.body).unwrap_or_default();
            let each = |key: &str| body[key].as_array().cloned().unwrap_or_default();
            let row = |value: &Value| serde_json::from_value::<ContactRow>(value.clone()).ok();
            let rows = each("rows").into_iter().map(|one| (one, true));
            for (one, stands) in rows.chain(each("gone").into_iter().map(|one| (one, false))) {
                let Some(id) = one["id"].as_i64() else { continue };
                let known = all.entry(id).or_insert(PushedContact { id, before: None, after: None });
                known.before = known.before.take().or_else(|| row(&one["before"]));
                // A recreated contact occurs twice: as a new record with other values, and as a deleted one.
                known.after = if stands { row(&one["cells"]) } else { known.after.take() };
                lists.extend(body["list"].as_i64().map(|list| (id, list)));
            }
        }
    }
}

/// The local effect of undoing a run, and the losses that no later push can repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UndoPreview {
    /// The number of edits of contacts.
    pub count: u64,
    pub lost: Vec<UndoLoss>,
}

/// Returns the present local state of the contacts of a run.
fn read_present_contacts(tx: &ReadTx, pushed: &[PushedContact]) -> Result<ContactsById, Error> {
    let mut view = ContactsById::new();
    for one in pushed {
        let here = changes::read_record::<i64>(tx, SyncedTable::Contacts, one.id)?.local;
        view.extend(here.map(|text| (one.id, cells::parse_row(&text))));
    }
    Ok(view)
}

/// Returns what [`undo_run`] would do.
pub fn preview_undo(core: &Core, run: i64) -> Result<UndoPreview, Error> {
    let (pushed, _) = read_pushed_contacts(core, run)?;
    let (edits, lost) = compensate_run(&pushed, &core.read(|tx| read_present_contacts(tx, &pushed))?);
    Ok(UndoPreview { count: edits.len() as u64, lost })
}

/// Undoes locally what a run pushed, as one step.
pub fn undo_run(core: &Core, by: &Actor, run: i64) -> Result<UndoPreview, Error> {
    let (pushed, lists) = read_pushed_contacts(core, run)?;
    let now = core.ctx().now();
    core.write(by, |tx| {
        let mut view = read_present_contacts(tx, &pushed)?;
        let (edits, lost) = compensate_run(&pushed, &view);
        let count = edits.len() as u64;
        for edit in edits {
            match edit {
                ContactEdit::Created { id, row } => {
                    let Some(list) = lists.get(&id).copied() else { continue };
                    let uid = ContactId::new(core.ctx().ksuid(now));
                    let (uid, cells) = (uid.as_str(), cells::to_cells(&row));
                    local::add_contact(
                        tx,
                        AddedContact { id: Some(id), list, uid, cells: &cells, times: ServiceTimes::default() },
                        now,
                    )?;
                }
                ContactEdit::Deleted { id, .. } => local::remove_contact(tx, id, now)?,
                ContactEdit::CellChanged { id, field, after, .. } => {
                    if let Some(row) = view.get_mut(&id) {
                        row.set(field, after.as_deref());
                        local::set_contact(tx, id, &cells::to_cells(row), Some(now.unix()))?;
                    }
                }
            }
        }
        if count > 0 {
            tx.describe_act(ActDescription::new("sync_undo").with_subject(run.to_string()).with_count(count));
            tx.log_change(ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Updated, count));
        }
        Ok(UndoPreview { count, lost })
    })
}

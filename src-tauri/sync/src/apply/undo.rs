//! Undoes a run by local edits, which are reviewed, planned and pushed like any others.

use std::collections::BTreeMap;

use roost_model::id::ContactId;
use roost_ops::{By, Core, Error, Noun};
use roost_reconcile::{
    Row,
    log::{Change, Lost, Pushed, View, compensate},
};
use roost_store::{
    change_log::{Action, Change as Told},
    tables::{
        steps::Act,
        sync::{
            Place, audit, changes,
            local::{self, Added, Times},
        },
    },
    tx::ReadTx,
};
use serde::Serialize;
use serde_json::Value;

use crate::cells;

/// The number of entries of the audit record read at once.
const STRETCH: u32 = 100;

/// Returns what a run did to each contact, and the list of each.
fn pushed(core: &Core, run: i64) -> Result<(Vec<Pushed>, BTreeMap<i64, i64>), Error> {
    let (mut all, mut lists): (BTreeMap<i64, Pushed>, BTreeMap<i64, i64>) = Default::default();
    let mut behind = 0;
    loop {
        let entries = core.read(|tx| Ok(audit::behind(tx, behind, Some(run), STRETCH)?))?;
        let Some(last) = entries.last() else { return Ok((all.into_values().collect(), lists)) };
        behind = last.seq;
        for entry in &entries {
            let body: Value = serde_json::from_str(&entry.body).unwrap_or_default();
            let each = |key: &str| body[key].as_array().cloned().unwrap_or_default();
            let row = |value: &Value| serde_json::from_value::<Row>(value.clone()).ok();
            let rows = each("rows").into_iter().map(|one| (one, true));
            for (one, stands) in rows.chain(each("gone").into_iter().map(|one| (one, false))) {
                let Some(id) = one["id"].as_i64() else { continue };
                let known = all.entry(id).or_insert(Pushed { id, before: None, after: None });
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
pub struct Preview {
    /// The number of edits of contacts.
    pub count: u64,
    pub lost: Vec<Lost>,
}

/// Returns the present local state of the contacts of a run.
fn view(tx: &ReadTx, pushed: &[Pushed]) -> Result<View, Error> {
    let mut view = View::new();
    for one in pushed {
        let here = changes::one::<i64>(tx, Place::Contacts, one.id)?.local;
        view.extend(here.map(|text| (one.id, cells::row(&text))));
    }
    Ok(view)
}

/// Returns what [`undo`] would do.
pub fn preview(core: &Core, run: i64) -> Result<Preview, Error> {
    let (pushed, _) = pushed(core, run)?;
    let (edits, lost) = compensate(&pushed, &core.read(|tx| view(tx, &pushed))?);
    Ok(Preview { count: edits.len() as u64, lost })
}

/// Undoes locally what a run pushed, as one step.
pub fn undo(core: &Core, by: &By, run: i64) -> Result<Preview, Error> {
    let (pushed, lists) = pushed(core, run)?;
    let now = core.ctx().now();
    core.write(by, |tx| {
        let mut view = view(tx, &pushed)?;
        let (edits, lost) = compensate(&pushed, &view);
        let count = edits.len() as u64;
        for edit in edits {
            match edit {
                Change::Made { id, row } => {
                    let Some(list) = lists.get(&id).copied() else { continue };
                    let uid = ContactId::new(core.ctx().ksuid(now));
                    let (uid, cells) = (uid.as_str(), cells::of(&row));
                    local::add_contact(
                        tx,
                        Added { id: Some(id), list, uid, cells: &cells, times: Times::default() },
                        now,
                    )?;
                }
                Change::Gone { id, .. } => local::remove_contact(tx, id, now)?,
                Change::Cell { id, field, after, .. } => {
                    if let Some(row) = view.get_mut(&id) {
                        row.set(field, after.as_deref());
                        local::set_contact(tx, id, &cells::of(row), Some(now.unix()))?;
                    }
                }
            }
        }
        if count > 0 {
            tx.act(Act::new("sync_undo").subject(run.to_string()).count(count));
            tx.log(Told::bulk(Noun::Contact, Action::Updated, count));
        }
        Ok(Preview { count, lost })
    })
}

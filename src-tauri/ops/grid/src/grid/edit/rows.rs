//! Applies acts to whole rows of a view: adding, deleting, moving, copying, opting out, and freezing them into a new
//! list.

use roost_model::{channel::Channel, id::ListId, intervals::RowIntervals};

use super::{
    super::{Grid, ViewId},
    ROWS_MOVED, patch_view, watch_of,
};
use roost_ops::{
    contact::{self, ContactCard, ContactTarget, DuplicatePolicy, FieldValues, SendPreview, TransferCounts},
    core::{Actor, Core},
    error::{Error, Result},
    list::{self, FilledList},
    opt_out::{self, ContactOptOutSummary},
};
use serde::Serialize;

/// The result of moving or copying rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridSent"))]
pub struct SendSummary {
    #[serde(flatten)]
    pub placed: TransferCounts,
    /// Null if nothing changed.
    pub step: Option<i64>,
}

impl Grid {
    /// Returns the rows of an act. Fails if they have moved since the page read them.
    fn find_target(
        &self,
        view: ViewId,
        generation: Option<u32>,
        rows: &RowIntervals,
    ) -> Result<(ContactTarget, Vec<i64>)> {
        let view = self.find_view(view)?;
        let view_rows = view.rows();
        if generation.is_some_and(|seen| seen != view_rows.generation) {
            return Err(Error::conflict(ROWS_MOVED));
        }
        let ids = view.row_ids(rows);
        Ok((ContactTarget::Rows { list: view.spec.list.clone(), ids: ids.clone() }, ids))
    }

    /// Adds a contact, which stays after the last row until the next refresh. Returns its row.
    pub fn add_contact(
        &self,
        core: &Core,
        by: &Actor,
        view: ViewId,
        values: &FieldValues,
        region: Option<&str>,
    ) -> Result<(ContactCard, u64)> {
        let view = self.find_view(view)?;
        let (card, id, step) = contact::add_row(core, by, &view.spec.list, values, region)?;
        let row = view.append_rows(step, &[id]);
        patch_view(core, &view, Some(step), &[id]);
        Ok((card, row))
    }

    /// Moves rows to the trash, and returns how many.
    pub fn delete_rows(
        &self,
        core: &Core,
        by: &Actor,
        view: ViewId,
        generation: Option<u32>,
        rows: &RowIntervals,
    ) -> Result<(u64, Option<i64>)> {
        let (target, ids) = self.find_target(view, generation, rows)?;
        let (count, step) = contact::delete_rows(core, by, &target)?;
        if count == 0 {
            return Ok((0, None));
        }
        self.remove_deleted_rows(core, view, step, &ids)?;
        Ok((count, Some(step)))
    }

    /// Returns the conflicts that moving or copying rows to another list would meet.
    pub fn preview_send(
        &self,
        core: &Core,
        by: &Actor,
        (view, generation): (ViewId, Option<u32>),
        rows: &RowIntervals,
        to: &ListId,
    ) -> Result<SendPreview> {
        let (_, ids) = self.find_target(view, generation, rows)?;
        contact::preview_send(core, &self.find_view(view)?.spec.list, &ids, to, &watch_of(by))
    }

    /// Moves rows to another list and removes them from the view at once. Skipped rows stay.
    pub fn move_rows(
        &self,
        core: &Core,
        by: &Actor,
        (view, generation): (ViewId, Option<u32>),
        rows: &RowIntervals,
        to: &ListId,
        duplicates: DuplicatePolicy,
    ) -> Result<SendSummary> {
        let (target, _) = self.find_target(view, generation, rows)?;
        let (placed, removed, step) = contact::move_rows(core, by, &target, to, duplicates)?;
        let step = (placed.placed + placed.merged > 0).then_some(step);
        if let Some(step) = step {
            self.find_view(view)?.remove_rows(step, &removed);
        }
        Ok(SendSummary { placed, step })
    }

    /// Copies rows to a list as new contacts.
    pub fn copy_rows(
        &self,
        core: &Core,
        by: &Actor,
        (view, generation): (ViewId, Option<u32>),
        rows: &RowIntervals,
        to: &ListId,
        duplicates: DuplicatePolicy,
    ) -> Result<SendSummary> {
        let (target, _) = self.find_target(view, generation, rows)?;
        let (placed, step) = contact::copy_rows(core, by, &target, to, duplicates)?;
        Ok(SendSummary { placed, step: (placed.placed + placed.merged > 0).then_some(step) })
    }

    /// Returns how many different numbers the contacts of some rows have. These are the numbers that an opt-out would
    /// affect.
    pub fn count_numbers(
        &self,
        core: &Core,
        by: &Actor,
        (view, generation): (ViewId, Option<u32>),
        rows: &RowIntervals,
    ) -> Result<u64> {
        let (_, ids) = self.find_target(view, generation, rows)?;
        let view = self.find_view(view)?;
        opt_out::count_numbers(core, by, &view.spec.list, &ids)
    }

    /// Opts the contacts of some rows out of the account or of one asset.
    #[expect(clippy::too_many_arguments, reason = "the selection and the parts of an opt-out")]
    pub fn opt_out_rows(
        &self,
        core: &Core,
        by: &Actor,
        (view, generation): (ViewId, Option<u32>),
        rows: &RowIntervals,
        channels: &[Channel],
        asset: Option<&str>,
        reason: &str,
    ) -> Result<ContactOptOutSummary> {
        let (_, ids) = self.find_target(view, generation, rows)?;
        let view = self.find_view(view)?;
        let summary = opt_out::opt_out_contacts(core, by, &view.spec.list, &ids, channels, asset, reason)?;
        patch_view(core, &view, summary.step, &ids);
        Ok(summary)
    }

    /// Freezes some rows, or the whole view, into a new list of copies.
    pub fn freeze_rows(
        &self,
        core: &Core,
        by: &Actor,
        (view, generation): (ViewId, Option<u32>),
        rows: Option<&RowIntervals>,
        name: &str,
    ) -> Result<FilledList> {
        let all = RowIntervals::all_below(u64::MAX);
        let (_, ids) = self.find_target(view, generation, rows.unwrap_or(&all))?;
        list::freeze(core, by, &self.find_view(view)?.spec.list, &ids, name)
    }
}

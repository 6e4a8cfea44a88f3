//! Applies acts to whole rows of a view: adding, deleting, moving, copying, opting out, and freezing them into a new
//! list.

use roost_model::{channel::Channel, id::ListId, intervals::Intervals};

use super::{
    super::{Grid, ViewId},
    MOVED, patch, watch,
};
use crate::{
    contact::{self, ContactCard, Duplicates, FieldValues, Placed, SendPreview, Target},
    core::{By, Core},
    error::{Error, Result},
    list::{self, Filled},
    opt_out,
};

/// The result of moving or copying rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sent {
    pub placed: Placed,
    pub step: Option<i64>,
}

/// The result of opting rows out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OptedOut {
    pub added: u64,
    /// The number of contacts that were already opted out in that scope; they stay unchanged.
    pub already: u64,
    /// The number of contacts without any number.
    pub without_number: u64,
    pub step: Option<i64>,
}

impl Grid {
    /// Returns the rows of an act. Fails if they have moved since the page read them.
    fn target(&self, view: ViewId, generation: Option<u32>, rows: &Intervals) -> Result<(Target, Vec<i64>)> {
        let view = self.view(view)?;
        let standing = view.rows();
        if generation.is_some_and(|seen| seen != standing.generation) {
            return Err(Error::conflict(MOVED));
        }
        let ids = view.ids_of(rows);
        Ok((Target::Rows { list: view.spec.list.clone(), ids: ids.clone() }, ids))
    }

    /// Adds a contact, which stays after the last row until the next refresh. Returns its row.
    pub fn add(
        &self,
        core: &Core,
        by: &By,
        view: ViewId,
        values: &FieldValues,
        region: Option<&str>,
    ) -> Result<(ContactCard, u64)> {
        let view = self.view(view)?;
        let (card, id, step) = contact::add_row(core, by, &view.spec.list, values, region)?;
        let row = view.append(step, &[id]);
        patch(core, &view, Some(step), &[id]);
        Ok((card, row))
    }

    /// Moves rows to the trash, and returns how many.
    pub fn delete(
        &self,
        core: &Core,
        by: &By,
        view: ViewId,
        generation: Option<u32>,
        rows: &Intervals,
    ) -> Result<(u64, Option<i64>)> {
        let (target, ids) = self.target(view, generation, rows)?;
        let (count, step) = contact::delete_rows(core, by, &target)?;
        if count == 0 {
            return Ok((0, None));
        }
        self.take_out_deleted(core, view, step, &ids)?;
        Ok((count, Some(step)))
    }

    /// Returns the conflicts that moving or copying rows to another list would meet.
    pub fn send_preview(
        &self,
        core: &Core,
        by: &By,
        (view, generation): (ViewId, Option<u32>),
        rows: &Intervals,
        to: &ListId,
    ) -> Result<SendPreview> {
        let (_, ids) = self.target(view, generation, rows)?;
        contact::preview_send(core, &self.view(view)?.spec.list, &ids, to, &watch(by))
    }

    /// Moves rows to another list and removes them from the view at once. Skipped rows stay.
    pub fn move_to(
        &self,
        core: &Core,
        by: &By,
        (view, generation): (ViewId, Option<u32>),
        rows: &Intervals,
        to: &ListId,
        duplicates: Duplicates,
    ) -> Result<Sent> {
        let (target, _) = self.target(view, generation, rows)?;
        let (placed, gone, step) = contact::move_rows(core, by, &target, to, duplicates)?;
        let step = (placed.placed + placed.merged > 0).then_some(step);
        if let Some(step) = step {
            self.view(view)?.take_out(step, &gone);
        }
        Ok(Sent { placed, step })
    }

    /// Copies rows to a list as new contacts.
    pub fn copy_to(
        &self,
        core: &Core,
        by: &By,
        (view, generation): (ViewId, Option<u32>),
        rows: &Intervals,
        to: &ListId,
        duplicates: Duplicates,
    ) -> Result<Sent> {
        let (target, _) = self.target(view, generation, rows)?;
        let (placed, step) = contact::copy_rows(core, by, &target, to, duplicates)?;
        Ok(Sent { placed, step: (placed.placed + placed.merged > 0).then_some(step) })
    }

    /// Returns how many different numbers the contacts of some rows have. These are the numbers that an opt-out would
    /// affect.
    pub fn count_numbers(
        &self,
        core: &Core,
        by: &By,
        (view, generation): (ViewId, Option<u32>),
        rows: &Intervals,
    ) -> Result<u64> {
        let (_, ids) = self.target(view, generation, rows)?;
        let view = self.view(view)?;
        opt_out::count_numbers(core, by, &view.spec.list, &ids)
    }

    /// Opts the contacts of some rows out of the account or of one asset.
    #[expect(clippy::too_many_arguments, reason = "the selection and the parts of an opt-out")]
    pub fn opt_out(
        &self,
        core: &Core,
        by: &By,
        (view, generation): (ViewId, Option<u32>),
        rows: &Intervals,
        channels: &[Channel],
        asset: Option<&str>,
        reason: &str,
    ) -> Result<OptedOut> {
        let (_, ids) = self.target(view, generation, rows)?;
        let view = self.view(view)?;
        let told = opt_out::of_contacts(core, by, &view.spec.list, &ids, channels, asset, reason)?;
        patch(core, &view, told.step, &ids);
        let opt_out::OfContacts { added, already, without_number, step } = told;
        Ok(OptedOut { added, already, without_number, step })
    }

    /// Freezes some rows, or the whole view, into a new list of copies.
    pub fn new_list(
        &self,
        core: &Core,
        by: &By,
        (view, generation): (ViewId, Option<u32>),
        rows: Option<&Intervals>,
        name: &str,
    ) -> Result<Filled> {
        let all = Intervals::all(u64::MAX);
        let (_, ids) = self.target(view, generation, rows.unwrap_or(&all))?;
        list::freeze(core, by, &self.view(view)?.spec.list, &ids, name)
    }
}

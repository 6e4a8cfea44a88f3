//! Acts on whole rows of a view: adding, deleting, moving, copying, opting out, and a new list of them.

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

/// What came of moving or copying rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sent {
    pub placed: Placed,
    pub step: Option<i64>,
}

/// What came of opting rows out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OptedOut {
    pub added: u64,
    /// Opted out in that scope already; they stay as they are.
    pub already: u64,
    /// Contacts without any number.
    pub without_number: u64,
    pub step: Option<i64>,
}

impl Grid {
    /// The rows of an act, which have to stand where the page saw them.
    fn target(&self, view: ViewId, generation: Option<u32>, rows: &Intervals) -> Result<(Target, Vec<i64>)> {
        let view = self.view(view)?;
        let standing = view.rows();
        if generation.is_some_and(|seen| seen != standing.generation) {
            return Err(Error::conflict(MOVED));
        }
        let ids = view.ids_of(rows);
        Ok((Target::Rows { list: view.spec.list.clone(), ids: ids.clone() }, ids))
    }

    /// Adds a contact; it stands behind the last row until the next refresh. Answers its row.
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

    /// Deletes rows into the trash; answers how many.
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

    /// What rows would meet in another list, if they were moved or copied there.
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

    /// Moves rows to another list; they are gone from the view at once. Those that are skipped stay.
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

    /// Copies rows to a list, where they are new.
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

    /// How many different numbers the contacts of rows have: what opting them out is about.
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

    /// Opts the contacts of rows out, of the account or of one asset.
    #[expect(clippy::too_many_arguments, reason = "the selection, and what an opt-out consists of")]
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

    /// Freezes rows, or the whole view, into a new list of copies.
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

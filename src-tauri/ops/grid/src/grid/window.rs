//! Serves what the page shows: windows of rows, the row of a contact, the contact of a row, and the next draft.

use roost_model::{error::FieldError, id::ContactId};
use roost_store::tables::contacts::{
    grid::{
        drafts,
        window::{self as bytes, WindowRows},
    },
    list_view,
};

use super::{Grid, ViewId, find::CellPosition, ids::IdSet, reading};
use roost_ops::{core::Core, error::Result};

/// The maximum number of rows in one window.
pub const WINDOW_ROWS: u32 = 1_000;
pub const WINDOW_COLUMNS: usize = 64;

impl Grid {
    /// Returns some columns of some rows as bytes, with fewer rows at the end of the view. The result names its
    /// generation. It has no rows if the page has seen another generation, because they would appear in wrong places.
    pub fn read_window(
        &self,
        core: &Core,
        view: ViewId,
        seen: Option<u32>,
        from: u64,
        count: u32,
        columns: &[String],
    ) -> Result<Vec<u8>> {
        if count > WINDOW_ROWS {
            return Err(FieldError::new("count", format!("Give at most {WINDOW_ROWS} at once."), count).into());
        }
        let view = self.find_view(view)?;
        let rows = view.rows();
        let start = (from.min(rows.ids.len() as u64)) as usize;
        let count = if seen.is_none_or(|seen| seen == rows.generation) { count as usize } else { 0 };
        let end = (start + count).min(rows.ids.len());
        core.read(|tx| {
            let fields = reading::parse_columns(tx, columns)?;
            let window = WindowRows {
                list: reading::find_list_row(tx, &view.spec)?,
                generation: rows.generation,
                from: start as u32,
                ids: &rows.ids[start..end],
                unmatched: &rows.left,
            };
            Ok(bytes::encode_window(tx, window, &fields)?)
        })
    }

    /// Returns the row of a contact, if it is in the view.
    pub fn find_row(&self, core: &Core, view: ViewId, uid: &ContactId) -> Result<Option<u64>> {
        let rows = self.find_view(view)?.rows();
        let id = core.read(|tx| Ok(list_view::row_of(tx, uid)?))?;
        Ok(id.and_then(|id| rows.ids.iter().position(|other| *other == id)).map(|row| row as u64))
    }

    /// Returns the contact of a row, or `None` if the contact was removed or the row is after the end.
    pub fn find_contact(&self, core: &Core, view: ViewId, row: u64) -> Result<Option<ContactId>> {
        let rows = self.find_view(view)?.rows();
        let Some(id) = usize::try_from(row).ok().and_then(|row| rows.ids.get(row)) else { return Ok(None) };
        core.read(|tx| Ok(list_view::uid_of(tx, *id)?))
    }

    /// Returns the next cell after or before a row that holds a draft, which is a text that its rule refused.
    pub fn find_draft(
        &self,
        core: &Core,
        view: ViewId,
        from: Option<u64>,
        is_backwards: bool,
    ) -> Result<Option<CellPosition>> {
        let rows = self.find_view(view)?.rows();
        let total = rows.ids.len() as u64;
        core.read(|tx| {
            let drafted = IdSet::from_ids(&drafts::contacts_with_draft(tx)?);
            let mut wanted: Box<dyn Iterator<Item = u64>> = match (from, is_backwards) {
                (None, false) => Box::new(0..total),
                (None, true) => Box::new((0..total).rev()),
                (Some(from), false) => Box::new(from.saturating_add(1)..total),
                (Some(from), true) => Box::new((0..from.min(total)).rev()),
            };
            let Some(row) = wanted.find(|row| drafted.contains(rows.ids[*row as usize])) else { return Ok(None) };
            let id = rows.ids[row as usize];
            let field = drafts::read_drafts(tx, &[id])?.remove(&id).and_then(|typed| typed.into_iter().next());
            Ok(field.map(|(column, _)| CellPosition { row, column }))
        })
    }
}

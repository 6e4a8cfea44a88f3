//! Finds the edge of data in a column, where a block of filled or empty cells ends, as spreadsheets do.

use std::sync::Arc;

use roost_model::{contact::ContactField, error::FieldError};
use roost_store::{
    tables::contacts::grid::{drafts, scan},
    watch::Watch,
};

use super::{
    super::{Grid, ViewId, edit::ROWS_MOVED, ids::IdSet, reading, view::OpenView},
    FindDirection,
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
};

/// The number of rows checked one by one. For an edge further away, the whole column is read.
const MAX_SINGLE_ROWS: usize = 2_048;
const FIRST_BLOCK: usize = 32;

impl Grid {
    /// Returns the row of the edge. From a filled cell followed by a filled cell, this is the last filled cell of the
    /// block; otherwise it is the next filled cell. If there is none, it is the last row of the view. A cell with a
    /// draft is filled if the draft has text.
    #[expect(clippy::too_many_arguments, reason = "a cell in one generation of a view, and a direction")]
    pub fn find_edge(
        &self,
        core: &Core,
        view: ViewId,
        generation: Option<u32>,
        row: u64,
        column: &str,
        direction: FindDirection,
        watch: &Arc<Watch>,
    ) -> Result<u64> {
        let view = self.find_view(view)?;
        let view_rows = view.rows();
        if generation.is_some_and(|seen| seen != view_rows.generation) {
            return Err(Error::conflict(ROWS_MOVED));
        }
        let ids = view_rows.ids.as_slice();
        let at = usize::try_from(row).ok().filter(|at| *at < ids.len());
        let at = at.ok_or_else(|| FieldError::new("row", "The row was not found.", row))?;
        let fields = core.read(|tx| reading::parse_columns(tx, &[column.to_owned()]))?;
        let column = EdgeColumn { core, view: &view, fields: &fields, watch };
        Ok(match direction {
            FindDirection::Forwards => {
                let behind = &ids[at + 1..];
                at + column.count_steps(ids[at], behind.len(), |n| behind[n])?
            }
            FindDirection::Backwards => {
                let before = &ids[..at];
                at - column.count_steps(ids[at], at, |n| before[at - 1 - n])?
            }
        } as u64)
    }
}

/// The column that is searched.
struct EdgeColumn<'a> {
    core: &'a Core,
    view: &'a OpenView,
    fields: &'a [ContactField],
    watch: &'a Arc<Watch>,
}

impl EdgeColumn<'_> {
    /// Returns the number of rows from a cell to the edge. `id` returns the row at a given distance from the cell.
    fn count_steps(&self, from: i64, count: usize, id: impl Fn(usize) -> i64) -> Result<usize> {
        if count == 0 {
            return Ok(0);
        }
        let is_block = self.are_filled(&[from, id(0)])? == [true, true];
        // In a block, the first empty cell marks the edge; otherwise the first filled cell is the edge.
        let steps = |found: Option<usize>| match found {
            Some(n) if is_block => n,
            Some(n) => n + 1,
            None => count,
        };
        let (mut done, mut size) = (0, FIRST_BLOCK);
        while done < count.min(MAX_SINGLE_ROWS) {
            let some: Vec<i64> = (done..(done + size).min(count)).map(&id).collect();
            if let Some(n) = self.are_filled(&some)?.iter().position(|is_filled| *is_filled != is_block) {
                return Ok(steps(Some(done + n)));
            }
            done += some.len();
            size *= 2;
        }
        if done == count {
            return Ok(steps(None));
        }
        let filled = self.find_filled((done..count).map(&id))?;
        Ok(steps((done..count).find(|n| filled.contains(id(*n)) != is_block)))
    }

    fn are_filled(&self, ids: &[i64]) -> Result<Vec<bool>> {
        self.core.read(|tx| {
            let drafts = drafts::read_drafts(tx, ids)?;
            let mut filled = vec![false; ids.len()];
            let (field, name) = (self.fields[0], self.fields[0].name());
            scan::visit_by_ids(
                tx,
                reading::find_list_row(tx, &self.view.spec)?,
                ids,
                self.fields,
                self.watch,
                &mut |at, row| {
                    let typed = drafts.get(&ids[at]).and_then(|typed| typed.iter().find(|(field, _)| *field == name));
                    filled[at] = match typed {
                        Some((_, text)) => !text.is_empty(),
                        None => scan::shown_text(row, field, 0)?.is_some(),
                    };
                    Ok(())
                },
            )?;
            Ok(filled)
        })
    }

    /// Returns the filled ones among many rows, and possibly further rows.
    fn find_filled(&self, ids: impl Iterator<Item = i64>) -> Result<IdSet> {
        let field = self.fields[0];
        let mut filled = match self.view.caches.pools.find_filled(self.core, &self.view.spec.list, field)? {
            Some(filled) => filled,
            None => {
                let ids: Vec<i64> = ids.collect();
                let mut all = IdSet::with_range_of(&ids);
                let found = reading::visit_rows(
                    self.core,
                    &self.view.spec,
                    &ids,
                    self.fields,
                    self.watch,
                    |found: &mut Vec<i64>, id, row| {
                        if scan::shown_text(row, field, 0)?.is_some() {
                            found.push(id);
                        }
                        Ok(())
                    },
                )?;
                found.iter().flatten().for_each(|id| all.insert(*id));
                all
            }
        };
        for (id, is_filled) in self.core.read(|tx| Ok(drafts::contacts_with_draft_in(tx, &field.name())?))? {
            if is_filled { filled.insert(id) } else { filled.remove(id) }
        }
        Ok(filled)
    }
}

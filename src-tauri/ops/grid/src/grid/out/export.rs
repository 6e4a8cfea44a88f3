//! Selects the rows of a view to export to a file.

use roost_model::intervals::RowIntervals;

use super::super::{Grid, ViewId, ViewSpec, edit::ROWS_MOVED};
use roost_ops::error::{Error, Result};

impl Grid {
    /// Returns the ids of some or all rows in the order of the view, and the view's definition. With a generation, this
    /// fails if rows have moved since the page read them.
    pub fn select_export_rows(
        &self,
        view: ViewId,
        generation: Option<u32>,
        rows: Option<&RowIntervals>,
    ) -> Result<(ViewSpec, Vec<i64>)> {
        let view = self.find_view(view)?;
        let view_rows = view.rows();
        if generation.is_some_and(|seen| seen != view_rows.generation) {
            return Err(Error::conflict(ROWS_MOVED));
        }
        let ids = match rows {
            Some(rows) => view.row_ids(rows),
            None => view_rows.ids.to_vec(),
        };
        Ok((view.spec.clone(), ids))
    }
}

//! Rows that leave a view for a file.

use roost_model::intervals::Intervals;

use super::super::{Grid, Spec, ViewId, edit::MOVED};
use crate::error::{Error, Result};

impl Grid {
    /// Ids of some rows in the order of the view, or of all; and what the view is of. With a generation, refused when
    /// rows have got other places since the page saw them in it.
    pub(crate) fn leaving(
        &self,
        view: ViewId,
        generation: Option<u32>,
        rows: Option<&Intervals>,
    ) -> Result<(Spec, Vec<i64>)> {
        let view = self.view(view)?;
        let standing = view.rows();
        if generation.is_some_and(|seen| seen != standing.generation) {
            return Err(Error::conflict(MOVED));
        }
        let ids = match rows {
            Some(rows) => view.ids_of(rows),
            None => standing.ids.to_vec(),
        };
        Ok((view.spec.clone(), ids))
    }
}

//! Fixes rows before they are imported. Only the spooled rows change, not the file itself.

use std::{io, sync::Arc};

use roost_model::error::FieldError;
use roost_sheets::{RowBlock, RowFlags};
use serde::Deserialize;

use super::super::{
    super::spool::{FrameReader, Spool},
    ImportSession,
    open::ImportSessions,
    read_stage::{CombinedFiles, to_spool_error},
    stored::FixedRow,
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
};

/// Rows that can be fixed in one import. A person with more has to fix the file itself.
const ROWS_MAX: usize = 10_000;
/// The most characters of a cell.
const CELL_MAX: usize = 10_000;

/// A new text for a cell.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportCellText"))]
pub struct CellText {
    /// The number of the column, from 0.
    pub column: u32,
    pub text: String,
}

impl ImportSessions {
    /// Fixes cells of a row, and rehearses again if there was a rehearsal.
    pub fn fix_row(&self, core: &Core, import: u64, row: u64, cells: &[CellText]) -> Result<()> {
        let session = self.get(core, import)?;
        session.ensure_loaded(core)?;
        let combined = session.require_combined()?;
        let mut all = read_cells(&combined, row)?;
        if row < combined.first {
            return Err(FieldError::new("row", "This row is the header, or it is above the header.", row).into());
        }
        for (at, cell) in cells.iter().enumerate() {
            let column = cell.column as usize;
            if column >= combined.heads.len() {
                return Err(
                    FieldError::new(format!("cells[{at}].column"), "The column was not found.", cell.column).into()
                );
            }
            if cell.text.chars().count() > CELL_MAX {
                let message = format!("A cell has at most {CELL_MAX} characters.");
                return Err(FieldError::new(format!("cells[{at}].text"), message, cell.column).into());
            }
            if all.len() <= column {
                all.resize(column + 1, String::new());
            }
            all[column].clone_from(&cell.text);
        }
        session.end_work()?;
        let mended = FixedRow { row, cells: all };
        let spool = replace_row(&combined.spool, &mended).map_err(to_spool_error)?;
        let was_rehearsed = {
            let mut state = session.lock_state();
            state.check_open()?;
            // The files may have been read again meanwhile.
            if !state.combined.as_ref().is_some_and(|now| Arc::ptr_eq(now, &combined)) {
                return Err(Error::conflict("The files were read again. Check the row again."));
            }
            let kept = &mut state.kept.mended;
            kept.retain(|other| other.row != row);
            if kept.len() >= ROWS_MAX {
                let message = format!("{ROWS_MAX} rows are already fixed. Fix the file itself and open it again.");
                return Err(Error::conflict(message));
            }
            kept.push(mended);
            state.combined = Some(Arc::new(combined.with_spool(spool)));
            state.mark_changed(core);
            state.rehearsal.take().is_some()
        };
        session.save_state()?;
        if was_rehearsed { self.rehearse(core, import) } else { Ok(()) }
    }
}

/// Returns all cells of a row.
fn read_cells(combined: &CombinedFiles, row: u64) -> Result<Vec<String>> {
    let none = || Error::from(FieldError::new("row", "The row was not found.", row));
    let (frame, at) = combined.spool.locate_row(row).ok_or_else(none)?;
    let mut reader = FrameReader::default();
    combined.spool.read_frame(frame, &mut reader).map_err(to_spool_error)?;
    Ok(reader.block.row(at).cells().map(str::to_owned).collect())
}

/// Returns the spool with one row replaced. The flags of the row are cleared, because they belong to its old text.
fn replace_row(spool: &Spool, mended: &FixedRow) -> io::Result<Spool> {
    let Some((frame, at)) = spool.locate_row(mended.row) else { return Err(io::ErrorKind::InvalidInput.into()) };
    let (mut reader, mut block) = (FrameReader::default(), RowBlock::default());
    spool.read_frame(frame, &mut reader)?;
    for (n, row) in reader.block.rows().enumerate() {
        if n == at {
            mended.cells.iter().for_each(|cell| block.push_cell(cell));
            block.end_row(row.place, RowFlags::default());
        } else {
            row.cells().for_each(|cell| block.push_cell(cell));
            block.end_row(row.place, row.flags);
        }
    }
    spool.with_replaced_frame(frame, &block)
}

impl ImportSession {
    /// Applies the fixes that were made before the files were read again.
    pub(in super::super) fn apply_fixes(&self, combined: CombinedFiles) -> io::Result<CombinedFiles> {
        let mended = self.lock_state().kept.mended.clone();
        let mut combined = combined;
        let rows = combined.spool.row_count();
        for one in mended.iter().filter(|one| one.row < rows) {
            let spool = replace_row(&combined.spool, one)?;
            combined = combined.with_spool(spool);
        }
        Ok(combined)
    }
}

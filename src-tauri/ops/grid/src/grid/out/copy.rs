//! Copies a selection as text for other programs: one line for each row, with cells separated by tabs, as spreadsheets
//! write it.

use std::sync::Arc;

use roost_model::{error::FieldError, intervals::RowIntervals};
use roost_store::{
    tables::contacts::grid::{drafts, scan},
    watch::Watch,
};

use super::super::{Grid, ViewId, reading};
use roost_ops::{core::Core, error::Result};

pub const COPY_CELLS: u64 = 2_000_000;
const COPY_BYTES: usize = 64 << 20;
const TOO_MUCH: &str = "The selection is too large for the clipboard. Export it to a file instead.";
/// The number of rows read at once, which limits how long others wait for a connection.
const BLOCK: usize = 2_000;

impl Grid {
    /// Returns the text that the cells show, drafts included. `headings`, if there are any, form the first line.
    pub fn copy_cells(
        &self,
        core: &Core,
        view: ViewId,
        rows: &RowIntervals,
        columns: &[String],
        headings: &[String],
        watch: &Arc<Watch>,
    ) -> Result<Vec<u8>> {
        let view = self.find_view(view)?;
        let ids = view.row_ids(rows);
        if ids.len() as u64 * columns.len() as u64 > COPY_CELLS {
            return Err(FieldError::new("rows", TOO_MUCH, ids.len()).into());
        }
        let fields = core.read(|tx| reading::parse_columns(tx, columns))?;
        let mut out = Vec::new();
        if !headings.is_empty() {
            write_line(&mut out, headings.iter().map(String::as_bytes));
        }
        for block in ids.chunks(BLOCK) {
            core.read(|tx| {
                let list = reading::find_list_row(tx, &view.spec)?;
                let drafts = drafts::read_drafts(tx, block)?;
                scan::visit_by_ids(tx, list, block, &fields, watch, &mut |at, row| {
                    let typed = drafts.get(&block[at]);
                    let mut cells = Vec::with_capacity(fields.len());
                    for (at, field) in fields.iter().enumerate() {
                        let draft = typed.and_then(|typed| typed.iter().find(|(name, _)| *name == field.name()));
                        cells.push(match draft {
                            Some((_, text)) => text.clone().into_bytes(),
                            None => scan::shown_text(row, *field, at)?.unwrap_or_default().into_owned(),
                        });
                    }
                    write_line(&mut out, cells.iter().map(Vec::as_slice));
                    Ok(())
                })?;
                Ok(())
            })?;
            if out.len() > COPY_BYTES {
                return Err(FieldError::new("rows", TOO_MUCH, ids.len()).into());
            }
        }
        Ok(out)
    }
}

fn write_line<'c>(out: &mut Vec<u8>, cells: impl Iterator<Item = &'c [u8]>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(b'\t');
        }
        if cell.iter().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b'"')) {
            out.push(b'"');
            for byte in cell {
                if *byte == b'"' {
                    out.push(b'"');
                }
                out.push(*byte);
            }
            out.push(b'"');
        } else {
            out.extend_from_slice(cell);
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::write_line;

    #[test]
    fn what_would_break_a_line_is_quoted() {
        let mut out = Vec::new();
        write_line(&mut out, ["a", "", "b\tc", "say \"x\"\n"].map(str::as_bytes).into_iter());
        assert_eq!(String::from_utf8(out).unwrap(), "a\t\t\"b\tc\"\t\"say \"\"x\"\"\n\"\n");
    }
}

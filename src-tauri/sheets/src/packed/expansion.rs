//! Ends rows that grow far beyond the size of the file, because a few bytes can name a long text or a row very many
//! times.

use crate::{
    block::{RowBlock, RowReader, remark::Remark},
    error::{FilePosition, SheetError, SheetErrorKind},
    limits::ReadLimits,
};

pub(crate) struct ExpansionLimit {
    rows: Box<dyn RowReader>,
    /// The sheet in which errors are reported. `None` reports them at a line of a text.
    sheet: Option<String>,
    out: u64,
    most: u64,
    ratio: u64,
}

impl ExpansionLimit {
    /// Limits the rows. `size` is that of the file.
    pub(crate) fn new(rows: Box<dyn RowReader>, sheet: Option<String>, size: u64, limits: &ReadLimits) -> Self {
        let most = size.saturating_mul(limits.unpacked_ratio).max(limits.unpacked_free);
        Self { rows, sheet, out: 0, most, ratio: limits.unpacked_ratio }
    }

    fn position_of(&self, row: u64) -> FilePosition {
        match &self.sheet {
            Some(sheet) => FilePosition::Row { sheet: sheet.clone(), row, column: None },
            None => FilePosition::Line { line: row, column: None },
        }
    }
}

impl RowReader for ExpansionLimit {
    fn fill_block(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
        let before = block.stored_bytes();
        let goes_on = self.rows.fill_block(block);
        self.out += block.stored_bytes() - before;
        if self.out <= self.most || goes_on.is_err() {
            return goes_on;
        }
        let last = block.rows().next_back().map_or(1, |row| row.place);
        Err(SheetError::new(self.position_of(last), SheetErrorKind::RepeatsTooMuch(self.ratio)))
    }

    fn remarks(&self) -> &[Remark] {
        self.rows.remarks()
    }

    fn count_rest(&mut self) -> Option<u64> {
        self.rows.count_rest()
    }

    fn columns(&self) -> Option<&[String]> {
        self.rows.columns()
    }

    fn list_name(&self) -> Option<&str> {
        self.rows.list_name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::RowFlags;

    /// Returns the same row for ever.
    struct Endless(u64);

    impl RowReader for Endless {
        fn fill_block(&mut self, block: &mut RowBlock) -> Result<bool, SheetError> {
            while !block.is_full() {
                self.0 += 1;
                block.push_cell("0123456789");
                block.end_row(self.0, RowFlags::default());
            }
            Ok(true)
        }

        fn remarks(&self) -> &[Remark] {
            &[]
        }
    }

    #[test]
    fn rows_without_end_are_ended_where_they_pass_the_ratio() {
        let limits = ReadLimits { unpacked_free: 1_000, unpacked_ratio: 1_000, ..ReadLimits::STANDARD };
        let mut rows = ExpansionLimit::new(Box::new(Endless(0)), Some("Many".to_owned()), 5_000, &limits);
        let (mut block, mut last) = (RowBlock::default(), 0);
        let fault = loop {
            block.clear();
            let filled = rows.fill_block(&mut block);
            last = block.rows().next_back().map_or(last, |row| row.place);
            if let Err(fault) = filled {
                break fault;
            }
        };
        assert!(matches!(fault.kind, SheetErrorKind::RepeatsTooMuch(1_000)), "{fault}");
        assert_eq!(fault.place, FilePosition::Row { sheet: "Many".to_owned(), row: last, column: None });
        assert!((250_000..450_000).contains(&last), "{last} rows came");
    }
}

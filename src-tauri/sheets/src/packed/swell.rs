//! Ends rows that grow far beyond the size of the file, because a few bytes can name a long text or a row very many
//! times.

use crate::{
    block::Block,
    fault::{Fault, FaultKind, Place},
    limits::Limits,
    remark::Remark,
    source::Rows,
};

pub struct Swelling {
    rows: Box<dyn Rows>,
    /// The sheet in which errors are reported. `None` reports them at a line of a text.
    sheet: Option<String>,
    out: u64,
    most: u64,
    ratio: u64,
}

impl Swelling {
    /// Limits the rows. `size` is that of the file.
    pub fn new(rows: Box<dyn Rows>, sheet: Option<String>, size: u64, limits: &Limits) -> Self {
        let most = size.saturating_mul(limits.unpacked_ratio).max(limits.unpacked_free);
        Self { rows, sheet, out: 0, most, ratio: limits.unpacked_ratio }
    }

    fn place(&self, row: u64) -> Place {
        match &self.sheet {
            Some(sheet) => Place::Row { sheet: sheet.clone(), row, column: None },
            None => Place::Line { line: row, column: None },
        }
    }
}

impl Rows for Swelling {
    fn fill(&mut self, block: &mut Block) -> Result<bool, Fault> {
        let before = block.bytes();
        let goes_on = self.rows.fill(block);
        self.out += block.bytes() - before;
        if self.out <= self.most || goes_on.is_err() {
            return goes_on;
        }
        let last = block.rows().next_back().map_or(1, |row| row.place);
        Err(Fault::new(self.place(last), FaultKind::RepeatsTooMuch(self.ratio)))
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

    impl Rows for Endless {
        fn fill(&mut self, block: &mut Block) -> Result<bool, Fault> {
            while !block.is_full() {
                self.0 += 1;
                block.cell("0123456789");
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
        let limits = Limits { unpacked_free: 1_000, unpacked_ratio: 1_000, ..Limits::STANDARD };
        let mut rows = Swelling::new(Box::new(Endless(0)), Some("Many".to_owned()), 5_000, &limits);
        let (mut block, mut last) = (Block::default(), 0);
        let fault = loop {
            block.clear();
            let filled = rows.fill(&mut block);
            last = block.rows().next_back().map_or(last, |row| row.place);
            if let Err(fault) = filled {
                break fault;
            }
        };
        assert!(matches!(fault.kind, FaultKind::RepeatsTooMuch(1_000)), "{fault}");
        assert_eq!(fault.place, Place::Row { sheet: "Many".to_owned(), row: last, column: None });
        assert!((250_000..450_000).contains(&last), "{last} rows came");
    }
}

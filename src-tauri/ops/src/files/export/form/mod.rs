//! The forms that records take: each makes bytes of them, a stretch at a time.

mod cards;
mod json;
mod table;

use std::{borrow::Cow, io};

use roost_model::list::List;
use roost_store::tx::ReadTx;

use super::{Format, columns::Column};
use crate::error::Result;

/// Records on their way into bytes.
pub trait Form {
    /// What stands in front of all records.
    fn begin(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// The records of this list follow.
    fn list(&mut self, _: &List) -> io::Result<()> {
        Ok(())
    }

    /// One cell a column; blank where there is nothing.
    fn row(&mut self, cells: &[Cow<str>]) -> io::Result<()>;

    /// What stands behind all records.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Whether the next record needs another part of the file.
    fn is_full(&self) -> bool {
        false
    }

    fn next_part(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// How many bytes wait.
    fn length(&self) -> usize;

    /// Hands over the bytes made so far.
    fn take(&mut self) -> io::Result<Vec<u8>>;
}

/// `headings` stand above a table; empty: none. `opt_outs` are records of a seed.
pub fn of(
    tx: &ReadTx,
    format: Format,
    columns: &[Column],
    headings: &[String],
    opt_outs: Vec<String>,
) -> Result<Box<dyn Form>> {
    Ok(match format {
        Format::Csv(style) => Box::new(table::Lines::new(style, headings)),
        Format::Xlsx => Box::new(table::Sheet::new(headings)),
        Format::Cards(version) => Box::new(cards::Cards::new(version, columns)),
        Format::Jsonl => Box::new(json::Lines::new(columns)),
        Format::Seed => Box::new(json::Seed::new(tx, columns, opt_outs)?),
    })
}

//! Records which cells are filled, with one bit for each cell, column by column.

#[derive(Default)]
pub(super) struct FilledCells {
    columns: Vec<Vec<u64>>,
    rows: usize,
}

impl FilledCells {
    /// Marks a cell of the row that is being added.
    pub(super) fn mark_cell(&mut self, column: usize) {
        if self.columns.len() <= column {
            self.columns.resize_with(column + 1, Vec::new);
        }
        let words = &mut self.columns[column];
        let word = self.rows / 64;
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        words[word] |= 1 << (self.rows % 64);
    }

    pub(super) fn end_row(&mut self) {
        self.rows += 1;
    }

    pub(super) fn is_set(&self, column: usize, row: usize) -> bool {
        self.column_bits(column).get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    fn column_bits(&self, column: usize) -> &[u64] {
        self.columns.get(column).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of filled cells in a column.
    pub(super) fn count_filled(&self, column: usize) -> usize {
        self.column_bits(column).iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the rows in which a column is filled, in ascending order.
    pub(super) fn filled_rows(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        self.column_bits(column).iter().enumerate().flat_map(|(at, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(at * 64 + bit)
            })
        })
    }

    /// Returns the memory used in bytes.
    pub(super) fn byte_size(&self) -> usize {
        self.columns.iter().map(|words| words.len() * 8).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_remembered_by_row_and_column() {
        let mut marks = FilledCells::default();
        for row in 0..200 {
            if row % 3 == 0 {
                marks.mark_cell(4);
            }
            if row == 130 {
                marks.mark_cell(1);
            }
            marks.end_row();
        }
        assert_eq!(marks.filled_rows(4).collect::<Vec<_>>(), (0..200).step_by(3).collect::<Vec<_>>());
        assert_eq!(
            (marks.filled_rows(1).collect::<Vec<_>>(), marks.count_filled(1), marks.count_filled(4)),
            (vec![130], 1, 67)
        );
        assert_eq!((marks.count_filled(0), marks.count_filled(9)), (0, 0));
        assert!(marks.is_set(4, 198) && !marks.is_set(4, 199) && !marks.is_set(9, 0) && !marks.is_set(1, 1_000));
    }
}

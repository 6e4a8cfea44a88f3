//! Stores many short texts in one buffer and searches them together.

use memchr::memmem::Finder;

/// Ends every text, so that no match spans two texts. Texts that people write do not contain it.
pub(super) const END: u8 = 0x1f;

#[derive(Default)]
pub(super) struct PooledTexts {
    bytes: Vec<u8>,
    /// The end of each row.
    ends: Vec<u32>,
}

impl PooledTexts {
    /// Adds a text in lower case to the current row.
    pub(super) fn push_folded(&mut self, text: &[u8]) {
        if text.is_ascii() {
            self.bytes.extend(text.iter().map(u8::to_ascii_lowercase));
        } else if let Ok(text) = std::str::from_utf8(text) {
            self.bytes.extend_from_slice(text.to_lowercase().as_bytes());
        }
        self.bytes.push(END);
    }

    pub(super) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.bytes.push(END);
    }

    pub(super) fn end_row(&mut self) {
        self.ends.push(self.bytes.len() as u32);
    }

    /// Returns the memory used in bytes.
    pub(super) fn byte_size(&self) -> usize {
        self.bytes.len() + self.ends.len() * 4
    }

    pub(super) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Calls `found` for every row in the range that contains `part`, in ascending order.
    pub(super) fn search(&self, part: &[u8], rows: std::ops::Range<usize>, mut found: impl FnMut(usize)) {
        let finder = Finder::new(part);
        let end_of = |row: usize| self.ends[row] as usize;
        let start = if rows.start == 0 { 0 } else { end_of(rows.start - 1) };
        let Some(last) = rows.end.checked_sub(1).filter(|_| !rows.is_empty()) else { return };
        let (mut row, mut at, end) = (rows.start, start, end_of(last));
        while let Some(hit) = finder.find(&self.bytes[at..end]) {
            let place = at + hit;
            // The next match is usually near or very far, so the step doubles.
            let mut step = 1;
            while row + step < rows.end && end_of(row + step) <= place {
                step *= 2;
            }
            let near = row + step / 2..(row + step).min(last) + 1;
            row = near.start + self.ends[near].partition_point(|end| *end as usize <= place);
            found(row);
            at = end_of(row);
            row += 1;
            if row >= rows.end {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_row_with_the_part_is_found_once(
            rows in vec(vec("[abAB]{0,4}", 0..4), 0..40), part in "[ab]{1,3}", cut in 0..40_usize
        ) {
            let mut pool = PooledTexts::default();
            for row in &rows {
                row.iter().for_each(|text| pool.push_folded(text.as_bytes()));
                pool.end_row();
            }
            let cut = cut.min(rows.len());
            let mut found = Vec::new();
            pool.search(part.as_bytes(), 0..cut, |row| found.push(row));
            pool.search(part.as_bytes(), cut..rows.len(), |row| found.push(row));
            let expected: Vec<usize> = (0..rows.len())
                .filter(|row| rows[*row].iter().any(|text| text.to_lowercase().contains(&part)))
                .collect();
            prop_assert_eq!(found, expected);
        }
    }
}

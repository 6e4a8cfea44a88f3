//! Stores a block as bytes and reads it again. Any damage is detected.

use flate2::Crc;

use super::{RowBlock, RowFlags};

/// Bytes before a frame: the checksum of what follows, and the numbers of rows, cells and bytes of text.
pub const FRAME_HEAD_BYTES: usize = 16;

/// The head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHead {
    sum: u32,
    pub rows: u32,
    cells: u32,
    text: u32,
}

impl FrameHead {
    pub fn read(bytes: &[u8; FRAME_HEAD_BYTES]) -> Self {
        let at = |from: usize| u32::from_le_bytes([bytes[from], bytes[from + 1], bytes[from + 2], bytes[from + 3]]);
        Self { sum: at(0), rows: at(4), cells: at(8), text: at(12) }
    }

    /// Returns the number of bytes that follow.
    pub fn length(&self) -> u64 {
        u64::from(self.rows) * 13 + u64::from(self.cells) * 4 + u64::from(self.text)
    }
}

impl RowBlock {
    /// Appends the whole block to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        for count in [self.row_ends.len(), self.cell_ends.len(), self.text.len()] {
            out.extend_from_slice(&(count as u32).to_le_bytes());
        }
        self.row_ends.iter().for_each(|end| out.extend_from_slice(&end.to_le_bytes()));
        self.places.iter().for_each(|place| out.extend_from_slice(&place.to_le_bytes()));
        self.flags.iter().for_each(|flags| out.push(flags.bits()));
        self.cell_ends.iter().for_each(|end| out.extend_from_slice(&end.to_le_bytes()));
        out.extend_from_slice(self.text.as_bytes());
        let sum = checksum(&out[start + 4..]);
        out[start..start + 4].copy_from_slice(&sum.to_le_bytes());
    }

    /// Replaces the content by the block that was written. Returns false and leaves the block empty if the bytes are
    /// damaged.
    pub fn read(&mut self, head: &FrameHead, body: &[u8]) -> bool {
        self.clear();
        let is_read = self.try_read(head, body).is_some();
        if !is_read {
            self.clear();
        }
        is_read
    }

    fn try_read(&mut self, head: &FrameHead, body: &[u8]) -> Option<()> {
        let counts = [head.rows, head.cells, head.text].map(u32::to_le_bytes).concat();
        let mut crc = Crc::new();
        crc.update(&counts);
        crc.update(body);
        if body.len() as u64 != head.length() || crc.sum() != head.sum {
            return None;
        }
        let (rows, cells) = (head.rows as usize, head.cells as usize);
        let (row_ends, rest) = body.split_at_checked(rows * 4)?;
        let (places, rest) = rest.split_at_checked(rows * 8)?;
        let (flags, rest) = rest.split_at_checked(rows)?;
        let (cell_ends, text) = rest.split_at_checked(cells * 4)?;
        self.row_ends.extend(row_ends.chunks_exact(4).map(read_u32));
        self.places.extend(
            places.chunks_exact(8).map(|bytes| u64::from(read_u32(bytes)) | u64::from(read_u32(&bytes[4..])) << 32),
        );
        self.flags.extend(flags.iter().map(|bits| RowFlags::from_bits(*bits)));
        self.cell_ends.extend(cell_ends.chunks_exact(4).map(read_u32));
        self.text.push_str(std::str::from_utf8(text).ok()?);
        let is_rising = |ends: &[u32]| ends.is_sorted();
        let fits = self.row_ends.last().copied().unwrap_or(0) as usize == cells
            && self.cell_ends.last().copied().unwrap_or(0) as usize == self.text.len()
            && is_rising(&self.row_ends)
            && is_rising(&self.cell_ends)
            && self.cell_ends.iter().all(|end| self.text.is_char_boundary(*end as usize));
        fits.then_some(())
    }
}

fn read_u32(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(bytes: &[u8]) -> Option<RowBlock> {
        let head = FrameHead::read(bytes.first_chunk::<FRAME_HEAD_BYTES>()?);
        let mut block = RowBlock::default();
        block.read(&head, &bytes[FRAME_HEAD_BYTES..]).then_some(block)
    }

    fn block(rows: &[Vec<String>]) -> RowBlock {
        let mut block = RowBlock::default();
        for (at, row) in rows.iter().enumerate() {
            row.iter().for_each(|cell| block.push_cell(cell));
            block.end_row((at as u64) << 33 | 7, RowFlags::from_bits(at as u8 & 31));
        }
        block
    }

    proptest! {
        #[test]
        fn a_block_comes_back_and_damage_is_seen(
            rows in prop::collection::vec(prop::collection::vec("[aé🐦]{0,4}", 0..4), 0..5),
            at in any::<prop::sample::Index>(),
            bit in 0..8_u32,
        ) {
            let block = block(&rows);
            let mut bytes = Vec::new();
            block.write(&mut bytes);
            prop_assert_eq!(read(&bytes), Some(block));
            prop_assert_eq!(read(&bytes[..bytes.len() - 1]), None);
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(read(&bytes), None);
        }
    }
}

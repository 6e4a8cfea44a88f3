//! Joins texts that differ by a letter or two. Texts are compared within blocks only, so that the time does not grow
//! with the square of the list's length.

use std::cmp::Ordering;

use roost_store::watch::Watch;
use strsim::osa_distance;

use roost_ops::error::Result;

use crate::background;

/// Many short texts stored in one buffer.
#[derive(Default)]
pub(super) struct PackedTexts {
    bytes: String,
    ends: Vec<u32>,
}

impl PackedTexts {
    /// The maximum size in bytes. A longer list is not compared letter by letter.
    const MOST: usize = 128 << 20;

    pub(super) fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len() as u32);
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes.len() > Self::MOST
    }

    pub(super) fn get(&self, at: u32) -> &str {
        let at = at as usize;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.bytes[from..self.ends[at] as usize]
    }
}

/// Joined rows (a union-find structure), with the lowest confidence of the joins of each set.
pub(super) struct JoinedRows {
    parents: Vec<u32>,
    confidence: Vec<u8>,
}

impl JoinedRows {
    pub(super) fn new(rows: usize) -> Self {
        Self { parents: (0..rows as u32).collect(), confidence: vec![100; rows] }
    }

    pub(super) fn find_root(&mut self, mut at: u32) -> u32 {
        while self.parents[at as usize] != at {
            let next = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = next;
            at = next;
        }
        at
    }

    pub(super) fn join(&mut self, a: u32, b: u32, confidence: u8) {
        let (a, b) = (self.find_root(a), self.find_root(b));
        if a == b {
            return;
        }
        let (first, second) = (a.min(b), a.max(b));
        self.parents[second as usize] = first;
        let least = self.confidence[first as usize].min(self.confidence[second as usize]).min(confidence);
        self.confidence[first as usize] = least;
    }

    pub(super) fn confidence(&self, root: u32) -> u8 {
        self.confidence[root as usize]
    }
}

/// The maximum size of a block in which all pairs are compared. In larger blocks each row is compared with its
/// neighbours in two orders.
const BLOCK: usize = 40;
const NEIGHBOURS: usize = 12;

/// Returns the number of letters in which two texts of this length may differ.
fn max_edits(letters: usize) -> usize {
    match letters {
        0..=4 => 0,
        5..=9 => 1,
        _ => 2,
    }
}

struct ComparedText<'t> {
    row: u32,
    text: &'t str,
    /// One bit for each letter in the text, which rules out most pairs at once.
    letters: u64,
}

fn letter_bits(text: &str) -> u64 {
    text.bytes().fold(0, |bits, byte| bits | 1 << (byte & 63))
}

/// Returns the number of letters in which two texts differ, if there are few.
fn count_edits(a: &ComparedText, b: &ComparedText) -> Option<usize> {
    let most = max_edits(a.text.len().max(b.text.len()));
    let differing = (a.letters ^ b.letters).count_ones() as usize;
    if a.text.len().abs_diff(b.text.len()) > most * 4 || differing > most * 8 {
        return None;
    }
    if a.text == b.text {
        return Some(0);
    }
    // Long texts are addresses of many lines, which nobody typed twice by hand.
    if most == 0 || a.text.len() > 512 {
        return None;
    }
    let most = max_edits(a.text.chars().count().max(b.text.chars().count()));
    Some(osa_distance(a.text, b.text)).filter(|edits| *edits <= most)
}

/// Joins rows of a block whose texts are similar. `blocks` is sorted by block; `fits` returns whether a pair meets the
/// other conditions.
pub(super) fn join_similar(
    joined: &mut JoinedRows,
    texts: &PackedTexts,
    blocks: &[(u64, u32)],
    surest: u8,
    fits: impl Fn(u32, u32) -> bool,
    watch: &Watch,
) -> Result<()> {
    for block in blocks.chunk_by(|a, b| a.0 == b.0).filter(|block| block.len() > 1) {
        background::check_cancelled(watch)?;
        let mut rows: Vec<ComparedText> = block
            .iter()
            .map(|(_, row)| (*row, texts.get(*row)))
            .filter(|(_, text)| !text.is_empty())
            .map(|(row, text)| ComparedText { row, text, letters: letter_bits(text) })
            .collect();
        let mut pairs = |rows: &[ComparedText], reach: usize| -> Result<()> {
            for (at, a) in rows.iter().enumerate() {
                if at % 1_024 == 0 {
                    background::check_cancelled(watch)?;
                }
                for b in rows.iter().skip(at + 1).take(reach) {
                    if let Some(edits) = count_edits(a, b)
                        && fits(a.row, b.row)
                    {
                        joined.join(a.row, b.row, surest.saturating_sub(10 * edits as u8));
                    }
                }
            }
            Ok(())
        };
        if rows.len() <= BLOCK {
            pairs(&rows, BLOCK)?;
        } else {
            rows.sort_unstable_by(|a, b| a.text.cmp(b.text));
            pairs(&rows, NEIGHBOURS)?;
            rows.sort_unstable_by(compare_reversed);
            pairs(&rows, NEIGHBOURS)?;
        }
    }
    Ok(())
}

/// Compares texts from the end. A wrong first letter separates two texts in the normal order, but not in this one.
fn compare_reversed(a: &ComparedText, b: &ComparedText) -> Ordering {
    a.text.bytes().rev().cmp(b.text.bytes().rev())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare_text(text: &str) -> ComparedText<'_> {
        ComparedText { row: 0, text, letters: letter_bits(text) }
    }

    #[test]
    fn few_letters_may_differ_in_long_texts_only() {
        let edits = |a, b| count_edits(&compare_text(a), &compare_text(b));
        assert_eq!(edits("ada lovelace", "ada lovelacy"), Some(1));
        assert_eq!(edits("ada lovelace", "ada lvoelcae"), Some(2));
        assert_eq!(edits("ada lovelace", "bob lovelace"), None);
        assert_eq!(edits("müller anna", "muller anne"), Some(2), "letters count, not bytes");
        assert_eq!(edits("anna", "anne"), None);
        assert_eq!(edits("anna", "anna"), Some(0));
    }

    #[test]
    fn large_blocks_are_compared_with_neighbours() {
        let (mut texts, mut blocks) = (PackedTexts::default(), Vec::new());
        let alphabet: Vec<char> = ('a'..='z').collect();
        for n in 0..500_usize {
            let letter = |at: usize| alphabet[(n * 7 + at * at * 13 + n / 26 * at) % 26];
            texts.push(&(0..14).map(letter).collect::<String>());
            blocks.push((1, n as u32));
        }
        texts.push(&texts.get(17).to_owned().replacen(|_: char| true, "#", 1));
        blocks.push((1, 500));
        let mut joined = JoinedRows::new(501);
        join_similar(&mut joined, &texts, &blocks, 85, |_, _| true, &Watch::default()).unwrap();
        assert_eq!(joined.find_root(500), joined.find_root(17));
        assert_eq!(joined.confidence(17), 75);
        join_similar(&mut joined, &texts, &blocks, 85, |_, _| false, &Watch::default()).unwrap();
        let watch = Watch::default();
        watch.cancel();
        assert!(join_similar(&mut joined, &texts, &blocks, 85, |_, _| true, &watch).is_err());
    }
}

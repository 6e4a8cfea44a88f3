//! A fast filter that rules out nearly all texts without a word of the tables, so that they need not be normalized.

use std::sync::LazyLock;

use crate::consent::{values::OPT_OUT_WORDS, word_tables};

/// Letters of the longest word or phrase of the tables.
const LETTERS_MAX: u8 = 31;
/// The number of a letter that is not one of a to z.
const OTHER_LETTER: u8 = 26;

pub(super) static FILTER: LazyLock<WordFilter> = LazyLock::new(WordFilter::new);

/// The features by which a text is filtered: its first letter, its last letter, and the number of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct WordShape {
    first: u8,
    last: u8,
    letters: u8,
}

impl WordShape {
    fn add_letter(&mut self, c: char) {
        let c = c.to_ascii_lowercase();
        self.last = if c.is_ascii() { c as u8 - b'a' } else { OTHER_LETTER };
        if self.letters == 0 {
            self.first = self.last;
        }
        self.letters = self.letters.saturating_add(1);
    }
}

/// A set of shapes: for each first and last letter, one bit for each length.
struct ShapeSet([[u32; OTHER_LETTER as usize + 1]; OTHER_LETTER as usize + 1]);

impl ShapeSet {
    fn has(&self, shape: WordShape) -> bool {
        shape.letters <= LETTERS_MAX && self.0[shape.first as usize][shape.last as usize] & 1 << shape.letters != 0
    }

    fn insert_forms(&mut self, text: &str) {
        let mut shape = WordShape::default();
        text.chars().filter(|c| c.is_alphabetic()).for_each(|c| shape.add_letter(c));
        if shape.letters == 0 {
            return;
        }
        // Other forms of a word may write some letters as two, and may have another first or last letter.
        let lengths = 0b11 << (shape.letters - 1);
        for (first, last) in [
            (shape.first, shape.last),
            (OTHER_LETTER, shape.last),
            (shape.first, OTHER_LETTER),
            (OTHER_LETTER, OTHER_LETTER),
        ] {
            self.0[first as usize][last as usize] |= lengths;
        }
    }
}

/// Rules out texts that cannot hold a word of the tables.
pub(super) struct WordFilter {
    whole: ShapeSet,
    /// The first and the last words of phrases.
    first: ShapeSet,
    last: ShapeSet,
}

impl WordFilter {
    fn new() -> Self {
        let none = || ShapeSet([[0; OTHER_LETTER as usize + 1]; OTHER_LETTER as usize + 1]);
        let mut filter = Self { whole: none(), first: none(), last: none() };
        let written = [word_tables::SURE, word_tables::DOUBTFUL, word_tables::OF_CONSENT]
            .into_iter()
            .flat_map(|words| words.split(", "));
        for text in written.chain(OPT_OUT_WORDS.iter().map(|word| word.text.as_str())) {
            filter.whole.insert_forms(text);
            filter.first.insert_forms(text.split(' ').next().unwrap_or_default());
            filter.last.insert_forms(text.rsplit(' ').next().unwrap_or_default());
        }
        filter
    }

    pub(super) fn may_hold_word(&self, item: &str) -> bool {
        let [whole, first, last] = if item.is_ascii() { find_ascii_shapes(item.as_bytes()) } else { find_shapes(item) };
        whole.letters > 0 && (self.first.has(first) || self.last.has(last) || self.whole.has(whole))
    }
}

/// Returns the shapes of a text, of its first word and of its last word.
fn find_shapes(text: &str) -> [WordShape; 3] {
    let [mut whole, mut first, mut last, mut word] = [WordShape::default(); 4];
    for c in text.chars().chain([' ']) {
        if c.is_alphabetic() {
            whole.add_letter(c);
            word.add_letter(c);
        } else if word.letters > 0 {
            first = if first.letters == 0 { word } else { first };
            last = std::mem::take(&mut word);
        }
    }
    [whole, first, last]
}

/// Does the same for ASCII without examining every letter. Most cells are ASCII.
fn find_ascii_shapes(text: &[u8]) -> [WordShape; 3] {
    let none = [WordShape::default(); 3];
    let Some(begin) = text.iter().position(u8::is_ascii_alphabetic) else { return none };
    let Some(end) = text.iter().rposition(u8::is_ascii_alphabetic) else { return none };
    let text = &text[begin..=end];
    let number = |byte: u8| byte.to_ascii_lowercase() - b'a';
    let shape = |text: &[u8], letters: usize| WordShape {
        first: number(text[0]),
        last: number(text[text.len() - 1]),
        letters: letters.min(usize::from(u8::MAX)) as u8,
    };
    let is_other = |byte: &u8| !byte.is_ascii_alphabetic();
    let first = text.iter().position(is_other).map_or(text, |end| &text[..end]);
    let last = text.iter().rposition(is_other).map_or(text, |begin| &text[begin + 1..]);
    let letters =
        text.len() - if first.len() == text.len() { 0 } else { text.iter().filter(|byte| is_other(byte)).count() };
    [shape(text, letters), shape(first, first.len()), shape(last, last.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn the_fast_search_for_shapes_in_ascii_finds_the_same_as_the_general_one(text in "[ -~]{0,60}") {
            proptest::prop_assert_eq!(find_ascii_shapes(text.as_bytes()), find_shapes(&text));
        }
    }
}

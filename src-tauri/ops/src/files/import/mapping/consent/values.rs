//! Values that say that somebody opted out: alone in a cell, or as an item of a list, such as the tags of a contact.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{super::heads::plain, table, words};
use crate::files::import::columns::{Counted, HISTOGRAM};

/// Words of an item up to which a cell is a list, and not a text with commas.
const WORDS_MAX: usize = 4;
/// Longest word of the tables, in letters.
const LETTERS_MAX: usize = 31;
/// The number of a first letter that is none of a to z.
const OTHER: usize = 26;

/// How surely a value says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It may be a name, or a word for something else.
    Doubtful,
    Sure,
}

/// What the cells of a column say of who opted out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportOptOutFacts"))]
pub struct OptOutFacts {
    /// Cells that say so, and cells that may say so.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub sure: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub doubtful: u64,
    /// The values, or the items of lists, with the cells that have them; the first ones of many.
    pub values: Vec<Counted>,
}

impl OptOutFacts {
    pub fn is_any(&self) -> bool {
        self.sure + self.doubtful > 0
    }

    pub fn look_at(&mut self, cell: &str) {
        let mut most = None;
        each_opt_out(cell, |certainty, item| {
            most = most.max(Some(certainty));
            let item = item.to_lowercase();
            let has_room = self.values.len() < HISTOGRAM;
            match self.values.iter_mut().find(|known| known.text == item) {
                Some(known) => known.count += 1,
                None if has_room => self.values.push(Counted { text: item, count: 1 }),
                None => {}
            }
        });
        match most {
            Some(Certainty::Sure) => self.sure += 1,
            Some(Certainty::Doubtful) => self.doubtful += 1,
            None => {}
        }
    }
}

/// The items of a list in a cell: `vip, unsubscribed`, `* Family ::: STOP`, `["a","b"]`, `07700 900001 (STOP)`.
pub fn items(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(is_between).map(|item| item.trim_matches(is_around)).filter(|item| !item.is_empty())
}

fn is_between(c: char) -> bool {
    matches!(c, ',' | ';' | '|' | ':' | '(' | ')' | '[' | ']' | '\n' | '\r' | '\t' | '，' | '；' | '、')
}

fn is_around(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '*' | '#' | '{' | '}' | '“' | '”')
}

/// Visits the items of a cell that say so. What may mean something else says so alone, or in a list of short items.
pub fn each_opt_out<'c>(cell: &'c str, mut visit: impl FnMut(Certainty, &'c str)) {
    for item in items(cell).filter(|item| FILTER.may_be_word(item)) {
        let text = plain(item);
        match WORDS.binary_search_by(|(word, _)| word.as_str().cmp(&text)).map(|at| WORDS[at].1) {
            Ok(Certainty::Sure) => visit(Certainty::Sure, item),
            Ok(Certainty::Doubtful) if is_list(cell) => visit(Certainty::Doubtful, item),
            _ => {}
        }
    }
}

fn is_list(cell: &str) -> bool {
    items(cell).all(|item| item.split_whitespace().count() <= WORDS_MAX)
}

static WORDS: LazyLock<Vec<(String, Certainty)>> = LazyLock::new(|| {
    let sure = table(words::SURE).into_iter().map(|word| (word, Certainty::Sure));
    let mut words: Vec<_> =
        sure.chain(table(words::DOUBTFUL).into_iter().map(|word| (word, Certainty::Doubtful))).collect();
    words.sort_unstable();
    words
});

static FILTER: LazyLock<Filter> = LazyLock::new(Filter::new);

/// Tells nearly all other values from those of the tables before they are brought to the form in which they are compared.
struct Filter {
    /// For the first letter, and for all others together, a bit for each length.
    lengths: [u32; OTHER + 1],
}

impl Filter {
    fn new() -> Self {
        let mut lengths = [0; OTHER + 1];
        let written = [words::SURE, words::DOUBTFUL].into_iter().flat_map(|words| words.split(", "));
        for (first, letters) in written.chain(WORDS.iter().map(|(word, _)| word.as_str())).filter_map(measure) {
            // Some letters are written as two in other forms, and any may have another shape.
            let length = 0b11 << letters.saturating_sub(1);
            lengths[first] |= length;
            lengths[OTHER] |= length;
        }
        Self { lengths }
    }

    fn may_be_word(&self, item: &str) -> bool {
        measure(item).is_some_and(|(first, letters)| self.lengths[first] & 1 << letters != 0)
    }
}

/// The first letter as a number, and how many letters there are.
fn measure(text: &str) -> Option<(usize, usize)> {
    let mut letters = text.chars().filter(|c| c.is_alphanumeric());
    let first = match letters.next()?.to_ascii_lowercase() {
        c @ 'a'..='z' => c as usize - 'a' as usize,
        c if c.is_ascii() => return None,
        _ => OTHER,
    };
    let count = 1 + letters.take(LETTERS_MAX).count();
    (count <= LETTERS_MAX).then_some((first, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(cell: &str) -> Vec<(Certainty, String)> {
        let mut found = Vec::new();
        each_opt_out(cell, |certainty, item| found.push((certainty, item.to_owned())));
        found
    }

    #[test]
    fn items_of_lists_say_who_opted_out() {
        use Certainty::{Doubtful, Sure};
        for (cell, want) in [
            ("vip, unsubscribed", (Sure, "unsubscribed")),
            ("Unsubscribed", (Sure, "Unsubscribed")),
            ("* myContacts ::: * Opted-out", (Sure, "Opted-out")),
            ("Family;Do not contact", (Sure, "Do not contact")),
            ("[\"vip\",\"opted_out\"]", (Sure, "opted_out")),
            ("a|b|STOP", (Doubtful, "STOP")),
            ("07700 900001 (STOP)", (Doubtful, "STOP")),
            ("sms:stop", (Doubtful, "stop")),
            ("Un\u{200b}subscribed", (Sure, "Un\u{200b}subscribed")),
            ("vip、配信停止", (Sure, "配信停止")),
            ("수신거부", (Sure, "수신거부")),
            ("オプトアウト", (Sure, "オプトアウト")),
            ("ＳＴＯＰ", (Doubtful, "ＳＴＯＰ")),
            ("Désabonné", (Sure, "Désabonné")),
            ("Please note that she is: unsubscribed", (Sure, "unsubscribed")),
        ] {
            assert_eq!(found(cell), [(want.0, want.1.to_owned())], "{cell}");
        }
    }

    #[test]
    fn words_within_a_text_say_nothing() {
        for cell in [
            "subscribed",
            "Bus stop",
            "open",
            "Bus stop, High Street",
            "I asked them to stop by on Monday evening, stop",
            "She unsubscribed from nothing",
            "07700 900001",
            "Stop & Shop",
            "",
            ", ,",
        ] {
            assert_eq!(found(cell), [], "{cell}");
        }
    }

    #[test]
    fn no_word_of_the_tables_is_filtered_out() {
        for (word, certainty) in WORDS.iter() {
            assert_eq!(found(&word.to_uppercase()), [(*certainty, word.to_uppercase())]);
        }
    }
}

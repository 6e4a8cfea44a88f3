//! Finds values that say that somebody opted out: alone in a cell, as an item of a list, or beside something else.
//!
//! How sure this is depends on the place of the word. A word that is alone in its cell may be the value of a field,
//! such as a surname. A word that is added to something else is a mark: `07700 900001 (STOP)`, `Ann Lee - STOP`,
//! `vip, stop`.

use std::{cmp::Reverse, sync::LazyLock};

use serde::{Deserialize, Serialize};

use super::{super::heads::plain, filter::FILTER, table, words};
use crate::files::import::columns::{Counted, HISTOGRAM};

/// Words of an item at most. A cell with a longer item is a text with commas, not a list.
const WORDS_MAX: usize = 4;
/// Digits of a cell at least that is a number with a word.
const DIGITS_MIN: usize = 5;
/// How surely a value says that somebody opted out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// It says so in a column about consent, but means something else in other columns: `cancelled`.
    OfConsent,
    /// It says so in a column of labels, but means something else in other columns: `vip stop`, `Bus stop`.
    Label,
    /// It may be a name: `Stop`.
    Doubtful,
    Sure,
}

/// The signs in the cells of a column that somebody opted out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportOptOutFacts"))]
pub struct OptOutFacts {
    /// Cells that surely say that somebody opted out.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub sure: u64,
    /// Cells that may say so.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub doubtful: u64,
    /// Cells that say so if the column holds labels.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub labels: u64,
    /// The values, or the items of lists, with the number of their cells; only the first ones of many.
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
            if certainty < Certainty::Doubtful {
                return;
            }
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
            Some(Certainty::Label) => self.labels += 1,
            Some(Certainty::OfConsent) | None => {}
        }
    }
}

/// Splits a list in a cell into its items: `vip, unsubscribed`, `* Family ::: STOP`, `["a","b"]`,
/// `07700 900001 (STOP)`.
pub fn items(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(is_between).map(|item| item.trim_matches(is_around)).filter(|item| !item.is_empty())
}

fn is_between(c: char) -> bool {
    matches!(c, ',' | ';' | '|' | ':' | '(' | ')' | '[' | ']' | '\n' | '\r' | '\t' | '–' | '—' | '，' | '；' | '、')
}

fn is_around(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '*' | '#' | '{' | '}' | '“' | '”')
}

/// Visits everything in a cell that says that somebody opted out: an item as it is written if it says nothing else, or
/// else the word of the tables in it.
pub fn each_opt_out(cell: &str, mut visit: impl FnMut(Certainty, &str)) {
    let mut is_any = false;
    for item in items(cell).filter(|item| FILTER.may_hold_word(item)) {
        // A dash without spaces is part of a name.
        for part in item.split(" - ").map(str::trim) {
            let text = plain(part);
            let Some((word, place)) = find_word(&text, part) else { continue };
            let is_marked = part.len() < item.len() || is_in_brackets(cell, part);
            if let Some(certainty) = certainty(cell, part, &text, word.kind, place, is_marked) {
                is_any = true;
                visit(certainty, if place == Place::Whole { part } else { &word.text });
            }
        }
    }
    if is_any || !cell.contains(':') {
        return;
    }
    // A label with its value: `SMS: no`.
    let pairs = cell.split(|c| c != ':' && is_between(c)).filter(|pair| pair.contains(':')).map(str::trim);
    for pair in pairs.filter(|pair| FILTER.may_hold_word(pair)) {
        if let Some((word, Place::Whole)) = find_word(&plain(pair), pair) {
            visit(word.kind, pair);
        }
    }
}

/// The place of a word in a part of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Whole,
    Begin,
    End,
}

/// Finds a word of the tables that is the whole text or is at one end of it. Surrounding digits do not matter.
fn find_word(text: &str, written: &str) -> Option<(&'static Word, Place)> {
    if let Ok(at) = WORDS.binary_search_by(|word| word.text.as_str().cmp(text)) {
        return Some((&WORDS[at], Place::Whole));
    }
    // Email and web addresses are skipped.
    if written.contains(['@', '/']) && !written.contains(char::is_whitespace) && written.contains('.') {
        return None;
    }
    let text = text.trim_matches(|c: char| c.is_numeric() || c == ' ');
    let found = WORDS.iter().filter_map(|word| Some((word, place_of(&word.text, text)?)));
    found.max_by_key(|(word, _)| (word.kind, word.text.len()))
}

fn place_of(word: &str, text: &str) -> Option<Place> {
    let begins = |rest: &str| rest.is_empty() || rest.strip_prefix(' ').is_some_and(|rest| !words::NO.contains(&rest));
    if text.strip_prefix(word).is_some_and(begins) {
        return Some(Place::Begin);
    }
    let before = text.strip_suffix(word)?.strip_suffix(' ')?;
    let is_negated = words::NEGATIONS.split(", ").any(|negation| before.rsplit(' ').next() == Some(negation));
    (!is_negated).then_some(Place::End)
}

/// Rates a word at its place. `part` is the part of the cell that holds it, and `text` is the part in the form that is
/// compared.
fn certainty(cell: &str, part: &str, text: &str, kind: Certainty, place: Place, is_marked: bool) -> Option<Certainty> {
    if kind == Certainty::Sure || is_beside_number(cell, part, text) {
        return Some(Certainty::Sure);
    }
    let is_whole = place == Place::Whole;
    if kind == Certainty::OfConsent {
        return is_whole.then_some(kind);
    }
    if is_whole && part.len() == cell.trim_matches(is_around).len() {
        // A name begins with one capital letter.
        let is_name = part.starts_with(char::is_uppercase) && part.chars().any(char::is_lowercase);
        return Some(if is_name { Certainty::Doubtful } else { Certainty::Sure });
    }
    let is_list = is_list(cell);
    if is_whole && (is_marked || is_list) {
        return Some(Certainty::Sure);
    }
    match is_in_capitals(part, place) {
        true if cell.chars().any(char::is_lowercase) => Some(Certainty::Sure),
        true => Some(Certainty::Doubtful),
        false => is_list.then_some(Certainty::Label),
    }
}

/// Returns whether the cell consists of a number and this word only.
fn is_beside_number(cell: &str, part: &str, text: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
    let words = text.trim_matches(|c: char| c.is_numeric() || c == ' ');
    cell.bytes().filter(u8::is_ascii_digit).count() >= DIGITS_MIN
        && letters(cell) == letters(part)
        && !words.contains(char::is_numeric)
}

fn is_list(cell: &str) -> bool {
    items(cell).all(|item| item.split_whitespace().count() <= WORDS_MAX)
}

fn is_in_brackets(cell: &str, part: &str) -> bool {
    cell.split(['(', '[']).skip(1).any(|rest| rest.trim_start().starts_with(part))
}

/// Returns whether the word at this place is in capitals.
fn is_in_capitals(part: &str, place: Place) -> bool {
    let mut words = part.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let word = if place == Place::End { words.next_back() } else { words.next() };
    word.is_some_and(|word| word.len() > 1 && !word.chars().any(char::is_lowercase))
}

/// A word or a phrase of the tables, in the form in which names are compared.
pub(super) struct Word {
    pub(super) text: String,
    kind: Certainty,
}

pub(super) static WORDS: LazyLock<Vec<Word>> = LazyLock::new(|| {
    let tables = [
        (words::SURE, Certainty::Sure),
        (words::DOUBTFUL, Certainty::Doubtful),
        (words::OF_CONSENT, Certainty::OfConsent),
    ];
    let words =
        tables.into_iter().flat_map(|(words, kind)| table(words).into_iter().map(move |text| Word { text, kind }));
    let mut words: Vec<Word> = words.collect();
    words.sort_unstable_by(|a, b| (&a.text, Reverse(a.kind)).cmp(&(&b.text, Reverse(b.kind))));
    words.dedup_by(|a, b| a.text == b.text);
    words
});

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
        for (cell, want) in [
            ("vip, unsubscribed", "unsubscribed"),
            ("Unsubscribed", "Unsubscribed"),
            ("* myContacts ::: * Opted-out", "Opted-out"),
            ("Family;Do not contact", "Do not contact"),
            ("[\"vip\",\"opted_out\"]", "opted_out"),
            ("a|b|STOP", "STOP"),
            ("07700 900001 (STOP)", "STOP"),
            ("sms:stop", "stop"),
            ("Un\u{200b}subscribed", "Un\u{200b}subscribed"),
            ("vip、配信停止", "配信停止"),
            ("수신거부", "수신거부"),
            ("オプトアウト", "オプトアウト"),
            ("ＳＴＯＰ", "ＳＴＯＰ"),
            ("Désabonné", "Désabonné"),
            ("Please note that she is: unsubscribed", "unsubscribed"),
        ] {
            assert_eq!(found(cell), [(Certainty::Sure, want.to_owned())], "{cell}");
        }
    }

    #[test]
    fn a_word_says_so_by_where_it_stands() {
        use Certainty::{Doubtful, Label, OfConsent, Sure};
        for (cell, certainty, want) in [
            ("Stop", Doubtful, "Stop"),
            ("STOP", Sure, "STOP"),
            ("stop", Sure, "stop"),
            ("07700900002 stop", Sure, "stop"),
            ("Stop 07700 900002", Sure, "stop"),
            ("07700900002 (removed)", Sure, "removed"),
            ("07700900002 (said stop)", Sure, "stop"),
            ("07700900002 - gone away", Sure, "gone away"),
            ("Ann Lee STOP", Sure, "stop"),
            ("ANN LEE STOP", Doubtful, "stop"),
            ("Ann Lee - Stop", Sure, "Stop"),
            ("Ann Lee – Stop", Sure, "Stop"),
            ("Ann Marie van der Lee (Stop)", Sure, "Stop"),
            ("Ann Lee OPTED OUT", Sure, "opted out"),
            ("Acme opted out", Sure, "opted out"),
            ("Do not contact Ann Lee", Sure, "do not contact"),
            ("opted out 3/3/24", Sure, "opted out"),
            ("unsubscribed-2024", Sure, "unsubscribed"),
            ("sms_optout", Sure, "optout"),
            ("STOP list", Sure, "stop"),
            ("Customer wants to be unsubscribed", Sure, "unsubscribed"),
            ("vip stop", Label, "stop"),
            ("Bus stop", Label, "stop"),
            ("Ann Stop", Label, "stop"),
            ("removed", OfConsent, "removed"),
            ("vip, SMS: no", Sure, "SMS: no"),
        ] {
            assert_eq!(found(cell), [(certainty, want.to_owned())], "{cell}");
        }
    }

    #[test]
    fn words_within_a_text_say_nothing() {
        for cell in [
            "subscribed",
            "open",
            "I asked them to stop by on Monday evening, stop",
            "She unsubscribed from nothing",
            "Not opted out",
            "has never unsubscribed",
            "opted_out=false",
            "unsubscribe@shop.example",
            "https://shop.example/unsubscribe",
            "Smith-Stop",
            "07700 900001",
            "",
            ", ,",
        ] {
            let found: Vec<_> =
                found(cell).into_iter().filter(|(certainty, _)| *certainty > Certainty::Label).collect();
            assert_eq!(found, [], "{cell}");
        }
    }

    #[test]
    fn no_word_of_the_tables_is_filtered_out() {
        for word in WORDS.iter() {
            let upper = word.text.to_uppercase();
            let want = if word.kind == Certainty::OfConsent { word.kind } else { Certainty::Sure };
            assert_eq!(found(&upper), [(want, upper)]);
        }
    }
}

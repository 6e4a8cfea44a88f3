//! Finds values that say that somebody opted out: alone in a cell, as an item of a list, or beside something else.
//!
//! How sure this is depends on the place of the word. A word that is alone in its cell may be the value of a field,
//! such as a surname. A word that is added to something else is a mark: `07700 900001 (STOP)`, `Ann Lee - STOP`,
//! `vip, stop`.

use std::{cmp::Reverse, sync::LazyLock};

use crate::{
    consent::{filter::FILTER, word_tables},
    normalize_name, parse_words,
};

/// Words of an item at most. A cell with a longer item is a text with commas, not a list.
const WORDS_MAX: usize = 4;
/// Digits of a cell at least that is a number with a word.
const DIGITS_MIN: usize = 5;
/// How surely a value says that somebody opted out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptOutCertainty {
    /// It says so in a column about consent, but means something else in other columns: `cancelled`.
    InConsentColumn,
    /// It says so in a column of labels, but means something else in other columns: `vip stop`, `Bus stop`.
    InLabelColumn,
    /// It may be a name: `Stop`.
    Doubtful,
    Sure,
}

/// Splits a list in a cell into its items: `vip, unsubscribed`, `* Family ::: STOP`, `["a","b"]`,
/// `07700 900001 (STOP)`.
pub fn split_items(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(is_separator).map(|item| item.trim_matches(is_decoration)).filter(|item| !item.is_empty())
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | ';' | '|' | ':' | '(' | ')' | '[' | ']' | '\n' | '\r' | '\t' | '–' | '—' | '，' | '；' | '、')
}

fn is_decoration(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '*' | '#' | '{' | '}' | '“' | '”')
}

/// Returns whether a cell says nothing, without a look at its items. This is so for nearly all cells of a file.
fn is_ruled_out(cell: &str) -> bool {
    let has_separator = || cell.bytes().any(|byte| is_separator(char::from(byte)));
    let has_letter = || cell.bytes().any(|byte| byte.is_ascii_alphabetic());
    cell.is_ascii() && (!has_letter() || !has_separator() && !FILTER.may_hold_word(cell))
}

/// Visits everything in a cell that says that somebody opted out: an item as it is written if it says nothing else, or
/// else the word of the tables in it.
pub fn visit_opt_outs(cell: &str, visit: impl FnMut(OptOutCertainty, &str)) {
    if !is_ruled_out(cell) {
        visit_items(cell, visit);
    }
}

fn visit_items(cell: &str, mut visit: impl FnMut(OptOutCertainty, &str)) {
    let mut is_any = false;
    for item in split_items(cell).filter(|item| FILTER.may_hold_word(item)) {
        // A dash without spaces is part of a name.
        for part in item.split(" - ").map(str::trim) {
            let text = normalize_name(part);
            let Some((word, place)) = find_word(&text, part) else { continue };
            let is_marked = part.len() < item.len() || is_in_brackets(cell, part);
            if let Some(certainty) = rate_certainty(cell, part, &text, word.kind, place, is_marked) {
                is_any = true;
                visit(certainty, if place == WordPlace::Whole { part } else { &word.text });
            }
        }
    }
    if is_any || !cell.contains(':') {
        return;
    }
    // A label with its value: `SMS: no`.
    let pairs = cell.split(|c| c != ':' && is_separator(c)).filter(|pair| pair.contains(':')).map(str::trim);
    for pair in pairs.filter(|pair| FILTER.may_hold_word(pair)) {
        if let Some((word, WordPlace::Whole)) = find_word(&normalize_name(pair), pair) {
            visit(word.kind, pair);
        }
    }
}

/// The place of a word in a part of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordPlace {
    Whole,
    Begin,
    End,
}

/// Finds a word of the tables that is the whole text or is at one end of it. Surrounding digits do not matter.
fn find_word(text: &str, written: &str) -> Option<(&'static OptOutWord, WordPlace)> {
    if let Ok(at) = OPT_OUT_WORDS.binary_search_by(|word| word.text.as_str().cmp(text)) {
        return Some((&OPT_OUT_WORDS[at], WordPlace::Whole));
    }
    // Email and web addresses are skipped.
    if written.contains(['@', '/']) && !written.contains(char::is_whitespace) && written.contains('.') {
        return None;
    }
    let text = text.trim_matches(|c: char| c.is_numeric() || c == ' ');
    let found = OPT_OUT_WORDS.iter().filter_map(|word| Some((word, find_place(&word.text, text)?)));
    found.max_by_key(|(word, _)| (word.kind, word.text.len()))
}

fn find_place(word: &str, text: &str) -> Option<WordPlace> {
    let begins =
        |rest: &str| rest.is_empty() || rest.strip_prefix(' ').is_some_and(|rest| !word_tables::NO.contains(&rest));
    if text.strip_prefix(word).is_some_and(begins) {
        return Some(WordPlace::Begin);
    }
    let before = text.strip_suffix(word)?.strip_suffix(' ')?;
    let is_negated = word_tables::NEGATIONS.split(", ").any(|negation| before.rsplit(' ').next() == Some(negation));
    (!is_negated).then_some(WordPlace::End)
}

/// Rates a word at its place. `part` is the part of the cell that holds it, and `text` is the part in the form that is
/// compared.
fn rate_certainty(
    cell: &str,
    part: &str,
    text: &str,
    kind: OptOutCertainty,
    place: WordPlace,
    is_marked: bool,
) -> Option<OptOutCertainty> {
    if kind == OptOutCertainty::Sure || is_beside_number(cell, part, text) {
        return Some(OptOutCertainty::Sure);
    }
    let is_whole = place == WordPlace::Whole;
    if kind == OptOutCertainty::InConsentColumn {
        return is_whole.then_some(kind);
    }
    if is_whole && part.len() == cell.trim_matches(is_decoration).len() {
        // A name begins with one capital letter.
        let is_name = part.starts_with(char::is_uppercase) && part.chars().any(char::is_lowercase);
        return Some(if is_name { OptOutCertainty::Doubtful } else { OptOutCertainty::Sure });
    }
    let is_list = is_list_cell(cell);
    if is_whole && (is_marked || is_list) {
        return Some(OptOutCertainty::Sure);
    }
    match is_in_capitals(part, place) {
        true if cell.chars().any(char::is_lowercase) => Some(OptOutCertainty::Sure),
        true => Some(OptOutCertainty::Doubtful),
        false => is_list.then_some(OptOutCertainty::InLabelColumn),
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

fn is_list_cell(cell: &str) -> bool {
    split_items(cell).all(|item| item.split_whitespace().count() <= WORDS_MAX)
}

fn is_in_brackets(cell: &str, part: &str) -> bool {
    cell.split(['(', '[']).skip(1).any(|rest| rest.trim_start().starts_with(part))
}

/// Returns whether the word at this place is in capitals.
fn is_in_capitals(part: &str, place: WordPlace) -> bool {
    let mut words = part.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let word = if place == WordPlace::End { words.next_back() } else { words.next() };
    word.is_some_and(|word| word.len() > 1 && !word.chars().any(char::is_lowercase))
}

/// A word or a phrase of the tables, in the form in which names are compared.
pub(super) struct OptOutWord {
    pub(super) text: String,
    kind: OptOutCertainty,
}

pub(super) static OPT_OUT_WORDS: LazyLock<Vec<OptOutWord>> = LazyLock::new(|| {
    let tables = [
        (word_tables::SURE, OptOutCertainty::Sure),
        (word_tables::DOUBTFUL, OptOutCertainty::Doubtful),
        (word_tables::OF_CONSENT, OptOutCertainty::InConsentColumn),
    ];
    let words = tables
        .into_iter()
        .flat_map(|(words, kind)| parse_words(words).into_iter().map(move |text| OptOutWord { text, kind }));
    let mut words: Vec<OptOutWord> = words.collect();
    words.sort_unstable_by(|a, b| (&a.text, Reverse(a.kind)).cmp(&(&b.text, Reverse(b.kind))));
    words.dedup_by(|a, b| a.text == b.text);
    words
});

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_cell_that_the_filter_rules_out_has_no_opt_out_item(
            printable in "[ -~]{0,12}",
            words in "(vip|stop|Opt out|no|sms|[,:(*'\"0 -]){0,6}",
        ) {
            for cell in [printable, words] {
                visit_items(&cell, |_, item| assert!(!is_ruled_out(&cell), "{cell}: {item}"));
            }
        }
    }

    fn find_all(cell: &str) -> Vec<(OptOutCertainty, String)> {
        let mut found = Vec::new();
        visit_opt_outs(cell, |certainty, item| found.push((certainty, item.to_owned())));
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
            assert_eq!(find_all(cell), [(OptOutCertainty::Sure, want.to_owned())], "{cell}");
        }
    }

    #[test]
    fn the_certainty_of_an_opt_out_word_depends_on_its_place_in_the_cell() {
        use OptOutCertainty::{Doubtful, InConsentColumn, InLabelColumn, Sure};
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
            ("vip stop", InLabelColumn, "stop"),
            ("Bus stop", InLabelColumn, "stop"),
            ("Ann Stop", InLabelColumn, "stop"),
            ("removed", InConsentColumn, "removed"),
            ("vip, SMS: no", Sure, "SMS: no"),
        ] {
            assert_eq!(find_all(cell), [(certainty, want.to_owned())], "{cell}");
        }
    }

    #[test]
    fn opt_out_words_within_a_sentence_or_another_word_are_ignored() {
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
            let found: Vec<_> = find_all(cell)
                .into_iter()
                .filter(|(certainty, _)| *certainty > OptOutCertainty::InLabelColumn)
                .collect();
            assert_eq!(found, [], "{cell}");
        }
    }

    #[test]
    fn no_word_of_the_tables_is_filtered_out() {
        for word in OPT_OUT_WORDS.iter() {
            let upper = word.text.to_uppercase();
            let want = if word.kind == OptOutCertainty::InConsentColumn { word.kind } else { OptOutCertainty::Sure };
            assert_eq!(find_all(&upper), [(want, upper)]);
        }
    }
}

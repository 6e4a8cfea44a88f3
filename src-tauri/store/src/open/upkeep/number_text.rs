//! Finds and replaces a phone number in texts, however it is written there.

use std::{borrow::Cow, ops::Range};

use roost_model::phone;
use rusqlite::types::ValueRef;

use crate::row_recorder::{UPDATED, row_encoding};

/// A number as it is searched for.
#[derive(Clone, Copy)]
pub struct WantedNumber<'a> {
    pub e164: &'a str,
    /// The digits after the country code, which every spelling of the number ends with.
    pub national: &'a str,
}

/// The text that replaces an erased number. It is valid in a URL and in JSON.
pub(super) const ERASED: &str = "erased";

/// A digit of a text with the bytes that it takes there.
struct PlacedDigit {
    at: usize,
    end: usize,
    digit: u8,
}

/// The most digits of a country code.
const CODE_MAX: usize = 3;
/// Stands for a number or an address of somebody else.
const LEFT_OUT: &str = "[…]";
/// The fewest digits that count as a number of somebody else.
const OTHER_NUMBER_MIN: usize = 7;

impl WantedNumber<'_> {
    pub fn is_in(&self, value: ValueRef) -> bool {
        match value {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => self.is_in_bytes(bytes),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => false,
        }
    }

    /// Compares what stands before each character that is not a digit. Spaces, dashes, dots and brackets may stand within
    /// a number, or after it.
    pub fn is_in_bytes(&self, bytes: &[u8]) -> bool {
        if bytes.len() < self.national.len() {
            return false;
        }
        // A number in E.164 form is another one unless it is the same, whatever digits it ends with.
        match bytes.strip_prefix(b"+").filter(|rest| rest.iter().all(u8::is_ascii_digit)) {
            Some(_) => bytes == self.e164.as_bytes(),
            None => !self.find_ranges(bytes).is_empty(),
        }
    }

    /// Returns whether the number is in the values of a remembered row.
    pub fn is_in_change(&self, kind: i64, data: &[u8]) -> bool {
        if kind == UPDATED {
            let changes = row_encoding::borrow_changes(data).unwrap_or_default();
            return changes.iter().any(|change| self.is_in(change.old) || self.is_in(change.new));
        }
        row_encoding::borrow_row(data).unwrap_or_default().into_iter().any(|value| self.is_in(value))
    }

    /// Returns the text without the number, or `None` if the number is not in it.
    pub fn replace_in(&self, text: &str) -> Option<String> {
        let mut ranges = match text.strip_prefix('+').filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())) {
            Some(_) => Vec::from_iter((text == self.e164).then_some(0..text.len())),
            None => self.find_ranges(text.as_bytes()),
        };
        if ranges.is_empty() {
            return None;
        }
        let mut out = text.to_owned();
        while let Some(range) = ranges.pop() {
            out.replace_range(range, ERASED);
        }
        Some(out)
    }

    /// Returns whether a text is the number and nothing else.
    pub(super) fn is_whole(&self, text: &str) -> bool {
        self.replace_in(text.trim()).is_some_and(|rest| rest == ERASED)
    }

    /// Returns a text that mentions the number without other numbers and addresses, or `None` if the number is not in it.
    pub(super) fn cut_text(&self, text: &str) -> Option<String> {
        if text == self.e164 {
            return Some(text.to_owned());
        }
        if !self.is_in_bytes(text.as_bytes()) {
            return None;
        }
        let (mut out, mut from) = (String::with_capacity(text.len()), 0);
        for range in self.find_ranges(text.as_bytes()) {
            out.push_str(&leave_out_others(&text[from..range.start]));
            out.push_str(&text[range.clone()]);
            from = range.end;
        }
        out.push_str(&leave_out_others(&text[from..]));
        Some(out)
    }

    /// Returns JSON without the number. Only its strings change, and their order and form stay.
    pub fn replace_in_json(&self, json: &str) -> Option<String> {
        let (mut out, mut rest, mut is_changed) = (String::with_capacity(json.len()), json, false);
        while let Some(open) = rest.find('"') {
            let (before, after) = rest.split_at(open + 1);
            let end = string_end(after);
            let (inner, tail) = after.split_at(end);
            let replaced = self.replace_in(inner).map_or(Cow::Borrowed(inner), Cow::Owned);
            is_changed |= matches!(replaced, Cow::Owned(_));
            out.push_str(before);
            out.push_str(&replaced);
            rest = tail.strip_prefix('"').unwrap_or_default();
            if !tail.is_empty() {
                out.push('"');
            }
        }
        out.push_str(rest);
        is_changed.then_some(out)
    }

    /// Returns the positions of the number, first one first, with its country code or trunk prefix.
    fn find_ranges(&self, text: &[u8]) -> Vec<Range<usize>> {
        let (mut ranges, mut run) = (Vec::new(), Vec::<PlacedDigit>::new());
        let mut end_run = |run: &mut Vec<PlacedDigit>, is_over: bool| {
            if let Some(range) = self.match_end(text, run) {
                ranges.push(range);
                run.clear();
            } else if is_over {
                run.clear();
            }
        };
        let mut at = 0;
        while at < text.len() {
            let (letter, length) = read_letter(text, at);
            match letter {
                Some(digit @ b'0'..=b'9') => run.push(PlacedDigit { at, end: at + length, digit }),
                Some(b' ' | b'-' | b'.' | b'(' | b')') => end_run(&mut run, false),
                Some(_) => end_run(&mut run, true),
                None => {}
            }
            at += length;
        }
        end_run(&mut run, true);
        ranges
    }

    /// Returns the range of the number if the digits end with it.
    fn match_end(&self, text: &[u8], run: &[PlacedDigit]) -> Option<Range<usize>> {
        let national = self.national.as_bytes();
        let head = run.len().checked_sub(national.len())?;
        if national.is_empty() || !run[head..].iter().map(|placed| &placed.digit).eq(national) {
            return None;
        }
        let code = self.e164.strip_prefix('+')?.strip_suffix(self.national)?;
        let ends_with = |prefix: &str| {
            let start = head.checked_sub(prefix.len())?;
            run[start..head].iter().map(|placed| placed.digit).eq(prefix.bytes()).then_some(start)
        };
        let prefixes = [format!("00{code}0"), format!("00{code}"), format!("{code}0"), code.to_owned(), "0".to_owned()];
        let prefixed = prefixes.iter().find_map(|prefix| ends_with(prefix));
        let is_international = plus_before(&text[..run[0].at]) > 0;
        if prefixed.is_none() && is_international && (1..=CODE_MAX).contains(&head) {
            return None;
        }
        let start = prefixed.unwrap_or(head);
        let (first, end) = (run[start].at, run.last()?.end);
        // Further digits right before it make it a longer number.
        if start > 0 && run[start - 1].end == first {
            return None;
        }
        // A bracket that opens before the first digit is of the number if it closes within.
        let count = |bracket: u8| text[first..end].iter().filter(|byte| **byte == bracket).count();
        let is_open = count(b')') > count(b'(') && text[..first].ends_with(b"(");
        let start = first - usize::from(is_open);
        Some(start - plus_before(&text[..start])..end)
    }
}

/// Returns a text without numbers of many digits and without e-mail addresses.
fn leave_out_others(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '"');
    let hide_address = |word: &str| {
        let address = word.trim_end_matches(is_end);
        if address.contains('@') { format!("{LEFT_OUT}{}", &word[address.len()..]) } else { word.to_owned() }
    };
    let text: String = text.split_inclusive(is_end).map(hide_address).collect();
    let is_digit = |c: char| phone::plain_letter(c).is_some_and(|plain| plain.is_ascii_digit());
    let is_within = |c: char| phone::plain_letter(c).is_none_or(|plain| " -.()/+".contains(plain));
    let (mut out, mut rest) = (String::with_capacity(text.len()), text.as_str());
    while let Some(start) = rest.find(is_digit) {
        let run = &rest[start..];
        let run = &run[..run.find(|c: char| !is_digit(c) && !is_within(c)).unwrap_or(run.len())];
        let run = run.trim_end_matches(|c: char| !is_digit(c));
        out.push_str(&rest[..start]);
        out.push_str(if run.chars().filter(|c| is_digit(*c)).count() < OTHER_NUMBER_MIN { run } else { LEFT_OUT });
        rest = &rest[start + run.len()..];
    }
    out + rest
}

/// Returns the letter at a position as the reader of numbers understands it, `None` if it is invisible, and its length.
fn read_letter(text: &[u8], at: usize) -> (Option<u8>, usize) {
    let byte = text[at];
    let length = match byte {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return (Some(byte), 1),
    };
    let bytes = text.get(at..at + length).and_then(|bytes| str::from_utf8(bytes).ok());
    let Some(letter) = bytes.and_then(|letter| letter.chars().next()) else { return (Some(byte), 1) };
    let plain = phone::plain_letter(letter);
    (plain.map(|plain| u8::try_from(plain).ok().filter(u8::is_ascii).unwrap_or(byte)), length)
}

/// Returns the length of the plus with which a text ends, or 0.
fn plus_before(text: &[u8]) -> usize {
    let pluses = ["+", "\u{ff0b}", "\u{fe62}"];
    pluses.into_iter().find(|plus| text.ends_with(plus.as_bytes())).map_or(0, str::len)
}

/// Returns the length of the rest of a JSON string.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: WantedNumber = WantedNumber { e164: "+447700900001", national: "7700900001" };

    #[test]
    fn a_number_is_replaced_in_every_spelling_and_its_neighbours_stay() {
        for (text, want) in [
            ("+447700900001", "erased"),
            ("07700 900001", "erased"),
            ("(07700) 900 001 (mobile)", "erased (mobile)"),
            ("+44 (0)7700 900-001", "erased"),
            ("call 0044 7700.900001 after 5", "call erased after 5"),
            ("07700 900001 07700 900009", "erased 07700 900009"),
            ("07700 900009 / 07700 900001", "07700 900009 / erased"),
            ("07700 900009 07700 900001", "07700 900009 erased"),
            ("+44 7700 900009 07700 900001", "+44 7700 900009 erased"),
            ("٠٧٧٠٠٩٠٠٠٠١", "erased"),
            ("٠٧٧٠٠ ٩٠٠٠٠١، ٠٧٧٠٠٩٠٠٠٠٩", "erased، ٠٧٧٠٠٩٠٠٠٠٩"),
            ("call ＋４４７７００９００００１!", "call erased!"),
            ("۰۷۷۰۰۹۰۰۰۰۱", "erased"),
            ("\u{202a}07700\u{a0}900\u{2011}001\u{202c}", "\u{202a}erased\u{202c}"),
            ("7700900001, or +44 7700 900001.", "erased, or erased."),
            ("https://shop.example/?to=447700900001&x=1", "https://shop.example/?to=erased&x=1"),
        ] {
            assert_eq!(WANTED.replace_in(text).as_deref(), Some(want), "{text}");
        }
        for text in [
            "",
            "+447700900002",
            "+17700900001",
            "ask +1 7700900001",
            "17700900001",
            "order 3217700900001",
            "077009000012",
            "7700900",
            "07700 900; 001",
            "٠٧٧٠٠٩٠٠٠٠٢",
            "１7700900001",
        ] {
            assert_eq!(WANTED.replace_in(text), None, "{text}");
            assert!(!WANTED.is_in_bytes(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn json_keeps_its_form_and_only_its_strings_change() {
        let json = r#"{"z":"a \"07700 900001\" b","n":7700900001,"a":["+447700900001",2]}"#;
        let want = r#"{"z":"a \"erased\" b","n":7700900001,"a":["erased",2]}"#;
        assert_eq!(WANTED.replace_in_json(json).as_deref(), Some(want));
        assert_eq!(WANTED.replace_in_json(r#"{"n":7700900001,"a":"x"}"#), None);
    }
}

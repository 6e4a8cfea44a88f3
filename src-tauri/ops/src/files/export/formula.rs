//! Texts that a spreadsheet would take for formulas, made harmless in files, and read back as they were.
//!
//! A spreadsheet that opens a file of plain text runs what begins like a formula: `=`, `+`, `-`, `@`, their wide forms, a
//! tab or the end of a line, also behind blanks. Such a text gets an apostrophe in front, by which spreadsheets mark a
//! text. A bare number with its sign, such as a phone number, computes nothing and stays as programs expect it.
//!
//! The way back is unambiguous, because a text gets one more apostrophe as well when it has apostrophes in front of such
//! a beginning already: [`plain`] takes exactly one away from a text in which apostrophes stand before such a beginning,
//! and leaves all others alone. So for every text `plain(guarded(text)) == text`. Whatever reads files that we wrote has
//! to use [`plain`] on every cell, headings too; on files of others it undoes what a person typed to keep a number whole.
//! Workbooks of ours have no such apostrophes, and need none: their cells are texts, and nothing in them runs.

use std::borrow::Cow;

/// What becomes of texts that look like formulas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Formulas {
    #[default]
    Guarded,
    /// For programs that run nothing, and know nothing of apostrophes. Only a text that looks guarded already is guarded
    /// once more, so that it comes back whole.
    AsTheyAre,
}

const SIGNS: [&[u8]; 8] = [b"=", b"+", b"-", b"@", "＝".as_bytes(), "＋".as_bytes(), "－".as_bytes(), "＠".as_bytes()];

/// Whether a spreadsheet may take it for a formula.
fn begins_like_one(text: &[u8]) -> bool {
    let is_skipped = |text: &[u8]| matches!(text.first(), Some(b'\t' | b'\r' | b'\n'));
    let bare = text.trim_ascii_start();
    is_skipped(text) || (SIGNS.iter().any(|sign| bare.starts_with(sign)) && !is_number(bare))
}

/// A sign and digits, and what people write between digits.
fn is_number(text: &[u8]) -> bool {
    let [b'+' | b'-', digits @ ..] = text else { return false };
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'.' | b'(' | b')');
    digits.iter().all(is_part) && digits.iter().any(u8::is_ascii_digit)
}

fn behind_apostrophes(text: &[u8]) -> &[u8] {
    let count = text.iter().take_while(|byte| **byte == b'\'').count();
    &text[count..]
}

/// As it is written into a file.
pub fn guarded(text: &[u8]) -> Cow<'_, [u8]> {
    if begins_like_one(behind_apostrophes(text)) {
        let mut guarded = Vec::with_capacity(text.len() + 1);
        guarded.push(b'\'');
        guarded.extend_from_slice(text);
        Cow::Owned(guarded)
    } else {
        Cow::Borrowed(text)
    }
}

/// As it is written for programs that run nothing: only what [`plain`] would change gets one more apostrophe.
pub fn marked(text: &[u8]) -> Cow<'_, [u8]> {
    if text.starts_with(b"'") { guarded(text) } else { Cow::Borrowed(text) }
}

/// As it was before it was [`guarded`] or [`marked`].
pub fn plain(text: &[u8]) -> &[u8] {
    match text.split_first() {
        Some((b'\'', rest)) if begins_like_one(behind_apostrophes(rest)) => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        for (raw, written) in [
            ("=1+1", "'=1+1"),
            ("+447700900001", "+447700900001"),
            ("+44 (7700) 900001", "+44 (7700) 900001"),
            ("-2", "-2"),
            ("-2+3", "'-2+3"),
            ("+A1", "'+A1"),
            ("+", "'+"),
            ("=1", "'=1"),
            ("'+447700900001", "'+447700900001"),
            ("@x", "'@x"),
            (" =1", "' =1"),
            ("\t1", "'\t1"),
            ("＝1", "'＝1"),
            ("'=1", "''=1"),
            ("'", "'"),
            ("'tis", "'tis"),
            ("a=b", "a=b"),
            ("", ""),
            ("plain", "plain"),
        ] {
            assert_eq!(guarded(raw.as_bytes()), written.as_bytes(), "{raw}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_guarded_is_read_back_as_it_was(text in "['=+@＝ \t\na1-]{0,6}") {
            let written = guarded(text.as_bytes());
            prop_assert_eq!(plain(&written), text.as_bytes());
            prop_assert!(!begins_like_one(&written));
            let marked = marked(text.as_bytes());
            prop_assert_eq!(plain(&marked), text.as_bytes());
        }
    }
}

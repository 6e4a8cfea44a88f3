//! Keeps spreadsheets from running the texts of a file as formulas, and restores the texts when the file is read.
//!
//! When a spreadsheet opens a text file, it runs every cell that begins like a formula: with `=`, `+`, `-`, `@`, one of
//! their wide forms, a tab or a line end, also behind spaces. Such a text gets a leading apostrophe, by which
//! spreadsheets mark a text. A bare number with its sign, such as a phone number, computes nothing and stays as it is,
//! because programs expect it so.
//!
//! The original can always be restored: a text that already has apostrophes in front of such a beginning gets one more,
//! and [`unguard_formula`] removes exactly one apostrophe from such a text and changes no other. So it restores every
//! text that [`guard_formula`] or [`guard_apostrophe`] wrote. Code that reads a file of this program must apply it to
//! every cell, headings included. Cells of other programs must stay unchanged, because there a person typed the
//! apostrophe to keep a number whole. The workbooks of this program need no apostrophes: their cells are texts, which
//! spreadsheets do not run.

use std::borrow::Cow;

/// How an export writes texts that look like formulas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FormulaPolicy {
    #[default]
    Guarded,
    /// For programs that run no formulas and do not know the apostrophe. Only a text that already looks guarded gets an
    /// apostrophe, so that reading the file restores it.
    Unguarded,
}

const FORMULA_SIGNS: [&[u8]; 8] =
    [b"=", b"+", b"-", b"@", "＝".as_bytes(), "＋".as_bytes(), "－".as_bytes(), "＠".as_bytes()];

/// Returns whether a spreadsheet may take a text for a formula.
fn begins_like_formula(text: &[u8]) -> bool {
    let is_skipped = |text: &[u8]| matches!(text.first(), Some(b'\t' | b'\r' | b'\n'));
    let bare = text.trim_ascii_start();
    is_skipped(text) || (FORMULA_SIGNS.iter().any(|sign| bare.starts_with(sign)) && !is_signed_number(bare))
}

/// Returns whether a text is a sign followed by digits and the characters that people write between digits.
fn is_signed_number(text: &[u8]) -> bool {
    let [b'+' | b'-', digits @ ..] = text else { return false };
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'.' | b'(' | b')');
    digits.iter().all(is_part) && digits.iter().any(u8::is_ascii_digit)
}

fn skip_apostrophes(text: &[u8]) -> &[u8] {
    let count = text.iter().take_while(|byte| **byte == b'\'').count();
    &text[count..]
}

/// Guards a text that a spreadsheet may run.
pub fn guard_formula(text: &[u8]) -> Cow<'_, [u8]> {
    if begins_like_formula(skip_apostrophes(text)) {
        let mut guarded = Vec::with_capacity(text.len() + 1);
        guarded.push(b'\'');
        guarded.extend_from_slice(text);
        Cow::Owned(guarded)
    } else {
        Cow::Borrowed(text)
    }
}

/// Guards only a text that [`unguard_formula`] would change, for programs that run no formulas.
pub(crate) fn guard_apostrophe(text: &[u8]) -> Cow<'_, [u8]> {
    if text.starts_with(b"'") { guard_formula(text) } else { Cow::Borrowed(text) }
}

/// Restores a text that [`guard_formula`] or [`guard_apostrophe`] wrote.
pub fn unguard_formula(text: &[u8]) -> &[u8] {
    match text.split_first() {
        Some((b'\'', rest)) if begins_like_formula(skip_apostrophes(rest)) => rest,
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
            assert_eq!(guard_formula(raw.as_bytes()), written.as_bytes(), "{raw}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_guarded_is_read_back_as_it_was(text in "['=+@＝ \t\na1-]{0,6}") {
            let written = guard_formula(text.as_bytes());
            prop_assert_eq!(unguard_formula(&written), text.as_bytes());
            prop_assert!(!begins_like_formula(&written));
            let marked = guard_apostrophe(text.as_bytes());
            prop_assert_eq!(unguard_formula(&marked), text.as_bytes());
        }
    }
}

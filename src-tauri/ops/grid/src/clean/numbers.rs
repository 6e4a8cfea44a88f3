//! Checks numbers as spreadsheets and people leave them. A number that can be read is written in E.164 form; lost
//! digits are never guessed.

use roost_model::phone::{self, Phone, Region};

use super::CleanKind;

/// A problem in a text and its fix, or `None` if digits are lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NumberProblem {
    pub kind: CleanKind,
    pub mended: Option<String>,
}

impl NumberProblem {
    fn without_fix(kind: CleanKind) -> Option<Self> {
        Some(Self { kind, mended: None })
    }

    fn with_fix(kind: CleanKind, mended: String) -> Option<Self> {
        Some(Self { kind, mended: Some(mended) })
    }
}

/// A number in scientific notation as spreadsheets write it, such as `4.47700900123E+11`.
enum ScientificNotation {
    /// The notation contains every digit.
    Whole(String),
    DigitsLost,
}

fn parse_scientific(text: &str) -> Option<ScientificNotation> {
    let (mantissa, exponent) = text.split_once(['E', 'e'])?;
    let exponent = exponent.strip_prefix('+')?;
    let (whole, rest) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() != 1 || !is_digits(whole) || !is_digits(rest) || !(1..=3).contains(&exponent.len()) {
        return None;
    }
    if mantissa.ends_with(['.', ',']) {
        return None;
    }
    let exponent: usize = exponent.parse().ok()?;
    // A spreadsheet uses this notation only for numbers with many digits.
    if exponent < 5 {
        return None;
    }
    Some(if rest.len() == exponent {
        ScientificNotation::Whole(format!("{whole}{rest}"))
    } else {
        ScientificNotation::DigitsLost
    })
}

/// Checks a text that is not in a number field. Only what a spreadsheet did to its digits is a problem.
pub(super) fn check_text(text: &str) -> Option<NumberProblem> {
    if !text.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return None;
    }
    match parse_scientific(text.trim())? {
        ScientificNotation::Whole(digits) => NumberProblem::with_fix(CleanKind::Scientific, digits),
        ScientificNotation::DigitsLost => NumberProblem::without_fix(CleanKind::DigitsLost),
    }
}

/// Removes what people and programs put around a number.
fn strip_decoration(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control() && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')).collect();
    let mut text = text.trim();
    for mark in ["=", "'", "\u{2019}", "\"", "tel:", "whatsapp:", "Tel:", "tel.", "Tel.", "\""] {
        text = text.strip_prefix(mark).unwrap_or(text).trim_start();
    }
    let text = text.trim_end_matches(['"', '\'', ';', ',']).trim_end();
    // A spreadsheet treated the number as an amount of money.
    let text = text.strip_suffix(".0").or_else(|| text.strip_suffix(".00")).unwrap_or(text);
    // The digit in parentheses is dialled only within the country.
    text.replace("(0)", if text.starts_with('+') || text.starts_with("00") { "" } else { "0" })
}

/// Parses a number. The length limit is the same as everywhere else.
fn parse_phone(text: &str, region: Region) -> Option<Phone> {
    let bare = phone::without_separators(text);
    if bare.len() > roost_model::contact::NUMBER_MAX { None } else { phone::parse_contact_number(&bare, region) }
}

/// Checks a text that is meant as a number of the given region. `is_refused` means that the field does not accept the
/// text in its present form.
pub(super) fn check_number(text: &str, region: Region, is_refused: bool) -> Option<NumberProblem> {
    let bare = strip_decoration(text);
    match parse_scientific(&bare) {
        Some(ScientificNotation::DigitsLost) => return NumberProblem::without_fix(CleanKind::DigitsLost),
        Some(ScientificNotation::Whole(digits)) => {
            let read = parse_phone(&digits, region).or_else(|| parse_phone(&format!("+{digits}"), region));
            return match read {
                Some(phone) => NumberProblem::with_fix(CleanKind::Scientific, phone.e164),
                None if is_refused => NumberProblem::without_fix(CleanKind::NotANumber),
                None => NumberProblem::with_fix(CleanKind::Scientific, digits),
            };
        }
        None => {}
    }
    match parse_phone(&bare, region) {
        Some(phone) if phone.e164 == text => None,
        Some(phone) => {
            let kind = if has_lost_zero(&bare, &phone) { CleanKind::LostZero } else { CleanKind::NotE164 };
            NumberProblem::with_fix(kind, phone.e164)
        }
        None if is_refused || is_meant_as_number(&bare) => NumberProblem::without_fix(CleanKind::NotANumber),
        None => None,
    }
}

/// Returns whether the digits are a national number without its leading 0, in a country where that 0 is dialled.
fn has_lost_zero(bare: &str, phone: &Phone) -> bool {
    let digits = phone::without_separators(bare);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) || digits.starts_with('0') {
        return false;
    }
    // The number begins with its country code, so only the plus sign is missing.
    if phone.e164.strip_prefix('+') == Some(&digits) {
        return false;
    }
    phone::format_number(phone.clone()).national.starts_with('0')
}

/// Returns whether a text has enough digits and no letters.
fn is_meant_as_number(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    digits >= 4 && letters == 0
}

#[cfg(test)]
mod tests {
    use CleanKind::*;

    use super::*;

    fn check_gb_number(text: &str, is_refused: bool) -> Option<(CleanKind, Option<String>)> {
        check_number(text, Region::gb(), is_refused).map(|wrong| (wrong.kind, wrong.mended))
    }

    #[test]
    fn numbers_mangled_by_a_spreadsheet_are_corrected_if_no_digit_was_lost() {
        for (text, wanted) in [
            ("7700900001", Some((LostZero, Some("+447700900001")))),
            ("4.47700900001E+11", Some((Scientific, Some("+447700900001")))),
            ("7.700900001E+9", Some((Scientific, Some("+447700900001")))),
            ("4.47E+11", Some((DigitsLost, None))),
            ("4,477009E+11", Some((DigitsLost, None))),
            ("447700900001.0", Some((NotE164, Some("+447700900001")))),
            ("'07700 900001", Some((NotE164, Some("+447700900001")))),
            ("=\"07700900001\"", Some((NotE164, Some("+447700900001")))),
        ] {
            let wanted = wanted.map(|(kind, text)| (kind, text.map(str::to_owned)));
            assert_eq!(check_gb_number(text, false), wanted, "{text}");
        }
    }

    #[test]
    fn numbers_are_written_in_one_way() {
        for text in [
            "07700 900001",
            "+44 (0)7700 900001",
            "0044 7700 900001",
            "447700900001",
            "tel:+447700900001",
            "(07700) 900-001",
        ] {
            assert_eq!(check_gb_number(text, false), Some((NotE164, Some("+447700900001".to_owned()))), "{text}");
        }
        assert_eq!(check_gb_number("+447700900001", false), None);
        assert_eq!(check_gb_number("+1 202 555 0123", false), Some((NotE164, Some("+12025550123".to_owned()))));
    }

    #[test]
    fn a_text_that_was_meant_as_a_number_is_flagged() {
        for (text, alone, refused) in [
            ("0770", Some(NotANumber), Some(NotANumber)),
            ("077009000019999", Some(NotANumber), Some(NotANumber)),
            ("ask the office", None, Some(NotANumber)),
            ("12", None, Some(NotANumber)),
            ("07700 900001 ext 3", None, Some(NotANumber)),
        ] {
            for (is_refused, kind) in [(false, alone), (true, refused)] {
                assert_eq!(check_gb_number(text, is_refused), kind.map(|kind| (kind, None)), "{text}");
            }
        }
    }

    #[test]
    fn other_texts_are_only_looked_at_for_lost_digits() {
        let check = |text: &str| check_text(text).map(|wrong| (wrong.kind, wrong.mended));
        assert_eq!(check("1.23457E+11"), Some((DigitsLost, None)));
        assert_eq!(check("1.23456E+5"), Some((Scientific, Some("123456".to_owned()))));
        for fine in ["12E4", "1.5E+2", "E+11", "123456", "Flat 4.47E+11", "4.E+11", "44.7E+11", "7700900001"] {
            assert_eq!(check(fine), None, "{fine}");
        }
    }
}

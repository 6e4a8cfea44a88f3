//! Shows numbers as a person sees them: parses the formats of cells and formats numbers by them.

mod date;
mod number;
mod parse;

use std::borrow::Cow;

use self::{date::DatePart, number::DigitPattern};

/// The format in which the numbers of a cell are shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NumberFormat {
    /// As short as possible.
    General,
    /// Sections for positive numbers, negative numbers and zero, or with conditions of their own.
    Sections(Vec<FormatSection>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct FormatSection {
    condition: Option<SectionCondition>,
    content: SectionContent,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum SectionCondition {
    Below(f64),
    AtMost(f64),
    Above(f64),
    AtLeast(f64),
    Equal(f64),
    Other(f64),
}

impl SectionCondition {
    fn holds(self, number: f64) -> bool {
        match self {
            Self::Below(limit) => number < limit,
            Self::AtMost(limit) => number <= limit,
            Self::Above(limit) => number > limit,
            Self::AtLeast(limit) => number >= limit,
            Self::Equal(limit) => number == limit,
            Self::Other(limit) => number != limit,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum SectionContent {
    /// The number as short as possible, between texts.
    General {
        before: String,
        after: String,
    },
    Number(DigitPattern),
    Date(Vec<DatePart>),
    /// A text without the number.
    Text(String),
}

impl NumberFormat {
    pub(super) fn parse(code: &str) -> Self {
        if code.eq_ignore_ascii_case("General") || code.trim() == "@" || code.is_empty() {
            return Self::General;
        }
        Self::Sections(parse::parse_sections(code))
    }

    /// Returns a format that files name only by its number. Formats that depend on the settings of a computer are shown
    /// with the year first, which cannot be misread.
    pub(super) fn built_in(id: u64) -> Self {
        Self::parse(match id {
            1 => "0",
            2 => "0.00",
            3 => "#,##0",
            4 => "#,##0.00",
            9 => "0%",
            10 => "0.00%",
            11 => "0.00E+00",
            15 => "d-mmm-yy",
            16 => "d-mmm",
            17 => "mmm-yy",
            18 => "h:mm AM/PM",
            19 => "h:mm:ss AM/PM",
            20 => "h:mm",
            21 => "h:mm:ss",
            22 => "yyyy-mm-dd h:mm",
            14 | 27..=31 | 36 | 50..=54 | 57 | 58 => "yyyy-mm-dd",
            32..=35 | 55 | 56 => "h:mm:ss",
            37 | 38 => "#,##0;-#,##0",
            39 | 40 => "#,##0.00;-#,##0.00",
            45 => "mm:ss",
            46 => "[h]:mm:ss",
            47 => "mm:ss.0",
            48 => "##0.0E+0",
            _ => return Self::General,
        })
    }

    /// Returns year, month and day of a cell that shows all three in any form, with the time unless it is midnight.
    /// What the cell shows may lack the century or be ambiguous.
    pub(super) fn date_value(&self, stored: &str, is_1904: bool) -> Option<String> {
        let Self::Sections(sections) = self else { return None };
        let value = stored.parse::<f64>().ok().filter(|value| value.is_finite())?;
        match &choose_section(sections, value)?.0.content {
            SectionContent::Date(parts) if date::has_full_date(parts) => date::to_iso(value, is_1904),
            _ => None,
        }
    }

    /// Returns what a cell shows for this number, as written in the file. A text that is not a number is returned
    /// unchanged.
    pub(super) fn format_value(&self, stored: &str, is_1904: bool) -> String {
        let Ok(value) = stored.parse::<f64>() else { return stored.to_owned() };
        if !value.is_finite() {
            return stored.to_owned();
        }
        let Self::Sections(sections) = self else { return format_general(stored, value) };
        let Some((section, is_signed)) = choose_section(sections, value) else { return format_general(stored, value) };
        // A section of its own for negative numbers shows the sign itself.
        let number = if is_signed { value } else { value.abs() };
        match &section.content {
            SectionContent::Text(text) => text.clone(),
            SectionContent::General { before, after } => {
                let text = if is_signed {
                    format_general(stored, value)
                } else {
                    format_general(stored.trim_start_matches('-'), number)
                };
                format!("{before}{text}{after}")
            }
            SectionContent::Number(pattern) if pattern.is_scientific() && has_all_digits(&plain_digits(stored)) => {
                plain_digits(stored).into_owned()
            }
            SectionContent::Number(pattern) => {
                pattern.format_number(number).unwrap_or_else(|| format_general(stored, value))
            }
            SectionContent::Date(parts) => {
                date::format_date(parts, value, is_1904).unwrap_or_else(|| format_general(stored, value))
            }
        }
    }
}

/// Returns the section for a number, and whether the number keeps its sign in it.
fn choose_section(sections: &[FormatSection], value: f64) -> Option<(&FormatSection, bool)> {
    if sections.iter().any(|section| section.condition.is_some()) {
        let fits = |section: &&FormatSection| section.condition.is_none_or(|condition| condition.holds(value));
        return sections.iter().find(fits).map(|section| (section, true));
    }
    match (sections, value) {
        ([only], _) => Some((only, true)),
        ([_, negative, ..], value) if value < 0.0 => Some((negative, false)),
        ([_, _, zero, ..], 0.0) => Some((zero, true)),
        ([positive, ..], _) => Some((positive, true)),
        ([], _) => None,
    }
}

/// Returns the digits of a whole number that is written with decimals or as a power of ten: `4.477009001E11`.
pub(crate) fn plain_digits(stored: &str) -> Cow<'_, str> {
    let is_plain = stored.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let whole = stored.parse::<f64>().ok().filter(|value| !is_plain && value.fract() == 0.0 && value.abs() < WHOLE_MAX);
    whole.map_or(Cow::Borrowed(stored), |value| Cow::Owned(format!("{value:.0}")))
}

/// Whole numbers below this are stored with every digit.
const WHOLE_MAX: f64 = 1e15;
/// Most digits that a spreadsheet number can hold.
const DIGITS_MAX: usize = 15;
/// Digits that remain of a number that was written as `4.47701E+11` and read again.
const SPOILED_DIGITS: usize = 6;

/// Returns whether a long whole number has more digits than a spoiled one keeps. Then only its cell shows a power of
/// ten, and the number is taken. Otherwise the shown digits are all that is known, and nothing is guessed.
pub(crate) fn has_all_digits(stored: &str) -> bool {
    let digits = stored.strip_prefix('-').unwrap_or(stored);
    let is_whole = !digits.is_empty() && digits.len() <= DIGITS_MAX && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && digits.trim_end_matches('0').len() > SPOILED_DIGITS
}

/// Formats a number as short as possible. Long whole numbers are shown with all stored digits, although spreadsheets
/// show `4.477E+11`, so that phone numbers stay complete.
fn format_general(stored: &str, value: f64) -> String {
    let digits = stored.strip_prefix('-').unwrap_or(stored);
    let is_plain = !digits.is_empty() && digits.len() <= DIGITS_MAX && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain && (digits.len() == 1 || !digits.starts_with('0')) {
        return stored.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let exponent = value.abs().log10().floor();
    if (-9.0..DIGITS_MAX as f64).contains(&exponent) {
        let decimals = (DIGITS_MAX as f64 - 1.0 - exponent).max(0.0) as usize;
        let text = format!("{value:.decimals$}");
        return if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text };
    }
    let text = format!("{value:.5e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{mantissa}E{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(code: &str, stored: &str) -> String {
        NumberFormat::parse(code).format_value(stored, false)
    }

    #[test]
    fn whole_numbers_keep_every_digit_that_is_there() {
        for (stored, want) in [
            ("447700900001", "447700900001"),
            ("4.477009E+11", "447700900000"),
            ("123456789012345", "123456789012345"),
            ("1.23456789012346E+19", "1.23457E+19"),
            ("0.30000000000000004", "0.3"),
            ("-12.50", "-12.5"),
            ("0", "0"),
            ("1E-12", "1E-12"),
            ("#N/A", "#N/A"),
            ("1e999", "1e999"),
        ] {
            assert_eq!(shown("General", stored), want, "{stored}");
        }
    }

    #[test]
    fn numbers_are_shown_by_their_pattern() {
        for (code, stored, want) in [
            ("0", "447700900001", "447700900001"),
            ("00000", "1234", "01234"),
            ("0.00", "1.5", "1.50"),
            ("0.0#", "1.5", "1.5"),
            ("#,##0", "1234567", "1,234,567"),
            ("#,##0.00", "-1234.5", "-1,234.50"),
            ("\"£\"#,##0.00", "1234.5", "£1,234.50"),
            ("[$€-2] #,##0", "12", "€ 12"),
            ("0%", "0.075", "8%"),
            ("0.0%", "0.075", "7.5%"),
            ("0.00E+00", "447700900001", "447700900001"),
            ("0.00E+00", "4.47700900001E11", "447700900001"),
            ("0.00E+00", "447700900001.0", "447700900001"),
            ("0.00E+00", "447701000000", "4.48E+11"),
            ("#", "0", ""),
            ("#,##0_);(#,##0)", "-5", "(5)"),
            ("#,##0_);[Red](#,##0)", "5", "5 "),
            ("0;-0;\"none\"", "0", "none"),
            ("0,,\" M\"", "12345678", "12 M"),
            ("000\\-00\\-0000", "123456789", "123-45-6789"),
            ("\\+0", "447700900001", "+447700900001"),
            ("[<=9999999]###\\-####;\\(###\\)\\ ###\\-####", "2025550123", "(202) 555-0123"),
            ("[<=9999999]###\\-####;\\(###\\)\\ ###\\-####", "5550123", "555-0123"),
            ("0000 000 000", "7700900001", "7700 900 001"),
            ("# ?/?", "0.5", "0.5"),
            ("0.0", "-0.01", "0.0"),
        ] {
            assert_eq!(shown(code, stored), want, "{code} of {stored}");
        }
    }

    #[test]
    fn dates_are_shown_by_their_pattern() {
        for (code, stored, want) in [
            ("yyyy-mm-dd", "31149", "1985-04-12"),
            ("dd/mm/yyyy", "31149", "12/04/1985"),
            ("d mmm yy", "31149", "12 Apr 1985"),
            ("dd/mm/yy", "31149", "12/04/1985"),
            ("dddd, mmmm d", "31149", "Friday, April 12"),
            ("[$-407]dd.mm.yyyy", "31149.75", "12.04.1985"),
            ("h:mm AM/PM", "31149.75", "6:00 PM"),
            ("yyyy\\-mm\\-dd\\ hh:mm:ss", "31149.5208333333", "1985-04-12 12:30:00"),
            ("mm:ss", "0.0208333333", "30:00"),
            ("[h]:mm", "1.5", "36:00"),
            ("yyyy-mm-dd", "60", "1900-02-29"),
            ("yyyy-mm-dd", "59", "1900-02-28"),
            ("yyyy-mm-dd", "61", "1900-03-01"),
            ("yyyy-mm-dd", "1", "1900-01-01"),
            ("yyyy-mm-dd", "-3", "-3"),
            ("yyyy-mm-dd", "99999999", "99999999"),
        ] {
            assert_eq!(shown(code, stored), want, "{code} of {stored}");
        }
        assert_eq!(NumberFormat::parse("yyyy-mm-dd").format_value("29687", true), "1985-04-12");
        assert_eq!(NumberFormat::built_in(14).format_value("31149", false), "1985-04-12");
        assert_eq!(NumberFormat::built_in(49).format_value("31149", false), "31149");
    }

    #[test]
    fn codes_of_every_make_are_survived() {
        for code in [
            "[", "\"", "\\", "[$", ";;;", "_", "*", "E+", "0E", "yyyy[", "[h", "AM", "....", "%%%", ",,,", "é;ü",
            "[>]0",
        ] {
            for stored in ["0", "-1.5", "1e300", "44000.25"] {
                shown(code, stored);
            }
        }
    }
}

//! Phone numbers. Only this module knows a numbering plan.
//!
//! `rlibphonenumber` contains Google's metadata. Ranges reserved for fiction count as valid as well, because otherwise
//! no safe number for tests and samples would exist.

use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumber, PhoneNumberFormat, PhoneNumberType, Region as LibRegion};
use serde::Serialize;

/// A valid number in E.164 and its region (`001` for numbers without a country).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Phone {
    pub e164: String,
    pub region: String,
}

/// A region whose national number formats are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region(LibRegion);

impl Region {
    /// Parses an ISO 3166 code in capitals that the numbering plans know.
    pub fn parse(code: &str) -> Option<Self> {
        let two_capitals = code.len() == 2 && code.bytes().all(|b| b.is_ascii_uppercase());
        let region = two_capitals.then(|| LibRegion::from_code(code).ok()).flatten()?;
        PHONE_NUMBER_UTIL.get_supported_regions().any(|known| known == region).then_some(Self(region))
    }

    pub fn gb() -> Self {
        Self(LibRegion::GB)
    }

    /// Returns the region of a locale such as `en_GB.UTF-8`, `en-GB` or `zh-Hans-CN`.
    pub fn from_locale(locale: &str) -> Option<Self> {
        let name = locale.split(['.', '@']).next().unwrap_or_default();
        name.split(['_', '-']).skip(1).find_map(Self::parse)
    }

    pub fn code(self) -> String {
        self.0.as_region_str().as_str().to_owned()
    }
}

/// Ranges that the regulator reserves for drama and never assigns.
const FICTION: [(&str, u64, u64); 2] = [("+44", 7_700_900_000, 7_700_900_999), ("+44", 1_632_960_000, 1_632_960_999)];

fn is_fiction(e164: &str) -> bool {
    FICTION.iter().any(|(country, first, last)| {
        e164.strip_prefix(country)
            .is_some_and(|rest| rest.len() == 10 && rest.parse::<u64>().is_ok_and(|n| (*first..=*last).contains(&n)))
    })
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\t' | '(' | ')' | '-' | '.' | '/' | '\u{2010}'..='\u{2015}')
}

/// Removes surrounding spaces and the separators that people write in a number.
pub fn without_separators(raw: &str) -> String {
    raw.trim().chars().filter(|c| !is_separator(*c)).collect()
}

/// Returns the digits with an optional leading plus, or `None` if the text has other characters.
fn clean_number(raw: &str) -> Option<String> {
    let text = without_separators(raw);
    let digits = text.strip_prefix('+').unwrap_or(&text);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(text)
}

fn to_valid_phone(parsed: &PhoneNumber) -> Option<Phone> {
    let e164 = parsed.format_as(PhoneNumberFormat::E164).into_owned();
    if is_fiction(&e164) {
        return Some(Phone { e164, region: "GB".to_owned() });
    }
    let region = PHONE_NUMBER_UTIL.get_region_for_number(parsed)?;
    PHONE_NUMBER_UTIL
        .is_valid_number_for_region(parsed, region)
        .then(|| Phone { e164, region: region.as_region_str().as_str().to_owned() })
}

/// Parses a contact's number. A number with a plus is complete; any other is interpreted in `region`.
pub fn parse_contact_number(raw: &str, region: Region) -> Option<Phone> {
    let text = clean_number(raw)?;
    let region = if text.starts_with('+') { None } else { Some(region.0) };
    to_valid_phone(&PHONE_NUMBER_UTIL.parse(&text, region).ok()?)
}

/// Returns whether a number may be that of a mobile phone. In some countries this cannot be determined.
pub fn may_be_mobile(e164: &str) -> bool {
    if is_fiction(e164) {
        return e164.starts_with("+447");
    }
    let kind = PHONE_NUMBER_UTIL.parse(e164, None).ok().map(|number| PHONE_NUMBER_UTIL.get_number_type(&number));
    matches!(kind, Some(PhoneNumberType::Mobile | PhoneNumberType::FixedLineOrMobile))
}

/// The kind of messages that a number can receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberKind {
    Invalid,
    /// A landline, or a service number such as freephone, which can only receive calls.
    Landline,
    /// A mobile number, or one of a kind that may be mobile.
    Mobile,
}

/// Returns the kind of a number in E.164.
pub fn number_kind(e164: &str) -> NumberKind {
    if is_fiction(e164) {
        return if may_be_mobile(e164) { NumberKind::Mobile } else { NumberKind::Landline };
    }
    let Ok(number) = PHONE_NUMBER_UTIL.parse(e164, None) else { return NumberKind::Invalid };
    match PHONE_NUMBER_UTIL.get_number_type(&number) {
        PhoneNumberType::Unknown => NumberKind::Invalid,
        PhoneNumberType::Mobile
        | PhoneNumberType::FixedLineOrMobile
        | PhoneNumberType::VoIP
        | PhoneNumberType::PersonalNumber => NumberKind::Mobile,
        PhoneNumberType::FixedLine
        | PhoneNumberType::TollFree
        | PhoneNumberType::PremiumRate
        | PhoneNumberType::SharedCost
        | PhoneNumberType::Pager
        | PhoneNumberType::UAN
        | PhoneNumberType::VoiceMail => NumberKind::Landline,
    }
}

/// Parses an opt-out's number: E.164 with or without its plus. A region or a trunk zero is not understood.
pub fn parse_international(raw: &str) -> Option<Phone> {
    let mut text = clean_number(raw)?;
    if !text.starts_with('+') {
        text.insert(0, '+');
    }
    to_valid_phone(&PHONE_NUMBER_UTIL.parse(&text, None).ok()?)
}

/// Writes a number that no numbering plan knows like a stored one, so that texts can be searched for it. Returns `None`
/// unless it has as many digits as a phone number.
pub fn write_unknown(raw: &str, region: Option<Region>) -> Option<String> {
    let plain: String = raw.chars().filter_map(plain_letter).collect();
    let text = clean_number(&plain.replace("(0)", ""))?;
    let region = if text.starts_with('+') { None } else { region.map(|region| region.0) };
    match PHONE_NUMBER_UTIL.parse(&text, region) {
        Ok(parsed) => Some(parsed.format_as(PhoneNumberFormat::E164).into_owned()),
        Err(_) => {
            let digits = text.trim_start_matches('+');
            (7..=15).contains(&digits.len()).then(|| format!("+{digits}"))
        }
    }
}

/// The state of a number while a person types it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypedNumber {
    Empty,
    Valid(FormattedNumber),
    Invalid(&'static str),
}

/// A valid number in every format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormattedNumber {
    pub phone: Phone,
    pub international: String,
    pub national: String,
}

/// Reads what was typed so far. A number with a plus is complete; any other is interpreted in `region`.
pub fn read_typed(raw: &str, region: Region) -> TypedNumber {
    if raw.trim().is_empty() {
        return TypedNumber::Empty;
    }
    let Some(text) = clean_number(raw) else {
        return TypedNumber::Invalid(
            "A phone number consists of digits, spaces, brackets and dashes, with or without a leading plus.",
        );
    };
    if let Some(phone) = parse_contact_number(raw, region) {
        return TypedNumber::Valid(format_number(phone));
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    TypedNumber::Invalid(match (text.starts_with('+'), digits) {
        (_, 0..=6) => "The number is too short.",
        (_, 16..) => "The number is too long.",
        (true, _) => "This number is not in use in its country.",
        (false, _) => {
            "This number is not in use in this region. If it is from another country, add a plus and the country code."
        }
    })
}

/// Formats a stored number.
pub fn format_number(phone: Phone) -> FormattedNumber {
    let Ok(parsed) = PHONE_NUMBER_UTIL.parse(&phone.e164, None) else {
        return FormattedNumber { international: phone.e164.clone(), national: phone.e164.clone(), phone };
    };
    let international = parsed.format_as(PhoneNumberFormat::International).into_owned();
    let national = parsed.format_as(PhoneNumberFormat::National).into_owned();
    FormattedNumber { phone, international, national }
}

/// Returns the calling code of a stored number, such as 44 for `+447700900001`.
pub fn calling_code(e164: &str) -> Option<String> {
    let parsed = PHONE_NUMBER_UTIL.parse(e164, None).ok()?;
    Some(parsed.country_code.to_string())
}

/// Returns the digits that every spelling of a searched number contains, without plus, trunk zero and international
/// prefix. Returns `None` if the text is not a number, or too short to search for.
pub fn search_digits(raw: &str) -> Option<String> {
    let text = clean_number(raw)?;
    let digits = text.trim_start_matches('+').trim_start_matches('0');
    (digits.len() >= 3).then(|| digits.to_owned())
}

/// Returns the beginnings of stored numbers that a searched beginning may stand for. `calling_codes` are those of the
/// account.
pub fn search_beginnings(raw: &str, calling_codes: &[String]) -> Vec<String> {
    let Some(text) = clean_number(raw).filter(|_| search_digits(raw).is_some()) else { return Vec::new() };
    if text.starts_with('+') {
        return vec![text];
    }
    if let Some(abroad) = text.strip_prefix("00") {
        return vec![format!("+{abroad}")];
    }
    let national = text.strip_prefix('0').unwrap_or(&text);
    let mut beginnings: Vec<String> = calling_codes.iter().map(|code| format!("+{code}{national}")).collect();
    if national == text {
        beginnings.push(format!("+{text}"));
    }
    beginnings.sort();
    beginnings.dedup();
    beginnings
}

/// Writes a searched number in the form of stored ones, without validating it.
pub fn search_form(raw: &str) -> String {
    let mut text = without_separators(raw);
    if !text.starts_with('+') {
        text.insert(0, '+');
    }
    text
}

/// Returns whether a character is invisible: a mark of direction, a joiner, or the byte order mark.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Returns the usual form of a character in a number; `None` for an invisible one.
pub fn plain_letter(c: char) -> Option<char> {
    let digit = |zero: char| char::from_digit(u32::from(c) - u32::from(zero), 10);
    match c {
        _ if c.is_ascii() => Some(c),
        _ if is_invisible(c) => None,
        _ if c.is_whitespace() => Some(' '),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{ff0d}' | '\u{fe63}' => Some('-'),
        '\u{ff0b}' | '\u{fe62}' => Some('+'),
        '\u{2039}' => Some('<'),
        '\u{203a}' => Some('>'),
        '\u{ff08}' => Some('('),
        '\u{ff09}' => Some(')'),
        '\u{660}'..='\u{669}' => digit('\u{660}'),
        '\u{6f0}'..='\u{6f9}' => digit('\u{6f0}'),
        '\u{966}'..='\u{96f}' => digit('\u{966}'),
        '\u{ff10}'..='\u{ff19}' => digit('\u{ff10}'),
        _ => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_no_plan_knows_can_still_be_searched_for() {
        let written = |raw: &str| write_unknown(raw, Some(Region::gb()));
        for raw in ["07700955555", "+44 7700 955555", "٠٧٧٠٠ ٩٥٥٥٥٥", "+44 (0)7700 955-555"] {
            assert_eq!(written(raw).as_deref(), Some("+447700955555"), "{raw}");
        }
        assert_eq!(write_unknown("07700955555", None).as_deref(), Some("+07700955555"));
        assert_eq!((written("Ada"), written("")), (None, None));
    }

    fn gb(raw: &str) -> Option<String> {
        parse_contact_number(raw, Region::gb()).map(|p| p.e164)
    }

    #[test]
    fn every_british_form_gives_one_number() {
        for raw in [
            "07700900001",
            "447700900001",
            "7700900001",
            "00447700900001",
            "+447700900001",
            " +44 7700-900 001\u{a0}",
            "(07700) 900.001",
            "+44\u{2011}7700900001",
            "+44/7700/900001",
        ] {
            assert_eq!(gb(raw).as_deref(), Some("+447700900001"), "{raw}");
        }
    }

    #[test]
    fn other_characters_are_refused() {
        for raw in [
            "",
            "+",
            "++447700900001",
            "+44770090000a",
            "07700900001 ext 3",
            "tel:+447700900001",
            "07700900001#",
            "07700900001;1",
            "+٤٤7700900001",
            "4477+00900001",
        ] {
            assert_eq!(gb(raw), None, "{raw}");
        }
    }

    #[test]
    fn opt_out_numbers_know_no_trunk_zero() {
        assert_eq!(parse_international("447700900001").map(|p| p.e164).as_deref(), Some("+447700900001"));
        assert_eq!(parse_international("07700900001"), None);
        assert_eq!(parse_international("00447700900001"), None);
    }

    #[test]
    fn a_number_is_read_while_it_is_typed() {
        let described = |raw| match read_typed(raw, Region::gb()) {
            TypedNumber::Empty => "empty".to_owned(),
            TypedNumber::Valid(written) => format!("{} = {}", written.international, written.national),
            TypedNumber::Invalid(why) => why.to_owned(),
        };
        assert_eq!(described(" "), "empty");
        assert_eq!(described("07700 900001"), "+44 7700 900001 = 07700 900001");
        assert_eq!(described("+1 202 555 0123"), "+1 202-555-0123 = (202) 555-0123");
        assert!(described("0770").contains("too short"));
        assert!(described("0770x").contains("digits"));
        assert!(described("+4477009000011").contains("country"));
        assert!(described("12345678901").contains("region"));
        assert!(described("12345678901234567").contains("too long"));
    }

    #[test]
    fn a_sought_number_begins_like_stored_ones() {
        let codes = ["1".to_owned(), "44".to_owned()];
        for (raw, beginnings) in [
            ("07700 9", vec!["+177009", "+4477009"]),
            ("+44 7700", vec!["+447700"]),
            ("0044 7700", vec!["+447700"]),
            ("44770", vec!["+144770", "+4444770", "+44770"]),
            ("07", vec![]),
            ("Ada", vec![]),
        ] {
            assert_eq!(search_beginnings(raw, &codes), beginnings, "{raw}");
        }
        assert_eq!(search_digits("(07700) 900-1").as_deref(), Some("77009001"));
        assert_eq!(calling_code("+447700900001").as_deref(), Some("44"));
    }

    #[test]
    fn regions_are_two_capitals() {
        for bad in ["gb", "UK", "", "001", "G", "GBR", "ZZ"] {
            assert_eq!(Region::parse(bad), None, "{bad}");
        }
        assert!(Region::parse("GG").is_some());
    }

    #[test]
    fn a_locale_names_its_region() {
        for (locale, region) in [
            ("en_GB.UTF-8", Some("GB")),
            ("en-GB", Some("GB")),
            ("de_AT@euro", Some("AT")),
            ("zh-Hans-CN", Some("CN")),
            ("C", None),
            ("C.UTF-8", None),
            ("POSIX", None),
            ("en", None),
            ("es-419", None),
            ("", None),
        ] {
            assert_eq!(Region::from_locale(locale).map(Region::code).as_deref(), region, "{locale}");
        }
    }

    #[test]
    fn crown_dependencies_keep_their_region() {
        let phone = parse_contact_number("+447911123456", Region::gb());
        assert!(phone.is_some_and(|p| ["GB", "GG", "JE", "IM"].contains(&p.region.as_str())));
    }
}

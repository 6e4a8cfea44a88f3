//! Reads phone numbers as spreadsheets and other programs spell them. Each spelling is first reduced to what a person
//! would type.

use std::borrow::Cow;

use roost_model::phone::{self, Phone, Region, plain_letter};

use crate::{
    consent::{is_opt_out, is_opt_out_list},
    is_excluded_phone_name, normalize_name,
};

/// The fewest digits of a phone number that a program stored as an amount.
const DIGITS_MIN: usize = 7;
/// The most digits of such a number.
const DIGITS_MAX: usize = 15;
/// The most digits of a note, such as a time of day.
const NOTE_DIGITS_MAX: usize = 4;
/// Words that announce a telephone number before a colon: URI schemes and labels.
const SCHEMES: [&str; 6] = ["tel", "sms", "callto", "whatsapp", "mobile", "phone"];

/// Reads a typed or pasted number in the same way as an import does. Without a country code, it is read in `region`. A
/// text that says that the person opted out is refused, because only an import asks about the opt-out.
pub fn read_number(text: &str, region: Region) -> Option<Phone> {
    if let Some(phone) = phone::parse_contact_number(text, region) {
        return Some(phone);
    }
    if is_opt_out(text) {
        return None;
    }
    let text = plain_number(text.trim());
    phone::parse_contact_number(&text, region)
        .or_else(|| phone::parse_contact_number(&replace_international_prefix(&text)?, region))
}

/// Returns the region of a number that is written with a plus and its country code. Returns `None` for any other text
/// and for a number that belongs to no country.
pub fn international_region(text: &str) -> Option<String> {
    if !text.contains(['+', '\u{ff0b}', '\u{fe62}']) {
        return None;
    }
    let text = plain_number(text);
    let text = text.trim();
    let phone = text.starts_with('+').then(|| phone::parse_contact_number(text, Region::gb())).flatten()?;
    Region::parse(&phone.region).map(Region::code)
}

/// Returns the number in a cell as a person would type it. A text without a number may change as well, because quotes,
/// labels and unusual characters are removed before anything shows whether a number is left.
pub fn plain_number(text: &str) -> Cow<'_, str> {
    // An apostrophe makes a spreadsheet store a number as text.
    let text = text.strip_prefix('\'').unwrap_or(text);
    let is_plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b' ' | b'-');
    if text.bytes().all(is_plain) && !text.starts_with("++") {
        return Cow::Borrowed(text);
    }
    let mut text = Cow::Borrowed(without_formula(text));
    if text.chars().any(|c| plain_letter(c) != Some(c)) {
        text = Cow::Owned(text.chars().filter_map(plain_letter).collect());
    }
    for without in [
        without_scheme,
        without_label,
        without_quotes,
        without_name,
        without_opt_out,
        without_extension,
        without_note,
        from_whatsapp_id,
    ] {
        if let Some(found) = without(&text) {
            text = Cow::Owned(found);
        }
    }
    let trimmed = text.trim();
    let spellings = [without_decimals, from_power_of_ten, without_groups];
    match spellings.into_iter().find_map(|plain| plain(trimmed)) {
        Some(found) => Cow::Owned(found),
        None => text,
    }
}

/// Removes the formula that keeps the zero in a spreadsheet: `="07700900001"`.
fn without_formula(text: &str) -> &str {
    text.strip_prefix("=\"").and_then(|text| text.strip_suffix('"')).unwrap_or(text)
}

/// Removes a URI scheme and parameters: `tel:+447700900001;ext=1`.
fn without_scheme(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once(':')?;
    let is_known = SCHEMES.iter().any(|known| scheme.trim().eq_ignore_ascii_case(known));
    is_known.then(|| rest.split(';').next().unwrap_or_default().trim_start_matches('/').trim().to_owned())
}

/// Removes quotes: `"07700 900001"`, `<+447700900001>`.
fn without_quotes(text: &str) -> Option<String> {
    let text = text.trim();
    let pairs = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('<', '>')];
    let inside = pairs.into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    inside.map(|inside| inside.trim().to_owned())
}

/// Removes words in front of a number, unless they say that it is not a telephone: `Ann: 07700 900001`,
/// `Ann Lee <+447700900001>`, `STOP 07700 900001`. Reduces repeated pluses to one.
fn without_name(text: &str) -> Option<String> {
    let text = text.trim();
    let begin = text.find(|c: char| c.is_ascii_digit() || matches!(c, '+' | '('))?;
    let (name, number) = text.split_at(begin);
    let number = number.trim_end_matches('>');
    let signs = number.len() - number.trim_start_matches('+').len();
    let number = &number[signs.saturating_sub(1)..];
    if number == text {
        return None;
    }
    let is_name = |c: char| c.is_alphabetic() || c.is_whitespace() || matches!(c, '.' | ':' | '-' | '<' | '\'' | '’');
    let name_ends = name.is_empty() || name.ends_with([' ', ':', '<', '.']);
    // An opt-out word that is not recognised in the whole text would be lost with the name. The text then stays as it
    // is, so that it is refused as a number.
    let is_hidden = || name.split(|c: char| !c.is_alphabetic()).any(is_opt_out) && !is_opt_out(text);
    let is_it =
        name.chars().all(is_name) && name_ends && !is_excluded_phone_name(&normalize_name(name)) && !is_hidden();
    is_it.then(|| number.trim().to_owned())
}

/// Removes words behind a number that say that the person opted out: `07700 900001 STOP`. The import reads the opt-out
/// itself separately.
fn without_opt_out(text: &str) -> Option<String> {
    let number = text[..text.find(char::is_alphabetic)?].trim_end_matches([' ', '-', '/', '.']);
    (number.len() < text.len() && number.ends_with(|c: char| c.is_ascii_digit()) && is_opt_out(text))
        .then(|| number.to_owned())
}

/// Removes a note behind a dash or another separator: `07700 900001 - call after 5`. A note stays if it refuses
/// messages, names a device that receives none, or contains another number, so that a person looks at it.
fn without_note(text: &str) -> Option<String> {
    let text = text.trim();
    let (number, note) = text.split_at(text.find(char::is_alphabetic)?);
    let sign = number.trim_end();
    let number = sign.trim_end_matches(['-', ',', ';', ':', '/', '*']);
    // A dash without a space before it may join the letters to the number.
    let is_apart = number.len() < sign.len() && (number.ends_with(' ') || !sign.ends_with('-'));
    let number = number.trim_end();
    let digits = note.bytes().filter(u8::is_ascii_digit).count();
    let is_note = is_apart
        && number.ends_with(|c: char| c.is_ascii_digit())
        && digits <= NOTE_DIGITS_MAX
        && !note.contains(['@', '+'])
        && !is_opt_out(note)
        && !is_opt_out_list(note)
        && !is_excluded_phone_name(&normalize_name(note));
    is_note.then(|| number.to_owned())
}

/// Removes an extension: `07700 900001 ext. 5`, `020 7946 0001 x12`.
fn without_extension(text: &str) -> Option<String> {
    let text = text.trim_end();
    let rest = text.trim_end_matches(|c: char| c.is_ascii_digit());
    if !(1..=6).contains(&(text.len() - rest.len())) {
        return None;
    }
    let rest = rest.trim_end_matches([' ', '.', ':']);
    let before = |word: &str| {
        let (before, end) = rest.split_at_checked(rest.len().checked_sub(word.len())?)?;
        end.eq_ignore_ascii_case(word).then_some(before)
    };
    let number = ["extension", "extn", "ext", "x", "#"].into_iter().find_map(before)?;
    let number = number.trim_end_matches([' ', ',', ';', '-']);
    number.ends_with(|c: char| c.is_ascii_digit()).then(|| number.to_owned())
}

/// Reads a WhatsApp id, which always includes the country code: `447700900001@c.us`.
fn from_whatsapp_id(text: &str) -> Option<String> {
    let number = ["@c.us", "@s.whatsapp.net"].into_iter().find_map(|end| text.trim().strip_suffix(end))?;
    let digits = number.strip_prefix('+').unwrap_or(number);
    are_digits(digits).then(|| format!("+{digits}"))
}

/// Returns whether a spreadsheet shortened a number: `4.47E+11`, `4,47E+11`.
pub fn is_shortened(text: &str) -> bool {
    let Some((mantissa, exponent)) = text.trim_start_matches(['\'', '+']).split_once(['e', 'E']) else { return false };
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    let is_number = |text: &str, more: &[char]| {
        text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_digit() || more.contains(&c))
    };
    is_number(mantissa, &['.', ',']) && is_number(exponent, &[])
}

/// Replaces an international prefix with a plus: `011 44 7700 900001`, `00447700900001`. A national number may begin
/// with the same digits, so to read a number, try the unchanged text first.
pub fn replace_international_prefix(text: &str) -> Option<String> {
    let text = text.trim();
    let rest = text.strip_prefix("011").or_else(|| text.strip_prefix("00"))?;
    Some(format!("+{}", rest.trim_start_matches([' ', '-', '.'])))
}

/// Removes a label in brackets from the end or the start: `07700 900001 (mobile)`.
fn without_label(text: &str) -> Option<String> {
    let text = text.trim();
    let is_label = |label: &str| {
        let label = label.trim();
        !label.is_empty() && label.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '.' | '-' | '/'))
    };
    for (open, close) in [('(', ')'), ('[', ']')] {
        if let Some((rest, label)) = text.strip_suffix(close).and_then(|text| text.rsplit_once(open))
            && is_label(label)
        {
            return Some(rest.trim().to_owned());
        }
        if let Some((label, rest)) = text.strip_prefix(open).and_then(|text| text.split_once(close))
            && is_label(label)
        {
            return Some(rest.trim().to_owned());
        }
    }
    None
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a text into a leading plus and the rest.
fn split_sign(text: &str) -> (&str, &str) {
    text.split_at(usize::from(text.starts_with('+')))
}

/// Removes zero decimals: `447700900001.0`.
fn without_decimals(text: &str) -> Option<String> {
    let (whole, decimals) = text.split_once(['.', ','])?;
    let (_, digits) = split_sign(whole);
    let is_number = are_digits(digits) && (DIGITS_MIN..=DIGITS_MAX).contains(&digits.len());
    // Three zeros may be a group of digits.
    let are_decimals =
        matches!(decimals, "0" | "00") || (digits.len() > 9 && decimals.bytes().all(|byte| byte == b'0'));
    (is_number && are_decimals).then(|| whole.to_owned())
}

/// Reads a number in scientific notation if no digit is missing: `4.47700900001E+11`.
fn from_power_of_ten(text: &str) -> Option<String> {
    let (sign, text) = split_sign(text);
    let (mantissa, exponent) = text.split_once(['e', 'E'])?;
    let exponent: usize = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let (first, decimals) = mantissa.split_once(['.', ','])?;
    let has_all = first.len() == 1 && are_digits(first) && are_digits(decimals) && decimals.len() >= exponent;
    if !has_all || !(DIGITS_MIN..=DIGITS_MAX).contains(&(exponent + 1)) {
        return None;
    }
    let (digits, rest) = decimals.split_at(exponent);
    rest.bytes().all(|byte| byte == b'0').then(|| format!("{sign}{first}{digits}"))
}

/// Removes separators between groups of digits, and `.00` behind them: `447,700,900,001`.
fn without_groups(text: &str) -> Option<String> {
    let (sign, text) = split_sign(text);
    // The separator of the decimals differs from the one between groups.
    let is_decimals = |(at, sign): &(usize, &str)| {
        let zeros = &text[at + 1..];
        !text[..*at].contains(sign) && (1..=2).contains(&zeros.len()) && zeros.bytes().all(|byte| byte == b'0')
    };
    let decimals = text.rmatch_indices(['.', ',']).next().filter(is_decimals);
    let text = decimals.map_or(text, |(at, _)| &text[..at]);
    let is_between = |c: &char| matches!(c, ',' | '\'' | '’') || (*c == '.' && decimals.is_some());
    let between = text.chars().find(|c| !c.is_ascii_digit()).filter(is_between)?;
    let mut groups = text.split(between);
    let first = groups.next()?;
    let are_groups = (1..=3).contains(&first.len()) && are_digits(first);
    let rest: Vec<&str> = groups.collect();
    let is_number = are_groups && rest.len() >= 2 && rest.iter().all(|group| group.len() == 3 && are_digits(group));
    is_number.then(|| format!("{sign}{first}{}", rest.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_programs_are_the_number_they_spell() {
        for (text, want) in [
            ("447700900100.0", "447700900100"),
            ("447700900100,00", "447700900100"),
            ("+447700900100.000", "+447700900100"),
            ("4.47700900100E+11", "447700900100"),
            ("4,477009001000e11", "447700900100"),
            ("447,700,900,100", "447700900100"),
            ("+447,700,900,100.00", "+447700900100"),
            ("447,700,900,100.00", "447700900100"),
            ("447.700.900.100,00", "447700900100"),
            ("\u{202a}+44 7700 900100\u{202c}", "+44 7700 900100"),
            ("\u{200e}07700900100", "07700900100"),
            ("tel:+44-7700-900100", "+44-7700-900100"),
            ("TEL: 07700 900100;ext=1", "07700 900100"),
            ("07700 900100 (mobile)", "07700 900100"),
            ("(Work) 07700 900100", "07700 900100"),
            ("\u{200e}447700900100.0", "447700900100"),
            ("=\"07700900100\"", "07700900100"),
            ("07700\u{2009}900100", "07700 900100"),
            ("+44\u{2212}7700\u{2011}900100", "+44-7700-900100"),
            ("\u{ff0b}\u{ff14}\u{ff14}7700900100", "+447700900100"),
            ("\u{660}\u{667}\u{667}\u{660}\u{660}900100", "07700900100"),
            ("STOP 07700 900100", "07700 900100"),
            ("Opted out: 07700 900100", "07700 900100"),
            ("07700900100 STOP", "07700900100"),
            ("07700 900100 - opted out", "07700 900100"),
            ("07700 900100 removed", "07700 900100"),
            ("07700 900100 ext 5", "07700 900100"),
            ("020 7946 0100 x12", "020 7946 0100"),
            ("(020) 7946-0100, Extension: 123", "(020) 7946-0100"),
            ("Ann 07700 900100", "07700 900100"),
            ("Mobile: 07700 900100", "07700 900100"),
            ("Ann Lee <+447700900100>", "+447700900100"),
            ("<+447700900100>", "+447700900100"),
            ("\"07700 900100\"", "07700 900100"),
            ("“07700 900100”", "07700 900100"),
            ("++447700900100", "+447700900100"),
            ("447700900100@c.us", "+447700900100"),
            ("447700900100@s.whatsapp.net", "+447700900100"),
        ] {
            assert_eq!(plain_number(text), want, "{text}");
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [
            "07700 900001",
            "(07700) 900.001",
            "+44 (0)7700 900001",
            "4.48E+11",
            "4.477009E+11",
            "1,234",
            "447,70,0900",
            "0770.0",
            "070.900.000",
            "020.794.600.00",
            "mailto:x",
            "ada7700900100@example.com",
            "A1 07700 900100",
            "Ann",
            "Fax: 020 7946 0100",
            "07700 900100 x",
            "07700 900100 x1234567",
            "07700 900001 (2)",
            "()",
            "E+",
            ":",
        ] {
            assert_eq!(plain_number(text), text, "{text}");
        }
        assert_eq!(plain_number("'07700900001"), "07700900001");
    }

    #[test]
    fn a_number_is_read_in_any_spelling_that_an_import_reads() {
        let read = |text: &str, region: &str| read_number(text, Region::parse(region)?).map(|phone| phone.e164);
        for text in [
            "+44 7700 900123",
            "+447700900123",
            "+44 (0)7700 900123",
            "0044 (0)7700-900123",
            "00447700900123",
            "447700900123",
            "07700 900123",
            "(07700) 900 123",
            "07700-900-123",
            "7700900123",
            "'07700900123",
            "\u{202a}+44 7700 900123\u{202c}",
            "447700900123.0",
            "tel:07700 900123",
            "TEL: +44-7700-900123",
            "sms:+447700900123",
            "whatsapp://447700900123",
            "Mobile: 07700 900123",
            "<tel:+447700900123>",
            "\u{202a}tel:07700900123\u{202c}",
            "447700900123@c.us",
            "4.47700900123E+11",
            "=\"07700900123\"",
            "07700900123 (mobile)",
            "Ann 07700 900123",
            "Ann: 07700 900123",
            "Bob <07700900123>",
            "Bob ‹07700 900123›",
            "07700 900123 - call after 5",
            "+44 7700 900123 – after 17:30",
            "07700 900123, ask for Dave",
            "07700 900123 x5",
            "07700 900123 #5",
            "tel:07700900123;ext=5",
        ] {
            assert_eq!(read(text, "GB").as_deref(), Some("+447700900123"), "{text}");
        }
        assert_eq!(read("0044 7700 900123", "US").as_deref(), Some("+447700900123"), "as it is dialled elsewhere");
        for text in [
            "STOP 07700 900123",
            "07700 900123 (opted out)",
            "07700 900123 removed",
            "07700 900123 - please do not call",
            "07700 900123 - no sms",
            "07700 900123 - fax",
            "07700 900123 - or 07700 900124",
            "07700 900123-b",
            "tel:STOP 07700 900123",
            "fax:07700900123",
            "ask",
            "",
        ] {
            assert_eq!(read(text, "GB"), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}|[+0-9.,eE' ():\u{200e}]{0,20}") {
            plain_number(&text);
            read_number(&text, Region::gb());
        }
    }
}

//! Parses one line of a card: its name, parameters and value. Assigns the values to columns.

use std::{borrow::Cow, collections::HashMap};

use super::names::{CardNames, FullName};
use crate::{
    block::{
        GrowingRow,
        remark::{RemarkKind, RemarkList},
    },
    error::SheetErrorKind,
    limits::ReadLimits,
    text::encoding::Encoding,
    write::cards::{EXACT, OPTED_OUT_OF, PRODUCT},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CardProperty {
    group: Option<String>,
    /// The name in capitals.
    name: String,
    /// Names and values of the parameters in capitals. A value without a name is a type.
    parameters: Vec<(String, String)>,
    value: String,
    /// Whether white space at the ends of values belongs to them.
    keeps_space: bool,
}

/// Returns whether the value of this line is quoted-printable.
pub(super) fn is_quoted_printable(line: &str) -> bool {
    let head = line.split(':').next().unwrap_or_default().to_ascii_uppercase();
    head.contains("QUOTED-PRINTABLE")
}

impl CardProperty {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (head, value) = split_head(line)?;
        let mut parts = split_outside_quotes(head, ';').into_iter();
        let name = parts.next()?.trim();
        let (group, name) = match name.rsplit_once('.') {
            Some((group, name)) => (Some(group.to_owned()), name),
            None => (None, name),
        };
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if !is_name {
            return None;
        }
        let mut parameters = Vec::new();
        for part in parts {
            let (name, values) = part.split_once('=').unwrap_or(("TYPE", part));
            for value in values.split(',') {
                let value = value.trim().trim_matches('"').to_ascii_uppercase();
                parameters.push((name.trim().to_ascii_uppercase(), value));
            }
        }
        let name = name.to_ascii_uppercase();
        let mut property = Self { group, name, parameters, value: String::new(), keeps_space: false };
        property.value = property.exact_value().unwrap_or_else(|| property.decode_value(value).into_owned());
        Some(property)
    }

    /// Returns the value that an export of this program repeats byte by byte, because vCards cannot express it.
    fn exact_value(&self) -> Option<String> {
        let (_, digits) = self.parameters.iter().find(|(name, _)| name == EXACT)?;
        let bytes =
            digits.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        String::from_utf8(bytes.collect::<Option<_>>()?).ok()
    }

    /// Returns whether the property marks a card that this program exported.
    pub(super) fn is_export_mark(&self) -> bool {
        self.name == "PRODID" && self.value.trim() == PRODUCT
    }

    pub(super) fn keep_space(&mut self) {
        self.keeps_space = true;
    }

    fn decode_value<'v>(&self, value: &'v str) -> Cow<'v, str> {
        if !self.parameters.iter().any(|(_, value)| value == "QUOTED-PRINTABLE") {
            return Cow::Borrowed(value);
        }
        let charset = self.parameters.iter().find(|(name, _)| name == "CHARSET");
        let encoding = charset.and_then(|(_, name)| Encoding::parse(name)).unwrap_or(Encoding::UTF_8);
        Cow::Owned(encoding.decode_start(&from_quoted_printable(value)))
    }

    /// Returns the types that a person made up.
    fn custom_types(&self) -> impl Iterator<Item = &str> {
        let kinds = self.parameters.iter().filter(|(name, _)| name == "TYPE").map(|(_, kind)| kind.as_str());
        kinds.filter(|kind| !kind.is_empty() && !is_known_type(kind))
    }

    fn has_type(&self, kind: &str) -> bool {
        self.parameters.iter().any(|(name, value)| name == "TYPE" && value == kind)
    }

    /// Returns the parts of a value that are separated by `;`.
    pub(super) fn value_parts(&self) -> Vec<String> {
        split_escaped(&self.value, ';').into_iter().map(|part| self.unescape_value(part)).collect()
    }

    pub(super) fn value_text(&self) -> String {
        self.unescape_value(&self.value)
    }

    fn unescape_value(&self, text: &str) -> String {
        let text = unescape_text(text);
        let trimmed = text.trim();
        if self.keeps_space || trimmed.len() == text.len() { text } else { trimmed.to_owned() }
    }

    pub(super) fn has_name(&self, name: &str) -> bool {
        self.name == name
    }
}

/// Splits at the first colon that is not in quotes.
fn split_head(line: &str) -> Option<(&str, &str)> {
    let mut in_quotes = false;
    let colon = line.bytes().position(|byte| {
        in_quotes ^= byte == b'"';
        byte == b':' && !in_quotes
    })?;
    Some((&line[..colon], &line[colon + 1..]))
}

fn split_outside_quotes(text: &str, between: char) -> Vec<&str> {
    let mut in_quotes = false;
    text.split(|c| {
        in_quotes ^= c == '"';
        c == between && !in_quotes
    })
    .collect()
}

/// Splits at every separator that is not preceded by a backslash.
fn split_escaped(text: &str, between: char) -> Vec<&str> {
    let mut is_escaped = false;
    text.split(|c| {
        let splits = c == between && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        splits
    })
    .collect()
}

fn unescape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '\\' => match letters.next() {
                Some('n' | 'N') => out.push('\n'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            _ => out.push(c),
        }
    }
    out
}

fn from_quoted_printable(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'=', Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// The column for labels and types that a person made up, because they may say who opted out.
const LABEL_COLUMN: &str = "Label";
/// Known types and labels: kinds of telephones, and the ways in which version 2.1 encodes a value.
const KNOWN_TYPES: &str = "BBS CALLBACK CAR CELL DOM FAX HOME INTL IPHONE ISDN MAIN MOBILE MODEM MSG OTHER PAGER PCS PREF TEXT \
    TEXTPHONE TTY-TDD VIDEO VOICE WHATSAPP WORK X-WHATSAPP 7BIT 8BIT BASE64 QUOTED-PRINTABLE";
/// The column for a number that is not a telephone to be messaged.
const ALTERNATE_COLUMN: &str = "Alternate phone";
const NAME_COLUMNS: [&str; 5] = ["Last name", "First name", "Middle name", "Title", "Suffix"];
const ADDRESS_COLUMNS: [&str; 7] = ["PO box", "Address line 2", "Street", "City", "State", "Postcode", "Country"];

/// Properties that describe the file rather than a person.
const FILE_PROPERTIES: [&str; 11] = [
    "VERSION",
    "PRODID",
    "REV",
    "UID",
    "SOURCE",
    "PROFILE",
    "CLIENTPIDMAP",
    "X-ABLABEL",
    "X-ABUID",
    "X-ABADR",
    "X-ABSHOWAS",
];

/// Standard and address book properties that are not imported. Any other property gets a column of its own, because it
/// may say who opted out.
const IGNORED_PROPERTIES: [&str; 22] = [
    "AGENT",
    "ANNIVERSARY",
    "CALADRURI",
    "CALURI",
    "CLASS",
    "FBURL",
    "GENDER",
    "GEO",
    "IMPP",
    "KEY",
    "KIND",
    "LABEL",
    "LANG",
    "LOGO",
    "MAILER",
    "MEMBER",
    "PHOTO",
    "RELATED",
    "SORT-STRING",
    "SOUND",
    "TZ",
    "X-SOCIALPROFILE",
];

/// Prefixes of properties that address books write for themselves.
const PROGRAM_PREFIXES: [&str; 5] = ["X-AB", "X-ANDROID-", "X-EVOLUTION-", "X-MS-", "X-PHONETIC-"];

/// Assigns the properties of a card to columns. A property without a column becomes a remark.
pub(super) fn fill_row(
    properties: &[CardProperty],
    row: &mut GrowingRow,
    limits: &ReadLimits,
    remarks: &mut RemarkList,
) -> Result<(), SheetErrorKind> {
    let mut has_address = false;
    let mut names = CardNames::from_properties(properties);
    let (labels, mut counts) = (group_labels(properties), HashMap::new());
    for property in properties {
        let mut each = |names: &[&str]| {
            for (at, part) in property.value_parts().into_iter().enumerate().filter(|(_, part)| !part.is_empty()) {
                match names.get(at) {
                    Some(name) => row.append_value(name, &part, limits)?,
                    None => remarks.add(RemarkKind::Property, &property.name, &part),
                }
            }
            Ok::<_, SheetErrorKind>(())
        };
        let plain = match property.name.as_str() {
            "N" => {
                each(&NAME_COLUMNS)?;
                continue;
            }
            "ORG" => {
                each(&["Company", "Department"])?;
                continue;
            }
            "ADR" => {
                if std::mem::replace(&mut has_address, true) {
                    let parts: Vec<_> = property.value_parts().into_iter().filter(|part| !part.is_empty()).collect();
                    row.append_value("Other address", &parts.join(", "), limits)?;
                } else {
                    each(&ADDRESS_COLUMNS)?;
                }
                continue;
            }
            "TEL" => {
                let label = property.group.as_deref().and_then(|group| labels.get(group).copied());
                add_numbered(row, &mut counts, phone_column(property, label), &phone_number(property), limits)?;
                for kind in property.custom_types() {
                    row.append_value(LABEL_COLUMN, kind, limits)?;
                }
                if let Some(more) = number_parameters(property) {
                    remarks.add(RemarkKind::Property, "TEL", &more);
                }
                continue;
            }
            "X-ABLABEL" if !is_known_label(&property.value) => {
                row.append_value(LABEL_COLUMN, &property.value_text(), limits)?;
                continue;
            }
            "IMPP" | "X-SOCIALPROFILE" if property.has_type("WHATSAPP") => {
                add_numbered(row, &mut counts, "WhatsApp", &phone_number(property), limits)?;
                continue;
            }
            "X-WHATSAPP" => {
                add_numbered(row, &mut counts, "WhatsApp", &phone_number(property), limits)?;
                continue;
            }
            "EMAIL" => {
                add_numbered(row, &mut counts, "Email address", &property.value_text(), limits)?;
                continue;
            }
            "CATEGORIES" => {
                for category in split_escaped(&property.value, ',') {
                    row.append_value("Groups", &property.unescape_value(category), limits)?;
                }
                continue;
            }
            "BDAY" => {
                row.append_value("Birthday", &plain_birthday(property), limits)?;
                continue;
            }
            "FN" => {
                let text = property.value_text();
                match names.classify_full_name(&text) {
                    FullName::Split { title, first, last } => {
                        let parts = [("Title", title), ("First name", first), ("Last name", last)];
                        for (column, part) in parts.iter().filter(|(_, part)| !part.is_empty()) {
                            row.append_value(column, part, limits)?;
                        }
                    }
                    FullName::Repeated if text.is_empty() => {}
                    FullName::Repeated => remarks.add(RemarkKind::Repeated, "FN", &text),
                    FullName::Whole => row.append_value("Full name", &text, limits)?,
                }
                continue;
            }
            "NICKNAME" => "Nickname",
            "TITLE" => "Job title",
            "ROLE" => "Role",
            "NOTE" => "Note",
            "URL" => "Website",
            // Values that no standard property holds, as this program's own export writes them.
            "X-ROOST-ALTERNATE-PHONE" => ALTERNATE_COLUMN,
            "X-ROOST-DATE-OF-BIRTH" => "Birthday",
            name => {
                let text = property.value_text();
                if let Some(number) = name.strip_prefix("X-ROOST-FIELD-") {
                    row.append_value(&format!("field_{number}"), &text, limits)?;
                } else if let Some(channel) = name.strip_prefix(OPTED_OUT_OF) {
                    row.append_value(&format!("opted_out_{}", channel.to_lowercase()), &text, limits)?;
                } else if FILE_PROPERTIES.contains(&name) {
                    remarks.add(RemarkKind::Form, name, &text);
                } else if IGNORED_PROPERTIES.contains(&name)
                    || PROGRAM_PREFIXES.iter().any(|start| name.starts_with(start))
                {
                    if !text.is_empty() {
                        remarks.add(RemarkKind::Property, name, &text);
                    }
                } else if !text.is_empty() {
                    row.append_value(name, &text, limits)?;
                }
                continue;
            }
        };
        row.append_value(plain, &property.value_text(), limits)?;
    }
    Ok(())
}

/// Adds a value. A second value of the same column gets a column of its own.
fn add_numbered(
    row: &mut GrowingRow,
    counts: &mut HashMap<&'static str, usize>,
    column: &'static str,
    text: &str,
    limits: &ReadLimits,
) -> Result<(), SheetErrorKind> {
    if text.is_empty() {
        return Ok(());
    }
    let count = counts.entry(column).and_modify(|count| *count += 1).or_insert(1);
    if *count == 1 {
        row.append_value(column, text, limits)
    } else {
        row.append_value(&format!("{column} {count}"), text, limits)
    }
}

/// Returns the labels that the owner of a phone gave to its numbers, by group: `item1.X-ABLabel:WhatsApp`.
fn group_labels(properties: &[CardProperty]) -> HashMap<&str, &str> {
    let labels = properties.iter().rev().filter(|property| property.name == "X-ABLABEL");
    labels.filter_map(|property| Some((property.group.as_deref()?, plain_label(&property.value)))).collect()
}

/// Returns whether a label is the kind of an address or a number, or one that address books offer.
fn is_known_label(value: &str) -> bool {
    let label = plain_label(value);
    label.len() < value.trim().len() || is_known_type(label)
}

fn is_known_type(text: &str) -> bool {
    KNOWN_TYPES.split_whitespace().any(|kind| text.eq_ignore_ascii_case(kind))
}

/// Removes the marks of a label that is translated.
fn plain_label(value: &str) -> &str {
    value.trim().trim_start_matches("_$!<").trim_end_matches(">!$_")
}

fn phone_column(property: &CardProperty, label: Option<&str>) -> &'static str {
    // This program's own export marks the number.
    if property.parameters.iter().any(|(name, _)| name == "X-ROOST-ALTERNATE") {
        return ALTERNATE_COLUMN;
    }
    let is = |kinds: &[&str]| {
        kinds.iter().any(|kind| property.has_type(kind) || label.is_some_and(|label| label.eq_ignore_ascii_case(kind)))
    };
    match (is(&["FAX"]), is(&["WORK"]), is(&["HOME"])) {
        _ if is(&["WHATSAPP", "X-WHATSAPP"]) => "WhatsApp",
        (true, true, _) => "Work fax",
        (true, ..) => "Fax",
        _ if is(&["PAGER"]) => "Pager",
        _ if is(&["CELL", "MOBILE", "IPHONE"]) => "Mobile",
        (_, true, _) => "Work phone",
        (_, _, true) => "Home phone",
        _ => "Phone",
    }
}

/// Returns a number without the scheme of an address: `tel:+44…;ext=1`.
fn phone_number(property: &CardProperty) -> String {
    let text = property.value_text();
    let Some((scheme, rest)) = text.split_once(':') else { return text };
    if ["tel", "whatsapp", "x-apple", "sms"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        rest.split(';').next().unwrap_or_default().to_owned()
    } else {
        text
    }
}

/// Returns the parameters after a number that is an address, such as `ext=1`.
fn number_parameters(property: &CardProperty) -> Option<String> {
    let text = property.value_text();
    let (_, more) = text.split_once(':')?.1.split_once(';')?;
    (!phone_number(property).contains(';') && !more.is_empty()).then(|| more.to_owned())
}

/// Writes `19850412`, `--0412` and dates with a time as `1985-04-12` or `--04-12`. Returns any other text unchanged.
fn plain_birthday(property: &CardProperty) -> String {
    let text = property.value_text();
    let date = text.split('T').next().unwrap_or_default();
    let digits = date.trim_start_matches("--");
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return text;
    }
    let omitted = property.parameters.iter().find(|(name, _)| name == "X-APPLE-OMIT-YEAR").map(|(_, year)| year);
    match (date.len() - digits.len(), digits.len()) {
        (0, 8) if !digits.contains('-') => format!("{}-{}-{}", &digits[..4], &digits[4..6], &digits[6..]),
        (0, 10) if omitted.is_some_and(|year| digits.starts_with(year.as_str())) => format!("-{}", &digits[4..]),
        (2, 4) if !digits.contains('-') => format!("--{}-{}", &digits[..2], &digits[2..]),
        _ => date.to_owned(),
    }
}

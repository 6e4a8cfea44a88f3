//! Represents a contact as both sides see it: the values that can be written, in canonical form, without empty ones.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use roost_model::{
    contact::{Attribute, CUSTOM_MAX, NUMBER_MAX},
    custom_field,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};

/// A field of a contact that both sides can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SyncField {
    Phone,
    Whatsapp,
    Attribute(Attribute),
    Custom(u32),
}

impl SyncField {
    /// Returns the name of the field in a request.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Phone => Cow::Borrowed("phone_number"),
            Self::Whatsapp => Cow::Borrowed("whatsapp_number"),
            Self::Attribute(attribute) => Cow::Borrowed(attribute.name()),
            Self::Custom(number) => Cow::Owned(format!("field_{number}")),
        }
    }

    /// Parses the result of [`SyncField::name`]. Responses of the service call the WhatsApp number `whatsapp_id`.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "phone_number" => Some(Self::Phone),
            "whatsapp_number" | "whatsapp_id" => Some(Self::Whatsapp),
            _ => {
                Attribute::parse(name).map(Self::Attribute).or_else(|| custom_field::parse_key(name).map(Self::Custom))
            }
        }
    }

    /// Returns the maximum number of characters of a value.
    pub fn max_length(self) -> usize {
        match self {
            Self::Phone | Self::Whatsapp => NUMBER_MAX,
            Self::Attribute(attribute) => attribute.max(),
            Self::Custom(_) => CUSTOM_MAX,
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, Self::Phone | Self::Whatsapp)
    }
}

impl Serialize for SyncField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for SyncField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&name).ok_or_else(|| de::Error::custom(format!("{name} is no field of a contact")))
    }
}

/// The two kinds of number by which the service finds a contact in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    Phone,
    Whatsapp,
}

impl KeyKind {
    pub const ALL: [Self; 2] = [Self::Phone, Self::Whatsapp];

    pub fn field(self) -> SyncField {
        match self {
            Self::Phone => SyncField::Phone,
            Self::Whatsapp => SyncField::Whatsapp,
        }
    }
}

/// A number that identifies contacts in a list.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContactKey {
    pub kind: KeyKind,
    pub number: String,
}

/// The non-empty values of a contact, sorted by field. Clones share them, since a plan names a contact's values several
/// times.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContactRow(Arc<PackedValues>);

/// The values joined into one text. A plan holds every changed contact, and a separate text for each value takes twice
/// the memory.
#[derive(Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct PackedValues {
    /// Each field with the end of its value in the text.
    ends: Box<[(SyncField, u32)]>,
    text: Box<str>,
}

/// A field that differs between two rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldDifference<'a> {
    pub field: SyncField,
    pub from: Option<&'a str>,
    pub to: Option<&'a str>,
}

impl ContactRow {
    /// Creates a row from values that are sorted by field.
    fn from_sorted<T: AsRef<str>>(values: impl Iterator<Item = (SyncField, T)>) -> Self {
        let (mut ends, mut text) = (Vec::new(), String::new());
        for (field, value) in values {
            text.push_str(value.as_ref());
            // A longer text cannot have come from a service. It reads as cut off.
            ends.push((field, u32::try_from(text.len()).unwrap_or(u32::MAX)));
        }
        Self(Arc::new(PackedValues { ends: ends.into(), text: text.into() }))
    }

    fn value_at(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.0.ends[before].1);
        self.0.text.get(start as usize..self.0.ends[at].1 as usize).unwrap_or_default()
    }

    pub fn get(&self, field: SyncField) -> Option<&str> {
        self.0.ends.binary_search_by_key(&field, |(at, _)| *at).ok().map(|at| self.value_at(at))
    }

    /// Sets a value or, if it is `None` or empty, removes it.
    pub fn set(&mut self, field: SyncField, value: Option<&str>) {
        let value = value.filter(|text| !text.is_empty());
        if self.get(field) != value {
            let below = self.iter().filter(|(at, _)| *at < field);
            let above = self.iter().filter(|(at, _)| *at > field);
            *self = Self::from_sorted(below.chain(value.map(|text| (field, text))).chain(above));
        }
    }

    #[must_use]
    pub fn with_value(mut self, field: SyncField, value: &str) -> Self {
        self.set(field, Some(value));
        self
    }

    pub fn iter(&self) -> impl Iterator<Item = (SyncField, &str)> {
        self.0.ends.iter().enumerate().map(|(at, (field, _))| (*field, self.value_at(at)))
    }

    pub fn is_empty(&self) -> bool {
        self.0.ends.is_empty()
    }

    pub fn key_of_kind(&self, kind: KeyKind) -> Option<ContactKey> {
        self.get(kind.field()).map(|number| ContactKey { kind, number: number.to_owned() })
    }

    pub fn keys(&self) -> impl Iterator<Item = ContactKey> {
        KeyKind::ALL.into_iter().filter_map(|kind| self.key_of_kind(kind))
    }

    /// Returns the fields whose values differ, in rising order.
    pub fn differences<'a>(&'a self, to: &'a Self) -> Vec<FieldDifference<'a>> {
        let (mut left, mut right) = (self.iter().peekable(), to.iter().peekable());
        let mut found = Vec::new();
        loop {
            let field = match (left.peek(), right.peek()) {
                (None, None) => return found,
                (Some((field, _)), None) | (None, Some((field, _))) => *field,
                (Some((a, _)), Some((b, _))) => *a.min(b),
            };
            let from = left.next_if(|(at, _)| *at == field).map(|(_, text)| text);
            let to = right.next_if(|(at, _)| *at == field).map(|(_, text)| text);
            if from != to {
                found.push(FieldDifference { field, from, to });
            }
        }
    }

    /// Returns the row without its form, so that rows that differ in form alone become equal.
    #[must_use]
    pub fn to_folded(&self) -> Self {
        Self::from_sorted(self.iter().map(|(field, text)| (field, fold_text(field, text))))
    }

    /// Computes the size of this row as a JSON object without writing it.
    pub fn json_size(&self) -> usize {
        let quoted = |text: &str| 2 + text.chars().map(escaped_bytes).sum::<usize>();
        let members: usize = self.iter().map(|(field, text)| field.name().len() + 2 + 1 + quoted(text)).sum();
        2 + members + self.0.ends.len().saturating_sub(1)
    }
}

/// Returns the number of bytes with which serde_json writes a character.
fn escaped_bytes(one: char) -> usize {
    match one {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        one if one < ' ' => 6,
        one => one.len_utf8(),
    }
}

impl FromIterator<(SyncField, String)> for ContactRow {
    fn from_iter<I: IntoIterator<Item = (SyncField, String)>>(values: I) -> Self {
        let values: BTreeMap<SyncField, String> = values.into_iter().collect();
        Self::from_sorted(values.iter().filter(|(_, text)| !text.is_empty()).map(|(field, text)| (*field, text)))
    }
}

impl Serialize for ContactRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.ends.len()))?;
        for (field, text) in self.iter() {
            map.serialize_entry(&field.name(), text)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ContactRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = BTreeMap::<SyncField, String>::deserialize(deserializer)?;
        Ok(values.into_iter().collect())
    }
}

/// Removes from a value whatever counts as form alone.
fn fold_text(field: SyncField, text: &str) -> String {
    if field.is_number() {
        return text.chars().filter(char::is_ascii_digit).collect();
    }
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(word.chars().flat_map(char::to_lowercase));
    }
    folded
}

/// Returns whether two values differ in form alone: spaces, letter case, the punctuation of a number.
pub fn differs_only_in_form(field: SyncField, a: &str, b: &str) -> bool {
    fold_text(field, a) == fold_text(field, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: SyncField = SyncField::Attribute(Attribute::Firstname);

    #[test]
    fn an_empty_value_is_not_there() {
        let mut row = ContactRow::default()
            .with_value(SyncField::Custom(2), "b")
            .with_value(FIRST, "a")
            .with_value(SyncField::Phone, "+447700900001");
        assert_eq!(
            row.iter().map(|(field, _)| field).collect::<Vec<_>>(),
            [SyncField::Phone, FIRST, SyncField::Custom(2)],
            "kept in order"
        );
        row.set(FIRST, Some(""));
        assert_eq!(row.get(FIRST), None);
        assert_eq!(
            row,
            ContactRow::default().with_value(SyncField::Phone, "+447700900001").with_value(SyncField::Custom(2), "b")
        );
    }

    #[test]
    fn differences_are_listed_in_order_and_both_ways() {
        let a = ContactRow::default().with_value(FIRST, "a").with_value(SyncField::Phone, "+1");
        let b = ContactRow::default().with_value(FIRST, "b").with_value(SyncField::Whatsapp, "+1");
        let differences: Vec<_> = a.differences(&b).iter().map(|d| (d.field, d.from, d.to)).collect();
        assert_eq!(
            differences,
            [
                (SyncField::Phone, Some("+1"), None),
                (SyncField::Whatsapp, None, Some("+1")),
                (FIRST, Some("a"), Some("b"))
            ]
        );
        assert!(a.differences(&a).is_empty());
    }

    #[test]
    fn bytes_are_counted_as_they_are_written() {
        for text in ["plain", "quo\"te\\", "line\nbreak\ttab", "é🐦", "\u{1}\u{8}\u{c}\u{7f}"] {
            let row = ContactRow::default().with_value(FIRST, text).with_value(SyncField::Custom(12), text);
            let written = serde_json::to_string(&row).expect("texts only");
            assert_eq!(row.json_size(), written.len(), "{written}");
        }
        assert_eq!(ContactRow::default().json_size(), 2);
    }

    #[test]
    fn names_are_read_back() {
        for field in [SyncField::Phone, SyncField::Whatsapp, FIRST, SyncField::Custom(17)] {
            assert_eq!(SyncField::parse(&field.name()), Some(field));
        }
        assert_eq!(SyncField::parse("whatsapp_id"), Some(SyncField::Whatsapp));
        assert_eq!(SyncField::parse("uid"), None);
    }

    #[test]
    fn values_that_differ_in_spaces_case_or_punctuation_differ_only_in_form() {
        assert!(differs_only_in_form(FIRST, " Anna  B", "anna b "));
        assert!(!differs_only_in_form(FIRST, "Anna", "Ann"));
        assert!(differs_only_in_form(SyncField::Phone, "+44 7700 900001", "+447700900001"));
        assert!(!differs_only_in_form(SyncField::Phone, "+447700900001", "+447700900002"));
    }
}

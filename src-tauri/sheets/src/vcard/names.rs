//! Compares the full name of a card with the parts of the name. A full name that stands alone is split, and one that
//! only repeats the parts is not taken again.

use roost_spelling::person_name::{split_last_first, split_title};

use super::property::CardProperty;

/// The names that a card gives in parts, and other values that programs show in place of a name.
pub(super) struct CardNames {
    words: Vec<String>,
    /// Digits of the card's numbers.
    numbers: Vec<String>,
    /// Whether the card has no part of a person's name yet.
    is_open: bool,
}

/// The relation of a full name to the other names of its card.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FullName {
    /// It is the only name of the card and was split.
    Split { title: String, first: String, last: String },
    /// All of its words occur in other parts of the card.
    Repeated,
    /// It says more than the other parts.
    Whole,
}

impl CardNames {
    pub(super) fn from_properties(properties: &[CardProperty]) -> Self {
        let parts = |name: &str| -> Vec<String> {
            let named = properties.iter().filter(|property| property.has_name(name));
            named.flat_map(CardProperty::value_parts).flat_map(|part| lower_case_words(&part)).collect()
        };
        let of_person = parts("N");
        let is_open = of_person.is_empty();
        let others = ["ORG", "EMAIL", "UID"].into_iter().flat_map(parts);
        let numbers = properties.iter().filter(|property| property.has_name("TEL") || property.has_name("X-WHATSAPP"));
        let numbers = numbers.map(|number| digits_only(&number.value_text())).collect();
        Self { words: of_person.into_iter().chain(others).collect(), numbers, is_open }
    }

    /// Classifies a full name. The first full name of a card without other names is split.
    pub(super) fn classify_full_name(&mut self, text: &str) -> FullName {
        if lower_case_words(text).iter().all(|word| self.words.contains(word)) {
            return FullName::Repeated;
        }
        if !text.contains(char::is_alphabetic) {
            let number = digits_only(text);
            let is_known = number.is_empty() || self.numbers.contains(&number);
            return if is_known { FullName::Repeated } else { FullName::Whole };
        }
        if !std::mem::take(&mut self.is_open) {
            return FullName::Whole;
        }
        self.words.extend(lower_case_words(text));
        let (title, name) = split_title(text);
        let split = |title: &str, first: &str, last: &str| FullName::Split {
            title: title.to_owned(),
            first: first.to_owned(),
            last: last.trim_start().to_owned(),
        };
        if let Some((last, first)) = split_last_first(name, true) {
            let (inner, first) = split_title(first);
            return split(if title.is_empty() { inner } else { title }, first, last);
        }
        match name.split_once(char::is_whitespace) {
            Some((first, last)) => split(title, first, last),
            // A title is followed by the last name: `Ms Jones`.
            None if !title.is_empty() => split(title, "", name),
            None => split("", name, ""),
        }
    }
}

fn digits_only(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Splits a text into words in lower case, without commas.
fn lower_case_words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    parts.map(str::to_lowercase).collect()
}

//! Compares the full name of a card with the parts of the name. A full name that stands alone is split, and one that
//! only repeats the parts is not taken again.

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
    Split { first: String, last: String },
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
        let text = text.trim();
        if let Some((last, first)) = text.split_once(',')
            && !first.trim().is_empty()
        {
            return FullName::Split { first: first.trim().to_owned(), last: last.trim().to_owned() };
        }
        let (first, last) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        FullName::Split { first: first.to_owned(), last: last.trim().to_owned() }
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

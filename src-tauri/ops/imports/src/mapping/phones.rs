//! Recognizes columns of telephones and decides which of several numbers is the best to write to.

use roost_spelling::{is_excluded_phone_name, normalize_name};

use super::{columns::ColumnFacts, field_suggestions::SuggestionReason};

/// The kind of numbers in a column, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PhoneKind {
    Mobile,
    /// The name of the column does not say which kind.
    Unnamed,
    Work,
    Home,
    Other,
}

/// The names of each kind of column, in the form in which names are compared.
const PHONE_WORDS: &[(PhoneKind, &[&str])] = &[
    (
        PhoneKind::Mobile,
        &[
            "mobile",
            "mobile number",
            "mobile phone",
            "mobile phone number",
            "mobile telephone",
            "mobile no",
            "cell",
            "cell phone",
            "cellphone",
            "cell number",
            "sms",
            "sms number",
            "sms phone number",
            "work mobile",
            "business mobile",
            "personal mobile",
            "handy",
            "handynummer",
            "mobil",
            "mobiltelefon",
            "mobilnummer",
            "portable",
            "numero de portable",
            "gsm",
            "movil",
            "numero de movil",
            "telefono movil",
            "celular",
            "cellulare",
            "mobiel",
            "mobiel nummer",
            "komorka",
            "telefon komorkowy",
            "telemovel",
        ],
    ),
    (
        PhoneKind::Unnamed,
        &[
            "phone number",
            "phone",
            "phone no",
            "telephone",
            "telephone number",
            "telephone no",
            "tel",
            "tel no",
            "msisdn",
            "number",
            "primary phone",
            "contact number",
            "telefon",
            "telefonnummer",
            "rufnummer",
            "numero de telephone",
            "telefono",
            "numero di telefono",
            "telefoonnummer",
            "telefoon",
            "numer telefonu",
            "telefone",
            "numero de telefone",
        ],
    ),
    (
        PhoneKind::Work,
        &[
            "work phone",
            "work number",
            "work telephone",
            "business phone",
            "business number",
            "business telephone",
            "office phone",
            "office number",
            "company phone",
            "main phone",
            "telefon geschaftlich",
        ],
    ),
    (
        PhoneKind::Home,
        &[
            "home phone",
            "home number",
            "home telephone",
            "private phone",
            "landline",
            "festnetz",
            "telefon privat",
            "telephone fixe",
            "telefono fijo",
            "telefono fisso",
            "vaste telefoon",
            "telefon stacjonarny",
        ],
    ),
    (
        PhoneKind::Other,
        &[
            "other phone",
            "other number",
            "second phone",
            "secondary phone",
            "additional phone",
            "car phone",
            "default address phone",
            "billing phone",
            "billing address phone",
            "shipping phone",
            "shipping address phone",
        ],
    ),
];

/// Names of places, which mean telephones if the column holds numbers.
const PLACE_WORDS: &[(PhoneKind, &str)] = &[
    (PhoneKind::Work, "work"),
    (PhoneKind::Work, "business"),
    (PhoneKind::Work, "office"),
    (PhoneKind::Home, "home"),
    (PhoneKind::Home, "private"),
    (PhoneKind::Other, "other"),
];

/// A column of telephones. Columns are ordered by how likely messages reach their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhoneColumn {
    kind: PhoneKind,
    /// The 2 of “Phone 2”.
    number: u32,
    /// Among equals, the likelier word has the lower rank.
    rank: usize,
    pub column: usize,
}

impl PhoneColumn {
    pub fn suggestion_reason(&self) -> SuggestionReason {
        match (self.kind, self.rank) {
            (_, usize::MAX) => SuggestionReason::Contents,
            (PhoneKind::Unnamed, 0) if self.number == 1 => SuggestionReason::Name,
            _ => SuggestionReason::Word,
        }
    }
}

/// Splits a name such as “Phone 2”, “Home Phones”, “Phone 1 - Value” or “phones.1.number” into the usual name of one
/// telephone and its number.
fn split_number(head: &str) -> (String, u32) {
    let head = head.strip_suffix(" value").unwrap_or(head);
    let mut number = 1;
    let is_name = |(at, word): &(usize, &str)| match word.parse() {
        Ok(found) if *at > 0 && word.len() <= 2 => {
            number = found;
            false
        }
        _ => true,
    };
    let words = head.split(' ').enumerate().filter(is_name).map(|(_, word)| match word {
        "phones" => "phone",
        "numbers" => "number",
        "mobiles" => "mobile",
        other => other,
    });
    let name = words.collect::<Vec<_>>().join(" ");
    (name, number)
}

/// Returns how good a column of this name is for telephones; `None` if it holds none.
pub fn classify_phone_column(column: usize, head: &str, facts: Option<&ColumnFacts>) -> Option<PhoneColumn> {
    let (name, number) = split_number(&normalize_name(head));
    let by_word = PHONE_WORDS.iter().find_map(|(kind, words)| {
        let rank = words.iter().position(|word| *word == name)?;
        Some(PhoneColumn { kind: *kind, number, rank, column })
    });
    by_word.or_else(|| {
        let looks = facts?.looks;
        let (kind, _) = PLACE_WORDS.iter().find(|(_, place)| *place == name)?;
        let are_numbers = looks.are_mostly(looks.numbers + looks.shortened);
        are_numbers.then_some(PhoneColumn { kind: *kind, number, rank: usize::MAX, column })
    })
}

/// The kind of a number by its label, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LabelKind {
    Mobile,
    Other,
    /// A fax or a pager.
    NotForMessages,
}

pub fn classify_label(label: &str) -> LabelKind {
    let label = normalize_name(label);
    let is_mobile =
        |word: &str| PHONE_WORDS.iter().any(|(kind, words)| *kind == PhoneKind::Mobile && words.contains(&word));
    if is_excluded_phone_name(&label) {
        LabelKind::NotForMessages
    } else if is_mobile(&label) || label.split(' ').any(is_mobile) {
        LabelKind::Mobile
    } else {
        LabelKind::Other
    }
}

/// Finds the column with the labels of this one: `Phone 1 - Label` for `Phone 1 - Value`.
pub fn find_label_column(heads: &[String], column: usize) -> Option<usize> {
    let head = normalize_name(heads.get(column)?);
    let base = [" value", " number"].iter().find_map(|end| head.strip_suffix(end)).unwrap_or(&head);
    let is_label = |other: &String| {
        let other = normalize_name(other);
        let rest = other.strip_prefix(base).filter(|_| !base.is_empty());
        matches!(rest, Some(" label" | " type" | " kind"))
    };
    heads.iter().position(is_label)
}

/// Returns whether a name means telephones without its values.
pub fn is_phone_name(head: &str) -> bool {
    classify_phone_column(0, head, None).is_some()
}

#[cfg(test)]
mod tests {
    use super::{super::columns::ContentCounts, *};

    fn try_order(heads: &[&str]) -> Vec<String> {
        let facts = ColumnFacts {
            looks: ContentCounts { values: 9, numbers: 9, ..ContentCounts::default() },
            ..ColumnFacts::default()
        };
        let columns = heads.iter().enumerate();
        let mut found: Vec<_> =
            columns.filter_map(|(at, head)| classify_phone_column(at, head, Some(&facts))).collect();
        found.sort();
        found.into_iter().map(|phone| heads[phone.column].to_owned()).collect()
    }

    #[test]
    fn mobiles_are_tried_first_and_columns_without_telephones_never() {
        for (heads, want) in [
            (&["Home", "Work phone", "Phone", "Mobile", "Fax"][..], &["Mobile", "Phone", "Work phone", "Home"][..]),
            (
                &["Business Phone 2", "Business Phone", "Home Phone", "Mobile Phone", "Pager", "Other Phone"],
                &["Mobile Phone", "Business Phone", "Business Phone 2", "Home Phone", "Other Phone"],
            ),
            (
                &["Phone 1 - Type", "Phone 1 - Value", "Phone 2 - Label", "Phone 2 - Value"],
                &["Phone 1 - Value", "Phone 2 - Value"],
            ),
            (&["Phone 2", "Mobile 2", "Phone", "Mobile"], &["Mobile", "Mobile 2", "Phone", "Phone 2"]),
            (&["Telephone", "phone_number"], &["phone_number", "Telephone"]),
            (&["phones.1.type", "phones.2.number", "phones.1.number"], &["phones.1.number", "phones.2.number"]),
            (&["businessPhones", "Mobile Numbers"], &["Mobile Numbers", "businessPhones"]),
            (&["Name", "City", "Work fax", "Assistant's Phone", "Alternate phone", "Company Main Phone"], &[]),
            (
                &["Shipping Phone", "Default Address Phone", "Phone"],
                &["Phone", "Default Address Phone", "Shipping Phone"],
            ),
        ] {
            assert_eq!(try_order(heads), want, "{heads:?}");
        }
        assert!(!is_phone_name("Home"), "a place alone says nothing");
    }

    #[test]
    fn a_column_of_labels_is_found_by_its_name() {
        let heads =
            ["Phone 1 - Label", "Phone 1 - Value", "phones.1.type", "phones.1.number", "Phone", "Phone type", "X"];
        let heads = heads.map(str::to_owned);
        let found: Vec<_> = (0..heads.len()).map(|column| find_label_column(&heads, column)).collect();
        assert_eq!(found, [None, Some(0), None, Some(2), Some(5), None, None]);
        let kinds = ["* Mobile", "Home Fax", "Pager", "Work", "", "Work mobile"].map(classify_label);
        use LabelKind::{Mobile, NotForMessages, Other};
        assert_eq!(kinds, [Mobile, NotForMessages, NotForMessages, Other, Other, Mobile]);
    }

    #[test]
    fn every_word_is_written_as_names_are_compared() {
        for word in PHONE_WORDS.iter().flat_map(|(_, words)| *words).chain(PLACE_WORDS.iter().map(|(_, place)| place)) {
            assert_eq!(normalize_name(word), **word);
            assert_eq!(split_number(word).0, **word);
        }
    }
}

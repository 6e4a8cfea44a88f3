//! Suggests the field that a column means: by its name in several languages, by a similar name, or else by its values.

use roost_model::{
    contact::{Attribute, ContactField},
    custom_field::CustomField,
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use roost_spelling::{is_excluded_phone_name, normalize_name};

use super::{
    columns::ColumnFacts,
    consent::{has_yes_no_answers, is_consent_by_answers, is_consent_name},
    field_words::{ADDRESS_FIELDS, ADDRESS_PREFIXES, FIELD_WORDS, PERSON_FIELDS, PERSON_PREFIXES, attribute_field},
    full_names::is_full_name,
    phones::{PhoneColumn, classify_phone_column, is_phone_name},
};

/// The least similarity at which a name counts as a misspelt word.
const LIKENESS_MIN: f64 = 0.88;
/// Names with fewer letters never count as misspelt.
const MISSPELT_LETTERS_MIN: usize = 5;
/// Words that resemble the name of a field but mean something else.
const NOT_MISSPELT: [&str; 5] = ["direction", "department", "abschrift", "unternehmer", "telephony"];
const NUMBER_FIELDS: [ContactField; 3] =
    [ContactField::PhoneNumber, ContactField::WhatsappId, attribute_field(Attribute::AlternatePhone)];
/// The name of the alternate number in the window.
const OWN_ALTERNATE: &str = "other phone";

/// The reason why a field is suggested, the surest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportSuggestionBy"))]
pub enum SuggestionReason {
    /// The column has the name of the field, or the label of a custom field.
    Name,
    /// The column has another word for the field as its name.
    Word,
    /// The name of the column resembles such a word.
    Likeness,
    /// The values of the column look like those of the field.
    Contents,
}

/// A field that a column may mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportSuggestion"))]
pub struct FieldSuggestion {
    /// The name of the field in records of contacts: `phone_number`, `field_3`.
    pub field: String,
    pub by: SuggestionReason,
    /// The position among the telephone columns of the files, the best first; `None` for other columns.
    #[serde(skip)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub order: Option<usize>,
}

/// Returns a signature that is the same for all files with these columns in this order, whatever their case and
/// punctuation.
pub fn column_signature(heads: &[String]) -> String {
    let mut hash = Sha256::new();
    for head in heads {
        hash.update(normalize_name(head).as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// Returns whether a name means something without its values.
pub fn is_known_name(name: &str) -> bool {
    let plain = normalize_name(name);
    FIELD_WORDS.iter().any(|(_, words)| words.contains(&plain.as_str())) || is_phone_name(name) || is_full_name(name)
}

fn is_field_name(field: ContactField, plain: &str) -> bool {
    FIELD_WORDS.iter().any(|(known, words)| *known == field && words.contains(&plain))
}

struct RatedField {
    column: usize,
    field: ContactField,
    by: SuggestionReason,
    /// Among equals, the likelier word has the lower rank.
    rank: u32,
}

/// Suggests a field for each column that seems to mean one, and each field at most once for a file. `files` lists the
/// files of each column; it is empty if there is only one file.
pub fn suggest_fields(
    heads: &[String],
    facts: &[ColumnFacts],
    files: &[Vec<u32>],
    custom: &[CustomField],
) -> Vec<Option<FieldSuggestion>> {
    let width = heads.len().max(facts.len());
    let mut phones: Vec<PhoneColumn> = Vec::new();
    let has_whatsapp = heads.iter().any(|head| is_field_name(ContactField::WhatsappId, &normalize_name(head)));
    let mut rated: Vec<RatedField> = Vec::new();
    for column in 0..width {
        if let Some(head) = heads.get(column).map(|head| normalize_name(head)).filter(|head| !head.is_empty()) {
            // Beside a WhatsApp number, our own exports call the alternate number “Other phone”.
            let is_own = custom.iter().any(|field| normalize_name(&field.label) == head)
                || (has_whatsapp && head == OWN_ALTERNATE);
            let is_consent =
                is_consent_name(&head) || facts.get(column).is_some_and(|facts| is_consent_by_answers(&head, facts));
            // “Yes” in a column “WhatsApp” is not a number.
            let are_answers = facts.get(column).is_some_and(has_yes_no_answers);
            let may_be_phone = !is_own && !is_consent && !are_answers;
            if let Some(phone) = classify_phone_column(column, &head, facts.get(column)).filter(|_| may_be_phone) {
                phones.push(phone);
                continue;
            }
            if is_consent && !is_own && !is_consent_name(&head) {
                continue;
            }
            rate_by_name(column, &head, custom, &mut rated);
            if are_answers && !is_own {
                let is_named =
                    |rated: &RatedField| rated.by == SuggestionReason::Name || !NUMBER_FIELDS.contains(&rated.field);
                rated.retain(|rated| rated.column != column || is_named(rated));
            }
            // The numbers in a column about consent do not belong to contacts unless somebody says so.
            if is_excluded_phone_name(&head) || is_consent {
                continue;
            }
        }
        if let Some(facts) = facts.get(column) {
            rate_by_contents(column, facts, &mut rated);
        }
    }
    rate_by_prefix(heads, facts, &mut rated);
    rated.sort_by_key(|rated| (rated.by, rated.rank, rated.column));
    let mut suggested: Vec<Option<FieldSuggestion>> = vec![None; width];
    let mut taken: Vec<(ContactField, usize)> = Vec::new();
    let are_apart = |one: usize, other: usize| match (files.get(one), files.get(other)) {
        (Some(one), Some(other)) => one.iter().all(|file| !other.contains(file)),
        _ => false,
    };
    phones.sort_unstable();
    for (order, phone) in phones.iter().enumerate() {
        let column = phone.column;
        let is_first =
            taken.iter().all(|(known, other)| *known != ContactField::PhoneNumber || are_apart(*other, column));
        let field = if is_first { ContactField::PhoneNumber } else { attribute_field(Attribute::AlternatePhone) };
        if is_first {
            taken.push((field, column));
        }
        let by = phone.suggestion_reason();
        suggested[column] = Some(FieldSuggestion { field: field.name().into_owned(), by, order: Some(order) });
    }
    for RatedField { column, field, by, .. } in rated {
        let is_free = taken.iter().all(|(known, other)| *known != field || are_apart(*other, column));
        if suggested[column].is_none() && is_free {
            taken.push((field, column));
            suggested[column] = Some(FieldSuggestion { field: field.name().into_owned(), by, order: None });
        }
    }
    suggested
}

fn rate_by_name(column: usize, head: &str, custom: &[CustomField], rated: &mut Vec<RatedField>) {
    let mut rate = |field, by, rank| rated.push(RatedField { column, field, by, rank });
    for CustomField { number, label } in custom {
        if normalize_name(label) == head || format!("field {number}") == head {
            rate(ContactField::Custom(*number), SuggestionReason::Name, 0);
        }
    }
    for (field, words) in FIELD_WORDS {
        match words.iter().position(|word| *word == head) {
            Some(0) => rate(*field, SuggestionReason::Name, 0),
            Some(rank) => rate(*field, SuggestionReason::Word, rank as u32),
            None => {
                let best = words.iter().map(|word| score_likeness(word, head)).fold(0.0, f64::max);
                if best >= LIKENESS_MIN {
                    rate(*field, SuggestionReason::Likeness, ((1.0 - best) * 1_000.0) as u32);
                }
            }
        }
    }
}

/// Rates columns whose names begin with a place or an object: `Home City`, `Address 1 - Street`, `name.first`. Only one
/// place fills the address: the first of [`ADDRESS_PREFIXES`] that holds values.
fn rate_by_prefix(heads: &[String], facts: &[ColumnFacts], rated: &mut Vec<RatedField>) {
    let plains: Vec<String> = heads.iter().map(|head| normalize_name(head)).collect();
    let is_filled = |column: usize| facts.get(column).is_none_or(|facts| facts.filled > 0);
    let of_prefix = |prefix: &'static str, fields: &'static [ContactField]| {
        let columns = plains.iter().enumerate().filter_map(move |(column, head)| {
            let rest = head.strip_prefix(prefix)?.strip_prefix(' ')?;
            let of_rest = |field: &&ContactField| is_field_name(**field, rest);
            Some((column, *fields.iter().find(of_rest)?))
        });
        columns.filter(|(column, _)| is_filled(*column)).collect::<Vec<_>>()
    };
    let is_placed = |name: &str| ADDRESS_FIELDS.iter().any(|field| is_field_name(*field, name));
    let has_prefix = |head: &str| {
        let rests = ADDRESS_PREFIXES.iter().filter_map(|place| head.strip_prefix(place)?.strip_prefix(' '));
        rests.into_iter().any(is_placed)
    };
    let mut filled = plains.iter().enumerate().filter(|(column, _)| is_filled(*column));
    let has_place = filled.any(|(_, head)| is_placed(head) && !has_prefix(head));
    let place = if has_place {
        None
    } else {
        ADDRESS_PREFIXES.iter().map(|place| of_prefix(place, ADDRESS_FIELDS)).find(|one| !one.is_empty())
    };
    let of_objects = PERSON_PREFIXES.iter().flat_map(|object| of_prefix(object, PERSON_FIELDS));
    for (column, field) in place.into_iter().flatten().chain(of_objects) {
        rated.push(RatedField { column, field, by: SuggestionReason::Word, rank: u32::MAX });
    }
}

fn score_likeness(word: &str, head: &str) -> f64 {
    // Short words that differ by one letter mean different things: nom, nome, name.
    if word.chars().count() < MISSPELT_LETTERS_MIN
        || head.chars().count() < MISSPELT_LETTERS_MIN
        || NOT_MISSPELT.contains(&head)
    {
        return 0.0;
    }
    // Another number means another column.
    if !word.chars().filter(char::is_ascii_digit).eq(head.chars().filter(char::is_ascii_digit)) {
        return 0.0;
    }
    strsim::normalized_damerau_levenshtein(word, head)
}

fn rate_by_contents(column: usize, facts: &ColumnFacts, rated: &mut Vec<RatedField>) {
    let looks = &facts.looks;
    let mut rate = |field| rated.push(RatedField { column, field, by: SuggestionReason::Contents, rank: 0 });
    if looks.are_mostly(looks.numbers + looks.shortened) {
        rate(ContactField::PhoneNumber);
    } else if looks.are_mostly(looks.emails) {
        rate(attribute_field(Attribute::EmailAddress));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::columns::ContentCounts;

    fn column_names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn suggested_fields(names: &[&str]) -> Vec<String> {
        let custom = [CustomField { number: 4, label: "Shoe size".to_owned() }];
        let suggested = suggest_fields(&column_names(names), &[], &[], &custom);
        suggested.into_iter().map(|suggestion| suggestion.map_or_else(|| "-".to_owned(), |s| s.field)).collect()
    }

    #[test]
    fn every_word_is_written_as_names_are_compared_and_means_one_field() {
        let mut all: Vec<&str> = FIELD_WORDS.iter().flat_map(|(_, words)| words.iter().copied()).collect();
        assert!(
            all.iter().all(|word| normalize_name(word) == **word),
            "{:?}",
            all.iter().find(|word| normalize_name(word) != ***word)
        );
        let count = all.len();
        all.sort_unstable();
        let twice: Vec<&str> = all.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        all.dedup();
        assert_eq!(all.len(), count, "{twice:?}");
    }

    #[test]
    fn columns_of_several_languages_are_understood() {
        assert_eq!(
            suggested_fields(&[
                "Mobile Number",
                "First Name",
                "Surname",
                "E-mail",
                "Post Code",
                "Shoe Size",
                "Whatever"
            ]),
            ["phone_number", "firstname", "lastname", "email_address", "zip", "field_4", "-"]
        );
        assert_eq!(
            suggested_fields(&["Vorname", "Nachname", "Handy", "PLZ", "Ort"]),
            ["firstname", "lastname", "phone_number", "zip", "city"]
        );
        assert_eq!(suggested_fields(&["Prénom", "Nom", "Téléphone fixe"]), ["firstname", "lastname", "phone_number"]);
        assert_eq!(
            suggested_fields(&["Imię", "Nazwisko", "Numer telefonu"]),
            ["firstname", "lastname", "phone_number"]
        );
    }

    #[test]
    fn a_misspelt_name_is_understood_and_a_short_one_is_not_guessed() {
        assert_eq!(suggested_fields(&["Frist name", "Adress line 2"]), ["firstname", "address_2"]);
        assert_eq!(suggested_fields(&["name", "note"]), ["-", "-"]);
    }

    #[test]
    fn names_with_a_place_or_an_object_in_front_are_understood() {
        assert_eq!(
            suggested_fields(&["Address 1 - Street", "Address 1 - City", "Address 1 - Country", "Organization Name"]),
            ["address_1", "city", "country", "company_name"]
        );
        assert_eq!(
            suggested_fields(&["Business City", "Home Street", "Home Postal Code", "Home Country/Region", "Home City"]),
            ["-", "address_1", "zip", "country", "city"]
        );
        assert_eq!(
            suggested_fields(&["City", "Home City", "Home Street"]),
            ["city", "-", "-"],
            "parts of two addresses"
        );
        assert_eq!(
            suggested_fields(&["name.first", "name.last", "address.postcode"]),
            ["firstname", "lastname", "zip"]
        );
        assert_eq!(suggested_fields(&["contact.firstName", "contact.email"]), ["firstname", "email_address"]);
        assert_eq!(suggested_fields(&["Home address", "Home City"]), ["address_1", "city"]);
        assert_eq!(suggested_fields(&["Mailing City", "Mailing Zip/Postal Code"]), ["city", "zip"]);
        let blank = ColumnFacts::default();
        let filled = ColumnFacts { filled: 1, ..ColumnFacts::default() };
        let suggested = suggest_fields(&column_names(&["Home City", "Business City"]), &[blank, filled], &[], &[]);
        assert_eq!(suggested.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn what_only_looks_like_a_name_is_not_taken_for_it() {
        assert_eq!(suggested_fields(&["Direction", "Department", "Address line 3", "Address 3"]), ["-"; 4]);
    }

    #[test]
    fn a_fax_is_not_a_telephone() {
        let numbers = ColumnFacts {
            looks: ContentCounts { values: 9, numbers: 9, ..ContentCounts::default() },
            ..ColumnFacts::default()
        };
        for head in ["Fax", "Work fax", "Fax number", "Telefax", "Pager", "Home Fax 2"] {
            assert_eq!(
                suggest_fields(&column_names(&[head]), std::slice::from_ref(&numbers), &[], &[]),
                [None],
                "{head}"
            );
        }
    }

    #[test]
    fn a_field_is_given_to_the_column_that_means_it_most() {
        assert_eq!(suggested_fields(&["Telephone", "phone_number"]), ["alternate_phone", "phone_number"]);
        assert_eq!(suggested_fields(&["Alternate phone", "Home phone"]), ["alternate_phone", "phone_number"]);
        assert_eq!(suggested_fields(&["Other phone", "WhatsApp number"]), ["alternate_phone", "whatsapp_id"]);
        assert_eq!(suggested_fields(&["Other phone", "City"]), ["phone_number", "city"]);
        let all = ["Home", "Work phone", "Phone 2", "Mobile", "Business Fax"];
        let numbers = ColumnFacts {
            looks: ContentCounts { values: 9, numbers: 9, ..ContentCounts::default() },
            ..ColumnFacts::default()
        };
        let suggested = suggest_fields(&column_names(&all), &vec![numbers; 5], &[], &[]);
        let mapping = super::super::OpenMapping::from_suggestions(&suggested);
        let columns = |target: &super::super::FieldTarget<u32>| -> Vec<u32> {
            target.pieces.iter().filter_map(|piece| piece.column().copied()).collect()
        };
        let filled: Vec<_> = mapping.targets.iter().map(|target| (target.field.as_str(), columns(target))).collect();
        assert_eq!(filled, [("phone_number", vec![3, 2, 1, 0]), ("alternate_phone", vec![3, 2, 1, 0])]);
        assert_eq!(
            suggested_fields(&["Home phone", "Mobile", "field_4"]),
            ["alternate_phone", "phone_number", "field_4"]
        );
    }

    #[test]
    fn a_column_without_a_name_is_recognized_by_its_contents() {
        let facts = |numbers, emails| ColumnFacts {
            filled: 10,
            looks: ContentCounts { values: 10, numbers, emails, ..ContentCounts::default() },
            ..ColumnFacts::default()
        };
        let suggested = suggest_fields(&[], &[facts(2, 0), facts(9, 0), facts(10, 0), facts(0, 10)], &[], &[]);
        let fields: Vec<_> = suggested.iter().map(|s| s.as_ref().map(|s| s.field.as_str())).collect();
        assert_eq!(fields, [None, Some("phone_number"), None, Some("email_address")]);
    }

    #[test]
    fn files_with_the_same_columns_have_the_same_signature() {
        let signature = |names: &[&str]| column_signature(&column_names(names));
        assert_eq!(signature(&["First Name", "E-Mail"]), signature(&["first_name", "e mail"]));
        assert_ne!(signature(&["a", "b"]), signature(&["b", "a"]));
        assert_ne!(signature(&["ab", "c"]), signature(&["a", "bc"]));
    }
}

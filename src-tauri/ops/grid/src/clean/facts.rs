//! Collects what a list itself shows about how its texts are written: which names are first names, how words are
//! spelled, which region the numbers of a country belong to, and how long its postal codes are.

use std::collections::HashMap;

use roost_model::{
    contact::{Attribute, ContactField},
    phone::Region,
};
use roost_store::{error::Result as StoreResult, tables::contacts::grid::scan::Row};

use crate::background;

pub(super) const FIRSTNAME: ContactField = ContactField::Attribute(Attribute::Firstname);
pub(super) const LASTNAME: ContactField = ContactField::Attribute(Attribute::Lastname);
pub(super) const COUNTRY: ContactField = ContactField::Attribute(Attribute::Country);
pub(super) const ZIP: ContactField = ContactField::Attribute(Attribute::Zip);

/// Fields whose words are names.
pub(super) const NAMES: [ContactField; 5] = [
    FIRSTNAME,
    LASTNAME,
    ContactField::Attribute(Attribute::City),
    ContactField::Attribute(Attribute::Address1),
    ContactField::Attribute(Attribute::Address2),
];

pub(super) const LEARNT: [ContactField; 9] = [
    NAMES[0],
    NAMES[1],
    NAMES[2],
    NAMES[3],
    NAMES[4],
    COUNTRY,
    ZIP,
    ContactField::PhoneRegion,
    ContactField::WhatsappRegion,
];

/// The maximum number of different words of a kind that are remembered. Later words are ignored.
const MAX_WORDS: usize = 200_000;
/// The number of rows that must agree before something becomes a rule.
const MIN_ROWS: u32 = 20;
/// The number of other rows in which a name must be in the other field, and how many times as often as in this field.
const MIN_OTHER_ROWS: u32 = 3;
const MIN_FACTOR: u32 = 4;

#[derive(Debug, Default)]
pub(super) struct TextFacts {
    /// How often a name occurs as first name and as last name.
    names: HashMap<String, [u32; 2]>,
    /// For each word in lower case, the most frequent spelling and its lead over the others.
    spellings: HashMap<String, (String, u32)>,
    /// For each country in lower case, or region: the number of codes with this many digits, and how many of them begin
    /// with 0.
    zips: HashMap<String, HashMap<u8, [u32; 2]>>,
    /// For each country in lower case, the number of phone numbers of each region.
    countries: HashMap<String, HashMap<String, u32>>,
}

/// How often two names occur as first and as last name in other contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NameCounts {
    /// How often the text in the first-name field is a first name in other contacts, and how often a last name.
    pub first_as_first: u32,
    pub first_as_last: u32,
    /// How often the text in the last-name field is a first name in other contacts, and how often a last name.
    pub last_as_first: u32,
    pub last_as_last: u32,
}

/// Returns the entry of a key. A missing entry is added only while there is room.
fn bounded_entry<'m, V: Default>(map: &'m mut HashMap<String, V>, key: &str) -> Option<&'m mut V> {
    if !map.contains_key(key) {
        if map.len() >= MAX_WORDS {
            return None;
        }
        map.insert(key.to_owned(), V::default());
    }
    map.get_mut(key)
}

fn to_key(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Returns the digits of a postal code that consists of digits only.
fn zip_digits(zip: &str) -> Option<&str> {
    let zip = zip.trim();
    ((3..=10).contains(&zip.len()) && zip.bytes().all(|byte| byte.is_ascii_digit())).then_some(zip)
}

impl TextFacts {
    /// Learns from a contact, for which the fields [`LEARNT`] were read.
    pub(super) fn learn_from_row(&mut self, row: &Row) -> StoreResult<()> {
        let text = |at: usize| background::column_text(row, at);
        for side in 0..2 {
            if let Some(name) = text(side)?
                && let Some(counts) = bounded_entry(&mut self.names, &to_key(name))
            {
                counts[side] += 1;
            }
        }
        for at in 0..NAMES.len() {
            self.learn_spelling(text(at)?.unwrap_or_default());
        }
        let region = text(7)?.or(text(8)?);
        if let (Some(country), Some(region)) = (text(5)?, region)
            && let Some(regions) = bounded_entry(&mut self.countries, &to_key(country))
            && let Some(count) = bounded_entry(regions, region)
        {
            *count += 1;
        }
        if let Some(zip) = text(6)?
            && let Some(lengths) = bounded_entry(&mut self.zips, &Self::zip_key(text(5)?, region))
        {
            let found = zip_digits(zip);
            let [count, noughts] = lengths.entry(found.map_or(0, |digits| digits.len() as u8)).or_default();
            *count += 1;
            *noughts += u32::from(found.is_some_and(|digits| digits.starts_with('0')));
        }
        Ok(())
    }

    fn zip_key(country: Option<&str>, region: Option<&str>) -> String {
        country.map(to_key).or_else(|| region.map(str::to_owned)).unwrap_or_default()
    }

    /// Learns only from texts that mix upper and lower case: other texts show nothing about the spelling of a word.
    fn learn_spelling(&mut self, text: &str) {
        let has = |text: &str, is: fn(char) -> bool| text.chars().any(is);
        if !has(text, char::is_uppercase) || !has(text, char::is_lowercase) {
            return;
        }
        for word in text.split(|c: char| c.is_whitespace() || c == '-') {
            if !has(word, char::is_lowercase) || has(word, char::is_numeric) {
                continue;
            }
            let Some((spelling, count)) = bounded_entry(&mut self.spellings, &word.to_lowercase()) else { continue };
            if spelling == word {
                *count += 1;
            } else if *count == 0 {
                (*spelling, *count) = (word.to_owned(), 1);
            } else {
                *count -= 1;
            }
        }
    }

    /// Returns how most contacts spell a word. The word is given in lower case.
    pub(super) fn spelling(&self, word: &str) -> Option<String> {
        self.spellings.get(word).filter(|(_, count)| *count > 1).map(|(spelling, _)| spelling.clone())
    }

    /// Returns the counts if both names occur far more often in the other field of other contacts.
    pub(super) fn find_swapped_names(&self, first: &str, last: &str) -> Option<NameCounts> {
        let (first, last) = (self.names.get(&to_key(first))?, self.names.get(&to_key(last))?);
        let counts = NameCounts {
            first_as_first: first[0].saturating_sub(1),
            first_as_last: first[1],
            last_as_first: last[0],
            last_as_last: last[1].saturating_sub(1),
        };
        let is_other =
            |here: u32, elsewhere: u32| elsewhere >= MIN_OTHER_ROWS && elsewhere > here.saturating_mul(MIN_FACTOR);
        (is_other(counts.first_as_first, counts.first_as_last) && is_other(counts.last_as_last, counts.last_as_first))
            .then_some(counts)
    }

    /// Returns the region to which numbers of a country usually belong, if this number belongs to another.
    pub(super) fn find_other_region(&self, country: &str, region: &str) -> Option<String> {
        const BRITISH: [&str; 4] = ["GB", "GG", "IM", "JE"];
        // A number without a country proves nothing.
        Region::parse(region)?;
        let code = country.trim();
        let code = if code == "UK" { "GB" } else { code };
        let usual = match Region::parse(code) {
            Some(named) => named.code(),
            None => {
                let regions = self.countries.get(&to_key(country))?;
                let (usual, most) = regions.iter().max_by_key(|(region, count)| (**count, region.as_str()))?;
                let all: u32 = regions.values().sum();
                (all >= MIN_ROWS && u64::from(*most) * 10 >= u64::from(all) * 9).then(|| usual.clone())?
            }
        };
        let is_same = usual == region || (BRITISH.contains(&usual.as_str()) && BRITISH.contains(&region));
        (!is_same).then_some(usual)
    }

    /// Returns a postal code with a leading 0, if nearly all other codes have one digit more and some of them begin
    /// with 0.
    pub(super) fn padded_zip(&self, zip: &str, country: Option<&str>, region: Option<&str>) -> Option<String> {
        let digits = zip_digits(zip)?;
        let lengths = self.zips.get(&Self::zip_key(country, region))?;
        let all: u32 = lengths.values().map(|[count, _]| count).sum();
        let [count, noughts] = lengths.get(&(digits.len() as u8 + 1))?;
        let is_rule = *count >= MIN_ROWS && u64::from(*count) * 10 >= u64::from(all) * 8 && *noughts > 0;
        is_rule.then(|| format!("0{digits}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts_from(names: &[(&str, u32, u32)]) -> TextFacts {
        let names = names.iter().map(|(name, first, last)| ((*name).to_owned(), [*first, *last])).collect();
        TextFacts { names, ..TextFacts::default() }
    }

    #[test]
    fn names_are_swapped_if_other_rows_use_both_the_other_way_round() {
        let known = facts_from(&[("lovelace", 1, 8), ("ada", 9, 1), ("james", 6, 7), ("new", 1, 1)]);
        let swapped = known.find_swapped_names("Lovelace", " ADA ").unwrap();
        assert_eq!(
            (swapped.first_as_first, swapped.first_as_last, swapped.last_as_first, swapped.last_as_last),
            (0, 8, 9, 0)
        );
        for (first, last) in [("Ada", "Lovelace"), ("James", "Ada"), ("Lovelace", "James"), ("New", "Ada"), ("x", "y")]
        {
            assert_eq!(known.find_swapped_names(first, last), None, "{first} {last}");
        }
    }

    #[test]
    fn the_spelling_of_most_is_known() {
        let mut known = TextFacts::default();
        for text in
            ["DeShawn van Dyk", "DeShawn", "Deshawn", "DeShawn", "DESHAWN", "deshawn", "McX", "B2b", "Ada van X"]
        {
            known.learn_spelling(text);
        }
        assert_eq!(known.spelling("van").as_deref(), Some("van"));
        assert_eq!(known.spelling("deshawn").as_deref(), Some("DeShawn"));
        assert_eq!((known.spelling("mcx"), known.spelling("b2b")), (None, None));
    }

    #[test]
    fn a_country_has_the_region_of_nearly_all_its_numbers() {
        let mut known = TextFacts::default();
        let regions = HashMap::from([("FR".to_owned(), 40), ("BE".to_owned(), 2)]);
        known.countries.insert("france".to_owned(), regions);
        known.countries.insert("nowhere".to_owned(), HashMap::from([("FR".to_owned(), 3)]));
        assert_eq!(known.find_other_region(" France", "BE").as_deref(), Some("FR"));
        assert_eq!(known.find_other_region("DE", "FR").as_deref(), Some("DE"));
        for (country, region) in [("France", "FR"), ("Nowhere", "BE"), ("UK", "JE"), ("GB", "001"), ("Elsewhere", "FR")]
        {
            assert_eq!(known.find_other_region(country, region), None, "{country} {region}");
        }
    }

    #[test]
    fn a_nought_is_put_back_where_codes_have_one_digit_more() {
        let mut known = TextFacts::default();
        known.zips.insert("us".to_owned(), HashMap::from([(5, [90, 7]), (4, [6, 0]), (0, [2, 0])]));
        known.zips.insert("FR".to_owned(), HashMap::from([(5, [90, 0])]));
        assert_eq!(known.padded_zip("2134", Some("US"), None).as_deref(), Some("02134"));
        for (zip, country) in [("90210", "US"), ("213", "US"), ("AB12", "US"), ("2134", "Elsewhere")] {
            assert_eq!(known.padded_zip(zip, Some(country), None), None, "{zip}");
        }
        assert_eq!(known.padded_zip("2134", None, Some("FR")), None, "no other begins with nought");
    }
}

//! Reduces contacts to normal forms, so that similar contacts are found by equal keys without comparing all pairs.

use icu_normalizer::DecomposingNormalizer;
use roost_model::contact::{Attribute, ContactField, email};
use rphonetic::DoubleMetaphone;

/// The key by which contacts count as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum DuplicateKey {
    Phone,
    Whatsapp,
    /// The phone number of one contact is the WhatsApp number of another.
    Number,
    Email,
    /// The same words in name and address, regardless of case, accents, punctuation and order.
    NameAddress,
    /// The same pairs of letters in the name, at the same place. This finds words that were joined or split.
    Ngram,
    /// Names that sound alike, at the same place.
    Phonetic,
    /// Names and addresses that differ by a letter or two, at the same place.
    Near,
    /// The same words in the name, at any place.
    Name,
}

impl DuplicateKey {
    /// All keys, the most reliable first.
    pub const ALL: [Self; 9] = [
        Self::Phone,
        Self::Whatsapp,
        Self::Number,
        Self::Email,
        Self::NameAddress,
        Self::Ngram,
        Self::Phonetic,
        Self::Near,
        Self::Name,
    ];

    pub(super) fn bit(self) -> u16 {
        1 << self as u8
    }

    /// Returns whether the key compares names.
    pub(super) fn is_fuzzy(self) -> bool {
        self >= Self::NameAddress
    }
}

/// The texts read from a contact, in the order of [`READ`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PersonFields<'a>(pub [Option<&'a str>; READ.len()]);

pub(super) const READ: [ContactField; 11] = [
    ContactField::PhoneNumber,
    ContactField::WhatsappId,
    ContactField::Attribute(Attribute::EmailAddress),
    ContactField::Attribute(Attribute::Firstname),
    ContactField::Attribute(Attribute::Lastname),
    ContactField::Attribute(Attribute::CompanyName),
    ContactField::Attribute(Attribute::Address1),
    ContactField::Attribute(Attribute::Address2),
    ContactField::Attribute(Attribute::Zip),
    ContactField::Attribute(Attribute::City),
    ContactField::Attribute(Attribute::DateOfBirth),
];

/// A name and an address as words without case, accents and punctuation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FoldedPerson {
    pub name: String,
    pub address: String,
    /// The words of the street that contain digits, usually the house number.
    pub house: String,
    /// The place regardless of the spelling of the street: the postal code or else the town, with the house number.
    pub place: String,
}

impl PersonFields<'_> {
    fn fold_fields(&self, at: &[usize]) -> String {
        let mut all = String::new();
        for text in at.iter().filter_map(|at| self.0[*at]) {
            fold_into(&mut all, text);
        }
        all
    }

    pub(super) fn fold_person(&self) -> FoldedPerson {
        let mut name = self.fold_fields(&[3, 4]);
        if name.is_empty() {
            name = self.fold_fields(&[5]);
        }
        let address = self.fold_fields(&[6, 7, 8, 9]);
        let (street, zip) = (self.fold_fields(&[6]), self.fold_fields(&[8]));
        let has_digit = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
        let house = street.split(' ').filter(has_digit).collect::<Vec<_>>().join(" ");
        let mut place = if zip.is_empty() { self.fold_fields(&[9]) } else { zip.replace(' ', "") };
        if !place.is_empty() && !house.is_empty() {
            place.push(' ');
            place.push_str(&house);
        }
        FoldedPerson { name, address, house, place }
    }

    /// Returns the text that contacts have in common if they are the same by `key`, or `None` if the contact has too
    /// little data.
    pub(super) fn match_key(&self, key: DuplicateKey, folded: &FoldedPerson) -> Option<String> {
        let FoldedPerson { name, address, place, .. } = folded;
        match key {
            DuplicateKey::Phone => self.0[0].map(str::to_owned),
            DuplicateKey::Whatsapp => self.0[1].map(str::to_owned),
            DuplicateKey::Number => self.0[0].or(self.0[1]).map(str::to_owned),
            DuplicateKey::Email => self.0[2].and_then(normalize_email),
            _ if name.is_empty() => None,
            // A single word is not a reliable name.
            DuplicateKey::Name => name.contains(' ').then(|| sorted_words(name)),
            // A town without a street is not an address: many people with the same name live there.
            DuplicateKey::NameAddress if self.fold_fields(&[6, 7, 8]).is_empty() => None,
            DuplicateKey::NameAddress => Some(format!("{} · {}", sorted_words(name), sorted_words(address))),
            DuplicateKey::Near if address.is_empty() => None,
            DuplicateKey::Near => Some(format!("{name} · {}", if place.is_empty() { address } else { place })),
            _ if place.is_empty() => None,
            DuplicateKey::Ngram => Some(format!("{} · {place}", letter_pairs(name))),
            DuplicateKey::Phonetic => Some(format!("{} · {place}", phonetic_code(name)?)),
        }
    }
}

fn normalize_email(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let text = text.strip_prefix("mailto:").unwrap_or(&text);
    // Placeholders such as “n/a” and “none@none” do not make contacts the same.
    email::is_email_address(text).then(|| text.to_owned())
}

/// Returns the letters for a character that no normal form decomposes.
fn unaccented_letters(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' => "i",
        _ => return None,
    })
}

/// Appends the words of a text in lower case, without accents and punctuation, separated by one space.
fn fold_into(out: &mut String, text: &str) {
    let mut is_start = true;
    let mut push = |c: char| {
        if is_silent(c) {
            // Skip it: `is_alphanumeric` would accept the modifier apostrophe as a letter.
        } else if c.is_alphanumeric() {
            if is_start && !out.is_empty() {
                out.push(' ');
            }
            is_start = false;
            for c in c.to_lowercase() {
                match unaccented_letters(c) {
                    Some(plain) => out.push_str(plain),
                    None => out.push(c),
                }
            }
        } else if !matches!(c, '\u{300}'..='\u{36f}') {
            is_start = true;
        }
    };
    if text.is_ascii() {
        text.chars().for_each(&mut push);
    } else {
        // Silent characters are removed first, because the order of combining marks depends on what is between them.
        let spoken = text.chars().filter(|c| !is_silent(*c));
        DecomposingNormalizer::new_nfkd().normalize_iter(spoken).for_each(&mut push);
    }
}

/// Returns whether a character neither belongs to a word nor ends one.
fn is_silent(c: char) -> bool {
    matches!(c, '\'' | '`' | '\u{b4}' | '\u{2018}' | '\u{2019}' | '\u{2bc}' | '\u{ad}' | '\u{200b}' | '\u{feff}')
}

#[cfg(test)]
fn fold_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(&mut out, text);
    out
}

/// Returns each word once, in alphabetical order.
fn sorted_words(folded: &str) -> String {
    let mut words: Vec<&str> = folded.split(' ').collect();
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

/// Returns each pair of adjacent letters once, in alphabetical order. Spaces do not count.
fn letter_pairs(folded: &str) -> String {
    let letters: Vec<char> = folded.chars().filter(|c| *c != ' ').collect();
    if letters.len() < 2 {
        return letters.into_iter().collect();
    }
    let mut pairs: Vec<[char; 2]> = letters.windows(2).map(|two| [two[0], two[1]]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs.into_iter().flatten().collect()
}

/// The maximum length of a word's code, which is enough to distinguish long names.
const SOUND: usize = 6;

/// Returns how the words sound, in alphabetical order. Returns `None` for other scripts, because the algorithm knows
/// only Latin letters.
fn phonetic_code(folded: &str) -> Option<String> {
    let encoder = DoubleMetaphone::new(Some(SOUND));
    let mut codes = Vec::new();
    for word in folded.split(' ') {
        if !word.is_ascii() {
            return None;
        }
        let is_word = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let code = if is_word { encoder.double_metaphone(word).primary() } else { String::new() };
        codes.push(if code.is_empty() { word.to_owned() } else { code });
    }
    codes.sort_unstable();
    codes.dedup();
    Some(codes.join(" "))
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::Config};

    use super::*;

    fn person(name: &'static str, address: &'static str, zip: &'static str) -> PersonFields<'static> {
        let mut read = PersonFields::default();
        read.0[3] = Some(name);
        read.0[6] = Some(address).filter(|text| !text.is_empty());
        read.0[8] = Some(zip).filter(|text| !text.is_empty());
        read
    }

    fn key_of(person: &PersonFields, key: DuplicateKey) -> Option<String> {
        person.match_key(key, &person.fold_person())
    }

    fn shared_keys(a: &PersonFields, b: &PersonFields) -> Vec<DuplicateKey> {
        DuplicateKey::ALL
            .into_iter()
            .filter(|by| key_of(a, *by).is_some() && key_of(a, *by) == key_of(b, *by))
            .collect()
    }

    #[test]
    fn texts_are_brought_to_one_form() {
        for (text, wanted) in [
            ("  José  GARCÍA-Márquez ", "jose garcia marquez"),
            ("O\u{2019}Neill", "oneill"),
            ("O'Neill", "oneill"),
            ("Łukasz Groß Æbeltoft", "lukasz gross aebeltoft"),
            ("Zoë\u{ad}, \u{200b}Ø.", "zoe o"),
            ("Ｆｕｌｌ１", "full1"),
            ("Иванов, Пётр", "иванов петр"),
            ("İstanbul ıssız", "istanbul issiz"),
            ("---", ""),
        ] {
            assert_eq!(fold_text(text), wanted, "{text}");
        }
    }

    #[test]
    fn each_key_matches_its_own_kind_of_similarity() {
        use DuplicateKey::*;
        let ada = person("Ada Lovelace", "12 High Street", "AB1 2CD");
        let likes = |name, address, zip| shared_keys(&ada, &person(name, address, zip));
        assert_eq!(likes("LOVELACE, Ada", "12, high street", "ab1 2cd"), [NameAddress, Phonetic, Name]);
        assert_eq!(likes("Ada Love-lace", "12 High St", "AB12CD"), [Ngram]);
        assert_eq!(likes("Aida Lovelass", "12 High St", "AB12CD"), [Phonetic]);
        assert_eq!(likes("Ada Lovelace", "14 High Street", "AB1 2CD"), [Name], "the neighbour's house is another");
        assert_eq!(likes("Ada Lovelace", "", ""), [Name]);
        assert_eq!(likes("Bob Babbage", "12 High Street", "AB1 2CD"), []);
        assert_eq!(shared_keys(&person("Ada", "", ""), &person("Ada", "", "")), [], "one word is no name");
    }

    #[test]
    fn a_name_and_a_town_do_not_make_a_name_and_address() {
        let in_town = |town| {
            let mut read = person("Ada Lovelace", "", "");
            read.0[9] = Some(town);
            read
        };
        assert_eq!(key_of(&in_town("Leeds"), DuplicateKey::NameAddress), None);
        assert!(!shared_keys(&in_town("Leeds"), &in_town("Leeds")).contains(&DuplicateKey::NameAddress));
        assert!(key_of(&person("Ada Lovelace", "12 High Street", ""), DuplicateKey::NameAddress).is_some());
    }

    #[test]
    fn an_invalid_address_makes_no_duplicates() {
        for (text, wanted) in [
            (" Ada@X.example ", Some("ada@x.example")),
            ("mailto:a@b.example", Some("a@b.example")),
            ("n/a", None),
            ("@", None),
            ("none@none", None),
            ("bad@@x.example", None),
        ] {
            assert_eq!(normalize_email(text).as_deref(), wanted);
        }
    }

    #[test]
    fn names_in_other_scripts_match_by_their_words_and_not_by_sound() {
        let (a, b) = (person("Пётр Иванов", "ул. Мира 1", "101000"), person("Иванов Петр", "Ул Мира, 1", "101000"));
        assert_eq!(shared_keys(&a, &b), [DuplicateKey::NameAddress, DuplicateKey::Name]);
    }

    #[test]
    fn marks_on_both_sides_of_a_quotation_mark_have_one_order() {
        let once = fold_text("\u{c55}`\u{618}");
        assert_eq!(fold_text(&once), once);
    }

    proptest! {
        #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

        #[test]
        fn any_text_has_one_form(text in "\\PC{0,24}") {
            let once = fold_text(&text);
            prop_assert_eq!(&fold_text(&once), &once);
            let read = person("x", "", "");
            let own = FoldedPerson { name: once.clone(), address: once.clone(), house: String::new(), place: once };
            DuplicateKey::ALL.into_iter().for_each(|by| drop(read.match_key(by, &own)));
        }

        #[test]
        fn every_word_has_a_sound(word in "[a-z]{1,12}") {
            prop_assert!(phonetic_code(&word).is_some_and(|code| !code.is_empty()));
        }
    }
}

//! Cleans the letters of a text: removes needless spaces, replaces look-alike letters of another script, and corrects
//! words that are entirely in upper or lower case.

use crate::grid::edit::{LetterCase, texts};

/// Returns whether a letter belongs to a right-to-left script, in which direction marks have a meaning.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}') && c != '\u{feff}'
}

fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Removes spaces at the ends, repeated spaces and invisible characters.
pub(super) fn tidy_spaces(text: &str) -> String {
    let keeps_direction = text.chars().any(is_right_to_left);
    let is_needless =
        |c: char| (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) || (is_direction(c) && !keeps_direction);
    if text.contains(is_needless) {
        texts::trim_spaces(&text.replace(is_needless, ""))
    } else {
        texts::trim_spaces(text)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterScript {
    Latin,
    Cyrillic,
    Greek,
}

fn script_of(c: char) -> Option<LetterScript> {
    match c {
        'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' if !matches!(c, '×' | '÷') => {
            Some(LetterScript::Latin)
        }
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' if c.is_alphabetic() => Some(LetterScript::Greek),
        '\u{400}'..='\u{52f}' if c.is_alphabetic() => Some(LetterScript::Cyrillic),
        _ => None,
    }
}

/// Letters that look the same in Latin, Cyrillic and Greek. A space means that the script has no such letter.
const TWINS: &[(char, char, char)] = &[
    ('A', 'А', 'Α'),
    ('B', 'В', 'Β'),
    ('C', 'С', ' '),
    ('E', 'Е', 'Ε'),
    ('H', 'Н', 'Η'),
    ('I', 'І', 'Ι'),
    ('J', 'Ј', ' '),
    ('K', 'К', 'Κ'),
    ('M', 'М', 'Μ'),
    ('N', ' ', 'Ν'),
    ('O', 'О', 'Ο'),
    ('P', 'Р', 'Ρ'),
    ('S', 'Ѕ', ' '),
    ('T', 'Т', 'Τ'),
    ('X', 'Х', 'Χ'),
    ('Y', 'У', 'Υ'),
    ('Z', ' ', 'Ζ'),
    ('a', 'а', ' '),
    ('c', 'с', ' '),
    ('e', 'е', ' '),
    ('h', 'һ', ' '),
    ('i', 'і', ' '),
    ('j', 'ј', ' '),
    ('o', 'о', 'ο'),
    ('p', 'р', 'ρ'),
    ('s', 'ѕ', ' '),
    ('v', ' ', 'ν'),
    ('x', 'х', ' '),
    ('y', 'у', ' '),
];

fn look_alike_in(c: char, script: LetterScript) -> Option<char> {
    let row = TWINS.iter().find(|(latin, cyrillic, greek)| [*latin, *cyrillic, *greek].contains(&c))?;
    let twin = match script {
        LetterScript::Latin => row.0,
        LetterScript::Cyrillic => row.1,
        LetterScript::Greek => row.2,
    };
    (twin != ' ').then_some(twin)
}

/// Returns the word in a single script, if all letters of other scripts have look-alikes in it. If that is possible for
/// several scripts, the script that most of the letters belong to wins.
fn in_one_script(word: &str) -> Option<String> {
    let scripts: Vec<LetterScript> = word.chars().filter_map(script_of).collect();
    let first = *scripts.first()?;
    if scripts.iter().all(|script| *script == first) {
        return None;
    }
    let written = |target: LetterScript| -> Option<String> {
        word.chars()
            .map(|c| if script_of(c).is_none_or(|own| own == target) { Some(c) } else { look_alike_in(c, target) })
            .collect()
    };
    let could =
        [LetterScript::Latin, LetterScript::Cyrillic, LetterScript::Greek].map(|target| (target, written(target)));
    let mut could: Vec<(LetterScript, String)> =
        could.into_iter().filter_map(|(target, text)| Some((target, text?))).collect();
    if could.len() > 1 {
        // All letters have look-alikes. If no script has more letters than the others, the right one is unknown.
        let count = |target: LetterScript| scripts.iter().filter(|script| **script == target).count();
        could.sort_by_key(|(target, _)| std::cmp::Reverse(count(*target)));
        if count(could[0].0) == count(could[1].0) {
            return None;
        }
    }
    could.into_iter().next().map(|(_, text)| text)
}

/// Returns the text with each word in one script and full-width letters made narrow, or `None` if nothing changes.
pub(super) fn without_look_alikes(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let is_wide = |c: char| matches!(c, '\u{ff01}'..='\u{ff5e}');
    let narrow = |c: char| char::from_u32(c as u32 - 0xfee0).unwrap_or(c);
    // Full-width letters are usual among ideographs.
    let is_plain = |c: char| c.is_ascii() || is_wide(c) || c.is_whitespace() || script_of(c).is_some();
    let narrowed = if text.contains(is_wide) && text.chars().all(is_plain) {
        text.chars().map(|c| if is_wide(c) { narrow(c) } else { c }).collect()
    } else {
        text.to_owned()
    };
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let end_word = |word: &mut String, out: &mut String| {
        match in_one_script(word) {
            Some(mended) => out.push_str(&mended),
            None => out.push_str(word),
        }
        word.clear();
    };
    for c in narrowed.chars() {
        if c.is_alphabetic() {
            word.push(c);
        } else {
            end_word(&mut word, &mut out);
            out.push(c);
        }
    }
    end_word(&mut word, &mut out);
    (out != text).then_some(out)
}

/// The use of upper and lower case in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterCasing {
    Capitals,
    Small,
    Mixed,
}

/// Shorter texts in capitals may be initials.
const CAPITALS: usize = 3;

fn detect_casing(text: &str) -> LetterCasing {
    let (mut upper, mut lower) = (0, 0);
    for c in text.chars() {
        upper += usize::from(c.is_uppercase());
        lower += usize::from(c.is_lowercase());
    }
    match (upper, lower) {
        (CAPITALS.., 0) => LetterCasing::Capitals,
        (0, 2..) => LetterCasing::Small,
        _ => LetterCasing::Mixed,
    }
}

/// Returns whether a word is a Roman numeral after a name, as in Henry VIII, which stays in capitals.
fn is_ordinal(word: &str) -> bool {
    matches!(word, "II" | "III" | "IV" | "VI" | "VII" | "VIII" | "XI" | "XII")
}

/// Capitalizes the words of a text that is entirely in upper or lower case, as in names. Returns `None` if nothing
/// changes.
pub(super) fn to_name_case(text: &str, known: impl Fn(&str) -> Option<String>) -> Option<String> {
    if detect_casing(text) == LetterCasing::Mixed {
        return None;
    }
    let mut out = capitalize_names(text, &known);
    // A letter whose capital is two letters needs a second pass: ß becomes SS, and then Ss.
    if detect_casing(&out) != LetterCasing::Mixed {
        out = capitalize_names(&out, &known);
    }
    (out != text).then_some(out)
}

/// Writes each word as a name. `known` returns how others spell a word in lower case.
fn capitalize_names(text: &str, known: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for part in text.split_inclusive(|c: char| c.is_whitespace() || c == '-') {
        let word = part.trim_end_matches(|c: char| c.is_whitespace() || c == '-');
        let rest = &part[word.len()..];
        // Postal codes and flat numbers stay unchanged.
        if word.is_empty() || word.chars().any(|c| c.is_numeric()) || is_ordinal(word) {
            out.push_str(part);
            continue;
        }
        match known(&word.to_lowercase()) {
            Some(word) => out.push_str(&word),
            None => out.push_str(&capitalize_after_mc(&LetterCase::Title.apply_to(word))),
        }
        out.push_str(rest);
    }
    out
}

/// Writes Mcdonald as McDonald.
fn capitalize_after_mc(word: &str) -> String {
    match word.strip_prefix("Mc") {
        Some(rest) if rest.chars().count() > 2 => {
            let mut letters = rest.chars();
            let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
            format!("Mc{first}{}", letters.as_str())
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, test_runner::Config};

    use super::*;

    #[test]
    fn needless_characters_go() {
        for (text, wanted) in [
            ("  Ada \u{a0} Lovelace\t", "Ada Lovelace"),
            ("Ada\u{200e}\u{7}", "Ada"),
            ("\u{202a}+44 7700\u{202c}", "+44 7700"),
            ("של\u{200f}ום", "של\u{200f}ום"),
            ("a\r\n b", "a\nb"),
            ("\u{200b} \u{feff}", ""),
            ("Ada Lovelace", "Ada Lovelace"),
        ] {
            assert_eq!(tidy_spaces(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn letters_of_another_script_are_seen_in_words() {
        for (text, wanted) in [
            ("Lоndоn", Some("London")),
            ("Аda Lovelace", Some("Ada Lovelace")),
            ("Мoсква", Some("Москва")),
            ("Ｌｅｅｄｓ １", Some("Leeds 1")),
            ("Μaria", Some("Maria")),
            ("Анна Smith", None),
            ("Ω-3 fish", None),
            ("東京Ｔower", None),
            ("Zoë", None),
            ("Ada", None),
        ] {
            assert_eq!(without_look_alikes(text).as_deref(), wanted, "{text}");
        }
        assert_eq!(without_look_alikes("АA"), None, "as many of one script as of the other: nobody knows");
        assert_eq!(without_look_alikes("Жim"), None, "no twin");
    }

    #[test]
    fn capitals_and_small_letters_become_names() {
        let known = |word: &str| match word {
            "van" => Some("van".to_owned()),
            "desouza" => Some("DeSouza".to_owned()),
            _ => None,
        };
        for (text, as_written, wanted) in [
            ("ADA LOVELACE", LetterCasing::Capitals, "Ada Lovelace"),
            ("ada", LetterCasing::Small, "Ada"),
            ("O'NEILL-SMITH", LetterCasing::Capitals, "O'Neill-Smith"),
            ("MCDONALD", LetterCasing::Capitals, "McDonald"),
            ("VAN DESOUZA III", LetterCasing::Capitals, "van DeSouza III"),
            ("12B HIGH STREET, SW1A 2AA", LetterCasing::Capitals, "12B High Street, SW1A 2AA"),
            ("élodie", LetterCasing::Small, "Élodie"),
        ] {
            assert_eq!((detect_casing(text), capitalize_names(text, known).as_str()), (as_written, wanted));
        }
        for mixed in ["JP", "Ada", "McX", "東京", "x", "12", ""] {
            assert_eq!(detect_casing(mixed), LetterCasing::Mixed, "{mixed}");
        }
    }

    proptest! {
        #![proptest_config(Config { failure_persistence: None, ..Config::default() })]

        #[test]
        fn cleaning_a_text_a_second_time_changes_nothing(text in "(\\PC|[ \u{a0}\u{200b}АаоМΑοßAB\t]){0,16}") {
            let once = tidy_spaces(&text);
            prop_assert_eq!(&tidy_spaces(&once), &once);
            if let Some(once) = without_look_alikes(&text) {
                prop_assert_eq!(without_look_alikes(&once), None);
            }
            if let Some(once) = to_name_case(&text, |_| None) {
                prop_assert_eq!(to_name_case(&once, |_| None), None, "{}", once);
            }
        }
    }
}

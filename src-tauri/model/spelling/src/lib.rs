//! Recognizes what a text from a person or another program means: a number in any spelling, a country, the name of a
//! person or of a column, or a word that says that somebody opted out.

pub mod consent;
pub mod country;
pub mod number;
pub mod person_name;

use icu_normalizer::DecomposingNormalizer;

use roost_model::phone::is_invisible;

/// Brings a name to the form in which names are compared: small letters without accents, and one space between words.
pub fn normalize_name(name: &str) -> String {
    let decomposed = DecomposingNormalizer::new_nfkd().normalize(name);
    let mut out = String::with_capacity(name.len());
    let mut last_is_small = false;
    for c in decomposed.chars() {
        if ('\u{300}'..='\u{36f}').contains(&c) || is_invisible(c) {
            continue;
        }
        if !c.is_alphanumeric() {
            if !out.ends_with(' ') {
                out.push(' ');
            }
            last_is_small = false;
            continue;
        }
        // `firstName` is two words, and so is `address1`.
        let is_number_behind_letter = c.is_numeric() && out.ends_with(char::is_alphabetic);
        if (c.is_uppercase() && last_is_small) || is_number_behind_letter {
            out.push(' ');
        }
        last_is_small = c.is_lowercase() || c.is_numeric();
        match c {
            'ß' => out.push_str("ss"),
            'ł' | 'Ł' => out.push('l'),
            'ø' | 'Ø' => out.push('o'),
            other => out.extend(other.to_lowercase()),
        }
    }
    out.trim().to_owned()
}

/// Returns whether the name of a column says that nobody can be written to at its numbers, such as those of a fax or of
/// somebody else.
pub fn is_excluded_phone_name(head: &str) -> bool {
    let is_word = |word| ["fax", "telefax", "pager", "telex", "assistant", "switchboard"].contains(&word);
    head.split(' ').any(is_word) || head.starts_with("company main")
}

/// Splits a table of words and brings each to the form in which names are compared.
pub fn parse_words(words: &str) -> Vec<String> {
    words.split(", ").map(normalize_name).collect()
}

pub fn contains_word(table: &[String], text: &str) -> bool {
    table.iter().any(|word| word == text)
}

pub fn has_phrase(text: &str, phrases: &[String]) -> bool {
    let text = format!(" {text} ");
    phrases.iter().any(|phrase| {
        text.match_indices(phrase.as_str())
            .any(|(at, _)| text[..at].ends_with(' ') && text[at + phrase.len()..].starts_with(' '))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_brought_to_one_form() {
        for (name, want) in [
            ("  First_Name ", "first name"),
            ("firstName", "first name"),
            ("E-Mail", "e mail"),
            ("PRÉNOM", "prenom"),
            ("Straße", "strasse"),
            ("Imię", "imie"),
            ("address1", "address 1"),
            ("Nº", "no"),
            ("***", ""),
        ] {
            assert_eq!(normalize_name(name), want);
        }
    }
}

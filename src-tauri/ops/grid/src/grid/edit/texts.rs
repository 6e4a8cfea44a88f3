//! Changes single texts: letter case, spaces, and splitting.

/// The letter case to which a text is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum LetterCase {
    Upper,
    Lower,
    /// Capitalizes every word.
    Title,
    /// Capitalizes the first word of every sentence.
    Sentence,
}

impl LetterCase {
    pub(crate) fn apply_to(self, text: &str) -> String {
        match self {
            Self::Upper => text.to_uppercase(),
            Self::Lower => text.to_lowercase(),
            Self::Title => to_title_case(text),
            Self::Sentence => to_sentence_case(text),
        }
    }
}

fn to_title_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut is_start, mut letters) = (true, 0);
    for c in text.chars() {
        if c.is_alphabetic() {
            if is_start {
                out.extend(c.to_uppercase())
            } else {
                out.extend(c.to_lowercase())
            }
            (is_start, letters) = (false, letters + 1);
        } else {
            out.push(c);
            // Capitalize after an apostrophe in O'Neill and d'Arc, but not in don't.
            let is_short_prefix = matches!(c, '\'' | '\u{2019}') && letters == 1;
            is_start = is_short_prefix || !(c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}'));
            letters = 0;
        }
    }
    out
}

fn to_sentence_case(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut is_start, mut has_ended) = (true, false);
    for c in text.chars() {
        if c.is_alphanumeric() {
            if is_start {
                out.extend(c.to_uppercase())
            } else {
                out.extend(c.to_lowercase())
            }
            (is_start, has_ended) = (false, false);
        } else {
            out.push(c);
            is_start |= c == '\n' || (has_ended && c.is_whitespace());
            has_ended = matches!(c, '.' | '!' | '?') || (has_ended && !c.is_whitespace());
        }
    }
    out
}

/// Returns whether a character is invisible but makes two texts differ.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// Removes spaces at the ends and repeated spaces. Line breaks stay.
pub(crate) fn trim_spaces(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let words: Vec<String> = line
            .split_whitespace()
            .map(|word| word.chars().filter(|c| !is_hidden(*c)).collect::<String>())
            .filter(|word| !word.is_empty())
            .collect();
        lines.push(words.join(" "));
    }
    lines.join("\n").trim_matches('\n').to_owned()
}

/// Splits a text into at most `most` parts; the last part holds the rest. A space as separator matches any number of
/// spaces.
pub(super) fn split_parts<'t>(text: &'t str, by: &str, most: usize) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let cut = if by == " " {
            rest.find(char::is_whitespace).map(|at| (at, 0))
        } else {
            rest.find(by).map(|at| (at, by.len()))
        };
        match cut {
            Some((at, len)) if parts.len() + 1 < most => {
                parts.push(rest[..at].trim());
                rest = rest[at + len..].trim_start();
            }
            _ => {
                parts.push(rest);
                break;
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_of_letters_is_changed_as_requested() {
        for (case, text, wanted) in [
            (LetterCase::Upper, "straße é", "STRASSE É"),
            (LetterCase::Lower, "ÉCOLE", "école"),
            (LetterCase::Title, "ADA o'neill-VAN der berg, don't 3rd (x)", "Ada O'Neill-Van Der Berg, Don't 3rd (X)"),
            (LetterCase::Title, "l\u{2019}été", "L\u{2019}Été"),
            (LetterCase::Sentence, "HELLO THERE. how are YOU? fine!\nno", "Hello there. How are you? Fine!\nNo"),
            (LetterCase::Sentence, "see e.g. this (\"Yes.\") ok", "See e.g. This (\"yes.\") Ok"),
            (LetterCase::Title, "", ""),
        ] {
            assert_eq!(case.apply_to(text), wanted);
        }
    }

    #[test]
    fn outer_repeated_and_invisible_spaces_are_removed() {
        for (text, wanted) in [
            ("  Ada \u{a0} Lovelace\t", "Ada Lovelace"),
            ("\u{feff}a\u{200b}b", "ab"),
            (" one  line \r\n two ", "one line\ntwo"),
            ("\n\n", ""),
            ("x", "x"),
        ] {
            assert_eq!(trim_spaces(text), wanted);
        }
    }

    #[test]
    fn the_last_part_of_a_split_text_contains_the_rest() {
        assert_eq!(split_parts("Ada  King Lovelace", " ", 2), ["Ada", "King Lovelace"]);
        assert_eq!(split_parts("a, b,,c", ",", 4), ["a", "b", "", "c"]);
        assert_eq!(split_parts("a, b", ",", 1), ["a, b"]);
        assert_eq!(split_parts("a;", ";", 3), ["a"]);
        assert_eq!(split_parts(" ", " ", 3), [""; 0]);
        assert_eq!(split_parts("é→ü", "→", 3), ["é", "ü"]);
    }
}

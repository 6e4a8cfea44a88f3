//! Takes the whole name of a person apart: the title in front of it, and the order “last name, first name”.

/// Titles in small letters, with or without a dot. The page has the same words, and a test compares them.
const TITLES: [&str; 52] = [
    "mr",
    "mrs",
    "ms",
    "miss",
    "mx",
    "dr",
    "prof",
    "sir",
    "rev",
    "mister",
    "doctor",
    "professor",
    "reverend",
    "madam",
    "herr",
    "frau",
    "hr",
    "frl",
    "fräulein",
    "mme",
    "mlle",
    "monsieur",
    "madame",
    "mademoiselle",
    "docteur",
    "professeur",
    "sr",
    "sra",
    "srta",
    "dra",
    "señor",
    "señora",
    "señorita",
    "doña",
    "senhor",
    "senhora",
    "profa",
    "signor",
    "signora",
    "signorina",
    "dott",
    "dottor",
    "dott.ssa",
    "prof.ssa",
    "sig.ra",
    "sig.na",
    "dhr",
    "mevr",
    "mw",
    "mevrouw",
    "meneer",
    "drs",
];
/// Titles that need their dot, because they are names or parts of names without it.
const DOTTED_TITLES: [&str; 7] = ["sig.", "avv.", "ing.", "ir.", "mag.", "fr.", "dipl.-ing."];
/// Parts of a title that need another one in front of them: `Dr. med.`
const DEGREES: [&str; 12] =
    ["med.", "rer.", "nat.", "phil.", "jur.", "iur.", "h.c.", "ing.", "oec.", "pol.", "dent.", "vet."];
/// Words between two titles: `Mr & Mrs`.
const JOINTS: [&str; 7] = ["&", "and", "und", "et", "y", "e", "en"];
/// Words in front of a last name that belong to it.
const PARTICLES: [&str; 31] = [
    "van", "von", "vom", "der", "den", "de", "del", "della", "delle", "dei", "di", "da", "das", "do", "dos", "du",
    "des", "la", "le", "las", "los", "zu", "zum", "zur", "ter", "ten", "te", "op", "al", "el", "bin",
];
/// Words behind a comma that are not a first name.
const SUFFIXES: [&str; 17] =
    ["Jr", "JR", "Sr", "SR", "II", "III", "IV", "Esq", "PhD", "PHD", "MD", "DDS", "MBA", "MSc", "BSc", "CPA", "CEO"];
/// The last words of the names of companies.
const COMPANY_FORMS: [&str; 20] = [
    "ltd", "limited", "inc", "llc", "llp", "plc", "co", "corp", "company", "gmbh", "ag", "kg", "ug", "sarl", "sas",
    "spa", "srl", "bv", "nv", "ohg",
];

/// Splits a name behind its titles: `Dr. Ada Lovelace` into `Dr.` and `Ada Lovelace`. A text that is nothing but a title
/// is a name.
pub fn split_title(name: &str) -> (&str, &str) {
    let name = name.trim();
    let mut rest = name;
    while let Some(next) = skip_title(rest, rest.len() < name.len()) {
        rest = next;
    }
    (name[..name.len() - rest.len()].trim_end(), rest)
}

/// Returns the title in a whole name, or an empty text: that of `Dr. Ada Lovelace` and of `Lovelace, Dr. Ada`.
pub fn find_title(name: &str) -> &str {
    match split_title(name) {
        ("", name) => split_last_first(name, true).map_or("", |(_, first)| split_title(first).0),
        (title, _) => title,
    }
}

/// Splits a name such as `Lovelace, Ada` into the last and the first name. Returns `None` if the comma has another
/// meaning: `Ada Lovelace, PhD`, `Ada, Lovelace & Co`. Unless `is_usual` says that the other names have a comma as well,
/// the last name must be one word, because two words may be a first and a last name.
pub fn split_last_first(name: &str, is_usual: bool) -> Option<(&str, &str)> {
    let (last, first) = name.split_once(',').map(|(last, first)| (last.trim(), first.trim()))?;
    let is_of_person = |text: &str| {
        !text.is_empty() && !text.contains(|c: char| matches!(c, '&' | '+' | '/' | '@') || c.is_ascii_digit())
    };
    let is_word_of = |word: Option<&str>, words: &[&str], is_small: bool| {
        let word = word.unwrap_or_default().replace(['.', ','], "");
        let word = if is_small { word.to_lowercase() } else { word };
        words.contains(&word.as_str())
    };
    let is_suffix = is_word_of(first.split_whitespace().next(), &SUFFIXES, false)
        || is_word_of(first.split_whitespace().last(), &COMPANY_FORMS, true);
    let is_one_name = || {
        let mut words = last.split_whitespace().rev().skip(1);
        words.all(|word| PARTICLES.contains(&word.to_lowercase().as_str()))
    };
    (is_of_person(last) && is_of_person(first) && !is_suffix && (is_usual || is_one_name())).then_some((last, first))
}

/// Returns what follows the title that a text begins with; `None` if there is no title, or nothing follows it.
fn skip_title(text: &str, is_behind_title: bool) -> Option<&str> {
    let (word, rest) = text.split_once(char::is_whitespace).map(|(word, rest)| (word, rest.trim_start()))?;
    let small = word.to_lowercase();
    let is_title = TITLES.contains(&small.strip_suffix('.').unwrap_or(&small))
        || DOTTED_TITLES.contains(&small.as_str())
        || (is_behind_title && DEGREES.contains(&small.as_str()))
        || (word == "M." && is_whole_name(rest));
    if is_title {
        return Some(rest);
    }
    if is_behind_title && JOINTS.contains(&small.as_str()) { skip_title(rest, false) } else { None }
}

/// Returns whether a text has two words and begins with a name, not with an initial. Only then `M.` in front of it is the
/// French title.
fn is_whole_name(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next().is_some_and(|word| word.chars().count() > 1 && !word.ends_with('.')) && words.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_taken_off_with_and_without_a_dot() {
        for (name, want) in [
            ("Ms Guest Jones", ("Ms", "Guest Jones")),
            ("Dr. Ada Lovelace", ("Dr.", "Ada Lovelace")),
            ("  PROF.  Dr. med. Eva Stern", ("PROF.  Dr. med.", "Eva Stern")),
            ("Mr & Mrs Smith", ("Mr & Mrs", "Smith")),
            ("Herr und Frau Stern", ("Herr und Frau", "Stern")),
            ("Mme Curie", ("Mme", "Curie")),
            ("M. Jean Dupont", ("M.", "Jean Dupont")),
            ("Sra. Ana García", ("Sra.", "Ana García")),
            ("Sig.ra Anna Rossi", ("Sig.ra", "Anna Rossi")),
        ] {
            assert_eq!(split_title(name), want, "{name}");
        }
    }

    #[test]
    fn names_that_look_like_titles_stay_names() {
        for name in [
            "Ada Lovelace",
            "Dr.",
            "Frau",
            "M. Smith",
            "M. J. Smith",
            "M Smith",
            "Sig Hansen",
            "Mag Smith",
            "Drew Smith",
            "Martin Luther King Jr.",
            "",
        ] {
            assert_eq!(split_title(name), ("", name));
        }
    }

    #[test]
    fn a_comma_between_two_names_has_the_last_name_in_front() {
        for (name, want) in [
            ("Smith, Anna", Some(("Smith", "Anna"))),
            ("Brown,Charlie", Some(("Brown", "Charlie"))),
            ("van der Berg, Anna Marie", Some(("van der Berg", "Anna Marie"))),
            ("O’Brien, Zoë", Some(("O’Brien", "Zoë"))),
            ("Anna, Smith & Co", None),
            ("Anna, Smith and Co.", None),
            ("Smith, Ltd", None),
            ("Lovelace, PhD", None),
            ("King, Jr.", None),
            ("Flat 1, York", None),
            ("Ada Lovelace, London", None),
            ("Smith,", None),
            (", Anna", None),
            ("Ada Lovelace", None),
        ] {
            assert_eq!(split_last_first(name, false), want, "{name}");
        }
        assert_eq!(split_last_first("García Márquez, Gabriel", true), Some(("García Márquez", "Gabriel")));
        assert_eq!(split_last_first("Anna, Smith & Co", true), None);
    }

    #[test]
    fn a_title_is_found_in_front_of_either_name() {
        assert_eq!(find_title("Dr. Ada Lovelace"), "Dr.");
        assert_eq!(find_title("Lovelace, Dr. Ada"), "Dr.");
        assert_eq!(find_title("Lovelace, Ada"), "");
    }
}

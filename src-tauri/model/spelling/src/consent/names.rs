//! Recognizes names of columns that say who opted out, or who may be written to.

use std::sync::LazyLock;

use crate::{
    consent::{has_stem, word_tables},
    contains_word, has_phrase, normalize_name, parse_words,
};

/// The meaning of the name of a column about consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsentName {
    /// Whether “yes” permits messages to the person; `None` if it may mean either.
    pub grants: Option<bool>,
    /// Whether the column is about consent only if one of its values refuses something.
    pub depends_on_values: bool,
}

pub fn classify_name(name: &str) -> Option<ConsentName> {
    static EXCEPT: LazyLock<Vec<String>> = LazyLock::new(|| parse_words(word_tables::NAMES_EXCEPT));
    static KINDS: LazyLock<Vec<(Vec<String>, ConsentName)>> = LazyLock::new(|| {
        let kinds = [
            (word_tables::OPTS_OUT, Some(false), false),
            (word_tables::GRANTS, Some(true), false),
            (word_tables::PREFERENCES, None, false),
            (word_tables::STATUSES, None, true),
            (word_tables::SUBSCRIPTIONS, Some(true), true),
        ];
        kinds
            .map(|(words, grants, depends_on_values)| (parse_words(words), ConsentName { grants, depends_on_values }))
            .to_vec()
    });
    let name = normalize_name(name);
    if has_stem(&name) {
        return Some(ConsentName { grants: Some(false), depends_on_values: false });
    }
    let kind = KINDS.iter().find(|(words, _)| has_phrase(&name, words)).map(|(_, kind)| *kind);
    kind.filter(|_| !has_phrase(&name, &EXCEPT))
}

/// Returns whether a name means consent if the values of the column are yes and no.
pub fn is_name_of_answers(name: &str) -> bool {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| parse_words(word_tables::NAMES_OF_ANSWERS));
    contains_word(&NAMES, &normalize_name(name))
}

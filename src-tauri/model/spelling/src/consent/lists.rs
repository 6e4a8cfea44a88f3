//! Recognizes names of files, folders, sheets and lists, and headings, which say that everybody in them opted out.

use std::sync::LazyLock;

use crate::{
    consent::{has_stem, word_tables},
    contains_word, normalize_name, parse_words,
};

/// Words of a heading at most. A longer text may mention opt-outs without being about them.
const TITLE_WORDS: usize = 12;
/// Words that are ignored between a phrase and a word that reverses it: `not yet unsubscribed`.
const FILLERS: [&str; 2] = ["yet", "been"];

/// Returns whether the name of a file, a folder, a sheet or a list says that everybody in it opted out.
pub fn is_opt_out_list(name: &str) -> bool {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| parse_words(word_tables::DOUBTFUL));
    static EXCEPT: LazyLock<Vec<String>> = LazyLock::new(|| parse_words(word_tables::EXCEPT));
    static BEFORE: LazyLock<Vec<String>> =
        LazyLock::new(|| [parse_words(word_tables::BEFORE), parse_words(word_tables::NOT)].concat());
    static BEHIND: LazyLock<Vec<String>> = LazyLock::new(|| parse_words(word_tables::BEHIND));
    let text = normalize_name(name);
    let words: Vec<&str> = text.split(' ').filter(|word| !FILLERS.contains(word)).collect();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some(length) = phrase_length(&words[at..]) else {
            if contains_word(&EXCEPT, word) {
                return false;
            }
            at += 1;
            continue;
        };
        let is_turned_by = |table: &[String], word: Option<&&str>| word.is_some_and(|word| contains_word(table, word));
        let is_removed = is_turned_by(&BEHIND, words.get(at + length));
        if !is_removed && !is_turned_by(&BEFORE, at.checked_sub(1).and_then(|before| words.get(before))) {
            return true;
        }
        at += length + usize::from(is_removed);
    }
    // An ambiguous word counts only if it is the whole name.
    contains_word(&NAMES, &normalize_name(name.rsplit_once('.').map_or(name, |(name, _)| name)))
}

/// Returns whether a heading says that everybody below it opted out.
pub fn is_opt_out_title(text: &str) -> bool {
    text.split_whitespace().count() <= TITLE_WORDS && is_opt_out_list(text)
}

/// Returns the number of words of the longest phrase with which `words` begin.
fn phrase_length(words: &[&str]) -> Option<usize> {
    static PHRASES: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
        let word = |word: &str| match word.strip_suffix('*') {
            Some(start) => normalize_name(start) + "*",
            None => normalize_name(word),
        };
        let phrases = [word_tables::LISTS, word_tables::SURE].into_iter().flat_map(|phrases| phrases.split(", "));
        phrases.map(|phrase| phrase.split(' ').map(word).collect()).collect()
    });
    let begin_with = |phrase: &&Vec<String>| {
        phrase.len() <= words.len() && phrase.iter().zip(words).all(|(wanted, word)| matches_word(wanted, word))
    };
    let longest = PHRASES.iter().filter(begin_with).map(Vec::len).max();
    longest.or_else(|| words.first().is_some_and(|word| has_stem(word)).then_some(1))
}

fn matches_word(wanted: &str, word: &str) -> bool {
    static NOT: LazyLock<Vec<String>> = LazyLock::new(|| parse_words(word_tables::NOT));
    match wanted.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => wanted == word || (wanted == "not" && contains_word(&NOT, word)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of lists in which everybody opted out.
    const OPTED_OUT: &[&str] = &[
        "unsubscribed_members_export.csv",
        "nonsubscribed_members_export.csv",
        "cleaned_members_export_9.csv",
        "STOP list.csv",
        "STOP",
        "STOPs 2024",
        "people_STOP.csv",
        "peopleSTOP.csv",
        "replies_STOP",
        "inbound STOP messages",
        "People who replied STOP",
        "sms-optouts-2026.xlsx",
        "Opted out May",
        "Everyone below has opted out of SMS",
        "DNC.csv",
        "DoNotContact.json",
        "Please don't text",
        "They can't be emailed, so do not email",
        "not to be contacted",
        "must not be texted",
        "Customers who do not want texts",
        "Customers who no longer want messages",
        "people who said no",
        "Not interested",
        "not opted in",
        "no marketing consent",
        "without consent",
        "Blocked",
        "bounces",
        "Suppression list",
        "removals",
        "please remove",
        "to remove",
        "Removed",
        "Removed from newsletter",
        "Removed - opted out",
        "removed_optouts",
        "opted out not removed",
        "Not yet removed opt outs",
        "TPS list",
        "GDPR erasure requests",
        "Lapsed",
        "Leavers",
        "Abgemeldete Kunden",
        "Diese Kunden wollen keine SMS",
        "keine Werbung",
        "ohne Einwilligung",
        "Widerruf",
        "Personnes désinscrites",
        "Ne pas contacter",
        "sans consentement",
        "dados de baja",
        "no molestar",
        "disiscritti",
        "cancellati",
        "lista nera",
        "afmeldingen",
        "avregistrerade",
        "framelding",
        "leiratkozottak",
        "Отписавшиеся",
        "הוסרו מהרשימה",
        "إلغاء الاشتراك",
        "配信停止.csv",
        "수신거부",
    ];

    const ORDINARY: &[&str] = &[
        "subscribed_members_export.csv",
        "customers.csv",
        "customers without opt-outs.csv",
        "all contacts (incl unsubscribed)",
        "all except those who opted out",
        "non opted out",
        "not unsubscribed.csv",
        "have not yet been unsubscribed",
        "haven't opted out",
        "no opt-outs",
        "opt-outs removed",
        "DNC-scrubbed",
        "TPS checked",
        "duplicates removed.csv",
        "ohne Abgemeldete",
        "bus stop users.csv",
        "One Stop Shop.csv",
        "non-stop.csv",
        "newsletter.csv",
        "marketing contacts.csv",
        "customers no email.csv",
        "Baja California.csv",
        "cleaned list.csv",
        "consent form.csv",
        "May 2",
        "",
    ];

    #[test]
    fn names_of_lists_say_that_everybody_opted_out() {
        OPTED_OUT.iter().for_each(|name| assert!(is_opt_out_list(name), "{name}"));
        ORDINARY.iter().for_each(|name| assert!(!is_opt_out_list(name), "{name}"));
    }

    #[test]
    fn a_long_text_is_not_a_heading() {
        assert!(is_opt_out_title("The people below opted out of SMS"));
        assert!(!is_opt_out_title("This is a list of all our customers and of those who opted out of something"));
    }
}

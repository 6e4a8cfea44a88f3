//! Finds the values of an opt-out column for which nobody has said whether they opt out.

use super::{
    super::Consent,
    ANY_VALUE, BLANK, Certainty, Words, each_opt_out,
    heads::{grants, is_granted, is_harmless, is_label_name, is_no, is_stamp, is_yes, small},
    is_opt_out, is_opt_out_of_consent, says, words,
};
use crate::files::import::columns::{ColumnFacts, Counted};

/// A problem with the named values of an opt-out column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenWords {
    pub message: String,
    /// Whether a named value says the opposite.
    pub is_reversed: bool,
    /// The values to name instead: those named so far, and those that the message asks about.
    pub words: Vec<String>,
}

/// Returns the words of a column for which nobody named any.
pub fn usual_words(name: &str, facts: &ColumnFacts) -> Vec<String> {
    let answers = if grants(name, facts) == Some(true) { words::NO } else { words::YES };
    answers.iter().chain(words::OPTED_OUT).map(|word| (*word).to_owned()).collect()
}

/// Returns the named values that say the opposite, or else all values for which it is unknown whether they opt out.
pub fn open_words(name: &str, consent: &Consent<u32>, facts: &ColumnFacts) -> Option<OpenWords> {
    // If nobody named values, every other answer is asked about, whatever the column is called.
    let is_unnamed = consent.words == usual_words(name, facts);
    let grants = grants(name, facts).or_else(|| is_unnamed.then_some(false));
    reversed_words(name, grants, consent, facts).or_else(|| unnamed_values(name, grants, consent, facts))
}

/// Returns the values that seem to opt out.
pub fn suggested_words(name: &str, facts: &ColumnFacts) -> Vec<String> {
    let grants = grants(name, facts);
    let values = facts.known_values().0;
    if grants == Some(false) && values.len() > 1 && !values.iter().any(|value| is_harmless(grants, value)) {
        return vec![ANY_VALUE.to_owned()];
    }
    let mut words: Vec<String> =
        unnamed(name, grants, &Consent::default(), facts).into_iter().map(|value| value.text).collect();
    if words.is_empty() && grants == Some(true) && facts.blank > 0 {
        words.push(BLANK.to_owned());
    }
    words
}

fn reversed_words(name: &str, grants: Option<bool>, consent: &Consent<u32>, facts: &ColumnFacts) -> Option<OpenWords> {
    let grants_it = grants?;
    let is_reversed = |word: &&String| {
        if grants_it { is_yes(word) || is_granted(word) } else { is_no(word) || is_granted(word) }
    };
    let (reversed, others): (Vec<&String>, Vec<&String>) = consent.words.iter().partition(is_reversed);
    let word = reversed.first()?;
    let says = if grants_it { "who may be contacted" } else { "who opted out" };
    let message = format!(
        "The column “{name}” says {says}, so “{word}” does not mean that somebody opted out. Say which values do, or \
         rename the column."
    );
    let others = Consent { words: others.into_iter().cloned().collect(), ..consent.clone() };
    let found = unnamed(name, grants, &others, facts).into_iter().map(|value| value.text);
    let mut words: Vec<String> = others.words.iter().cloned().chain(found).collect();
    if words.is_empty() {
        words.push(if grants_it { "no" } else { "yes" }.to_owned());
    }
    Some(OpenWords { message, is_reversed: true, words })
}

fn unnamed_values(name: &str, grants: Option<bool>, consent: &Consent<u32>, facts: &ColumnFacts) -> Option<OpenWords> {
    let unnamed = unnamed(name, grants, consent, facts);
    let (known, are_all) = facts.known_values();
    let has_any = consent.words.iter().chain(&consent.keeps).any(|word| word.trim() == ANY_VALUE);
    let has_more = grants.is_some() && !are_all && !has_any;
    if unnamed.is_empty() && !has_more {
        return None;
    }
    let mut shown: Vec<String> = unnamed.iter().map(Counted::with_rows).collect();
    if has_more {
        shown.push("more values than can be listed".to_owned());
    }
    let message =
        format!("The column “{name}” also holds {}. Say which of them mean that somebody opted out.", shown.join(", "));
    let suggested = suggested_words(name, facts);
    if has_more && suggested == [ANY_VALUE] {
        return Some(OpenWords { message, is_reversed: false, words: suggested });
    }
    // Usual words that the column does not hold are left out.
    let is_named = consent.words != usual_words(name, facts);
    let is_held = |word: &&String| is_named || known.iter().any(|value| small(value) == **word);
    let named = consent.words.iter().filter(is_held).cloned();
    let words = named.chain(unnamed.into_iter().map(|value| value.text)).collect();
    Some(OpenWords { message, is_reversed: false, words })
}

/// Returns the values that are neither named nor known to permit messages. Of a list in a cell, it returns the items
/// that say that somebody opted out.
fn unnamed(name: &str, grants: Option<bool>, consent: &Consent<u32>, facts: &ColumnFacts) -> Vec<Counted> {
    let words = Words::of(consent);
    let are_labels = is_label_name(name);
    let has = |is_it: fn(&str) -> bool| consent.words.iter().any(|word| is_it(word) && !is_opt_out(word));
    let (has_yes, has_no, keeps_others) = (has(is_yes), has(is_no), words.keeps.iter().any(|word| word == ANY_VALUE));
    let opts_out = |value: &str| match grants {
        Some(true) => is_no(value) || is_opt_out_of_consent(value),
        Some(false) => is_yes(value) || is_stamp(value) || is_opt_out_of_consent(value),
        // If “no” opts out, “yes” does not.
        None if has_no => is_opt_out(value),
        None if are_labels && says(value, |certainty| certainty == Certainty::Label) => true,
        None => (has_yes && is_yes(value)) || is_opt_out_of_consent(value),
    };
    let is_open = |value: &str| {
        let may_opt_out = grants.is_some() && !is_harmless(grants, value) && !keeps_others;
        !words.keep(value) && !words.opt_out(value) && (opts_out(value) || may_opt_out)
    };
    let (_, are_all) = facts.known_values();
    let items: &[Counted] = if are_all { &[] } else { &facts.opt_outs.values };
    let samples = facts.samples.iter().filter(|_| facts.values.is_empty()).map(|text| (text, 0));
    let counted = facts.values.iter().chain(items).map(|Counted { text, count }| (text, *count));
    let mut found: Vec<Counted> = Vec::new();
    for (value, count) in counted.chain(samples) {
        if !is_open(value) {
            continue;
        }
        let mut texts = Vec::new();
        each_opt_out(value, |certainty, text| {
            if certainty >= Certainty::Label {
                texts.push(text.to_lowercase());
            }
        });
        if texts.is_empty() {
            texts.push(value.trim().to_lowercase());
        }
        for text in texts {
            match found.iter_mut().find(|known| known.text == text) {
                Some(known) => known.count += count,
                None => found.push(Counted { text, count }),
            }
        }
    }
    found
}

//! Finds the values of an opt-out column for which nobody has said whether they opt out.

use roost_spelling::consent::{OptOutCertainty, is_opt_out, says_opt_out, visit_opt_outs, word_tables};

use super::{
    super::ConsentMapping,
    ANY_VALUE, BLANK, OptOutWords,
    consent_columns::{
        is_date_or_address, is_granted, is_label_name, is_no, is_yes, is_yes_permission, normalize_answer,
        permits_messages,
    },
    is_consent_refusal,
};
use crate::mapping::columns::{ColumnFacts, ValueCount};

/// A problem with the named values of an opt-out column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnansweredWords {
    pub message: String,
    /// Whether a named value says the opposite.
    pub is_reversed: bool,
    /// The values to name instead: those named so far, and those that the message asks about.
    pub words: Vec<String>,
}

/// Returns the words of a column for which nobody named any.
pub fn usual_words(name: &str, facts: &ColumnFacts) -> Vec<String> {
    let answers = if is_yes_permission(name, facts) == Some(true) { word_tables::NO } else { word_tables::YES };
    answers.iter().chain(word_tables::OPTED_OUT).map(|word| (*word).to_owned()).collect()
}

/// Returns the named values that say the opposite, or else all values for which it is unknown whether they opt out.
pub fn find_unanswered(name: &str, consent: &ConsentMapping<u32>, facts: &ColumnFacts) -> Option<UnansweredWords> {
    // If nobody named values, every other answer is asked about, whatever the column is called.
    let is_unnamed = consent.words == usual_words(name, facts);
    let grants = is_yes_permission(name, facts).or_else(|| is_unnamed.then_some(false));
    check_reversed(name, grants, consent, facts).or_else(|| check_unnamed(name, grants, consent, facts))
}

/// Returns the values that seem to opt out.
pub fn suggest_words(name: &str, facts: &ColumnFacts) -> Vec<String> {
    let grants = is_yes_permission(name, facts);
    let values = facts.known_values().0;
    if grants == Some(false) && values.len() > 1 && !values.iter().any(|value| permits_messages(grants, value)) {
        return vec![ANY_VALUE.to_owned()];
    }
    let mut words: Vec<String> =
        find_unnamed(name, grants, &ConsentMapping::default(), facts).into_iter().map(|value| value.text).collect();
    if words.is_empty() && grants == Some(true) && facts.blank > 0 {
        words.push(BLANK.to_owned());
    }
    words
}

fn check_reversed(
    name: &str,
    grants: Option<bool>,
    consent: &ConsentMapping<u32>,
    facts: &ColumnFacts,
) -> Option<UnansweredWords> {
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
    let others = ConsentMapping { words: others.into_iter().cloned().collect(), ..consent.clone() };
    let found = find_unnamed(name, grants, &others, facts).into_iter().map(|value| value.text);
    let mut words: Vec<String> = others.words.iter().cloned().chain(found).collect();
    if words.is_empty() {
        words.push(if grants_it { "no" } else { "yes" }.to_owned());
    }
    Some(UnansweredWords { message, is_reversed: true, words })
}

fn check_unnamed(
    name: &str,
    grants: Option<bool>,
    consent: &ConsentMapping<u32>,
    facts: &ColumnFacts,
) -> Option<UnansweredWords> {
    let unnamed = find_unnamed(name, grants, consent, facts);
    let (known, are_all) = facts.known_values();
    let has_any = consent.words.iter().chain(&consent.keeps).any(|word| word.trim() == ANY_VALUE);
    let has_more = grants.is_some() && !are_all && !has_any;
    if unnamed.is_empty() && !has_more {
        return None;
    }
    let mut shown: Vec<String> = unnamed.iter().map(ValueCount::describe_rows).collect();
    if has_more {
        shown.push("more values than can be listed".to_owned());
    }
    let message =
        format!("The column “{name}” also holds {}. Choose the values that mean opted out.", shown.join(", "));
    let suggested = suggest_words(name, facts);
    if has_more && suggested == [ANY_VALUE] {
        return Some(UnansweredWords { message, is_reversed: false, words: suggested });
    }
    // Usual words that the column does not hold are left out.
    let is_named = consent.words != usual_words(name, facts);
    let is_held = |word: &&String| is_named || known.iter().any(|value| normalize_answer(value) == **word);
    let named = consent.words.iter().filter(is_held).cloned();
    let words = named.chain(unnamed.into_iter().map(|value| value.text)).collect();
    Some(UnansweredWords { message, is_reversed: false, words })
}

/// Returns the values that are neither named nor known to permit messages. Of a list in a cell, it returns the items
/// that say that somebody opted out.
fn find_unnamed(
    name: &str,
    grants: Option<bool>,
    consent: &ConsentMapping<u32>,
    facts: &ColumnFacts,
) -> Vec<ValueCount> {
    let words = OptOutWords::from_consent(consent);
    let are_labels = is_label_name(name);
    let has = |is_it: fn(&str) -> bool| consent.words.iter().any(|word| is_it(word) && !is_opt_out(word));
    let (has_yes, has_no, keeps_others) = (has(is_yes), has(is_no), words.keeps.iter().any(|word| word == ANY_VALUE));
    let opts_out = |value: &str| match grants {
        Some(true) => is_no(value) || is_consent_refusal(value),
        Some(false) => is_yes(value) || is_date_or_address(value) || is_consent_refusal(value),
        // If “no” opts out, “yes” does not.
        None if has_no => is_opt_out(value),
        None if are_labels && says_opt_out(value, |certainty| certainty == OptOutCertainty::InLabelColumn) => true,
        None => (has_yes && is_yes(value)) || is_consent_refusal(value),
    };
    // In a column about consent, a word within a text does not answer for the text: `asked to stop 12/03` is a value of
    // its own beside `stop`.
    let least = if grants.is_some() { OptOutCertainty::Doubtful } else { OptOutCertainty::InLabelColumn };
    let is_open = |value: &str| {
        let may_opt_out = grants.is_some() && !permits_messages(grants, value) && !keeps_others;
        !words.keeps_value(value) && !words.opts_out_with_certainty(value, least) && (opts_out(value) || may_opt_out)
    };
    let (_, are_all) = facts.known_values();
    let items: &[ValueCount] = if are_all { &[] } else { &facts.opt_outs.values };
    let samples = facts.samples.iter().filter(|_| facts.values.is_empty()).map(|text| (text, 0));
    let counted = facts.values.iter().chain(items).map(|ValueCount { text, count }| (text, *count));
    let mut found: Vec<ValueCount> = Vec::new();
    for (value, count) in counted.chain(samples) {
        if !is_open(value) {
            continue;
        }
        let mut texts = Vec::new();
        visit_opt_outs(value, |certainty, text| {
            if certainty >= least {
                texts.push(text.to_lowercase());
            }
        });
        if texts.is_empty() {
            texts.push(value.trim().to_lowercase());
        }
        for text in texts {
            match found.iter_mut().find(|known| known.text == text) {
                Some(known) => known.count += count,
                None => found.push(ValueCount { text, count }),
            }
        }
    }
    found
}

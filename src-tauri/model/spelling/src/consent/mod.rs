//! Recognizes words that say that somebody opted out, in several languages.

mod filter;
mod lists;
mod names;
mod values;
pub mod word_tables;

use std::sync::LazyLock;

pub use self::{
    lists::{is_opt_out_list, is_opt_out_title},
    names::{ConsentName, classify_name, is_name_of_answers},
    values::{OptOutCertainty, split_items, visit_opt_outs},
};
use crate::parse_words;

pub fn has_stem(text: &str) -> bool {
    static STEMS: LazyLock<Vec<String>> = LazyLock::new(|| parse_words(word_tables::STEMS));
    STEMS.iter().any(|stem| text.contains(stem.as_str()))
}

/// Returns whether a value says that somebody opted out, whatever its column is called.
pub fn is_opt_out(value: &str) -> bool {
    says_opt_out(value, |certainty| certainty >= OptOutCertainty::Doubtful)
}

/// Returns whether a value says that somebody opted out, with a certainty that `is_it` accepts.
pub fn says_opt_out(value: &str, is_it: impl Fn(OptOutCertainty) -> bool) -> bool {
    let mut says = false;
    visit_opt_outs(value, |certainty, _| says |= is_it(certainty));
    says
}

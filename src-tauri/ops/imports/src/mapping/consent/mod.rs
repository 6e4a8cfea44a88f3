//! Finds columns that seem to say who opted out. The meaning of their values is never guessed, and none of these
//! columns is passed over.

mod consent_columns;
mod opt_out_facts;
#[cfg(test)]
mod question_tests;
mod unanswered;

use roost_spelling::{
    consent::{OptOutCertainty, says_opt_out, split_items, visit_opt_outs},
    normalize_name,
};

use self::consent_columns::has_opt_out_labels;

use super::{ConsentMapping, FieldTarget, OpenMapping, ValuePiece};
use crate::mapping::columns::ColumnFacts;

pub use self::{
    consent_columns::{has_yes_no_answers, is_consent_by_answers, is_consent_name, looks_like_consent},
    opt_out_facts::OptOutFacts,
    unanswered::{UnansweredWords, find_unanswered, suggest_words, usual_words},
};

/// The word for any value, used for a column in which every value means that somebody opted out, such as a time.
pub const ANY_VALUE: &str = "*";
/// The word for blank cells.
pub const BLANK: &str = "\"\"";
/// A doubtful word such as `Stop` may be a surname. A column of names is asked about if at least one of this many rows
/// has such a word.
const DOUBTFUL_SHARE: u64 = 20;
const NAME_FIELDS: [&str; 2] = ["firstname", "lastname"];
/// The error code of a message service for a number that replied STOP.
const STOP_ERROR_CODE: &str = "21610";

/// Returns whether a value in a column about consent says that somebody opted out.
fn is_consent_refusal(value: &str) -> bool {
    let is_it = |certainty| certainty != OptOutCertainty::InLabelColumn;
    says_opt_out(value, is_it) || value.trim() == STOP_ERROR_CODE
}

/// Returns whether a value is one of the words. A long value is named by its shown beginning.
fn contains_value(words: &[String], value: &str) -> bool {
    let is_it = |word: &String| word == value || word.strip_suffix('…').is_some_and(|start| value.starts_with(start));
    words.iter().any(is_it)
}

/// Returns whether one of the words, which are in small letters, is the value or an item of it, or marks it with at
/// least this certainty.
fn names_value(words: &[String], value: &str, least: OptOutCertainty) -> bool {
    let small = value.trim().to_lowercase();
    let mut is_named =
        contains_value(words, &small) || split_items(&small).any(|item| words.iter().any(|word| word == item));
    // Written in capital letters, a word may be a mark.
    visit_opt_outs(value, |certainty, found| {
        let found = found.to_lowercase();
        is_named |= certainty >= least && words.iter().any(|word| *word == found || normalize_name(word) == found);
    });
    is_named
}

/// The values of a column that opt out, and those that do not, in small letters.
#[derive(Debug, Clone)]
pub struct OptOutWords {
    words: Vec<String>,
    keeps: Vec<String>,
}

impl OptOutWords {
    pub fn from_consent<C>(consent: &ConsentMapping<C>) -> Self {
        let small = |words: &[String]| words.iter().map(|word| word.trim().to_lowercase()).collect();
        Self { words: small(&consent.words), keeps: small(&consent.keeps) }
    }

    fn keeps_value(&self, value: &str) -> bool {
        contains_value(&self.keeps, &value.trim().to_lowercase())
    }

    fn has_any_value(&self) -> bool {
        self.words.iter().any(|word| word == ANY_VALUE)
    }

    /// Returns whether a value opts out. A blank value has its own word. A named value opts out even if it is also
    /// among those that do not.
    pub fn opts_out(&self, value: &str) -> bool {
        self.opts_out_with_certainty(value, OptOutCertainty::InLabelColumn)
    }

    /// Returns whether a value opts out, where a word within it must mark it with at least this certainty.
    fn opts_out_with_certainty(&self, value: &str, least: OptOutCertainty) -> bool {
        match value.trim() {
            "" => self.words.iter().any(|word| word == BLANK),
            value => names_value(&self.words, value, least) || (self.has_any_value() && !self.keeps_value(value)),
        }
    }
}

impl OpenMapping {
    /// Returns whether a column fills a field or says who opted out.
    pub fn uses_column(&self, column: u32) -> bool {
        let targets = self.targets.iter().map(|target| &target.pieces);
        let pieces = targets.chain(self.consents.iter().map(|consent| &consent.pieces)).flatten();
        pieces.into_iter().any(|piece| piece.column() == Some(&column))
    }

    /// Returns the columns that seem to say who opted out and that nobody has answered for. They have no meaning yet,
    /// or fill a field by a guess.
    pub fn unanswered_columns<'a>(
        &'a self,
        heads: &'a [String],
        facts: &'a [ColumnFacts],
    ) -> impl Iterator<Item = u32> + 'a {
        let is_open = |column: &u32| {
            let (head, facts) = (heads.get(*column as usize), facts.get(*column as usize));
            head.zip(facts).is_some_and(|(head, facts)| match self.uses_column(*column) {
                _ if facts.filled == 0 => false,
                false => !self.left_out.contains(column) && looks_like_consent(head, facts),
                true => {
                    let is_answered = self.named.contains(column) || self.is_consent_column(*column);
                    !is_answered && self.has_opt_outs(*column, head, facts)
                }
            })
        };
        (0..heads.len() as u32).filter(is_open)
    }

    fn is_consent_column(&self, column: u32) -> bool {
        let pieces = self.consents.iter().flat_map(|consent| &consent.pieces);
        pieces.into_iter().any(|piece| piece.column() == Some(&column))
    }

    /// Returns whether cells say that somebody opted out, also in a column that fills a field. In a column of names, a
    /// few doubtful words are not enough.
    pub fn has_opt_outs(&self, column: u32, head: &str, facts: &ColumnFacts) -> bool {
        let OptOutFacts { sure, doubtful, .. } = facts.opt_outs;
        let has_column = |pieces: &[ValuePiece<u32>]| pieces.iter().any(|piece| piece.column() == Some(&column));
        let is_name = |target: &FieldTarget<u32>| NAME_FIELDS.contains(&target.field.as_str());
        let mut filled = self.targets.iter().filter(|target| has_column(&target.pieces));
        let are_names = filled.next().is_some_and(is_name) && filled.all(is_name);
        let is_rare = are_names && doubtful * DOUBTFUL_SHARE < facts.filled;
        sure > 0 || (doubtful > 0 && !is_rare) || has_opt_out_labels(head, facts)
    }

    /// Asks again about columns whose cells say that somebody opted out: the mapping of another file answers for the
    /// names of the columns, but not for these cells.
    pub fn ask_again(&mut self, heads: &[String], facts: &[ColumnFacts]) {
        let is_answered = |column: &u32| match (heads.get(*column as usize), facts.get(*column as usize)) {
            (Some(head), Some(facts)) => !self.has_opt_outs(*column, head, facts),
            _ => true,
        };
        let named = self.named.iter().copied().filter(is_answered).collect();
        let left_out = self.left_out.iter().copied().filter(is_answered).collect();
        (self.named, self.left_out) = (named, left_out);
    }
}

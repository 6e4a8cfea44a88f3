//! Regular expressions that people write. Their size is bounded, and they ignore case unless requested otherwise.

use regex::{Regex, RegexBuilder};

/// Largest compiled expression in bytes. A larger one is refused before it runs.
const COMPILED_MAX: usize = 1 << 20;
/// Most characters of an expression.
pub const PATTERN_MAX: usize = 1_000;

/// A compiled expression. It runs in linear time, whatever the person wrote.
#[derive(Debug, Clone)]
pub struct TextPattern(Regex);

impl TextPattern {
    /// Compiles an expression. The error is a message that a person can act on.
    pub fn new(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
        if text.chars().count() > PATTERN_MAX {
            return Err(format!("A regular expression has at most {PATTERN_MAX} characters."));
        }
        Self::compile(text, is_case_sensitive)
    }

    fn compile(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
        RegexBuilder::new(text)
            .case_insensitive(!is_case_sensitive)
            .size_limit(COMPILED_MAX)
            .dfa_size_limit(COMPILED_MAX)
            .nest_limit(50)
            .build()
            .map(Self)
            .map_err(|why| match why {
                regex::Error::CompiledTooBig(_) => "This regular expression is too large.".to_owned(),
                why => {
                    let message = why.to_string();
                    let last = message.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    format!("This is not a valid regular expression: {last}.")
                }
            })
    }

    /// Compiles an expression that must match the whole text.
    pub fn matching_whole(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
        Self::new(text, is_case_sensitive)?;
        Self::compile(&format!("\\A(?:{text})\\z"), is_case_sensitive)
    }

    /// Compiles an expression that finds a text literally.
    pub fn literal(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
        Self::compile(&regex::escape(text), is_case_sensitive)
    }

    /// Compiles an expression that matches exactly one text.
    pub fn literal_whole(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
        Self::compile(&format!("\\A(?:{})\\z", regex::escape(text)), is_case_sensitive)
    }

    /// Replaces every match in the text. If `has_groups` is set, `with` may refer to groups (`$1`, `${name}`).
    pub fn replace_matches(&self, text: &str, with: &str, has_groups: bool) -> String {
        if has_groups {
            self.0.replace_all(text, with).into_owned()
        } else {
            self.0.replace_all(text, regex::NoExpand(with)).into_owned()
        }
    }

    /// Returns the first group of the first match, or the whole match if the expression has no groups.
    pub fn extract_group<'t>(&self, text: &'t str) -> Option<&'t str> {
        let found = self.0.captures(text)?;
        if found.len() > 1 { found.get(1).map(|part| part.as_str()) } else { found.get(0).map(|all| all.as_str()) }
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Returns the expression itself, for replacing and extracting.
    pub fn regex(&self) -> &Regex {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_pattern_is_explained_in_words() {
        let error_of = |text: &str| TextPattern::new(text, false).err().unwrap_or_default();
        assert_eq!(error_of("(a"), "This is not a valid regular expression: unclosed group.");
        assert!(error_of("(\\w{900}){900}").contains("too large"));
        assert!(error_of(&"a".repeat(1_001)).contains("at most"));
        assert_eq!(error_of("^a+$"), "");
    }

    #[test]
    fn places_are_replaced_and_taken_out() {
        let digits = TextPattern::new("(\\d+)-(\\d+)", true).unwrap();
        assert_eq!(digits.replace_matches("a 1-2 3-4", "$2/$1", true), "a 2/1 4/3");
        assert_eq!(digits.replace_matches("a 1-2", "$1", false), "a $1");
        assert_eq!(digits.extract_group("a 12-3"), Some("12"));
        assert_eq!(TextPattern::new("\\d+", true).unwrap().extract_group("a 12-3"), Some("12"));
        assert_eq!(TextPattern::literal("a.b", false).unwrap().replace_matches("A.B axb", "$0", false), "$0 axb");
        assert!(!TextPattern::literal_whole("a.b", true).unwrap().is_match("a.b "));
        assert!(TextPattern::literal_whole("", true).unwrap().is_match(""));
    }

    #[test]
    fn a_pattern_ignores_case_unless_requested_and_can_match_whole_texts() {
        assert!(TextPattern::new("^é", false).unwrap().is_match("École".to_lowercase().as_str()));
        assert!(TextPattern::new("ada", false).unwrap().is_match("ADA"));
        assert!(!TextPattern::new("ada", true).unwrap().is_match("ADA"));
        assert!(TextPattern::matching_whole("a|ab", true).unwrap().is_match("ab"));
        assert!(!TextPattern::matching_whole("a+", true).unwrap().is_match("aab"));
    }
}

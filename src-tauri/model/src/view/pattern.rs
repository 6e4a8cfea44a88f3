//! Regular expressions that people write: bounded in size, without regard to case unless it is asked for.

use regex::{Regex, RegexBuilder};

/// What a compiled expression may take, in bytes; a longer one is refused before it runs.
const COMPILED_MAX: usize = 1 << 20;
/// Most characters of an expression.
pub const PATTERN_MAX: usize = 1_000;

/// A compiled expression. It runs in linear time, whatever was written.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// The error is told in words that a person can act on.
    pub fn new(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
        if text.chars().count() > PATTERN_MAX {
            return Err(format!("A regular expression has at most {PATTERN_MAX} characters."));
        }
        Self::build(text, is_case_sensitive)
    }

    fn build(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
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
                    let told = why.to_string();
                    let last = told.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    format!("This is not a valid regular expression: {last}.")
                }
            })
    }

    /// One that must fit the whole text.
    pub fn whole(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
        Self::new(text, is_case_sensitive)?;
        Self::build(&format!("\\A(?:{text})\\z"), is_case_sensitive)
    }

    /// One that finds a text as it stands.
    pub fn literal(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
        Self::build(&regex::escape(text), is_case_sensitive)
    }

    /// One that is the whole text as it stands.
    pub fn literal_whole(text: &str, is_case_sensitive: bool) -> Result<Self, String> {
        Self::build(&format!("\\A(?:{})\\z", regex::escape(text)), is_case_sensitive)
    }

    /// The text with every place that fits replaced: `with` may name groups (`$1`, `${name}`) where they are meant.
    pub fn replaced(&self, text: &str, with: &str, has_groups: bool) -> String {
        if has_groups {
            self.0.replace_all(text, with).into_owned()
        } else {
            self.0.replace_all(text, regex::NoExpand(with)).into_owned()
        }
    }

    /// What the first group of the first place that fits holds; without groups the place itself.
    pub fn extract<'t>(&self, text: &'t str) -> Option<&'t str> {
        let found = self.0.captures(text)?;
        if found.len() > 1 { found.get(1).map(|part| part.as_str()) } else { found.get(0).map(|all| all.as_str()) }
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The expression itself, for replacing and extracting.
    pub fn regex(&self) -> &Regex {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_in_words() {
        let told = |text: &str| Pattern::new(text, false).err().unwrap_or_default();
        assert_eq!(told("(a"), "This is not a valid regular expression: unclosed group.");
        assert!(told("(\\w{900}){900}").contains("too large"));
        assert!(told(&"a".repeat(1_001)).contains("at most"));
        assert_eq!(told("^a+$"), "");
    }

    #[test]
    fn places_are_replaced_and_taken_out() {
        let digits = Pattern::new("(\\d+)-(\\d+)", true).unwrap();
        assert_eq!(digits.replaced("a 1-2 3-4", "$2/$1", true), "a 2/1 4/3");
        assert_eq!(digits.replaced("a 1-2", "$1", false), "a $1");
        assert_eq!(digits.extract("a 12-3"), Some("12"));
        assert_eq!(Pattern::new("\\d+", true).unwrap().extract("a 12-3"), Some("12"));
        assert_eq!(Pattern::literal("a.b", false).unwrap().replaced("A.B axb", "$0", false), "$0 axb");
        assert!(!Pattern::literal_whole("a.b", true).unwrap().is_match("a.b "));
        assert!(Pattern::literal_whole("", true).unwrap().is_match(""));
    }

    #[test]
    fn case_counts_only_when_asked() {
        assert!(Pattern::new("^é", false).unwrap().is_match("École".to_lowercase().as_str()));
        assert!(Pattern::new("ada", false).unwrap().is_match("ADA"));
        assert!(!Pattern::new("ada", true).unwrap().is_match("ADA"));
        assert!(Pattern::whole("a|ab", true).unwrap().is_match("ab"));
        assert!(!Pattern::whole("a+", true).unwrap().is_match("aab"));
    }
}

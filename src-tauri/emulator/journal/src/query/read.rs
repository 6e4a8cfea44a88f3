//! Reads matchers from JSON. Every error has its place, and an unknown key gets a suggestion.

use std::{cell::Cell, rc::Rc};

use serde_json::{Map, Value};

/// Why a matcher cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}{}{words}", if place.is_empty() { "" } else { ": " })]
pub struct MatcherError {
    pub place: String,
    pub words: String,
}

pub(super) type MatcherResult<T> = Result<T, MatcherError>;

/// The most memory for all compiled regular expressions of one query.
pub(super) const PATTERNS_MAX: usize = 4 << 20;

/// A JSON value with its place in the query.
#[derive(Clone)]
pub(super) struct JsonPlace<'v> {
    pub value: &'v Value,
    pub place: String,
    /// The memory of all regular expressions compiled so far in the whole query.
    patterns: Rc<Cell<usize>>,
}

impl<'v> JsonPlace<'v> {
    pub(super) fn new(value: &'v Value, place: impl Into<String>) -> Self {
        Self { value, place: place.into(), patterns: Rc::default() }
    }

    pub(super) fn error_here<T>(&self, words: impl Into<String>) -> MatcherResult<T> {
        Err(MatcherError { place: self.place.clone(), words: words.into() })
    }

    pub(super) fn child(&self, key: &str, value: &'v Value) -> Self {
        let place = if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) };
        Self { value, place, patterns: self.patterns.clone() }
    }

    /// Returns the same place with another value.
    pub(super) fn with_value<'w>(&self, value: &'w Value) -> JsonPlace<'w> {
        JsonPlace { value, place: self.place.clone(), patterns: self.patterns.clone() }
    }

    /// Counts the memory of a compiled regular expression.
    pub(super) fn count_pattern(&self, size: usize) -> MatcherResult<()> {
        self.patterns.set(self.patterns.get() + size);
        if self.patterns.get() > PATTERNS_MAX {
            return self
                .error_here("the regular expressions of a query may take 4 MiB together when compiled; use fewer");
        }
        Ok(())
    }

    /// Returns the memory of all regular expressions compiled so far.
    pub(super) fn pattern_bytes(&self) -> usize {
        self.patterns.get()
    }

    pub(super) fn as_object(&self) -> MatcherResult<&'v Map<String, Value>> {
        match self.value.as_object() {
            Some(object) => Ok(object),
            None => self.error_here("expected an object"),
        }
    }

    pub(super) fn as_items(&self) -> MatcherResult<Vec<Self>> {
        let Some(items) = self.value.as_array() else { return self.error_here("expected a list") };
        let item = |(n, value)| Self { value, place: format!("{}[{n}]", self.place), patterns: self.patterns.clone() };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub(super) fn as_text(&self) -> MatcherResult<&'v str> {
        match self.value.as_str() {
            Some(text) => Ok(text),
            None => self.error_here("expected a text"),
        }
    }

    pub(super) fn as_bool(&self) -> MatcherResult<bool> {
        match self.value.as_bool() {
            Some(flag) => Ok(flag),
            None => self.error_here("expected true or false"),
        }
    }

    /// Returns the error for an unknown key.
    pub(super) fn unknown_key_error<T>(&self, key: &str, known: &[&str]) -> MatcherResult<T> {
        self.unknown_name_error("key", key, known.iter().copied(), &known.join(", "))
    }

    /// Returns the error for an unknown value. Its message lists `listed` instead of every known value.
    pub(super) fn unknown_value_error<'n, T>(
        &self,
        value: &str,
        known: impl Iterator<Item = &'n str>,
        listed: &str,
    ) -> MatcherResult<T> {
        self.unknown_name_error("value", value, known, listed)
    }

    fn unknown_name_error<'n, T>(
        &self,
        kind: &str,
        key: &str,
        known: impl Iterator<Item = &'n str>,
        listed: &str,
    ) -> MatcherResult<T> {
        let key_low = key.to_lowercase();
        let likeness = |name: &str| strsim::jaro_winkler(&name.to_lowercase(), &key_low);
        let nearest = known.max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
        let words = match nearest.filter(|name| likeness(name) > 0.8) {
            Some(name) => format!("unknown {kind} '{key}'. Did you mean '{name}'?"),
            None => format!("unknown {kind} '{key}'. Expected one of: {listed}"),
        };
        self.error_here(words)
    }
}

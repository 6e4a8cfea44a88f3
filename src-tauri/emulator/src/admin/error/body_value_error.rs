//! What is wrong with a value of a body, and the sentence that says so.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use super::{AdminError, pointer};
use crate::settings::nearest_name;

/// Why the value of a body was refused.
#[derive(Debug)]
pub(in crate::admin) struct BodyValueError {
    problem: ValueProblem,
    /// Set once the place of the value is known.
    pointer: Option<String>,
}

#[derive(Debug)]
enum ValueProblem {
    MissingField(&'static str),
    DuplicateField(&'static str),
    UnknownName { kind: &'static str, name: String, known: &'static [&'static str] },
    WrongValue { given: String, expected: String },
    Described(String),
}

impl BodyValueError {
    /// Adds the place, unless a value within this one was refused.
    pub(in crate::admin) fn at(mut self, pointer: &str) -> Self {
        let within = match self.problem {
            ValueProblem::DuplicateField(name) => pointer::from_keys([name]),
            _ => String::new(),
        };
        self.pointer.get_or_insert_with(|| format!("{pointer}{within}"));
        self
    }

    /// Says what was expected in other words than the type that was read.
    pub(in crate::admin) fn expecting(mut self, words: &str) -> Self {
        if let (ValueProblem::WrongValue { expected, .. }, None) = (&mut self.problem, &self.pointer) {
            words.clone_into(expected);
        }
        self
    }
}

impl From<ValueProblem> for BodyValueError {
    fn from(problem: ValueProblem) -> Self {
        Self { problem, pointer: None }
    }
}

impl de::Error for BodyValueError {
    fn custom<M: fmt::Display>(message: M) -> Self {
        ValueProblem::Described(message.to_string()).into()
    }

    fn invalid_type(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        ValueProblem::WrongValue { given: describe_value(given), expected: expected.to_string() }.into()
    }

    fn invalid_value(given: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match given {
            // Only the types of positive integers refuse zero.
            Unexpected::Unsigned(0) => Self::custom("Expected a positive integer, got 0"),
            _ => Self::invalid_type(given, expected),
        }
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        ValueProblem::UnknownName { kind: "Value", name: name.to_owned(), known }.into()
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        ValueProblem::UnknownName { kind: "Field", name: name.to_owned(), known }.into()
    }

    fn missing_field(name: &'static str) -> Self {
        ValueProblem::MissingField(name).into()
    }

    fn duplicate_field(name: &'static str) -> Self {
        ValueProblem::DuplicateField(name).into()
    }
}

fn describe_value(given: Unexpected<'_>) -> String {
    match given {
        Unexpected::Bool(value) => value.to_string(),
        Unexpected::Unsigned(number) => number.to_string(),
        Unexpected::Signed(number) => number.to_string(),
        Unexpected::Float(number) => format!("{number:?}"),
        Unexpected::Str(text) => format!("{text:?}"),
        Unexpected::Unit => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        Unexpected::UnitVariant => "only its name".to_owned(),
        other => other.to_string(),
    }
}

impl std::error::Error for BodyValueError {}

impl fmt::Display for BodyValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            ValueProblem::MissingField(name) => write!(f, "Missing field '{name}'"),
            ValueProblem::DuplicateField(name) => write!(f, "Duplicate field '{name}'"),
            ValueProblem::UnknownName { name, known: [], .. } => {
                write!(f, "Unknown field '{name}'. No fields are expected.")
            }
            ValueProblem::UnknownName { kind, name, known } => {
                write!(f, "Unknown {} '{name}'.", kind.to_lowercase())?;
                if let Some(nearest) = nearest_name(name, known.iter().copied()) {
                    write!(f, " Did you mean '{nearest}'?")?;
                }
                write!(f, " {kind}s: {}.", known.join(", "))
            }
            ValueProblem::WrongValue { given, expected } => write!(f, "Expected {expected}, got {given}"),
            ValueProblem::Described(message) => f.write_str(message),
        }
    }
}

impl From<BodyValueError> for AdminError {
    fn from(why: BodyValueError) -> Self {
        let message = why.to_string();
        // A type that reads its whole value itself names the place within it.
        let named = pointer::leading_path(&message).map(pointer::from_path);
        Self::bad_body(message).at_value(named.or(why.pointer).unwrap_or_default())
    }
}

//! Queries on the journal: matching lines, and the lines that nearly match.

mod body;
mod facts;
mod filter;
mod line;
mod matcher;
mod nearest;
mod operations;
mod read;
mod status;
mod text;
pub(crate) mod verify;

#[cfg(test)]
pub(crate) use self::operations::operator_names;
pub(crate) use self::{
    facts::path_in_world,
    matcher::{NeverMatches, json_text_weight},
    nearest::{NearLine, find_nearest},
};
pub use self::{
    facts::{FieldValue, MatchField, MatchSource},
    matcher::{FieldMismatch, MatchResult, Matcher},
    read::MatcherError,
};

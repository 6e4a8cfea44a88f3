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
pub mod verify;

pub use self::{
    facts::{FieldValue, MatchField, MatchSource, path_in_world},
    matcher::{FieldMismatch, MatchResult, Matcher, NeverMatches, json_text_weight},
    nearest::{NearLine, find_nearest},
    operations::operator_names,
    read::MatcherError,
};

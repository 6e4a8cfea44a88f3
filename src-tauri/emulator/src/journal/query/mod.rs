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
    facts::{Fact, Facts, Field, in_world},
    matcher::{Matcher, Miss, Verdict, weight_of_text},
    nearest::{Near, nearest},
    read::Unreadable,
};

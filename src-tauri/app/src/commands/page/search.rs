//! The command that searches the whole account.

use roost_ops::{
    Actor,
    search::{self as act, SearchQuery, SearchResults},
};
use serde::Deserialize;

use crate::{accounts::App, error::CommandError, reading::check_range};

/// The maximum number of hits in one response.
const LIMIT_MAX: u32 = 100;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct SearchEverything {
    /// A number in any spelling, part of a name, a title or any text, or a whole UID.
    pub text: String,
    /// Null searches all kinds of records.
    pub noun: Option<SearchNoun>,
    /// The `next` of the last response. Null starts from the beginning.
    pub after: Option<String>,
    pub limit: u32,
}

/// The kinds of records that can be searched.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SearchNoun {
    List,
    Contact,
    CustomField,
    OptOut,
    ShortLink,
    Sender,
    Asset,
}

impl From<SearchNoun> for roost_ops::Noun {
    fn from(noun: SearchNoun) -> Self {
        match noun {
            SearchNoun::List => Self::List,
            SearchNoun::Contact => Self::Contact,
            SearchNoun::CustomField => Self::CustomField,
            SearchNoun::OptOut => Self::OptOut,
            SearchNoun::ShortLink => Self::ShortLink,
            SearchNoun::Sender => Self::Sender,
            SearchNoun::Asset => Self::Asset,
        }
    }
}

pub(crate) fn everything(app: &App, _: &Actor, request: SearchEverything) -> Result<SearchResults, CommandError> {
    check_range("limit", request.limit, LIMIT_MAX)?;
    let query = SearchQuery {
        text: request.text,
        noun: request.noun.map(roost_ops::Noun::from),
        after: request.after,
        limit: request.limit as usize,
    };
    Ok(act::search_everything(&app.core()?, &query)?)
}

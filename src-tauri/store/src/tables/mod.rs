//! Has one file per table, with its statements and its rows. The rules of the account are elsewhere.

pub mod assets;
pub mod clicks;
pub mod contacts;
pub mod counts;
pub mod custom_fields;
pub mod imports;
pub mod jobs;
pub mod lists;
pub mod opt_outs;
pub mod senders;
pub mod settings;
pub mod short_links;
pub mod steps;
pub mod sync;

pub use contacts::batch;
pub use jobs::callbacks;
use roost_model::id::MalformedId;

/// Returns the parsed value, or SQLite's own error if a stored text did not parse.
pub(crate) fn parse_stored<T>(column: usize, parsed: Option<T>, text: &str) -> rusqlite::Result<T> {
    parsed.ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            format!("unexpected text {text:?}").into(),
        )
    })
}

pub(crate) fn parse_stored_id<T>(column: usize, parsed: Result<T, MalformedId>) -> rusqlite::Result<T> {
    parsed.map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}

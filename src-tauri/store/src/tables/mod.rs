//! One file a table: its statements, its rows, nothing of the rules.

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

/// Turns a stored text that should have parsed into SQLite's own error.
pub(crate) fn stored<T>(column: usize, parsed: Option<T>, text: &str) -> rusqlite::Result<T> {
    parsed.ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            format!("unexpected text {text:?}").into(),
        )
    })
}

pub(crate) fn stored_id<T>(column: usize, parsed: Result<T, MalformedId>) -> rusqlite::Result<T> {
    parsed.map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}

//! One file a table: its statements, its rows, nothing of the rules.

pub mod assets;
pub mod batch;
pub mod callbacks;
pub mod clicks;
pub mod contacts;
pub mod counts;
pub mod custom_fields;
pub mod jobs;
pub mod lists;
pub mod opt_outs;
pub mod senders;
pub mod short_links;

use roost_model::id::MalformedId;

/// Turns a stored text that should have parsed into SQLite's own error.
fn stored<T>(column: usize, parsed: Option<T>, text: &str) -> rusqlite::Result<T> {
    parsed.ok_or_else(|| {
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            format!("unexpected text {text:?}").into(),
        )
    })
}

fn stored_id<T>(column: usize, parsed: Result<T, MalformedId>) -> rusqlite::Result<T> {
    parsed.map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(error))
    })
}

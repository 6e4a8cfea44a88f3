//! The only crate with SQL: it opens account files, owns transactions and tables, and keeps the change log and the undo
//! memory.

pub mod change_log;
pub mod db;
pub mod error;
pub mod files;
mod migrations;
mod open;
mod page_cache;
pub mod row_changes;
mod row_recorder;
mod schema;
pub mod tables;
mod text_functions;
pub mod tx;
pub mod watch;

pub use open::{image, upkeep};

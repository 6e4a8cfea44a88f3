//! The only room with SQL: opening an account file, transactions, tables, the change log, the memory of changed rows.

pub mod change_log;
pub mod db;
pub mod error;
pub mod files;
mod make;
mod migrate;
mod open;
mod retention;
pub mod row_changes;
mod schema;
pub mod tables;
mod text;
pub mod tx;
pub mod watch;

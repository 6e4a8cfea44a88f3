//! The only room with SQL: opening an account file, transactions, tables, the change log.

pub mod change_log;
pub mod db;
pub mod error;
mod lock;
mod migrate;
mod open;
mod schema;
pub mod tables;
pub mod tx;

//! Imports files and exports to files.

pub mod export;
pub mod import;
mod named;

pub use self::named::list_named;

//! Imports files and exports to files.

pub mod export;
pub mod import;
mod list_lookup;

pub use self::list_lookup::find_list;

//! Commands on contact files.

pub mod export;
pub mod import;

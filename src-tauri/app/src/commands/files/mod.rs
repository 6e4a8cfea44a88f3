//! Commands on contact files.

pub(super) mod export;
pub(super) mod import;

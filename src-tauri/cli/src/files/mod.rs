//! The verbs that turn an account into files and files into an account, and that move an account file.

mod export;
mod import;
mod import_mapping;
mod import_report;
mod set_aside;

use std::{fs, path::Path};

pub use self::{export::Export, import::Import, set_aside::SetAside};
use crate::failure::Failure;

/// Refuses what cannot be an account that exists: for verbs that make none.
pub fn check_existing(db: &Path) -> Result<(), Failure> {
    if fs::metadata(db).is_ok_and(|about| about.is_file() && about.len() > 0) {
        return Ok(());
    }
    Err(Failure::new(format!("{} is no account file; name one with --db", db.display())))
}

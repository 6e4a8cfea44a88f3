//! The commands that export and import an account, count who can be messaged, and move an account file.

mod country;
mod export;
mod import;
mod import_mapping;
mod import_report;
mod readiness;
mod set_aside;

use std::{fs, io, path::Path};

pub(crate) use self::{
    country::CountryCommand, export::ExportCommand, import::ImportCommand, readiness::ReadinessCommand,
    set_aside::SetAsideCommand,
};
use crate::failure::CliFailure;

/// Refuses a path that cannot be an account, for commands that create none. An empty file is not an account yet:
/// `roost account new`, `roost serve` and `roost connect` create one in it, as they do where there is no file.
pub(crate) fn check_existing(db: &Path) -> Result<(), CliFailure> {
    let file = db.display();
    Err(CliFailure::new(match fs::metadata(db) {
        Ok(about) if about.is_file() && about.len() > 0 => return Ok(()),
        Ok(about) if about.is_file() => {
            format!("{file} is empty and not an account yet. Create an account in it with roost account new {file}.")
        }
        Ok(_) => format!("{file} is not a file. Name an account file with --db."),
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            format!("There is no file {file}. Create an account with roost account new {file}, or correct --db.")
        }
        Err(why) => format!("{file} cannot be read: {why}. Name an account file with --db."),
    }))
}

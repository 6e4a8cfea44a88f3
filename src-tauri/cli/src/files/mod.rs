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
use roost_emulator::Settings;
use roost_model::{
    error::{ErrorCode, shell::quote_path},
    phone::Region,
};
use roost_ops::account::{self, backup};

use crate::failure::CliFailure;

/// Refuses a path that cannot be an account, for commands that create none. An empty file is not an account yet:
/// `roost account new`, `roost serve` and `roost connect` create one in it, as they do where there is no file.
pub(crate) fn check_existing(db: &Path) -> Result<(), CliFailure> {
    let (file, argument) = (db.display(), quote_path(db));
    // A new account in the place of one that was lost would hide its copies, and the opt-outs in them.
    let advise = |or_else: String| match (backup::find_sound_copy(db), backup::list_set_aside(db).first()) {
        (Some(copy), _) => format!(
            "The newest sound copy of it is {}. To go back to it, run `roost account restore --db {argument} {}`.",
            copy.display(),
            quote_path(&copy)
        ),
        (None, Some(aside)) => format!(
            "It was set aside as {}. Put a backup in its place with roost account restore --db {argument} BACKUP, which \
             keeps the opt-outs of that file. Without a backup, restore that file itself.",
            aside.display()
        ),
        (None, None) => or_else,
    };
    let found = fs::metadata(db);
    let line = match &found {
        Ok(about) if about.is_file() && about.len() > 0 => return Ok(()),
        Ok(about) if about.is_file() => {
            let create = format!("Create an account in it with roost account new {argument}.");
            format!("{file} is empty and not an account yet. {}", advise(create))
        }
        Ok(_) => format!("{file} is not a file. Name an account file with --db."),
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            let create = format!("Create an account with roost account new {argument}, or correct --db.");
            format!("There is no file {file}. {}", advise(create))
        }
        Err(why) => format!("{file} cannot be read: {why}. Name an account file with --db."),
    };
    let failure = CliFailure::new(line);
    Err(match &found {
        Ok(_) => failure.with_code(ErrorCode::Invalid),
        Err(why) => failure.with_io_code(why),
    })
}

/// The base of short URLs that a server has on its usual port.
pub(crate) const SHORT_LINK_BASE: &str = "http://127.0.0.1:4010/s";

/// Reads the base of short URLs, by the rule of the server's setting. An empty text is the usual base.
pub(crate) fn parse_short_link_base(text: &str) -> Result<String, String> {
    let mut settings = Settings::default();
    settings.set("short_link_base", text).map_err(|why| why.to_string())?;
    Ok(settings.short_link_base.unwrap_or_else(|| SHORT_LINK_BASE.to_owned()))
}

/// Reads the code of a country, such as GB.
pub(crate) fn parse_country(code: &str) -> Result<Region, CliFailure> {
    account::parse_country(code).map_err(|fault| CliFailure::new(roost_ops::Error::from(fault)))
}

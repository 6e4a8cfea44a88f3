//! `roost set-aside`: renames a damaged account file and its write-ahead log, so that a copy or a new account can take
//! its place.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_model::error::ErrorCode;
use roost_ops::account::{self, backup};
use serde::Serialize;

use crate::{
    failure::CliFailure,
    terminal::{path_argument, print_json, print_text},
};

#[derive(Args)]
pub(crate) struct SetAsideCommand {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Rename the file although roost account check finds no damage in it.
    #[arg(long, env = "ROOST_SET_ASIDE_FORCE", value_parser = BoolishValueParser::new())]
    force: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// The file before and after it was renamed.
#[derive(Serialize)]
struct SetAsideFile {
    file: String,
    set_aside: String,
    /// The newest sound copy beside the account.
    sound_copy: Option<String>,
}

impl SetAsideCommand {
    pub(crate) fn run(self) -> Result<(), CliFailure> {
        super::check_existing(&self.db)?;
        if !self.force && backup::check_file(&self.db).is_ok_and(|found| found.faults.is_empty()) {
            let line = format!(
                "{} is sound: roost account check finds no damage in it. Nothing was renamed. To go back to a copy, use \
                 roost account restore. To rename the file all the same, add --force.",
                self.db.display()
            );
            return Err(CliFailure::new(line).with_code(ErrorCode::Conflict));
        }
        let aside = account::set_aside(&self.db).map_err(CliFailure::new)?;
        let sound_copy = backup::find_sound_copy(&self.db);
        let renamed = SetAsideFile {
            file: self.db.to_string_lossy().into_owned(),
            set_aside: aside.to_string_lossy().into_owned(),
            sound_copy: sound_copy.as_ref().map(|copy| copy.to_string_lossy().into_owned()),
        };
        if self.json {
            return print_json(&renamed);
        }
        let SetAsideFile { file, set_aside, .. } = renamed;
        let mut text = format!("{file} was renamed to {set_aside}. Nothing was deleted.\n");
        let db = path_argument(&self.db);
        let _ = match &sound_copy {
            Some(copy) => writeln!(
                text,
                "To go back to the newest sound copy:\n  roost account restore --db {db} {}",
                path_argument(copy)
            ),
            None => writeln!(
                text,
                "No sound copy is beside it. If you have a backup elsewhere:\n  roost account restore --db {db} BACKUP"
            ),
        };
        print_text(&text)
    }
}

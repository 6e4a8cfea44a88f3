//! `roost set-aside`: renames a damaged account file and its write-ahead log, so that a copy or a new account can take
//! its place.

use std::path::PathBuf;

use clap::{Args, builder::BoolishValueParser};
use roost_ops::account;
use serde::Serialize;

use crate::{
    failure::CliFailure,
    terminal::{print_json, print_text},
};

#[derive(Args)]
pub(crate) struct SetAsideCommand {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// The file before and after it was renamed.
#[derive(Serialize)]
struct SetAsideFile {
    file: String,
    set_aside: String,
}

impl SetAsideCommand {
    pub(crate) fn run(self) -> Result<(), CliFailure> {
        super::check_existing(&self.db)?;
        let aside = account::set_aside(&self.db).map_err(CliFailure::new)?;
        let renamed = SetAsideFile {
            file: self.db.to_string_lossy().into_owned(),
            set_aside: aside.to_string_lossy().into_owned(),
        };
        if self.json {
            return print_json(&renamed);
        }
        let SetAsideFile { file, set_aside } = renamed;
        print_text(&format!("{file} was renamed to {set_aside}. Nothing was deleted.\n"))
    }
}

//! `roost set-aside`: renames a damaged account file and its write-ahead log, so that a copy or a new account can take
//! its place.

use std::path::PathBuf;

use clap::Args;
use roost_ops::account;

use crate::{failure::CliFailure, terminal::print_text};

#[derive(Args)]
pub(crate) struct SetAsideCommand {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
}

impl SetAsideCommand {
    pub(crate) fn run(self) -> Result<(), CliFailure> {
        super::check_existing(&self.db)?;
        let aside = account::set_aside(&self.db).map_err(CliFailure::new)?;
        print_text(&format!("{} was renamed to {}. Nothing was deleted.\n", self.db.display(), aside.display()))
    }
}

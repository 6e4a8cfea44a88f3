//! `roost set-aside`: renames a damaged account file, so that a copy or a new account can take its place.

use std::path::PathBuf;

use clap::Args;
use roost_ops::account;

use crate::{failure::Failure, said::say};

#[derive(Args)]
pub struct SetAside {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
}

impl SetAside {
    pub fn run(self) -> Result<(), Failure> {
        super::check_existing(&self.db)?;
        let aside = account::set_aside(&self.db).map_err(Failure::new)?;
        say(&format!("{} was renamed to {}. Nothing was deleted.\n", self.db.display(), aside.display()))
    }
}

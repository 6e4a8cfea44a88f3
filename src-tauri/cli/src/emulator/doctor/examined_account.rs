//! The account that the doctor examines. A variable with an account, which a server uses too, does not take precedence
//! over a server that is named.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};

/// The arguments that name a server.
const SERVER_ARGUMENTS: [&str; 3] = ["url", "ready_file", "port"];

#[derive(Args)]
struct AccountOption {
    /// Examine this account instead of a server: its file, damage, schema, copies, connection, and what waits in it. It
    /// may be open in another program.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: Option<PathBuf>,
}

pub(super) struct ExaminedAccount(Option<PathBuf>);

impl ExaminedAccount {
    pub(super) fn path(&self) -> Option<&Path> {
        self.0.as_deref()
    }

    pub(super) fn into_path(self) -> Option<PathBuf> {
        self.0
    }
}

impl FromArgMatches for ExaminedAccount {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let AccountOption { db } = AccountOption::from_arg_matches(matches)?;
        let is_on_the_line = matches.value_source("db") == Some(ValueSource::CommandLine);
        let names_server = SERVER_ARGUMENTS
            .iter()
            .any(|name| matches.value_source(name).is_some_and(|source| source != ValueSource::DefaultValue));
        Ok(Self(db.filter(|_| is_on_the_line || !names_server)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ExaminedAccount {
    fn augment_args(command: Command) -> Command {
        AccountOption::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        AccountOption::augment_args_for_update(command)
    }
}

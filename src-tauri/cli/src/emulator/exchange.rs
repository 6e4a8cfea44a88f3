//! `roost export --server` and `roost import --server`: what a running server holds, out and in.

use std::{
    io,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_emulator::client::with_query;
use serde_json::Value;

use super::{
    state::{counted, ended},
    target::{Target, ask, read},
};
use crate::{
    failure::Failure,
    outputs::{OutputPath, WriteError, write_file_or_stdout},
    said::{say, say_json},
};

/// A running server in the place of an account file.
#[derive(Args)]
pub struct Exchange {
    /// Of a running server, and not of an account file: the one that --url or --ready-file names.
    #[arg(long, env = "ROOST_SERVER", value_parser = BoolishValueParser::new())]
    server: bool,
    #[command(flatten)]
    target: Target,
}

/// What becomes of what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// It goes, and what is under way ends without an answer.
    Replace,
    /// Records that are there are changed, others are added.
    Merge,
}

impl Exchange {
    /// Whether a server is meant. A file and a server at once are nobody's wish, and neither is a server without the
    /// word.
    pub fn is_meant(&self, db: Option<&Path>) -> Result<bool, Failure> {
        let by_variable = std::env::var_os("ROOST_DB");
        // A variable may be there for other commands; a flag is meant.
        let db_flag = db.filter(|db| by_variable.as_deref() != Some(db.as_os_str()));
        match (self.server, db_flag) {
            (true, Some(_)) => Err(Failure::new("--db names an account file and --server a running server; use one")),
            (false, None) if db.is_none() => {
                Err(Failure::new("name an account file with --db, or say --server for a running server"))
            }
            (is_meant, _) => Ok(is_meant),
        }
    }

    /// Writes what the server holds into a file, or to standard output.
    pub fn export(&self, format: &str, out: Option<&OutputPath>, force: bool) -> Result<(), Failure> {
        let path = with_query("/export", &[("format", format)]);
        write_file_or_stdout(out, force, |out| -> Result<(), Broken> {
            let passed = ask(async {
                let admin = self.target.admin()?;
                admin.pass_on(&path, |piece| out.write_all(piece)).await.map_err(Failure::new)
            });
            Ok(passed.map_err(Broken::Server)??)
        })
    }

    pub fn import(&self, files: &[PathBuf], mode: Option<Mode>, as_json: bool) -> Result<u8, Failure> {
        let [file] = files else { return Err(Failure::new("a server takes one seed, or one account file, at a time")) };
        let mode = match mode {
            Some(Mode::Replace) => "replace",
            Some(Mode::Merge) => "merge",
            None => {
                return Err(Failure::new("say what becomes of what the server holds: --mode replace or --mode merge"));
            }
        };
        let text = read(file).map_err(|why| Failure::new(format!("{} cannot be read: {why}", file.display())))?;
        let path = with_query("/import", &[("mode", mode)]);
        let told: Value =
            ask(async { self.target.admin()?.send_text("POST", &path, text).await.map_err(Failure::new) })?;
        if as_json {
            return say_json(&told).map(|()| 0);
        }
        let held = counted(&told["imported"]);
        let ended = if told["reset"].is_null() { String::new() } else { ended(&told["reset"]) };
        let held = if held.is_empty() { "an account" } else { &held };
        say(&format!("Imported: {held}.\n{ended}")).map(|()| 0)
    }
}

/// Why an export ended early.
enum Broken {
    Server(Failure),
    File(io::Error),
}

impl From<io::Error> for Broken {
    fn from(why: io::Error) -> Self {
        Self::File(why)
    }
}

impl WriteError for Broken {
    fn into_io(self) -> Result<io::Error, Failure> {
        match self {
            Self::Server(failure) => Err(failure),
            Self::File(why) => Ok(why),
        }
    }
}

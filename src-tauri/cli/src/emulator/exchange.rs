//! `roost export --server` and `roost import --server`: exports and imports the account of a running server.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_emulator::client::with_query;
use roost_ops::account::{check_closed, copy_file, could_be_account};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::{
    state::{counted, described_copy, ended},
    target::{Target, ask, read_filled},
};
use crate::{
    failure::Failure,
    outputs::{OutputPath, WriteError, write_file_or_stdout},
    said::{plain_text, say, say_json},
};

/// Extensions of files that hold contacts, not an account.
const CONTACTS: [&str; 8] = ["csv", "tsv", "txt", "xlsx", "ods", "vcf", "xls", "jsonl"];

/// A running server in the place of an account file.
#[derive(Args)]
pub struct Exchange {
    /// Use the running server that --url or --ready-file names, instead of an account file.
    #[arg(long, env = "ROOST_SERVER", value_parser = BoolishValueParser::new())]
    server: bool,
    #[command(flatten)]
    target: Target,
}

/// What happens to the server's current records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mode {
    /// They are removed. Requests in progress end without a response.
    Replace,
    /// Existing records are changed, new ones are added.
    Merge,
}

impl Exchange {
    /// Whether the command is for a server. Refuses a file and a server at once, and a command that names neither.
    pub fn is_meant(&self, db: Option<&Path>) -> Result<bool, Failure> {
        let by_variable = std::env::var_os("ROOST_DB");
        // A variable may be set for other commands; a flag is always meant.
        let db_flag = db.filter(|db| by_variable.as_deref() != Some(db.as_os_str()));
        match (self.server, db_flag) {
            (true, Some(_)) => Err(Failure::new(
                "--db names an account file and --server a running server. Use one of \
             them.",
            )),
            (false, None) if db.is_none() => {
                Err(Failure::new("Name an account file with --db, or add --server for a running server."))
            }
            (is_meant, _) => Ok(is_meant),
        }
    }

    /// Writes the server's account to a file, or to standard output.
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

    /// Sends a file to the server, which replaces its account or merges the file into it.
    pub fn import(&self, wanted: &ServerImport) -> Result<u8, Failure> {
        let [file] = wanted.files else {
            return Err(Failure::new("--server takes one file at a time: a seed or an account file."));
        };
        let kind = file.extension().and_then(|kind| kind.to_str()).unwrap_or_default().to_ascii_lowercase();
        if CONTACTS.contains(&kind.as_str()) {
            let file = file.display();
            return Err(Failure::new(format!(
                "{file} is a file of contacts, but --server takes a seed (JSON, YAML) or an account file. Import it \
                 into an account file with --db FILE and --list NAME."
            )));
        }
        let text = read_import(file)?;
        let told = match wanted.mode {
            Some(Mode::Replace) => self.replace(&text, wanted)?,
            Some(Mode::Merge) if wanted.replace_opt_outs.is_some() => {
                return Err(Failure::new(
                    "--replace-opt-outs only works with --mode replace. A merge removes no \
                 opt-outs.",
                ));
            }
            Some(Mode::Merge) => self.send(&[("mode", "merge")], &text)?,
            None => return Err(Failure::new("Add --mode replace or --mode merge.")),
        };
        if wanted.as_json {
            return say_json(&told).map(|()| 0);
        }
        let (held, before) = (counted_or_nothing(&told["imported"]), counted_or_nothing(&told["replaced"]));
        let mut out = format!("Imported: {held}.\n");
        if !told["replaced"].is_null() {
            out += &format!("Replaced: {before}.\n");
        }
        out += &described_copy(&told["copy"]);
        if !told["reset"].is_null() {
            out += &ended(&told["reset"]);
        }
        say(&out).map(|()| 0)
    }

    fn send(&self, query: &[(&str, &str)], text: &[u8]) -> Result<Value, Failure> {
        let path = with_query("/import", query);
        ask(async { self.target.admin()?.send_text("POST", &path, text.to_vec()).await.map_err(Failure::new) })
    }

    /// Finds out what would be removed, asks about opt-outs, and replaces. The server keeps a copy.
    fn replace(&self, text: &[u8], wanted: &ServerImport) -> Result<Value, Failure> {
        let told = self.send(&[("mode", "replace"), ("dry_run", "true")], text)?;
        let removed = told["opt_outs_removed"].as_u64().unwrap_or_default();
        if removed > 0 && wanted.replace_opt_outs != Some(removed) {
            let (held, before) = (counted_or_nothing(&told["imported"]), counted_or_nothing(&told["replaced"]));
            let what = if removed == 1 { "1 opt-out".to_owned() } else { format!("{removed} opt-outs") };
            let question = format!("This replaces {before} with {held}, and removes {what}.");
            let is_confirmed = wanted.replace_opt_outs.is_none() && !wanted.as_json && confirm(&question, removed);
            if !is_confirmed {
                return Err(Failure::new(format!(
                    "{question} Repeat with --replace-opt-outs {removed}. Nothing was changed."
                )));
            }
        }
        let removed = removed.to_string();
        self.send(&[("mode", "replace"), ("opt_outs", &removed), ("keep_copy", "true")], text)
    }
}

/// An import into a server, as the command line describes it.
pub struct ServerImport<'a> {
    pub files: &'a [PathBuf],
    pub mode: Option<Mode>,
    /// How many opt-outs a replacement may remove.
    pub replace_opt_outs: Option<u64>,
    pub as_json: bool,
}

/// Reads a seed unchanged, and an account file including the changes in its log.
fn read_import(file: &Path) -> Result<Vec<u8>, Failure> {
    let told = |why: &dyn std::fmt::Display| Failure::new(format!("{} cannot be read: {why}", file.display()));
    let is_filled = fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() > 0);
    if file == Path::new("-") || !is_filled || !could_be_account(file).map_err(|why| told(&why))? {
        return read_filled(file);
    }
    check_closed(file).map_err(|why| told(&why))?;
    let copy = NamedTempFile::new().map_err(|why| told(&why))?;
    copy_file(file, copy.path()).map_err(|why| told(&why))?;
    fs::read(copy.path()).map_err(|why| told(&why))
}

fn counted_or_nothing(counts: &Value) -> String {
    let counted = counted(counts);
    if counted.is_empty() { "nothing".to_owned() } else { counted }
}

/// Asks the person at a terminal to type the count. Without a terminal the answer is no.
fn confirm(question: &str, count: u64) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    let _ = write!(io::stderr(), "{} Type {count} to continue: ", plain_text(question));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && answer.trim() == count.to_string()
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

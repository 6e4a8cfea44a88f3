//! `roost export --server` and `roost import --server`: exports and imports the account of a running server.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_emulator::{WORLD_MAGIC, client::with_query};
use roost_ops::account::{check_closed, copy_file, could_be_account};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::{
    state::{describe_copy, describe_counts, describe_reset},
    target::{ServerTarget, read_nonempty_input, run_async},
};
use crate::{
    failure::CliFailure,
    outputs::{OutputPath, WriteError, write_file_or_stdout},
    terminal::{count_with_noun, plain_text, print_json, print_text},
};

/// Extensions of files that hold contacts, not an account.
const CONTACT_EXTENSIONS: [&str; 8] = ["csv", "tsv", "txt", "xlsx", "ods", "vcf", "xls", "jsonl"];

/// A running server in the place of an account file.
#[derive(Args)]
pub(crate) struct ServerOption {
    /// Use the running server that --url or --ready-file names, instead of an account file.
    #[arg(long, env = "ROOST_SERVER", value_parser = BoolishValueParser::new())]
    server: bool,
    #[command(flatten)]
    target: ServerTarget,
}

/// What happens to the server's current records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportMode {
    /// They are removed. Requests in progress end without a response.
    Replace,
    /// Existing records are changed, new ones are added.
    Merge,
}

impl ServerOption {
    /// Whether the command is for a server. Refuses a file and a server at once, and a command that names neither.
    pub(crate) fn is_selected(&self, db: Option<&Path>) -> Result<bool, CliFailure> {
        let by_variable = std::env::var_os("ROOST_DB");
        // A variable may be set for other commands; a flag is always meant.
        let db_flag = db.filter(|db| by_variable.as_deref() != Some(db.as_os_str()));
        match (self.server, db_flag) {
            (true, Some(_)) => Err(CliFailure::new(
                "--db names an account file and --server a running server. Use one of \
             them.",
            )),
            (false, None) if db.is_none() => {
                Err(CliFailure::new("Name an account file with --db, or add --server for a running server."))
            }
            (is_meant, _) => Ok(is_meant),
        }
    }

    /// Writes the server's account to a file, or to standard output.
    pub(crate) fn export(&self, format: &str, out: Option<&OutputPath>, force: bool) -> Result<(), CliFailure> {
        let path = with_query("/export", &[("format", format)]);
        write_file_or_stdout(out, force, |out| -> Result<(), ServerExportError> {
            let passed = run_async(async {
                let admin = self.target.admin_client()?;
                admin.copy_response(&path, |piece| out.write_all(piece)).await.map_err(CliFailure::new)
            });
            Ok(passed.map_err(ServerExportError::Server)??)
        })
    }

    /// Sends a file to the server, which replaces its account or merges the file into it.
    pub(crate) fn import(&self, wanted: &ServerImport) -> Result<u8, CliFailure> {
        let [file] = wanted.files else {
            return Err(CliFailure::new("--server takes one file at a time: a seed, an account file or a world file."));
        };
        let kind = file.extension().and_then(|kind| kind.to_str()).unwrap_or_default().to_ascii_lowercase();
        if CONTACT_EXTENSIONS.contains(&kind.as_str()) {
            let file = file.display();
            return Err(CliFailure::new(format!(
                "{file} is a file of contacts, but --server takes a seed (JSON, YAML), an account file or a world \
                 file. Import it into an account file with --db FILE and --list NAME."
            )));
        }
        let text = read_import(file)?;
        if text.starts_with(WORLD_MAGIC) && wanted.mode == Some(ImportMode::Merge) {
            return Err(CliFailure::new(format!(
                "{} is a world file, which replaces everything. Use --mode replace.",
                file.display()
            )));
        }
        let result = match wanted.mode {
            Some(ImportMode::Replace) => self.replace_contents(&text, wanted)?,
            Some(ImportMode::Merge) if wanted.replace_opt_outs.is_some() => {
                return Err(CliFailure::new(
                    "--replace-opt-outs only works with --mode replace. A merge removes no \
                 opt-outs.",
                ));
            }
            Some(ImportMode::Merge) => self.send_import(&[("mode", "merge")], &text)?,
            None => return Err(CliFailure::new("Add --mode replace or --mode merge.")),
        };
        if wanted.as_json {
            return print_json(&result).map(|()| 0);
        }
        let (imported, replaced) =
            (describe_counts_or_nothing(&result["imported"]), describe_counts_or_nothing(&result["replaced"]));
        let mut out = format!("Imported: {imported}.\n");
        if !result["replaced"].is_null() {
            out += &format!("Replaced: {replaced}.\n");
        }
        out += &describe_copy(&result["copy"]);
        if !result["reset"].is_null() {
            out += &describe_reset(&result["reset"]);
        }
        print_text(&out).map(|()| 0)
    }

    fn send_import(&self, query: &[(&str, &str)], text: &[u8]) -> Result<Value, CliFailure> {
        let format = if text.starts_with(WORLD_MAGIC) { "world" } else { "" };
        let path = with_query("/import", &[query, &[("format", format)]].concat());
        run_async(async {
            self.target.admin_client()?.call_with_text("POST", &path, text.to_vec()).await.map_err(CliFailure::new)
        })
    }

    /// Finds out what would be removed, asks about opt-outs, and replaces. The server keeps a copy.
    fn replace_contents(&self, text: &[u8], wanted: &ServerImport) -> Result<Value, CliFailure> {
        let preview = self.send_import(&[("mode", "replace"), ("dry_run", "true")], text)?;
        let removed = preview["opt_outs_removed"].as_u64().unwrap_or_default();
        if removed > 0 && wanted.replace_opt_outs != Some(removed) {
            let (imported, replaced) =
                (describe_counts_or_nothing(&preview["imported"]), describe_counts_or_nothing(&preview["replaced"]));
            let what = count_with_noun(removed, "opt-out");
            let question = format!("This replaces {replaced} with {imported}, and removes {what}.");
            let is_confirmed =
                wanted.replace_opt_outs.is_none() && !wanted.as_json && confirm_count(&question, removed);
            if !is_confirmed {
                return Err(CliFailure::unconfirmed(format!(
                    "{question} Repeat with --replace-opt-outs {removed}. Nothing was changed."
                )));
            }
        }
        let removed = removed.to_string();
        self.send_import(&[("mode", "replace"), ("opt_outs", &removed), ("keep_copy", "true")], text)
    }
}

/// An import into a server, as the command line describes it.
pub(crate) struct ServerImport<'a> {
    pub files: &'a [PathBuf],
    pub mode: Option<ImportMode>,
    /// How many opt-outs a replacement may remove.
    pub replace_opt_outs: Option<u64>,
    pub as_json: bool,
}

/// Reads a seed unchanged, and an account file including the changes in its log.
fn read_import(file: &Path) -> Result<Vec<u8>, CliFailure> {
    let unreadable = |why: &dyn std::fmt::Display| CliFailure::new(format!("{} cannot be read: {why}", file.display()));
    let is_filled = fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() > 0);
    if file == Path::new("-") || !is_filled || !could_be_account(file).map_err(|why| unreadable(&why))? {
        return read_nonempty_input(file);
    }
    check_closed(file).map_err(CliFailure::new)?;
    let copy = NamedTempFile::new().map_err(|why| unreadable(&why))?;
    copy_file(file, copy.path()).map_err(|why| unreadable(&why))?;
    fs::read(copy.path()).map_err(|why| unreadable(&why))
}

fn describe_counts_or_nothing(counts: &Value) -> String {
    let counted = describe_counts(counts);
    if counted.is_empty() { "nothing".to_owned() } else { counted }
}

/// Asks the person at a terminal to type the count. Without a terminal the answer is no.
fn confirm_count(question: &str, count: u64) -> bool {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    let _ = write!(io::stderr(), "{} Type {count} to continue: ", plain_text(question));
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).is_ok() && answer.trim() == count.to_string()
}

/// Why an export ended early.
enum ServerExportError {
    Server(CliFailure),
    File(io::Error),
}

impl From<io::Error> for ServerExportError {
    fn from(why: io::Error) -> Self {
        Self::File(why)
    }
}

impl WriteError for ServerExportError {
    fn into_io(self) -> Result<io::Error, CliFailure> {
        match self {
            Self::Server(failure) => Err(failure),
            Self::File(why) => Ok(why),
        }
    }
}

//! `roost account backup`: copies an account and checks the copy.

use std::path::PathBuf;

use clap::{Args, builder::BoolishValueParser};
use roost_ops::{
    account::{backup, health},
    output::Overwrite,
};
use serde_json::json;

use super::{counts_json, describe_counts};
use crate::{
    failure::CliFailure,
    files::check_existing,
    outputs::OutputPath,
    terminal::{plain_value, print_json, print_text},
};

#[derive(Args)]
#[command(
    after_help = "The backup is opened and checked before it gets its name. Without --out it lies beside the account, \
     and the newest five stay. roost account restore goes back to it. Keys are never in a backup."
)]
pub(super) struct BackupCommand {
    /// The account file. It may be open in another program.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// The file to write. Default: FILE.saved-DATE.backup beside the account.
    #[arg(long, env = "ROOST_BACKUP_OUT", value_name = "FILE")]
    out: Option<OutputPath>,
    /// Overwrite an existing file.
    #[arg(long, env = "ROOST_BACKUP_FORCE", value_parser = BoolishValueParser::new(), requires = "out")]
    force: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl BackupCommand {
    pub(super) fn run(self) -> Result<(), CliFailure> {
        check_existing(&self.db)?;
        let copy = match &self.out {
            None => backup::back_up(&self.db).map_err(|why| {
                let is_read_only = health::read_file_facts(&self.db).is_ok_and(|facts| !facts.can_write_folder);
                let hint = if is_read_only { " To write the backup into another folder, add --out FILE." } else { "" };
                CliFailure::new(why).append(hint)
            })?,
            Some(out) => {
                let overwrite = if self.force { Overwrite::Allowed } else { Overwrite::Never };
                backup::back_up_to(&self.db, out.path(), overwrite).map_err(CliFailure::new)?;
                out.path().to_owned()
            }
        };
        let summary = backup::summarize_file(&copy).map_err(CliFailure::new)?;
        if self.json {
            return print_json(&json!({
                "file": copy.to_string_lossy(),
                "bytes": summary.bytes,
                "schema": summary.schema,
                "counts": counts_json(&summary),
            }));
        }
        let file = plain_value(&copy.to_string_lossy());
        print_text(&format!("Backed up to {file}: {}.\n", describe_counts(&summary)))
    }
}

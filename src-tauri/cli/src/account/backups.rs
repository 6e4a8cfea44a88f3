//! `roost account backups`: lists the copies beside an account.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_ops::account::{
    self,
    backup::{self, AccountCopy, CopyReason},
};
use serde_json::{Value, json};

use super::{copy_time, counts_json, describe_bytes, describe_counts, reason_word};
use crate::{
    failure::CliFailure,
    files::check_existing,
    terminal::{path_argument, plain_value, print_json, print_text},
};

#[derive(Args)]
pub(super) struct BackupsCommand {
    /// The account file. It may be missing, damaged, or open in another program.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl BackupsCommand {
    pub(super) fn run(self) -> Result<(), CliFailure> {
        let copies = backup::list_copies(&self.db);
        if copies.is_empty() {
            // A misspelt name has no copies either.
            check_existing(&self.db)?;
            if !account::could_be_account(&self.db).map_err(CliFailure::new)? {
                let db = self.db.display();
                return Err(CliFailure::new(format!("{db} is not an account file of Roost. Choose another file.")));
            }
        }
        if self.json {
            return print_json(&copies.iter().map(to_json).collect::<Vec<_>>());
        }
        if copies.is_empty() {
            let db = plain_value(&self.db.to_string_lossy());
            let file = path_argument(&self.db);
            return print_text(&format!("{db} has no copies. Make one with roost account backup --db {file}.\n"));
        }
        let mut text = String::new();
        for copy in &copies {
            let holds = match &copy.summary {
                Some(summary) if copy.is_sound => match &summary.profile.name {
                    Some(name) => format!("{}, {}", plain_value(name), describe_counts(summary)),
                    None => describe_counts(summary),
                },
                _ => "damaged".to_owned(),
            };
            let (at, size) = (copy_time(&copy.date), describe_bytes(copy.bytes));
            let _ = writeln!(text, "{at}  {}: {holds}, {size}", describe_reason(copy.reason));
            let _ = writeln!(text, "  {}", plain_value(&copy.path.to_string_lossy()));
        }
        print_text(&text)
    }
}

fn describe_reason(reason: CopyReason) -> String {
    match reason {
        CopyReason::Backup => "backup".to_owned(),
        CopyReason::Upgrade(version) => format!("before an upgrade from schema {version}"),
        CopyReason::Replacement => "before a replacement".to_owned(),
        CopyReason::Daily => "daily".to_owned(),
        CopyReason::BulkAct => "before a large change".to_owned(),
        CopyReason::Pull => "before a pull that removed something".to_owned(),
    }
}

fn to_json(copy: &AccountCopy) -> Value {
    json!({
        "file": copy.path.to_string_lossy(),
        "at": copy_time(&copy.date),
        "reason": reason_word(copy.reason),
        "bytes": copy.bytes,
        "sound": copy.is_sound,
        "schema": copy.summary.as_ref().map(|summary| summary.schema),
        "name": copy.summary.as_ref().and_then(|summary| summary.profile.name.as_ref()),
        "counts": copy.summary.as_ref().map(counts_json),
    })
}

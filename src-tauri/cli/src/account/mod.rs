//! `roost account`: creates, lists, checks, backs up and restores account files, and reports and erases what they hold
//! about a number.

mod backup;
mod backups;
mod check;
pub(crate) mod doctor;
mod erase;
mod held;
mod info;
mod list;
mod new;
mod restore;

use std::path::Path;

use clap::{Args, Subcommand};
use roost_model::{error::ErrorCode, phone::Region};
use roost_ops::{
    account::{
        backup::{CopyReason, FileSummary, summarize_file},
        held::to_searched_number,
    },
    opt_out,
};
use serde_json::{Value, json};

use crate::{
    failure::CliFailure,
    files::parse_country,
    terminal::{count_with_noun, plain_value},
};

#[derive(Args)]
pub(crate) struct AccountCommand {
    #[command(subcommand)]
    act: AccountAction,
}

#[derive(Subcommand)]
enum AccountAction {
    /// Create an empty account.
    New(new::NewCommand),
    /// List the accounts that the window knows, damaged and missing ones as well.
    List(list::ListCommand),
    /// Show what an account holds, what it is connected to, and when it was last backed up.
    Info(info::InfoCommand),
    /// Check an account for damage, and say what to do.
    Check(check::CheckCommand),
    /// Back up an account, which may be open in another program.
    Backup(backup::BackupCommand),
    /// List the copies of an account.
    Backups(backups::BackupsCommand),
    /// Report everything that is held about a phone number, for a person who asks.
    Held(held::HeldCommand),
    /// Erase everything that is held about a phone number, in the account and its copies, but not the opt-out.
    Erase(erase::EraseCommand),
    /// Go back to a copy of an account. What was there is kept as another copy.
    Restore(restore::RestoreCommand),
}

impl AccountCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        match self.act {
            AccountAction::New(new) => new.run().map(|()| 0),
            AccountAction::List(list) => list.run().map(|()| 0),
            AccountAction::Info(info) => info.run().map(|()| 0),
            AccountAction::Check(check) => check.run(),
            AccountAction::Backup(backup) => backup.run().map(|()| 0),
            AccountAction::Backups(backups) => backups.run().map(|()| 0),
            AccountAction::Held(held) => held.run().map(|()| 0),
            AccountAction::Erase(erase) => erase.run(),
            AccountAction::Restore(restore) => restore.run(),
        }
    }
}

/// Reads a number in any spelling as one of this country, or else of the account's, and returns it in E.164 form.
fn read_number(number: &str, country: Option<&str>, db: &Path) -> Result<String, CliFailure> {
    let region = match country {
        Some(code) => Some(parse_country(code)?),
        None => {
            let summary = summarize_file(db).map_err(CliFailure::new)?;
            summary.country.as_deref().and_then(Region::parse)
        }
    };
    to_searched_number(opt_out::read_number(number, region), number, region).ok_or_else(|| {
        let given = plain_value(number);
        let line = format!("{given} is not a valid number. Write it with its country code, or add --country.");
        CliFailure::new(line).with_code(ErrorCode::Invalid)
    })
}

/// The counts of an account for programs.
fn counts_json(summary: &FileSummary) -> Value {
    let counts = &summary.counts;
    json!({
        "lists": counts.lists,
        "contacts": counts.contacts,
        "opt_outs": counts.opt_outs,
        "short_links": counts.short_links,
        "senders": counts.senders,
        "assets": counts.assets,
        "custom_fields": counts.custom_fields,
    })
}

/// The main counts of an account for people.
fn describe_counts(summary: &FileSummary) -> String {
    let counts = &summary.counts;
    format!(
        "{}, {}, {}",
        count_with_noun(counts.lists, "list"),
        count_with_noun(counts.contacts, "contact"),
        count_with_noun(counts.opt_outs, "opt-out")
    )
}

/// Writes the date in the name of a copy, such as `20260105-090000`, as 2026-01-05T09:00:00Z.
fn copy_time(date: &str) -> String {
    let part = |from: usize, to: usize| date.get(from..to).unwrap_or_default();
    let (year, month, day) = (part(0, 4), part(4, 6), part(6, 8));
    format!("{year}-{month}-{day}T{}:{}:{}Z", part(9, 11), part(11, 13), part(13, 15))
}

fn reason_word(reason: CopyReason) -> &'static str {
    match reason {
        CopyReason::Backup => "backup",
        CopyReason::Upgrade(_) => "upgrade",
        CopyReason::Replacement => "replacement",
        CopyReason::Daily => "daily",
        CopyReason::BulkAct => "bulk",
        CopyReason::Pull => "pull",
    }
}

/// Writes a number of bytes in the unit that fits.
fn describe_bytes(bytes: u64) -> String {
    match bytes {
        0..1024 => count_with_noun(bytes, "byte"),
        1024..1_048_576 => format!("{} KiB", bytes / 1024),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_sizes_are_written_for_people() {
        assert_eq!(copy_time("20260105-090507"), "2026-01-05T09:05:07Z");
        for (bytes, text) in
            [(1, "1 byte"), (1023, "1023 bytes"), (4096, "4 KiB"), (1_572_864, "1.5 MiB"), (31_888_000_000, "29.7 GiB")]
        {
            assert_eq!(describe_bytes(bytes), text);
        }
    }
}

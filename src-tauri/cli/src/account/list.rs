//! `roost account list`: lists the accounts of the data folder.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_app::{ListedAccount, find_data_folder, list_accounts};
use roost_ops::account::backup::{FileStatus, inspect_file};
use serde_json::{Value, json};

use super::{counts_json, describe_counts};
use crate::{
    failure::CliFailure,
    terminal::{plain_value, print_json, print_text},
};

#[derive(Args)]
pub(super) struct ListCommand {
    /// The data folder. Default: the folder of the window.
    #[arg(long, env = "ROOST_DATA_DIR", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl ListCommand {
    pub(super) fn run(self) -> Result<(), CliFailure> {
        let folder = self.folder.or_else(find_data_folder);
        let folder = folder.ok_or_else(|| CliFailure::new("The data folder is unknown. Name it with --folder."))?;
        let known: Vec<(ListedAccount, FileStatus)> = list_accounts(&folder)
            .into_iter()
            .map(|one| {
                let status = inspect_file(&one.path);
                (one, status)
            })
            .collect();
        if self.json {
            return print_json(&known.iter().map(|(one, status)| to_json(one, status)).collect::<Vec<_>>());
        }
        if known.is_empty() {
            return print_text(&format!("There are no accounts in {}.\n", folder.display()));
        }
        let mut text = String::new();
        for (one, status) in &known {
            let _ = writeln!(text, "{}: {}", plain_value(&one.name), plain_value(&describe_status(status)));
            let _ = writeln!(text, "  {}", plain_value(&one.path.to_string_lossy()));
        }
        print_text(&text)
    }
}

fn status_word(status: &FileStatus) -> &'static str {
    match status {
        FileStatus::Sound(_) => "sound",
        FileStatus::Missing => "missing",
        FileStatus::Foreign(_) => "not_an_account",
        FileStatus::Damaged(_) => "damaged",
        FileStatus::Unreadable(_) => "unreadable",
    }
}

fn describe_status(status: &FileStatus) -> String {
    match status {
        FileStatus::Sound(summary) => describe_counts(summary),
        FileStatus::Missing => "the file is missing".to_owned(),
        FileStatus::Foreign(_) => "not an account".to_owned(),
        FileStatus::Damaged(why) => format!("damaged. {why}"),
        FileStatus::Unreadable(why) => format!("cannot be read. {why}"),
    }
}

fn to_json(one: &ListedAccount, status: &FileStatus) -> Value {
    let (counts, why) = match status {
        FileStatus::Sound(summary) => (Some(counts_json(summary)), None),
        FileStatus::Missing => (None, None),
        FileStatus::Foreign(why) | FileStatus::Damaged(why) | FileStatus::Unreadable(why) => (None, Some(why)),
    };
    json!({
        "name": one.name,
        "file": one.path.to_string_lossy(),
        "status": status_word(status),
        "why": why,
        "counts": counts,
    })
}

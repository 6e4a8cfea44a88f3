//! `roost account held`: reports everything that is held about a phone number.

use std::{collections::BTreeMap, fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_ops::account::held::{HeldRecord, HeldReport, describe_table, find_held};

use super::read_number;
use crate::{
    failure::CliFailure,
    files::check_existing,
    outputs::OutputPath,
    terminal::{count_with_noun, plain_json, plain_value, print_json, print_text},
};

#[derive(Args)]
#[command(
    after_help = "For a person who asks what you hold about them. Every table of the account is searched, every copy \
     beside it and every damaged file that was set aside: contacts in every list, opt-outs and their history, clicks, \
     jobs, rejected rows, the undo memory, the state of the sync. Not searched: files that were exported, copies elsewhere, and the service itself."
)]
pub(super) struct HeldCommand {
    /// The number, in any spelling.
    #[arg(long, env = "ROOST_HELD_NUMBER", value_name = "NUMBER")]
    number: String,
    /// The account file. It may be open in another program.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// The country of a number without a country code, for example GB. Default: the account's.
    #[arg(long, env = "ROOST_HELD_COUNTRY", value_name = "CODE")]
    country: Option<String>,
    /// The file for the whole report, as JSON.
    #[arg(long, env = "ROOST_HELD_OUT", value_name = "FILE")]
    out: Option<OutputPath>,
    /// Overwrite an existing file.
    #[arg(long, env = "ROOST_HELD_FORCE", value_parser = BoolishValueParser::new(), requires = "out")]
    force: bool,
    /// Print the whole report as JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl HeldCommand {
    pub(super) fn run(self) -> Result<(), CliFailure> {
        check_existing(&self.db)?;
        let number = read_number(&self.number, self.country.as_deref(), &self.db)?;
        let report = find_held(&self.db, &number).map_err(CliFailure::new)?;
        if let Some(out) = &self.out {
            let text = serde_json::to_string_pretty(&report.to_json()).map_err(CliFailure::new)?;
            out.write(self.force, |file| writeln!(file, "{}", plain_json(&text)))?;
        }
        if self.json { print_json(&report.to_json()) } else { print_text(&describe(&report, self.out.as_ref())) }
    }
}

fn count_by_table(records: &[HeldRecord]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for record in records {
        *counts.entry(describe_table(&record.table)).or_default() += 1;
    }
    counts
}

fn describe(report: &HeldReport, out: Option<&OutputPath>) -> String {
    let mut text =
        format!("{}: {} in the account\n", report.number, count_with_noun(report.records.len() as u64, "record"));
    for (words, count) in count_by_table(&report.records) {
        let _ = writeln!(text, "{count:>10}  {words}");
    }
    let mentions = report.records.iter().filter(|record| record.is_mention).count() as u64;
    if mentions > 0 {
        let _ = writeln!(
            text,
            "Of these, {} about something else with a mention of the number.",
            if mentions == 1 { "1 record is".to_owned() } else { format!("{mentions} records are") }
        );
    }
    for copy in &report.copies {
        let path = plain_value(&copy.path.to_string_lossy());
        let _ = match &copy.records {
            Some(records) => writeln!(text, "{} in {path}", count_with_noun(records.len() as u64, "record")),
            None => writeln!(text, "{path} cannot be read, so it was not searched"),
        };
    }
    for at in &report.erased_at {
        let _ = writeln!(text, "What was held about the number before {at} was erased then.");
    }
    if let Some(at) = &report.unfinished_erasure {
        let _ = writeln!(
            text,
            "The erasure of {at} was interrupted: its traces are still in unused parts of the file. Whatever opens the \
             account next finishes it, as roost account erase does."
        );
    }
    if report.has_imports {
        text += "Imports are under way. Their files were not searched; finish or cancel them in the window.\n";
    }
    if report.has_server_state {
        text += "A server keeps its state and its snapshots beside the account. They were not searched.\n";
    }
    if let Some(out) = out {
        let _ = writeln!(text, "The whole report is in {}.", plain_value(&out.path().to_string_lossy()));
        text += "Read it before you hand it over: texts that mention the number may name others.\n";
    }
    text
}

//! `roost optouts import`: adds the opt-outs of a file.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_model::channel::Channel;
use roost_ops::{
    Actor, Core, Ctx, account,
    opt_out::{self, ImportRow, OptOutImportOptions, OptOutImportPlan, OptOutRowStatus, OptOutSource},
};
use serde_json::json;

use super::super::{ChannelOption, read_text};
use crate::{
    failure::CliFailure,
    files::{check_existing, parse_country},
    terminal::{count_with_noun, plain_line, print_json, print_text},
};

/// The exit status if some rows are invalid.
const SOME_INVALID: u8 = 1;
/// The exit status if the number of opt-outs is not confirmed.
const UNCONFIRMED: u8 = 4;
/// The number of invalid rows that are listed.
const SHOWN_MAX: usize = 20;
/// The most characters of a cell that are shown.
const CELL_MAX: usize = 60;

#[derive(Args)]
#[command(
    after_help = "A file has one number per line, or columns with a heading such as number, channel, asset. Nothing is \
     written until --opt-outs names how many will be added. Exit status: 0: added, or nothing new, or --dry-run. 1: some \
     rows are invalid; the others were added. 2: an error. 4: --opt-outs is missing or wrong."
)]
pub(super) struct ImportCommand {
    /// The file: CSV or other text in UTF-8. Use - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Why, for the record.
    #[arg(long, env = "ROOST_OPTOUTS_REASON", value_name = "TEXT")]
    reason: String,
    /// The channel of rows that name none. Default: both.
    #[arg(long, env = "ROOST_OPTOUTS_CHANNEL", value_enum)]
    channel: Option<ChannelOption>,
    /// The country of numbers without a country code, for example GB. Default: the account's.
    #[arg(long, env = "ROOST_OPTOUTS_COUNTRY", value_name = "CODE")]
    country: Option<String>,
    /// How many opt-outs will be added.
    #[arg(long, env = "ROOST_OPTOUTS_OPT_OUTS", value_name = "COUNT")]
    opt_outs: Option<u64>,
    /// Report what would be added, and add nothing.
    #[arg(long, env = "ROOST_OPTOUTS_DRY_RUN", value_parser = BoolishValueParser::new())]
    dry_run: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl ImportCommand {
    pub(super) fn run(self) -> Result<u8, CliFailure> {
        check_existing(&self.db)?;
        let text = read_text(&self.file)?;
        let core = Core::open(&self.db, Ctx::system()).map_err(CliFailure::new)?;
        let done = self.run_on(&core, &text);
        core.end_background_work();
        done
    }

    fn run_on(&self, core: &Core, text: &str) -> Result<u8, CliFailure> {
        let region = match &self.country {
            Some(code) => parse_country(code)?,
            None => account::read_country(core).map_err(CliFailure::new)?.region,
        };
        let channels = self.channel.map_or(Channel::ALL.to_vec(), |channel| vec![channel.into()]);
        let (by, source) = (Actor::user(None), OptOutSource::Text(text));
        let options = OptOutImportOptions { source, region: Some(region), channels: &channels, columns: None };
        let plan = opt_out::read_import(core, &by, options).map_err(CliFailure::new)?;
        let wanted = u64::from(plan.counts.would_add);
        let is_confirmed = wanted == 0 || self.opt_outs == Some(wanted);
        let added = if self.dry_run || !is_confirmed || wanted == 0 {
            0
        } else {
            opt_out::apply_import(core, &by, &plan, wanted, &self.reason).map_err(CliFailure::new)?
        };
        let (invalid, _) = plan.read_rows(Some(OptOutRowStatus::Invalid), 0, usize::MAX);
        if self.json {
            print_json(&json!({ "added": added, "counts": plan.counts, "invalid": invalid, "dry_run": self.dry_run }))?;
        } else {
            print_text(&describe(&plan, &invalid, added))?;
        }
        if self.dry_run {
            return Ok(0);
        }
        if !is_confirmed {
            let line = format!(
                "{} would be added. Nothing was changed. Add --opt-outs {wanted} to add them.",
                count_with_noun(wanted, "opt-out")
            );
            return Err(CliFailure::with_status(UNCONFIRMED, line));
        }
        Ok(if invalid.is_empty() { 0 } else { SOME_INVALID })
    }
}

fn describe(plan: &OptOutImportPlan, invalid: &[ImportRow], added: u64) -> String {
    let counts = &plan.counts;
    let mut text = format!(
        "{}: {} new, {} opted out already, {} twice, {} invalid\n",
        count_with_noun(u64::from(counts.rows), "row"),
        counts.new,
        counts.already,
        counts.duplicates,
        counts.invalid
    );
    for row in invalid.iter().take(SHOWN_MAX) {
        let why = row.message.as_deref().unwrap_or_default();
        let _ = writeln!(text, "  line {}: {}: {why}", row.row, plain_line(&row.given, CELL_MAX));
    }
    if invalid.len() > SHOWN_MAX {
        let _ = writeln!(text, "  and {} more", invalid.len() - SHOWN_MAX);
    }
    let _ = writeln!(text, "{} added.", count_with_noun(added, "opt-out"));
    text
}

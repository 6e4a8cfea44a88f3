//! `roost optouts import`: adds the opt-outs of a file.

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_model::{channel::Channel, error::ErrorCode};
use roost_ops::{
    Actor, Core, Ctx,
    opt_out::{self, ImportRow, OptOutImportOptions, OptOutImportPlan, OptOutRowStatus, OptOutSource},
};
use serde_json::json;

use super::super::{ChannelOption, choose_region, read_text};
use crate::{
    failure::CliFailure,
    files::check_existing,
    terminal::{count_with_noun, plain_line, plural_noun, print_json, print_text},
};

/// The exit status if some rows are invalid.
const SOME_INVALID: u8 = 1;
/// The number of invalid rows that are listed.
const SHOWN_MAX: usize = 20;
/// The most characters of a cell that are shown.
const CELL_MAX: usize = 60;

#[derive(Args)]
#[command(
    after_help = "A file has one number per line, or columns with a heading such as number, channel, asset. Other columns \
     are not read, and one that seems to say that somebody did not opt out is refused. Nothing is \
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
        let region = choose_region(core, self.country.as_deref())?;
        let channels = self.channel.map_or(Channel::ALL.to_vec(), |channel| vec![channel.into()]);
        let (by, source) = (Actor::user(None), OptOutSource::Text(text));
        let options = OptOutImportOptions { source, region: Some(region), channels: &channels, columns: None };
        let plan = opt_out::read_import(core, &by, options).map_err(CliFailure::new)?;
        check_ignored(&plan)?;
        let wanted = u64::from(plan.counts.would_add);
        let is_confirmed = wanted == 0 || self.opt_outs == Some(wanted);
        let added = if self.dry_run || !is_confirmed || wanted == 0 {
            0
        } else {
            opt_out::apply_import(core, &by, &plan, wanted, &self.reason).map_err(CliFailure::new)?
        };
        let (invalid, _) = plan.read_rows(Some(OptOutRowStatus::Invalid), 0, usize::MAX);
        let would_add = format!("{} would be added.", count_with_noun(wanted, "opt-out"));
        let to_do = format!("Add --opt-outs {wanted} to add {}.", if wanted == 1 { "it" } else { "them" });
        if self.json {
            let ignored: Vec<_> = plan.ignored.iter().map(|column| &column.name).collect();
            print_json(&json!({
                "added": added,
                "counts": plan.counts,
                "ignored_columns": ignored,
                "invalid": invalid,
                "dry_run": self.dry_run,
            }))?;
        } else {
            let outcome = match (self.dry_run, wanted) {
                (false, _) => format!("{} added.", count_with_noun(added, "opt-out")),
                (true, 0) => would_add.clone(),
                (true, _) => format!("{would_add} {to_do}"),
            };
            print_text(&describe(&plan, &invalid, &outcome))?;
        }
        if self.dry_run {
            return Ok(0);
        }
        if !is_confirmed {
            return Err(CliFailure::unconfirmed(format!("{would_add} Nothing was changed. {to_do}")));
        }
        Ok(if invalid.is_empty() { 0 } else { SOME_INVALID })
    }
}

/// Refuses a file with a column that is not read and seems to say that somebody did not opt out.
fn check_ignored(plan: &OptOutImportPlan) -> Result<(), CliFailure> {
    let contradicting = plan.ignored.iter().find_map(|column| Some((&column.name, column.contradiction.as_ref()?)));
    let Some((name, cell)) = contradicting else { return Ok(()) };
    let found = match cell.text.as_str() {
        "" => "is blank".to_owned(),
        text => format!("has “{}”", plain_line(text, CELL_MAX)),
    };
    let line = format!(
        "The column “{}” is not read, and in line {} it {found}: not everyone in the file may have opted out. Remove \
         the rows of those who did not, and then the column. Or use roost import with --opt-out-column, which reads \
         such a column. Nothing was added.",
        plain_line(name, CELL_MAX),
        cell.row
    );
    Err(CliFailure::new(line).with_code(ErrorCode::Invalid))
}

fn describe(plan: &OptOutImportPlan, invalid: &[ImportRow], outcome: &str) -> String {
    let counts = &plan.counts;
    let mut text = format!(
        "{}: {} new, {} opted out already, {} twice, {} invalid\n",
        count_with_noun(u64::from(counts.rows), "row"),
        counts.new,
        counts.already,
        counts.duplicates,
        counts.invalid
    );
    if !plan.ignored.is_empty() {
        let names: Vec<_> = plan.ignored.iter().map(|column| plain_line(&column.name, CELL_MAX)).collect();
        let noun = plural_noun(names.len() as u64, "column");
        let _ = writeln!(text, "  not read: the {noun} {}", names.join(", "));
    }
    for row in invalid.iter().take(SHOWN_MAX) {
        let why = row.message.as_deref().unwrap_or_default();
        let given = match row.given.trim() {
            "" => String::new(),
            given => format!("{}: ", plain_line(given, CELL_MAX)),
        };
        let _ = writeln!(text, "  line {}: {given}{why}", row.row);
    }
    if invalid.len() > SHOWN_MAX {
        let _ = writeln!(text, "  and {} more", invalid.len() - SHOWN_MAX);
    }
    let _ = writeln!(text, "{outcome}");
    text
}

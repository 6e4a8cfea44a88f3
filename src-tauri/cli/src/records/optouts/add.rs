//! `roost optouts add`: opts numbers out.

use std::{collections::BTreeSet, fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_model::{channel::Channel, error::ErrorCode};
use roost_ops::{
    Actor, Core, Ctx,
    opt_out::{self, NewOptOut, OptOutAdded},
};

use super::super::{ChannelOption, choose_region};
use crate::{
    failure::CliFailure,
    files::check_existing,
    terminal::{count_with_noun, print_json, print_text},
};

/// The most numbers that are named.
const NAMED_MAX: usize = 10;

#[derive(Args)]
#[command(
    after_help = "All of the numbers are opted out, or none if one of them is invalid. An opt-out that exists already is \
     renewed. An opt-out ends only by a removal with a reason, in the window."
)]
pub(super) struct AddCommand {
    /// The numbers, in any spelling.
    #[arg(value_name = "NUMBER", required = true)]
    numbers: Vec<String>,
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// Why, for the record.
    #[arg(long, env = "ROOST_OPTOUTS_REASON", value_name = "TEXT")]
    reason: String,
    /// The channel. Default: both.
    #[arg(long, env = "ROOST_OPTOUTS_CHANNEL", value_enum)]
    channel: Option<ChannelOption>,
    /// The id of the asset that they no longer hear from. Default: nothing of the account reaches them.
    #[arg(long, env = "ROOST_OPTOUTS_ASSET", value_name = "ID", requires = "channel")]
    asset: Option<String>,
    /// The country of numbers without a country code, for example GB. Default: the account's.
    #[arg(long, env = "ROOST_OPTOUTS_COUNTRY", value_name = "CODE")]
    country: Option<String>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

impl AddCommand {
    pub(super) fn run(self) -> Result<(), CliFailure> {
        check_existing(&self.db)?;
        let core = Core::open(&self.db, Ctx::system()).map_err(CliFailure::new)?;
        let region = choose_region(&core, self.country.as_deref())?;
        let channels = self.channel.map_or(Channel::ALL.to_vec(), |channel| vec![channel.into()]);
        let entry = |number: &String| NewOptOut {
            number: number.clone(),
            channels: channels.clone(),
            asset: self.asset.clone(),
        };
        let entries: Vec<NewOptOut> = self.numbers.iter().map(entry).collect();
        let added = opt_out::add(&core, &Actor::user(None), &entries, &self.reason, Some(region));
        core.end_background_work();
        let added = added.map_err(|refused| match refused {
            roost_ops::Error::Invalid { faults } => {
                let lines =
                    faults.iter().map(|fault| format!("{}: {}", self.describe_place(&fault.path), fault.message));
                let line = format!("Nothing was added. {}", lines.collect::<Vec<_>>().join(" "));
                CliFailure::new(line).with_code(ErrorCode::Invalid)
            }
            other => CliFailure::new(other),
        })?;
        if self.json {
            return print_json(&added);
        }
        print_text(&describe(&added))
    }

    /// Returns the argument that a path such as `entries[2].number` is about.
    fn describe_place(&self, path: &str) -> String {
        let index = path.strip_prefix("entries[").and_then(|rest| rest.split_once(']')?.0.parse::<usize>().ok());
        match index.and_then(|index| self.numbers.get(index)) {
            Some(number) => number.clone(),
            None => format!("--{path}"),
        }
    }
}

/// Describes what was added. Names the numbers as they were read, unless there are many.
fn describe(added: &OptOutAdded) -> String {
    let OptOutAdded { added, renewed, records } = added;
    let renewed = if *renewed == 0 { String::new() } else { format!(", {renewed} renewed") };
    let mut text = format!("{} added{renewed}.\n", count_with_noun(*added, "opt-out"));
    let numbers: BTreeSet<&str> = records.iter().map(|record| record.number.as_str()).collect();
    if numbers.len() <= NAMED_MAX {
        for number in numbers {
            let _ = writeln!(text, "  {number}");
        }
    }
    text
}

//! `roost lookup`: may these numbers be messaged?

use std::{fmt::Write as _, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_model::error::ErrorCode;
use roost_ops::{
    Core, Ctx,
    opt_out::{ChannelState, CheckLine, CheckVerdict, NumberLookup},
};
use serde::Serialize;

use super::{ChannelOption, choose_region, read_text};
use crate::{
    failure::CliFailure,
    files::check_existing,
    terminal::{plain_line, print_json, print_text},
};

/// The exit status if somebody has opted out.
const OPTED_OUT: u8 = 1;
/// The exit status if nobody has, and something is not a number.
const INVALID: u8 = 3;
/// The most characters of a given text that are shown.
const GIVEN_MAX: usize = 60;

#[derive(Args)]
#[command(
    after_help = "Exit status: 0: all of them may be messaged. 1: at least one has opted out, of the whole account or of \
     one of its numbers. 2: an error. 3: nobody has opted out, but at least one text is not a number. A number that the \
     account does not know may be messaged: nothing says that it may not."
)]
pub(crate) struct LookupCommand {
    /// The numbers, in any spelling.
    #[arg(value_name = "NUMBER", required_unless_present = "file")]
    numbers: Vec<String>,
    /// A file with one number per line. Use - for standard input.
    #[arg(long, env = "ROOST_LOOKUP_FILE", value_name = "FILE")]
    file: Option<PathBuf>,
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// The channel to message on. Default: both.
    #[arg(long, env = "ROOST_LOOKUP_CHANNEL", value_enum)]
    channel: Option<ChannelOption>,
    /// The country of numbers without a country code, for example GB. Default: the account's.
    #[arg(long, env = "ROOST_LOOKUP_COUNTRY", value_name = "CODE")]
    country: Option<String>,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// A number and whether it may be messaged.
#[derive(Serialize)]
struct LookupAnswer {
    given: String,
    number: Option<String>,
    region: Option<String>,
    /// Null if the text is not a number, as are the two states.
    allowed: Option<bool>,
    sms: Option<ChannelState>,
    whatsapp: Option<ChannelState>,
}

impl LookupCommand {
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        check_existing(&self.db)?;
        let mut numbers = self.numbers.clone();
        if let Some(file) = &self.file {
            let text = read_text(file)?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            numbers.extend(lines.map(str::to_owned));
        }
        if numbers.is_empty() {
            return Err(CliFailure::new("There is no number in the file.").with_code(ErrorCode::Invalid));
        }
        let core = Core::open(&self.db, Ctx::system()).map_err(CliFailure::new)?;
        let region = choose_region(&core, self.country.as_deref())?;
        let mut lookup = NumberLookup::start(&core);
        lookup.add_numbers(&core, &numbers, Some(region)).map_err(CliFailure::new)?;
        core.end_background_work();
        let (lines, _) = lookup.read_lines(None, 0, numbers.len());
        let answers: Vec<LookupAnswer> = lines.into_iter().map(|line| self.answer(line)).collect();
        if self.json {
            print_json(&answers)?;
        } else {
            let mut text = String::new();
            for answer in &answers {
                let _ = writeln!(text, "{}", self.describe(answer));
            }
            print_text(&text)?;
        }
        Ok(if answers.iter().any(|answer| answer.allowed == Some(false)) {
            OPTED_OUT
        } else if answers.iter().any(|answer| answer.allowed.is_none()) {
            INVALID
        } else {
            0
        })
    }

    fn answer(&self, line: CheckLine) -> LookupAnswer {
        let CheckLine { given, number, region, verdict, sms, whatsapp, .. } = line;
        let is_allowed = match self.channel {
            Some(ChannelOption::Sms) => sms.is_allowed(),
            Some(ChannelOption::Whatsapp) => whatsapp.is_allowed(),
            None => sms.is_allowed() && whatsapp.is_allowed(),
        };
        let is_number = verdict != CheckVerdict::Invalid;
        LookupAnswer {
            given,
            number,
            region,
            allowed: is_number.then_some(is_allowed),
            sms: is_number.then_some(sms),
            whatsapp: is_number.then_some(whatsapp),
        }
    }

    fn describe(&self, answer: &LookupAnswer) -> String {
        let given = plain_line(&answer.given, GIVEN_MAX);
        let Some(number) = &answer.number else { return format!("{given}: not a number") };
        let mut reasons = Vec::new();
        for (name, state, is_asked) in [
            ("SMS", &answer.sms, !matches!(self.channel, Some(ChannelOption::Whatsapp))),
            ("WhatsApp", &answer.whatsapp, !matches!(self.channel, Some(ChannelOption::Sms))),
        ] {
            if let Some(state) = state
                && is_asked
                && !state.is_allowed()
            {
                reasons.push(format!("{name} ({})", describe_scope(state)));
            }
        }
        match reasons.as_slice() {
            [] => format!("{number}: may be messaged"),
            reasons => format!("{number}: opted out of {}", reasons.join(" and ")),
        }
    }
}

fn describe_scope(state: &ChannelState) -> String {
    let since = state.since.map_or(String::new(), |since| format!(" since {}", since.to_iso()));
    if state.is_account {
        return format!("everything{since}");
    }
    let numbers = state.assets.iter().map(|asset| asset.number.as_deref().unwrap_or(asset.asset_id.as_str()));
    format!("from {}{since}", numbers.map(|number| plain_line(number, GIVEN_MAX)).collect::<Vec<_>>().join(", "))
}

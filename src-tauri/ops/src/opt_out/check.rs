//! Checks which of up to a hundred thousand pasted numbers may be messaged. The numbers are looked up in slices.

use std::collections::HashMap;

use roost_model::{phone::Region, time::Timestamp};
use serde::{Deserialize, Serialize};

use super::grid::{AssetNumbers, ChannelState, OptOutStates, read_state};
use crate::{
    core::Core,
    error::{Error, Result},
};

/// The maximum number of lines in one lookup.
pub const LINES_MAX: usize = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum CheckVerdict {
    /// Allowed on both channels by every asset.
    Allowed,
    /// Opted out at least partly; the channels show the details.
    OptedOut,
    /// The same number as in an earlier line.
    Duplicate,
    Invalid,
}

/// The numbers of lines by verdict. The four verdicts add up to `lines`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CheckTotals {
    pub lines: u32,
    pub allowed: u32,
    pub opted_out: u32,
    pub duplicates: u32,
    pub invalid: u32,
    /// Of the opted-out lines, those opted out of the whole account or of some assets only, on each channel.
    pub sms_account: u32,
    pub sms_assets: u32,
    pub whatsapp_account: u32,
    pub whatsapp_assets: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CheckLine {
    /// The line, counted from 1.
    pub line: u32,
    pub given: String,
    /// The number in E.164 form, or `None` if it is invalid.
    pub number: Option<String>,
    pub region: Option<String>,
    pub verdict: CheckVerdict,
    /// The first line with the same number.
    pub duplicate_of: Option<u32>,
    pub sms: ChannelState,
    pub whatsapp: ChannelState,
}

/// A lookup in progress.
#[derive(Debug)]
pub struct NumberLookup {
    lines: Vec<CheckLine>,
    first_of: HashMap<String, u32>,
    totals: CheckTotals,
    at: Timestamp,
    generation: u64,
}

impl NumberLookup {
    pub fn start(core: &Core) -> Self {
        Self {
            lines: Vec::new(),
            first_of: HashMap::new(),
            totals: CheckTotals::default(),
            at: core.ctx().now(),
            generation: core.generation(),
        }
    }

    /// Looks up further numbers.
    pub fn add_numbers(&mut self, core: &Core, numbers: &[String], region: Option<Region>) -> Result<CheckTotals> {
        if self.lines.len() + numbers.len() > LINES_MAX {
            return Err(Error::conflict(format!("A look-up has at most {LINES_MAX} lines. Start another one.")));
        }
        core.read(|tx| {
            let assets = AssetNumbers::read(tx)?;
            for given in numbers {
                let line = self.lines.len() as u32 + 1;
                let mut checked = CheckLine {
                    line,
                    given: given.clone(),
                    number: None,
                    region: None,
                    verdict: CheckVerdict::Invalid,
                    duplicate_of: None,
                    sms: ChannelState::default(),
                    whatsapp: ChannelState::default(),
                };
                if let Some(phone) = super::read_number(given, region) {
                    let known = self.first_of.get(&phone.e164).copied();
                    let OptOutStates { number, sms, whatsapp } = match known {
                        Some(first) => self.states_of(first, phone.e164),
                        None => read_state(tx, &phone.e164, &assets)?,
                    };
                    checked.verdict = match known {
                        Some(_) => CheckVerdict::Duplicate,
                        None if sms.is_allowed() && whatsapp.is_allowed() => CheckVerdict::Allowed,
                        None => CheckVerdict::OptedOut,
                    };
                    if known.is_none() {
                        self.first_of.insert(number.clone(), line);
                    }
                    checked = CheckLine {
                        number: Some(number),
                        region: Some(phone.region),
                        duplicate_of: known,
                        sms,
                        whatsapp,
                        ..checked
                    };
                }
                self.totals.add_line(&checked);
                self.lines.push(checked);
            }
            Ok(self.totals)
        })
    }

    fn states_of(&self, line: u32, number: String) -> OptOutStates {
        let first = self.lines.get(line as usize - 1);
        OptOutStates {
            number,
            sms: first.map(|first| first.sms.clone()).unwrap_or_default(),
            whatsapp: first.map(|first| first.whatsapp.clone()).unwrap_or_default(),
        }
    }

    /// Returns up to `count` lines from position `from`, of one verdict or of all, and the total number of such lines.
    pub fn read_lines(&self, only: Option<CheckVerdict>, from: usize, count: usize) -> (Vec<CheckLine>, u64) {
        let wanted = self.lines.iter().filter(|line| only.is_none_or(|only| line.verdict == only));
        let lines = wanted.clone().skip(from).take(count).cloned().collect();
        (lines, wanted.count() as u64)
    }

    pub fn totals(&self) -> CheckTotals {
        self.totals
    }

    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// Returns whether the account was changed since the lookup began.
    pub fn is_stale(&self, core: &Core) -> bool {
        self.generation != core.generation()
    }
}

impl CheckTotals {
    fn add_line(&mut self, line: &CheckLine) {
        self.lines += 1;
        match line.verdict {
            CheckVerdict::Allowed => self.allowed += 1,
            CheckVerdict::Duplicate => self.duplicates += 1,
            CheckVerdict::Invalid => self.invalid += 1,
            CheckVerdict::OptedOut => {
                self.opted_out += 1;
                self.sms_account += u32::from(line.sms.is_account);
                self.sms_assets += u32::from(!line.sms.is_account && !line.sms.assets.is_empty());
                self.whatsapp_account += u32::from(line.whatsapp.is_account);
                self.whatsapp_assets += u32::from(!line.whatsapp.is_account && !line.whatsapp.assets.is_empty());
            }
        }
    }
}

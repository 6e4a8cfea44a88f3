//! May I message these? A look-up of up to a hundred thousand pasted numbers, taken in slices.

use std::collections::HashMap;

use roost_model::{phone::Region, time::Timestamp};
use serde::{Deserialize, Serialize};

use super::grid::{AssetNumbers, ChannelState, OptOutStates, state_of};
use crate::{
    core::Core,
    error::{Error, Result},
};

/// Lines of one look-up.
pub const LINES_MAX: usize = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum CheckVerdict {
    /// On both channels, by every asset.
    Allowed,
    /// Of something: the channels say of what.
    OptedOut,
    /// The same number as an earlier line.
    Duplicate,
    Invalid,
}

/// How many lines there are of each kind; the four verdicts sum to the lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CheckTotals {
    pub lines: u32,
    pub allowed: u32,
    pub opted_out: u32,
    pub duplicates: u32,
    pub invalid: u32,
    /// Of those opted out: of the whole account, or of some assets only, on each channel.
    pub sms_account: u32,
    pub sms_assets: u32,
    pub whatsapp_account: u32,
    pub whatsapp_assets: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CheckLine {
    /// From 1.
    pub line: u32,
    pub given: String,
    /// E.164; none when it is no number.
    pub number: Option<String>,
    pub region: Option<String>,
    pub verdict: CheckVerdict,
    /// The line that has the number first.
    pub duplicate_of: Option<u32>,
    pub sms: ChannelState,
    pub whatsapp: ChannelState,
}

/// A look-up as far as it has come.
#[derive(Debug)]
pub struct Lookup {
    lines: Vec<CheckLine>,
    first_of: HashMap<String, u32>,
    totals: CheckTotals,
    at: Timestamp,
    generation: u64,
}

impl Lookup {
    pub fn begin(core: &Core) -> Self {
        Self {
            lines: Vec::new(),
            first_of: HashMap::new(),
            totals: CheckTotals::default(),
            at: core.ctx().now(),
            generation: core.generation(),
        }
    }

    /// Looks up some more numbers.
    pub fn take(&mut self, core: &Core, numbers: &[String], region: Option<Region>) -> Result<CheckTotals> {
        if self.lines.len() + numbers.len() > LINES_MAX {
            return Err(Error::conflict(format!("A look-up has at most {LINES_MAX} lines. Begin another one.")));
        }
        core.read(|tx| {
            let assets = AssetNumbers::read(tx)?;
            for given in numbers {
                let line = self.lines.len() as u32 + 1;
                let mut told = CheckLine {
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
                        None => state_of(tx, &phone.e164, &assets)?,
                    };
                    told.verdict = match known {
                        Some(_) => CheckVerdict::Duplicate,
                        None if sms.is_allowed() && whatsapp.is_allowed() => CheckVerdict::Allowed,
                        None => CheckVerdict::OptedOut,
                    };
                    if known.is_none() {
                        self.first_of.insert(number.clone(), line);
                    }
                    told = CheckLine {
                        number: Some(number),
                        region: Some(phone.region),
                        duplicate_of: known,
                        sms,
                        whatsapp,
                        ..told
                    };
                }
                self.totals.count(&told);
                self.lines.push(told);
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

    /// Lines of one verdict or of all, `count` from the `from`th on, and how many there are.
    pub fn lines(&self, only: Option<CheckVerdict>, from: usize, count: usize) -> (Vec<CheckLine>, u64) {
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

    /// Whether something was changed in the account since.
    pub fn is_stale(&self, core: &Core) -> bool {
        self.generation != core.generation()
    }
}

impl CheckTotals {
    fn count(&mut self, line: &CheckLine) {
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

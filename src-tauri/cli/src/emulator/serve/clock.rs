//! `--clock`, `--random-seed` and `--ids`: the time and the ids an account begins with.

use clap::{Args, ValueEnum};
use roost_model::time::Timestamp;
use roost_ops::{
    Ctx,
    ctx::{
        Clock,
        clock::{Mode, Setting},
        ids::Style,
    },
};

use crate::failure::Failure;

#[derive(Args)]
pub struct Time {
    /// How the clock runs: real, offset@TIME, frozen, frozen@TIME, scaled:RATE or scaled:RATE@TIME. Times look like
    /// 2026-01-05T09:00:00Z.
    #[arg(long, env = "ROOST_CLOCK", value_name = "CLOCK", value_parser = clock)]
    clock: Option<Setting>,
    /// The same seed and the same requests give the same ids.
    #[arg(long, env = "ROOST_RANDOM_SEED", value_name = "NUMBER")]
    random_seed: Option<u64>,
    /// The form of ids: as the service's, counted up, or without any time in them.
    #[arg(long, env = "ROOST_IDS", value_name = "STYLE")]
    ids: Option<Ids>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Ids {
    Random,
    Sequence,
    Hash,
}

impl Time {
    pub fn is_told(&self) -> bool {
        self.clock.is_some() || self.random_seed.is_some() || self.ids.is_some()
    }

    /// The words that were given, to be compared with those of the next start.
    pub fn told(&self) -> String {
        let ids = self.ids.and_then(|ids| ids.to_possible_value()).map(|ids| ids.get_name().to_owned());
        format!("{:?} {:?} {ids:?}", self.clock, self.random_seed)
    }

    /// For an account that is gone with the process, or stays.
    pub fn ctx(&self, stays: bool) -> Result<Ctx, Failure> {
        let ctx = match self.random_seed {
            Some(seed) => Ctx::seeded(Clock::system(), seed),
            None if stays => Ctx::system(),
            None => Ctx::drawn(),
        };
        if let Some(setting) = self.clock {
            ctx.clock().set(setting).map_err(|why| Failure::new(format!("--clock: {why}")))?;
        }
        let style = self.ids.map(|ids| match ids {
            Ids::Random => Style::Random,
            Ids::Sequence => Style::Sequence,
            Ids::Hash => Style::Hash,
        });
        ctx.ids().set(None, style);
        Ok(ctx)
    }
}

/// Reads `frozen@2026-01-05T09:00:00Z` and its like.
fn clock(text: &str) -> Result<Setting, String> {
    let (how, time) = match text.split_once('@') {
        Some((how, time)) => (how, Some(time)),
        None => (text, None),
    };
    let (name, rate) = match how.split_once(':') {
        Some((name, rate)) => (name, Some(rate)),
        None => (how, None),
    };
    let mode = match name {
        "real" => Mode::Real,
        "offset" => Mode::Offset,
        "frozen" => Mode::Frozen,
        "scaled" => Mode::Scaled,
        _ => return Err("expected real, offset@TIME, frozen, frozen@TIME, scaled:RATE or scaled:RATE@TIME".to_owned()),
    };
    let read = |text| Timestamp::parse_iso(text).map(Timestamp::nanos);
    let now = time.map(|text| {
        read(text).ok_or_else(|| {
            format!(
                "'{text}' is not a valid time. Use RFC 3339, for \
     example 2026-01-05T09:00:00Z."
            )
        })
    });
    let rate = rate.map(|text| {
        text.parse::<f64>().map_err(|_| {
            format!(
                "'{text}' is not a valid rate. Use a number \
     such as 60 or 0.5."
            )
        })
    });
    let setting = Setting { mode, now: now.transpose()?, rate: rate.transpose()? };
    setting.check().map_err(|why| why.to_string())?;
    Ok(setting)
}

#[cfg(test)]
mod tests {
    use roost_model::time::SECOND;

    use super::*;

    #[test]
    fn a_clock_is_read() {
        let at = Some(1_767_603_600 * SECOND);
        for (text, mode, now, rate) in [
            ("real", Mode::Real, None, None),
            ("frozen", Mode::Frozen, None, None),
            ("frozen@2026-01-05T09:00:00Z", Mode::Frozen, at, None),
            ("offset@2026-01-05T09:00:00Z", Mode::Offset, at, None),
            ("scaled:60", Mode::Scaled, None, Some(60.0)),
            ("scaled:0.5@2026-01-05T09:00:00Z", Mode::Scaled, at, Some(0.5)),
        ] {
            assert_eq!(clock(text), Ok(Setting { mode, now, rate }), "{text}");
        }
        for text in [
            "",
            "stopped",
            "frozen@now",
            "frozen@",
            "frozen:2",
            "scaled",
            "scaled:x",
            "scaled:0",
            "real@2026-01-05T09:00:00Z",
        ] {
            assert!(clock(text).is_err(), "{text}");
        }
    }
}

//! `--clock`, `--random-seed` and `--ids`: the time and the IDs with which an account starts.

use clap::{Args, ValueEnum};
use roost_model::time::Timestamp;
use roost_ops::{
    Ctx,
    ctx::{
        Clock,
        clock::{ClockMode, ClockSetting},
        ids::IdStyle,
    },
};

use crate::failure::CliFailure;

#[derive(Args)]
pub(super) struct ClockArgs {
    /// How the clock runs: real, offset@TIME, frozen, frozen@TIME, scaled:RATE or scaled:RATE@TIME. Times look like
    /// 2026-01-05T09:00:00Z.
    #[arg(long, env = "ROOST_CLOCK", value_name = "CLOCK", value_parser = parse_clock)]
    clock: Option<ClockSetting>,
    /// The same seed and the same requests give the same ids.
    #[arg(long, env = "ROOST_RANDOM_SEED", value_name = "NUMBER")]
    random_seed: Option<u64>,
    /// The form of ids: as the service's, counted up, or without any time in them.
    #[arg(long, env = "ROOST_IDS", value_name = "STYLE")]
    ids: Option<IdStyleOption>,
}

#[derive(Clone, Copy, ValueEnum)]
enum IdStyleOption {
    Random,
    Sequence,
    Hash,
}

impl ClockArgs {
    pub(super) fn is_set(&self) -> bool {
        self.clock.is_some() || self.random_seed.is_some() || self.ids.is_some()
    }

    /// Returns the given options as text, to compare them with those of the next start.
    pub(super) fn to_option_text(&self) -> String {
        let ids = self.ids.and_then(|ids| ids.to_possible_value()).map(|ids| ids.get_name().to_owned());
        format!("{:?} {:?} {ids:?}", self.clock, self.random_seed)
    }

    /// `stays` says whether the account outlives the process.
    pub(super) fn to_ctx(&self, stays: bool) -> Result<Ctx, CliFailure> {
        let ctx = match self.random_seed {
            Some(seed) => Ctx::seeded(Clock::system(), seed),
            None if stays => Ctx::system(),
            None => Ctx::with_random_seed(),
        };
        if let Some(setting) = self.clock {
            ctx.clock().apply_setting(setting).map_err(|why| CliFailure::new(format!("--clock: {why}")))?;
        }
        let style = self.ids.map(|ids| match ids {
            IdStyleOption::Random => IdStyle::Random,
            IdStyleOption::Sequence => IdStyle::Sequence,
            IdStyleOption::Hash => IdStyle::Hash,
        });
        ctx.ids().set_seed_and_style(None, style);
        Ok(ctx)
    }
}

/// Reads a clock such as `frozen@2026-01-05T09:00:00Z`.
fn parse_clock(text: &str) -> Result<ClockSetting, String> {
    let (how, time) = match text.split_once('@') {
        Some((how, time)) => (how, Some(time)),
        None => (text, None),
    };
    let (name, rate) = match how.split_once(':') {
        Some((name, rate)) => (name, Some(rate)),
        None => (how, None),
    };
    let mode = match name {
        "real" => ClockMode::Real,
        "offset" => ClockMode::Offset,
        "frozen" => ClockMode::Frozen,
        "scaled" => ClockMode::Scaled,
        _ => return Err("expected real, offset@TIME, frozen, frozen@TIME, scaled:RATE or scaled:RATE@TIME".to_owned()),
    };
    let read = |text| Timestamp::parse_iso(text).map(Timestamp::as_nanos);
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
    if mode == ClockMode::Offset && now.is_none() {
        return Err("an offset clock needs a time: offset@2026-01-05T09:00:00Z".to_owned());
    }
    let setting = ClockSetting { mode, now: now.transpose()?, rate: rate.transpose()? };
    setting.check().map_err(|why| why.to_string())?;
    Ok(setting)
}

#[cfg(test)]
mod tests {
    use roost_model::time::NANOS_PER_SECOND;

    use super::*;

    #[test]
    fn a_clock_is_read() {
        let at = Some(1_767_603_600 * NANOS_PER_SECOND);
        for (text, mode, now, rate) in [
            ("real", ClockMode::Real, None, None),
            ("frozen", ClockMode::Frozen, None, None),
            ("frozen@2026-01-05T09:00:00Z", ClockMode::Frozen, at, None),
            ("offset@2026-01-05T09:00:00Z", ClockMode::Offset, at, None),
            ("scaled:60", ClockMode::Scaled, None, Some(60.0)),
            ("scaled:0.5@2026-01-05T09:00:00Z", ClockMode::Scaled, at, Some(0.5)),
        ] {
            assert_eq!(parse_clock(text), Ok(ClockSetting { mode, now, rate }), "{text}");
        }
        for text in [
            "",
            "stopped",
            "offset",
            "frozen@now",
            "frozen@",
            "frozen:2",
            "scaled",
            "scaled:x",
            "scaled:0",
            "real@2026-01-05T09:00:00Z",
        ] {
            assert!(parse_clock(text).is_err(), "{text}");
        }
    }
}

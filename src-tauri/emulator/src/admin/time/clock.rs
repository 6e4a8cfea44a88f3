//! Reads, sets and advances the clock of a world.

use std::{sync::Arc, time::Duration};

use roost_model::time::{NANOS_PER_SECOND, TimeBound, Timestamp};
use roost_ops::ctx::clock::{self, ClockSetting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    refused::Refused,
    route::{Asked, Whole},
};
use crate::{
    door::Visit,
    faults::Span,
    settings::Limits,
    work::Ran,
    world::{Account, Far, NotAdvanced, World, advance},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ClockMode")]
enum Mode {
    /// Same as the system clock.
    Real,
    /// The system clock, shifted by a fixed time.
    Offset,
    /// Stands still until it is moved.
    Frozen,
    /// Faster or slower than the system clock.
    Scaled,
}

impl From<Mode> for clock::ClockMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Real => Self::Real,
            Mode::Offset => Self::Offset,
            Mode::Frozen => Self::Frozen,
            Mode::Scaled => Self::Scaled,
        }
    }
}

impl From<clock::ClockMode> for Mode {
    fn from(mode: clock::ClockMode) -> Self {
        match mode {
            clock::ClockMode::Real => Self::Real,
            clock::ClockMode::Offset => Self::Offset,
            clock::ClockMode::Frozen => Self::Frozen,
            clock::ClockMode::Scaled => Self::Scaled,
        }
    }
}

/// How to run a clock.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockWish {
    mode: Mode,
    /// The time to show, for example `2026-01-05T09:00:00Z`, with up to nine decimals. When left out, the clock
    /// continues from its current time.
    #[schemars(extend("format" = "date-time"))]
    now: Option<String>,
    /// For a scaled clock: its seconds per real second, from 0.0001 to 100000.
    rate: Option<f64>,
}

/// How a clock runs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Clock", deny_unknown_fields)]
pub struct Shown {
    mode: Mode,
    #[schemars(extend("format" = "date-time"))]
    now: String,
    rate: Option<f64>,
    /// The system clock.
    #[schemars(extend("format" = "date-time"))]
    real_time: String,
    /// A warning: on a frozen clock, rate limits do not recover by themselves. Null otherwise.
    note: Option<&'static str>,
}

const LIMITS_FOLLOW: &str = "This clock is frozen, and rate limits follow it. After a 429, requests are refused until \
 you move the clock (POST /__admin/clock/advance) or switch the limits off (PATCH /__admin/limits {\"enabled\": \
 false}).";

/// Returns a note for the owner of a world whose clock stands still while limits apply.
pub fn note(world: &World) -> Option<&'static str> {
    let stands = world.core.ctx().clock().reading().mode == clock::ClockMode::Frozen;
    let is_limited = world.rules().settings.limits == Limits::On || world.faults.limit().is_some();
    (stands && is_limited).then_some(LIMITS_FOLLOW)
}

/// How far to move a clock. Give one of by, to and until.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdvanceWish {
    /// By this much. `0s` does what is due now and does not move the clock.
    by: Option<Span>,
    /// To this time, never backwards.
    #[schemars(extend("format" = "date-time"))]
    to: Option<String>,
    /// Until nothing is waiting.
    until: Option<Until>,
    /// Time limit in real time. Default 30s, at most 10m.
    timeout: Option<Span>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AdvanceUntil")]
enum Until {
    Idle,
}

/// The result of moving a clock. Nothing that was due is still in progress.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClockAdvanced", deny_unknown_fields)]
pub struct Moved {
    /// The time before.
    #[schemars(extend("format" = "date-time"))]
    from: String,
    #[schemars(extend("format" = "date-time"))]
    now: String,
    /// How the clock runs now. A real clock that was moved has an offset.
    mode: Mode,
    /// Jobs and callback attempts, in the order in which they ran.
    ran: Vec<Ran>,
}

const PATIENCE: Duration = Duration::from_secs(30);
const PATIENCE_MOST: Duration = Duration::from_secs(600);

fn iso(nanos: i64) -> String {
    match Timestamp::from_nanos(nanos) {
        (second, 0) => second.to_iso(),
        (second, beyond) => roost_wire::envelope::error_time(second.unix(), beyond),
    }
}

/// Splits the offset from an RFC 3339 time. Returns the time as if it were in UTC, and the nanoseconds by which it is
/// ahead of UTC.
fn in_utc(text: &str) -> Option<(String, i64)> {
    let text = text.to_ascii_uppercase();
    let Some((day, offset)) = text.len().checked_sub(6).and_then(|at| text.split_at_checked(at)) else {
        return Some((text, 0));
    };
    let (ahead, hours_and_minutes) = match offset.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => return Some((text, 0)),
    };
    let (hours, minutes) = hours_and_minutes.split_once(':')?;
    let two_digits = |text: &str, most: i64| -> Option<i64> {
        let is_number = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|number| is_number && *number <= most)
    };
    let seconds = two_digits(hours, 23)? * 3_600 + two_digits(minutes, 59)? * 60;
    Some((format!("{day}Z"), ahead * seconds * NANOS_PER_SECOND))
}

/// Parses a time in the format in which times are shown.
fn time(name: &str, text: &str) -> Result<i64, Refused> {
    let read = in_utc(text).and_then(|(text, offset)| TimeBound::parse(&text)?.as_nanos()?.checked_sub(offset));
    read.ok_or_else(|| {
        Refused::invalid(format!(
            "{name}: '{text}' is not a valid time. Use RFC 3339, for example 2026-01-05T09:00:00Z."
        ))
    })
}

impl ClockWish {
    pub fn setting(&self) -> Result<ClockSetting, Refused> {
        let now = self.now.as_deref().map(|now| time("now", now)).transpose()?;
        let setting = ClockSetting { mode: self.mode.into(), now, rate: self.rate };
        setting.check().map_err(|why| Refused::invalid(why.to_string()))?;
        Ok(setting)
    }
}

pub fn get(visit: &Visit, _: &Asked) -> Result<Shown, Refused> {
    let core = visit.core();
    let clock = core.ctx().clock();
    let ClockSetting { mode, now, rate } = clock.reading();
    let note = note(visit.world());
    Ok(Shown { mode: mode.into(), now: iso(now.unwrap_or_default()), rate, real_time: iso(clock.real_nanos()), note })
}

pub fn put(visit: &Visit, asked: &Asked, wish: ClockWish) -> Result<Shown, Refused> {
    let setting = wish.setting()?;
    if visit.world().account == Account::Lent {
        return Err(NotAdvanced::NotOwn.into());
    }
    visit.core().ctx().clock().apply_setting(setting).map_err(|why| Refused::invalid(why.to_string()))?;
    get(visit, asked)
}

pub async fn go_on(whole: Whole, wish: AdvanceWish) -> Result<Moved, Refused> {
    let far = match (&wish.by, &wish.to, &wish.until) {
        (Some(by), None, None) => Far::By(by.0),
        (None, Some(to), None) => Far::To(time("to", to)?),
        (None, None, Some(Until::Idle)) => Far::Idle,
        _ => {
            return Err(Refused::invalid(
                r#"Give exactly one of "by": "1h", "to": "2026-01-05T09:00:00Z" and "until": "idle"."#,
            ));
        }
    };
    let patience = wish.timeout.map_or(PATIENCE, |span| span.0);
    if patience > PATIENCE_MOST {
        return Err(Refused::invalid("timeout: expected at most 10m."));
    }
    let world: Arc<_> = whole.world;
    let done = advance(&world, far, patience).await?;
    let mode = world.core.ctx().clock().reading().mode.into();
    Ok(Moved { from: iso(done.before), now: iso(done.now), mode, ran: done.ran })
}

impl From<NotAdvanced> for Refused {
    fn from(why: NotAdvanced) -> Self {
        let message = why.to_string();
        match why {
            NotAdvanced::NotOwn => Self::conflict(
                "not_own",
                message,
                "Create a world with its own clock: POST /__admin/worlds, or roost \
                 serve.",
            ),
            NotAdvanced::Back | NotAdvanced::NotSet(_) => {
                Self::invalid(format!("{message} Set it with PUT /__admin/clock."))
            }
            NotAdvanced::TooSlow(_) => Self::conflict(
                "not_settled",
                message,
                "GET /__admin/callbacks shows what is still in progress. Use a longer timeout to wait longer.",
            ),
            NotAdvanced::TooMuch => Self::conflict("not_settled", message, "Advance in smaller steps."),
            NotAdvanced::Overtaken => Self::conflict("conflict", message, "Advance again."),
            NotAdvanced::Core(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_rfc_3339_writes_them() {
        let utc = time("now", "2026-01-05T09:00:00Z").expect("a time");
        for text in [
            "2026-01-05T09:00:00+00:00",
            "2026-01-05T10:30:00+01:30",
            "2026-01-05T04:00:00-05:00",
            "2026-01-05t09:00:00z",
        ] {
            assert_eq!(time("now", text).ok(), Some(utc), "{text}");
        }
        for text in
            ["2026-01-05", "2026-01-05T09:00:00", "2026-01-05T09:00:00+1:00", "2026-01-05T09:00:00+24:00", "", "+00:00"]
        {
            assert!(time("now", text).is_err(), "{text}");
        }
    }
}

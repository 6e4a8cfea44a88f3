//! The time of a world: how its clock goes, and moving it on.

use std::{sync::Arc, time::Duration};

use roost_model::time::{TimeBound, Timestamp};
use roost_ops::ctx::clock::{self, Setting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    refused::Refused,
    route::{Asked, Whole},
};
use crate::{
    door::Visit,
    faults::Span,
    work::Ran,
    world::{Account, Far, NotAdvanced, advance},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ClockMode")]
enum Mode {
    /// As the system's.
    Real,
    /// As the system's, so much earlier or later.
    Offset,
    /// Stands still until it is moved.
    Frozen,
    /// Faster or slower than the system's.
    Scaled,
}

impl From<Mode> for clock::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Real => Self::Real,
            Mode::Offset => Self::Offset,
            Mode::Frozen => Self::Frozen,
            Mode::Scaled => Self::Scaled,
        }
    }
}

impl From<clock::Mode> for Mode {
    fn from(mode: clock::Mode) -> Self {
        match mode {
            clock::Mode::Real => Self::Real,
            clock::Mode::Offset => Self::Offset,
            clock::Mode::Frozen => Self::Frozen,
            clock::Mode::Scaled => Self::Scaled,
        }
    }
}

/// How a clock is to go.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockWish {
    mode: Mode,
    /// What it is to show, as `2026-01-05T09:00:00Z`, to the nanosecond if you like; left out, it goes on from what it
    /// shows.
    now: Option<String>,
    /// Of a scaled clock: its seconds in a second of the system's, from 0.0001 to 100000.
    rate: Option<f64>,
}

/// How a clock goes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Clock", deny_unknown_fields)]
pub struct Shown {
    mode: Mode,
    now: String,
    rate: Option<f64>,
    /// What the system's clock shows.
    real: String,
}

/// How far a clock is to be moved: by, to or until, one of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdvanceWish {
    /// So long; `0s` does what is due and leaves the clock where it is.
    by: Option<Span>,
    /// To this time, and never back.
    to: Option<String>,
    /// Until nothing waits.
    until: Option<Until>,
    /// How long that may take in real time, 30s when left out, at most 10m.
    timeout: Option<Span>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AdvanceUntil")]
enum Until {
    Idle,
}

/// What moving a clock did. Nothing that was due is under way any more.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClockAdvanced", deny_unknown_fields)]
pub struct Moved {
    /// What it showed before.
    from: String,
    now: String,
    /// How it goes from now on: a real clock that was moved has an offset.
    mode: Mode,
    /// Jobs and tries of callbacks in the order they were done.
    ran: Vec<Ran>,
}

const PATIENCE: Duration = Duration::from_secs(30);
const PATIENCE_MOST: Duration = Duration::from_secs(600);

fn iso(nanos: i64) -> String {
    match Timestamp::of_nanos(nanos) {
        (second, 0) => second.iso(),
        (second, beyond) => roost_wire::envelope::error_time(second.unix(), beyond),
    }
}

/// Reads a time as it is shown.
fn time(name: &str, text: &str) -> Result<i64, Refused> {
    let read = TimeBound::parse(text).and_then(TimeBound::nanos);
    read.ok_or_else(|| Refused::invalid(format!("{name}: '{text}' is no time; write it as 2026-01-05T09:00:00Z.")))
}

impl ClockWish {
    pub fn setting(&self) -> Result<Setting, Refused> {
        let now = self.now.as_deref().map(|now| time("now", now)).transpose()?;
        let setting = Setting { mode: self.mode.into(), now, rate: self.rate };
        setting.check().map_err(|why| Refused::invalid(why.to_string()))?;
        Ok(setting)
    }
}

pub fn get(visit: &Visit, _: &Asked) -> Result<Shown, Refused> {
    let core = visit.core();
    let clock = core.ctx().clock();
    let Setting { mode, now, rate } = clock.reading();
    Ok(Shown { mode: mode.into(), now: iso(now.unwrap_or_default()), rate, real: iso(clock.real_nanos()) })
}

pub fn put(visit: &Visit, asked: &Asked, wish: ClockWish) -> Result<Shown, Refused> {
    let setting = wish.setting()?;
    if visit.world().account == Account::Lent {
        return Err(NotAdvanced::NotOwn.into());
    }
    visit.core().ctx().clock().set(setting).map_err(|why| Refused::invalid(why.to_string()))?;
    get(visit, asked)
}

pub async fn go_on(whole: Whole, wish: AdvanceWish) -> Result<Moved, Refused> {
    let far = match (&wish.by, &wish.to, &wish.until) {
        (Some(by), None, None) => Far::By(by.0),
        (None, Some(to), None) => Far::To(time("to", to)?),
        (None, None, Some(Until::Idle)) => Far::Idle,
        _ => {
            return Err(Refused::invalid(
                r#"Say one of "by": "1h", "to": "2026-01-05T09:00:00Z" and "until": "idle"."#,
            ));
        }
    };
    let patience = wish.timeout.map_or(PATIENCE, |span| span.0);
    if patience > PATIENCE_MOST {
        return Err(Refused::invalid("timeout: at most 10m."));
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
            NotAdvanced::NotOwn => {
                Self::conflict("not_own", message, "Use a world of its own: POST /__admin/worlds, or roost serve.")
            }
            NotAdvanced::Back | NotAdvanced::NotSet(_) => {
                Self::invalid(format!("{message} PUT /__admin/clock sets it."))
            }
            NotAdvanced::TooSlow(_) => Self::conflict(
                "not_settled",
                message,
                "GET /__admin/callbacks shows who is waited for; a longer timeout waits longer.",
            ),
            NotAdvanced::TooMuch => Self::conflict("not_settled", message, "Advance in smaller steps."),
            NotAdvanced::Overtaken => Self::conflict("conflict", message, "Advance once more."),
            NotAdvanced::Core(error) => error.into(),
        }
    }
}

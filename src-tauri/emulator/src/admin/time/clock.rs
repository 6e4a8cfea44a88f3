//! Reads, sets and advances the clock of a world.

use std::{sync::Arc, time::Duration};

use roost_model::time::{NANOS_PER_SECOND, TimeBound, Timestamp};
use roost_ops::ctx::clock::{ClockError, ClockMode, ClockSetting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{
    error::AdminError,
    route::{AdminRequest, HostRequest},
};
use crate::{
    door::WorldVisit,
    settings::{HumanDuration, LimitSwitch},
    work::{AdvanceError, AdvanceTarget, advance_clock},
    world::{AccountOwnership, CompletedWork, World},
};

/// How to run a clock.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockRequest {
    mode: ClockMode,
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
pub(crate) struct ClockStatus {
    mode: ClockMode,
    #[schemars(extend("format" = "date-time"))]
    now: String,
    rate: Option<f64>,
    /// The system clock.
    #[schemars(extend("format" = "date-time"))]
    real_time: String,
    /// A warning: on a frozen clock, rate limits do not recover by themselves. Null otherwise.
    note: Option<&'static str>,
}

const FROZEN_CLOCK_NOTE: &str = "This clock is frozen, and rate limits follow it. After a 429, requests are refused until \
 you move the clock (POST /__admin/clock/advance) or switch the limits off (PATCH /__admin/limits {\"enabled\": \
 false}).";

/// Returns a note for the owner of a world whose clock stands still while limits apply.
pub(crate) fn clock_note(world: &World) -> Option<&'static str> {
    let stands = world.core.ctx().clock().reading().mode == ClockMode::Frozen;
    let is_limited =
        world.active_settings().settings.limits == LimitSwitch::On || world.faults.profile_limit().is_some();
    (stands && is_limited).then_some(FROZEN_CLOCK_NOTE)
}

/// How far to move a clock. Give one of by, to and until.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdvanceRequest {
    /// By this much. `0s` does what is due now and does not move the clock.
    by: Option<HumanDuration>,
    /// To this time, never backwards.
    #[schemars(extend("format" = "date-time"))]
    to: Option<String>,
    /// Until nothing is waiting.
    until: Option<AdvanceUntil>,
    /// Time limit in real time. Default 30s, at most 10m.
    timeout: Option<HumanDuration>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AdvanceUntil")]
enum AdvanceUntil {
    Idle,
}

/// The result of moving a clock. Nothing that was due is still in progress.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClockAdvanced", deny_unknown_fields)]
pub(crate) struct AdvanceResponse {
    /// The time before.
    #[schemars(extend("format" = "date-time"))]
    from: String,
    #[schemars(extend("format" = "date-time"))]
    now: String,
    /// How the clock runs now. A real clock that was moved has an offset.
    mode: ClockMode,
    /// Jobs and callback attempts, in the order in which they ran.
    ran: Vec<CompletedWork>,
}

const DEFAULT_PATIENCE: Duration = Duration::from_secs(30);
const MAX_PATIENCE: Duration = Duration::from_secs(600);

fn to_iso(nanos: i64) -> String {
    match Timestamp::from_nanos(nanos) {
        (second, 0) => second.to_iso(),
        (second, beyond) => roost_wire::envelope::error_time(second.unix(), beyond),
    }
}

/// Splits the offset from an RFC 3339 time. Returns the time as if it were in UTC, and the nanoseconds by which it is
/// ahead of UTC.
fn split_offset(text: &str) -> Option<(String, i64)> {
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
fn parse_time(name: &str, text: &str) -> Result<i64, AdminError> {
    let read = split_offset(text).and_then(|(text, offset)| TimeBound::parse(&text)?.as_nanos()?.checked_sub(offset));
    read.ok_or_else(|| {
        AdminError::invalid(format!(
            "{name}: '{text}' is not a valid time. Use RFC 3339, for example 2026-01-05T09:00:00Z."
        ))
    })
}

impl ClockRequest {
    pub(crate) fn to_setting(&self) -> Result<ClockSetting, AdminError> {
        let now = self.now.as_deref().map(|now| parse_time("now", now)).transpose()?;
        let setting = ClockSetting { mode: self.mode, now, rate: self.rate };
        setting.check()?;
        Ok(setting)
    }
}

pub(crate) fn get_clock(visit: &WorldVisit, _: &AdminRequest) -> Result<ClockStatus, AdminError> {
    let core = visit.core();
    let clock = core.ctx().clock();
    let ClockSetting { mode, now, rate } = clock.reading();
    let note = clock_note(visit.world());
    Ok(ClockStatus { mode, now: to_iso(now.unwrap_or_default()), rate, real_time: to_iso(clock.real_nanos()), note })
}

pub(crate) fn put_clock(
    visit: &WorldVisit,
    admin_request: &AdminRequest,
    request: ClockRequest,
) -> Result<ClockStatus, AdminError> {
    let setting = request.to_setting()?;
    if visit.world().ownership == AccountOwnership::Lent {
        return Err(AdvanceError::NotOwn.into());
    }
    visit.core().ctx().clock().apply_setting(setting)?;
    get_clock(visit, admin_request)
}

pub(crate) async fn handle_advance(host_request: HostRequest) -> Result<AdvanceResponse, AdminError> {
    let request: AdvanceRequest = host_request.request.parse_body()?;
    let far = match (&request.by, &request.to, &request.until) {
        (Some(by), None, None) => AdvanceTarget::By(by.0),
        (None, Some(to), None) => AdvanceTarget::To(parse_time("to", to)?),
        (None, None, Some(AdvanceUntil::Idle)) => AdvanceTarget::Idle,
        _ => {
            return Err(AdminError::invalid(
                r#"Give exactly one of "by": "1h", "to": "2026-01-05T09:00:00Z" and "until": "idle"."#,
            ));
        }
    };
    let patience = request.timeout.map_or(DEFAULT_PATIENCE, |span| span.0);
    if patience > MAX_PATIENCE {
        return Err(AdminError::invalid("timeout: expected at most 10m."));
    }
    let world: Arc<_> = host_request.world;
    let done = advance_clock(&world, far, patience).await?;
    let mode = world.core.ctx().clock().reading().mode;
    Ok(AdvanceResponse { from: to_iso(done.before), now: to_iso(done.now), mode, ran: done.ran })
}

impl From<ClockError> for AdminError {
    fn from(why: ClockError) -> Self {
        let field = match why {
            ClockError::Real | ClockError::Time => "now",
            ClockError::Rate | ClockError::NoRate => "rate",
        };
        Self::invalid(why.to_string()).at_path(field)
    }
}

impl From<AdvanceError> for AdminError {
    fn from(why: AdvanceError) -> Self {
        let message = why.to_string();
        match why {
            AdvanceError::NotOwn => Self::conflict(
                "not_own",
                message,
                "Create a world with its own clock: POST /__admin/worlds, or roost \
                 serve.",
            ),
            AdvanceError::Back | AdvanceError::NotSet(_) => {
                Self::invalid(format!("{message} Set it with PUT /__admin/clock."))
            }
            AdvanceError::TooSlow(_) => Self::conflict(
                "not_settled",
                message,
                "GET /__admin/callbacks shows what is still in progress. Use a longer timeout to wait longer.",
            ),
            AdvanceError::TooMuch => Self::conflict("not_settled", message, "Advance in smaller steps."),
            AdvanceError::Overtaken => Self::conflict("conflict", message, "Advance again."),
            AdvanceError::Core(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_rfc_3339_writes_them() {
        let utc = parse_time("now", "2026-01-05T09:00:00Z").expect("a time");
        for text in [
            "2026-01-05T09:00:00+00:00",
            "2026-01-05T10:30:00+01:30",
            "2026-01-05T04:00:00-05:00",
            "2026-01-05t09:00:00z",
        ] {
            assert_eq!(parse_time("now", text).ok(), Some(utc), "{text}");
        }
        for text in
            ["2026-01-05", "2026-01-05T09:00:00", "2026-01-05T09:00:00+1:00", "2026-01-05T09:00:00+24:00", "", "+00:00"]
        {
            assert!(parse_time("now", text).is_err(), "{text}");
        }
    }
}

//! Shows and changes the limit on requests per second, and shows the level of each bucket.

use std::time::Duration;

use roost_wire::paging::Paged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    super::{error::AdminError, route::AdminRequest},
    warnings::profile_reason,
};
use crate::{
    access::{BucketLevel, lane_time},
    door::WorldVisit,
    settings::{HumanDuration, LimitAlgorithm, LimitScope, LimitSwitch, RateLimit, RetryAfter, Settings},
};

/// A rate limit to set.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[schemars(rename = "LimitsRequest")]
pub(crate) struct LimitsRequest {
    /// Whether requests are limited.
    enabled: Option<bool>,
    algorithm: Option<LimitAlgorithm>,
    /// The setting `limits.per_second`. `burst` becomes the same number unless it is given too.
    #[schemars(range(min = 1, max = 1_000_000))]
    per_second: Option<u32>,
    /// How many requests at once. With a fixed window, always `per_second`.
    #[schemars(range(min = 1, max = 1_000_000))]
    burst: Option<u32>,
    /// What gets a bucket of its own.
    scope: Option<LimitScope>,
    /// Status of the refusal.
    #[schemars(range(min = 400, max = 599))]
    status: Option<u16>,
    retry_after: Option<RetryAfter>,
}

/// The rate limit in force.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Limits", deny_unknown_fields)]
pub(crate) struct LimitsStatus {
    /// Whether requests are limited.
    enabled: bool,
    algorithm: LimitAlgorithm,
    per_second: u32,
    burst: u32,
    scope: LimitScope,
    status: u16,
    retry_after: RetryAfter,
    /// The fault profile that this limit comes from. The world's own limit applies again without the profile.
    profile: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LimitBucket", deny_unknown_fields)]
pub(crate) struct LimitBucket {
    /// The beginning of the key. Null when keys share buckets.
    key: Option<String>,
    /// Null when operations share buckets.
    operation: Option<&'static str>,
    /// Requests that would be accepted now.
    level: u32,
    /// Requests that a full bucket accepts.
    capacity: u32,
    /// Time until the bucket is full, on the world's clock.
    full_in: HumanDuration,
    /// Requests refused since the bucket was last full.
    refused: u32,
}

const MAX_PER_SECOND: u32 = 1_000_000;

/// Lists the buckets that are not full. All others are full.
pub(crate) fn list_buckets(visit: &WorldVisit, request: &AdminRequest) -> Result<Paged<LimitBucket>, AdminError> {
    let (world, settings) = (visit.world(), &visit.rules.settings);
    let rate = world.faults.profile_limit().map(|(rate, _)| rate).or(settings.rate_limit());
    let levels = rate.map(|rate| (world.lanes.read_levels(|| lane_time(&world.core), &rate), rate));
    let (levels, capacity) = match levels {
        Some((levels, rate)) if rate.algorithm == LimitAlgorithm::FixedWindow => (levels, rate.per_second),
        Some((levels, rate)) => (levels, rate.burst),
        None => (Vec::new(), 0),
    };
    let bucket = |level: &BucketLevel| LimitBucket {
        key: level.key.clone(),
        operation: level.operation,
        level: level.free,
        capacity,
        full_in: HumanDuration::from_ceil_millis(Duration::from_nanos(level.full_in)),
        refused: level.refused,
    };
    request.paginate(levels.iter().map(bucket))
}

fn to_limits_status(visit: &WorldVisit, settings: &Settings) -> LimitsStatus {
    let of_profile = visit.world().faults.profile_limit();
    let own = RateLimit {
        algorithm: settings.limit.algorithm,
        per_second: settings.per_second,
        burst: settings.limit.burst.unwrap_or(settings.per_second),
        scope: settings.limit.scope,
    };
    let RateLimit { algorithm, per_second, burst, scope } = of_profile.map_or(own, |(rate, _)| rate);
    LimitsStatus {
        enabled: of_profile.is_some() || settings.limits == LimitSwitch::On,
        algorithm,
        per_second,
        burst,
        scope,
        status: settings.limit.status,
        retry_after: settings.limit.retry_after,
        profile: of_profile.map(|(_, profile)| profile),
    }
}

impl LimitsRequest {
    fn check(&self) -> Result<(), AdminError> {
        for (name, given) in [("per_second", self.per_second), ("burst", self.burst)] {
            if given.is_some_and(|given| !(1..=MAX_PER_SECOND).contains(&given)) {
                return Err(AdminError::invalid(format!("{name}: expected an integer from 1 to {MAX_PER_SECOND}.")));
            }
        }
        if self.status.is_some_and(|status| !(400..=599).contains(&status)) {
            return Err(AdminError::invalid("status: expected an error status from 400 to 599."));
        }
        Ok(())
    }

    fn apply_to(&self, settings: &mut Settings) -> Result<(), AdminError> {
        let limit = &mut settings.limit;
        if let Some(enabled) = self.enabled {
            settings.limits = if enabled { LimitSwitch::On } else { LimitSwitch::Off };
        }
        if let Some(algorithm) = self.algorithm {
            limit.algorithm = algorithm;
            if algorithm == LimitAlgorithm::FixedWindow {
                limit.burst = None;
            }
        }
        if let Some(per_second) = self.per_second {
            (settings.per_second, limit.burst) = (per_second, None);
        }
        if let Some(burst) = self.burst.filter(|burst| *burst != settings.per_second) {
            if limit.algorithm == LimitAlgorithm::FixedWindow {
                let message =
                    format!("burst: a fixed window accepts exactly per_second, which is {}.", settings.per_second);
                return Err(AdminError::invalid(message));
            }
            limit.burst = Some(burst);
        } else if self.burst.is_some() {
            limit.burst = None;
        }
        limit.scope = self.scope.unwrap_or(limit.scope);
        limit.status = self.status.unwrap_or(limit.status);
        limit.retry_after = self.retry_after.unwrap_or(limit.retry_after);
        Ok(())
    }

    /// Warns of the fields that were given and have no effect beside a profile or the rest of the limit.
    fn warn_of_idle_fields(&self, request: &AdminRequest, visit: &WorldVisit, settings: &Settings) {
        let of_profile = [
            ("enabled", self.enabled.is_some()),
            ("algorithm", self.algorithm.is_some()),
            ("per_second", self.per_second.is_some()),
            ("burst", self.burst.is_some()),
            ("scope", self.scope.is_some()),
        ];
        let of_refusal = [("status", self.status.is_some()), ("retry_after", self.retry_after.is_some())];
        if let Some((_, profile)) = visit.world().faults.profile_limit() {
            let why = profile_reason(profile);
            of_profile.iter().filter(|(_, is_given)| *is_given).for_each(|(name, _)| request.warn_of_idle(name, &why));
        } else if settings.limits == LimitSwitch::Off {
            let idle = of_profile[1..].iter().chain(&of_refusal).filter(|(_, is_given)| *is_given);
            idle.for_each(|(name, _)| request.warn_of_idle(name, "while enabled is false"));
        } else if self.burst.is_some() && settings.limit.algorithm == LimitAlgorithm::FixedWindow {
            request.warn_of_idle("burst", "with a fixed window");
        }
    }
}

pub(crate) fn get_limits(visit: &WorldVisit, _: &AdminRequest) -> Result<LimitsStatus, AdminError> {
    Ok(to_limits_status(visit, &visit.rules.settings))
}

pub(crate) fn put_limits(
    visit: &WorldVisit,
    request: &AdminRequest,
    limits: LimitsRequest,
) -> Result<LimitsStatus, AdminError> {
    limits.check()?;
    let rules = visit.world().change_settings(|settings| {
        settings.copy_limits_from(&Settings::default());
        limits.apply_to(settings)
    })?;
    limits.warn_of_idle_fields(request, visit, &rules.settings);
    Ok(to_limits_status(visit, &rules.settings))
}

pub(crate) fn change_limits(
    visit: &WorldVisit,
    request: &AdminRequest,
    limits: LimitsRequest,
) -> Result<LimitsStatus, AdminError> {
    limits.check()?;
    let rules = visit.world().change_settings(|settings| limits.apply_to(settings))?;
    limits.warn_of_idle_fields(request, visit, &rules.settings);
    Ok(to_limits_status(visit, &rules.settings))
}

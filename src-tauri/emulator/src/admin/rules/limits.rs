//! Shows and changes the limit on requests per second, and shows the level of each bucket.

use std::time::Duration;

use roost_wire::paging::Paged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{refused::Refused, route::Asked};
use crate::{
    access::{Level, lane_now},
    door::Visit,
    faults::Span,
    settings::{Algorithm, LimitScope, Limits, RetryAfter, Settings},
};

/// How requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LimitAlgorithm")]
pub enum Counting {
    TokenBucket,
    FixedWindow,
}

/// A rate limit to set.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
#[schemars(rename = "LimitsWish")]
pub struct Wish {
    /// Whether requests are limited.
    enabled: Option<bool>,
    algorithm: Option<Counting>,
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
pub struct Shown {
    /// Whether requests are limited.
    enabled: bool,
    algorithm: Counting,
    per_second: u32,
    burst: u32,
    scope: LimitScope,
    status: u16,
    retry_after: RetryAfter,
    /// The profile whose limit replaces this one. The buckets then belong to the profile's limit.
    profile: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "LimitBucket", deny_unknown_fields)]
pub struct Bucket {
    /// The beginning of the key. Null when keys share buckets.
    key: Option<String>,
    /// Null when operations share buckets.
    operation: Option<&'static str>,
    /// Requests that would be accepted now.
    level: u32,
    /// Requests that a full bucket accepts.
    capacity: u32,
    /// Time until the bucket is full, on the world's clock.
    full_in: Span,
    /// Requests refused since the bucket was last full.
    refused: u32,
}

const MOST: u32 = 1_000_000;

/// Lists the buckets that are not full. All others are full.
pub fn buckets(visit: &Visit, asked: &Asked) -> Result<Paged<Bucket>, Refused> {
    let (world, settings) = (visit.world(), &visit.rules.settings);
    let rate = world.faults.limit().map(|(rate, _)| rate).or(settings.rate());
    let levels = rate.map(|rate| (world.lanes.levels(|| lane_now(&world.core), &rate), rate));
    let (levels, capacity) = match levels {
        Some((levels, rate)) if rate.algorithm == Algorithm::FixedWindow => (levels, rate.per_second),
        Some((levels, rate)) => (levels, rate.burst),
        None => (Vec::new(), 0),
    };
    let bucket = |level: &Level| Bucket {
        key: level.key.clone(),
        operation: level.operation,
        level: level.free,
        capacity,
        full_in: Span::of_millis_above(Duration::from_nanos(level.full_in)),
        refused: level.refused,
    };
    asked.page_of(levels.iter().map(bucket))
}

fn shown(visit: &Visit, settings: &Settings) -> Shown {
    Shown {
        enabled: settings.limits == Limits::On,
        algorithm: match settings.limit.algorithm {
            Algorithm::TokenBucket => Counting::TokenBucket,
            Algorithm::FixedWindow => Counting::FixedWindow,
        },
        per_second: settings.per_second,
        burst: settings.limit.burst.unwrap_or(settings.per_second),
        scope: settings.limit.scope,
        status: settings.limit.status,
        retry_after: settings.limit.retry_after,
        profile: visit.world().faults.limit().map(|(_, profile)| profile),
    }
}

impl Wish {
    fn check(&self) -> Result<(), Refused> {
        for (name, given) in [("per_second", self.per_second), ("burst", self.burst)] {
            if given.is_some_and(|given| !(1..=MOST).contains(&given)) {
                return Err(Refused::invalid(format!("{name}: expected an integer from 1 to {MOST}.")));
            }
        }
        if self.status.is_some_and(|status| !(400..=599).contains(&status)) {
            return Err(Refused::invalid("status: expected an error status from 400 to 599."));
        }
        Ok(())
    }

    fn change(&self, settings: &mut Settings) -> Result<(), Refused> {
        let limit = &mut settings.limit;
        if let Some(enabled) = self.enabled {
            settings.limits = if enabled { Limits::On } else { Limits::Off };
        }
        match self.algorithm {
            None => {}
            Some(Counting::TokenBucket) => limit.algorithm = Algorithm::TokenBucket,
            Some(Counting::FixedWindow) => (limit.algorithm, limit.burst) = (Algorithm::FixedWindow, None),
        }
        if let Some(per_second) = self.per_second {
            (settings.per_second, limit.burst) = (per_second, None);
        }
        if let Some(burst) = self.burst.filter(|burst| *burst != settings.per_second) {
            if limit.algorithm == Algorithm::FixedWindow {
                let told =
                    format!("burst: a fixed window accepts exactly per_second, which is {}.", settings.per_second);
                return Err(Refused::invalid(told));
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
}

pub fn get(visit: &Visit, _: &Asked) -> Result<Shown, Refused> {
    Ok(shown(visit, &visit.rules.settings))
}

pub fn put(visit: &Visit, _: &Asked, wish: Wish) -> Result<Shown, Refused> {
    wish.check()?;
    let rules = visit.world().change_settings(|settings| {
        settings.keep_limits_of(&Settings::default());
        wish.change(settings)
    })?;
    Ok(shown(visit, &rules.settings))
}

pub fn change(visit: &Visit, _: &Asked, wish: Wish) -> Result<Shown, Refused> {
    wish.check()?;
    let rules = visit.world().change_settings(|settings| wish.change(settings))?;
    Ok(shown(visit, &rules.settings))
}

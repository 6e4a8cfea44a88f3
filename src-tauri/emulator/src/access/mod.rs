//! Decides who may act, in which world and how often: by host, page, world, key and rate.

mod auth;
mod fingerprints;
mod gate;
mod lanes;
mod reach;
mod refusal;
mod tokens;
mod world_id;

pub(crate) use auth::{CallerKey, KEY_HEADER, check_key};
pub(crate) use fingerprints::KeyFingerprints;
pub(crate) use gate::{Gate, GateRefusal, is_link_navigation};
pub(crate) use lanes::{BucketLevel, RateLanes, RateLanesState, lane_time};
pub use reach::{PageOrigin, PublicUrl};
pub(crate) use tokens::{AdminTokens, TokenScope, new_secret};

use auth::is_same_secret;
pub use world_id::WorldPrefix;
pub(crate) use world_id::{NAME_PATTERN, WORLD_SEGMENT, WorldId, is_world_name};

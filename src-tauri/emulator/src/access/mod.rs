//! Decides who may act, in which world and how often: by host, page, world, key and rate.

mod auth;
mod fingerprints;
mod gate;
mod lanes;
mod reach;
mod refusal;
mod tokens;
mod world_id;

pub use auth::{CallerKey, KEY_HEADER, check_key};
pub use fingerprints::KeyFingerprints;
pub use gate::{Gate, GateRefusal, is_link_navigation};
pub use lanes::{BucketLevel, RateLanes, RateLanesState, lane_time};
pub use reach::{PageOrigin, PublicUrl};
pub use tokens::{AdminTokens, TokenScope, new_secret};

use auth::is_same_secret;
pub use world_id::{NAME_PATTERN, WORLD_SEGMENT, WorldId, WorldPrefix, is_world_name};

//! Decides who may act, in which world and how often: by host, page, world, key and rate.

mod auth;
mod fingerprints;
mod gate;
mod lanes;
mod reach;
mod select;
mod tokens;

pub use auth::{CallerKey, KEY_HEADER, check_key};
pub use fingerprints::KeyFingerprints;
pub use gate::{Gate, GateRefusal, is_link_navigation};
pub use lanes::{BucketLevel, RateLanes, RateLanesState, lane_time};
pub use reach::{PageOrigin, PublicUrl};
pub use select::{WORLD_SEGMENT, find_world_names};
pub use tokens::{AdminTokens, TokenScope, new_secret};

use auth::is_same_secret;

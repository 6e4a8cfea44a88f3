//! Decides who may act, in which world and how often: by host, page, world, key and rate.

mod auth;
mod gate;
mod lanes;
mod prints;
mod reach;
mod select;
mod tokens;

pub use auth::{Caller, KEY_HEADER, admit};
pub use gate::{Gate, Stopped, is_followed};
pub use lanes::{Lanes, LanesState, Level, lane_now};
pub use prints::Prints;
pub use reach::{PageOrigin, PublicUrl};
pub use select::{WORLD_SEGMENT, named};
pub use tokens::{Scope, Tokens, secret};

use auth::same_secret;

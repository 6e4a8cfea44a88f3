//! Handles the account as a whole: its profile and country, its overview, filling it, comparing it and exporting it.

pub mod audit;
pub mod backup;
mod country;
pub mod diff;
pub mod erase;
pub mod health;
pub mod held;
pub mod overview;
mod profile;
pub mod restore;
pub mod seed;
mod ui_state;

pub use self::{country::*, profile::*, ui_state::*};

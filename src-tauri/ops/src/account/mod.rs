//! The account as a whole: its name and colour, how much it holds, filling it, writing it out.

mod country;
pub mod diff;
mod face;
pub mod overview;
pub mod sample;
pub mod seed;
mod ui_state;

pub use self::{country::*, face::*, ui_state::*};

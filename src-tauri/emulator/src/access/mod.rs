//! Who may act, and how often.

mod auth;
mod lanes;

pub use auth::{Caller, admit, same_secret};
pub use lanes::Lanes;

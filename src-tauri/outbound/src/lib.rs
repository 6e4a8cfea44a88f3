//! The one HTTP client that leaves this process: it decides where it may go, before it goes.

mod address;
mod client;
mod pins;

pub use address::{Policy, Reach, classify};
pub use client::{ANSWER_MAX, Answer, Failure, Outbound, TIME_OUT, USER_AGENT};

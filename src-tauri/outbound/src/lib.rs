//! The one HTTP client that leaves this process: it decides where it may go, before it goes.

mod address;
mod client;
mod clients;
mod failure;
mod line;
mod pins;

pub use address::{Policy, Reach, classify};
pub use client::{ANSWER_MAX, Answer, Called, Outbound, Post, TIME_OUT, USER_AGENT};
pub use failure::Failure;
pub use line::{Body, Key, Line, NoAuthority, NoHeader, Reply, Request};
pub use pins::label_of_localhost;

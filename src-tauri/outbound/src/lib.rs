//! The only HTTP client of this process. It checks where a call goes before it is made.

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

//! One binary of integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test gives up in the middle: that is how it fails")]

mod concurrency;
mod crash;
mod opening;
mod phones;
mod rest;
mod transport;
mod whole;

//! One binary of integration tests.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test gives up in the middle: that is how it fails")]

mod bytes;
mod concurrency;
mod contract;
mod crash;
mod gate;
mod openapi;
mod opening;
mod operator;
mod phones;
mod program;
mod rest;
mod transport;
mod whole;

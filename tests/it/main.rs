//! The integration tests, in one binary.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod bytes;
mod concurrency;
mod contract;
mod crash;
mod emulator;
mod gate;
mod openapi;
mod opening;
mod phones;
mod program;
mod remote;
mod rest;
mod transport;
mod whole;

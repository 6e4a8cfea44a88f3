//! Harness of the tests: an emulator to talk to, a client that shows what it sent, a receiver of callbacks, seeds.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test gives up in the middle: that is how it fails")]

pub mod expected;
pub mod http;
pub mod leaks;
pub mod numbers;
pub mod receiver;
pub mod seeds;
pub mod served;
pub mod snapshot;
pub mod spawned;
pub mod wait;

pub use expected::Expected;
pub use http::{Answer, Client, Request, partial::PartialRequest};
pub use receiver::{Receiver, Reply};
pub use served::{Served, Setup};
pub use spawned::Spawned;
pub use wait::{seconds, until};

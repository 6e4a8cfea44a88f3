//! What the operator of the service sets up: senders and inbound assets.

pub mod asset;
pub mod sender;

//! Commands on what only the operator of the service can change: senders and inbound assets.

pub mod asset;
pub mod sender;

//! Contains the acts of the service's operator on senders and inbound assets.

pub mod asset;
pub mod sender;

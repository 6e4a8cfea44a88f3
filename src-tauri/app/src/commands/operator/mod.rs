//! Commands on what only the operator of the service can change: senders and inbound assets.

pub(super) mod asset;
pub(super) mod sender;

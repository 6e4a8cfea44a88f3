//! What belongs to the operator's side at the service: senders, and the assets that messages come in on.

pub mod asset;
pub mod sender;

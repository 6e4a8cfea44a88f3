//! The operator's side: what the service's own web application does for it.

pub mod account;
pub mod assets;
pub mod clicks;
pub mod custom_fields;
pub mod metrics;
pub mod opt_outs;
pub mod senders;

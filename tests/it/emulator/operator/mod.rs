//! The operator's side, which stands in for the web application of the service.

pub mod account;
pub mod assets;
pub mod clicks;
pub mod custom_fields;
pub mod metrics;
pub mod opt_outs;
pub mod senders;
pub mod without_effect;

//! The operator's side, which stands in for the web application of the service.

pub(crate) mod account;
pub(crate) mod assets;
pub(crate) mod clicks;
pub(crate) mod custom_fields;
pub(crate) mod metrics;
pub(crate) mod opt_outs;
pub(crate) mod senders;
pub(crate) mod without_effect;

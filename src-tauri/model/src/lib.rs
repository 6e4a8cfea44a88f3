//! The nouns, rules and validation of a messaging account, without I/O and without a clock.

pub mod asset;
pub mod channel;
pub mod contact;
pub mod custom_field;
pub mod error;
pub mod id;
pub mod job;
pub mod list;
pub mod opt_out;
pub mod phone;
pub mod sender;
pub mod short_link;
pub mod time;
pub mod view;

pub use view::{filter, intervals, page, pattern, readiness};

//! Verbs: one function = one user action = one transaction. None of them knows which front door called it.

pub mod asset;
pub mod callback;
pub mod contact;
pub mod core;
pub mod ctx;
pub mod custom_field;
pub mod error;
pub mod job;
pub mod list;
pub mod opt_out;
pub mod overview;
pub mod seed;
pub mod sender;
pub mod short_link;

pub use crate::{
    core::{By, ChangeNotice, Core, Subscription},
    ctx::Ctx,
    error::Error,
};
pub use roost_store::{
    change_log::{Noun, Source},
    error::Error as StoreError,
};

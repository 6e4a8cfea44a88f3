//! Contains the acts: one function is one user action and one transaction. No act knows which front door called it.

pub mod account;
pub mod contact;
pub mod core;
pub mod ctx;
pub mod custom_field;
pub mod error;
pub mod history;
pub mod job;
pub mod list;
mod operator;
pub mod opt_out;
pub mod search;
pub mod short_link;

pub use crate::{
    account::{diff, overview, seed},
    core::{Actor, ChangeNotice, Core, Subscription},
    ctx::Ctx,
    error::Error,
    job::callback,
    operator::{asset, sender},
};
pub use roost_store::{
    change_log::{ActorKind, Noun},
    db::diff::AccountResource,
    error::StoreError,
    files::{output, whole_file},
    image::Image,
    watch::Watch,
};

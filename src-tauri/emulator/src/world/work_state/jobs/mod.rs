//! The state of a world's jobs outside the account, and the policy by which they proceed.

mod ended;
mod events;
mod origin;
mod policy;
mod tracker;

pub(crate) use self::{
    events::{JobEvent, JobEventKind},
    policy::{JobPolicy, JobProgress},
    tracker::{JobHold, JobTracker, JobTurn, JobsState},
};

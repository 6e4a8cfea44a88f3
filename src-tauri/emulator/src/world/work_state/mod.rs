//! The state of a world's jobs and callbacks outside the account, and the policies by which they proceed.

mod callbacks;
mod completed;
mod jobs;
mod scheduler;

pub(crate) use self::{
    callbacks::{
        AttemptContext, AttemptDetails, CallbackContent, CallbackOrder, CallbackPolicy, CallbackSignature,
        CallbackTemplate, CallbacksState, GiveUpReason,
    },
    completed::CompletedWork,
    jobs::{JobEvent, JobEventKind, JobHold, JobPolicy, JobProgress, JobTracker, JobTurn, JobsState},
    scheduler::WorkScheduler,
};

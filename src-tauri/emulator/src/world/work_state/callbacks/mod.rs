//! The state of a world's callbacks outside the account, and the policy by which they are sent.

mod policy;
mod template;
mod tracker;

pub(crate) use self::{
    policy::{AttemptContext, CallbackOrder, CallbackPolicy, CallbackSignature},
    template::{CallbackContent, CallbackTemplate},
    tracker::{AttemptDetails, CallbackTracker, CallbacksState, GiveUpReason},
};

//! Commands on the past of an account: jobs, the timeline, undo and the trash.

pub(super) mod activity;
pub(super) mod history;
pub(super) mod job;

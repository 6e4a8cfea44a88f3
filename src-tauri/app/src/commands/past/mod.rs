//! Commands on the past of an account: jobs, the timeline, undo and the trash.

pub mod activity;
pub mod history;
pub mod job;

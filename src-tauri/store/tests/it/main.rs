//! Tests opening account files in every state in which they can be found.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests give up in the middle: that is how they fail")]

mod companions;
mod corrupt;
mod endings;
mod file_identity;
mod files_in_use;
mod images;
mod looking;
mod opening;
mod safety_copies;
mod safety_histories;
mod support;
mod unfinished;

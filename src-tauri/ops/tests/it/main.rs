//! Acts on an account, seen from outside: random histories against plain models, seeds there and back.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests give up in the middle: that is how they fail")]

mod callbacks;
mod job_model;
mod jobs;
mod seed_faults;
mod seeds;
mod support;

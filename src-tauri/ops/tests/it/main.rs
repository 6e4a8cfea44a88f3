//! Acts on an account, seen from outside: random histories against plain models, seeds there and back.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests give up in the middle: that is how they fail")]

mod callbacks;
mod job_model;
mod job_parts;
mod jobs;
mod kept_records;
mod lists_and_contacts;
mod older_files;
mod opt_outs;
mod seeds;
mod support;
mod table_orders;
mod taking_back;
mod undo;
mod whole;

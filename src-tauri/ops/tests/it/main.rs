//! Tests acts on an account from outside: random histories against simple models, and seeds that are exported and
//! applied.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a failing test may panic anywhere")]

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

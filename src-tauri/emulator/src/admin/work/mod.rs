//! Contact jobs, callbacks and the receivers of this server, in the operator's hands.

pub mod callbacks;
pub mod hooks;
pub mod job;
pub mod origin;
pub mod outcome;
mod wait;

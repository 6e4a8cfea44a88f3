//! Routes on contact jobs, callbacks and the built-in receivers.

pub(super) mod callbacks;
pub(super) mod hooks;
pub(super) mod job;
pub(super) mod origin;
pub(super) mod outcome;
mod wait;

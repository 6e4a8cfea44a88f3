//! Routes on contact jobs, callbacks and the built-in receivers.

pub mod callbacks;
pub mod hooks;
pub mod job;
pub mod origin;
pub mod outcome;
mod wait;

//! Requests for every command: as people make them, and the worst they can make.

use serde_json::Value;

use super::world::{Asked, World};

/// Makes the request of one run; what it needs to be there is made first, and not timed.
pub type Ask = Box<dyn Fn(&World, usize) -> Asked>;

pub struct Sample {
    pub command: &'static str,
    /// What is asked for, where a command is asked in several ways.
    pub what: &'static str,
    /// Why it may take its time; none: it must not.
    pub why_long: Option<&'static str>,
    pub ask: Ask,
}

/// Must answer within the limit.
pub fn quick(command: &'static str, what: &'static str, ask: impl Fn(&World, usize) -> Asked + 'static) -> Sample {
    Sample { command, what, why_long: None, ask: Box::new(ask) }
}

/// The same, with a request that needs nothing.
pub fn plain(command: &'static str, what: &'static str, request: Value) -> Sample {
    quick(command, what, move |_, _| Ok(request.clone()))
}

/// An act whose size is its time: it is shown with its progress, can be ended, and nobody waits for it.
pub fn long(
    command: &'static str,
    what: &'static str,
    why: &'static str,
    ask: impl Fn(&World, usize) -> Asked + 'static,
) -> Sample {
    Sample { command, what, why_long: Some(why), ask: Box::new(ask) }
}

//! Sample requests for every command: typical ones and the worst possible ones.

use serde_json::Value;

use super::world::{BenchWorld, CommandResult};

/// Builds the request of one run. Records that it needs are created first, outside the measured time.
pub(super) type BuildRequest = Box<dyn Fn(&BenchWorld, usize) -> CommandResult>;

pub(super) struct CommandSample {
    pub command: &'static str,
    /// The kind of request, if a command has several samples.
    pub what: &'static str,
    /// The reason why it may take long. None if it must be quick.
    pub why_long: Option<&'static str>,
    pub ask: BuildRequest,
}

/// Returns a sample that must be answered within the limit.
pub(super) fn quick_sample(
    command: &'static str,
    what: &'static str,
    ask: impl Fn(&BenchWorld, usize) -> CommandResult + 'static,
) -> CommandSample {
    CommandSample { command, what, why_long: None, ask: Box::new(ask) }
}

/// Returns a quick sample whose request needs no preparation.
pub(super) fn plain_sample(command: &'static str, what: &'static str, request: Value) -> CommandSample {
    quick_sample(command, what, move |_, _| Ok(request.clone()))
}

/// Returns an act whose duration depends on its size. It shows its progress and can be cancelled, and nobody waits for
/// it.
pub(super) fn long_sample(
    command: &'static str,
    what: &'static str,
    why: &'static str,
    ask: impl Fn(&BenchWorld, usize) -> CommandResult + 'static,
) -> CommandSample {
    CommandSample { command, what, why_long: Some(why), ask: Box::new(ask) }
}

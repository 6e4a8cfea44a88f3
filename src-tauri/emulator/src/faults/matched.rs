//! Collects the rules that fire for a request: one rule, and in addition at most one that only delays.

use super::{
    FaultOptions, FiredFault,
    armed::{FaultSource, NoMatchReason},
    effect, magic, prefer,
    request::IncomingRequest,
    rule::FaultRule,
};

/// A rule, and the reason why it would not fire for a request.
pub(crate) struct RuleExplanation {
    pub name: Box<str>,
    pub source: FaultSource,
    pub only_delays: bool,
    pub reason: Option<NoMatchReason>,
}

/// The rules that have fired for a request so far.
#[derive(Default)]
pub(super) struct MatchedRules {
    fired: Option<FiredFault>,
    /// Fired by a rule that only delays.
    delayed: Option<FiredFault>,
}

impl MatchedRules {
    pub(super) fn has_room_for(&self, only_delays: bool) -> bool {
        if only_delays { self.delayed.is_none() } else { self.fired.is_none() }
    }

    pub(super) fn add(&mut self, only_delays: bool, fired: FiredFault) {
        let place = if only_delays { &mut self.delayed } else { &mut self.fired };
        *place = Some(fired);
    }

    /// Combines both rules: the waits add up, to at most the longest wait.
    pub(super) fn into_fired(self) -> Option<FiredFault> {
        match (self.fired, self.delayed) {
            (Some(fired), Some(delayed)) => {
                let wait = fired.wait.saturating_add(delayed.wait).min(effect::LATENCY_MAX.0);
                Some(FiredFault { wait, ..fired })
            }
            (fired, delayed) => fired.or(delayed),
        }
    }
}

/// Returns the faults that the request itself asks for, if the options permit them.
pub(super) fn requested_faults(options: FaultOptions, request: &IncomingRequest<'_>) -> Vec<(FaultRule, FiredFault)> {
    let preferred = options.prefer.then(|| prefer::rule_from_headers(&request.parts.headers)).flatten();
    let magic = options.magic.then(|| magic::find_in_request(request)).flatten();
    let preferred = preferred.map(|rule| (rule.clone(), FiredFault::from_prefer(rule)));
    let magic = magic.map(|(rule, refusal)| (rule.clone(), FiredFault::from_magic((rule, refusal))));
    preferred.into_iter().chain(magic).collect()
}

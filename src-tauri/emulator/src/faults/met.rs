//! Collects the rules that fire for a request: one rule, and in addition at most one that only delays.

use super::{
    Fired, Options,
    armed::{Passed, Source},
    asked::Request,
    effect, magic, prefer,
    rule::Rule,
};

/// A rule, and the reason why it would not fire for a request.
pub struct Explained {
    pub name: Box<str>,
    pub source: Source,
    pub only_delays: bool,
    pub passed: Option<Passed>,
}

/// The rules that have fired for a request so far.
#[derive(Default)]
pub(super) struct Met {
    fired: Option<Fired>,
    /// Fired by a rule that only delays.
    delayed: Option<Fired>,
}

impl Met {
    pub fn wants(&self, only_delays: bool) -> bool {
        if only_delays { self.delayed.is_none() } else { self.fired.is_none() }
    }

    pub fn take(&mut self, only_delays: bool, fired: Fired) {
        let place = if only_delays { &mut self.delayed } else { &mut self.fired };
        *place = Some(fired);
    }

    /// Combines both rules: the waits add up, to at most the longest wait.
    pub fn together(self) -> Option<Fired> {
        match (self.fired, self.delayed) {
            (Some(fired), Some(delayed)) => {
                let wait = fired.wait.saturating_add(delayed.wait).min(effect::LONGEST.0);
                Some(Fired { wait, ..fired })
            }
            (fired, delayed) => fired.or(delayed),
        }
    }
}

/// Returns the faults that the request itself asks for, if the options permit them.
pub(super) fn asked_for(options: Options, request: &Request<'_>) -> Vec<(Rule, Fired)> {
    let preferred = options.prefer.then(|| prefer::rule(&request.parts.headers)).flatten();
    let magic = options.magic.then(|| magic::find(request)).flatten();
    let preferred = preferred.map(|rule| (rule.clone(), Fired::preferred(rule)));
    let magic = magic.map(|(rule, refusal)| (rule.clone(), Fired::magic((rule, refusal))));
    preferred.into_iter().chain(magic).collect()
}

//! What meets a request: one rule, and beside it at most one that does nothing but delay.

use super::{
    Fired, Options,
    armed::{Passed, Source},
    asked::Request,
    effect, magic, prefer,
    rule::Rule,
};

/// A rule, and why it would not meet a request; none where it would.
pub struct Explained {
    pub name: Box<str>,
    pub source: Source,
    pub only_delays: bool,
    pub passed: Option<Passed>,
}

/// What has met a request so far.
#[derive(Default)]
pub(super) struct Met {
    fired: Option<Fired>,
    /// By a rule that does nothing else.
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

    /// The one with the longer wait of both.
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

/// What the request itself asks for, where that is allowed.
pub(super) fn asked_for(options: Options, request: &Request<'_>) -> Vec<(Rule, Fired)> {
    let preferred = options.prefer.then(|| prefer::rule(&request.parts.headers)).flatten();
    let magic = options.magic.then(|| magic::find(request)).flatten();
    let preferred = preferred.map(|rule| (rule.clone(), Fired::preferred(rule)));
    let magic = magic.map(|(rule, refusal)| (rule.clone(), Fired::magic((rule, refusal))));
    preferred.into_iter().chain(magic).collect()
}

//! Verifies how many requests match, or that requests match in an order.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::matcher::Matcher;
use crate::{Direction, Exchange};

/// How many matching requests are expected. All bounds that are given must hold. Default: at least one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields, default)]
#[schemars(rename = "VerifyTimes")]
pub struct VerifyTimes {
    pub exactly: Option<u64>,
    pub at_least: Option<u64>,
    pub at_most: Option<u64>,
}

impl VerifyTimes {
    fn lower_bound(&self) -> u64 {
        let or_one = if self.at_most.is_some() { 0 } else { 1 };
        self.exactly.max(self.at_least).unwrap_or(or_one)
    }

    fn upper_bound(&self) -> u64 {
        [self.exactly, self.at_most].into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// Refuses bounds that no count can meet.
    pub fn check_bounds(&self) -> Result<(), String> {
        let (least, most) = (self.lower_bound(), self.upper_bound());
        if least <= most && self.exactly.is_none_or(|exactly| (least, most) == (exactly, exactly)) {
            return Ok(());
        }
        let given = [("exactly", self.exactly), ("at_least", self.at_least), ("at_most", self.at_most)];
        let given: Vec<String> =
            given.into_iter().filter_map(|(name, bound)| Some(format!("{name} {}", bound?))).collect();
        Err(format!("times: no count can be {}. Change or remove one of them.", given.join(" and ")))
    }

    /// Whether a later line can break the bounds, so that the result is known only at the end of the wait.
    pub fn needs_full_wait(&self) -> bool {
        self.upper_bound() < u64::MAX
    }

    pub fn describe(&self) -> String {
        match (self.lower_bound(), self.upper_bound()) {
            (least, most) if least == most => format!("exactly {least}"),
            (least, u64::MAX) => format!("at least {least}"),
            (0, most) => format!("at most {most}"),
            (least, most) => format!("{least} to {most}"),
        }
    }
}

/// The status of a verification so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerifyStatus {
    Holds,
    /// Further lines can still satisfy it.
    NotYet,
    /// No further line can satisfy it.
    Never,
}

/// The result of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyResult {
    pub status: VerifyStatus,
    /// The numbers of the matching lines.
    pub lines: Vec<u64>,
    /// The index of the first matcher without a matching line.
    pub open: usize,
}

/// Counts matching lines; `before` are the matching lines among earlier ones.
pub fn count_matches(matcher: &Matcher, times: VerifyTimes, before: Vec<u64>, lines: &[Arc<Exchange>]) -> VerifyResult {
    let fitting = counted_lines(matcher, lines).filter(|line| matcher.matches(line.as_ref())).map(|line| line.id);
    let lines: Vec<u64> = before.into_iter().chain(fitting).collect();
    let matched = lines.len() as u64;
    let status = match (times.lower_bound(), times.upper_bound()) {
        (_, most) if matched > most => VerifyStatus::Never,
        (least, _) if matched < least => VerifyStatus::NotYet,
        _ => VerifyStatus::Holds,
    };
    VerifyResult { status, lines, open: 0 }
}

/// Checks whether lines match the matchers in order, with any other lines between. Earlier lines, `before`, matched
/// the first matchers.
pub fn match_order(matchers: &[Matcher], before: Vec<u64>, lines: &[Arc<Exchange>]) -> VerifyResult {
    let mut found = before;
    for line in lines {
        let Some(matcher) = matchers.get(found.len()) else { break };
        if is_counted(matcher, line) && matcher.matches(line.as_ref()) {
            found.push(line.id);
        }
    }
    let status = if found.len() == matchers.len() { VerifyStatus::Holds } else { VerifyStatus::NotYet };
    let open = found.len().min(matchers.len().saturating_sub(1));
    VerifyResult { status, lines: found, open }
}

/// Returns the lines that count for a matcher.
pub fn counted_lines<'l>(matcher: &Matcher, lines: &'l [Arc<Exchange>]) -> impl Iterator<Item = &'l Arc<Exchange>> {
    lines.iter().filter(move |line| is_counted(matcher, line))
}

/// Calls of the operator and callbacks count only if the matcher tests the operation, direction, path or URL.
fn is_counted(matcher: &Matcher, line: &Exchange) -> bool {
    !is_operator_traffic(line) || matcher.tests_target()
}

/// Whether the line is not a request to the interface: a callback, or a call of the operator.
pub(crate) fn is_operator_traffic(line: &Exchange) -> bool {
    let operation = line.operation.as_deref().unwrap_or_default();
    line.direction == Direction::Out
        || operation == "openapi"
        || operation == "admin"
        || operation.starts_with("admin.")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample_lines() -> Vec<Arc<Exchange>> {
        let names = ["lists.create", "admin.info", "contacts.create", "callback", "lists.create"];
        let line = |(n, name): (usize, &&'static str)| {
            let direction = if *name == "callback" { Direction::Out } else { Direction::In };
            Arc::new(Exchange { id: n as u64 + 1, operation: Some((*name).into()), direction, ..Exchange::default() })
        };
        names.iter().enumerate().map(line).collect()
    }

    fn read_matcher(written: serde_json::Value) -> Matcher {
        Matcher::read(&written, "match").expect("a matcher")
    }

    #[test]
    fn counts_hold_may_still_hold_or_can_never_hold() {
        let times = |exactly, at_least, at_most| VerifyTimes { exactly, at_least, at_most };
        for (times_wanted, want) in [
            (times(None, None, None), VerifyStatus::Holds),
            (times(Some(2), None, None), VerifyStatus::Holds),
            (times(Some(3), None, None), VerifyStatus::NotYet),
            (times(Some(1), None, None), VerifyStatus::Never),
            (times(None, Some(2), Some(2)), VerifyStatus::Holds),
            (times(None, Some(3), None), VerifyStatus::NotYet),
            (times(None, None, Some(1)), VerifyStatus::Never),
            (times(Some(0), None, None), VerifyStatus::Never),
        ] {
            let (lists, lines) = (read_matcher(json!({ "operation": "lists.create" })), sample_lines());
            for cut in 0..=lines.len() {
                let before = count_matches(&lists, times_wanted, Vec::new(), &lines[..cut]).lines;
                let result = count_matches(&lists, times_wanted, before, &lines[cut..]);
                assert_eq!((result.status, result.lines), (want.clone(), vec![1, 5]), "{times_wanted:?} from {cut}");
            }
        }
    }

    #[test]
    fn bounds_hold_together_or_are_refused() {
        let times = |exactly, at_least, at_most| VerifyTimes { exactly, at_least, at_most };
        for (bounds, want) in [
            (
                times(Some(1), Some(5), None),
                Some("times: no count can be exactly 1 and at_least 5. Change or remove one of them."),
            ),
            (
                times(None, Some(3), Some(1)),
                Some("times: no count can be at_least 3 and at_most 1. Change or remove one of them."),
            ),
            (
                times(Some(2), None, Some(1)),
                Some("times: no count can be exactly 2 and at_most 1. Change or remove one of them."),
            ),
            (times(Some(2), Some(1), Some(3)), None),
            (times(None, Some(2), Some(2)), None),
            (times(None, None, None), None),
        ] {
            assert_eq!(bounds.check_bounds().err().as_deref(), want, "{bounds:?}");
        }
        let (lists, lines) = (read_matcher(json!({ "operation": "lists.create" })), sample_lines());
        let result = count_matches(&lists, times(Some(2), Some(1), Some(3)), Vec::new(), &lines);
        assert_eq!(result.status, VerifyStatus::Holds);
    }

    #[test]
    fn calls_of_the_operator_and_callbacks_count_only_on_request() {
        for (written, want) in [
            (json!({}), vec![1, 3, 5]),
            (json!({ "method": { "absent": false } }), vec![1, 3, 5]),
            (json!({ "operation": "admin" }), vec![2]),
            (json!({ "direction": "out" }), vec![4]),
        ] {
            assert_eq!(
                count_matches(&read_matcher(written.clone()), VerifyTimes::default(), Vec::new(), &sample_lines())
                    .lines,
                want,
                "{written}"
            );
        }
    }

    #[test]
    fn an_order_may_have_others_between() {
        let operations = |names: &[&str]| -> Vec<_> {
            names.iter().map(|name| read_matcher(json!({ "operation": name }))).collect()
        };
        let lines = sample_lines();
        for cut in 0..=lines.len() {
            let judge_order = |names: &[&str]| {
                let matchers = operations(names);
                match_order(&matchers, match_order(&matchers, Vec::new(), &lines[..cut]).lines, &lines[cut..])
            };
            let result = judge_order(&["lists.create", "callback", "lists.create"]);
            assert_eq!((result.status, result.lines), (VerifyStatus::Holds, vec![1, 4, 5]), "from {cut}");
            let part = judge_order(&["contacts.create", "admin", "callback"]);
            assert_eq!((part.status, part.lines, part.open), (VerifyStatus::NotYet, vec![3], 1), "from {cut}");
        }
    }
}

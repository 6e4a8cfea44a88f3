//! The report of a replay, as text and as JSON.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};

use super::compare::BodyComparison;
use crate::terminal::plain_value;

/// The most characters of a value in a line.
const VALUE_CHARS_MAX: usize = 200;

#[derive(Default)]
pub(super) struct ReplayReport<'a> {
    pub entries: Vec<ReplayEntry<'a>>,
}

pub(super) struct ReplayEntry<'a> {
    pub at: usize,
    pub method: &'a str,
    pub url: &'a str,
    pub outcome: ReplayOutcome,
}

pub(super) enum ReplayOutcome {
    LeftOut(&'static str),
    /// The request was sent, but the recording has no response.
    Unknown,
    Sent {
        recorded: u16,
        now: u16,
        compared: BodyComparison,
        /// Whether the body was compared, not only the status.
        is_whole: bool,
    },
}

impl ReplayOutcome {
    fn is_different(&self) -> bool {
        matches!(self, Self::Sent { recorded, now, compared, .. } if recorded != now || compared.count > 0)
    }
}

#[derive(Default)]
struct ReplayCounts {
    sent: usize,
    same: usize,
    different: usize,
    by_status_alone: usize,
    unknown: usize,
    left_out: BTreeMap<&'static str, usize>,
}

impl ReplayReport<'_> {
    pub(super) fn is_same(&self) -> bool {
        !self.entries.iter().any(|entry| entry.outcome.is_different())
    }

    fn count_outcomes(&self) -> ReplayCounts {
        let mut counts = ReplayCounts::default();
        for ReplayEntry { outcome, .. } in &self.entries {
            match outcome {
                ReplayOutcome::LeftOut(why) => *counts.left_out.entry(why).or_default() += 1,
                ReplayOutcome::Unknown => counts.unknown += 1,
                ReplayOutcome::Sent { is_whole, .. } => {
                    counts.by_status_alone += usize::from(!is_whole);
                    *(if outcome.is_different() { &mut counts.different } else { &mut counts.same }) += 1;
                }
            }
        }
        counts.sent = counts.same + counts.different + counts.unknown;
        counts
    }

    /// Writes a block for each response that differs, and a line of counts.
    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        for ReplayEntry { at, method, url, outcome } in &self.entries {
            let ReplayOutcome::Sent { recorded, now, compared, .. } = outcome else { continue };
            if !outcome.is_different() {
                continue;
            }
            // Writing to a String never fails.
            let _ = writeln!(out, "DIFF {at}: {method} {}", plain_value(url));
            if recorded != now {
                let _ = writeln!(out, "     status: recorded {recorded}, now {now}");
            }
            for difference in &compared.differences {
                let place = if difference.pointer.is_empty() { "the body" } else { &difference.pointer };
                let (recorded, now) =
                    (describe_value(difference.recorded.as_ref()), describe_value(difference.now.as_ref()));
                let _ = writeln!(out, "     {}: recorded {recorded}, now {now}", plain_value(place));
            }
            let more = compared.count - compared.differences.len();
            if more > 0 {
                let _ = writeln!(out, "     and {more} more");
            }
        }
        let counts = self.count_outcomes();
        let _ = write!(out, "{} sent: {} as recorded, {} different", counts.sent, counts.same, counts.different);
        if counts.unknown > 0 {
            let _ = write!(out, ", {} without a recorded answer", counts.unknown);
        }
        out += ".\n";
        if counts.by_status_alone > 0 {
            let _ =
                writeln!(out, "Compared by status only, because the rest was not stored: {}.", counts.by_status_alone);
        }
        if !counts.left_out.is_empty() {
            let reasons = counts.left_out.iter().map(|(why, count)| format!("{count} {why}"));
            let _ = writeln!(out, "Skipped: {}.", reasons.collect::<Vec<_>>().join("; "));
        }
        out
    }

    pub(super) fn to_json(&self) -> Value {
        let counts = self.count_outcomes();
        let differing = self.entries.iter().filter(|entry| entry.outcome.is_different());
        let exchanges = differing.filter_map(|ReplayEntry { at, method, url, outcome }| {
            let ReplayOutcome::Sent { recorded, now, compared, .. } = outcome else { return None };
            let differences = compared.differences.iter().map(|difference| {
                json!({ "pointer": difference.pointer, "recorded": difference.recorded, "now": difference.now })
            });
            let differences: Vec<Value> = differences.collect();
            Some(json!({
                "at": at, "method": method, "url": url, "status": { "recorded": recorded, "now": now },
                "differences": differences, "differences_total": compared.count,
            }))
        });
        let exchanges: Vec<Value> = exchanges.collect();
        json!({
            "is_same": self.is_same(), "sent": counts.sent, "same": counts.same, "different": counts.different,
            "without_recorded_answer": counts.unknown, "by_status_alone": counts.by_status_alone,
            "left_out": counts.left_out, "exchanges": exchanges,
        })
    }
}

fn describe_value(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".to_owned() };
    let text = value.to_string();
    let mut shortened: String = text.chars().take(VALUE_CHARS_MAX).collect();
    if shortened.len() < text.len() {
        shortened.push('…');
    }
    plain_value(&shortened)
}

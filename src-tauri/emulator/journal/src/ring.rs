//! The recorded lines, bounded in number and size; the oldest are dropped.

use std::{collections::VecDeque, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Exchange, RefusalCheck};

/// How much a journal holds; the limit that is reached first applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalLimits {
    pub lines: usize,
    /// The estimated memory of the lines.
    pub bytes: usize,
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self { lines: 1_000, bytes: 16 * 1024 * 1024 }
    }
}

#[derive(Default)]
pub(super) struct LineRing {
    lines: VecDeque<Arc<Exchange>>,
    limits: JournalLimits,
    bytes: usize,
    last_id: u64,
    /// The last line that was removed on purpose.
    floor: u64,
    dropped: u64,
    /// How many of the recorded lines are requests that the gate refused.
    at_gate: usize,
    epoch: u64,
}

// Requested lines that the journal no longer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct JournalGap {
    pub first: u64,
    pub last: u64,
}

/// At most one line in this many is a request that the gate refused. Further ones are only counted as dropped.
const GATE_SHARE: usize = 8;

fn is_gate_refusal(line: &Exchange) -> bool {
    line.why.as_ref().is_some_and(|why| why.check == RefusalCheck::Gate)
}

impl LineRing {
    /// Numbers a line and records it. Discards a line that began before a reset.
    pub(super) fn push_line(&mut self, mut line: Exchange) {
        if line.epoch != self.epoch {
            return;
        }
        if is_gate_refusal(&line) {
            // Any web page can cause such requests, so they must not push out the lines of programs.
            if self.at_gate >= (self.limits.lines / GATE_SHARE).max(1) {
                self.dropped += 1;
                return;
            }
            self.at_gate += 1;
        }
        self.last_id += 1;
        line.id = self.last_id;
        self.bytes += line.weight();
        self.lines.push_back(Arc::new(line));
        self.drop_excess();
    }

    /// Drops lines beyond the limits. The newest line stays, however large it is.
    fn drop_excess(&mut self) {
        let JournalLimits { lines, bytes } = self.limits;
        while self.lines.len() > 1 && (self.lines.len() > lines || self.bytes > bytes) {
            self.dropped += self.pop_oldest();
        }
    }

    /// Drops the oldest lines until this many bytes are free. The newest line stays.
    pub(super) fn free_bytes(&mut self, bytes: usize) {
        let until = self.bytes.saturating_sub(bytes);
        while self.lines.len() > 1 && self.bytes > until {
            self.dropped += self.pop_oldest();
        }
    }

    fn pop_oldest(&mut self) -> u64 {
        let Some(oldest) = self.lines.pop_front() else { return 0 };
        self.bytes -= oldest.weight();
        self.at_gate -= usize::from(is_gate_refusal(&oldest));
        1
    }

    pub(super) fn set_limits(&mut self, limits: JournalLimits) {
        self.limits = limits;
        self.drop_excess();
    }

    pub(super) fn limits(&self) -> JournalLimits {
        self.limits
    }

    /// Returns the line with this number. Numbers rise by one, so the position follows from the number.
    pub(super) fn get(&self, id: u64) -> Option<Arc<Exchange>> {
        let first = self.lines.front()?.id;
        self.lines.get(usize::try_from(id.checked_sub(first)?).ok()?).cloned()
    }

    pub(super) fn newest_first(&self) -> Vec<Arc<Exchange>> {
        self.lines.iter().rev().cloned().collect()
    }

    /// Returns the first `most` lines after `since`, oldest first, and the gap of missing lines between.
    pub(super) fn lines_after(&self, since: u64, most: usize) -> (Vec<Arc<Exchange>>, Option<JournalGap>) {
        let first = self.lines.front().map_or(self.last_id + 1, |line| line.id);
        let gap = (since + 1 < first).then_some(JournalGap { first: since + 1, last: first - 1 });
        let from = usize::try_from((since + 1).saturating_sub(first)).unwrap_or(usize::MAX).min(self.lines.len());
        (self.lines.range(from..).take(most).cloned().collect(), gap)
    }

    pub(super) fn last_id(&self) -> u64 {
        self.last_id
    }

    /// The position where a reader starts that names no line.
    pub(super) fn floor(&self) -> u64 {
        self.floor
    }

    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Removes the lines before this one.
    pub(super) fn clear_before(&mut self, id: u64) {
        while self.lines.front().is_some_and(|line| line.id < id) {
            self.pop_oldest();
        }
        self.floor = self.floor.max(id.saturating_sub(1).min(self.last_id));
        if self.lines.is_empty() {
            self.dropped = 0;
        }
    }

    /// Removes all lines. Numbering continues.
    pub(super) fn clear(&mut self) {
        let Self { limits, last_id, epoch, .. } = *self;
        *self = Self { limits, last_id, epoch, floor: last_id, ..Self::default() };
    }

    /// Starts a new epoch, whose numbers start again from 1.
    pub(super) fn restart(&mut self, epoch: u64) {
        *self = Self { limits: self.limits, epoch, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{RecordedBody, RecordedHeaders, RecordedMessage, RefusalCause},
        *,
    };

    fn line_with_body(body: usize) -> Exchange {
        let request = RecordedMessage {
            headers: RecordedHeaders::default(),
            body: RecordedBody::from_body(&vec![b'x'; body].into()),
        };
        Exchange { request, ..Exchange::default() }
    }

    #[test]
    fn the_ring_holds_no_more_lines_than_its_limit() {
        let mut ring = LineRing::default();
        for _ in 0..50_000 {
            ring.push_line(line_with_body(10));
        }
        assert_eq!((ring.lines.len(), ring.dropped()), (1_000, 49_000));
        assert_eq!(ring.get(50_000).expect("the newest").id, 50_000);
        assert_eq!(ring.get(49_001).expect("the oldest").id, 49_001);
        for id in [0, 49_000, 50_001, u64::MAX] {
            assert!(ring.get(id).is_none(), "{id}");
        }
        ring.set_limits(JournalLimits { lines: 10, bytes: usize::MAX });
        assert_eq!((ring.lines.len(), ring.dropped()), (10, 49_990));
    }

    #[test]
    fn requests_that_the_gate_refused_push_out_no_others() {
        let mut ring = LineRing::default();
        let stopped = || Exchange { why: Some(RefusalCause::new(RefusalCheck::Gate, "x")), ..line_with_body(1) };
        for _ in 0..800 {
            ring.push_line(line_with_body(1));
        }
        for _ in 0..5_000 {
            ring.push_line(stopped());
        }
        assert_eq!((ring.len(), ring.at_gate, ring.dropped()), (925, 125, 4_875));
        for _ in 0..2_000 {
            ring.push_line(line_with_body(1));
        }
        assert_eq!((ring.len(), ring.at_gate), (1_000, 0));
        ring.push_line(stopped());
        assert_eq!(ring.at_gate, 1, "there is room again");
    }

    #[test]
    fn the_ring_holds_no_more_bytes_than_its_limit() {
        let mut ring = LineRing::default();
        let most = ring.limits().bytes;
        for _ in 0..1_000 {
            ring.push_line(line_with_body(60 * 1024));
        }
        assert!(ring.bytes <= most && ring.bytes > most / 2, "{}", ring.bytes);
        assert_eq!(ring.bytes, ring.newest_first().iter().map(|line| line.weight()).sum::<usize>());
        ring.clear();
        assert_eq!((ring.bytes, ring.lines.len(), ring.dropped()), (0, 0, 0));
        ring.push_line(line_with_body(1));
        assert_eq!(ring.newest_first()[0].id, 1_001);
        ring.set_limits(JournalLimits { lines: 9, bytes: 1 });
        assert_eq!(ring.len(), 1, "the newest line stays");
    }

    #[test]
    fn dropped_lines_are_reported_as_a_gap_and_cleared_lines_raise_the_floor() {
        let mut ring = LineRing::default();
        ring.set_limits(JournalLimits { lines: 3, bytes: usize::MAX });
        let ids = |(lines, _): &(Vec<Arc<Exchange>>, _)| lines.iter().map(|line| line.id).collect::<Vec<_>>();
        assert_eq!(ring.lines_after(ring.floor(), 9).1, None);
        for _ in 0..5 {
            ring.push_line(line_with_body(1));
        }
        let all = ring.lines_after(ring.floor(), 9);
        assert_eq!((ids(&all), all.1), (vec![3, 4, 5], Some(JournalGap { first: 1, last: 2 })));
        let some = ring.lines_after(ring.floor(), 2);
        assert_eq!((ids(&some), some.1), (vec![3, 4], all.1));
        for (since, want) in [(2, vec![3, 4, 5]), (4, vec![5]), (5, vec![]), (9, vec![])] {
            let found = ring.lines_after(since, 9);
            assert_eq!((ids(&found), found.1), (want, None), "{since}");
        }
        ring.clear_before(5);
        let all = ring.lines_after(ring.floor(), 9);
        assert_eq!((ids(&all), all.1), (vec![5], None));
        ring.clear();
        assert_eq!(ring.lines_after(ring.floor(), 9).1, None);
        assert_eq!(ring.lines_after(0, 9).1, Some(JournalGap { first: 1, last: 5 }));
    }

    #[test]
    fn a_new_epoch_begins_at_one_and_takes_no_line_of_the_old() {
        let mut ring = LineRing::default();
        ring.push_line(line_with_body(1));
        ring.restart(1);
        ring.push_line(line_with_body(1));
        assert_eq!((ring.len(), ring.last_id()), (0, 0));
        ring.push_line(Exchange { epoch: 1, ..line_with_body(1) });
        assert_eq!((ring.len(), ring.last_id(), ring.epoch()), (1, 1, 1));
    }
}

//! Limits how fast a lane may call. The caller supplies the clock: milliseconds that only rise.
//!
//! A lane starts calls at least 1/r s apart, never catches up, and has at most k of them under way. Then any second at
//! the *service* sees at most r + k arrivals, however long the network takes: the k+1st of them was started after the
//! first was answered, so all but k were started within that second. So r + k is the service's limit.

use std::collections::BTreeMap;

use crate::plan::Lane;

/// The rate limit of a lane: arrivals a second and calls under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallRate {
    limit: u32,
    under_way: u32,
}

impl CallRate {
    /// Allows at most `limit` arrivals in any second, with up to `under_way` calls at once. At least one call a second
    /// always remains.
    pub fn new(limit: u32, under_way: u32) -> Self {
        let limit = limit.max(2);
        Self { limit, under_way: under_way.clamp(1, limit - 1) }
    }

    pub fn calls_per_second(self) -> u32 {
        self.limit - self.under_way
    }

    fn min_interval(self) -> u64 {
        u64::from(1_000_u32.div_ceil(self.calls_per_second()))
    }
}

impl Default for CallRate {
    fn default() -> Self {
        Self::new(10, 1)
    }
}

/// The end of a call, as far as its lane is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    Answered,
    Throttled {
        retry_after: Option<u32>,
    },
    /// No response came back. The request may still arrive.
    Lost,
}

const FIRST_WAIT: u64 = 1_000;
const LONGEST_WAIT: u64 = 60_000;
/// The longest pause that a `Retry-After` of the service can impose.
const LONGEST_RETRY_AFTER: u64 = 3_600_000;
/// The longest interval between two calls, however often the lane is throttled.
const LONGEST_INTERVAL: u64 = 10_000;
/// The number of answers in a row after which the lane becomes a tenth faster again.
const ANSWERS_TO_SPEED_UP: u32 = 20;
/// The number of calls with hardly a pause between them that counts as a burst.
const BURST_CALLS: u32 = 5;

/// The pace of one lane, which slows down when it is throttled and recovers step by step.
#[derive(Debug, Clone)]
pub struct LanePace {
    rate: CallRate,
    apart: u64,
    next_at: u64,
    under_way: u32,
    wait: u64,
    calm: u32,
    run: u32,
    done: u64,
    throttled: u64,
}

/// The present state of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneStatus {
    pub lane: Lane,
    /// The number of calls that have ended.
    pub done: u64,
    pub in_flight: u32,
    /// Calls a second at the present pace, in thousandths.
    pub milli_calls: u64,
    /// The time until the next call, if it is longer than the usual interval.
    pub waits_ms: Option<u64>,
    /// The number of calls that the service was too busy to answer.
    pub throttled: u64,
}

impl LanePace {
    pub fn new(rate: CallRate) -> Self {
        Self {
            rate,
            apart: rate.min_interval(),
            next_at: 0,
            under_way: 0,
            wait: FIRST_WAIT,
            calm: 0,
            run: 0,
            done: 0,
            throttled: 0,
        }
    }

    /// Returns when the next call may start, or `None` while as many calls are under way as are allowed.
    pub fn next_start(&self, now: u64) -> Option<u64> {
        (self.under_way < self.rate.under_way).then_some(self.next_at.max(now))
    }

    /// Starts a call if it may start now, and returns whether it did.
    pub fn start_call(&mut self, now: u64) -> bool {
        let may = self.next_start(now) == Some(now);
        if may {
            self.under_way += 1;
            self.run = if now < self.next_at + 4 * self.apart { self.run + 1 } else { 0 };
            self.next_at = now + self.apart;
        }
        may
    }

    /// Returns whether many calls went just before this one, so that an unexpected refusal may only mean "slower".
    pub fn is_burst(&self) -> bool {
        self.run >= BURST_CALLS
    }

    /// Ends a call, and sets the pace and the next start according to its end.
    pub fn end_call(&mut self, now: u64, ended: CallEnd) {
        self.under_way = self.under_way.saturating_sub(1);
        self.done += 1;
        self.throttled += u64::from(matches!(ended, CallEnd::Throttled { .. }));
        let pause = match ended {
            CallEnd::Answered => {
                self.wait = FIRST_WAIT;
                self.calm += 1;
                if self.calm >= ANSWERS_TO_SPEED_UP {
                    self.calm = 0;
                    self.apart = (self.apart * 9 / 10).max(self.rate.min_interval());
                }
                return;
            }
            CallEnd::Throttled { retry_after: Some(seconds) } => (u64::from(seconds) * 1_000).min(LONGEST_RETRY_AFTER),
            CallEnd::Throttled { retry_after: None } | CallEnd::Lost => self.wait,
        };
        self.calm = 0;
        // A lost call does not show how fast the service wants to be called.
        if matches!(ended, CallEnd::Throttled { .. }) {
            self.apart = (self.apart * 2).min(LONGEST_INTERVAL);
        }
        self.wait = (self.wait * 2).min(LONGEST_WAIT);
        self.next_at = self.next_at.max(now + pause.max(self.apart));
    }

    /// Limits the initial pace to so many calls a second. The lane speeds up from there, up to its rate.
    #[must_use]
    pub fn with_starting_rate(mut self, per_second: u32) -> Self {
        self.apart = self.apart.max(u64::from(1_000_u32.div_ceil(per_second.max(1))));
        self
    }

    pub fn lane_status(&self, lane: Lane, now: u64) -> LaneStatus {
        let waits = self.next_at.saturating_sub(now);
        LaneStatus {
            lane,
            done: self.done,
            in_flight: self.under_way,
            milli_calls: self.milli_calls(),
            waits_ms: (waits > self.rate.min_interval()).then_some(waits),
            throttled: self.throttled,
        }
    }

    /// Returns the calls a second at the present pace, in thousandths.
    pub fn milli_calls(&self) -> u64 {
        1_000_000 / self.apart
    }
}

/// The paces of all lanes of one connection, and the pace that they share.
#[derive(Debug, Clone)]
pub struct LanePaces {
    rate: CallRate,
    /// The initial calls a second of a lane.
    begins_at: u32,
    lanes: BTreeMap<Lane, LanePace>,
    together: Option<LanePace>,
}

impl LanePaces {
    pub fn new(rate: CallRate, together: Option<CallRate>) -> Self {
        Self { rate, begins_at: u32::MAX, lanes: BTreeMap::new(), together: together.map(LanePace::new) }
    }

    fn lane_mut(&mut self, lane: Lane) -> &mut LanePace {
        let (rate, begins_at) = (self.rate, self.begins_at);
        self.lanes.entry(lane).or_insert_with(|| LanePace::new(rate).with_starting_rate(begins_at))
    }

    /// Limits the initial pace of every lane to what earlier runs learnt of the service.
    #[must_use]
    pub fn with_starting_rate(self, per_second: u32) -> Self {
        Self { begins_at: per_second, ..self }
    }

    /// Returns the state of every lane that was used.
    pub fn lane_statuses(&self, now: u64) -> Vec<LaneStatus> {
        self.lanes.iter().map(|(lane, pace)| pace.lane_status(*lane, now)).collect()
    }

    /// Returns the calls a second to begin with the next time: the pace of the slowest lane that was throttled or, if
    /// none was, a little more than this time.
    pub fn next_starting_rate(&self, before: u32) -> u32 {
        let throttled = self.lanes.values().filter(|pace| pace.throttled > 0);
        let most = self.rate.calls_per_second();
        let slowest = throttled.map(|pace| u32::try_from(pace.milli_calls() / 1_000).unwrap_or(most)).min();
        let was_used = self.lanes.values().any(|pace| pace.done >= u64::from(ANSWERS_TO_SPEED_UP));
        slowest.unwrap_or(if was_used { before.saturating_add(1) } else { before }).clamp(1, most)
    }

    pub fn next_start(&mut self, lane: Lane, now: u64) -> Option<u64> {
        let alone = self.lane_mut(lane).next_start(now)?;
        let together = self.together.as_ref().map_or(Some(now), |pace| pace.next_start(now))?;
        Some(alone.max(together))
    }

    pub fn start_call(&mut self, lane: Lane, now: u64) -> bool {
        let may = self.next_start(lane, now) == Some(now);
        if may {
            self.lane_mut(lane).start_call(now);
            if let Some(pace) = &mut self.together {
                pace.start_call(now);
            }
        }
        may
    }

    pub fn is_burst(&self, lane: Lane) -> bool {
        self.lanes.get(&lane).is_some_and(LanePace::is_burst)
    }

    pub fn end_call(&mut self, lane: Lane, now: u64, ended: CallEnd) {
        self.lane_mut(lane).end_call(now, ended);
        if let Some(pace) = &mut self.together {
            // A limit on one operation does not apply to the others.
            pace.end_call(now, if matches!(ended, CallEnd::Throttled { .. }) { CallEnd::Answered } else { ended });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ensure,
        tests::{Tape, assert_always},
    };

    /// Starts calls as fast as the lane allows and returns when each arrived at the service.
    fn simulate_arrivals(tape: &mut Tape, pace: &mut LanePace, most: u32, slow: usize) -> Vec<u64> {
        let (mut now, mut arrived) = (0, Vec::new());
        let mut answers: Vec<u64> = Vec::new();
        for _ in 0..40 {
            loop {
                answers.sort_unstable();
                while answers.first().is_some_and(|at| *at <= now) {
                    let at = answers.remove(0);
                    pace.end_call(at, CallEnd::Answered);
                }
                match pace.next_start(now) {
                    Some(at) if at == now => break,
                    Some(at) => now = answers.first().map_or(at, |answer| at.min(*answer)),
                    None => now = *answers.first().expect("somebody is under way"),
                }
            }
            assert!(pace.start_call(now) && answers.len() < most as usize);
            let there = now + (tape.below(slow) * tape.below(8)) as u64;
            arrived.push(there);
            answers.push(there + (tape.below(slow) * tape.below(4)) as u64);
        }
        arrived.sort_unstable();
        arrived
    }

    #[test]
    fn no_second_at_the_service_sees_more_than_the_limit() {
        assert_always(|tape| {
            let most = 1 + tape.below(4) as u32;
            let rate = CallRate::new(10, most);
            let slow = tape.pick(&[1, 20, 100, 250]);
            let arrived = simulate_arrivals(tape, &mut LanePace::new(rate), most, slow);
            for (at, first) in arrived.iter().enumerate() {
                let within = arrived[at..].iter().take_while(|other| **other < first + 1_000).count();
                ensure!(within <= 10, "{within} within a second, {most} under way: {arrived:?}");
            }
            Ok(())
        });
    }

    #[test]
    fn a_fast_service_is_used_as_far_as_the_limit_allows() {
        let mut pace = LanePace::new(CallRate::default());
        let arrived = simulate_arrivals(&mut Tape::zeros(), &mut pace, 1, 1);
        assert_eq!(arrived[39], 39 * 112, "nine a second");
    }

    #[test]
    fn a_throttled_lane_waits_slows_down_and_recovers() {
        let mut pace = LanePace::new(CallRate::default());
        assert!(pace.start_call(0));
        pace.end_call(10, CallEnd::Throttled { retry_after: Some(3) });
        assert_eq!(pace.next_start(10), Some(3_010));
        assert_eq!(pace.milli_calls(), 4_464, "half");
        let mut now = 3_010;
        for wait in [1_000 * 2, 4_000, 8_000] {
            assert!(pace.start_call(now));
            pace.end_call(now, CallEnd::Throttled { retry_after: None });
            let next = pace.next_start(now).expect("free");
            assert!(next - now >= wait, "{wait}: {}", next - now);
            now = next;
        }
        for _ in 0..ANSWERS_TO_SPEED_UP * 40 {
            assert!(pace.start_call(now));
            pace.end_call(now, CallEnd::Answered);
            now = pace.next_start(now).expect("free");
        }
        assert_eq!(pace.milli_calls(), 8_928);
        assert!(pace.start_call(now));
        pace.end_call(now, CallEnd::Throttled { retry_after: Some(u32::MAX) });
        assert_eq!(pace.next_start(now), Some(now + 3_600_000), "an hour at most");
    }

    #[test]
    fn what_was_learnt_slows_the_start_and_never_the_limit() {
        let mut lanes = LanePaces::new(CallRate::default(), None).with_starting_rate(2);
        let lane = Lane::ContactsCreate;
        assert!(lanes.start_call(lane, 0));
        lanes.end_call(lane, 10, CallEnd::Answered);
        assert_eq!(lanes.next_start(lane, 10), Some(500));
        assert_eq!(
            (lanes.next_starting_rate(2), lanes.lane_statuses(10)[0].waits_ms),
            (2, Some(490)),
            "one call teaches nothing"
        );
        let mut now = 500;
        for _ in 0..ANSWERS_TO_SPEED_UP * 40 {
            assert!(lanes.start_call(lane, now));
            lanes.end_call(lane, now, CallEnd::Answered);
            now = lanes.next_start(lane, now).expect("free");
        }
        assert_eq!(
            (lanes.lane_statuses(now)[0].milli_calls, lanes.next_starting_rate(2), lanes.next_starting_rate(9)),
            (8_928, 3, 9)
        );
        assert!(lanes.start_call(lane, now));
        lanes.end_call(lane, now, CallEnd::Throttled { retry_after: None });
        assert_eq!((lanes.next_starting_rate(9), lanes.lane_statuses(now)[0].throttled), (4, 1), "half of it");
    }

    #[test]
    fn a_network_outage_leaves_the_lane_as_fast_as_it_was() {
        let (mut pace, mut now) = (LanePace::new(CallRate::default()), 0);
        for _ in 0..12 {
            assert!(pace.start_call(now));
            pace.end_call(now, CallEnd::Lost);
            let next = pace.next_start(now).expect("free");
            assert!((1_000..=LONGEST_WAIT).contains(&(next - now)), "{}", next - now);
            now = next;
        }
        assert!(pace.start_call(now));
        pace.end_call(now, CallEnd::Answered);
        assert_eq!((pace.milli_calls(), pace.next_start(now)), (8_928, Some(now + 112)));
    }

    #[test]
    fn calls_close_together_are_a_burst_and_a_pause_ends_it() {
        let mut pace = LanePace::new(CallRate::default());
        let mut call = |now| {
            assert!(pace.start_call(now));
            pace.end_call(now, CallEnd::Answered);
            pace.is_burst()
        };
        let bursts: Vec<bool> = (0..6).map(|at| call(112 * at)).collect();
        assert_eq!(bursts, [false, false, false, false, true, true]);
        assert!(!call(10_000));
    }

    #[test]
    fn places_are_counted_and_lanes_do_not_hinder_each_other() {
        let mut lanes = LanePaces::new(CallRate::default(), None);
        assert!(lanes.start_call(Lane::ContactsDelete, 0));
        assert_eq!(lanes.next_start(Lane::ContactsDelete, 500), None, "one is under way");
        assert!(lanes.start_call(Lane::OptOutsCreate, 0));
        lanes.end_call(Lane::ContactsDelete, 20, CallEnd::Answered);
        assert!(!lanes.start_call(Lane::ContactsDelete, 20) && lanes.start_call(Lane::ContactsDelete, 112));
        let mut shared = LanePaces::new(CallRate::default(), Some(CallRate::new(10, 2)));
        assert!(shared.start_call(Lane::ContactsDelete, 0));
        assert_eq!(shared.next_start(Lane::OptOutsCreate, 0), Some(125), "eight a second together");
    }
}

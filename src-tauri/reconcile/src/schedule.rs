//! Decides which steps of a plan may start now, and cancels the steps that wait for one that failed.

use serde::{Deserialize, Serialize};

use crate::plan::{Plan, Stage};

/// The state of a step in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Ready,
    /// The step is stored with the digest of its body and not yet sent.
    Intent,
    Sent,
    /// The service accepted the request. Whether it took effect is not known.
    Accepted,
    /// The effect was seen at the service.
    Verified,
    /// The service refused the request, so nothing happened.
    Rejected,
    /// The request was sent and no response came back.
    Uncertain,
    Cancelled,
}

impl State {
    /// Returns whether the state is final.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Verified | Self::Rejected | Self::Cancelled)
    }

    /// Returns whether a step may go from this state to the next. `Intent` becomes `Ready` after a restart that finds
    /// that nothing was sent.
    pub fn may_become(self, next: Self) -> bool {
        match self {
            Self::Ready => matches!(next, Self::Intent | Self::Cancelled),
            Self::Intent => matches!(next, Self::Sent | Self::Ready | Self::Uncertain | Self::Cancelled),
            Self::Sent => {
                matches!(next, Self::Accepted | Self::Verified | Self::Rejected | Self::Uncertain | Self::Ready)
            }
            Self::Accepted => matches!(next, Self::Verified | Self::Uncertain | Self::Rejected | Self::Ready),
            Self::Uncertain => matches!(next, Self::Ready | Self::Accepted | Self::Verified | Self::Rejected),
            Self::Verified | Self::Rejected | Self::Cancelled => false,
        }
    }
}

/// An attempt to move a step into a state that it cannot reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongWay {
    pub step: u32,
    pub from: State,
    pub to: State,
}

/// The state of a step, with the steps that depend on it.
#[derive(Debug)]
struct Slot {
    state: State,
    stage: Stage,
    /// The number of steps that it still waits for by name.
    waits: u32,
    followers: Vec<u32>,
}

/// The schedule of a run: the state of every step and what it waits for.
#[derive(Debug)]
pub struct Schedule {
    slots: Vec<Slot>,
    unsettled: [u32; Stage::ALL.len()],
    stopped: bool,
}

impl Schedule {
    pub fn new(plan: &Plan) -> Self {
        let mut unsettled = [0; Stage::ALL.len()];
        let mut slots: Vec<Slot> = Vec::with_capacity(plan.steps.len());
        for step in &plan.steps {
            unsettled[step.stage as usize] += 1;
            slots.push(Slot {
                state: State::Ready,
                stage: step.stage,
                waits: step.after.len() as u32,
                followers: Vec::new(),
            });
            for before in &step.after {
                if let Some(slot) = slots.get_mut(*before as usize) {
                    slot.followers.push(step.id);
                }
            }
        }
        Self { slots, unsettled, stopped: false }
    }

    pub fn state(&self, step: u32) -> Option<State> {
        self.slots.get(step as usize).map(|slot| slot.state)
    }

    /// Stops sending. Steps under way are still verified.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Returns whether the step is ready and nothing that it depends on is open.
    pub fn may_start(&self, step: u32) -> bool {
        let stage_is_free = |stage: Stage| stage.waits_for().iter().all(|before| self.unsettled[*before as usize] == 0);
        !self.stopped
            && self
                .slots
                .get(step as usize)
                .is_some_and(|slot| slot.state == State::Ready && slot.waits == 0 && stage_is_free(slot.stage))
    }

    /// Returns the steps that may start, in the order of the plan.
    pub fn ready(&self) -> impl Iterator<Item = u32> {
        (0..self.slots.len() as u32).filter(|step| self.may_start(*step))
    }

    pub fn is_over(&self) -> bool {
        self.unsettled.iter().all(|count| *count == 0)
    }

    /// Moves a step to its next state. If it ends unverified, the steps that depend on it are cancelled and returned.
    pub fn set(&mut self, step: u32, next: State) -> Result<Vec<u32>, WrongWay> {
        let Some(slot) = self.slots.get_mut(step as usize).filter(|slot| slot.state.may_become(next)) else {
            let from = self.state(step).unwrap_or(State::Cancelled);
            return Err(WrongWay { step, from, to: next });
        };
        slot.state = next;
        if !next.is_settled() {
            return Ok(Vec::new());
        }
        self.unsettled[slot.stage as usize] -= 1;
        let followers = slot.followers.clone();
        let mut cancelled = Vec::new();
        for follower in followers {
            if next == State::Verified {
                self.slots[follower as usize].waits -= 1;
            } else if self.state(follower) == Some(State::Ready) {
                cancelled.push(follower);
                cancelled.extend(self.set(follower, State::Cancelled)?);
            }
        }
        Ok(cancelled)
    }
}

#[cfg(test)]
mod tests {
    use roost_model::{channel::Channel, contact::MergeType};

    use super::*;
    use crate::{plan::StepKind, row::Row};

    fn sample() -> Plan {
        let mut plan = Plan::default();
        let number = "+447700900001".to_owned();
        let channel = Channel::Sms;
        plan.push(StepKind::OptOutCreate { number: number.clone(), channel, asset: None }, vec![]);
        plan.push(StepKind::ListCreate { list: 1, name: "A".to_owned() }, vec![]);
        let merge = MergeType::SkipDuplicates;
        plan.push(StepKind::Contacts { list: 1, merge, region: None, items: vec![] }, vec![1]);
        let before = Row::default();
        plan.push(StepKind::ContactDelete { id: 1, list: 2, uid: "u".to_owned(), before }, vec![2]);
        plan.push(StepKind::OptOutDelete { channel, asset: None, numbers: vec![number] }, vec![]);
        plan
    }

    fn go(schedule: &mut Schedule, step: u32, end: State) -> Vec<u32> {
        for next in [State::Intent, State::Sent] {
            schedule.set(step, next).expect("forward");
        }
        schedule.set(step, end).expect("forward")
    }

    #[test]
    fn stages_wait_and_named_steps_wait() {
        let mut schedule = Schedule::new(&sample());
        assert_eq!(schedule.ready().collect::<Vec<_>>(), [0, 1]);
        go(&mut schedule, 1, State::Verified);
        assert_eq!(schedule.ready().collect::<Vec<_>>(), [0], "contacts wait for the opt-outs");
        go(&mut schedule, 0, State::Rejected);
        assert_eq!(schedule.ready().collect::<Vec<_>>(), [2]);
        go(&mut schedule, 2, State::Uncertain);
        assert_eq!(schedule.ready().count(), 0, "what is uncertain holds those behind it");
        schedule.set(2, State::Verified).expect("seen");
        assert_eq!(schedule.ready().collect::<Vec<_>>(), [3]);
        go(&mut schedule, 3, State::Verified);
        assert_eq!(schedule.ready().collect::<Vec<_>>(), [4]);
        go(&mut schedule, 4, State::Verified);
        assert!(schedule.is_over());
    }

    #[test]
    fn a_failed_step_cancels_what_needed_it() {
        let mut schedule = Schedule::new(&sample());
        go(&mut schedule, 0, State::Verified);
        assert_eq!(go(&mut schedule, 1, State::Rejected), [2, 3]);
        assert_eq!(schedule.ready().collect::<Vec<_>>(), [4]);
        assert!(schedule.set(3, State::Intent).is_err(), "cancelled is for good");
    }

    #[test]
    fn a_stop_starts_nothing_more() {
        let mut schedule = Schedule::new(&sample());
        schedule.set(0, State::Intent).expect("forward");
        schedule.stop();
        assert_eq!(schedule.ready().count(), 0);
        assert!(schedule.set(0, State::Verified).is_err(), "not without being sent");
        schedule.set(0, State::Sent).expect("under way");
        schedule.set(0, State::Verified).expect("still verified");
    }
}

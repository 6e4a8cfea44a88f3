//! Decides which steps of a plan may start now, and cancels the steps that wait for one that failed.

use serde::{Deserialize, Serialize};

use crate::plan::{PlanStage, SyncPlan};

/// The state of a step in its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "RunStepState"))]
pub enum PlanStepState {
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

impl PlanStepState {
    /// Returns whether the state is final.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Verified | Self::Rejected | Self::Cancelled)
    }

    /// Returns whether a step may go from this state to the next. `Intent` becomes `Ready` after a restart that finds
    /// that nothing was sent.
    pub fn can_become(self, next: Self) -> bool {
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
pub struct InvalidTransition {
    pub step: u32,
    pub from: PlanStepState,
    pub to: PlanStepState,
}

/// The state of a step, with the steps that depend on it.
#[derive(Debug)]
struct ScheduledStep {
    state: PlanStepState,
    stage: PlanStage,
    /// The number of steps that it still waits for by name.
    waits: u32,
    followers: Vec<u32>,
}

/// The schedule of a run: the state of every step and what it waits for.
#[derive(Debug)]
pub struct StepSchedule {
    slots: Vec<ScheduledStep>,
    unsettled: [u32; PlanStage::ALL.len()],
    stopped: bool,
}

impl StepSchedule {
    pub fn new(plan: &SyncPlan) -> Self {
        let mut unsettled = [0; PlanStage::ALL.len()];
        let mut slots: Vec<ScheduledStep> = Vec::with_capacity(plan.steps.len());
        for step in &plan.steps {
            unsettled[step.stage as usize] += 1;
            slots.push(ScheduledStep {
                state: PlanStepState::Ready,
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

    pub fn step_state(&self, step: u32) -> Option<PlanStepState> {
        self.slots.get(step as usize).map(|slot| slot.state)
    }

    /// Stops sending. Steps under way are still verified.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Returns whether the step is ready and nothing that it depends on is open.
    pub fn can_start(&self, step: u32) -> bool {
        let stage_is_free =
            |stage: PlanStage| stage.waits_for().iter().all(|before| self.unsettled[*before as usize] == 0);
        !self.stopped
            && self
                .slots
                .get(step as usize)
                .is_some_and(|slot| slot.state == PlanStepState::Ready && slot.waits == 0 && stage_is_free(slot.stage))
    }

    pub fn is_over(&self) -> bool {
        self.unsettled.iter().all(|count| *count == 0)
    }

    /// Moves a step to its next state. If it ends unverified, the steps that depend on it are cancelled and returned.
    pub fn advance_step(&mut self, step: u32, next: PlanStepState) -> Result<Vec<u32>, InvalidTransition> {
        let Some(slot) = self.slots.get_mut(step as usize).filter(|slot| slot.state.can_become(next)) else {
            let from = self.step_state(step).unwrap_or(PlanStepState::Cancelled);
            return Err(InvalidTransition { step, from, to: next });
        };
        slot.state = next;
        if !next.is_settled() {
            return Ok(Vec::new());
        }
        self.unsettled[slot.stage as usize] -= 1;
        let followers = slot.followers.clone();
        let mut cancelled = Vec::new();
        for follower in followers {
            if next == PlanStepState::Verified {
                self.slots[follower as usize].waits -= 1;
            } else if self.step_state(follower) == Some(PlanStepState::Ready) {
                cancelled.push(follower);
                cancelled.extend(self.advance_step(follower, PlanStepState::Cancelled)?);
            }
        }
        Ok(cancelled)
    }
}

#[cfg(test)]
mod tests {
    use roost_model::{channel::Channel, contact::MergeType};

    use super::*;
    use crate::{plan::StepKind, row::ContactRow};

    fn sample_plan() -> SyncPlan {
        let mut plan = SyncPlan::default();
        let number = "+447700900001".to_owned();
        let channel = Channel::Sms;
        plan.push_step(StepKind::OptOutCreate { number: number.clone(), channel, asset: None }, vec![]);
        plan.push_step(StepKind::ListCreate { list: 1, name: "A".to_owned() }, vec![]);
        let merge = MergeType::SkipDuplicates;
        plan.push_step(StepKind::Contacts { list: 1, merge, region: None, items: vec![] }, vec![1]);
        let before = ContactRow::default();
        plan.push_step(StepKind::ContactDelete { id: 1, list: 2, uid: "u".to_owned(), before }, vec![2]);
        plan.push_step(StepKind::OptOutDelete { channel, asset: None, numbers: vec![number] }, vec![]);
        plan
    }

    fn finish_step(schedule: &mut StepSchedule, step: u32, end: PlanStepState) -> Vec<u32> {
        for next in [PlanStepState::Intent, PlanStepState::Sent] {
            schedule.advance_step(step, next).expect("forward");
        }
        schedule.advance_step(step, end).expect("forward")
    }

    fn ready_steps(schedule: &StepSchedule) -> Vec<u32> {
        (0..schedule.slots.len() as u32).filter(|step| schedule.can_start(*step)).collect()
    }

    #[test]
    fn a_step_waits_for_earlier_stages_and_for_the_steps_that_it_names() {
        let mut schedule = StepSchedule::new(&sample_plan());
        assert_eq!(ready_steps(&schedule), [0, 1]);
        finish_step(&mut schedule, 1, PlanStepState::Verified);
        assert_eq!(ready_steps(&schedule), [0], "contacts wait for the opt-outs");
        finish_step(&mut schedule, 0, PlanStepState::Rejected);
        assert_eq!(ready_steps(&schedule), [2]);
        finish_step(&mut schedule, 2, PlanStepState::Uncertain);
        assert_eq!(ready_steps(&schedule).len(), 0, "what is uncertain holds those behind it");
        schedule.advance_step(2, PlanStepState::Verified).expect("seen");
        assert_eq!(ready_steps(&schedule), [3]);
        finish_step(&mut schedule, 3, PlanStepState::Verified);
        assert_eq!(ready_steps(&schedule), [4]);
        finish_step(&mut schedule, 4, PlanStepState::Verified);
        assert!(schedule.is_over());
    }

    #[test]
    fn a_failed_step_cancels_what_needed_it() {
        let mut schedule = StepSchedule::new(&sample_plan());
        finish_step(&mut schedule, 0, PlanStepState::Verified);
        assert_eq!(finish_step(&mut schedule, 1, PlanStepState::Rejected), [2, 3]);
        assert_eq!(ready_steps(&schedule), [4]);
        assert!(schedule.advance_step(3, PlanStepState::Intent).is_err(), "cancelled is for good");
    }

    #[test]
    fn a_stop_starts_nothing_more() {
        let mut schedule = StepSchedule::new(&sample_plan());
        schedule.advance_step(0, PlanStepState::Intent).expect("forward");
        schedule.stop();
        assert_eq!(ready_steps(&schedule).len(), 0);
        assert!(schedule.advance_step(0, PlanStepState::Verified).is_err(), "not without being sent");
        schedule.advance_step(0, PlanStepState::Sent).expect("under way");
        schedule.advance_step(0, PlanStepState::Verified).expect("still verified");
    }
}

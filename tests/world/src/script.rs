//! Scripts, which list the events of one history with one step on each line.

use std::fmt;
use std::str::FromStr;

use crate::kinds::{Fault, PersonActKind, WriterActKind};
use crate::service::JobOrder;

/// An abstract act of the person, such as "edit the third contact", where the index wraps around the rows that are
/// shown at that moment. [`crate::World::resolve_act`] turns it into an [`crate::Intention`] on the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonAct {
    pub kind: PersonActKind,
    /// The index of the row, which wraps around.
    pub row: u16,
    /// A second row, a field or a variant, depending on the kind.
    pub other: u16,
    /// The seed of new values. Equal seeds give equal values and numbers.
    pub value: u16,
}

/// An abstract act of another writer at the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterAct {
    pub kind: WriterActKind,
    pub row: u16,
    pub other: u16,
    pub value: u16,
}

/// The clock that jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptClock {
    Service,
    Ours,
}

/// A call of the next run, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallPoint {
    /// The nth call of any kind.
    Any(u16),
    /// The nth call that changes something at the service.
    Write(u16),
}

impl fmt::Display for CallPoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallPoint::Any(number) => write!(out, "{number}"),
            CallPoint::Write(number) => write!(out, "w{number}"),
        }
    }
}

impl FromStr for CallPoint {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<CallPoint, Self::Err> {
        match text.strip_prefix('w') {
            Some(number) => number.parse().map(CallPoint::Write),
            None => text.parse().map(CallPoint::Any),
        }
    }
}

/// A step of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptStep {
    Act(PersonAct),
    /// The person acts during the nth call of the next run.
    ActAt(CallPoint, PersonAct),
    PullRun,
    FullPullRun,
    /// A plan is made and stored, but not pushed.
    PlanRun,
    PushRun,
    PushOldPlan,
    Reopen,
    /// The engine is killed before it sends the nth call of the next run.
    KillBefore(CallPoint),
    /// The engine is killed after the nth call of the next run took effect.
    KillAfter(CallPoint),
    Wait(u32),
    Writer(WriterAct),
    WriterBefore(CallPoint, WriterAct),
    WriterAfter(CallPoint, WriterAct),
    FaultAt(CallPoint, Fault),
    JobDelay(u32),
    JobOrder(JobOrder),
    ClockJump(ScriptClock, i64),
}

/// A whole history: the seed of the first state, and the steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub seed: u64,
    pub steps: Vec<ScriptStep>,
}

impl fmt::Display for PersonAct {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {} {}", self.kind.name(), self.row, self.other, self.value)
    }
}

impl fmt::Display for WriterAct {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {} {}", self.kind.name(), self.row, self.other, self.value)
    }
}

impl fmt::Display for ScriptStep {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScriptStep::Act(act) => write!(out, "act {act}"),
            ScriptStep::ActAt(call, act) => write!(out, "act-at {call} {act}"),
            ScriptStep::PullRun => out.write_str("pull"),
            ScriptStep::FullPullRun => out.write_str("full-pull"),
            ScriptStep::PlanRun => out.write_str("plan"),
            ScriptStep::PushRun => out.write_str("push"),
            ScriptStep::PushOldPlan => out.write_str("push-old-plan"),
            ScriptStep::Reopen => out.write_str("reopen"),
            ScriptStep::KillBefore(call) => write!(out, "kill-before {call}"),
            ScriptStep::KillAfter(call) => write!(out, "kill-after {call}"),
            ScriptStep::Wait(ms) => write!(out, "wait {ms}"),
            ScriptStep::Writer(act) => write!(out, "writer {act}"),
            ScriptStep::WriterBefore(call, act) => write!(out, "writer-before {call} {act}"),
            ScriptStep::WriterAfter(call, act) => write!(out, "writer-after {call} {act}"),
            ScriptStep::FaultAt(call, fault) => write!(out, "fault-at {call} {}", fault.name()),
            ScriptStep::JobDelay(ms) => write!(out, "job-delay {ms}"),
            ScriptStep::JobOrder(order) => out.write_str(match order {
                JobOrder::Queue => "job-order queue",
                JobOrder::Reverse => "job-order reverse",
                JobOrder::Shuffled => "job-order shuffled",
            }),
            ScriptStep::ClockJump(ScriptClock::Service, ms) => write!(out, "clock-jump service {ms}"),
            ScriptStep::ClockJump(ScriptClock::Ours, ms) => write!(out, "clock-jump ours {ms}"),
        }
    }
}

impl fmt::Display for Script {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "seed {}", self.seed)?;
        for step in &self.steps {
            writeln!(out, "{step}")?;
        }
        Ok(())
    }
}

/// A line of a script that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    pub line: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "\"{}\" is not a line of a script", self.line)
    }
}

impl std::error::Error for ScriptError {}

fn parse_number<T: FromStr>(words: &mut std::str::SplitWhitespace) -> Option<T> {
    words.next()?.parse().ok()
}

fn parse_person_act(words: &mut std::str::SplitWhitespace) -> Option<PersonAct> {
    let kind = PersonActKind::from_name(words.next()?)?;
    Some(PersonAct { kind, row: parse_number(words)?, other: parse_number(words)?, value: parse_number(words)? })
}

fn parse_writer_act(words: &mut std::str::SplitWhitespace) -> Option<WriterAct> {
    let kind = WriterActKind::from_name(words.next()?)?;
    Some(WriterAct { kind, row: parse_number(words)?, other: parse_number(words)?, value: parse_number(words)? })
}

fn parse_step(line: &str) -> Option<ScriptStep> {
    let mut words = line.split_whitespace();
    let words = &mut words;
    let step = match words.next()? {
        "act" => ScriptStep::Act(parse_person_act(words)?),
        "act-at" => ScriptStep::ActAt(parse_number(words)?, parse_person_act(words)?),
        "pull" => ScriptStep::PullRun,
        "full-pull" => ScriptStep::FullPullRun,
        "plan" => ScriptStep::PlanRun,
        "push" => ScriptStep::PushRun,
        "push-old-plan" => ScriptStep::PushOldPlan,
        "reopen" => ScriptStep::Reopen,
        "kill-before" => ScriptStep::KillBefore(parse_number(words)?),
        "kill-after" => ScriptStep::KillAfter(parse_number(words)?),
        "wait" => ScriptStep::Wait(parse_number(words)?),
        "writer" => ScriptStep::Writer(parse_writer_act(words)?),
        "writer-before" => ScriptStep::WriterBefore(parse_number(words)?, parse_writer_act(words)?),
        "writer-after" => ScriptStep::WriterAfter(parse_number(words)?, parse_writer_act(words)?),
        "fault-at" => ScriptStep::FaultAt(parse_number(words)?, Fault::from_name(words.next()?)?),
        "job-delay" => ScriptStep::JobDelay(parse_number(words)?),
        "job-order" => ScriptStep::JobOrder(match words.next()? {
            "queue" => JobOrder::Queue,
            "reverse" => JobOrder::Reverse,
            "shuffled" => JobOrder::Shuffled,
            _ => return None,
        }),
        "clock-jump" => {
            let clock = match words.next()? {
                "service" => ScriptClock::Service,
                "ours" => ScriptClock::Ours,
                _ => return None,
            };
            ScriptStep::ClockJump(clock, parse_number(words)?)
        }
        _ => return None,
    };
    words.next().is_none().then_some(step)
}

impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Script, ScriptError> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let first = lines.next().unwrap_or("");
        let seed = first.strip_prefix("seed ").and_then(|seed| seed.trim().parse().ok());
        let seed = seed.ok_or_else(|| ScriptError { line: first.to_owned() })?;
        let steps = lines
            .map(|line| parse_step(line).ok_or_else(|| ScriptError { line: line.to_owned() }))
            .collect::<Result<_, _>>()?;
        Ok(Script { seed, steps })
    }
}

//! Generates random scripts.

use crate::dice::Dice;
use crate::enumerate::disturb_at_random;
use crate::kinds::{Fault, PersonActKind, WriterActKind};
use crate::script::{CallPoint, PersonAct, Script, ScriptClock, ScriptStep, WriterAct};
use crate::service::JobOrder;

/// The roughness of a history. The numbers are weights and percentages.
#[derive(Clone, Debug)]
pub struct ScriptTaste {
    /// The minimum and maximum number of steps.
    pub steps: (usize, usize),
    /// The weights of: an act of the person, a run, another writer, a fault or kill, time and clocks.
    pub weights: [u32; 5],
    /// The chance that an act or a writer comes between two calls of a run.
    pub between_calls: u32,
    /// The faults that may occur.
    pub faults: &'static [Fault],
    /// The chance that a fault step is a kill or a reopening.
    pub kills: u32,
    /// Whether the clocks jump.
    pub clocks: bool,
    /// The longest delay of a job.
    pub job_delay: u32,
    /// Whether a history has a single topic, with a few kinds of acts and faults, and two rows. Rare combinations
    /// become frequent then.
    pub is_focused: bool,
    /// Whether a history is one of the [situations](crate::SITUATIONS), disturbed a few times at random.
    pub is_staged: bool,
}

const ROUGH_FAULTS: &[Fault] = &[
    Fault::LostAfter,
    Fault::LostBefore,
    Fault::NotConnected,
    Fault::Status503Before,
    Fault::Status503After,
    Fault::Status429,
    Fault::LoginPage,
    Fault::LoginPageForDeletions,
];

impl ScriptTaste {
    /// No faults. Other writers act only between runs.
    pub fn without_trouble() -> ScriptTaste {
        ScriptTaste {
            steps: (4, 10),
            weights: [50, 30, 15, 0, 5],
            between_calls: 0,
            faults: &[],
            kills: 0,
            clocks: false,
            job_delay: 2_000,
            is_focused: false,
            is_staged: false,
        }
    }

    /// Common faults. Other writers and the person also act between two calls.
    pub fn with_trouble() -> ScriptTaste {
        ScriptTaste {
            steps: (4, 12),
            weights: [40, 25, 15, 15, 5],
            between_calls: 30,
            faults: ROUGH_FAULTS,
            kills: 15,
            clocks: false,
            job_delay: 20_000,
            is_focused: false,
            is_staged: false,
        }
    }

    /// Every fault, jumping clocks, and late and unordered jobs.
    pub fn with_much_trouble() -> ScriptTaste {
        ScriptTaste {
            steps: (5, 14),
            weights: [34, 24, 17, 17, 8],
            between_calls: 50,
            faults: Fault::ALL,
            kills: 25,
            clocks: true,
            job_delay: 90_000,
            is_focused: false,
            is_staged: false,
        }
    }

    /// One topic, often between two calls, with every fault.
    pub fn focused_on() -> ScriptTaste {
        ScriptTaste {
            steps: (4, 10),
            weights: [34, 28, 14, 17, 7],
            between_calls: 60,
            job_delay: 5_000,
            is_focused: true,
            ..ScriptTaste::with_much_trouble()
        }
    }

    /// A situation that is disturbed a few times at random, in any of its runs and in any first state.
    pub fn staged() -> ScriptTaste {
        ScriptTaste { job_delay: 20_000, is_staged: true, ..ScriptTaste::with_much_trouble() }
    }
}

/// The kinds of the person's acts with their weights.
const ACT_WEIGHTS: &[(PersonActKind, u32)] = &[
    (PersonActKind::AddContact, 10),
    (PersonActKind::EditContact, 14),
    (PersonActKind::ClearField, 5),
    (PersonActKind::ChangeNumber, 5),
    (PersonActKind::MoveContact, 5),
    (PersonActKind::DeleteContact, 7),
    (PersonActKind::RestoreContact, 6),
    (PersonActKind::AddList, 4),
    (PersonActKind::RenameList, 4),
    (PersonActKind::DeleteList, 5),
    (PersonActKind::RestoreList, 4),
    (PersonActKind::AddOptOut, 7),
    (PersonActKind::RemoveOptOut, 9),
    (PersonActKind::CancelRemoval, 3),
    (PersonActKind::AddLink, 5),
    (PersonActKind::DeleteLink, 4),
    (PersonActKind::RestoreLink, 3),
    (PersonActKind::DeleteSender, 4),
    (PersonActKind::RestoreSender, 4),
    (PersonActKind::ImportRows, 3),
    (PersonActKind::Undo, 3),
    (PersonActKind::Redo, 1),
    (PersonActKind::Discard, 1),
    (PersonActKind::Pause, 1),
    (PersonActKind::Resume, 1),
    (PersonActKind::CancelRun, 1),
    (PersonActKind::AnswerQuestion, 3),
];

const WRITER_WEIGHTS: &[(WriterActKind, u32)] = &[
    (WriterActKind::AddContact, 8),
    (WriterActKind::AddTwin, 1),
    (WriterActKind::EditContact, 12),
    (WriterActKind::DeleteContact, 8),
    (WriterActKind::AddList, 2),
    (WriterActKind::RenameList, 2),
    (WriterActKind::DeleteList, 4),
    (WriterActKind::OtherAccount, 1),
    (WriterActKind::Stop, 8),
    (WriterActKind::WebStop, 8),
    (WriterActKind::ImportStop, 3),
    (WriterActKind::UnknownKindStop, 2),
    (WriterActKind::UnknownChannelStop, 2),
    (WriterActKind::UnknownScopeStop, 2),
    (WriterActKind::NamelessStop, 1),
    (WriterActKind::RemoveOptOut, 3),
    (WriterActKind::CorrectStop, 3),
    (WriterActKind::AddLink, 2),
    (WriterActKind::DeleteLink, 3),
    (WriterActKind::AddSender, 1),
    (WriterActKind::DeleteSender, 2),
];

/// Returns the position of a weighted choice.
fn draw_weighted(dice: &mut Dice, weights: impl Iterator<Item = u32> + Clone) -> usize {
    let total: u32 = weights.clone().sum();
    let mut left = dice.draw() % u64::from(total.max(1));
    for (position, weight) in weights.enumerate() {
        if left < u64::from(weight) {
            return position;
        }
        left -= u64::from(weight);
    }
    0
}

/// The topic of a focused history.
struct HistoryTopic {
    weight: u32,
    acts: &'static [PersonActKind],
    writers: &'static [WriterActKind],
}

/// The topics. Every kind of act of a writer is in one of them, and so is every kind of act of the person except those
/// in [`CONTROLS`]. A contact is replaced, or a list renamed, only after an answer to the question about it.
const TOPICS: &[HistoryTopic] = &[
    HistoryTopic {
        weight: 4,
        acts: &[
            PersonActKind::AddContact,
            PersonActKind::EditContact,
            PersonActKind::ClearField,
            PersonActKind::ChangeNumber,
            PersonActKind::MoveContact,
            PersonActKind::DeleteContact,
            PersonActKind::RestoreContact,
            PersonActKind::ImportRows,
            PersonActKind::AddOptOut,
            PersonActKind::AnswerQuestion,
            PersonActKind::AnswerQuestion,
        ],
        writers: &[
            WriterActKind::AddContact,
            WriterActKind::AddTwin,
            WriterActKind::EditContact,
            WriterActKind::DeleteContact,
        ],
    },
    HistoryTopic {
        weight: 4,
        acts: &[
            PersonActKind::AddContact,
            PersonActKind::MoveContact,
            PersonActKind::AddList,
            PersonActKind::RenameList,
            PersonActKind::DeleteList,
            PersonActKind::RestoreList,
            PersonActKind::AnswerQuestion,
            PersonActKind::AnswerQuestion,
        ],
        writers: &[
            WriterActKind::AddContact,
            WriterActKind::EditContact,
            WriterActKind::AddList,
            WriterActKind::RenameList,
            WriterActKind::DeleteList,
        ],
    },
    HistoryTopic {
        weight: 1,
        acts: &[PersonActKind::EditContact, PersonActKind::RenameList, PersonActKind::RestoreList],
        writers: &[WriterActKind::OtherAccount, WriterActKind::DeleteList],
    },
    HistoryTopic {
        weight: 4,
        acts: &[PersonActKind::AddOptOut, PersonActKind::RemoveOptOut, PersonActKind::CancelRemoval],
        writers: &[
            WriterActKind::Stop,
            WriterActKind::WebStop,
            WriterActKind::ImportStop,
            WriterActKind::UnknownKindStop,
            WriterActKind::UnknownChannelStop,
            WriterActKind::UnknownScopeStop,
            WriterActKind::NamelessStop,
            WriterActKind::RemoveOptOut,
            WriterActKind::CorrectStop,
        ],
    },
    HistoryTopic {
        weight: 2,
        acts: &[PersonActKind::AddLink, PersonActKind::DeleteLink, PersonActKind::RestoreLink],
        writers: &[WriterActKind::AddLink, WriterActKind::DeleteLink],
    },
    HistoryTopic {
        weight: 1,
        acts: &[PersonActKind::DeleteSender, PersonActKind::RestoreSender],
        writers: &[WriterActKind::AddSender, WriterActKind::DeleteSender],
    },
];

/// The acts that undo, interrupt or decide something, whatever the topic is. Listing an act twice doubles its chance.
const CONTROLS: &[PersonActKind] = &[
    PersonActKind::Undo,
    PersonActKind::Undo,
    PersonActKind::Redo,
    PersonActKind::Redo,
    PersonActKind::Discard,
    PersonActKind::Pause,
    PersonActKind::Resume,
    PersonActKind::CancelRun,
    PersonActKind::CancelRun,
    PersonActKind::AnswerQuestion,
];

/// Returns the act that must come before, so that this act finds a row.
fn prerequisite_of(act: PersonActKind) -> Option<PersonActKind> {
    Some(match act {
        PersonActKind::RestoreContact => PersonActKind::DeleteContact,
        PersonActKind::RestoreList => PersonActKind::DeleteList,
        PersonActKind::RestoreLink => PersonActKind::DeleteLink,
        PersonActKind::RestoreSender => PersonActKind::DeleteSender,
        PersonActKind::CancelRemoval => PersonActKind::RemoveOptOut,
        PersonActKind::Redo => PersonActKind::Undo,
        _ => return None,
    })
}

/// Everything that may happen in one history.
struct ActRepertoire {
    acts: Vec<(PersonActKind, u32)>,
    writers: Vec<(WriterActKind, u32)>,
    faults: Vec<Fault>,
    rows: u16,
}

impl ActRepertoire {
    fn new(dice: &mut Dice, taste: &ScriptTaste) -> ActRepertoire {
        if !taste.is_focused {
            let (acts, writers) = (ACT_WEIGHTS.to_vec(), WRITER_WEIGHTS.to_vec());
            return ActRepertoire { acts, writers, faults: taste.faults.to_vec(), rows: 8 };
        }
        let topic = draw_weighted(dice, TOPICS.iter().map(|topic| topic.weight));
        let (acts, writers) = TOPICS.get(topic).map_or((&[][..], &[][..]), |topic| (topic.acts, topic.writers));
        let mut acts = pick_some(dice, acts, 4);
        if dice.draw_chance(60) {
            acts.extend(pick_some(dice, CONTROLS, 1));
        }
        acts.extend(acts.clone().into_iter().filter_map(prerequisite_of));
        ActRepertoire {
            acts: acts.into_iter().map(|kind| (kind, 1)).collect(),
            writers: pick_some(dice, writers, 2).into_iter().map(|kind| (kind, 1)).collect(),
            faults: pick_some(dice, taste.faults, 2),
            rows: 2,
        }
    }

    fn person_act(&self, dice: &mut Dice) -> PersonAct {
        let kind = pick_weighted(dice, &self.acts).unwrap_or(PersonActKind::EditContact);
        PersonAct {
            kind,
            row: dice.draw_small(self.rows),
            other: dice.draw_small(self.rows),
            value: dice.draw_small(400),
        }
    }

    fn writer_act(&self, dice: &mut Dice) -> WriterAct {
        let kind = pick_weighted(dice, &self.writers).unwrap_or(WriterActKind::WebStop);
        WriterAct {
            kind,
            row: dice.draw_small(self.rows),
            other: dice.draw_small(self.rows),
            value: 400 + dice.draw_small(400),
        }
    }
}

fn pick_weighted<T: Copy>(dice: &mut Dice, all: &[(T, u32)]) -> Option<T> {
    let position = draw_weighted(dice, all.iter().map(|(_, weight)| *weight));
    all.get(position).map(|(kind, _)| *kind)
}

/// Draws this many items. An item that is drawn twice becomes twice as likely.
fn pick_some<T: Copy>(dice: &mut Dice, all: &[T], count: usize) -> Vec<T> {
    (0..count).filter_map(|_| dice.pick(all).copied()).collect()
}

pub(crate) fn run_step(dice: &mut Dice) -> ScriptStep {
    match dice.draw_below(20) {
        0..=4 => ScriptStep::PullRun,
        5..=6 => ScriptStep::FullPullRun,
        7 => ScriptStep::PlanRun,
        8 => ScriptStep::PushOldPlan,
        _ => ScriptStep::PushRun,
    }
}

/// Half of the points are writes, because writes are fewer than reads and matter more. A focused history has shorter
/// runs.
pub(crate) fn call_point(dice: &mut Dice, taste: &ScriptTaste) -> CallPoint {
    let calls = if taste.is_focused || taste.is_staged { 9 } else { 14 };
    if dice.draw_chance(50) {
        CallPoint::Write(1 + dice.draw_small(3))
    } else {
        CallPoint::Any(1 + dice.draw_small(calls))
    }
}

pub(crate) fn trouble_step(dice: &mut Dice, taste: &ScriptTaste, faults: &[Fault]) -> ScriptStep {
    let call = call_point(dice, taste);
    if dice.draw_chance(taste.kills) {
        return match dice.draw_below(3) {
            0 => ScriptStep::Reopen,
            1 => ScriptStep::KillBefore(call),
            _ => ScriptStep::KillAfter(call),
        };
    }
    match dice.pick(faults) {
        Some(fault) => ScriptStep::FaultAt(call, *fault),
        None => ScriptStep::Reopen,
    }
}

pub(crate) fn time_step(dice: &mut Dice, taste: &ScriptTaste) -> ScriptStep {
    match dice.draw_below(if taste.clocks { 6 } else { 4 }) {
        0 | 1 => ScriptStep::Wait(1 + u32::from(dice.draw_small(60)) * 1_000),
        2 => ScriptStep::JobDelay(u32::try_from(dice.draw_below(taste.job_delay as usize)).unwrap_or(0)),
        3 => ScriptStep::JobOrder(match dice.draw_below(3) {
            0 => JobOrder::Queue,
            1 => JobOrder::Reverse,
            _ => JobOrder::Shuffled,
        }),
        more => {
            let size = [500, 1_000, 60_000, 3_600_000, 90_000_000];
            let ms = dice.pick(&size).copied().unwrap_or(1_000);
            let clock = if more == 4 { ScriptClock::Service } else { ScriptClock::Ours };
            ScriptStep::ClockJump(clock, if dice.draw_chance(50) { ms } else { -ms })
        }
    }
}

/// Generates a random script.
pub fn generate_script(dice: &mut Dice, taste: &ScriptTaste) -> Script {
    if taste.is_staged {
        return disturb_at_random(dice, taste);
    }
    let seed = dice.draw();
    let (fewest, most) = taste.steps;
    let count = fewest + dice.draw_below(most.saturating_sub(fewest) + 1);
    let repertoire = ActRepertoire::new(dice, taste);
    let mut steps = Vec::with_capacity(count + 1);
    if dice.draw_chance(90) {
        steps.push(ScriptStep::PullRun);
    }
    while steps.len() < count {
        let between = dice.draw_chance(taste.between_calls);
        let call = call_point(dice, taste);
        match draw_weighted(dice, taste.weights.iter().copied()) {
            0 => {
                let act = repertoire.person_act(dice);
                let first = prerequisite_of(act.kind).filter(|_| taste.is_focused && dice.draw_chance(60));
                steps.extend(first.map(|kind| ScriptStep::Act(PersonAct { kind, ..act })));
                // Only a run can be interrupted.
                let interrupts = matches!(act.kind, PersonActKind::Pause | PersonActKind::CancelRun);
                let between = between || interrupts && taste.between_calls > 0;
                steps.push(if between { ScriptStep::ActAt(call, act) } else { ScriptStep::Act(act) });
            }
            1 => steps.push(run_step(dice)),
            2 if between && dice.draw_chance(50) => {
                steps.push(ScriptStep::WriterBefore(call, repertoire.writer_act(dice)));
            }
            2 if between => steps.push(ScriptStep::WriterAfter(call, repertoire.writer_act(dice))),
            2 => steps.push(ScriptStep::Writer(repertoire.writer_act(dice))),
            3 => steps.push(trouble_step(dice, taste, &repertoire.faults)),
            _ => steps.push(time_step(dice, taste)),
        }
    }
    // Everything that is armed for the next run needs a run.
    if steps.last().is_some_and(|step| !matches!(step, ScriptStep::PushRun)) {
        steps.push(ScriptStep::PushRun);
    }
    Script { seed, steps }
}

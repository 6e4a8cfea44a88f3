//! Enumerates every disturbance at every call of a run, in situations where much depends on it. Random histories meet
//! such a combination once in ten thousand; these histories always meet it.

use crate::dice::Dice;
use crate::generate::{ScriptTaste, call_point, run_step, time_step, trouble_step};
use crate::kinds::{Fault, PersonActKind, WriterActKind};
use crate::script::{CallPoint, PersonAct, Script, ScriptStep, WriterAct};
use crate::service::OPERATIONS;

/// A short history whose last run is disturbed.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// The steps of a script, the last of which is the run.
    steps: &'static str,
    /// The rows that other writers and the person change meanwhile.
    pub subject: SituationSubject,
}

/// A situation with one disturbance.
#[derive(Clone, Debug)]
pub struct DisturbedSituation {
    pub script: Script,
    /// Whether few other disturbances show the same: an answer lacks rows, which a pull may take for deleted, or the
    /// person ends a run while it is unknown whether a request had an effect.
    pub is_telling: bool,
}

/// The subject of a situation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SituationSubject {
    Contacts,
    Lists,
    OptOuts,
    Links,
    Senders,
}

use SituationSubject::{Contacts, Links, Lists, OptOuts, Senders};

/// The seed of the first state of all situations: one list with one contact, whose number is opted out of SMS for the
/// whole account, one link and one sender. Everybody therefore changes the same rows.
pub const SMALLEST_SEED: u64 = 6_146;

const fn situation(subject: SituationSubject, steps: &'static str) -> Situation {
    Situation { steps, subject }
}

/// The situations. The numbers of an act are its row, its other row or field, and its value.
pub const SITUATIONS: &[Situation] = &[
    situation(Contacts, "pull; act add-contact 0 0 1; push"),
    situation(Contacts, "pull; act edit-contact 0 0 1; push"),
    situation(Contacts, "pull; act clear-field 0 0 0; push"),
    situation(Contacts, "pull; act change-number 0 0 1; push"),
    situation(Contacts, "pull; act delete-contact 0 0 0; push"),
    situation(Contacts, "pull; act delete-contact 0 0 0; push; act restore-contact 0 0 0; push"),
    situation(Contacts, "pull; act delete-contact 0 0 0; kill-before w1; push; act restore-contact 0 0 0; push"),
    situation(Contacts, "pull; act delete-contact 0 0 0; kill-after w1; push; act restore-contact 0 0 0; push"),
    situation(Contacts, "pull; act import-rows 0 2 1; push"),
    situation(
        Contacts,
        "pull; act edit-contact 0 0 1; writer delete-contact 0 0 0; push; act answer-question 0 0 0; push",
    ),
    situation(
        Contacts,
        "pull; act edit-contact 0 0 1; writer delete-contact 0 0 0; push; act answer-question 0 1 0; push",
    ),
    situation(Contacts, "pull; act clear-field 0 0 0; push; act answer-question 0 0 0; push"),
    situation(Contacts, "pull; act clear-field 0 0 0; push; act answer-question 0 1 0; push"),
    situation(Contacts, "pull; act change-number 0 0 1; push; act answer-question 0 0 0; push"),
    situation(Contacts, "pull; act change-number 0 0 1; push; act answer-question 0 1 0; push"),
    situation(Contacts, "pull; writer add-list 0 0 1; pull; act move-contact 0 1 0; act move-contact 0 0 0; push"),
    situation(Contacts, "pull; act edit-contact 0 0 1; push; act undo 0 0 0; push"),
    situation(Contacts, "pull; act edit-contact 0 0 1; plan; writer edit-contact 0 0 1; push-old-plan"),
    situation(
        Contacts,
        "pull; act edit-contact 0 0 1; writer edit-contact 0 0 1; pull; act answer-question 0 0 0; push",
    ),
    situation(
        Contacts,
        "pull; act add-contact 0 0 1; act add-contact 0 0 2; push; act add-opt-out 0 0 0; act delete-contact 1 0 0; act change-number 0 0 9; push",
    ),
    situation(
        Contacts,
        "pull; act add-contact 0 0 1; push; job-delay 3000; act add-contact 0 0 2; act delete-contact 1 0 0; act edit-contact 0 0 3; push",
    ),
    // A contact is deleted and another renumbered, while opt-outs are still being sent.
    situation(
        Contacts,
        "pull; act add-contact 0 0 1; act add-contact 0 0 2; push; act add-opt-out 0 0 0; act add-opt-out 1 0 0; act add-opt-out 2 2 0; act delete-contact 1 0 0; act change-number 0 0 9; act answer-question 0 0 0; push",
    ),
    situation(Contacts, "pull; writer add-contact 0 0 500; pull; writer edit-contact 0 0 500; pull"),
    situation(Contacts, "pull; writer add-contact 0 0 500; writer add-contact 0 0 501; full-pull"),
    // The values 401, 402 and 407 bring the custom fields 5, 6 and 4, in this order.
    situation(
        Contacts,
        "pull; writer add-contact 0 0 401; pull; writer add-contact 0 0 402; pull; writer add-contact 0 0 407; pull; pull",
    ),
    situation(
        Contacts,
        "pull; writer add-contact 0 0 401; pull; writer add-contact 0 0 402; pull; writer add-contact 0 0 407; pull; act edit-contact 0 0 1; act edit-contact 1 1 2; act edit-contact 2 0 3; act edit-contact 3 1 4; push; pull",
    ),
    situation(Lists, "pull; act add-list 0 0 1; act add-contact 1 0 2; push"),
    situation(Lists, "pull; act rename-list 0 0 1; push; act answer-question 0 0 0; push"),
    situation(Lists, "pull; act rename-list 0 0 1; push; act answer-question 0 1 0; push"),
    situation(Lists, "pull; act rename-list 0 0 1; push; act answer-question 0 2 0; push"),
    situation(Lists, "pull; act delete-list 0 0 0; push"),
    situation(Lists, "pull; act delete-list 0 0 0; push; act restore-list 0 0 0; push"),
    situation(Lists, "pull; act delete-list 0 0 0; kill-before w1; push; act restore-list 0 0 0; push"),
    situation(Lists, "pull; act delete-list 0 0 0; kill-after w1; push; act restore-list 0 0 0; push"),
    situation(Lists, "pull; act edit-contact 0 0 1; writer delete-list 0 0 0; pull; act answer-question 0 0 0; push"),
    situation(Lists, "pull; act edit-contact 0 0 1; writer delete-list 0 0 0; pull; act answer-question 0 1 0; push"),
    situation(Lists, "pull; writer delete-list 0 0 0; pull"),
    situation(Lists, "pull; writer other-account 0 0 500; pull"),
    situation(Lists, "pull; act edit-contact 0 0 1; writer other-account 0 0 500; pull; push"),
    situation(Lists, "pull; act delete-list 0 0 0; plan; writer add-contact 0 0 500; push-old-plan"),
    situation(Lists, "pull; writer add-list 0 0 1; writer add-contact 1 0 500; pull; full-pull"),
    situation(Lists, "pull; writer add-list 0 0 1; writer add-list 0 0 2; writer add-contact 1 0 500; pull; pull"),
    situation(OptOuts, "pull; act add-opt-out 0 2 0; push"),
    situation(OptOuts, "pull; act remove-opt-out 0 0 1; push"),
    situation(OptOuts, "pull; act remove-opt-out 0 0 1; plan; writer web-stop 0 0 1; push-old-plan"),
    situation(OptOuts, "pull; act remove-opt-out 0 0 1; act cancel-removal 0 0 0; push"),
    situation(OptOuts, "pull; act remove-opt-out 0 0 1; push; act add-opt-out 0 0 0; push"),
    situation(OptOuts, "pull; act remove-opt-out 0 0 1; push; writer web-stop 0 0 0; push; act undo 0 0 0; push"),
    situation(OptOuts, "pull; writer remove-opt-out 0 0 0; pull; act answer-question 0 0 0; push"),
    situation(OptOuts, "pull; act add-opt-out 0 2 0; act undo 0 0 0; push"),
    situation(OptOuts, "pull; act add-opt-out 0 2 0; push; act undo 0 0 0; push"),
    situation(OptOuts, "pull; act add-opt-out 0 2 0; act discard 0 0 0; push"),
    situation(OptOuts, "pull; act import-rows 0 0 3; act undo 0 0 0; push; act redo 0 0 0; push"),
    situation(OptOuts, "pull; clock-jump service -7200000; writer correct-stop 0 0 500; pull"),
    situation(Links, "pull; act add-link 0 0 1; push"),
    situation(Links, "pull; act delete-link 0 0 0; push"),
    situation(Links, "pull; act delete-link 0 0 0; push; act restore-link 0 0 0; push"),
    situation(Links, "pull; act delete-link 0 0 0; kill-before w1; push; act restore-link 0 0 0; push"),
    situation(Links, "pull; act delete-link 0 0 0; kill-after w1; push; act restore-link 0 0 0; push"),
    situation(Links, "pull; writer delete-link 0 0 0; pull; full-pull"),
    situation(Links, "pull; writer add-link 0 0 1; writer add-link 0 0 2; pull; full-pull"),
    situation(Senders, "pull; act delete-sender 0 0 0; push"),
    situation(Senders, "pull; act delete-sender 0 0 0; act restore-sender 0 0 0; push"),
    situation(Senders, "pull; act delete-sender 0 0 0; kill-before w1; push; act restore-sender 0 0 0; push"),
    // The deletions follow each other, so the second can be taken back while the first is under way.
    situation(Senders, "pull; writer add-sender 0 0 1; pull; act delete-sender 0 0 0; act delete-sender 0 0 0; push"),
    situation(Senders, "pull; writer add-sender 0 0 1; pull; act delete-sender 1 0 0; push"),
    situation(Senders, "pull; writer add-sender 0 0 1; writer add-sender 0 0 2; pull; full-pull"),
];

impl SituationSubject {
    fn person_acts(self) -> &'static [PersonActKind] {
        use PersonActKind as Act;
        match self {
            Contacts => &[Act::EditContact, Act::ChangeNumber, Act::DeleteContact, Act::RestoreContact, Act::AddOptOut],
            Lists => &[Act::RestoreList, Act::DeleteList, Act::EditContact, Act::AddContact],
            OptOuts => &[Act::AddOptOut, Act::RemoveOptOut, Act::CancelRemoval],
            Links => &[Act::AddLink, Act::DeleteLink, Act::RestoreLink],
            Senders => &[Act::DeleteSender, Act::RestoreSender],
        }
    }

    fn writer_acts(self) -> &'static [WriterActKind] {
        use WriterActKind as Act;
        match self {
            Contacts => &[Act::AddContact, Act::AddTwin, Act::EditContact, Act::DeleteContact, Act::WebStop],
            Lists => &[Act::AddContact, Act::EditContact, Act::RenameList, Act::DeleteList],
            OptOuts => &[
                Act::Stop,
                Act::WebStop,
                Act::UnknownKindStop,
                Act::UnknownScopeStop,
                Act::NamelessStop,
                Act::RemoveOptOut,
                Act::CorrectStop,
            ],
            Links => &[Act::AddLink, Act::DeleteLink],
            Senders => &[Act::AddSender, Act::DeleteSender],
        }
    }

    /// Draws something that may happen to the rows of this subject, or to a run.
    fn draw_step(self, dice: &mut Dice, taste: &ScriptTaste) -> ScriptStep {
        let call = call_point(dice, taste);
        match dice.draw_below(10) {
            0..=2 => trouble_step(dice, taste, taste.faults),
            3..=4 => {
                let kind = dice.pick(self.writer_acts()).copied().unwrap_or(WriterActKind::WebStop);
                let (row, other) = (dice.draw_small(2), dice.draw_small(2));
                let act = WriterAct { kind, row, other, value: 400 + dice.draw_small(400) };
                match dice.draw_below(3) {
                    0 => ScriptStep::WriterBefore(call, act),
                    1 => ScriptStep::WriterAfter(call, act),
                    _ => ScriptStep::Writer(act),
                }
            }
            5..=6 => {
                let controls = [PersonActKind::CancelRun, PersonActKind::Undo, PersonActKind::AnswerQuestion];
                let kinds = [self.person_acts(), &controls].concat();
                let kind = dice.pick(&kinds).copied().unwrap_or(PersonActKind::Undo);
                let (row, other) = (dice.draw_small(2), dice.draw_small(2));
                let act = PersonAct { kind, row, other, value: dice.draw_small(400) };
                if dice.draw_chance(50) { ScriptStep::ActAt(call, act) } else { ScriptStep::Act(act) }
            }
            7 => time_step(dice, taste),
            _ => run_step(dice),
        }
    }
}

impl Situation {
    /// Returns the history without a disturbance.
    ///
    ///
    /// # Panics
    ///
    /// If a line of the table is not a script.
    pub fn build_script(&self) -> Script {
        let text = format!("seed {SMALLEST_SEED}\n{}", self.steps.replace(';', "\n"));
        text.parse().unwrap_or_else(|why| panic!("{}: {why}", self.steps))
    }

    /// Returns the history with each disturbance at each of the calls that its last run makes. If several calls of the
    /// same kind follow each other, only the first is disturbed.
    pub fn disturb_at(&self, calls: &[Option<usize>]) -> Vec<DisturbedSituation> {
        let mut disturbed = Vec::new();
        let undisturbed = self.build_script();
        let is_pull = matches!(undisturbed.steps.last(), Some(ScriptStep::PullRun | ScriptStep::FullPullRun));
        for (at, operation) in calls.iter().enumerate() {
            let is_write = operation.is_some_and(is_write);
            let is_deletion = operation.is_some_and(is_deletion);
            if !is_write && at > 0 && calls.get(at - 1) == Some(operation) {
                continue;
            }
            let point = |call: usize| CallPoint::Any(u16::try_from(call).unwrap_or(u16::MAX));
            let disturb = |before: &[ScriptStep], after: &[ScriptStep]| {
                let mut script = undisturbed.clone();
                let run = script.steps.split_off(script.steps.len() - 1);
                script.steps.extend([before, &run, after].concat());
                let lacks_rows = matches!(before, [ScriptStep::FaultAt(_, fault)] if fault.hides_rows());
                let is_ended_in_doubt = before.len() + after.len() > 1;
                DisturbedSituation { script, is_telling: is_pull && lacks_rows || is_ended_in_doubt }
            };
            let here = point(at + 1);
            disturbed
                .extend(self.disturbances(here, is_write, is_deletion).into_iter().map(|step| disturb(&[step], &[])));
            if is_write {
                // The person ends the run while it is unknown whether the request had an effect.
                let cancel = PersonAct { kind: PersonActKind::CancelRun, row: 0, other: 0, value: 0 };
                disturbed.push(disturb(&[ScriptStep::KillAfter(here)], &[ScriptStep::Act(cancel)]));
                disturbed.push(disturb(&[ScriptStep::KillBefore(here)], &[ScriptStep::Act(cancel)]));
                for fault in [Fault::LostAfter, Fault::LostBefore] {
                    disturbed.push(disturb(
                        &[ScriptStep::FaultAt(here, fault), ScriptStep::ActAt(point(at + 2), cancel)],
                        &[],
                    ));
                }
            }
        }
        disturbed
    }

    fn disturbances(&self, point: CallPoint, is_write: bool, is_deletion: bool) -> Vec<ScriptStep> {
        let mut steps = vec![ScriptStep::KillBefore(point), ScriptStep::KillAfter(point)];
        steps.extend(
            Fault::ALL
                .iter()
                .filter(|fault| is_relevant(**fault, is_write, is_deletion))
                .map(|fault| ScriptStep::FaultAt(point, *fault)),
        );
        let value = 40;
        steps.extend(self.subject.writer_acts().iter().map(|kind| {
            ScriptStep::WriterBefore(point, WriterAct { kind: *kind, row: 0, other: 0, value: 400 + value })
        }));
        let controls = [PersonActKind::CancelRun, PersonActKind::Undo];
        steps.extend(
            self.subject
                .person_acts()
                .iter()
                .chain(&controls)
                .map(|kind| ScriptStep::ActAt(point, PersonAct { kind: *kind, row: 0, other: 0, value })),
        );
        steps
    }
}

/// Disturbs a random situation one to four times, anywhere. In half of the histories, the first state is random too.
pub(crate) fn disturb_at_random(dice: &mut Dice, taste: &ScriptTaste) -> Script {
    let chosen = dice.draw_below(SITUATIONS.len());
    let Some(situation) = SITUATIONS.get(chosen) else {
        return Script { seed: SMALLEST_SEED, steps: Vec::new() };
    };
    let mut script = situation.build_script();
    if dice.draw_chance(50) {
        script.seed = dice.draw();
    }
    for _ in 0..=dice.draw_below(4) {
        let at = 1 + dice.draw_below(script.steps.len());
        script.steps.insert(at, situation.subject.draw_step(dice, taste));
    }
    if script.steps.last().is_some_and(|step| !matches!(step, ScriptStep::PushRun | ScriptStep::PullRun)) {
        script.steps.push(ScriptStep::PushRun);
    }
    script
}

fn is_write(operation: usize) -> bool {
    OPERATIONS.get(operation).is_some_and(|name| !name.starts_with("GET ") && !name.ends_with("/filter"))
}

fn is_deletion(operation: usize) -> bool {
    OPERATIONS.get(operation).is_some_and(|name| name.starts_with("DELETE "))
}

/// Returns whether a fault matters for a request. A read has no effect that could be in doubt, so only a wrong answer
/// matters.
fn is_relevant(fault: Fault, is_write: bool, is_deletion: bool) -> bool {
    match fault {
        Fault::LoginPageForDeletions => is_deletion,
        Fault::EmptyRead | Fault::TruncatedRead | Fault::DriftingPage => !is_write,
        Fault::LoginPage | Fault::LostAfter => true,
        _ => is_write,
    }
}

//! Shows the parts of a plan by the names that a person knows, with similar parts in one line.

use std::collections::{HashMap, HashSet};

use roost_model::{channel::Channel, contact::MergeType};
use roost_ops::StoreError;
use roost_reconcile::{
    Plan,
    input::Reach,
    merge::Note,
    plan::{GateKind, Repeat, Step, StepKind, Subject, Told},
    row::Field,
};
use roost_store::{
    tables::sync::{Place, changes, runs},
    tx::ReadTx,
};

use super::{
    super::{
        PlanAlternative, PlanGate, PlanGateKind, PlanLane, PlanNote, PlanRefused, PlanShown, PlanStep, PlanStepKind,
        PlanTold, PlanWhy, RecordKey, SyncList, SyncNoun, titles,
    },
    obstacles,
};
use crate::{gather::Standing, plan::Saved};

type Result<T> = std::result::Result<T, StoreError>;

/// The most refused records that are listed one by one.
const REFUSED: usize = 200;

/// The names of records, each list looked up once.
pub(in super::super) struct Titles<'a> {
    tx: &'a ReadTx<'a>,
    lists: HashMap<i64, Option<SyncList>>,
    /// Once the run of a plan has begun, what was agreed on before is no longer known.
    has_begun: bool,
}

impl<'a> Titles<'a> {
    pub fn new(tx: &'a ReadTx<'a>) -> Self {
        Self { tx, lists: HashMap::new(), has_begun: false }
    }

    pub fn of_run(tx: &'a ReadTx<'a>) -> Self {
        Self { has_begun: true, ..Self::new(tx) }
    }

    /// Returns a list. If it was deleted locally, its name is the one that both sides agreed on.
    pub fn list(&mut self, id: i64) -> Result<Option<SyncList>> {
        if let Some(known) = self.lists.get(&id) {
            return Ok(known.clone());
        }
        let found = match titles::list(self.tx, id)? {
            Some(list) => Some(list),
            None => {
                let gone = changes::one::<i64>(self.tx, Place::Lists, id)?;
                let name = gone.base.map(|cells| crate::cells::text(&cells, "name"));
                name.map(|name| SyncList { id, uid: gone.uid.unwrap_or_default(), name })
            }
        };
        self.lists.insert(id, found.clone());
        Ok(found)
    }

    fn list_name(&mut self, id: i64) -> Result<String> {
        Ok(self.list(id)?.map(|list| list.name).unwrap_or_default())
    }

    fn record(&self, noun: SyncNoun, id: i64) -> Result<String> {
        let known = changes::one::<i64>(self.tx, noun.place(), id)?;
        let cells = known.local.or(known.base).unwrap_or_default();
        Ok(titles::record(noun, &id.to_string(), &cells))
    }

    pub(super) fn subject(&mut self, subject: &Subject) -> Result<String> {
        match subject {
            Subject::Contact { id, .. } => self.record(SyncNoun::Contact, *id),
            Subject::List { id } => self.list_name(*id),
            Subject::OptOut { number, channel, reach } => {
                let asset = if let Reach::Asset(asset) = reach { Some(asset.as_str()) } else { None };
                Ok(reached(number, *channel, asset))
            }
            Subject::Link { id } => self.record(SyncNoun::ShortLink, *id),
            Subject::Sender { uid } => {
                let known = changes::one::<String>(self.tx, Place::Senders, uid.clone())?;
                let cells = known.local.or(known.base).unwrap_or_default();
                Ok(titles::record(SyncNoun::Sender, uid, &cells))
            }
        }
    }

    fn is_here(&self, noun: SyncNoun, id: i64) -> Result<bool> {
        Ok(changes::one::<i64>(self.tx, noun.place(), id)?.local.is_some())
    }

    fn was_agreed(&self, noun: SyncNoun, id: i64) -> Result<bool> {
        Ok(!self.has_begun && changes::one::<i64>(self.tx, noun.place(), id)?.base.is_some())
    }
}

pub fn key(subject: &Subject) -> RecordKey {
    match subject {
        Subject::Contact { id, .. } => RecordKey::of(SyncNoun::Contact, id),
        Subject::List { id } => RecordKey::of(SyncNoun::List, id),
        Subject::OptOut { number, channel, reach } => {
            RecordKey::of(SyncNoun::OptOut, Standing::new(number, *channel, reach).id())
        }
        Subject::Link { id } => RecordKey::of(SyncNoun::ShortLink, id),
        Subject::Sender { uid } => RecordKey::of(SyncNoun::Sender, uid),
    }
}

/// Returns the key of the line that a step is part of: the deletions of one list share a line.
fn line(step: &Step) -> Option<i64> {
    match &step.kind {
        StepKind::ContactDelete { list, .. } => Some(*list),
        _ => None,
    }
}

/// Returns the steps in the line of this step.
pub fn of_line(plan: &Plan, step: u32) -> Vec<&StepKind> {
    let Some(found) = plan.steps.iter().find(|one| one.id == step) else { return Vec::new() };
    match line(found) {
        Some(list) => plan.steps.iter().filter(|one| line(one) == Some(list)).map(|one| &one.kind).collect(),
        None => vec![&found.kind],
    }
}

/// The steps of a plan, grouped into lines of a page.
#[derive(Default)]
pub(in super::super) struct Lines {
    lines: Vec<PlanStep>,
    of_list: HashMap<i64, usize>,
}

impl Lines {
    pub(in super::super) fn add(&mut self, titles: &mut Titles<'_>, step: &Step) -> Result<()> {
        if let Some(list) = line(step) {
            if let Some(at) = self.of_list.get(&list) {
                let known = &mut self.lines[*at];
                known.ids.push(step.id);
                known.rows += 1;
                let fresh: Vec<u32> = step.after.iter().copied().filter(|id| !known.after.contains(id)).collect();
                known.after.extend(fresh);
                return Ok(());
            }
            self.of_list.insert(list, self.lines.len());
        }
        self.lines.push(one(titles, step)?);
        Ok(())
    }

    pub(in super::super) fn into_steps(self) -> Vec<PlanStep> {
        self.lines
    }
}

/// Builds the line of a step.
fn one(titles: &mut Titles<'_>, step: &Step) -> Result<PlanStep> {
    let (kind, title, rows, why) = match &step.kind {
        StepKind::OptOutCreate { number, channel, asset } => {
            (PlanStepKind::OptOutCreate, reached(number, *channel, asset.as_deref()), 1, PlanWhy::MadeHere)
        }
        StepKind::ListCreate { list, name } => {
            let anew = titles.was_agreed(SyncNoun::List, *list)?;
            (PlanStepKind::ListCreate, name.clone(), 1, if anew { PlanWhy::Recreated } else { PlanWhy::MadeHere })
        }
        StepKind::LinkCreate { id, .. } => {
            let anew = titles.was_agreed(SyncNoun::ShortLink, *id)?;
            let why = if anew { PlanWhy::Replaced } else { PlanWhy::MadeHere };
            (PlanStepKind::LinkCreate, titles.record(SyncNoun::ShortLink, *id)?, 1, why)
        }
        StepKind::LinkDelete { id, .. } => {
            let stays = titles.is_here(SyncNoun::ShortLink, *id)?;
            let why = if stays { PlanWhy::Replaced } else { PlanWhy::DeletedHere };
            (PlanStepKind::LinkDelete, titles.record(SyncNoun::ShortLink, *id)?, 1, why)
        }
        StepKind::SenderDelete { uid } => (PlanStepKind::SenderDelete, uid.clone(), 1, PlanWhy::DeletedHere),
        StepKind::Contacts { list, merge, items, .. } => {
            let is_new = matches!(merge, MergeType::SkipDuplicates | MergeType::AllowDuplicates);
            let why = match (is_new, items.iter().any(|item| item.before.is_some())) {
                (true, true) => PlanWhy::Replaced,
                (true, false) => PlanWhy::MadeHere,
                (false, _) => PlanWhy::ChangedHere,
            };
            let kind = if is_new { PlanStepKind::ContactsCreate } else { PlanStepKind::ContactsUpdate };
            (kind, titles.list_name(*list)?, items.len() as u64, why)
        }
        StepKind::Upload { list, count, .. } => {
            let anew = titles.was_agreed(SyncNoun::List, *list)?;
            let why = if anew { PlanWhy::Recreated } else { PlanWhy::MadeHere };
            (PlanStepKind::ContactsUpload, titles.list_name(*list)?, *count, why)
        }
        StepKind::ContactDelete { id, list, .. } => {
            let stays = titles.is_here(SyncNoun::Contact, *id)?;
            let why = if stays { PlanWhy::Replaced } else { PlanWhy::DeletedHere };
            (PlanStepKind::ContactDelete, titles.list_name(*list)?, 1, why)
        }
        StepKind::ListDelete { list, .. } => {
            let stays = titles.is_here(SyncNoun::List, *list)?;
            let why = if stays { PlanWhy::Recreated } else { PlanWhy::DeletedHere };
            (PlanStepKind::ListDelete, titles.list_name(*list)?, 1, why)
        }
        StepKind::OptOutDelete { numbers, channel, asset } => {
            let title = numbers.first().map(|number| reached(number, *channel, asset.as_deref())).unwrap_or_default();
            (PlanStepKind::OptOutDelete, title, numbers.len() as u64, PlanWhy::DeletedHere)
        }
    };
    Ok(PlanStep {
        id: step.id,
        ids: vec![step.id],
        operation: step.lane.name().to_owned(),
        kind,
        title,
        rows,
        after: step.after.clone(),
        is_repeatable: step.repeat == Repeat::Blindly,
        why,
        fields: fields(&step.kind),
    })
}

/// Describes the opt-out of a number by its channel and asset, since those of several channels would read the same.
fn reached(number: &str, channel: Channel, asset: Option<&str>) -> String {
    let channel = match channel {
        Channel::Sms => "SMS",
        Channel::WhatsApp => "WhatsApp",
    };
    match asset {
        None => format!("{number} ({channel})"),
        Some(asset) => format!("{number} ({channel}, {asset})"),
    }
}

/// Returns the fields that an update sends besides the identifying numbers.
fn fields(kind: &StepKind) -> Vec<String> {
    let StepKind::Contacts { merge: MergeType::MergeByPhone | MergeType::MergeByWhatsapp, items, .. } = kind else {
        return Vec::new();
    };
    let mut sent: Vec<Field> = Vec::new();
    for item in items {
        for field in item.send.iter().map(|(field, _)| field).chain(item.clear.iter().copied()) {
            if !field.is_number() && !sent.contains(&field) {
                sent.push(field);
            }
        }
    }
    sent.sort_unstable();
    sent.into_iter().map(|field| field.name().into_owned()).collect()
}

/// Builds the plan for the UI.
pub fn shown(tx: &ReadTx, saved: Saved) -> Result<PlanShown> {
    let Saved { id, at, plan } = saved;
    let mut titles = Titles::new(tx);
    let mut lines = Lines::default();
    plan.steps.iter().try_for_each(|step| lines.add(&mut titles, step))?;
    let lanes = plan.cost.lanes.iter().map(|lane| PlanLane {
        operation: lane.lane.name().to_owned(),
        calls: lane.calls,
        seconds: lane.seconds,
    });
    let mut refused = Vec::new();
    for one in plan.quarantine.iter().take(REFUSED) {
        refused.push(PlanRefused {
            key: RecordKey::of(SyncNoun::Contact, one.id),
            title: titles.record(SyncNoun::Contact, one.id)?,
            list: titles.list(one.list)?,
            faults: one.faults.iter().map(|fault| worded(fault.field, &fault.message)).collect(),
        });
    }
    let sent_back = sent_back(tx, &plan)?;
    for (id, list, faults) in sent_back.iter().take(REFUSED.saturating_sub(refused.len())) {
        refused.push(PlanRefused {
            key: RecordKey::of(SyncNoun::Contact, *id),
            title: titles.record(SyncNoun::Contact, *id)?,
            list: titles.list(*list)?,
            faults: faults.clone(),
        });
    }
    let mut alternatives = Vec::new();
    for one in &plan.alternatives {
        if let Some(list) = titles.list(one.list)? {
            let choice = obstacles::of_list(one.choice);
            alternatives.push(PlanAlternative { list, choice, calls: one.calls, instead_of: one.instead_of });
        }
    }
    Ok(PlanShown {
        id,
        at,
        is_stale: false,
        steps: lines.into_steps(),
        writes: plan.cost.writes,
        reads: plan.cost.reads,
        seconds: plan.cost.seconds,
        lanes: lanes.collect(),
        conflicts: plan.conflicts.len() as u64,
        blocked: obstacles::shown(&mut titles, &plan)?,
        refused,
        refused_count: (plan.quarantine.len() + sent_back.len()) as u64,
        notes: notes(&mut titles, &plan, &sent_back)?,
        gates: gates(&mut titles, &plan)?,
        alternatives,
    })
}

/// Returns the contacts that wait because the service refused them unchanged, each with its list and the reasons.
fn sent_back(tx: &ReadTx, plan: &Plan) -> Result<Vec<(i64, i64, Vec<String>)>> {
    let refused: HashMap<i64, runs::Refused<i64>> =
        runs::quarantine(tx, Place::Contacts)?.into_iter().map(|one| (one.id, one)).collect();
    let mut found = Vec::new();
    for (subject, told) in &plan.notes {
        let (Subject::Contact { id, list }, Told::Held) = (subject, told) else { continue };
        let Some(one) = refused.get(id) else { continue };
        if changes::one::<i64>(tx, Place::Contacts, *id)?.local.as_ref() == Some(&one.cells) {
            found.push((*id, *list, serde_json::from_str(&one.faults).unwrap_or_default()));
        }
    }
    Ok(found)
}

fn worded(field: Option<Field>, message: &str) -> String {
    match field {
        Some(field) => format!("{}: {message}", field.name()),
        None => message.to_owned(),
    }
}

fn notes(titles: &mut Titles<'_>, plan: &Plan, sent_back: &[(i64, i64, Vec<String>)]) -> Result<Vec<PlanNote>> {
    let mut notes: Vec<PlanNote> = Vec::new();
    let sent_back: HashSet<i64> = sent_back.iter().map(|(id, ..)| *id).collect();
    for (subject, told) in &plan.notes {
        if matches!((subject, told), (Subject::Contact { id, .. }, Told::Held) if sent_back.contains(id)) {
            continue;
        }
        let text = match told {
            Told::Merge { note: Note::DeletionDropped } => PlanTold::DeletionDropped,
            Told::Merge { note: Note::FormTaken } => PlanTold::FormTaken,
            Told::RemovalCancelled => PlanTold::RemovalCancelled,
            Told::NoEvidence => PlanTold::NoEvidence,
            Told::Held => PlanTold::Held,
            Told::Waiting => PlanTold::Waiting,
        };
        match notes.iter_mut().find(|note| note.text == text) {
            Some(note) => note.count += 1,
            None => notes.push(PlanNote { title: titles.subject(subject)?, text, count: 1 }),
        }
    }
    Ok(notes)
}

fn gates(titles: &mut Titles<'_>, plan: &Plan) -> Result<Vec<PlanGate>> {
    let mut shown = Vec::new();
    for gate in &plan.gates {
        let kind = match gate.gate {
            GateKind::ManyDeletions => PlanGateKind::ManyDeletions,
            GateKind::ListDeletion => PlanGateKind::ListDeletion,
            GateKind::SenderDeletion => PlanGateKind::SenderDeletion,
            GateKind::OptOutRemoval => PlanGateKind::OptOutRemoval,
        };
        let step = gate.step.and_then(|id| plan.steps.iter().find(|step| step.id == id));
        let (title, rows) = match (gate.gate, gate.list, step.map(|step| &step.kind)) {
            (GateKind::ManyDeletions, Some(list), _) => {
                (titles.list_name(list)?, gate.wanted.parse().unwrap_or_default())
            }
            (_, _, Some(StepKind::OptOutDelete { numbers, .. })) => {
                (numbers.first().cloned().unwrap_or_default(), numbers.len() as u64)
            }
            (GateKind::ListDeletion, Some(list), _) => (gate.wanted.clone(), there(titles, list)?),
            _ => (gate.wanted.clone(), 1),
        };
        shown.push(PlanGate { gate: kind, title, rows, wanted: gate.wanted.clone() });
    }
    Ok(shown)
}

/// Returns the number of contacts that the service has in a list, as far as known.
fn there(titles: &Titles<'_>, list: i64) -> Result<u64> {
    roost_store::tables::sync::scopes::believed(titles.tx, list)
}

//! Shows the parts of a plan by the names that a person knows, with similar parts in one line.

use std::collections::{HashMap, HashSet};

use roost_model::{channel::Channel, contact::MergeType};
use roost_ops::StoreError;
use roost_reconcile::{
    SyncPlan,
    input::OptOutTarget,
    merge::MergeNote,
    plan::{GateKind, PlanNotice, PlanStep, PlanSubject, RepeatRule, StepKind},
    row::SyncField,
};
use roost_store::{
    tables::{
        counts::recent,
        sync::{
            SyncedTable,
            changes::{self, ServiceState},
            runs,
        },
    },
    tx::ReadTx,
};
use roost_sync::{gather::OptOutRecordKey, plan::SavedPlan};

use super::obstacles;
use crate::{
    MAX_LISTS_WITH_DRAFTS, PlanAlternative, PlanDetails, PlanGate, PlanLane, PlanLine, PlanNote, PlanNoticeKind,
    PlanRefused, PlanStepKind, PlanStepReason, RecordKey, SyncList, SyncNoun, titles,
};

type Result<T> = std::result::Result<T, StoreError>;

/// The most refused records that are listed one by one.
const MAX_LISTED_REFUSALS: usize = 200;

/// The names of records, each list looked up once.
pub(in super::super) struct PlanTitles<'a> {
    tx: &'a ReadTx<'a>,
    lists: HashMap<i64, Option<SyncList>>,
    /// Once the run of a plan has begun, what was agreed on before is no longer known.
    has_begun: bool,
}

impl<'a> PlanTitles<'a> {
    pub(crate) fn new(tx: &'a ReadTx<'a>) -> Self {
        Self { tx, lists: HashMap::new(), has_begun: false }
    }

    pub(crate) fn for_run(tx: &'a ReadTx<'a>) -> Self {
        Self { has_begun: true, ..Self::new(tx) }
    }

    pub(crate) fn find_list(&mut self, id: i64) -> Result<Option<SyncList>> {
        if let Some(known) = self.lists.get(&id) {
            return Ok(known.clone());
        }
        let found = titles::find_list(self.tx, id)?;
        self.lists.insert(id, found.clone());
        Ok(found)
    }

    fn list_name(&mut self, id: i64) -> Result<String> {
        Ok(self.find_list(id)?.map(|list| list.name).unwrap_or_default())
    }

    fn record_title(&self, noun: SyncNoun, id: i64) -> Result<String> {
        let known = changes::read_record::<i64>(self.tx, noun.to_table(), id)?;
        let cells = known.local.or(known.base).unwrap_or_default();
        Ok(titles::record_title(noun, &id.to_string(), &cells))
    }

    pub(super) fn subject_title(&mut self, subject: &PlanSubject) -> Result<String> {
        match subject {
            PlanSubject::Contact { id, .. } => self.record_title(SyncNoun::Contact, *id),
            PlanSubject::List { id } => self.list_name(*id),
            PlanSubject::OptOut { number, channel, reach } => {
                let asset = if let OptOutTarget::Asset(asset) = reach { Some(asset.as_str()) } else { None };
                Ok(describe_opt_out(number, *channel, asset))
            }
            PlanSubject::Link { id } => self.record_title(SyncNoun::ShortLink, *id),
            PlanSubject::Sender { uid } => {
                let known = changes::read_record::<String>(self.tx, SyncedTable::Senders, uid.clone())?;
                let cells = known.local.or(known.base).unwrap_or_default();
                Ok(titles::record_title(SyncNoun::Sender, uid, &cells))
            }
        }
    }

    fn is_local(&self, noun: SyncNoun, id: i64) -> Result<bool> {
        Ok(changes::read_record::<i64>(self.tx, noun.to_table(), id)?.local.is_some())
    }

    fn was_agreed(&self, noun: SyncNoun, id: i64) -> Result<bool> {
        Ok(!self.has_begun && changes::read_record::<i64>(self.tx, noun.to_table(), id)?.base.is_some())
    }

    fn is_removed_there(&self, key: &OptOutRecordKey) -> Result<bool> {
        let known = changes::read_record::<String>(self.tx, SyncedTable::OptOuts, key.id())?;
        Ok(!self.has_begun && known.base.is_some() && known.at_service == ServiceState::Deleted)
    }
}

pub(super) fn record_key(subject: &PlanSubject) -> RecordKey {
    match subject {
        PlanSubject::Contact { id, .. } => RecordKey::new(SyncNoun::Contact, id),
        PlanSubject::List { id } => RecordKey::new(SyncNoun::List, id),
        PlanSubject::OptOut { number, channel, reach } => {
            RecordKey::new(SyncNoun::OptOut, OptOutRecordKey::new(number, *channel, reach).id())
        }
        PlanSubject::Link { id } => RecordKey::new(SyncNoun::ShortLink, id),
        PlanSubject::Sender { uid } => RecordKey::new(SyncNoun::Sender, uid),
    }
}

/// Returns the key of the line that a step is part of: the deletions of one list share a line.
fn line_list(step: &PlanStep) -> Option<i64> {
    match &step.kind {
        StepKind::ContactDelete { list, .. } => Some(*list),
        _ => None,
    }
}

/// Returns the steps in the line of this step.
pub(super) fn steps_in_line(plan: &SyncPlan, step: u32) -> Vec<&StepKind> {
    let Some(found) = plan.steps.iter().find(|one| one.id == step) else { return Vec::new() };
    match line_list(found) {
        Some(list) => plan.steps.iter().filter(|one| line_list(one) == Some(list)).map(|one| &one.kind).collect(),
        None => vec![&found.kind],
    }
}

/// The steps of a plan, grouped into lines of a page.
#[derive(Default)]
pub(in super::super) struct PlanLines {
    lines: Vec<PlanLine>,
    of_list: HashMap<i64, usize>,
}

impl PlanLines {
    pub(in super::super) fn add_step(&mut self, titles: &mut PlanTitles<'_>, step: &PlanStep) -> Result<()> {
        if let Some(list) = line_list(step) {
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
        self.lines.push(build_line(titles, step)?);
        Ok(())
    }

    pub(in super::super) fn into_lines(self) -> Vec<PlanLine> {
        self.lines
    }
}

/// Builds the line of a step.
fn build_line(titles: &mut PlanTitles<'_>, step: &PlanStep) -> Result<PlanLine> {
    let (kind, title, rows, why) = match &step.kind {
        StepKind::OptOutCreate { number, channel, asset } => {
            let title = describe_opt_out(number, *channel, asset.as_deref());
            let reach = asset.clone().map_or(OptOutTarget::Account, OptOutTarget::Asset);
            let is_kept = titles.is_removed_there(&OptOutRecordKey::new(number, *channel, &reach))?;
            let why = if is_kept { PlanStepReason::RemovedThere } else { PlanStepReason::MadeHere };
            (PlanStepKind::OptOutCreate, title, 1, why)
        }
        StepKind::ListCreate { list, name } => {
            let anew = titles.was_agreed(SyncNoun::List, *list)?;
            (
                PlanStepKind::ListCreate,
                name.clone(),
                1,
                if anew { PlanStepReason::Recreated } else { PlanStepReason::MadeHere },
            )
        }
        StepKind::LinkCreate { id, .. } => {
            let anew = titles.was_agreed(SyncNoun::ShortLink, *id)?;
            let why = if anew { PlanStepReason::Replaced } else { PlanStepReason::MadeHere };
            (PlanStepKind::LinkCreate, titles.record_title(SyncNoun::ShortLink, *id)?, 1, why)
        }
        StepKind::LinkDelete { id, .. } => {
            let stays = titles.is_local(SyncNoun::ShortLink, *id)?;
            let why = if stays { PlanStepReason::Replaced } else { PlanStepReason::DeletedHere };
            (PlanStepKind::LinkDelete, titles.record_title(SyncNoun::ShortLink, *id)?, 1, why)
        }
        StepKind::SenderDelete { uid } => (PlanStepKind::SenderDelete, uid.clone(), 1, PlanStepReason::DeletedHere),
        StepKind::Contacts { list, merge, items, .. } => {
            let creates = matches!(merge, MergeType::SkipDuplicates | MergeType::AllowDuplicates);
            let changed = items.iter().filter(|item| item.before.is_some()).count();
            // If a merge creates contacts too, it takes new ones along.
            let (kind, why) = match changed {
                0 => (PlanStepKind::ContactsCreate, PlanStepReason::MadeHere),
                _ if creates => (PlanStepKind::ContactsCreate, PlanStepReason::Replaced),
                all if all == items.len() => (PlanStepKind::ContactsUpdate, PlanStepReason::ChangedHere),
                _ => (PlanStepKind::ContactsMerge, PlanStepReason::MadeOrChangedHere),
            };
            (kind, titles.list_name(*list)?, items.len() as u64, why)
        }
        StepKind::Upload { list, count, .. } => {
            let anew = titles.was_agreed(SyncNoun::List, *list)?;
            let why = if anew { PlanStepReason::Recreated } else { PlanStepReason::MadeHere };
            (PlanStepKind::ContactsUpload, titles.list_name(*list)?, *count, why)
        }
        StepKind::ContactDelete { id, list, .. } => {
            let stays = titles.is_local(SyncNoun::Contact, *id)?;
            let why = if stays { PlanStepReason::Replaced } else { PlanStepReason::DeletedHere };
            (PlanStepKind::ContactDelete, titles.list_name(*list)?, 1, why)
        }
        StepKind::ListDelete { list, .. } => {
            let stays = titles.is_local(SyncNoun::List, *list)?;
            let why = if stays { PlanStepReason::Recreated } else { PlanStepReason::DeletedHere };
            (PlanStepKind::ListDelete, titles.list_name(*list)?, 1, why)
        }
        StepKind::OptOutDelete { numbers, channel, asset } => {
            let title =
                numbers.first().map(|number| describe_opt_out(number, *channel, asset.as_deref())).unwrap_or_default();
            (PlanStepKind::OptOutDelete, title, numbers.len() as u64, PlanStepReason::DeletedHere)
        }
    };
    Ok(PlanLine {
        id: step.id,
        ids: vec![step.id],
        operation: step.lane.name().to_owned(),
        kind,
        title,
        rows,
        after: step.after.clone(),
        is_repeatable: step.repeat == RepeatRule::Blindly,
        why,
        fields: sent_fields(&step.kind),
    })
}

/// Describes the opt-out of a number by its channel and asset, since those of several channels would read the same.
fn describe_opt_out(number: &str, channel: Channel, asset: Option<&str>) -> String {
    let channel = match channel {
        Channel::Sms => "SMS",
        Channel::WhatsApp => "WhatsApp",
    };
    match asset {
        None => format!("{number} ({channel})"),
        Some(asset) => format!("{number} ({channel}, {asset})"),
    }
}

/// Returns the fields that updates send besides the identifying numbers.
fn sent_fields(kind: &StepKind) -> Vec<String> {
    let StepKind::Contacts { merge: MergeType::MergeByPhone | MergeType::MergeByWhatsapp, items, .. } = kind else {
        return Vec::new();
    };
    let mut sent: Vec<SyncField> = Vec::new();
    for item in items.iter().filter(|item| item.before.is_some()) {
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
pub(super) fn build_details(tx: &ReadTx, saved: SavedPlan) -> Result<PlanDetails> {
    let SavedPlan { id, at, plan } = saved;
    let mut titles = PlanTitles::new(tx);
    let mut lines = PlanLines::default();
    plan.steps.iter().try_for_each(|step| lines.add_step(&mut titles, step))?;
    let lanes = plan.cost.lanes.iter().map(|lane| PlanLane {
        operation: lane.lane.name().to_owned(),
        calls: lane.calls,
        seconds: lane.seconds,
    });
    let mut refused = Vec::new();
    for one in plan.quarantine.iter().take(MAX_LISTED_REFUSALS) {
        refused.push(PlanRefused {
            key: RecordKey::new(SyncNoun::Contact, one.id),
            title: titles.record_title(SyncNoun::Contact, one.id)?,
            list: titles.find_list(one.list)?,
            faults: one.faults.iter().map(|fault| describe_violation(fault.field, &fault.message)).collect(),
        });
    }
    let sent_back = find_refused_contacts(tx, &plan)?;
    for (id, list, faults) in sent_back.iter().take(MAX_LISTED_REFUSALS.saturating_sub(refused.len())) {
        refused.push(PlanRefused {
            key: RecordKey::new(SyncNoun::Contact, *id),
            title: titles.record_title(SyncNoun::Contact, *id)?,
            list: titles.find_list(*list)?,
            faults: faults.clone(),
        });
    }
    let mut alternatives = Vec::new();
    for one in &plan.alternatives {
        if let Some(list) = titles.find_list(one.list)? {
            let choice = obstacles::list_to_plan_choice(one.choice);
            alternatives.push(PlanAlternative { list, choice, calls: one.calls, instead_of: one.instead_of });
        }
    }
    Ok(PlanDetails {
        id,
        at,
        is_stale: false,
        steps: lines.into_lines(),
        writes: plan.cost.writes,
        reads: plan.cost.reads,
        seconds: plan.cost.seconds,
        lanes: lanes.collect(),
        conflicts: plan.conflicts.len() as u64,
        blocked: obstacles::group_blocked(tx, &mut titles, &plan)?,
        refused,
        refused_count: (plan.quarantine.len() + sent_back.len()) as u64,
        notes: build_notes(&mut titles, &plan, &sent_back)?,
        gates: build_gates(&mut titles, &plan)?,
        alternatives,
        drafts: recent::lists_with_drafts(tx, MAX_LISTS_WITH_DRAFTS)?,
    })
}

/// Returns the contacts that wait because the service refused them unchanged, each with its list and the reasons.
fn find_refused_contacts(tx: &ReadTx, plan: &SyncPlan) -> Result<Vec<(i64, i64, Vec<String>)>> {
    let refused: HashMap<i64, runs::RefusedRecord<i64>> =
        runs::read_refused(tx, SyncedTable::Contacts)?.into_iter().map(|one| (one.id, one)).collect();
    let mut found = Vec::new();
    for (subject, notice) in &plan.notes {
        let (PlanSubject::Contact { id, list }, PlanNotice::Held) = (subject, notice) else { continue };
        let Some(one) = refused.get(id) else { continue };
        if changes::read_record::<i64>(tx, SyncedTable::Contacts, *id)?.local.as_ref() == Some(&one.cells) {
            found.push((*id, *list, serde_json::from_str(&one.faults).unwrap_or_default()));
        }
    }
    Ok(found)
}

fn describe_violation(field: Option<SyncField>, message: &str) -> String {
    match field {
        Some(field) => format!("{}: {message}", field.name()),
        None => message.to_owned(),
    }
}

fn build_notes(
    titles: &mut PlanTitles<'_>,
    plan: &SyncPlan,
    sent_back: &[(i64, i64, Vec<String>)],
) -> Result<Vec<PlanNote>> {
    let mut notes: Vec<PlanNote> = Vec::new();
    let sent_back: HashSet<i64> = sent_back.iter().map(|(id, ..)| *id).collect();
    for (subject, notice) in &plan.notes {
        if matches!((subject, notice), (PlanSubject::Contact { id, .. }, PlanNotice::Held) if sent_back.contains(id)) {
            continue;
        }
        let text = match notice {
            PlanNotice::Merge { note: MergeNote::DeletionDropped } => PlanNoticeKind::DeletionDropped,
            PlanNotice::Merge { note: MergeNote::FormTaken } => PlanNoticeKind::FormTaken,
            PlanNotice::RemovalCancelled => PlanNoticeKind::RemovalCancelled,
            PlanNotice::NoEvidence => PlanNoticeKind::NoEvidence,
            PlanNotice::Held => PlanNoticeKind::Held,
            PlanNotice::Waiting => PlanNoticeKind::Waiting,
        };
        match notes.iter_mut().find(|note| note.text == text) {
            Some(note) => note.count += 1,
            None => notes.push(PlanNote { title: titles.subject_title(subject)?, text, count: 1 }),
        }
    }
    Ok(notes)
}

fn build_gates(titles: &mut PlanTitles<'_>, plan: &SyncPlan) -> Result<Vec<PlanGate>> {
    let mut shown = Vec::new();
    for gate in &plan.gates {
        let step = gate.step.and_then(|id| plan.steps.iter().find(|step| step.id == id));
        let (title, rows) = match (gate.gate, gate.list, step.map(|step| &step.kind)) {
            (GateKind::ManyDeletions, Some(list), _) => {
                (titles.list_name(list)?, gate.wanted.parse().unwrap_or_default())
            }
            (_, _, Some(StepKind::OptOutDelete { numbers, .. })) => {
                (numbers.first().cloned().unwrap_or_default(), numbers.len() as u64)
            }
            (GateKind::ListDeletion, Some(list), _) => (gate.wanted.clone(), believed_rows(titles, list)?),
            _ => (gate.wanted.clone(), 1),
        };
        shown.push(PlanGate { gate: gate.gate, title, rows, wanted: gate.wanted.clone() });
    }
    Ok(shown)
}

/// Returns the number of contacts that the service has in a list, as far as known.
fn believed_rows(titles: &PlanTitles<'_>, list: i64) -> Result<u64> {
    roost_store::tables::sync::scopes::count_expected(titles.tx, list)
}

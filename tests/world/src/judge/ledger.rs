//! Records the history of every row: what either side stated, what arrived, and what the engine has read.

use std::collections::{HashMap, HashSet};

use super::Violation;
use super::consent::OptOutHistory;
use super::runs::ShownAccount;
use crate::service::{CONTACT_FIELDS, ContactValues, PHONE, ReadNote, RequestOrigin, Service, ServiceEffect, WHATSAPP};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum RowKind {
    Contact,
    List,
    Link,
    Sender,
}

impl RowKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            RowKind::Contact => "contact",
            RowKind::List => "list",
            RowKind::Link => "link",
            RowKind::Sender => "sender",
        }
    }
}

/// A value that the person (`here`) or another writer stated for one field.
#[derive(Clone, Debug)]
pub(crate) struct StatedValue {
    pub moment: u64,
    pub here: bool,
    pub field: usize,
    pub value: Option<String>,
    /// For the person's values: the moment from which the service certainly had it, or 0.
    pub arrived: u64,
    /// For other writers' values: the moment at which an answer showed it to the engine, or 0.
    pub delivered: u64,
    /// For other writers' values: the moment at which the account showed it to the person, or 0.
    pub shown: u64,
}

/// The creation, deletion or restoration of a row.
#[derive(Clone, Debug)]
pub(crate) struct LifeEvent {
    pub moment: u64,
    pub here: bool,
    pub alive: bool,
    pub delivered: u64,
}

/// The whole life of one row, whatever its UIDs.
#[derive(Clone, Debug)]
pub(crate) struct RowHistory {
    pub kind: RowKind,
    pub key: Option<String>,
    pub shown: bool,
    pub uids: Vec<String>,
    /// The numbers of a contact, the names of a list, the title of a link, or the name of a sender.
    pub names: Vec<String>,
    /// The lists that the contact has been in. It belongs to the last one.
    pub lists: Vec<usize>,
    pub words: Vec<StatedValue>,
    pub life: Vec<LifeEvent>,
    /// Whether an undo, an answer or a race makes several values legitimate.
    pub loose_values: bool,
    /// Whether an undo, an answer or a race makes existence and absence legitimate.
    pub loose_life: bool,
    pub touched_here: bool,
    pub engine_wrote: u64,
    pub engine_deleted: u64,
    /// The UIDs of contacts that an answer showed to the engine.
    pub read_uids: HashSet<String>,
    /// Whether the engine asked for the deletion of the row, and no answer has shown the row since.
    pub is_deletion_requested: bool,
    /// Whether another writer deleted the row when the engine could not know whether it existed.
    pub lost_unread: bool,
    /// The moment at which the person restored the row, unless it was deleted here again.
    pub restored: Option<u64>,
}

impl RowHistory {
    fn new(kind: RowKind) -> RowHistory {
        RowHistory {
            kind,
            key: None,
            shown: false,
            uids: Vec::new(),
            names: Vec::new(),
            lists: Vec::new(),
            words: Vec::new(),
            life: Vec::new(),
            loose_values: false,
            loose_life: false,
            read_uids: HashSet::new(),
            is_deletion_requested: false,
            lost_unread: false,
            restored: None,
            touched_here: false,
            engine_wrote: 0,
            engine_deleted: 0,
        }
    }

    pub(crate) fn last_life(&self, here: bool) -> Option<&LifeEvent> {
        self.life.iter().rev().find(|event| event.here == here)
    }

    pub(crate) fn is_created_at_service(&self) -> bool {
        self.life.first().is_some_and(|event| !event.here)
    }

    pub(crate) fn has_unread_values(&self) -> bool {
        self.words.iter().any(|word| !word.here && word.delivered == 0)
    }

    fn add_name(&mut self, name: &str) {
        if !self.names.iter().any(|own| own == name) {
            self.names.push(name.to_owned());
        }
    }

    pub(crate) fn state_value(&mut self, moment: u64, here: bool, field: usize, value: Option<String>) {
        if let Some(number) =
            value.as_ref().filter(|_| self.kind != RowKind::Contact || field == PHONE || field == WHATSAPP)
        {
            let number = number.clone();
            self.add_name(&number);
        }
        self.words.push(StatedValue { moment, here, field, value, arrived: 0, delivered: 0, shown: 0 });
    }

    pub(crate) fn state_life(&mut self, moment: u64, here: bool, alive: bool) {
        self.life.push(LifeEvent { moment, here, alive, delivered: 0 });
    }
}

/// Everything that the judge knows about the history.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorldHistory {
    pub moment: u64,
    pub stories: Vec<RowHistory>,
    /// The story of each UID that ever existed.
    pub owners: HashMap<String, usize>,
    /// Records that a fault doubled. They are tolerated.
    pub echoes: HashSet<String>,
    homes: HashMap<String, String>,
    /// The call that last read all contacts of a list.
    list_reads: HashMap<String, u64>,
    /// The keys of rows that the person changed before their record was known.
    pub unknown_keys: HashSet<String>,
    pub consent: OptOutHistory,
    pub account: ShownAccount,
    pub violations: Vec<Violation>,
}

impl WorldHistory {
    pub(crate) fn next_time(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }

    pub(crate) fn find_key(&self, kind: RowKind, key: &str) -> Option<usize> {
        self.stories.iter().position(|story| story.kind == kind && story.key.as_deref() == Some(key))
    }

    /// Finds a story by key or, if the key is not known yet, by UID.
    pub(crate) fn find_row(&mut self, kind: RowKind, key: &str, uid: Option<&str>) -> Option<usize> {
        if let Some(found) = self.find_key(kind, key) {
            return Some(found);
        }
        let found = *self.owners.get(uid?)?;
        let story = self.stories.get_mut(found)?;
        if story.kind == kind && story.key.is_none() {
            story.key = Some(key.to_owned());
        }
        Some(found)
    }

    pub(crate) fn add_row(&mut self, kind: RowKind) -> (usize, &mut RowHistory) {
        let index = self.stories.len();
        self.stories.push(RowHistory::new(kind));
        // The vector is not empty, because a story was just pushed.
        (index, &mut self.stories[index])
    }

    /// Returns whether no other story shares a name (and, for contacts, a list) with this one.
    pub(crate) fn is_unique_identity(&self, index: usize) -> bool {
        let Some(story) = self.stories.get(index) else {
            return false;
        };
        !self
            .stories
            .iter()
            .enumerate()
            .any(|(other_index, other)| other_index != index && share_identity(story, other))
    }

    /// Finds the story of a record that the engine created.
    fn match_row(&self, kind: RowKind, names: &[&String], list: Option<usize>) -> Option<usize> {
        let score = |story: &RowHistory| {
            let in_list = list.is_none_or(|list| story.lists.contains(&list));
            let current = list.is_none_or(|list| story.lists.last() == Some(&list));
            let wanted = story.last_life(true).is_none_or(|event| event.alive);
            let touched = story.touched_here;
            u8::from(in_list) * 8 + u8::from(current) * 4 + u8::from(wanted) * 2 + u8::from(touched)
        };
        self.stories
            .iter()
            .enumerate()
            .filter(|(_, story)| story.kind == kind)
            .filter(|(_, story)| names.iter().any(|name| story.names.contains(name)))
            .max_by_key(|(_, story)| score(story))
            .map(|(index, _)| index)
    }

    /// Records changes at the service. `origin` is the engine's call that made them, or `None` for other writers. Jobs
    /// carry their own origin.
    pub(crate) fn merge_rows(&mut self, effects: Vec<ServiceEffect>, origin: Option<RequestOrigin>) {
        for effect in effects {
            let moment = self.next_time();
            match effect {
                ServiceEffect::ContactMade { uid, list, values, job } => {
                    self.on_contact_created(moment, uid, &list, &values, job);
                }
                ServiceEffect::ContactMerged { uid, changed, job } => {
                    self.on_contact_merged(moment, &uid, &changed, job);
                }
                ServiceEffect::ContactGone { uid, with_list } => {
                    self.on_contact_removed(moment, &uid, with_list, origin);
                }
                ServiceEffect::ListMade { uid, name } => {
                    self.on_row_created(moment, RowKind::List, uid, name, origin);
                }
                ServiceEffect::LinkMade { uid, title } => {
                    self.on_row_created(moment, RowKind::Link, uid, title, origin);
                }
                ServiceEffect::SenderMade { uid, name } => {
                    self.on_row_created(moment, RowKind::Sender, uid, name, origin);
                }
                ServiceEffect::ListRenamed { uid, name } => {
                    let echo = self.has_echo(&uid);
                    if let Some(story) = self.row_of(&uid) {
                        // A renamed list leaves its old record behind, whose name no longer counts.
                        story.loose_values |= echo || story.uids.last() != Some(&uid);
                        story.state_value(moment, false, 0, Some(name));
                    }
                }
                ServiceEffect::ListGone { uid }
                | ServiceEffect::LinkGone { uid }
                | ServiceEffect::SenderGone { uid } => {
                    self.on_row_removed(moment, &uid, origin);
                }
                ServiceEffect::OptOutMade(record) => self.consent.on_created(moment, record, origin),
                ServiceEffect::OptOutReplaced { sequence } => {
                    self.consent.on_replaced(moment, sequence);
                }
                ServiceEffect::OptOutGone { sequence } => {
                    self.consent.on_removed(moment, sequence, origin);
                }
            }
        }
    }

    /// Returns whether a fault doubled a record of this row. The engine may then use either record.
    fn has_echo(&self, uid: &str) -> bool {
        let story = self.owners.get(uid).and_then(|index| self.stories.get(*index));
        story.is_some_and(|story| story.uids.iter().any(|uid| self.echoes.contains(uid)))
    }

    fn row_of(&mut self, uid: &str) -> Option<&mut RowHistory> {
        let index = *self.owners.get(uid)?;
        self.stories.get_mut(index)
    }

    fn on_contact_created(
        &mut self,
        moment: u64,
        uid: String,
        list: &str,
        values: &ContactValues,
        job: Option<RequestOrigin>,
    ) {
        let list_story = self.owners.get(list).copied();
        self.homes.insert(uid.clone(), list.to_owned());
        let numbers: Vec<&String> = [PHONE, WHATSAPP].iter().filter_map(|at| values.get(*at)?.as_ref()).collect();
        let Some(job) = job else {
            let (index, story) = self.add_row(RowKind::Contact);
            story.lists.extend(list_story);
            story.state_life(moment, false, true);
            for (field, value) in values.iter().enumerate() {
                if value.is_some() {
                    story.state_value(moment, false, field, value.clone());
                }
            }
            story.uids.push(uid.clone());
            self.owners.insert(uid, index);
            return;
        };
        let Some(index) = self.match_row(RowKind::Contact, &numbers, list_story) else {
            return;
        };
        let Some(story) = self.stories.get_mut(index) else {
            return;
        };
        let late = !job.certain && (story.engine_wrote > job.moment || story.engine_deleted > job.moment);
        if job.echo || (late && story.engine_deleted > job.moment) {
            self.echoes.insert(uid.clone());
        }
        story.loose_values |= late;
        story.engine_wrote = moment;
        story.uids.push(uid.clone());
        let certain = job.certain;
        for word in story.words.iter_mut().filter(|word| word.here && word.arrived == 0 && certain) {
            if values.get(word.field) == Some(&word.value) {
                word.arrived = moment;
            }
        }
        self.owners.insert(uid, index);
    }

    fn on_contact_merged(&mut self, moment: u64, uid: &str, changed: &ContactValues, job: Option<RequestOrigin>) {
        let echo = self.has_echo(uid);
        let Some(story) = self.row_of(uid) else {
            return;
        };
        for (field, value) in changed.iter().enumerate() {
            if value.is_none() {
                continue;
            }
            let Some(job) = job else {
                story.loose_values |= echo;
                story.state_value(moment, false, field, value.clone());
                continue;
            };
            let late = !job.certain && story.engine_wrote > job.moment;
            story.loose_values |= late;
            for word in story.words.iter_mut().filter(|word| word.here && word.arrived == 0) {
                if job.certain && word.field == field && word.value == *value {
                    word.arrived = moment;
                }
            }
        }
        if job.is_some() {
            story.engine_wrote = moment;
        }
    }

    fn on_contact_removed(&mut self, moment: u64, uid: &str, with_list: bool, origin: Option<RequestOrigin>) {
        let home = self.homes.get(uid).cloned().unwrap_or_default();
        let list_deleted = self
            .owners
            .get(&home)
            .and_then(|index| self.stories.get(*index)?.last_life(true).cloned())
            .filter(|event| !event.alive)
            .map(|event| event.moment);
        let read = self.list_reads.get(&home).copied();
        let echo = self.echoes.contains(uid);
        let Some(story) = self.row_of(uid) else {
            return;
        };
        story.loose_values |= story.has_unread_values();
        let Some(origin) = origin else {
            if !echo {
                story.state_life(moment, false, false);
                let is_unread = !story.is_created_at_service() && !story.read_uids.contains(uid);
                story.lost_unread |= is_unread || story.is_deletion_requested;
                let elsewhere = story.uids.last().is_some_and(|last| last != uid);
                story.loose_life |= elsewhere;
            }
            return;
        };
        story.engine_deleted = moment;
        let made = story.life.iter().find(|event| !event.here && event.alive);
        let unseen = made
            .is_some_and(|event| event.delivered == 0 || list_deleted.is_some_and(|deleted| event.delivered > deleted));
        if !with_list {
            let deletion = story.last_life(true).filter(|event| !event.alive).map(|event| event.moment);
            let known_edit = deletion.is_some_and(|deletion| {
                story.words.iter().any(|word| !word.here && word.moment > deletion && word.delivered != 0)
            });
            if known_edit && !story.loose_life {
                let fact = describe_row(story);
                self.violations.push(Violation::new(
                    "contact.edited-deletion",
                    uid,
                    &format!(
                        "Call {} deleted a contact although the engine had read a newer edit of another writer. {fact}",
                        origin.call
                    ),
                ));
            }
            self.report_restored_deletion(uid, origin);
            return;
        }
        let recent = read.is_some_and(|read| origin.call.saturating_sub(read) <= 5);
        story.loose_life |= list_deleted.is_some() || (unseen && recent);
        if unseen && !recent {
            let fact = describe_row(story);
            self.violations.push(Violation::new(
                "list.old-knowledge",
                uid,
                &format!("Call {} deleted list {home} with a contact of another writer; the list was last read at call {}. {fact}", origin.call, read.unwrap_or(0)),
            ));
        }
    }

    fn on_row_created(&mut self, moment: u64, kind: RowKind, uid: String, name: String, origin: Option<RequestOrigin>) {
        if let Some(origin) = origin {
            let Some(index) = self.match_row(kind, &[&name], None) else {
                return;
            };
            let Some(story) = self.stories.get_mut(index) else {
                return;
            };
            story.uids.push(uid.clone());
            story.engine_wrote = moment;
            for word in story.words.iter_mut().filter(|word| word.here && word.arrived == 0) {
                if word.value.as_ref() == Some(&name) && origin.certain {
                    word.arrived = moment;
                }
            }
            if origin.echo {
                self.echoes.insert(uid.clone());
            }
            self.owners.insert(uid, index);
            return;
        }
        let (index, story) = self.add_row(kind);
        story.state_life(moment, false, true);
        story.state_value(moment, false, 0, Some(name));
        story.uids.push(uid.clone());
        self.owners.insert(uid, index);
    }

    fn on_row_removed(&mut self, moment: u64, uid: &str, origin: Option<RequestOrigin>) {
        let echo = self.echoes.contains(uid);
        let Some(story) = self.row_of(uid) else {
            return;
        };
        story.loose_values |= story.has_unread_values();
        if let Some(origin) = origin {
            story.engine_deleted = moment;
            self.report_restored_deletion(uid, origin);
        } else if !echo {
            story.lost_unread |= story.is_deletion_requested;
            story.state_life(moment, false, false);
            story.loose_life |= story.uids.last().is_some_and(|last| last != uid);
        }
    }

    /// Reports a deletion that left the engine after the person had restored the row. The record of a contact that was
    /// changed, or whose list was, may be deleted because another one replaces it.
    fn report_restored_deletion(&mut self, uid: &str, origin: RequestOrigin) {
        let echo = origin.echo || self.echoes.contains(uid);
        let Some(index) = self.owners.get(uid).copied().filter(|_| !echo) else { return };
        let Some(story) = self.stories.get(index) else { return };
        let was_restored = story.restored.is_some_and(|restored| restored < origin.left);
        let is_list_touched =
            story.lists.iter().any(|list| self.stories.get(*list).is_some_and(|list| list.touched_here));
        let is_changed = story.lists.len() > 1 || is_list_touched || story.words.iter().any(|word| word.here);
        let is_replaced = story.uids.last().is_some_and(|last| last != uid)
            || (story.kind == RowKind::Contact && (is_changed || !self.is_unique_identity(index)));
        if was_restored && !is_replaced && !story.loose_life {
            let fact = describe_row(story);
            self.violations.push(Violation::new(
                "row.restored-deletion",
                uid,
                &format!("Call {} deleted what the person had restored before it left. {fact}", origin.call),
            ));
        }
    }

    /// Records that a request for the deletion of a record left the engine, whatever became of it.
    pub fn note_deletion_request(&mut self, uid: &str) {
        if let Some(story) = self.row_of(uid) {
            story.is_deletion_requested = true;
        }
    }

    /// Records what an answer showed to the engine.
    pub(crate) fn merge_as_read(&mut self, note: &ReadNote, call: u64, service: &Service) {
        let moment = self.next_time();
        match note {
            ReadNote::Nothing => {}
            ReadNote::OptOuts { number, channel, sequences, covers } => {
                self.consent.on_read(moment, call, number.as_deref(), channel.as_deref(), sequences, *covers);
            }
            ReadNote::Rows { uids } => {
                for uid in uids {
                    if let Some(story) = self.row_of(uid) {
                        mark_delivered(story, moment, None);
                    }
                }
            }
            ReadNote::Contacts { list, uids, fields, complete } => {
                if *complete {
                    self.list_reads.insert(list.clone(), call);
                }
                for uid in uids {
                    let Some(record) = service.contacts.iter().find(|record| record.uid == *uid) else {
                        continue;
                    };
                    let Some(story) = self.row_of(uid) else {
                        continue;
                    };
                    mark_delivered(story, moment, fields.as_deref());
                    story.read_uids.insert(uid.clone());
                    for word in story.words.iter_mut().filter(|word| word.here && word.arrived == 0) {
                        if record.values.get(word.field) == Some(&word.value) {
                            word.arrived = moment;
                        }
                    }
                }
            }
        }
    }
}

fn mark_delivered(story: &mut RowHistory, moment: u64, fields: Option<&[usize]>) {
    story.is_deletion_requested = false;
    for event in story.life.iter_mut().filter(|event| !event.here && event.alive && event.delivered == 0) {
        event.delivered = moment;
    }
    for word in story.words.iter_mut().filter(|word| !word.here && word.delivered == 0) {
        if fields.is_none_or(|fields| fields.contains(&word.field)) {
            word.delivered = moment;
        }
    }
}

/// Returns whether two rows may be mistaken for one another.
pub(crate) fn share_identity(left: &RowHistory, right: &RowHistory) -> bool {
    left.kind == right.kind
        && left.names.iter().any(|name| right.names.contains(name))
        && (left.kind != RowKind::Contact || left.lists.iter().any(|list| right.lists.contains(list)))
}

/// Describes the history of a row in one sentence.
pub(crate) fn describe_row(story: &RowHistory) -> String {
    let mut events: Vec<(u64, String)> = Vec::new();
    for word in &story.words {
        let side = if word.here { "the person" } else { "another writer" };
        let field = match story.kind {
            RowKind::Contact => CONTACT_FIELDS.get(word.field).map_or("?", |(name, _)| *name),
            _ => "name",
        };
        let value = word.value.as_deref().unwrap_or("(empty)");
        let seen = match (word.here, word.arrived, word.delivered) {
            (true, 0, _) => "not known to have arrived".to_owned(),
            (true, arrived, _) => format!("arrived at {arrived}"),
            (false, _, 0) => "never read".to_owned(),
            (false, _, delivered) => format!("read at {delivered}"),
        };
        events.push((word.moment, format!("{side} set {field} to {value} ({seen})")));
    }
    for event in &story.life {
        let side = if event.here { "the person" } else { "another writer" };
        let what = if event.alive { "made or restored it" } else { "deleted it" };
        events.push((event.moment, format!("{side} {what}")));
    }
    events.sort_by_key(|(moment, _)| *moment);
    let lines: Vec<String> = events.iter().map(|(moment, text)| format!("{moment}: {text}")).collect();
    format!(
        "{} key {:?}, UIDs {:?}; engine wrote at {}, deleted at {}; {}.",
        story.kind.name(),
        story.key,
        story.uids,
        story.engine_wrote,
        story.engine_deleted,
        lines.join("; ")
    )
}

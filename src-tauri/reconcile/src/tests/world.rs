//! Builds a world that both sides agreed on and disturbs it on either side.

use std::collections::BTreeMap;

use roost_model::{channel::Channel, contact::Attribute, opt_out::OptOutType};

use super::{
    Tape,
    beside::{LocalRecords, RemoteRecords},
};
use crate::{
    input::{
        ChangeChoice, ContactChange, ListChoice, OptOutAnswer, OptOutEntry, OptOutTarget, RequestLimits,
        ServiceCapabilities,
    },
    merge::{ColumnRule, ContactAnswers, ForkAnswer, MergePolicy, RowAnswer},
    row::{ContactRow, SyncField},
};

pub(super) const FIRST: SyncField = SyncField::Attribute(Attribute::Firstname);
pub(super) const CITY: SyncField = SyncField::Attribute(Attribute::City);
pub(super) const FIELDS: [SyncField; 6] =
    [FIRST, CITY, SyncField::Custom(1), SyncField::Attribute(Attribute::Title), SyncField::Custom(9), FIRST];
const PHONES: [&str; 7] = [
    "+447700900001",
    "+447700900002",
    "+447700900003",
    "+447700900004",
    "+447700900005",
    "+447700900006",
    "+12025550101",
];
const WHATSAPPS: [&str; 3] = ["+447700900001", "+447700900008", "+447700900009"];
pub(super) const ASSETS: [(Channel, &str); 3] =
    [(Channel::Sms, "num_1"), (Channel::Sms, "num_2"), (Channel::WhatsApp, "wbp_1")];

/// The service, as far as a plan can touch it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Service {
    pub lists: BTreeMap<String, (String, BTreeMap<String, ContactRow>)>,
    pub opt_outs: BTreeMap<OptOutKey, OptOutEntry>,
    pub beside: RemoteRecords,
    pub made: u32,
    pub clock: i64,
    /// Whether the service stores texts in capitals.
    pub shouts: bool,
}

pub(super) type OptOutKey = (String, Channel, OptOutTarget);

#[derive(Debug, Clone)]
pub(super) struct BaseContact {
    pub list: i64,
    pub uid: String,
    pub row: ContactRow,
}

#[derive(Debug, Clone, Default)]
pub(super) struct World {
    pub base: BTreeMap<i64, BaseContact>,
    pub base_lists: BTreeMap<i64, (String, String)>,
    /// The local lists by name; the local contacts with their list and values.
    pub lists: BTreeMap<i64, String>,
    pub contacts: BTreeMap<i64, (i64, ContactRow)>,
    pub service: Service,
    pub beside: LocalRecords,
    pub base_opt_outs: BTreeMap<OptOutKey, OptOutEntry>,
    pub opt_outs: BTreeMap<OptOutKey, OptOutEntry>,
    pub evidence: BTreeMap<OptOutKey, i64>,
    pub opt_out_answers: BTreeMap<OptOutKey, OptOutAnswer>,
    pub answers: BTreeMap<i64, ContactAnswers>,
    pub choices: BTreeMap<i64, ChangeChoice>,
    /// The held contacts and lists.
    pub held: Vec<i64>,
    pub held_opt_outs: Vec<OptOutKey>,
    pub list_choices: BTreeMap<i64, ListChoice>,
    pub can: ServiceCapabilities,
    pub limits: RequestLimits,
    pub policy: MergePolicy,
    pub next_id: i64,
}

impl Service {
    pub(super) fn next_uid(&mut self, prefix: &str) -> String {
        self.made += 1;
        format!("{prefix}{:04}", self.made)
    }

    /// Returns the row as the service stores it.
    pub(super) fn to_stored_row(&self, row: &ContactRow) -> ContactRow {
        let kept = |field: SyncField, text: &str| {
            if self.shouts && !field.is_number() { text.to_uppercase() } else { text.to_owned() }
        };
        row.iter().map(|(field, text)| (field, kept(field, text))).collect()
    }
}

fn any_value(tape: &mut Tape) -> &'static str {
    tape.pick(&["a", "b", "Bb ", "c", "a longer value, to count bytes"])
}

pub(super) fn any_row(tape: &mut Tape) -> ContactRow {
    let mut row = ContactRow::default();
    match tape.below(4) {
        0 | 1 => row.set(SyncField::Phone, Some(tape.pick(&PHONES))),
        2 => row.set(SyncField::Whatsapp, Some(tape.pick(&WHATSAPPS))),
        _ => {
            row.set(SyncField::Phone, Some(tape.pick(&PHONES)));
            row.set(SyncField::Whatsapp, Some(tape.pick(&WHATSAPPS)));
        }
    }
    for _ in 0..tape.below(3) {
        let field = tape.pick(&FIELDS);
        row.set(field, Some(any_value(tape)));
    }
    row
}

/// Makes one edit of a contact: sets or clears a value, changes a number, or rarely breaks a rule.
pub(super) fn edit_row(row: &mut ContactRow, tape: &mut Tape) {
    match tape.below(8) {
        0..=3 => row.set(tape.pick(&FIELDS), Some(any_value(tape))),
        4 => row.set(tape.pick(&FIELDS), None),
        5 => row.set(SyncField::Phone, Some(tape.pick(&PHONES))),
        6 => row.set(SyncField::Whatsapp, Some(tape.pick(&WHATSAPPS))),
        _ => row.set(SyncField::Attribute(Attribute::Title), Some("a title that is longer than thirty letters")),
    }
}

fn any_opt_out(tape: &mut Tape) -> OptOutKey {
    let number = (tape.pick(&PHONES[..3])).to_owned();
    match tape.below(5) {
        0 => (number, Channel::Sms, OptOutTarget::Account),
        1 => (number, Channel::WhatsApp, OptOutTarget::Account),
        _ => {
            let (channel, asset) = tape.pick(&ASSETS);
            (number, channel, OptOutTarget::Asset(asset.to_owned()))
        }
    }
}

fn build_entry(time: i64) -> OptOutEntry {
    OptOutEntry { kind: OptOutType::Keyword, time }
}

impl World {
    /// Builds a world in which both sides agree.
    pub(super) fn agreed_world(tape: &mut Tape) -> Self {
        let mut world = Self { next_id: 1, ..Self::default() };
        world.can = ServiceCapabilities {
            merge_also_creates: tape.one_in(3),
            null_clears: tape.one_in(3),
            merge_may_change_identifiers: tape.one_in(3),
            e164_with_any_region: !tape.one_in(4),
            all_pages_read: tape.one_in(2),
            custom_fields: vec![1, 2, 3],
        };
        let bytes = if tape.one_in(3) { 150 } else { 5_000_000 };
        world.limits = RequestLimits { rows: 1 + tape.below(3), bytes, opt_out_chunk: 1 + tape.below(2), page: 2 };
        world.service.shouts = tape.one_in(3);
        world.service.clock = 1_000;
        for _ in 0..1 + tape.below(3) {
            let id = world.next_local_id();
            let uid = world.service.next_uid("L");
            let name = format!("List {id}");
            let mut rows = BTreeMap::new();
            for _ in 0..tape.below(5) {
                let row = world.service.to_stored_row(&any_row(tape));
                let row = row
                    .iter()
                    .filter(|(field, _)| *field != SyncField::Custom(9))
                    .map(|(f, t)| (f, t.to_owned()))
                    .collect::<ContactRow>();
                let contact = world.next_local_id();
                let contact_uid = world.service.next_uid("C");
                world.contacts.insert(contact, (id, row.clone()));
                world.base.insert(contact, BaseContact { list: id, uid: contact_uid.clone(), row: row.clone() });
                rows.insert(contact_uid, row);
            }
            world.lists.insert(id, name.clone());
            world.base_lists.insert(id, (uid.clone(), name.clone()));
            world.service.lists.insert(uid, (name, rows));
        }
        for time in 0..tape.below(4) {
            let key = any_opt_out(tape);
            for set in [&mut world.service.opt_outs, &mut world.base_opt_outs, &mut world.opt_outs] {
                set.insert(key.clone(), build_entry(time as i64));
            }
        }
        world.agree_beside(tape);
        world
    }

    pub(super) fn next_local_id(&mut self) -> i64 {
        self.next_id += 1;
        self.next_id - 1
    }

    pub(super) fn any_world(tape: &mut Tape) -> Self {
        let mut world = Self::agreed_world(tape);
        world.disturb_there(tape);
        world.disturb_here(tape);
        world.decide_questions(tape);
        world
    }

    fn any_contact(&self, tape: &mut Tape) -> Option<i64> {
        let ids: Vec<i64> = self.contacts.keys().copied().collect();
        (!ids.is_empty()).then(|| tape.pick(&ids))
    }

    fn any_list(&self, tape: &mut Tape) -> Option<i64> {
        let ids: Vec<i64> = self.lists.keys().copied().collect();
        (!ids.is_empty()).then(|| tape.pick(&ids))
    }

    /// Picks an opt-out that both sides know more often than not, so that both change the same one.
    fn some_opt_out(&self, tape: &mut Tape) -> OptOutKey {
        let known: Vec<OptOutKey> = self.base_opt_outs.keys().cloned().collect();
        if known.is_empty() || tape.one_in(3) { any_opt_out(tape) } else { tape.pick(&known) }
    }

    pub(super) fn disturb_here(&mut self, tape: &mut Tape) {
        self.disturb_beside_here(tape);
        for _ in 0..tape.below(8) {
            let (contact, list) = (self.any_contact(tape), self.any_list(tape));
            match tape.below(16) {
                0..=4 => {
                    if let Some((_, row)) = contact.and_then(|id| self.contacts.get_mut(&id)) {
                        edit_row(row, tape);
                    }
                }
                5 | 6 => drop(contact.map(|id| self.contacts.remove(&id))),
                7..=9 => {
                    if let Some(list) = list {
                        let (id, row) = (self.next_local_id(), any_row(tape));
                        self.contacts.insert(id, (list, row));
                    }
                }
                10 => {
                    if let (Some((home, _)), Some(list)) = (contact.and_then(|id| self.contacts.get_mut(&id)), list) {
                        *home = list;
                    }
                }
                11 => {
                    // Delete the contact and create it again.
                    if let Some((list, mut row)) = contact.and_then(|id| self.contacts.remove(&id)) {
                        if tape.one_in(2) {
                            edit_row(&mut row, tape);
                        }
                        let id = self.next_local_id();
                        self.contacts.insert(id, (list, row));
                    }
                }
                12 => {
                    if let Some(list) = list.filter(|_| tape.one_in(2)) {
                        self.lists.remove(&list);
                        self.contacts.retain(|_, (home, _)| *home != list);
                    }
                }
                13 => {
                    if let Some(list) = list {
                        self.lists.insert(list, format!("Renamed {list}"));
                    }
                }
                14 => {
                    let id = self.next_local_id();
                    self.lists.insert(id, format!("New {id}"));
                }
                _ => {
                    let key = self.some_opt_out(tape);
                    if self.opt_outs.remove(&key).is_none() {
                        self.opt_outs.insert(key, build_entry(0));
                    } else if !tape.one_in(4) {
                        self.evidence.insert(key, 1);
                    }
                }
            }
        }
    }

    /// Discards every change that was not sent.
    pub(super) fn discard_changes(&mut self) {
        self.contacts = self.base.iter().map(|(id, base)| (*id, (base.list, base.row.clone()))).collect();
        self.lists = self.base_lists.iter().map(|(id, (_, name))| (*id, name.clone())).collect();
        self.opt_outs = self.base_opt_outs.clone();
        self.beside.discard();
        (self.choices, self.list_choices, self.held, self.held_opt_outs) = Default::default();
        (self.answers, self.evidence, self.opt_out_answers) = Default::default();
    }

    pub(super) fn disturb_there(&mut self, tape: &mut Tape) {
        self.service.disturb_beside(tape);
        for _ in 0..tape.below(5) {
            let uids: Vec<String> = self.service.lists.keys().cloned().collect();
            if uids.is_empty() {
                return;
            }
            let uid = tape.pick(&uids);
            let made = self.service.next_uid("C");
            let fresh = any_row(tape);
            let fresh = self.service.to_stored_row(&fresh);
            let Some((_, rows)) = self.service.lists.get_mut(&uid) else { continue };
            let contacts: Vec<String> = rows.keys().cloned().collect();
            let contact = (!contacts.is_empty()).then(|| tape.pick(&contacts));
            match tape.below(8) {
                0..=2 => {
                    if let Some(row) = contact.and_then(|uid| rows.get_mut(&uid)) {
                        let mut edited = row.clone();
                        edit_row(&mut edited, tape);
                        edited.set(SyncField::Custom(9), None);
                        *row = edited;
                    }
                }
                3 => drop(contact.map(|uid| rows.remove(&uid))),
                4 | 5 => {
                    let mut fresh = fresh;
                    fresh.set(SyncField::Custom(9), None);
                    rows.insert(made, fresh);
                }
                6 => {
                    if tape.one_in(3) {
                        self.service.lists.remove(&uid);
                    }
                }
                _ => {
                    let key = self.some_opt_out(tape);
                    if tape.one_in(3) {
                        self.service.opt_outs.remove(&key);
                    } else {
                        self.service.opt_outs.insert(key, build_entry(500));
                    }
                }
            }
        }
        let shouted: Vec<_> = self
            .service
            .lists
            .iter()
            .map(|(uid, (name, rows))| {
                (
                    uid.clone(),
                    (
                        name.clone(),
                        rows.iter().map(|(uid, row)| (uid.clone(), self.service.to_stored_row(row))).collect(),
                    ),
                )
            })
            .collect();
        self.service.lists = shouted.into_iter().collect();
    }

    fn decide_questions(&mut self, tape: &mut Tape) {
        let ids: Vec<i64> = (0..self.next_id).collect();
        for _ in 0..tape.below(5) {
            let id = tape.pick(&ids);
            match tape.below(6) {
                0 => {
                    let choices = [ChangeChoice::KeepLocal, ChangeChoice::Replace, ChangeChoice::KeepBoth];
                    self.choices.insert(id, tape.pick(&choices));
                }
                1 => {
                    let answer = tape.pick(&[
                        ForkAnswer::Mine,
                        ForkAnswer::Theirs,
                        ForkAnswer::Base,
                        ForkAnswer::Value(Some("by hand".to_owned())),
                    ]);
                    let row = Some(tape.pick(&[RowAnswer::Mine, RowAnswer::Theirs]));
                    self.answers.insert(id, ContactAnswers { fields: vec![(FIRST, answer)], row });
                }
                2 => drop(self.policy.columns.insert(
                    tape.pick(&FIELDS),
                    tape.pick(&[ColumnRule::Mine, ColumnRule::Theirs, ColumnRule::NonEmpty, ColumnRule::Longer]),
                )),
                3 => {
                    self.held.push(id);
                    if tape.one_in(2) {
                        self.held_opt_outs.push(any_opt_out(tape));
                    }
                }
                4 => drop(self.list_choices.insert(
                    id,
                    tape.pick(&[
                        ListChoice::Recreate,
                        ListChoice::Alias,
                        ListChoice::Discard,
                        ListChoice::DeleteAnyway,
                    ]),
                )),
                _ => {
                    let key = any_opt_out(tape);
                    self.opt_out_answers.insert(key, OptOutAnswer::CreateAgain);
                }
            }
        }
        self.policy.delete_anyway = tape.one_in(4);
        // Answer open questions alone.
        let given = std::mem::take(&mut self.answers);
        let is_open = |change: &ContactChange| change.settle_merge(&self.policy).is_err();
        let open: Vec<i64> =
            self.gather_input().contacts.iter().filter(|change| is_open(change)).map(|c| c.id).collect();
        self.answers = given.into_iter().filter(|(id, _)| open.contains(id)).collect();
    }
}

//! Records the statements of the person, and what the account shows.

use std::collections::HashSet;

use super::Violation;
use super::consent::{ConfirmedRemoval, is_questioned};
use super::ledger::{RowHistory, RowKind, WorldHistory, describe_row};
use crate::account::{AccountRow, AccountState, FieldTexts, Intention, PersonDeed};
use crate::service::{CONTACT_FIELDS, PHONE, WHATSAPP, field_index};

/// Returns the UID of a key as the account showed it when the intention was resolved.
fn uid_of<'a>(known: &'a KnownUids, key: &str) -> Option<&'a str> {
    known.iter().find(|(own, _)| own == key).map(|(_, uid)| uid.as_str())
}

type KnownUids = [(String, String)];

fn state_values(story: &mut RowHistory, moment: u64, values: &FieldTexts) {
    for (name, value) in values {
        if let (Some(field), false) = (field_index(name), value.is_empty()) {
            story.state_value(moment, true, field, Some(value.clone()));
        }
    }
}

impl WorldHistory {
    /// Records an intention, in the order of the statements.
    pub(crate) fn record_deed(&mut self, intention: &Intention) {
        let known = intention.known.as_slice();
        let moment = self.next_time();
        let new_key = intention.row_keys.first().map(String::as_str);
        match &intention.deed {
            PersonDeed::AddContact { list_key, values } => {
                self.add_contact(moment, new_key, list_key, values, known);
            }
            PersonDeed::ImportRows { list_key, rows } => {
                for (row, key) in rows.iter().zip(&intention.row_keys) {
                    if key.is_empty() {
                        continue;
                    }
                    self.add_contact(moment, Some(key), list_key, &row.values, known);
                    let number = row.values.get("phone_number").or_else(|| row.values.get("whatsapp_id"));
                    for channel in &row.opt_outs {
                        if let Some(number) = number {
                            self.consent.state_opt_out(moment, number, channel, None);
                        }
                    }
                }
            }
            PersonDeed::AddList { name } => self.add_named(moment, RowKind::List, new_key, name),
            PersonDeed::AddLink { title, .. } => self.add_named(moment, RowKind::Link, new_key, title),
            PersonDeed::AddOptOut { number, channel, asset } => {
                self.consent.state_opt_out(moment, number, channel, asset.as_deref());
            }
            PersonDeed::RemoveOptOut { key, number, channel, asset, all_scopes, .. } => {
                self.consent.removals.push(ConfirmedRemoval {
                    moment,
                    key: key.clone(),
                    number: number.clone(),
                    channel: channel.clone(),
                    asset: asset.clone(),
                    all_scopes: *all_scopes,
                    active: true,
                    loose: false,
                });
            }
            PersonDeed::CancelRemoval { number, channel, asset, .. } => {
                self.consent.cancel_removals(number, channel, asset.as_deref());
            }
            PersonDeed::Undo | PersonDeed::Redo | PersonDeed::Discard => {
                for story in self.stories.iter_mut().filter(|story| story.touched_here) {
                    story.loose_values = true;
                    story.loose_life = true;
                }
                self.consent.mark_uncertain();
            }
            PersonDeed::AnswerQuestion { subjects, .. } => {
                self.mark_subjects_uncertain(subjects);
                self.consent.confirm_again(moment, subjects);
            }
            PersonDeed::Pause | PersonDeed::Resume | PersonDeed::CancelRun => {}
            deed => self.change_row(moment, deed, known),
        }
    }

    fn mark_subjects_uncertain(&mut self, subjects: &[String]) {
        let named = |story: &RowHistory| {
            story.key.iter().chain(&story.uids).chain(&story.names).any(|own| subjects.contains(own))
        };
        let lists: Vec<usize> = (0..self.stories.len())
            .filter(|index| self.stories.get(*index).is_some_and(|story| story.kind == RowKind::List && named(story)))
            .collect();
        for story in &mut self.stories {
            if named(story) || story.lists.iter().any(|list| lists.contains(list)) {
                story.loose_values = true;
                story.loose_life = true;
                story.touched_here = true;
            }
        }
    }

    fn add_contact(&mut self, moment: u64, key: Option<&str>, list_key: &str, values: &FieldTexts, known: &KnownUids) {
        let list = self.find_row(RowKind::List, list_key, uid_of(known, list_key));
        let existing = key.and_then(|key| self.find_row(RowKind::Contact, key, uid_of(known, key)));
        let story = match existing {
            Some(index) => self.stories.get_mut(index),
            None => {
                let (_, story) = self.add_row(RowKind::Contact);
                story.key = key.map(str::to_owned);
                story.lists.extend(list);
                story.state_life(moment, true, true);
                Some(story)
            }
        };
        if let Some(story) = story {
            story.touched_here = true;
            state_values(story, moment, values);
        }
    }

    fn add_named(&mut self, moment: u64, kind: RowKind, key: Option<&str>, name: &str) {
        let (_, story) = self.add_row(kind);
        story.key = key.map(str::to_owned);
        story.touched_here = true;
        story.state_life(moment, true, true);
        story.state_value(moment, true, 0, Some(name.to_owned()));
    }

    fn change_row(&mut self, moment: u64, deed: &PersonDeed, known: &KnownUids) {
        let (kind, key) = match deed {
            PersonDeed::EditContact { key, .. }
            | PersonDeed::MoveContact { key, .. }
            | PersonDeed::DeleteContact { key }
            | PersonDeed::RestoreContact { key } => (RowKind::Contact, key),
            PersonDeed::RenameList { key, .. } | PersonDeed::DeleteList { key } | PersonDeed::RestoreList { key } => {
                (RowKind::List, key)
            }
            PersonDeed::DeleteLink { key } | PersonDeed::RestoreLink { key } => (RowKind::Link, key),
            PersonDeed::DeleteSender { key } | PersonDeed::RestoreSender { key } => (RowKind::Sender, key),
            _ => return,
        };
        let target = match deed {
            PersonDeed::MoveContact { list_key, .. } => self.find_row(RowKind::List, list_key, uid_of(known, list_key)),
            _ => None,
        };
        let Some(index) = self.find_row(kind, key, uid_of(known, key)) else {
            self.unknown_keys.insert(key.clone());
            return;
        };
        let Some(story) = self.stories.get_mut(index) else {
            return;
        };
        story.touched_here = true;
        let is_restored = matches!(
            deed,
            PersonDeed::RestoreContact { .. }
                | PersonDeed::RestoreList { .. }
                | PersonDeed::RestoreLink { .. }
                | PersonDeed::RestoreSender { .. }
        );
        let is_deleted = matches!(
            deed,
            PersonDeed::DeleteContact { .. }
                | PersonDeed::DeleteList { .. }
                | PersonDeed::DeleteLink { .. }
                | PersonDeed::DeleteSender { .. }
        );
        if is_restored || is_deleted {
            story.restored = is_restored.then_some(moment);
        }
        match deed {
            PersonDeed::EditContact { changes, .. } => {
                for (name, value) in changes {
                    if let Some(field) = field_index(name) {
                        story.state_value(moment, true, field, value.clone().filter(|text| !text.is_empty()));
                    }
                }
            }
            PersonDeed::MoveContact { .. } => {
                story.lists.extend(target);
                story.state_life(moment, true, true);
            }
            PersonDeed::RenameList { name, .. } => story.state_value(moment, true, 0, Some(name.clone())),
            PersonDeed::RestoreSender { .. } => {
                // A sender that was deleted at the service cannot be restored.
                story.loose_life |= story.engine_deleted != 0;
                story.state_life(moment, true, true);
            }
            PersonDeed::RestoreContact { .. } | PersonDeed::RestoreList { .. } | PersonDeed::RestoreLink { .. } => {
                story.state_life(moment, true, true);
            }
            _ => story.state_life(moment, true, false),
        }
    }

    /// Learns which key belongs to which row, and checks that keys stay and that no row disappears.
    pub(crate) fn observe_account(&mut self, account: &AccountState) {
        let moment = self.next_time();
        let shown = [
            (RowKind::List, &account.lists),
            (RowKind::Contact, &account.contacts),
            (RowKind::Link, &account.links),
            (RowKind::Sender, &account.senders),
        ];
        for (kind, rows) in shown {
            for row in rows {
                self.observe_row(kind, row, account);
                self.mark_shown(kind, row, moment);
            }
        }
        self.account.note(account);
        self.report_untouched_changes(account);
        let mut present: HashSet<&str> = HashSet::new();
        for rows in [&account.lists, &account.contacts, &account.links, &account.senders, &account.trash] {
            present.extend(rows.iter().map(|row| row.key.as_str()));
        }
        let mut vanished = Vec::new();
        for (index, story) in self.stories.iter().enumerate().filter(|(_, story)| story.shown) {
            let Some(key) = story.key.as_deref() else {
                continue;
            };
            if present.contains(key) || is_questioned(account, &[key]) || self.may_disappear(index, story) {
                continue;
            }
            vanished.push(index);
        }
        for index in vanished {
            if let Some(story) = self.stories.get_mut(index) {
                story.shown = false;
                let facts = format!("A row that nobody deleted is not shown at {moment}. {}", describe_row(story));
                let subject = story.key.clone().unwrap_or_default();
                self.violations.push(Violation::new("row.vanished", &subject, &facts));
            }
        }
    }

    /// Records that the person now sees the values of other writers.
    fn mark_shown(&mut self, kind: RowKind, row: &AccountRow, moment: u64) {
        let Some(index) = self.find_key(kind, &row.key) else {
            return;
        };
        let Some(story) = self.stories.get_mut(index) else {
            return;
        };
        for word in story.words.iter_mut().filter(|word| !word.here && word.shown == 0 && word.delivered != 0) {
            let name = match kind {
                RowKind::Contact => CONTACT_FIELDS.get(word.field).map_or("", |(name, _)| *name),
                RowKind::Link => "title",
                _ => "name",
            };
            if row.values.get(name) == word.value.as_ref() {
                word.shown = moment;
            }
        }
    }

    pub(crate) fn may_disappear(&self, index: usize, story: &RowHistory) -> bool {
        let dead = |story: &RowHistory| story.loose_life || story.life.iter().any(|event| !event.alive);
        dead(story)
            || story.lists.iter().any(|list| self.stories.get(*list).is_some_and(dead))
            || !self.is_unique_identity(index)
    }

    fn observe_row(&mut self, kind: RowKind, row: &AccountRow, account: &AccountState) {
        let by_key = self.find_key(kind, &row.key);
        let by_uid = row.uid.as_deref().and_then(|uid| self.owners.get(uid)).copied();
        let echo = by_uid
            .and_then(|index| self.stories.get(index))
            .is_some_and(|story| story.uids.iter().any(|uid| self.echoes.contains(uid)));
        match (by_key, by_uid) {
            (Some(own), Some(other)) if own != other => {
                if self.is_unique_identity(own) && self.is_unique_identity(other) && !echo {
                    self.report_mix_up(row, own, other);
                }
            }
            (None, Some(other)) => {
                let alone = self.is_unique_identity(other);
                let Some(story) = self.stories.get_mut(other) else {
                    return;
                };
                match &story.key {
                    Some(_) if echo || !alone => {}
                    Some(_) if story.kind != kind => {}
                    // The person still sees the old row, so this is a new row.
                    Some(key) if is_questioned(account, &[key]) => {}
                    Some(key) if account.trash.iter().any(|row| row.key == *key) => {}
                    Some(key) => {
                        let facts = format!(
                            "The row of UID {:?} had the key {key}, now {}. {}",
                            row.uid,
                            row.key,
                            describe_row(story)
                        );
                        story.key = Some(row.key.clone());
                        self.violations.push(Violation::new("key.changed", &row.key, &facts));
                        return;
                    }
                    None => {
                        story.key = Some(row.key.clone());
                        if self.unknown_keys.contains(&row.key) {
                            story.loose_values = true;
                            story.loose_life = true;
                            story.touched_here = true;
                        }
                    }
                }
                story.shown = true;
            }
            (Some(own), _) => {
                if let Some(story) = self.stories.get_mut(own) {
                    story.shown = true;
                }
            }
            (None, None) => {}
        }
    }

    fn report_mix_up(&mut self, row: &AccountRow, own: usize, other: usize) {
        let (Some(first), Some(second)) = (self.stories.get(own), self.stories.get(other)) else {
            return;
        };
        let facts = format!(
            "The row of key {} has the UID {:?} of another row. {} {}",
            row.key,
            row.uid,
            describe_row(first),
            describe_row(second)
        );
        self.violations.push(Violation::new("key.mix-up", &row.key, &facts));
    }
}

/// The fields by which contacts are recognized.
pub(crate) const NUMBER_FIELDS: [usize; 2] = [PHONE, WHATSAPP];

//! Performs the acts of the person on the toy's rows.

use roost_world::{FieldTexts, PersonDeed};

use super::{SendState, ToyClient, ToyContact, ToyFlaw, ToyList, ToyNamed, ToyRemoval, ToyStop};

pub(super) fn contact_numbers(values: &FieldTexts) -> Vec<&String> {
    ["phone_number", "whatsapp_id"].iter().filter_map(|name| values.get(*name)).collect()
}

impl ToyClient {
    fn contact_at(&self, key: &str) -> Option<usize> {
        self.contacts.iter().position(|row| row.key == key)
    }

    fn list_at(&self, key: &str) -> Option<usize> {
        self.lists.iter().position(|row| row.key == key)
    }

    fn is_number_taken(&self, list: usize, values: &FieldTexts, except: Option<usize>) -> bool {
        self.contacts.iter().enumerate().any(|(index, row)| {
            Some(index) != except
                && row.list == list
                && [&row.local, &row.base, &row.sent]
                    .iter()
                    .any(|own| contact_numbers(own).iter().any(|number| contact_numbers(values).contains(number)))
        })
    }

    fn add_contact(&mut self, list_key: &str, values: &FieldTexts) -> Option<String> {
        let list = self.list_at(list_key).filter(|list| self.is_list_visible(*list))?;
        if self.is_number_taken(list, values, None) {
            return None;
        }
        let key = self.make_key();
        self.contacts.push(ToyContact {
            key: key.clone(),
            list,
            uid: None,
            home: String::new(),
            base: FieldTexts::new(),
            local: values.clone(),
            deleted: false,
            gone: false,
            flight: SendState::Ground,
            sent: FieldTexts::new(),
            sent_as_merge: false,
            question: None,
            doubts: 0,
            deleting: false,
        });
        Some(key)
    }

    fn add_opt_out(&mut self, number: &str, channel: &str, asset: Option<&str>) {
        for removal in &mut self.removals {
            if removal.number == number && removal.channel == channel {
                removal.open = false;
                removal.question = None;
            }
        }
        let key = self.make_key();
        self.stops.push(ToyStop {
            key,
            number: number.to_owned(),
            channel: channel.to_owned(),
            asset: asset.map(str::to_owned),
            done: false,
            question: None,
        });
    }

    fn add_named(&mut self, deed: &PersonDeed) -> Option<Vec<String>> {
        match deed {
            PersonDeed::AddList { name } => {
                let key = self.make_key();
                if self.lists.iter().any(|list| list.name == *name || list.base == *name) {
                    return None;
                }
                self.lists.push(ToyList {
                    key: key.clone(),
                    uid: None,
                    old_uid: None,
                    base: String::new(),
                    name: name.clone(),
                    deleted: false,
                    deleting: false,
                    gone: false,
                    question: None,
                });
                Some(vec![key])
            }
            PersonDeed::AddLink { title, target_url, .. } => {
                if self.links.iter().any(|link| link.name == *title) {
                    return None;
                }
                let key = self.make_key();
                self.links.push(ToyNamed {
                    key: key.clone(),
                    uid: None,
                    name: title.clone(),
                    target: target_url.clone(),
                    deleted: false,
                    deleting: false,
                    gone: false,
                });
                Some(vec![key])
            }
            _ => None,
        }
    }

    /// Performs an act. Returns the keys of new rows, or `None` if it is refused.
    pub(crate) fn accept_act(&mut self, deed: &PersonDeed) -> Option<Vec<String>> {
        match deed {
            PersonDeed::AddContact { list_key, values } => {
                return Some(vec![self.add_contact(list_key, values)?]);
            }
            PersonDeed::ImportRows { list_key, rows } => {
                let mut keys = Vec::new();
                for row in rows {
                    let key = self.add_contact(list_key, &row.values);
                    if let (Some(_), Some(number)) = (&key, contact_numbers(&row.values).first()) {
                        for channel in &row.opt_outs {
                            self.add_opt_out(number, channel, None);
                        }
                    }
                    keys.push(key.unwrap_or_default());
                }
                return Some(keys);
            }
            PersonDeed::AddList { .. } | PersonDeed::AddLink { .. } => return self.add_named(deed),
            PersonDeed::AddOptOut { number, channel, asset } => self.add_opt_out(number, channel, asset.as_deref()),
            PersonDeed::RemoveOptOut { key, number, channel, asset, .. } => {
                if self
                    .removals
                    .iter()
                    .any(|removal| removal.open && removal.number == *number && removal.channel == *channel)
                {
                    return None;
                }
                let record = self.opt_outs.iter().find(|record| record.key == *key)?.clone();
                let waiting =
                    self.stops.iter().any(|stop| !stop.done && stop.number == *number && stop.channel == *channel);
                if waiting {
                    return None;
                }
                self.removals.push(ToyRemoval {
                    key: key.clone(),
                    number: number.clone(),
                    channel: channel.clone(),
                    asset: asset.clone(),
                    kind: record.kind,
                    time: record.time,
                    open: true,
                    question: None,
                });
            }
            PersonDeed::CancelRemoval { key, .. } => {
                let removal = self.removals.iter_mut().find(|removal| removal.open && removal.key == *key)?;
                if self.flaw != ToyFlaw::IgnoresCancel {
                    removal.open = false;
                    removal.question = None;
                }
            }
            PersonDeed::Discard => {
                for row in &mut self.contacts {
                    if row.uid.is_some() && row.flight == SendState::Ground && row.question.is_none() {
                        row.local = row.base.clone();
                    }
                }
                let ends_opt_outs = self.flaw == ToyFlaw::DiscardsOptOuts;
                self.stops.retain(|stop| stop.done || !ends_opt_outs);
            }
            PersonDeed::Undo => {
                let (index, field, old) = self.undo.pop()?;
                let row = self.contacts.get_mut(index)?;
                match old {
                    Some(old) => row.local.insert(field, old),
                    None => row.local.remove(&field),
                };
            }
            PersonDeed::Redo | PersonDeed::Pause | PersonDeed::Resume | PersonDeed::CancelRun => return None,
            PersonDeed::AnswerQuestion { question, choice, .. } => self.answer_question(*question, choice % 2 == 0)?,
            other => self.change_row(other)?,
        }
        Some(Vec::new())
    }

    fn change_list(&mut self, deed: &PersonDeed, honours: bool) -> Option<()> {
        match deed {
            PersonDeed::RenameList { key, name } => {
                if self.lists.iter().any(|list| list.name == *name || list.base == *name) {
                    return None;
                }
                let index = self.list_at(key)?;
                // A job may still be sending contacts to the list with the old name.
                if self.contacts.iter().any(|row| row.list == index && row.flight != SendState::Ground) {
                    return None;
                }
                let list = self.lists.get_mut(index)?;
                // Only one rename at a time is supported.
                if list.old_uid.is_some() || (list.uid.is_some() && list.base != list.name) || list.uid.is_none() {
                    return None;
                }
                list.name.clone_from(name);
            }
            PersonDeed::DeleteList { key } => {
                let index = self.list_at(key)?;
                let list = self.lists.get_mut(index)?;
                if list.old_uid.is_some() || (list.uid.is_some() && list.base != list.name) {
                    return None;
                }
                list.deleted = true;
            }
            PersonDeed::RestoreList { key } => {
                let index = self.list_at(key)?;
                let list = self.lists.get_mut(index)?;
                list.deleted &= !honours;
                if list.gone {
                    list.gone = false;
                    list.uid = None;
                    list.question = None;
                    for row in self.contacts.iter_mut().filter(|row| row.list == index) {
                        row.uid = None;
                        row.gone = false;
                        row.base.clear();
                        row.question = None;
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn change_row(&mut self, deed: &PersonDeed) -> Option<()> {
        let honours = self.flaw != ToyFlaw::IgnoresRestore;
        match deed {
            PersonDeed::EditContact { key, changes } => return self.edit_contact(key, changes),
            PersonDeed::MoveContact { key, list_key } => {
                let index = self.contact_at(key)?;
                let list = self.list_at(list_key).filter(|list| self.is_list_visible(*list))?;
                let row = self.contacts.get(index)?;
                if row.flight != SendState::Ground
                    || row.question.is_some()
                    || self.is_number_taken(list, &row.local, Some(index))
                {
                    return None;
                }
                let new_key = self.make_key();
                let flaw = self.flaw;
                let row = self.contacts.get_mut(index)?;
                row.list = list;
                if flaw == ToyFlaw::ChangesKeyOnMove {
                    row.key = new_key;
                }
            }
            PersonDeed::DeleteContact { key } => {
                let index = self.contact_at(key)?;
                self.contacts.get_mut(index)?.deleted = true;
            }
            PersonDeed::RestoreContact { key } => {
                let index = self.contact_at(key)?;
                let list = self.contacts.get(index)?.list;
                if !self.is_list_visible(list) {
                    return None;
                }
                let row = self.contacts.get_mut(index)?;
                row.deleted &= !honours;
                if row.gone {
                    row.gone = false;
                    row.uid = None;
                    row.base.clear();
                    row.question = None;
                }
            }
            PersonDeed::RenameList { .. } | PersonDeed::DeleteList { .. } | PersonDeed::RestoreList { .. } => {
                return self.change_list(deed, honours);
            }
            PersonDeed::DeleteLink { key } => {
                self.links.iter_mut().find(|row| row.key == *key)?.deleted = true;
            }
            PersonDeed::RestoreLink { key } => {
                let link = self.links.iter_mut().find(|row| row.key == *key)?;
                link.deleted &= !honours;
                if link.gone {
                    link.gone = false;
                    link.uid = None;
                }
            }
            PersonDeed::DeleteSender { key } => {
                self.senders.iter_mut().find(|row| row.key == *key)?.deleted = true;
            }
            PersonDeed::RestoreSender { key } => {
                let sender = self.senders.iter_mut().find(|row| row.key == *key)?;
                if sender.deleting || sender.gone {
                    return None;
                }
                sender.deleted &= !honours;
            }
            _ => return None,
        }
        Some(())
    }

    fn edit_contact(&mut self, key: &str, changes: &[(String, Option<String>)]) -> Option<()> {
        let index = self.contact_at(key)?;
        let list = self.contacts.get(index)?.list;
        for (field, value) in changes {
            if field == "phone_number" || field == "whatsapp_id" {
                let row = self.contacts.get(index)?;
                let values: FieldTexts = value.iter().map(|value| (field.clone(), value.clone())).collect();
                if row.flight != SendState::Ground || self.is_number_taken(list, &values, Some(index)) {
                    return None;
                }
            }
        }
        for (field, value) in changes {
            let row = self.contacts.get_mut(index)?;
            let old = row.local.get(field).cloned();
            match value {
                Some(value) => row.local.insert(field.clone(), value.clone()),
                None => row.local.remove(field),
            };
            if row.flight == SendState::Ground {
                self.undo.push((index, field.clone(), old));
            }
        }
        Some(())
    }

    fn answer_question(&mut self, question: usize, mine: bool) -> Option<()> {
        let subject = self.questions().get(question)?.subjects.first()?.clone();
        if let Some(index) = self.contact_at(&subject) {
            let row = self.contacts.get_mut(index)?;
            row.question = None;
            if mine && row.gone {
                row.gone = false;
                row.uid = None;
                row.base.clear();
            } else if !mine {
                row.local = row.base.clone();
                row.deleted &= row.uid.is_none();
            }
            return Some(());
        }
        if let Some(index) = self.list_at(&subject) {
            self.lists.get_mut(index)?.question = None;
            return Some(());
        }
        for removal in &mut self.removals {
            if removal.key == subject {
                removal.question = None;
            }
        }
        Some(())
    }
}

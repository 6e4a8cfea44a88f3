//! Reads the service and merges the result.

use roost_world::{CONTACT_FIELDS, FieldTexts, World};
use serde_json::{Value, json};

use super::acts::contact_numbers;
use super::{CallInterrupted, CallResult, SendState, ToyClient, ToyContact, ToyFlaw, ToyList, ToyNamed, ToyOptOut};

pub(super) fn text_field(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or("").to_owned()
}

fn page_items(answer: &Value) -> Vec<Value> {
    answer.get("items").and_then(Value::as_array).cloned().unwrap_or_default()
}

fn page_total(answer: &Value) -> usize {
    answer.pointer("/paging/total_items").and_then(Value::as_u64).unwrap_or(0) as usize
}

fn encode_query(text: &str) -> String {
    text.replace('+', "%2B").replace(' ', "%20")
}

fn contact_values(item: &Value) -> FieldTexts {
    CONTACT_FIELDS
        .iter()
        .filter_map(|(name, _)| Some(((*name).to_owned(), item.get(*name)?.as_str()?.to_owned())))
        .collect()
}

impl ToyClient {
    pub(crate) fn pull(&mut self, world: &mut World) -> CallResult<()> {
        self.pull_lists(world)?;
        for index in 0..self.lists.len() {
            let Some(list) = self.lists.get(index) else {
                break;
            };
            if list.gone {
                continue;
            }
            let uids: Vec<String> = [&list.uid, &list.old_uid].into_iter().flatten().cloned().collect();
            for uid in uids {
                self.pull_contacts(world, index, &uid)?;
            }
        }
        self.pull_opt_outs(world)?;
        self.pull_links(world)?;
        self.pull_senders(world)?;
        for row in &mut self.contacts {
            row.doubts = if row.flight == SendState::Certain { row.doubts + 1 } else { 0 };
            if row.doubts >= 9 && row.question.is_none() && !row.deleted {
                row.question = Some("The service accepted this contact but does not show it.".to_owned());
            }
        }
        Ok(())
    }

    /// Finds the lists of exactly this name. Faults do not truncate a filtered read.
    pub(crate) fn find_lists(&mut self, world: &mut World, name: &str) -> CallResult<Vec<String>> {
        let path = format!("/contacts/v1/lists/?page_size=100&name={}", encode_query(name));
        let answer = self.read(world, "GET", &path, None)?;
        Ok(page_items(&answer)
            .iter()
            .filter(|item| text_field(item, "name") == name)
            .map(|item| text_field(item, "uid"))
            .collect())
    }

    fn pull_lists(&mut self, world: &mut World) -> CallResult<()> {
        let answer = self.read(world, "GET", "/contacts/v1/lists/?page_size=100", None)?;
        let remote: Vec<(String, String)> =
            page_items(&answer).iter().map(|item| (text_field(item, "uid"), text_field(item, "name"))).collect();
        let is_known = |uid: &String| remote.iter().any(|(own, _)| own == uid);
        let mut known = self.lists.iter().filter(|list| !list.gone).filter_map(|list| list.uid.as_ref()).peekable();
        let is_other = known.peek().is_some() && !remote.is_empty() && !known.any(is_known);
        if is_other && !self.is_confirmed && self.flaw != ToyFlaw::MergesOtherAccount {
            return Err(CallInterrupted);
        }
        for (uid, name) in &remote {
            if self.lists.iter().any(|list| list.old_uid.as_ref() == Some(uid)) {
                continue;
            }
            let known = self.lists.iter().position(|list| list.uid.as_ref() == Some(uid));
            if let Some(list) = known.and_then(|index| self.lists.get_mut(index)) {
                list.gone = false;
                if list.name == list.base {
                    list.name.clone_from(name);
                } else if list.base != *name && list.name != *name {
                    list.question = Some("The list was renamed on both sides.".to_owned());
                }
                list.base.clone_from(name);
                continue;
            }
            // The list was created here, but the answer was lost.
            let created = self.lists.iter_mut().find(|list| {
                list.name == *name
                    && (list.uid.is_none() || list.base != *name)
                    && !list.gone
                    && self.flaw != ToyFlaw::DoublesList
            });
            if let Some(list) = created {
                list.old_uid = list.uid.take();
                list.uid = Some(uid.clone());
                list.base.clone_from(name);
                continue;
            }
            let key = self.make_key();
            self.lists.push(ToyList {
                key,
                uid: Some(uid.clone()),
                old_uid: None,
                base: name.clone(),
                name: name.clone(),
                deleted: false,
                deleting: false,
                gone: false,
                question: None,
            });
        }
        for index in 0..self.lists.len() {
            self.check_missing_list(world, index, &remote)?;
        }
        Ok(())
    }

    fn check_missing_list(&mut self, world: &mut World, index: usize, remote: &[(String, String)]) -> CallResult<()> {
        let Some(list) = self.lists.get(index).cloned() else {
            return Ok(());
        };
        let missing = |uid: &String| !remote.iter().any(|(own, _)| own == uid);
        for uid in [&list.uid, &list.old_uid].into_iter().flatten().filter(|uid| missing(uid)) {
            if list.gone {
                continue;
            }
            if self.flaw == ToyFlaw::RemovesListOnOneReading {
                if let Some(list) = self.lists.get_mut(index) {
                    list.gone = true;
                }
                continue;
            }
            // A read of its contacts confirms this, because an unknown list answers 400.
            let path = format!("/contacts/v1/contacts/list/{uid}?search=%2B447700900999");
            match self.send_call(world, "GET", &path, None)? {
                Some((400, _)) => {}
                _ => continue,
            }
            if list.old_uid.as_ref() == Some(uid) {
                if let Some(list) = self.lists.get_mut(index) {
                    list.old_uid = None;
                }
                self.on_list_deleted(index, uid, list.deleted);
                continue;
            }
            self.on_list_deleted(index, uid, list.deleted || list.deleting);
            if let Some(list) = self.lists.get_mut(index) {
                if list.deleted || list.deleting {
                    list.uid = None;
                    list.deleting = false;
                } else {
                    list.gone = true;
                }
            }
        }
        Ok(())
    }

    /// Handles the deletion of the list `home` with its contacts.
    fn on_list_deleted(&mut self, list: usize, home: &str, deleted: bool) {
        let homes: Vec<Option<String>> = self.lists.iter().map(|list| list.uid.clone()).collect();
        for index in 0..self.contacts.len() {
            let pending = self.contacts.get(index).is_some_and(|row| self.is_pending(row) && !row.deleted);
            let Some(row) = self.contacts.get_mut(index) else {
                continue;
            };
            if row.list == list {
                row.flight = SendState::Ground;
            }
            if row.home == home && row.uid.is_some() {
                if deleted || row.deleted {
                    row.uid = None;
                } else if pending {
                    row.gone = true;
                    row.question = Some("The list of this changed contact was deleted.".to_owned());
                } else {
                    row.gone = true;
                }
            } else if row.list == list && row.uid.is_some() && !deleted {
                // The contact was being moved into the deleted list. It stays where it is.
                let own = homes.iter().position(|uid| uid.as_deref() == Some(row.home.as_str()));
                row.list = own.unwrap_or(list);
                row.question = Some("The list you moved this contact to was deleted.".to_owned());
            } else if row.list == list && pending && !deleted {
                row.gone = true;
                row.question = Some("The list of this new contact was deleted.".to_owned());
            }
        }
    }

    fn pull_contacts(&mut self, world: &mut World, list: usize, uid: &str) -> CallResult<()> {
        let path = format!("/contacts/v1/contacts/list/{uid}");
        let answer = match self.send_call(world, "GET", &path, None)? {
            Some((200, answer)) if answer.get("items").is_some() => answer,
            Some((400, _)) => return Ok(()),
            _ => return Err(super::CallInterrupted),
        };
        let remote: Vec<(String, FieldTexts)> =
            page_items(&answer).iter().map(|item| (text_field(item, "uid"), contact_values(item))).collect();
        if remote.len() != page_total(&answer) {
            return Err(super::CallInterrupted);
        }
        for name in remote.iter().flat_map(|(_, values)| values.keys()) {
            if name.starts_with("field_") && !self.columns.contains(name) {
                self.columns.push(name.clone());
            }
        }
        for index in 0..self.contacts.len() {
            let Some(row) = self.contacts.get(index).cloned() else {
                break;
            };
            let Some(own) = row.uid.clone().filter(|_| row.home == uid && !row.gone) else {
                continue;
            };
            if remote.iter().any(|(other, _)| *other == own) {
                continue;
            }
            // A search confirms this, because faults do not truncate it.
            let Some(number) = contact_numbers(&row.base).first().map(|number| (*number).clone()) else {
                continue;
            };
            let path = format!("/contacts/v1/contacts/list/{uid}?search={}", encode_query(&number));
            let found = if self.flaw == ToyFlaw::BelievesEmptyRead {
                Vec::new()
            } else {
                match self.send_call(world, "GET", &path, None)? {
                    Some((200, answer)) => page_items(&answer),
                    _ => return Err(super::CallInterrupted),
                }
            };
            match found.iter().find(|item| text_field(item, "uid") == own) {
                Some(item) => self.merge_contact(index, &contact_values(item), uid),
                None => self.remove_missing(index),
            }
        }
        for (contact_uid, values) in &remote {
            let known = self.contacts.iter().position(|row| row.uid.as_ref() == Some(contact_uid));
            match known {
                Some(index) => self.merge_contact(index, values, uid),
                None => self.add_new_contact(list, uid, contact_uid, values),
            }
        }
        Ok(())
    }

    /// Handles a record that no row has yet.
    fn add_new_contact(&mut self, list: usize, home: &str, uid: &str, values: &FieldTexts) {
        let mixes = self.flaw == ToyFlaw::MixesKeys;
        let adopted = self.contacts.iter().position(|row| {
            let lost = row.uid.is_none() || row.gone;
            let sent = if row.flight == SendState::Ground { &row.local } else { &row.sent };
            let same = contact_numbers(sent).iter().any(|number| contact_numbers(values).contains(number));
            lost && row.list == list
                && (same || mixes)
                && (row.flight != SendState::Ground || (!row.deleted && !row.gone))
        });
        if let Some(index) = adopted {
            if let Some(row) = self.contacts.get_mut(index) {
                row.uid = Some(uid.to_owned());
                home.clone_into(&mut row.home);
                row.gone = false;
                let created = row.flight != SendState::Ground && !row.sent_as_merge;
                row.base = if created { row.sent.clone() } else { values.clone() };
                if row.flight == SendState::Ground {
                    for (field, value) in values {
                        row.local.entry(field.clone()).or_insert_with(|| value.clone());
                    }
                }
                // The merge that recreated the contact has ended. Other changes must still be sent.
                row.flight = SendState::Ground;
                if created {
                    self.merge_contact(index, values, home);
                }
            }
            return;
        }
        let key = self.make_key();
        self.contacts.push(ToyContact {
            key,
            list,
            uid: Some(uid.to_owned()),
            home: home.to_owned(),
            base: values.clone(),
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
    }

    fn remove_missing(&mut self, index: usize) {
        let pending = self.contacts.get(index).is_some_and(|row| self.is_pending(row));
        let tears = self.flaw == ToyFlaw::TearsContact;
        let Some(row) = self.contacts.get_mut(index) else {
            return;
        };
        if row.deleted || row.deleting {
            row.uid = None;
            row.base.clear();
            row.deleting = false;
        } else if pending && tears {
            // The next merge will recreate it with only the changed fields.
        } else {
            row.gone = true;
            if pending {
                row.question = Some("The contact was deleted at the service after you changed it.".to_owned());
            }
        }
    }

    fn merge_contact(&mut self, index: usize, values: &FieldTexts, home: &str) {
        let (flaw, visible_home) = (self.flaw, home.to_owned());
        let Some(row) = self.contacts.get_mut(index) else {
            return;
        };
        row.gone = false;
        row.home = visible_home;
        if row.deleted && *values != row.base && flaw != ToyFlaw::DeletesEditedContact {
            row.deleted = false;
            row.question = Some("The contact was edited after you deleted it.".to_owned());
        }
        for (field, _) in CONTACT_FIELDS {
            let (remote, mut base, local) = (values.get(field), row.base.get(field), row.local.get(field));
            // The service shows the values that were sent, so no other writer changed them.
            if row.flight != SendState::Ground && remote.is_some() && row.sent.get(field) == remote {
                base = remote;
            }
            if local == base || flaw == ToyFlaw::LetsServiceWin {
                match remote {
                    Some(value) => row.local.insert(field.to_owned(), value.clone()),
                    None => row.local.remove(field),
                };
            } else if remote != base && remote != local {
                row.question = Some("The contact was changed on both sides.".to_owned());
            }
        }
        row.base = values.clone();
        if row.flight != SendState::Ground && row.sent.iter().all(|(field, value)| values.get(field) == Some(value)) {
            row.flight = SendState::Ground;
        }
    }

    fn pull_opt_outs(&mut self, world: &mut World) -> CallResult<()> {
        let answer = self.read(world, "GET", "/contacts/v1/optouts?page_size=1000", None)?;
        let remote = page_items(&answer);
        if remote.len() != page_total(&answer) {
            return Err(super::CallInterrupted);
        }
        if remote.is_empty() && !self.opt_outs.is_empty() {
            let again = self.read(world, "GET", "/contacts/v1/optouts?page_size=1000", None)?;
            if page_total(&again) != 0 {
                return Err(super::CallInterrupted);
            }
        }
        let mut records = Vec::new();
        for item in &remote {
            let number = item.get("number").and_then(Value::as_str).map(str::to_owned);
            let channel = text_field(item, "channel");
            let account_level = item.get("account_level_opt_out").and_then(Value::as_bool);
            let asset = item.get("inbound_asset_id").and_then(Value::as_str).map(str::to_owned);
            let known = self.opt_outs.iter().find(|record| {
                record.number == number
                    && record.channel == channel
                    && record.asset == asset
                    && record.account_level == account_level
                    && number.is_some()
            });
            let key = known.map(|record| record.key.clone());
            let key = key.unwrap_or_else(|| self.make_key());
            records.push(ToyOptOut {
                key,
                number,
                channel,
                asset,
                kind: text_field(item, "opt_out_type"),
                time: text_field(item, "opt_out_time"),
                account_level,
            });
        }
        self.opt_outs = records;
        Ok(())
    }

    pub(crate) fn find_links(&mut self, world: &mut World, title: &str) -> CallResult<Vec<String>> {
        let body = json!({"filter": {"query": title}, "page": {"page_size": 100}});
        let answer = self.read(world, "POST", "/assets/v1/shortlink/filter", Some(&body))?;
        Ok(page_items(&answer)
            .iter()
            .filter(|item| text_field(item, "title") == title)
            .map(|item| text_field(item, "link_id"))
            .collect())
    }

    fn pull_links(&mut self, world: &mut World) -> CallResult<()> {
        let body = json!({"page": {"page_size": 100}});
        let answer = self.read(world, "POST", "/assets/v1/shortlink/filter", Some(&body))?;
        let remote = page_items(&answer);
        for item in &remote {
            let (uid, name, target) =
                (text_field(item, "link_id"), text_field(item, "title"), text_field(item, "target_url"));
            if let Some(link) = self.links.iter_mut().find(|link| link.uid.as_ref() == Some(&uid)) {
                link.gone = false;
                continue;
            }
            if let Some(link) = self
                .links
                .iter_mut()
                .find(|link| link.uid.is_none() && link.name == name && self.flaw != ToyFlaw::DoublesLink)
            {
                link.uid = Some(uid);
                continue;
            }
            let key = self.make_key();
            self.links.push(ToyNamed {
                key,
                uid: Some(uid),
                name,
                target,
                deleted: false,
                deleting: false,
                gone: false,
            });
        }
        for index in 0..self.links.len() {
            let Some(link) = self.links.get(index).cloned() else {
                break;
            };
            let Some(uid) = link.uid.filter(|_| !link.gone) else {
                continue;
            };
            if remote.iter().any(|item| text_field(item, "link_id") == uid) {
                continue;
            }
            let path = format!("/assets/v1/shortlink/{uid}");
            if let Some((404, _)) = self.send_call(world, "GET", &path, None)?
                && let Some(link) = self.links.get_mut(index)
            {
                if link.deleted || link.deleting {
                    link.uid = None;
                } else {
                    link.gone = true;
                }
                link.deleting = false;
            }
        }
        Ok(())
    }

    fn pull_senders(&mut self, world: &mut World) -> CallResult<()> {
        let answer = self.read(world, "GET", "/assets/v1/senders/?page_size=100", None)?;
        let remote = page_items(&answer);
        for item in &remote {
            let (uid, name) = (text_field(item, "id"), text_field(item, "name"));
            if let Some(sender) = self.senders.iter_mut().find(|row| row.uid.as_ref() == Some(&uid)) {
                sender.gone = false;
                sender.deleting = false;
                continue;
            }
            let key = self.make_key();
            self.senders.push(ToyNamed {
                key,
                uid: Some(uid),
                name,
                target: String::new(),
                deleted: false,
                deleting: false,
                gone: false,
            });
        }
        for index in 0..self.senders.len() {
            let Some(sender) = self.senders.get(index).cloned() else {
                break;
            };
            let Some(uid) = sender.uid.filter(|_| !sender.gone) else {
                continue;
            };
            if remote.iter().any(|item| text_field(item, "id") == uid) {
                continue;
            }
            if let Some((404, _)) = self.send_call(world, "GET", &format!("/assets/v1/senders/{uid}"), None)?
                && let Some(sender) = self.senders.get_mut(index)
            {
                sender.gone = true;
            }
        }
        Ok(())
    }
}

//! Sends the differences.

use roost_world::{FieldTexts, World};
use serde_json::{Value, json};

use super::acts::contact_numbers;
use super::pull::text_field;
use super::{CallResult, SendState, ToyClient, ToyFlaw};

impl ToyClient {
    pub(crate) fn push(&mut self, world: &mut World) -> CallResult<()> {
        self.pull(world)?;
        self.push_opt_outs(world)?;
        self.push_lists(world)?;
        for index in 0..self.contacts.len() {
            self.push_contact(world, index)?;
        }
        self.push_removals(world)?;
        self.push_links(world)?;
        self.push_senders(world)?;
        self.push_list_deletions(world)?;
        world.wait(1_500);
        self.pull(world)
    }

    fn push_opt_outs(&mut self, world: &mut World) -> CallResult<()> {
        for index in 0..self.stops.len() {
            let Some(stop) = self.stops.get(index).cloned().filter(|stop| !stop.done) else {
                continue;
            };
            let path = format!(
                "/contacts/v1/optouts?page_size=1000&number=%2B{}&channel={}",
                stop.number.trim_start_matches('+'),
                stop.channel
            );
            let answer = self.read(world, "GET", &path, None)?;
            let exists = answer.get("items").and_then(Value::as_array).is_some_and(|items| {
                items.iter().any(|item| {
                    item.get("account_level_opt_out") == Some(&json!(true))
                        || (stop.asset.is_some()
                            && item.get("inbound_asset_id").and_then(Value::as_str) == stop.asset.as_deref())
                })
            });
            let mut done = exists;
            if !exists {
                let mut entry = json!({"number": stop.number, "channel": stop.channel});
                if let (Some(asset), Some(map)) = (&stop.asset, entry.as_object_mut()) {
                    map.insert("asset_id".to_owned(), json!(asset));
                }
                let answer =
                    self.send_call(world, "POST", "/contacts/v1/optouts", Some(&json!({"optouts": [entry]})))?;
                done = match answer {
                    Some((201, body)) => body.pointer("/items/0/status") == Some(&json!("success")),
                    _ => self.flaw == ToyFlaw::TakesFailureForStop,
                };
            }
            if let Some(stop) = self.stops.get_mut(index) {
                stop.done |= done;
            }
        }
        Ok(())
    }

    fn push_lists(&mut self, world: &mut World) -> CallResult<()> {
        for index in 0..self.lists.len() {
            let Some(list) = self.lists.get(index).cloned() else {
                break;
            };
            let differs = list.uid.is_none() || (list.base != list.name && list.old_uid.is_none());
            if list.deleted || list.gone || list.question.is_some() || !differs {
                continue;
            }
            if self.flaw != ToyFlaw::DoublesList {
                let found = self.find_lists(world, &list.name)?;
                let taken = |uid: &String| {
                    self.lists.iter().any(|list| list.uid.as_ref() == Some(uid) || list.old_uid.as_ref() == Some(uid))
                };
                if found.iter().any(|uid| !taken(uid)) {
                    continue;
                }
            }
            let answer =
                self.send_call(world, "POST", "/contacts/v1/lists/create", Some(&json!({"name": list.name})))?;
            if let Some((200, body)) = answer {
                let uid = text_field(&body, "uid");
                if let Some(own) = self.lists.get_mut(index).filter(|_| !uid.is_empty()) {
                    own.old_uid = own.uid.take();
                    own.uid = Some(uid);
                    own.base = list.name;
                }
            }
        }
        Ok(())
    }

    fn has_twin(&self, index: usize) -> bool {
        let Some(row) = self.contacts.get(index) else {
            return false;
        };
        self.contacts.iter().enumerate().any(|(other, twin)| {
            other != index
                && twin.list == row.list
                && twin.uid.is_some()
                && !twin.gone
                && [&row.base, &row.local]
                    .iter()
                    .any(|own| contact_numbers(own).iter().any(|number| contact_numbers(&twin.base).contains(number)))
        })
    }

    fn push_contact(&mut self, world: &mut World, index: usize) -> CallResult<()> {
        let Some(row) = self.contacts.get(index).cloned() else {
            return Ok(());
        };
        let own_list = self.lists.get(row.list);
        if own_list.is_some_and(|list| list.deleted && list.uid.as_deref() != Some(row.home.as_str())) && !row.gone {
            // The contact was being moved into a list that is now deleted.
            return self.delete_contact(world, index);
        }
        if own_list.is_some_and(|list| list.base != list.name) {
            return Ok(());
        }
        let differs = self.is_pending(&row) || self.has_mixed_columns(&row);
        if row.question.is_some() || row.gone || !self.is_list_visible(row.list) || !differs {
            return Ok(());
        }
        if row.flight == SendState::Certain {
            return Ok(());
        }
        let Some(list) = self.lists.get(row.list).and_then(|list| list.uid.clone()) else {
            return Ok(());
        };
        if row.deleted {
            return self.delete_contact(world, index);
        }
        if self.has_twin(index) {
            if let Some(row) = self.contacts.get_mut(index) {
                row.question = Some("Several contacts have this number.".to_owned());
            }
            return Ok(());
        }
        if row.flight == SendState::Uncertain {
            let merge = row.sent_as_merge;
            return self.send_and_track(world, index, &list, row.sent.clone(), merge);
        }
        if row.uid.is_none() {
            return self.send_and_track(world, index, &list, row.local.clone(), false);
        }
        let replaces = row.home != list
            || row.base.iter().any(|(field, value)| {
                let number = field == "phone_number" || field == "whatsapp_id";
                row.local.get(field).is_none_or(|own| number && own != value)
            })
            || contact_numbers(&row.local).len() != contact_numbers(&row.base).len();
        if replaces {
            if self.flaw == ToyFlaw::ForgetsDeletionHalf {
                if let Some(row) = self.contacts.get_mut(index) {
                    row.uid = None;
                }
            } else {
                self.delete_contact(world, index)?;
            }
            let free = self.contacts.get(index).is_some_and(|row| row.uid.is_none() && !row.deleted);
            let Some(local) = self.contacts.get(index).filter(|_| free).map(|row| row.local.clone()) else {
                return Ok(());
            };
            // The person may have moved the contact meanwhile.
            let target = self.contacts.get(index).and_then(|row| self.lists.get(row.list)?.uid.clone());
            if target.as_ref() != Some(&list) {
                return Ok(());
            }
            return self.send_and_track(world, index, &list, local, false);
        }
        let mut changed: FieldTexts = if self.flaw == ToyFlaw::OverwritesOtherFields {
            row.local.clone()
        } else {
            row.local
                .iter()
                .filter(|(field, value)| row.base.get(*field) != Some(value))
                .map(|(field, value)| (field.clone(), value.clone()))
                .collect()
        };
        let key = if row.local.contains_key("phone_number") { "phone_number" } else { "whatsapp_id" };
        if let Some(number) = row.local.get(key) {
            changed.insert(key.to_owned(), number.clone());
        }
        self.send_and_track(world, index, &list, changed, true)
    }

    fn send_and_track(
        &mut self,
        world: &mut World,
        index: usize,
        list: &str,
        values: FieldTexts,
        merge: bool,
    ) -> CallResult<()> {
        let has_phone = values.contains_key("phone_number");
        let again = self.contacts.get(index).is_some_and(|row| row.flight == SendState::Uncertain);
        let merge_type = match (merge, has_phone) {
            _ if self.flaw == ToyFlaw::ForgetsDeletionHalf && !merge => "allowDuplicates",
            (true, true) => "mergeByPhoneNumberInList",
            (false, true) => "skipDuplicates",
            (_, false) => "mergeByWhatsappIdInList",
        };
        let contact: serde_json::Map<String, Value> = values
            .iter()
            .map(|(field, value)| {
                let name = if field == "whatsapp_id" { "whatsapp_number" } else { field };
                (name.to_owned(), json!(value))
            })
            .collect();
        let body = json!({"list_id": list, "merge_type": merge_type, "contacts": [contact]});
        if let Some(row) = self.contacts.get_mut(index) {
            row.flight = SendState::Uncertain;
            row.sent = values;
            row.sent_as_merge = merge;
        }
        let mut answer = self.send_call(world, "POST", "/contacts/v1/contacts", Some(&body))?;
        if answer.is_none() && !merge && self.flaw == ToyFlaw::DoublesContactOn503 {
            let mut again = body.clone();
            if let Some(map) = again.as_object_mut() {
                map.insert("merge_type".to_owned(), json!("allowDuplicates"));
            }
            answer = self.send_call(world, "POST", "/contacts/v1/contacts", Some(&again))?;
        }
        if let Some(row) = self.contacts.get_mut(index) {
            match answer {
                Some((200, body)) if text_field(&body, "code") == "SUCCESS_CNT_GEN_001" => {
                    row.flight = SendState::Certain;
                }
                Some((204, _)) => row.flight = SendState::Certain,
                Some((400, _)) if !again => row.flight = SendState::Ground,
                _ => {}
            }
        }
        Ok(())
    }

    fn delete_contact(&mut self, world: &mut World, index: usize) -> CallResult<()> {
        let Some(uid) = self.contacts.get(index).and_then(|row| row.uid.clone()) else {
            return Ok(());
        };
        if let Some(row) = self.contacts.get_mut(index) {
            row.deleting = true;
        }
        let answer = self.send_call(world, "DELETE", &format!("/contacts/v1/contacts/{uid}"), None)?;
        if answer.is_none() && self.flaw == ToyFlaw::ForgetsCaughtDeletion {
            let key = self.contacts.get(index).map(|row| row.key.clone());
            self.believed.extend(key);
        }
        if let (Some((204, _)), Some(row)) = (answer, self.contacts.get_mut(index)) {
            row.uid = None;
            row.deleting = false;
        }
        Ok(())
    }

    fn push_removals(&mut self, world: &mut World) -> CallResult<()> {
        for index in 0..self.removals.len() {
            let Some(removal) = self.removals.get(index).cloned() else {
                break;
            };
            if !removal.open || removal.question.is_some() {
                continue;
            }
            let careless = self.flaw == ToyFlaw::RemovesNewerOptOut;
            let path = format!(
                "/contacts/v1/optouts?page_size=1000&number=%2B{}&channel={}",
                removal.number.trim_start_matches('+'),
                removal.channel
            );
            let records = if removal.channel == "SMS" || removal.channel == "WHATSAPP" {
                let answer = self.read(world, "GET", &path, None)?;
                answer.get("items").and_then(Value::as_array).cloned().unwrap_or_default()
            } else {
                Vec::new()
            };
            let same = records.first().is_some_and(|item| {
                text_field(item, "opt_out_type") == removal.kind
                    && text_field(item, "opt_out_time") == removal.time
                    && item.get("inbound_asset_id").and_then(Value::as_str) == removal.asset.as_deref()
            });
            // A record of another scope without an asset cannot be distinguished from the account's record.
            let plain = records.first().is_some_and(|item| {
                removal.asset.is_some() || item.get("account_level_opt_out") != Some(&json!(false))
            });
            if records.is_empty() && removal.channel.len() > 3 {
                if let Some(own) = self.removals.get_mut(index) {
                    let known = removal.channel == "WHATSAPP";
                    own.open = !known;
                    if !known {
                        own.question = Some("The channel cannot be removed.".to_owned());
                    }
                }
                continue;
            }
            if records.is_empty() {
                if let Some(own) = self.removals.get_mut(index) {
                    let known = removal.channel == "SMS";
                    own.open = !known;
                    if !known {
                        own.question = Some("The channel cannot be removed.".to_owned());
                    }
                }
                continue;
            }
            if !(careless || (records.len() == 1 && same && plain)) {
                if let Some(own) = self.removals.get_mut(index) {
                    own.open = false;
                    own.question = Some("There is another or a newer opt-out of this number.".to_owned());
                }
                continue;
            }
            // The person may have cancelled the removal while the number was read.
            if !self.removals.get(index).is_some_and(|own| own.open) {
                continue;
            }
            let mut body = json!({"numbers": [removal.number], "channel": removal.channel});
            if let Some(map) = body.as_object_mut() {
                if let Some(asset) = &removal.asset {
                    map.insert("asset_id".to_owned(), json!(asset));
                } else if self.flaw == ToyFlaw::RemovesOnBothChannels {
                    map.remove("channel");
                }
            }
            let answer = self.send_call(world, "DELETE", "/contacts/v1/optouts", Some(&body))?;
            if let (Some((200 | 204, _)), Some(own)) = (answer, self.removals.get_mut(index)) {
                own.open = false;
            }
        }
        Ok(())
    }

    fn push_links(&mut self, world: &mut World) -> CallResult<()> {
        for index in 0..self.links.len() {
            let Some(link) = self.links.get(index).cloned() else {
                break;
            };
            match (&link.uid, link.deleted) {
                (Some(uid), true) if !link.gone => {
                    if let Some(own) = self.links.get_mut(index) {
                        own.deleting = true;
                    }
                    let answer = self.send_call(world, "DELETE", &format!("/assets/v1/shortlink/{uid}"), None)?;
                    if let (Some((204 | 404, _)), Some(own)) = (answer, self.links.get_mut(index)) {
                        own.uid = None;
                    }
                }
                (None, false) if !link.gone => {
                    let found = self.find_links(world, &link.name)?;
                    let taken = |uid: &String| self.links.iter().any(|link| link.uid.as_ref() == Some(uid));
                    if self.flaw != ToyFlaw::DoublesLink && found.iter().any(|uid| !taken(uid)) {
                        continue;
                    }
                    if self.links.get(index).is_none_or(|link| link.deleted) {
                        continue;
                    }
                    let body = json!({"title": link.name, "target_url": link.target});
                    let answer = self.send_call(world, "POST", "/assets/v1/shortlink", Some(&body))?;
                    if let (Some((200, body)), Some(own)) = (answer, self.links.get_mut(index)) {
                        own.uid = Some(text_field(&body, "link_id")).filter(|uid| !uid.is_empty());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn push_senders(&mut self, world: &mut World) -> CallResult<()> {
        for index in 0..self.senders.len() {
            let Some(sender) = self.senders.get(index).cloned() else {
                break;
            };
            let Some(uid) = sender.uid.filter(|_| sender.deleted && !sender.gone) else {
                continue;
            };
            if let Some(own) = self.senders.get_mut(index) {
                own.deleting = true;
            }
            let answer = self.send_call(world, "DELETE", &format!("/assets/v1/senders/{uid}"), None)?;
            if let (Some((204 | 404, _)), Some(own)) = (answer, self.senders.get_mut(index)) {
                own.gone = true;
            }
        }
        Ok(())
    }

    fn push_list_deletions(&mut self, world: &mut World) -> CallResult<()> {
        for index in 0..self.lists.len() {
            let Some(list) = self.lists.get(index).cloned() else {
                break;
            };
            let uid = match (&list.old_uid, &list.uid) {
                (Some(old), _) => old.clone(),
                (None, Some(uid)) if list.deleted && !list.gone => uid.clone(),
                _ => continue,
            };
            if self.flaw != ToyFlaw::DeletesListOnOldKnowledge {
                let answer = self.send_call(world, "GET", &format!("/contacts/v1/contacts/list/{uid}"), None)?;
                let Some((200, body)) = answer else { continue };
                let total = body.pointer("/paging/total_items").and_then(Value::as_u64).unwrap_or(0);
                let items = body.get("items").and_then(Value::as_array).map_or(0, Vec::len);
                if list.old_uid.is_some() {
                    // A fault may show a full list as empty, so the rows must have left it, too.
                    let rows = self.contacts.iter().any(|row| row.home == uid && row.uid.is_some() && !row.gone);
                    if total != 0 || items != 0 || rows {
                        continue;
                    }
                }
            }
            let wanted = self.lists.get(index).is_some_and(|list| list.deleted || list.old_uid.is_some());
            if !wanted {
                continue;
            }
            if let Some(own) = self.lists.get_mut(index) {
                own.deleting |= own.uid.as_ref() == Some(&uid);
            }
            let answer = self.send_call(world, "DELETE", &format!("/contacts/v1/lists/{uid}"), None)?;
            if let (Some((204, _)), Some(own)) = (answer, self.lists.get_mut(index)) {
                if own.old_uid.as_ref() == Some(&uid) {
                    own.old_uid = None;
                } else {
                    own.uid = None;
                    own.deleting = false;
                    for row in self.contacts.iter_mut().filter(|row| row.home == uid) {
                        row.uid = None;
                    }
                }
            }
        }
        Ok(())
    }
}

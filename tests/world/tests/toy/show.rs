//! Shows the toy's account.

use roost_world::{AccountRow, AccountState, FieldTexts, OpenQuestion, PendingWork, UnsentChange};

use super::acts::contact_numbers;
use super::{SendState, ToyClient, ToyContact, ToyFlaw, ToyNamed};

fn named_row(key: &str, uid: Option<&String>, kind: Option<&str>, values: &[(&str, &str)]) -> AccountRow {
    let mut map: FieldTexts = values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    if let Some(kind) = kind {
        map.insert("kind".to_owned(), kind.to_owned());
    }
    AccountRow { key: key.to_owned(), uid: uid.cloned(), list_key: None, values: map }
}

impl ToyClient {
    pub(crate) fn is_list_visible(&self, index: usize) -> bool {
        self.lists.get(index).is_some_and(|list| !list.deleted && !list.gone)
    }

    pub(crate) fn is_contact_visible(&self, row: &ToyContact) -> bool {
        !row.deleted && !row.gone && self.is_list_visible(row.list)
    }

    /// Returns whether a row differs from its record at the service.
    pub(crate) fn is_pending(&self, row: &ToyContact) -> bool {
        let list = self.lists.get(row.list);
        let home_differs = list.is_some_and(|list| list.uid.as_deref() != Some(row.home.as_str()));
        if row.deleted {
            return row.uid.is_some();
        }
        row.flight != SendState::Ground || row.uid.is_none() || row.local != row.base || home_differs
    }

    pub(crate) fn questions(&self) -> Vec<OpenQuestion> {
        let ask = |kind: &str, subjects: Vec<String>, reason: &str| OpenQuestion {
            kind: kind.to_owned(),
            subjects,
            reason: reason.to_owned(),
        };
        let mut questions = Vec::new();
        for row in &self.contacts {
            if let Some(reason) = &row.question {
                let list = self.lists.get(row.list).map(|list| list.key.clone()).unwrap_or_default();
                questions.push(ask("contact", vec![row.key.clone(), list], reason));
            }
        }
        for list in &self.lists {
            if let Some(reason) = &list.question {
                questions.push(ask("list", vec![list.key.clone()], reason));
            }
        }
        for removal in &self.removals {
            if let Some(reason) = &removal.question {
                questions.push(ask("removal", vec![removal.key.clone(), removal.number.clone()], reason));
            }
        }
        for stop in &self.stops {
            if let Some(reason) = &stop.question {
                questions.push(ask("opt-out", vec![stop.number.clone()], reason));
            }
        }
        questions
    }

    pub(crate) fn has_work(&self) -> bool {
        !self.account().pending.is_empty()
    }

    pub(crate) fn account(&self) -> AccountState {
        let mut account = AccountState { questions: self.questions(), ..AccountState::default() };
        let mut pending = |subject: &str, what: &str| {
            account.pending.push(PendingWork { subject: subject.to_owned(), what: what.to_owned() });
        };
        for list in &self.lists {
            let trashed = list.deleted || list.gone;
            let row = named_row(&list.key, list.uid.as_ref(), trashed.then_some("list"), &[("name", &list.name)]);
            let differs = list.uid.is_none() || list.base != list.name || list.old_uid.is_some();
            if (list.deleted && list.uid.is_some() && !list.gone) || (!trashed && differs) {
                pending(&list.key, "list");
            }
            if trashed {
                account.trash.push(row);
            } else {
                account.lists.push(row);
            }
        }
        for contact in &self.contacts {
            let list_key = self.lists.get(contact.list).map(|list| list.key.clone());
            let mut row = AccountRow {
                key: contact.key.clone(),
                uid: contact.uid.clone(),
                list_key,
                values: contact.local.clone(),
            };
            if self.is_contact_visible(contact) {
                if self.is_pending(contact) {
                    pending(&contact.key, "contact");
                }
                account.contacts.push(row);
            } else {
                if contact.deleted && contact.uid.is_some() && !contact.gone && self.is_list_visible(contact.list) {
                    pending(&contact.key, "deletion");
                }
                row.values.insert("kind".to_owned(), "contact".to_owned());
                let vanishes = self.flaw == ToyFlaw::BelievesEmptyRead && contact.gone;
                if !vanishes {
                    account.trash.push(row);
                }
            }
        }
        for stop in self.stops.iter().filter(|stop| !stop.done) {
            pending(&stop.number, "opt-out");
        }
        for removal in self.removals.iter().filter(|removal| removal.open && removal.question.is_none()) {
            pending(&removal.number, "removal");
        }
        self.show_links(&mut account);
        self.show_opt_outs(&mut account);
        if self.flaw == ToyFlaw::LosesTrash {
            account.trash.clear();
        }
        account.pending.retain(|work| !self.believed.contains(&work.subject));
        self.show_unsent(&mut account);
        account
    }

    /// Returns whether the fields of a row were met in another order than that of their numbers, if that matters.
    pub(crate) fn has_mixed_columns(&self, row: &ToyContact) -> bool {
        let met = self.columns.iter().filter(|name| row.local.contains_key(*name));
        self.flaw == ToyFlaw::ComparesColumnsInOrder && self.is_contact_visible(row) && !met.is_sorted()
    }

    fn show_unsent(&self, account: &mut AccountState) {
        let is_pending = |key: &String| account.pending.iter().any(|work| work.subject == *key);
        for row in &self.contacts {
            if is_pending(&row.key) || self.has_mixed_columns(row) {
                let subjects = std::iter::once(row.key.clone()).chain(row.uid.clone()).collect();
                let what = "a contact".to_owned();
                account.unsent.push(UnsentChange { kind: "contact".to_owned(), subjects, what });
            }
        }
    }

    fn show_links(&self, account: &mut AccountState) {
        let mut pending = |subject: &str, what: &str| {
            account.pending.push(PendingWork { subject: subject.to_owned(), what: what.to_owned() });
        };
        for link in &self.links {
            let trashed = link.deleted || link.gone;
            let row = named_row(
                &link.key,
                link.uid.as_ref(),
                trashed.then_some("link"),
                &[("title", &link.name), ("target_url", &link.target)],
            );
            if (link.deleted && link.uid.is_some() && !link.gone) || (!trashed && link.uid.is_none()) {
                pending(&link.key, "link");
            }
            if trashed {
                account.trash.push(row);
            } else {
                account.links.push(row);
            }
        }
        for sender in &self.senders {
            let trashed = sender.deleted || sender.gone;
            let row =
                named_row(&sender.key, sender.uid.as_ref(), trashed.then_some("sender"), &[("name", &sender.name)]);
            if sender.deleted && !sender.gone {
                pending(&sender.key, "sender");
            }
            if trashed {
                account.trash.push(row);
            } else {
                account.senders.push(row);
            }
        }
    }

    fn show_opt_outs(&self, account: &mut AccountState) {
        for record in &self.opt_outs {
            let mut values = FieldTexts::new();
            if let Some(number) = &record.number {
                values.insert("number".to_owned(), number.clone());
            } else if self.flaw == ToyFlaw::CountsNamelessForOthers {
                values.insert("number".to_owned(), "+447700900899".to_owned());
            }
            values.insert("channel".to_owned(), record.channel.clone());
            values.insert("kind".to_owned(), record.kind.clone());
            if let Some(asset) = &record.asset {
                values.insert("asset".to_owned(), asset.clone());
            }
            if self.removals.iter().any(|removal| removal.open && removal.key == record.key) {
                values.insert("removal".to_owned(), "pending".to_owned());
            }
            account.opt_outs.push(AccountRow { key: record.key.clone(), uid: None, list_key: None, values });
        }
        for stop in self.stops.iter().filter(|stop| !stop.done) {
            let mut values = FieldTexts::new();
            values.insert("number".to_owned(), stop.number.clone());
            values.insert("channel".to_owned(), stop.channel.clone());
            account.opt_outs.push(AccountRow { key: stop.key.clone(), uid: None, list_key: None, values });
        }
        for contact in self.contacts.iter().filter(|row| self.is_contact_visible(row)) {
            for number in contact_numbers(&contact.local) {
                for channel in ["SMS", "WHATSAPP"] {
                    let known = |other: &str| other == "SMS" || other == "WHATSAPP";
                    let blocked = self.opt_outs.iter().any(|record| {
                        record.number.as_ref() == Some(number)
                            && (record.channel == channel
                                || (!known(&record.channel) && self.flaw != ToyFlaw::IgnoresUnknownOptOuts))
                    }) || self
                        .stops
                        .iter()
                        .any(|stop| !stop.done && stop.number == *number && stop.channel == channel);
                    if !blocked {
                        account.reachable.push((channel.to_owned(), number.clone()));
                    }
                }
            }
        }
    }
}

impl ToyNamed {
    pub(crate) fn is_wanted(&self) -> bool {
        !self.deleted && !self.gone
    }
}

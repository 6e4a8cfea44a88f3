//! Adds short links and senders to a world. They do not change, so there is little to merge and little to send.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Tape,
    world::{Service, World},
};
use crate::{
    input::{ChangeChoice, LinkChange, SenderChange},
    plan::StepKind,
};

/// The links and senders of the service.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RemoteRecords {
    pub links: BTreeMap<String, String>,
    pub senders: BTreeSet<String>,
}

/// The local links and senders, with what both sides agreed on.
#[derive(Debug, Clone, Default)]
pub(super) struct LocalRecords {
    base_links: BTreeMap<i64, (String, String)>,
    links: BTreeMap<i64, String>,
    base_senders: BTreeSet<String>,
    senders: BTreeSet<String>,
    pub held_senders: BTreeSet<String>,
}

impl LocalRecords {
    pub(super) fn discard(&mut self) {
        self.links = self.base_links.iter().map(|(id, (_, title))| (*id, title.clone())).collect();
        self.senders = self.base_senders.clone();
        self.held_senders.clear();
    }
}

impl Service {
    pub(super) fn disturb_beside(&mut self, tape: &mut Tape) {
        match tape.below(12) {
            9 => drop(self.beside.links.pop_first()),
            10 => {
                let uid = self.next_uid("S");
                self.beside.links.insert(uid, "Theirs".to_owned());
            }
            11 => drop(self.beside.senders.pop_last()),
            _ => {}
        }
    }
}

impl World {
    pub(super) fn agree_beside(&mut self, tape: &mut Tape) {
        for _ in 0..tape.below(3) {
            let (id, uid) = (self.next_local_id(), self.service.next_uid("S"));
            let title = format!("Link {id}");
            self.service.beside.links.insert(uid.clone(), title.clone());
            self.beside.base_links.insert(id, (uid, title));
        }
        for _ in 0..tape.below(3) {
            let uid = self.service.next_uid("N");
            self.service.beside.senders.insert(uid.clone());
            self.beside.base_senders.insert(uid);
        }
        self.beside.discard();
    }

    pub(super) fn disturb_beside_here(&mut self, tape: &mut Tape) {
        for _ in 0..tape.below(4) {
            self.disturb_one(tape);
        }
    }

    fn disturb_one(&mut self, tape: &mut Tape) {
        let ids: Vec<i64> = self.beside.links.keys().copied().collect();
        match tape.below(10) {
            5 => {
                let id = self.next_local_id();
                self.beside.links.insert(id, format!("Made {id}"));
            }
            6 if !ids.is_empty() => drop(self.beside.links.insert(tape.pick(&ids), "Edited".to_owned())),
            7 if !ids.is_empty() => drop(self.beside.links.remove(&tape.pick(&ids))),
            8 => drop(self.beside.senders.pop_first()),
            9 => self.beside.held_senders.extend(self.beside.base_senders.first().cloned()),
            _ => {}
        }
    }

    pub(super) fn gather_links(&self) -> Vec<LinkChange> {
        let here = &self.beside;
        let ids: BTreeSet<i64> = here.links.keys().chain(here.base_links.keys()).copied().collect();
        let change = |id: i64| {
            let (base, local) = (here.base_links.get(&id), here.links.get(&id));
            if base.map(|(_, title)| title) == local {
                return None;
            }
            Some(LinkChange {
                id,
                uid: base.map(|(uid, _)| uid.clone()),
                title: local.or(base.map(|(_, title)| title)).cloned().unwrap_or_default(),
                deleted: local.is_none(),
                edited: base.is_some() && local.is_some(),
                gone_there: base.is_some_and(|(uid, _)| !self.service.beside.links.contains_key(uid)),
                choice: self.choices.get(&id).copied().filter(|choice| *choice != ChangeChoice::Replace),
                held: self.held.contains(&id),
            })
        };
        ids.into_iter().filter_map(change).collect()
    }

    pub(super) fn gather_senders(&self) -> Vec<SenderChange> {
        let change = |uid: &String| SenderChange {
            uid: uid.clone(),
            name: format!("Sender {uid}"),
            gone_there: !self.service.beside.senders.contains(uid),
            held: self.beside.held_senders.contains(uid),
        };
        self.beside.base_senders.difference(&self.beside.senders).map(change).collect()
    }

    pub(super) fn call_beside(&mut self, kind: &StepKind) {
        match kind {
            StepKind::LinkCreate { id, .. } => {
                let (uid, title) = (self.service.next_uid("S"), self.beside.links[id].clone());
                self.service.beside.links.insert(uid.clone(), title.clone());
                self.beside.base_links.insert(*id, (uid, title));
                self.choices.remove(id);
            }
            StepKind::LinkDelete { id, uid } => {
                self.service.beside.links.remove(uid);
                self.beside.base_links.remove(id);
            }
            StepKind::SenderDelete { uid } => {
                self.service.beside.senders.remove(uid);
                self.beside.base_senders.remove(uid);
            }
            _ => {}
        }
    }

    pub(super) fn pull_beside(&mut self) {
        let is_missing = |uid: &String| !self.service.beside.links.contains_key(uid);
        let lost: Vec<i64> =
            self.beside.base_links.iter().filter(|(_, (uid, _))| is_missing(uid)).map(|(id, _)| *id).collect();
        for id in lost {
            let was_edited = self.beside.links.get(&id).is_some_and(|title| *title != self.beside.base_links[&id].1);
            if !was_edited {
                self.beside.links.remove(&id);
                self.beside.base_links.remove(&id);
            }
        }
        let known: BTreeSet<String> = self.beside.base_links.values().map(|(uid, _)| uid.clone()).collect();
        for (uid, title) in self.service.beside.links.clone() {
            if !known.contains(&uid) {
                let id = self.next_local_id();
                self.beside.links.insert(id, title.clone());
                self.beside.base_links.insert(id, (uid, title));
            }
        }
        let there = &self.service.beside.senders;
        self.beside.senders.retain(|uid| there.contains(uid));
        self.beside.base_senders.retain(|uid| there.contains(uid));
    }
}

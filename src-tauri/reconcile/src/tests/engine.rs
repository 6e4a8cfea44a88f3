//! Simulates in memory what the engine does around the pure parts: gather, send, pull.

use std::collections::{BTreeMap, BTreeSet};

use roost_model::{channel::Channel, contact::MergeType, opt_out::OptOutType};

use super::{
    Tape,
    world::{BaseContact, Service, World},
};
use crate::{
    adopt::pair_records,
    input::{
        ContactChange, ListChoice, OptOutChange, OptOutEntry, OptOutGroup, OptOutTarget, PlanInput, PlannedList,
        RemoteListState, RemoteState,
    },
    plan::{ContactItem, PlanStage, StepKind, SyncPlan, settle_opt_out},
    row::{ContactKey, ContactRow, KeyKind, SyncField},
    schedule::{PlanStepState, StepSchedule},
    verify::{ItemFate, judge_item},
};

/// The trace of a run, one line for each call.
#[derive(Debug, Default)]
pub(super) struct RunTrace {
    pub stages: Vec<PlanStage>,
    /// The rules that were broken on the way.
    pub faults: Vec<String>,
}

impl World {
    fn remote_row(&self, contact: i64) -> Option<&ContactRow> {
        let base = self.base.get(&contact)?;
        let (uid, _) = self.base_lists.get(&base.list)?;
        self.service.lists.get(uid)?.1.get(&base.uid)
    }

    /// Returns the contacts of a list of the service that are unknown locally.
    fn unknown_contacts(&self, list: i64) -> Vec<(&str, &ContactRow)> {
        let Some((_, rows)) = self.base_lists.get(&list).and_then(|(uid, _)| self.service.lists.get(uid)) else {
            return Vec::new();
        };
        let known: BTreeSet<&str> = self.base.values().map(|base| base.uid.as_str()).collect();
        rows.iter().filter(|(uid, _)| !known.contains(uid.as_str())).map(|(uid, row)| (uid.as_str(), row)).collect()
    }

    fn new_local_contacts(&self, list: i64) -> Vec<(i64, &ContactRow)> {
        let here = self.contacts.iter().filter(|(id, (home, _))| *home == list && !self.base.contains_key(id));
        here.map(|(id, (_, row))| (*id, row)).collect()
    }

    /// Pairs contacts that were created on both sides with one number. Each pair is one contact from now on, with
    /// nothing agreed yet.
    pub(super) fn pair_new_contacts(&self) -> BTreeMap<i64, (String, ContactRow)> {
        let mut met = BTreeMap::new();
        for list in self.lists.keys() {
            for (id, uid) in pair_records(&self.new_local_contacts(*list), &self.unknown_contacts(*list)) {
                let row = self.service.lists[&self.base_lists[list].0].1[uid].clone();
                met.insert(id, (uid.to_owned(), row));
            }
        }
        met
    }

    pub(super) fn gather_input(&self) -> PlanInput {
        let met = self.pair_new_contacts();
        let mut contacts = Vec::new();
        let ids: BTreeSet<i64> = self.contacts.keys().chain(self.base.keys()).copied().collect();
        for id in ids {
            let (base, here) = (self.base.get(&id), self.contacts.get(&id));
            let there = met.get(&id).map(|(_, row)| row).or_else(|| self.remote_row(id));
            let Some(list) = here.map(|(list, _)| *list).or(base.map(|base| base.list)) else { continue };
            let was_in = base.map(|base| base.list).filter(|was| *was != list && here.is_some());
            let (base_row, local) = (base.map(|base| &base.row), here.map(|(_, row)| row));
            if base_row == local && there == base_row && was_in.is_none() {
                continue;
            }
            let remote = match there {
                there if there == base_row => RemoteState::AsBase,
                Some(row) => RemoteState::Is(row.clone()),
                None => RemoteState::Gone,
            };
            contacts.push(ContactChange {
                id,
                list,
                was_in,
                uid: met.get(&id).map(|(uid, _)| uid.clone()).or_else(|| base.map(|base| base.uid.clone())),
                base: base_row.cloned(),
                local: local.cloned(),
                remote,
                answers: self.answers.get(&id).cloned().unwrap_or_default(),
                choice: self.choices.get(&id).copied(),
                held: self.held.contains(&id),
            });
        }
        PlanInput {
            lists: self.gather_lists(),
            contacts,
            opt_outs: self.gather_opt_outs(),
            links: self.gather_links(),
            senders: self.gather_senders(),
            capabilities: self.can.clone(),
            limits: self.limits.clone(),
            policy: self.policy.clone(),
            ..PlanInput::default()
        }
    }

    fn gather_lists(&self) -> Vec<PlannedList> {
        let ids: BTreeSet<i64> = self.lists.keys().chain(self.base_lists.keys()).copied().collect();
        let list = |id: i64| {
            let known = self.base_lists.get(&id);
            let there = known.and_then(|(uid, _)| self.service.lists.get(uid)).map(|(_, rows)| rows);
            let mut taken: BTreeMap<ContactKey, u32> = BTreeMap::new();
            for key in there.into_iter().flatten().flat_map(|(_, row)| row.keys()) {
                *taken.entry(key).or_default() += 1;
            }
            let mut mine = self.base.iter().filter(|(_, base)| base.list == id);
            let changed = !self.unknown_contacts(id).is_empty()
                || mine.any(|(contact, base)| self.remote_row(*contact) != Some(&base.row));
            PlannedList {
                id,
                uid: known.map(|(uid, _)| uid.clone()),
                name: self.lists.get(&id).or(known.map(|(_, name)| name)).cloned().unwrap_or_default(),
                base_name: known.map(|(_, name)| name.clone()),
                deleted: !self.lists.contains_key(&id),
                there: match there {
                    None if known.is_some() => RemoteListState::Gone,
                    _ if changed => RemoteListState::Changed,
                    _ => RemoteListState::AsBase,
                },
                rows: there.map_or(0, BTreeMap::len) as u64,
                local_rows: self.contacts.values().filter(|(home, _)| *home == id).count() as u64,
                taken: taken.into_iter().collect(),
                choice: self.list_choices.get(&id).copied(),
                held: self.held.contains(&id),
                superseded_by: None,
            }
        };
        ids.into_iter().map(list).collect()
    }

    fn gather_opt_outs(&self) -> Vec<OptOutGroup> {
        let mut groups: BTreeMap<(String, Channel), Vec<OptOutChange>> = BTreeMap::new();
        let sets = [&self.opt_outs, &self.base_opt_outs, &self.service.opt_outs];
        let keys: BTreeSet<_> = sets.into_iter().flat_map(|set| set.keys().cloned()).collect();
        for key in keys {
            let base = self.base_opt_outs.get(&key).cloned();
            let remote = match self.service.opt_outs.get(&key) {
                there if there == base.as_ref() => RemoteState::AsBase,
                Some(there) => RemoteState::Is(there.clone()),
                None => RemoteState::Gone,
            };
            let change = OptOutChange {
                local: self.opt_outs.get(&key).cloned(),
                evidence: self.evidence.get(&key).copied(),
                answer: self.opt_out_answers.get(&key).copied(),
                held: self.held_opt_outs.contains(&key),
                base,
                remote,
                reach: key.2.clone(),
            };
            groups.entry((key.0, key.1)).or_default().push(change);
        }
        groups.into_iter().map(|((number, channel), records)| OptOutGroup { number, channel, records }).collect()
    }

    /// Sends the plan in any order that the schedule allows, and records what arrived. The service does its jobs at any
    /// time, even out of turn; a step that waits for one must not begin before it.
    pub(super) fn send_plan(&mut self, plan: &SyncPlan, tape: &mut Tape) -> RunTrace {
        let mut trace = RunTrace::default();
        // A person's answer applies at once: it becomes the local value from now on.
        let input = self.gather_input();
        for change in input.contacts.iter().filter(|change| change.answers != Default::default()) {
            self.merge_contact(change);
        }
        for adoption in &plan.adoptions {
            if let Some(base) = self.base.remove(&adoption.of) {
                self.base.insert(adoption.id, base);
            }
        }
        let mut schedule = StepSchedule::new(plan);
        let mut new_lists: BTreeMap<i64, String> = BTreeMap::new();
        let mut jobs: Vec<u32> = Vec::new();
        while !schedule.is_over() {
            let ready: Vec<u32> = (0..plan.steps.len() as u32).filter(|step| schedule.can_start(*step)).collect();
            if ready.is_empty() && jobs.is_empty() {
                trace.faults.push("nothing may start, and it is not over".to_owned());
                break;
            }
            let at = tape.below(ready.len() + jobs.len());
            let step = if let Some(step) = ready.get(at) {
                for next in [PlanStepState::Intent, PlanStepState::Sent] {
                    assert_eq!(schedule.advance_step(*step, next), Ok(vec![]));
                }
                trace.stages.push(plan.steps[*step as usize].stage);
                if plan.steps[*step as usize].stage == PlanStage::Bulk {
                    assert_eq!(schedule.advance_step(*step, PlanStepState::Accepted), Ok(vec![]));
                    jobs.push(*step);
                    continue;
                }
                *step
            } else {
                jobs.swap_remove(at - ready.len())
            };
            self.carry_out_step(&plan.steps[step as usize].kind, plan, &mut new_lists, &mut trace);
            assert_eq!(schedule.advance_step(step, PlanStepState::Verified), Ok(vec![]));
        }
        // A choice is used up once it was carried out.
        for step in &plan.steps {
            match &step.kind {
                StepKind::Contacts { items, .. } => {
                    self.choices.retain(|id, _| items.iter().all(|item| item.id != *id))
                }
                StepKind::ListDelete { list, .. } => self.list_choices.retain(|id, _| id != list),
                _ => {}
            }
        }
        for (list, uid) in new_lists {
            self.list_choices.remove(&list);
            self.base.retain(|_, base| base.list != list);
            self.base_lists.insert(list, (uid, self.lists[&list].clone()));
        }
        trace
    }

    fn carry_out_step(
        &mut self,
        kind: &StepKind,
        plan: &SyncPlan,
        new_lists: &mut BTreeMap<i64, String>,
        trace: &mut RunTrace,
    ) {
        let home = |world: &Self, list: &i64| {
            new_lists.get(list).or(world.base_lists.get(list).map(|(uid, _)| uid)).cloned().unwrap_or_default()
        };
        match kind {
            StepKind::OptOutCreate { number, channel, asset } => {
                let reach = asset.clone().map_or(OptOutTarget::Account, OptOutTarget::Asset);
                self.service.clock += 1;
                let entry = OptOutEntry { kind: OptOutType::ApiImport, time: self.service.clock };
                if self.service.opt_outs.insert((number.clone(), *channel, reach), entry).is_some() {
                    trace.faults.push("an opt-out was created over another".to_owned());
                }
            }
            StepKind::OptOutDelete { channel, asset, numbers } => {
                self.service.opt_outs.retain(|(number, on, reach), _| {
                    let named = asset.as_ref().is_none_or(|asset| *reach == OptOutTarget::Asset(asset.clone()));
                    on != channel || !named || !numbers.contains(number)
                });
            }
            StepKind::ListCreate { list, name } => {
                let uid = self.service.next_uid("L");
                self.service.lists.insert(uid.clone(), (name.clone(), BTreeMap::new()));
                new_lists.insert(*list, uid);
            }
            StepKind::ListDelete { list, uid } => {
                self.service.lists.remove(uid);
                self.base.retain(|_, base| base.list != *list);
                if !self.lists.contains_key(list) {
                    self.base_lists.remove(list);
                }
            }
            StepKind::Contacts { list, merge, items, .. } => {
                let uid = home(self, list);
                if !self.service.lists.contains_key(&uid) {
                    trace.faults.push("contacts for a list that is not there".to_owned());
                    return;
                }
                for item in items {
                    self.service.apply_item(&uid, *merge, &item.send, &item.clear, &self.can);
                }
                for item in items {
                    // The contact was created again after it was deleted at the service, so its old identity is of no
                    // use.
                    if item.before.is_none() && self.remote_row(item.id).is_none() {
                        self.base.remove(&item.id);
                    }
                    self.take_over_values(item);
                    self.take_over_forms(item);
                }
            }
            StepKind::Upload { list, from, count } => {
                let uid = home(self, list);
                let rows = self.contacts.values().filter(|(at, _)| at == list).map(|(_, row)| row.clone());
                let rows: Vec<ContactRow> = rows.skip(*from as usize).take(*count as usize).collect();
                for row in rows {
                    self.service.apply_item(&uid, MergeType::AllowDuplicates, &row, &[], &self.can);
                }
            }
            StepKind::ContactDelete { id, list, uid, .. } => {
                let made = plan.steps.iter().find_map(|step| match &step.kind {
                    StepKind::Contacts { list, items, .. } => {
                        items.iter().find(|item| item.id == *id && item.before.is_none()).map(|item| (list, item))
                    }
                    _ => None,
                });
                if let Some((target, item)) = made {
                    let expected = self.service.to_stored_row(&item.expect);
                    let rows = &self.service.lists[&home(self, target)].1;
                    if !rows.iter().any(|(at, row)| at != uid && *row == expected) {
                        trace.faults.push(format!("{uid} was deleted before its successor was there"));
                    }
                }
                if let Some((_, rows)) = self.service.lists.get_mut(&home(self, list)) {
                    rows.remove(uid);
                }
                if self.base.get(id).is_some_and(|base| base.uid == *uid) {
                    self.base.remove(id);
                }
            }
            StepKind::LinkCreate { .. } | StepKind::LinkDelete { .. } | StepKind::SenderDelete { .. } => {
                self.call_beside(kind);
            }
        }
    }

    /// Takes over locally what a new record carries for both sides, except for fields that the service does not have.
    fn take_over_values(&mut self, item: &ContactItem) {
        let can = &self.can;
        if let Some((_, row)) = self.contacts.get_mut(&item.id).filter(|_| item.before.is_none()) {
            let mut settled = item.expect.clone();
            for (field, text) in row.iter() {
                if matches!(field, SyncField::Custom(number) if !can.custom_fields.contains(&number)) {
                    settled.set(field, Some(text));
                }
            }
            *row = settled;
        }
    }

    /// Takes over the values that only changed their form, as the comparison says.
    fn take_over_forms(&mut self, item: &ContactItem) {
        let Some(seen) = self.remote_row(item.id).cloned() else { return };
        let ItemFate::Verified { normalised } = judge_item(item, Some(&seen), true) else { return };
        if let Some((_, row)) = self.contacts.get_mut(&item.id) {
            for (field, text) in normalised {
                if row.get(field) == item.send.get(field) {
                    row.set(field, Some(&text));
                }
            }
        }
    }

    /// Reads everything and merges it as far as no answer is needed.
    pub(super) fn pull(&mut self) {
        let missing: Vec<i64> = self
            .base_lists
            .iter()
            .filter(|(_, (uid, _))| !self.service.lists.contains_key(uid))
            .map(|(id, _)| *id)
            .collect();
        let input = self.gather_input();
        for id in missing {
            let mine = |change: &ContactChange| change.local != change.base || change.was_in.is_some();
            let dirty = input.contacts.iter().any(|change| change.list == id && mine(change));
            let discard = self.list_choices.get(&id) == Some(&ListChoice::Discard);
            if !self.lists.contains_key(&id) || !dirty || discard {
                self.lists.remove(&id);
                self.base_lists.remove(&id);
                self.base.retain(|_, base| base.list != id);
                // Contacts that were moved in return to their list. The others are removed with the list.
                for (contact, (home, _)) in &mut self.contacts {
                    *home = self.base.get(contact).filter(|_| *home == id).map_or(*home, |base| base.list);
                }
                self.contacts.retain(|_, (home, _)| *home != id);
            }
        }
        for change in &input.contacts {
            self.merge_contact(change);
        }
        self.add_unknown_contacts();
        self.pull_beside();
        for group in self.gather_opt_outs() {
            for change in &group.records {
                let key = (group.number.clone(), group.channel, change.reach.clone());
                match settle_opt_out(change).0.cloned() {
                    Some(entry) => drop(self.opt_outs.insert(key.clone(), entry)),
                    None => drop(self.opt_outs.remove(&key)),
                }
                let asks = settle_opt_out(change).1;
                if asks != crate::plan::OptOutAction::Ask {
                    match self.service.opt_outs.get(&key) {
                        Some(there) => drop(self.base_opt_outs.insert(key, there.clone())),
                        None => drop(self.base_opt_outs.remove(&key)),
                    }
                }
            }
        }
    }

    /// Merges one contact if nobody has to be asked.
    fn merge_contact(&mut self, change: &ContactChange) {
        let Some((list_uid, _)) = self.base_lists.get(&change.list) else { return };
        if !self.lists.contains_key(&change.list) || !self.service.lists.contains_key(list_uid) {
            return;
        }
        let there = change.remote_row();
        let Ok(settled) = change.settle_merge(&self.policy) else { return };
        if change.was_in.is_some() && there.is_some() {
            return;
        }
        match settled.target {
            Some(row) => drop(self.contacts.insert(change.id, (change.list, row))),
            None => drop(self.contacts.remove(&change.id)),
        }
        match (there, &change.uid) {
            (Some(row), Some(uid)) => {
                let base = BaseContact { list: change.list, uid: uid.clone(), row: row.clone() };
                self.base.insert(change.id, base);
            }
            _ => drop(self.base.remove(&change.id)),
        }
        self.answers.remove(&change.id);
    }

    fn add_unknown_contacts(&mut self) {
        let met: BTreeSet<String> = self.pair_new_contacts().into_values().map(|(uid, _)| uid).collect();
        for list in self.lists.keys().copied().collect::<Vec<_>>() {
            let new: Vec<(String, ContactRow)> = self
                .unknown_contacts(list)
                .into_iter()
                .filter(|(uid, _)| !met.contains(*uid))
                .map(|(uid, row)| (uid.to_owned(), row.clone()))
                .collect();
            for (uid, row) in new {
                let id = self.next_local_id();
                self.contacts.insert(id, (list, row.clone()));
                self.base.insert(id, BaseContact { list, uid, row });
            }
        }
    }
}

impl Service {
    /// Applies one contact of a job (decisions D82 to D85) with the behaviour that the probe found.
    fn apply_item(
        &mut self,
        list: &str,
        merge: MergeType,
        sent: &ContactRow,
        clear: &[SyncField],
        can: &crate::input::ServiceCapabilities,
    ) {
        let known =
            |field: SyncField| !matches!(field, SyncField::Custom(number) if !can.custom_fields.contains(&number));
        let sent: ContactRow = sent.iter().filter(|(f, _)| known(*f)).map(|(f, t)| (f, t.to_owned())).collect();
        let kept = self.to_stored_row(&sent);
        let uid = self.next_uid("C");
        let Some((_, rows)) = self.lists.get_mut(list) else { return };
        let by = match merge {
            MergeType::AllowDuplicates => None,
            MergeType::SkipDuplicates => {
                let phone = sent.get(SyncField::Phone);
                if phone.is_some() && rows.values().any(|row| row.get(SyncField::Phone) == phone) {
                    return;
                }
                None
            }
            MergeType::MergeByPhone => sent.key_of_kind(KeyKind::Phone),
            MergeType::MergeByWhatsapp => sent.key_of_kind(KeyKind::Whatsapp),
        };
        let mut found = false;
        for row in rows
            .values_mut()
            .filter(|row| by.as_ref().is_some_and(|key| row.key_of_kind(key.kind).as_ref() == Some(key)))
        {
            found = true;
            for (field, text) in kept.iter() {
                if !field.is_number() || can.merge_may_change_identifiers {
                    row.set(field, Some(text));
                }
            }
            if can.null_clears {
                clear.iter().for_each(|field| row.set(*field, None));
            }
        }
        if !found {
            rows.insert(uid, kept);
        }
    }
}

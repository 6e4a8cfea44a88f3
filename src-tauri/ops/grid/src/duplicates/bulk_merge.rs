//! Merges many groups in one act: all groups with enough confidence, by one rule, after a preview.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use roost_model::{contact::ContactField, id::ContactId};
use roost_store::{
    change_log::Noun,
    tables::{
        contacts::list_view::{self, ContactWithOptOuts, OptOutReach},
        custom_fields, lists,
    },
    tx::{ActDescription, ReadTx},
    watch::Watch,
};
use serde::Serialize;

use super::{
    DuplicateKey, DuplicateSearches, SurvivorRule,
    groups::{DuplicateGroups, GroupStatus},
    merge::{self, MAX_MERGED, MergeWriter},
    near::JoinedRows,
};
use roost_ops::{
    contact::fields,
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
    opt_out::LostOptOut,
};

use crate::background;

/// A value of the survivor that the merge changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MergedField {
    pub field: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Values of a field that no contact of a group has after the merge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RemovedValues {
    pub field: String,
    /// The first ten.
    pub values: Vec<String>,
    pub count: u32,
}

/// A number that no contact of a group has after the merge, and that is opted out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RemovedOptOut {
    pub number: String,
    pub sms: OptOutReach,
    pub whatsapp: OptOutReach,
}

/// One of the contacts that would remain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MergedSample {
    pub survivor: ContactId,
    pub title: String,
    /// The number of contacts that become one, including the survivor.
    pub contacts: u32,
    pub changes: Vec<MergedField>,
    /// By field, numbers first. A number that another field keeps is not removed.
    pub removed: Vec<RemovedValues>,
    pub removed_opt_outs: Vec<RemovedOptOut>,
}

/// The result of merging many groups, or of its preview.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct MergedAll {
    /// The number of groups with enough confidence.
    pub groups: u64,
    /// The number of contacts that remain. Groups that share a contact become one.
    pub survivors: u64,
    /// The number of survivors that receive a value.
    pub updated: u64,
    /// The number of contacts that are removed.
    pub gone: u64,
    /// The number of phone and WhatsApp numbers that no contact of their group has afterwards.
    pub numbers_lost: u64,
    /// The first ten of these numbers.
    pub numbers_sample: Vec<String>,
    /// The number of survivors whose numbers lack an opt-out of a merged number.
    pub opt_outs_lost: u64,
    /// The number of groups left out because more than a thousand contacts would become one.
    pub too_large: u64,
    /// The first ten survivors, in a preview.
    pub sample: Vec<MergedSample>,
    /// The opt-outs of merged numbers that the survivors' numbers lack. Empty in a preview.
    pub lost_opt_outs: Vec<LostOptOut>,
    /// Null if nothing was written.
    pub step: Option<i64>,
}

const SAMPLE: usize = 10;
const NUMBERS: [ContactField; 2] = [ContactField::PhoneNumber, ContactField::WhatsappId];
/// The number of contacts read at once.
const READ_CHUNK: usize = 500;
const STALE: &str = "The list has changed. Look for duplicates again, then merge.";

/// Sets of contacts that become one. Each contact is in one set only.
struct MergeSets {
    groups: u64,
    too_large: u64,
    sets: Vec<Vec<i64>>,
}

impl MergeSets {
    /// Builds the sets. Groups that share a contact form one set.
    fn from_groups(found: &DuplicateGroups, least: u8, key: Option<DuplicateKey>) -> Self {
        let fits = |group: &super::groups::DuplicateGroup| {
            group.status == GroupStatus::Open && group.confidence >= least && key.is_none_or(|key| group.is_by(key))
        };
        let chosen: Vec<usize> = (0..found.groups.len()).filter(|at| fits(&found.groups[*at])).collect();
        let (mut joined, mut groups_of) = (JoinedRows::new(chosen.len()), HashMap::<i64, u32>::new());
        for (n, at) in chosen.iter().enumerate() {
            for id in found.members(*at) {
                match groups_of.get(id) {
                    Some(other) => joined.join(*other, n as u32, 100),
                    None => drop(groups_of.insert(*id, n as u32)),
                }
            }
        }
        let mut by_root: BTreeMap<u32, (u64, Vec<i64>)> = BTreeMap::new();
        for n in 0..chosen.len() as u32 {
            by_root.entry(joined.find_root(n)).or_default().0 += 1;
        }
        for (id, n) in groups_of {
            by_root.entry(joined.find_root(n)).or_default().1.push(id);
        }
        let mut sets = Self { groups: chosen.len() as u64, too_large: 0, sets: Vec::with_capacity(by_root.len()) };
        for (groups, mut set) in by_root.into_values() {
            if set.len() > MAX_MERGED {
                sets.too_large += groups;
                sets.groups -= groups;
            } else {
                set.sort_unstable();
                sets.sets.push(set);
            }
        }
        sets
    }

    fn count_contacts(&self) -> u64 {
        self.sets.iter().map(|set| set.len() as u64).sum()
    }
}

/// A set of contacts and the final values of its survivor.
struct MergePlan<'s> {
    ids: &'s [i64],
    seen: Vec<ContactWithOptOuts>,
    survivor: usize,
    values: Vec<Option<String>>,
}

impl MergePlan<'_> {
    fn changes(&self, custom: &[u32]) -> Vec<MergedField> {
        let contact = &self.seen[self.survivor].contact;
        let changed = fields::stored_fields(custom).into_iter().zip(&self.values).filter_map(|(field, after)| {
            let before = fields::field_value(contact, field, custom);
            (before != *after).then(|| MergedField { field: field.name().into_owned(), before, after: after.clone() })
        });
        changed.collect()
    }

    /// Returns whether the survivor belongs to someone who opted out with a number that the merge removes.
    fn loses_opt_out(&self, tx: &ReadTx, custom: &[u32]) -> Result<bool> {
        let mut lost = Vec::new();
        merge::find_lost_opt_outs(tx, &self.seen, &fields::stored_fields(custom), &self.values, &mut lost)?;
        Ok(!lost.is_empty())
    }

    /// Returns the final values with their fields.
    fn final_values(&self, custom: &[u32]) -> impl Iterator<Item = (ContactField, Option<&String>)> {
        fields::stored_fields(custom).into_iter().zip(self.values.iter().map(Option::as_ref))
    }

    fn kept_numbers(&self, custom: &[u32]) -> HashSet<String> {
        let numbers = self.final_values(custom).filter(|(field, _)| NUMBERS.contains(field));
        numbers.filter_map(|(_, number)| number.cloned()).collect()
    }

    /// Returns the different values of a field that are not among those kept.
    fn other_values(&self, fields: &[ContactField], mut kept: HashSet<String>, custom: &[u32]) -> Vec<String> {
        let all = self
            .seen
            .iter()
            .flat_map(|seen| fields.iter().filter_map(|field| fields::field_value(&seen.contact, *field, custom)));
        all.filter(|value| kept.insert(value.clone())).collect()
    }

    fn removed_numbers(&self, custom: &[u32]) -> Vec<String> {
        self.other_values(&NUMBERS, self.kept_numbers(custom), custom)
    }

    fn removed_values(&self, custom: &[u32]) -> Vec<RemovedValues> {
        // The regions follow from the numbers.
        let regions = [ContactField::PhoneRegion, ContactField::WhatsappRegion];
        let fields = self.final_values(custom).filter(|(field, _)| !regions.contains(field));
        let removed = fields.filter_map(|(field, kept)| {
            let kept =
                if NUMBERS.contains(&field) { self.kept_numbers(custom) } else { kept.cloned().into_iter().collect() };
            let mut values = self.other_values(&[field], kept, custom);
            let count = values.len() as u32;
            values.truncate(SAMPLE);
            (count > 0).then(|| RemovedValues { field: field.name().into_owned(), values, count })
        });
        removed.collect()
    }

    fn removed_opt_outs(&self, custom: &[u32]) -> Vec<RemovedOptOut> {
        let opted_out = self.removed_numbers(custom).into_iter().filter_map(|number| {
            let reach = |field: ContactField, reach: fn(&ContactWithOptOuts) -> OptOutReach| {
                let has = |seen: &&ContactWithOptOuts| {
                    fields::field_value(&seen.contact, field, custom).as_ref() == Some(&number)
                };
                self.seen.iter().find(has).map_or(OptOutReach::None, reach)
            };
            let sms = reach(ContactField::PhoneNumber, |seen| seen.sms);
            let whatsapp = reach(ContactField::WhatsappId, |seen| seen.whatsapp);
            (sms != OptOutReach::None || whatsapp != OptOutReach::None).then_some(RemovedOptOut {
                number,
                sms,
                whatsapp,
            })
        });
        opted_out.take(SAMPLE).collect()
    }
}

/// Passes each set with its plan to `visit`, reading a few hundred contacts at a time.
fn visit_plans(
    tx: &ReadTx,
    sets: &MergeSets,
    rule: SurvivorRule,
    custom: &[u32],
    watch: &Watch,
    visit: &mut dyn FnMut(MergePlan) -> Result<()>,
) -> Result<()> {
    let mut at = 0;
    while at < sets.sets.len() {
        background::check_cancelled(watch)?;
        let (mut end, mut ids) = (at, Vec::new());
        while end < sets.sets.len() && (end == at || ids.len() + sets.sets[end].len() <= READ_CHUNK) {
            ids.extend_from_slice(&sets.sets[end]);
            end += 1;
        }
        let mut seen = list_view::read_by_ids(tx, &ids, custom)?;
        if seen.len() < ids.len() {
            return Err(Error::conflict(STALE));
        }
        for ids in &sets.sets[at..end] {
            let rest = seen.split_off(ids.len());
            let seen = std::mem::replace(&mut seen, rest);
            let order = merge::order_by_rule(&seen, custom, rule);
            let values = merge::merge_values(&seen, &order, &BTreeMap::new(), custom);
            visit(MergePlan { ids, seen, survivor: order[0], values })?;
        }
        at = end;
    }
    Ok(())
}

impl MergedAll {
    fn from_sets(sets: &MergeSets) -> Self {
        Self { groups: sets.groups, too_large: sets.too_large, ..Self::default() }
    }

    fn add_plan(&mut self, plan: &MergePlan, custom: &[u32]) {
        let changes = plan.changes(custom);
        self.survivors += 1;
        self.updated += u64::from(!changes.is_empty());
        self.gone += plan.ids.len() as u64 - 1;
        let removed_numbers = plan.removed_numbers(custom);
        self.numbers_lost += removed_numbers.len() as u64;
        let room = SAMPLE - self.numbers_sample.len();
        self.numbers_sample.extend(removed_numbers.into_iter().take(room));
        if self.sample.len() < SAMPLE {
            let contact = &plan.seen[plan.survivor].contact;
            self.sample.push(MergedSample {
                survivor: contact.uid.clone(),
                title: fields::contact_title(contact),
                contacts: plan.ids.len() as u32,
                changes,
                removed: plan.removed_values(custom),
                removed_opt_outs: plan.removed_opt_outs(custom),
            });
        }
    }
}

impl DuplicateSearches {
    /// Returns what merging all groups with enough confidence would change, without writing anything.
    pub fn preview_merge_all(
        &self,
        core: &Core,
        by: &Actor,
        id: u64,
        least_confidence: u8,
        key: Option<DuplicateKey>,
        rule: SurvivorRule,
    ) -> Result<MergedAll> {
        let run = self.find_search(id)?;
        merge::require_list(&run)?;
        let sets = MergeSets::from_groups(&run.latest_result(), least_confidence, key);
        let watch = by.watch.clone().unwrap_or_else(|| Arc::new(Watch::default()));
        watch.set_expected(sets.count_contacts());
        let summaries = core.scan(&watch, 1, |tx| {
            let custom = custom_fields::defined_numbers(tx)?;
            let mut summaries = MergedAll::from_sets(&sets);
            visit_plans(tx, &sets, rule, &custom, &watch, &mut |plan| {
                summaries.add_plan(&plan, &custom);
                summaries.opt_outs_lost += u64::from(plan.loses_opt_out(tx, &custom)?);
                watch.add_rows(plan.ids.len() as u64);
                Ok(())
            })?;
            Ok(summaries)
        })?;
        Ok(summaries.into_iter().next().unwrap_or_default())
    }

    /// Merges all groups with enough confidence in one step. Fails if the list was changed since the groups were found.
    pub fn merge_all(
        &self,
        core: &Core,
        by: &Actor,
        id: u64,
        least_confidence: u8,
        key: Option<DuplicateKey>,
        rule: SurvivorRule,
    ) -> Result<MergedAll> {
        let run = self.find_search(id)?;
        let list = merge::require_list(&run)?;
        let found = run.latest_result();
        let sets = MergeSets::from_groups(&found, least_confidence, key);
        let watch = by.watch.clone().unwrap_or_default();
        if sets.sets.is_empty() {
            return Ok(MergedAll::from_sets(&sets));
        }
        let (mut summary, deleted) = core.write(by, |tx| {
            if run.is_stale(tx)? || !Arc::ptr_eq(&found, &run.latest_result()) {
                return Err(Error::conflict(STALE));
            }
            let custom = custom_fields::defined_numbers(tx)?;
            let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
            let mut writer = MergeWriter::new(tx, &custom, core.ctx().now())?;
            let mut summary = MergedAll::from_sets(&sets);
            visit_plans(tx, &sets, rule, &custom, &watch, &mut |plan| {
                summary.add_plan(&plan, &custom);
                let before = writer.lost_opt_outs.len();
                writer.merge_set(plan.ids, &plan.seen, plan.survivor, &plan.values, &custom)?;
                summary.opt_outs_lost += u64::from(writer.lost_opt_outs.len() > before);
                Ok(())
            })?;
            let name = lists::get(tx, list)?.map_or_else(String::new, |list| list.name);
            let (deleted, lost_opt_outs) = writer.finish(
                row,
                list,
                ActDescription::new("duplicate_merge_all").with_subject(name).with_uid(list),
            )?;
            summary.lost_opt_outs = lost_opt_outs;
            summary.step = Some(tx.step());
            Ok((summary, deleted))
        })?;
        summary.sample.clear();
        drop(found);
        run.patch_result(summary.step, |found| found.remove_contacts(&deleted.into_iter().collect::<HashSet<i64>>()));
        Ok(summary)
    }
}

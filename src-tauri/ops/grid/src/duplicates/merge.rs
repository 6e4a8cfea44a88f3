//! Merges a group: one contact remains with the chosen values, and the others are deleted. The merge is one step, which
//! can be undone.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

use roost_model::{
    contact::{Attribute, ContactField},
    error::FieldError,
    id::{ContactId, ListId},
    time::Timestamp,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        contacts::{
            grid::{drafts, edit::CellSetter},
            list_view::{self, ContactWithOptOuts, OptOutReach},
            picked_contacts::PickedContacts,
        },
        custom_fields,
        lists::{self, ListRow},
    },
    tx::{ActDescription, ReadTx, WriteTx},
};
use serde::{Deserialize, Serialize};

use super::{
    DuplicateSearches, GONE,
    groups::DuplicateGroups,
    show::{SuggestedMerge, not_in_group},
};
use roost_ops::{
    contact::fields,
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
    opt_out::{ContactNumbers, LostOptOut, collect_lost_opt_outs},
};

use crate::{background::BackgroundSearch, grid::fillable_fields};

/// The rule that decides which contact remains. It takes values that it lacks from the others, in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SurvivorRule {
    /// The contact with most fields filled in; of two equal ones, the newer.
    MostComplete,
    Newest,
    Oldest,
    /// The contact whose numbers have the widest opt-out, so that the list keeps the number that must not be messaged;
    /// otherwise the most complete contact.
    OptedOut,
}

/// A person's decision for a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeChoice {
    pub survivor: ContactId,
    /// The contact from which each named field takes its value, which may be empty. Other fields keep the survivor's
    /// value, or take the first value of another contact if the survivor has none.
    pub fields: BTreeMap<String, ContactId>,
    /// The contacts to merge, or all of the group if `None`. The other contacts stay unchanged.
    pub contacts: Option<Vec<ContactId>>,
}

/// The maximum number of contacts merged into one. All of them are read at once, and no real group is larger.
pub(super) const MAX_MERGED: usize = 1_000;

fn choosable_field(field: ContactField) -> ContactField {
    match field {
        ContactField::PhoneRegion => ContactField::PhoneNumber,
        ContactField::WhatsappRegion => ContactField::WhatsappId,
        field => field,
    }
}

fn rank_reach(reach: OptOutReach) -> u8 {
    match reach {
        OptOutReach::None => 0,
        OptOutReach::Asset => 1,
        OptOutReach::Account => 2,
    }
}

/// Returns the positions of the contacts in the order of the rule, the survivor first.
pub(super) fn order_by_rule(seen: &[ContactWithOptOuts], custom: &[u32], rule: SurvivorRule) -> Vec<usize> {
    let filled = |seen: &ContactWithOptOuts| {
        fillable_fields(custom).filter(|f| fields::field_value(&seen.contact, *f, custom).is_some()).count()
    };
    // “Olu Davies” says more than “Olu D.”, so longer names come first.
    let named = |seen: &ContactWithOptOuts| -> usize {
        let parts = [Attribute::Firstname, Attribute::Lastname].map(ContactField::Attribute);
        parts
            .iter()
            .filter_map(|f| fields::field_value(&seen.contact, *f, custom))
            .map(|text| text.chars().count())
            .sum()
    };
    let age = |at: usize| (seen[at].contact.created_at, seen[at].contact.uid.clone());
    let mut order: Vec<usize> = (0..seen.len()).collect();
    match rule {
        SurvivorRule::Newest => order.sort_by_cached_key(|at| Reverse(age(*at))),
        SurvivorRule::Oldest => order.sort_by_cached_key(|at| age(*at)),
        SurvivorRule::MostComplete => {
            order.sort_by_cached_key(|at| Reverse((filled(&seen[*at]), named(&seen[*at]), age(*at))));
        }
        SurvivorRule::OptedOut => order.sort_by_cached_key(|at| {
            let ContactWithOptOuts { sms, whatsapp, .. } = seen[*at];
            let (further, nearer) =
                (rank_reach(sms).max(rank_reach(whatsapp)), rank_reach(sms).min(rank_reach(whatsapp)));
            Reverse((further, nearer, filled(&seen[*at]), age(*at)))
        }),
    }
    order
}

/// Returns the contact from which a field takes its value.
fn find_value_source(
    seen: &[ContactWithOptOuts],
    order: &[usize],
    chosen: &BTreeMap<String, usize>,
    slot: ContactField,
    custom: &[u32],
) -> Option<usize> {
    let has = |at: &usize| fields::field_value(&seen[*at].contact, slot, custom).is_some();
    chosen.get(slot.name().as_ref()).copied().or_else(|| order.iter().copied().find(has))
}

/// Returns the final values of the survivor, in the order of [`fields::stored_fields`].
pub(super) fn merge_values(
    seen: &[ContactWithOptOuts],
    order: &[usize],
    chosen: &BTreeMap<String, usize>,
    custom: &[u32],
) -> Vec<Option<String>> {
    let value = |field: ContactField| {
        let from = find_value_source(seen, order, chosen, choosable_field(field), custom)?;
        fields::field_value(&seen[from].contact, field, custom)
    };
    fields::stored_fields(custom).into_iter().map(value).collect()
}

pub(super) fn suggest_merge(seen: &[ContactWithOptOuts], custom: &[u32], rule: SurvivorRule) -> Option<SuggestedMerge> {
    if seen.len() < 2 {
        return None;
    }
    let order = order_by_rule(seen, custom, rule);
    let from = |slot: ContactField| {
        let from = find_value_source(seen, &order, &BTreeMap::new(), slot, custom)?;
        Some((slot.name().into_owned(), seen[from].contact.uid.clone()))
    };
    Some(SuggestedMerge {
        survivor: seen[order[0]].contact.uid.clone(),
        fields: fillable_fields(custom).filter_map(from).collect(),
    })
}

/// Adds to `lost` the opt-outs of merged contacts that the final values of their survivor lack.
pub(super) fn find_lost_opt_outs(
    tx: &ReadTx,
    seen: &[ContactWithOptOuts],
    kept: &[ContactField],
    values: &[Option<String>],
    lost: &mut Vec<LostOptOut>,
) -> Result<()> {
    let after = ContactNumbers::from_values(kept.iter().zip(values));
    let before: Vec<_> = seen.iter().map(|one| ContactNumbers::from_contact(&one.contact)).collect();
    collect_lost_opt_outs(tx, &before, &after, lost)
}

/// Writes merged values into the survivors of a list.
pub(super) struct MergeWriter<'t, 'c> {
    tx: &'t WriteTx<'c>,
    setter: CellSetter<'t>,
    kept: Vec<ContactField>,
    at: Timestamp,
    pub updated: u64,
    pub deleted: Vec<i64>,
    /// The opt-outs of merged numbers that the survivors' numbers lack.
    pub lost_opt_outs: Vec<LostOptOut>,
}

impl<'t, 'c> MergeWriter<'t, 'c> {
    pub(super) fn new(tx: &'t WriteTx<'c>, custom: &[u32], at: Timestamp) -> Result<Self> {
        let kept = fields::stored_fields(custom);
        Ok(Self {
            tx,
            setter: CellSetter::new(tx, &kept)?,
            kept,
            at,
            updated: 0,
            deleted: Vec::new(),
            lost_opt_outs: Vec::new(),
        })
    }

    /// Merges one set. `ids` are the rows of `seen`; [`Self::finish`] deletes all of them but the survivor.
    pub(super) fn merge_set(
        &mut self,
        ids: &[i64],
        seen: &[ContactWithOptOuts],
        survivor: usize,
        values: &[Option<String>],
        custom: &[u32],
    ) -> Result<()> {
        self.tx.check_cancelled()?;
        let contact = &seen[survivor].contact;
        let mut has_changed = false;
        for (field, value) in self.kept.iter().zip(values) {
            if fields::field_value(contact, *field, custom) != *value {
                has_changed = true;
                // A new value replaces a draft of the field, as everywhere.
                drafts::set_draft(self.tx, ids[survivor], &field.name(), None)?;
            }
        }
        if has_changed {
            self.setter.set_cells(ids[survivor], self.at, values)?;
            self.updated += 1;
        }
        find_lost_opt_outs(self.tx, seen, &self.kept, values, &mut self.lost_opt_outs)?;
        self.deleted.extend(ids.iter().enumerate().filter(|(at, _)| *at != survivor).map(|(_, id)| *id));
        Ok(())
    }

    /// Deletes the merged contacts and records the act and its changes. Returns the deleted rows and the lost opt-outs.
    pub(super) fn finish(
        self,
        row: ListRow,
        list: &ListId,
        act: ActDescription,
    ) -> Result<(Vec<i64>, Vec<LostOptOut>)> {
        let Self { tx, at, updated, deleted, lost_opt_outs, .. } = self;
        PickedContacts::from_rows(tx, row, &deleted)?.delete(at)?;
        tx.describe_act(act.with_count(deleted.len() as u64).into_trash(Noun::Contact));
        tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Deleted, list, deleted.len() as u64));
        if updated > 0 {
            tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Updated, list, updated));
        }
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, list));
        Ok((deleted, lost_opt_outs))
    }
}

/// The result of merging a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "DuplicateMerged"))]
pub struct MergedGroup {
    /// Contacts that the merge removed.
    pub gone: u64,
    /// The opt-outs of merged numbers that the survivor's numbers lack.
    pub lost_opt_outs: Vec<LostOptOut>,
    pub step: i64,
}

/// Returns the list that was searched.
pub(super) fn require_list(run: &BackgroundSearch<DuplicateGroups>) -> Result<&ListId> {
    let message = "Contacts can be in several lists. To merge duplicates, look for those of one list.";
    run.list.as_ref().ok_or_else(|| Error::conflict(message))
}

const CHANGED: &str = "A contact of this group was deleted or moved to another list. Look for duplicates again.";

impl DuplicateSearches {
    /// Merges a group as chosen.
    pub fn merge_group(
        &self,
        core: &Core,
        by: &Actor,
        id: u64,
        group: u64,
        choice: &MergeChoice,
    ) -> Result<MergedGroup> {
        let run = self.find_search(id)?;
        let list = require_list(&run)?;
        let found = run.latest_result();
        let at = found.position_of(group).ok_or_else(|| Error::conflict(GONE))?;
        let members = found.members(at);
        if members.len() > MAX_MERGED && choice.contacts.is_none() {
            let message = format!("At most {MAX_MERGED} contacts can be merged at once. Select fewer of them.");
            return Err(FieldError::new("contacts", message, members.len()).into());
        }
        let (deleted, lost_opt_outs, step) = core.write(by, |tx| {
            let custom = custom_fields::defined_numbers(tx)?;
            let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
            let ids = match &choice.contacts {
                None => members.to_vec(),
                Some(uids) => find_chosen_rows(tx, members, uids)?,
            };
            let seen = list_view::read_by_ids(tx, &ids, &custom)?;
            if seen.len() < ids.len() || seen.iter().any(|seen| seen.contact.list != *list) {
                return Err(Error::conflict(CHANGED));
            }
            let place = |path: &str, uid: &ContactId| {
                seen.iter().position(|seen| seen.contact.uid == *uid).ok_or_else(|| not_in_group(path, uid))
            };
            let survivor = place("survivor", &choice.survivor)?;
            let mut chosen = BTreeMap::new();
            for (name, uid) in &choice.fields {
                if !fillable_fields(&custom).any(|slot| slot.name() == name.as_str()) {
                    return Err(
                        FieldError::new(format!("fields.{name}"), "The field was not found.", name.as_str()).into()
                    );
                }
                chosen.insert(name.clone(), place(&format!("fields.{name}"), uid)?);
            }
            let mut order = order_by_rule(&seen, &custom, SurvivorRule::MostComplete);
            order.retain(|at| *at != survivor);
            order.insert(0, survivor);
            let values = merge_values(&seen, &order, &chosen, &custom);
            let has = |wanted: ContactField| {
                fields::stored_fields(&custom).iter().zip(&values).any(|(f, v)| *f == wanted && v.is_some())
            };
            if !has(ContactField::PhoneNumber) && !has(ContactField::WhatsappId) {
                return Err(fields::no_number_error());
            }
            let mut writer = MergeWriter::new(tx, &custom, core.ctx().now())?;
            writer.merge_set(&ids, &seen, survivor, &values, &custom)?;
            let act = ActDescription::new("duplicate_merge")
                .with_subject(fields::contact_title(&seen[survivor].contact))
                .with_uid(&choice.survivor);
            let (deleted, lost_opt_outs) = writer.finish(row, list, act)?;
            Ok((deleted, lost_opt_outs, tx.step()))
        })?;
        let count = deleted.len() as u64;
        // Otherwise `patch_result` would have to copy the groups.
        drop(found);
        run.patch_result(Some(step), |found| found.remove_contacts(&deleted.into_iter().collect::<HashSet<i64>>()));
        Ok(MergedGroup { gone: count, lost_opt_outs, step })
    }
}

/// Returns the rows of the chosen contacts, which must be members of the group.
fn find_chosen_rows(tx: &WriteTx, members: &[i64], uids: &[ContactId]) -> Result<Vec<i64>> {
    if !(2..=MAX_MERGED).contains(&uids.len()) {
        return Err(FieldError::new(
            "contacts",
            format!("Choose two contacts at least and {MAX_MERGED} at most."),
            uids.len(),
        )
        .into());
    }
    let mut ids = Vec::with_capacity(uids.len());
    for (at, uid) in uids.iter().enumerate() {
        let path = format!("contacts[{at}]");
        let id = list_view::row_of(tx, uid)?.filter(|id| members.binary_search(id).is_ok());
        let id = id.ok_or_else(|| not_in_group(&path, uid))?;
        if ids.contains(&id) {
            return Err(FieldError::new(path, "This contact is there twice.", uid.as_str()).into());
        }
        ids.push(id);
    }
    Ok(ids)
}

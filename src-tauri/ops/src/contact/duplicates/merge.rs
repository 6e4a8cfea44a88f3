//! Merging: one contact of a group stays with the values chosen, the others go. One step, undone like any other.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

use roost_model::{
    contact::{Attribute, ContactField},
    error::Fault,
    id::{ContactId, ListId},
    time::Timestamp,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        contacts::{
            grid::{drafts, edit::Setter},
            picked::Picked,
            view::{self, OptOutReach, Seen},
        },
        custom_fields,
        lists::{self, ListRow},
        steps::Act,
    },
    tx::WriteTx,
};
use serde::{Deserialize, Serialize};

use super::{
    Duplicates, GONE,
    groups::Groups,
    show::{SuggestedMerge, not_in_group},
};
use crate::{
    contact::{fields, run::Run},
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// Which contact stays; the others give it what it does not have, in the same order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SurvivorRule {
    /// The one with most fields filled in; the newer of two.
    MostComplete,
    Newest,
    Oldest,
    /// The one whose numbers are opted out furthest, so that the list keeps the number that must not be written to;
    /// else the most complete.
    OptedOut,
}

/// What a person chose for a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub survivor: ContactId,
    /// Whose value a field gets, by its name; a blank may be chosen as well. Fields not named keep the survivor's value,
    /// and get the first there is where it has none.
    pub fields: BTreeMap<String, ContactId>,
    /// None: all of the group; the others stay as they are.
    pub contacts: Option<Vec<ContactId>>,
}

/// Contacts that are merged into one at most: nobody means more, and all are read at once.
pub(super) const MERGED: usize = 1_000;

/// Fields that a choice is made for; a number brings its region along.
pub(super) fn slots(custom: &[u32]) -> impl Iterator<Item = ContactField> {
    let numbers = [ContactField::PhoneNumber, ContactField::WhatsappId];
    let texts = Attribute::ALL.map(ContactField::Attribute);
    numbers.into_iter().chain(texts).chain(custom.iter().map(|number| ContactField::Custom(*number)))
}

fn slot_of(field: ContactField) -> ContactField {
    match field {
        ContactField::PhoneRegion => ContactField::PhoneNumber,
        ContactField::WhatsappRegion => ContactField::WhatsappId,
        field => field,
    }
}

fn reach(reach: OptOutReach) -> u8 {
    match reach {
        OptOutReach::None => 0,
        OptOutReach::Asset => 1,
        OptOutReach::Account => 2,
    }
}

/// Places of contacts, the one that stays first.
pub(super) fn in_order(seen: &[Seen], custom: &[u32], rule: SurvivorRule) -> Vec<usize> {
    let filled = |seen: &Seen| slots(custom).filter(|f| fields::value(&seen.contact, *f, custom).is_some()).count();
    // “Olu Davies” says more than “Olu D.”.
    let named = |seen: &Seen| -> usize {
        let parts = [Attribute::Firstname, Attribute::Lastname].map(ContactField::Attribute);
        parts.iter().filter_map(|f| fields::value(&seen.contact, *f, custom)).map(|text| text.chars().count()).sum()
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
            let Seen { sms, whatsapp, .. } = seen[*at];
            let (further, nearer) = (reach(sms).max(reach(whatsapp)), reach(sms).min(reach(whatsapp)));
            Reverse((further, nearer, filled(&seen[*at]), age(*at)))
        }),
    }
    order
}

/// Whose value each field gets.
fn source(
    seen: &[Seen],
    order: &[usize],
    chosen: &BTreeMap<String, usize>,
    slot: ContactField,
    custom: &[u32],
) -> Option<usize> {
    let has = |at: &usize| fields::value(&seen[*at].contact, slot, custom).is_some();
    chosen.get(slot.name().as_ref()).copied().or_else(|| order.iter().copied().find(has))
}

/// What the survivor has in the end, in the order of [`fields::kept`].
pub(super) fn merged(
    seen: &[Seen],
    order: &[usize],
    chosen: &BTreeMap<String, usize>,
    custom: &[u32],
) -> Vec<Option<String>> {
    let value = |field: ContactField| {
        let from = source(seen, order, chosen, slot_of(field), custom)?;
        fields::value(&seen[from].contact, field, custom)
    };
    fields::kept(custom).into_iter().map(value).collect()
}

pub(super) fn suggested(seen: &[Seen], custom: &[u32], rule: SurvivorRule) -> Option<SuggestedMerge> {
    if seen.len() < 2 {
        return None;
    }
    let order = in_order(seen, custom, rule);
    let from = |slot: ContactField| {
        let from = source(seen, &order, &BTreeMap::new(), slot, custom)?;
        Some((slot.name().into_owned(), seen[from].contact.uid.clone()))
    };
    Some(SuggestedMerge {
        survivor: seen[order[0]].contact.uid.clone(),
        fields: slots(custom).filter_map(from).collect(),
    })
}

/// Writes merged values into the survivors of a list.
pub(super) struct Writer<'t, 'c> {
    tx: &'t WriteTx<'c>,
    setter: Setter<'t>,
    kept: Vec<ContactField>,
    at: Timestamp,
    pub updated: u64,
    pub gone: Vec<i64>,
}

impl<'t, 'c> Writer<'t, 'c> {
    pub fn new(tx: &'t WriteTx<'c>, custom: &[u32], at: Timestamp) -> Result<Self> {
        let kept = fields::kept(custom);
        Ok(Self { tx, setter: Setter::new(tx, &kept)?, kept, at, updated: 0, gone: Vec::new() })
    }

    /// `ids` are the rows of `seen`; all but the survivor are gone with [`Self::end`].
    pub fn merge(
        &mut self,
        ids: &[i64],
        seen: &[Seen],
        survivor: usize,
        values: &[Option<String>],
        custom: &[u32],
    ) -> Result<()> {
        self.tx.check()?;
        let contact = &seen[survivor].contact;
        let mut has_changed = false;
        for (field, value) in self.kept.iter().zip(values) {
            if fields::value(contact, *field, custom) != *value {
                has_changed = true;
                // What was typed there and refused gives way to a value, as everywhere.
                drafts::put(self.tx, ids[survivor], &field.name(), None)?;
            }
        }
        if has_changed {
            self.setter.set(ids[survivor], self.at, values)?;
            self.updated += 1;
        }
        self.gone.extend(ids.iter().enumerate().filter(|(at, _)| *at != survivor).map(|(_, id)| *id));
        Ok(())
    }

    /// Deletes the others and says what was done.
    pub fn end(self, row: ListRow, list: &ListId, act: Act) -> Result<Vec<i64>> {
        let Self { tx, at, updated, gone, .. } = self;
        Picked::by_row(tx, row, &gone)?.delete(at)?;
        tx.act(act.count(gone.len() as u64).into_trash(Noun::Contact));
        tx.log(Change::many(Noun::Contact, Action::Deleted, list, gone.len() as u64));
        if updated > 0 {
            tx.log(Change::many(Noun::Contact, Action::Updated, list, updated));
        }
        tx.log(Change::one(Noun::List, Action::Updated, list));
        Ok(gone)
    }
}

/// The list that a search is of.
pub(super) fn list_of(run: &Run<Groups>) -> Result<&ListId> {
    let told = "A contact may well be in several lists. Look for the duplicates of one list to merge them.";
    run.list.as_ref().ok_or_else(|| Error::conflict(told))
}

const CHANGED: &str = "A contact of this group is gone or in another list by now. Look for duplicates again.";

impl Duplicates {
    /// Merges a group as it was chosen; answers how many contacts went, and the step.
    pub fn merge(&self, core: &Core, by: &By, id: u64, group: u64, choice: &Choice) -> Result<(u64, i64)> {
        let run = self.run(id)?;
        let list = list_of(&run)?;
        let found = run.found();
        let at = found.at(group).ok_or_else(|| Error::conflict(GONE))?;
        let members = found.members(at);
        if members.len() > MERGED && choice.contacts.is_none() {
            let told = format!("At most {MERGED} contacts become one at once. Choose some of them.");
            return Err(Fault::new("contacts", told, members.len()).into());
        }
        let (gone, step) = core.write(by, |tx| {
            let custom = custom_fields::numbers(tx)?;
            let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
            let ids = match &choice.contacts {
                None => members.to_vec(),
                Some(uids) => chosen_of(tx, members, uids)?,
            };
            let seen = view::rows(tx, &ids, &custom)?;
            if seen.len() < ids.len() || seen.iter().any(|seen| seen.contact.list != *list) {
                return Err(Error::conflict(CHANGED));
            }
            let place = |path: &str, uid: &ContactId| {
                seen.iter().position(|seen| seen.contact.uid == *uid).ok_or_else(|| not_in_group(path, uid))
            };
            let survivor = place("survivor", &choice.survivor)?;
            let mut chosen = BTreeMap::new();
            for (name, uid) in &choice.fields {
                if !slots(&custom).any(|slot| slot.name() == name.as_str()) {
                    return Err(Fault::new(format!("fields.{name}"), "There is no such field.", name.as_str()).into());
                }
                chosen.insert(name.clone(), place(&format!("fields.{name}"), uid)?);
            }
            let mut order = in_order(&seen, &custom, SurvivorRule::MostComplete);
            order.retain(|at| *at != survivor);
            order.insert(0, survivor);
            let values = merged(&seen, &order, &chosen, &custom);
            let has = |wanted: ContactField| {
                fields::kept(&custom).iter().zip(&values).any(|(f, v)| *f == wanted && v.is_some())
            };
            if !has(ContactField::PhoneNumber) && !has(ContactField::WhatsappId) {
                return Err(fields::no_number());
            }
            let mut writer = Writer::new(tx, &custom, core.ctx().now())?;
            writer.merge(&ids, &seen, survivor, &values, &custom)?;
            let act = Act::new("duplicate_merge").subject(fields::title(&seen[survivor].contact)).uid(&choice.survivor);
            Ok((writer.end(row, list, act)?, tx.step()))
        })?;
        let count = gone.len() as u64;
        // Held on to, it would be copied for the change.
        drop(found);
        run.patch(Some(step), |found| found.take_out(&gone.into_iter().collect::<HashSet<i64>>()));
        Ok((count, step))
    }
}

/// Rows of some contacts, which have to be members.
fn chosen_of(tx: &WriteTx, members: &[i64], uids: &[ContactId]) -> Result<Vec<i64>> {
    if !(2..=MERGED).contains(&uids.len()) {
        return Err(
            Fault::new("contacts", format!("Choose two contacts at least and {MERGED} at most."), uids.len()).into()
        );
    }
    let mut ids = Vec::with_capacity(uids.len());
    for (at, uid) in uids.iter().enumerate() {
        let path = format!("contacts[{at}]");
        let id = view::row_of(tx, uid)?.filter(|id| members.binary_search(id).is_ok());
        let id = id.ok_or_else(|| not_in_group(&path, uid))?;
        if ids.contains(&id) {
            return Err(Fault::new(path, "This contact is there twice.", uid.as_str()).into());
        }
        ids.push(id);
    }
    Ok(ids)
}

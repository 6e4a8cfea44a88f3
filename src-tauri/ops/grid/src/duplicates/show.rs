//! Shows groups to people: a page of groups with the reasons for each, and one group side by side.

use std::collections::BTreeMap;

use roost_model::{
    error::FieldError,
    id::ContactId,
    page::{Page, PageRequest},
};
use roost_store::{
    tables::{
        contacts::list_view::{self, ContactWithOptOuts},
        custom_fields,
    },
    tx::ReadTx,
};
use serde::Serialize;

use super::{
    DuplicateSearches, GONE,
    groups::{DuplicateGroup, DuplicateGroups, GroupStatus},
    keys::{DuplicateKey, PersonFields, READ},
    merge::{self, SurvivorRule},
};
use roost_ops::{
    contact::{
        fields,
        table::{self, ContactCard},
    },
    core::Core,
    error::{Error, Result},
};

use crate::grid::fillable_fields;

/// The maximum number of contacts shown side by side.
pub(super) const SIDE_BY_SIDE: usize = 50;
/// The number of contacts that a page shows of each group.
const CONTACTS_SHOWN: usize = 3;

/// The groups to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupQuery {
    pub page: PageRequest,
    pub key: Option<DuplicateKey>,
    pub least_confidence: u8,
    /// Whether to show the skipped groups instead of the open ones.
    pub is_skipped: bool,
}

pub type GroupPage = Page<DuplicateGroupHead>;

/// A value that the contacts of a group have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DuplicateEvidence {
    pub key: DuplicateKey,
    /// The value in the form in which it is compared; for near texts, the value of the first contact. `None` if that
    /// contact was removed.
    pub text: Option<String>,
}

/// A summary of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DuplicateGroupHead {
    pub group: u64,
    /// The number of contacts in the group.
    pub size: u32,
    /// The confidence, out of 100.
    pub confidence: u8,
    /// The reasons, the most reliable first.
    pub evidence: Vec<DuplicateEvidence>,
    /// The first three contacts.
    pub contacts: Vec<ContactCard>,
}

/// The merge that is carried out if nobody chooses otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SuggestedMerge {
    pub survivor: ContactId,
    /// The contact from which each field takes its value, by the field's name. Fields without a value in any contact
    /// are left out.
    #[cfg_attr(feature = "ts", ts(type = "{ [field: string]: string }"))]
    pub fields: BTreeMap<String, ContactId>,
}

/// A group with its contacts side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct DuplicateGroupWhole {
    pub group: u64,
    /// The number of contacts in the group, of which at most fifty are shown.
    pub size: u32,
    pub confidence: u8,
    pub evidence: Vec<DuplicateEvidence>,
    pub contacts: Vec<ContactCard>,
    /// The fields in which the contacts shown differ. An empty field counts as a value.
    pub differing: Vec<String>,
    /// Null if fewer than two contacts are left.
    pub suggested: Option<SuggestedMerge>,
    /// The next open group.
    pub next: Option<u64>,
}

fn build_evidence(group: DuplicateGroup, first: Option<&ContactCard>) -> Vec<DuplicateEvidence> {
    let text = |key: DuplicateKey| {
        let values = &first?.values;
        let mut person = PersonFields::default();
        for (slot, field) in person.0.iter_mut().zip(READ) {
            *slot = values.get(field.name().as_ref()).map(String::as_str);
        }
        person.match_key(key, &person.fold_person())
    };
    group.keys().map(|key| DuplicateEvidence { key, text: text(key) }).collect()
}

fn to_cards(seen: Vec<ContactWithOptOuts>, custom: &[u32]) -> Vec<ContactCard> {
    seen.into_iter().map(|seen| table::to_card(seen, custom)).collect()
}

impl GroupQuery {
    fn matches_group(&self, group: &DuplicateGroup) -> bool {
        let status = if self.is_skipped { GroupStatus::Skipped } else { GroupStatus::Open };
        group.status == status
            && group.confidence >= self.least_confidence
            && self.key.is_none_or(|key| group.is_by(key))
    }
}

impl DuplicateSearches {
    /// Returns one page of the groups, the highest confidence first.
    pub fn read_page(&self, core: &Core, id: u64, query: &GroupQuery) -> Result<GroupPage> {
        let found = self.find_search(id)?.latest_result();
        let fitting = || found.groups.iter().enumerate().filter(|(_, group)| query.matches_group(group));
        let total_items = fitting().count() as u64;
        let wanted = fitting().skip(query.page.offset() as usize).take(query.page.size as usize);
        let items = core.read(|tx| {
            let custom = custom_fields::defined_numbers(tx)?;
            wanted.map(|(at, group)| read_group_head(tx, &found, at, *group, &custom)).collect()
        })?;
        Ok(Page { items, total_items })
    }

    /// Returns the contacts of a group with all their fields, and the merge suggested by a rule.
    pub fn read_group(&self, core: &Core, id: u64, group: u64, rule: SurvivorRule) -> Result<DuplicateGroupWhole> {
        let found = self.find_search(id)?.latest_result();
        let at = found.position_of(group).ok_or_else(|| Error::conflict(GONE))?;
        let next = found.groups.iter().enumerate().skip(at + 1).find(|(_, group)| group.status == GroupStatus::Open);
        let entry = found.groups[at];
        core.read(|tx| {
            let custom = custom_fields::defined_numbers(tx)?;
            let members = found.members(at);
            let seen = list_view::read_by_ids(tx, &members[..members.len().min(SIDE_BY_SIDE)], &custom)?;
            let differing = fillable_fields(&custom).filter(|field| {
                let values = || seen.iter().map(|seen| fields::field_value(&seen.contact, *field, &custom));
                let first = values().next();
                values().any(|value| Some(value) != first)
            });
            let differing = differing.map(|field| field.name().into_owned()).collect();
            let suggested = merge::suggest_merge(&seen, &custom, rule);
            let contacts = to_cards(seen, &custom);
            Ok(DuplicateGroupWhole {
                group,
                size: entry.len,
                confidence: entry.confidence,
                evidence: build_evidence(entry, contacts.first()),
                contacts,
                differing,
                suggested,
                next: next.map(|(at, _)| found.number_at(at)),
            })
        })
    }
}

fn read_group_head(
    tx: &ReadTx,
    found: &DuplicateGroups,
    at: usize,
    group: DuplicateGroup,
    custom: &[u32],
) -> Result<DuplicateGroupHead> {
    let members = found.members(at);
    let contacts = to_cards(list_view::read_by_ids(tx, &members[..members.len().min(CONTACTS_SHOWN)], custom)?, custom);
    Ok(DuplicateGroupHead {
        group: found.number_at(at),
        size: group.len,
        confidence: group.confidence,
        evidence: build_evidence(group, contacts.first()),
        contacts,
    })
}

/// Returns the error for a chosen contact that is not in the group.
pub(super) fn not_in_group(path: &str, uid: &ContactId) -> Error {
    FieldError::new(path, "This contact is not in the group.", uid.as_str()).into()
}

//! Defines the input of a plan: the changes and the facts about them. It has no rows that neither side changed.

use roost_model::{channel::Channel, opt_out::OptOutType};
use serde::{Deserialize, Serialize};

use crate::{
    audit::{Digest, JsonDigester},
    merge::{ContactAnswers, MergeDispute, MergePolicy, RowAnswer, SettledMerge, settle_merge},
    row::{ContactKey, ContactRow},
};

/// The state of a record at the service, as it was last observed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemoteState<T> {
    AsBase,
    Gone,
    Is(T),
}

impl<T> RemoteState<T> {
    /// Returns the record as the service has it, given the version that both sides last agreed on.
    pub fn resolve<'a>(&'a self, base: Option<&'a T>) -> Option<&'a T> {
        match self {
            Self::AsBase => base,
            Self::Gone => None,
            Self::Is(remote) => Some(remote),
        }
    }
}

/// A person's choice about a change that the interface cannot express.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeChoice {
    /// Keep the difference locally.
    KeepLocal,
    /// Create the record again, verify it, then delete the old one. The record gets a new identifier.
    Replace,
    /// Keep two records with one number on purpose.
    KeepBoth,
    /// Give up the local change.
    Discard,
}

/// A contact that one side has changed since both agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContactChange {
    /// The local id, which never changes and is never reused.
    pub id: i64,
    /// The list that the contact is in locally or, once deleted, was in.
    pub list: i64,
    /// The list that the contact is in at the service, if it was moved locally.
    pub was_in: Option<i64>,
    /// The identifier at the service.
    pub uid: Option<String>,
    pub base: Option<ContactRow>,
    pub local: Option<ContactRow>,
    pub remote: RemoteState<ContactRow>,
    pub answers: ContactAnswers,
    pub choice: Option<ChangeChoice>,
    /// Whether the user holds the change back.
    pub held: bool,
}

impl ContactChange {
    pub fn sort_answers(&mut self) {
        self.answers.fields.sort_by_key(|(field, _)| *field);
    }

    pub fn remote_row(&self) -> Option<&ContactRow> {
        self.remote.resolve(self.base.as_ref())
    }

    /// Merges the three sides. A move counts as an edit: if the service deleted a contact that was moved locally, the
    /// user is asked.
    pub fn settle_merge(&self, policy: &MergePolicy) -> Result<SettledMerge, MergeDispute> {
        let kept = |target: Option<ContactRow>| Ok(SettledMerge { target, note: None });
        match (&self.local, self.remote_row(), self.was_in, self.answers.row) {
            (Some(_), None, Some(_), None) => Err(MergeDispute::DeletedThere),
            (Some(local), None, Some(_), Some(RowAnswer::Mine)) => kept(Some(local.clone())),
            (Some(_), None, Some(_), Some(RowAnswer::Theirs)) => kept(None),
            (local, remote, ..) => settle_merge(self.base.as_ref(), local.as_ref(), remote, policy, &self.answers),
        }
    }
}

/// A person's choice about a list that was renamed, deleted or changed on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListChoice {
    /// Show the new name only locally.
    Alias,
    /// Upload the local contacts into a new list, then delete the old one.
    Recreate,
    /// Give up the local changes.
    Discard,
    DeleteAnyway,
}

/// The state of a list at the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemoteListState {
    AsBase,
    /// Some of its contacts changed at the service.
    Changed,
    Gone,
}

/// A list that a change mentions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedList {
    pub id: i64,
    /// `None` for a list that was created locally and is not yet at the service.
    pub uid: Option<String>,
    pub name: String,
    /// The name at the service.
    pub base_name: Option<String>,
    pub deleted: bool,
    pub there: RemoteListState,
    /// The number of its contacts at the service, as far as known.
    pub rows: u64,
    /// The number of its local contacts.
    pub local_rows: u64,
    /// The number of contacts at the service that carry a number, for each number that some change mentions.
    pub taken: Vec<(ContactKey, u32)>,
    pub choice: Option<ListChoice>,
    /// Whether the user holds the list back: it is neither created, renamed nor deleted. Its contacts are not affected.
    pub held: bool,
    /// The list that was created to replace this one. This one is deleted once all contacts have arrived in the new
    /// one.
    pub superseded_by: Option<i64>,
}

impl PlannedList {
    /// Returns how many contacts of the list carry the number at the service. `taken` must be sorted, which
    /// [`PlanInput::normalise`] ensures.
    pub fn count_number(&self, key: &ContactKey) -> u32 {
        self.taken.binary_search_by(|(at, _)| at.cmp(key)).map_or(0, |at| self.taken[at].1)
    }
}

/// The scope of an opt-out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptOutTarget {
    Account,
    Asset(String),
    /// One asset, which the service does not name.
    Unnamed,
}

/// The part of an opt-out that a merge compares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptOutEntry {
    pub kind: OptOutType,
    /// The service's time in seconds, or 0 when it is unknown.
    pub time: i64,
}

impl OptOutEntry {
    /// Returns whether both can only be the same record. A record that differs or has an unknown time may be newer.
    pub fn is_certainly_same(&self, other: &Self) -> bool {
        self == other && self.time > 0
    }
}

/// A person's answer about an opt-out that the service has deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptOutAnswer {
    /// Opt out again, since the service has deleted the opt-out.
    CreateAgain,
}

/// One opt-out record of a number, as both sides have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptOutChange {
    pub reach: OptOutTarget,
    pub base: Option<OptOutEntry>,
    pub local: Option<OptOutEntry>,
    pub remote: RemoteState<OptOutEntry>,
    /// The entry in the evidence that justifies the local removal. Without one, nothing is removed.
    pub evidence: Option<i64>,
    pub answer: Option<OptOutAnswer>,
    /// Whether the user holds the removal back. An opt-out that was added is never held back.
    pub held: bool,
}

/// All records of one number on one channel, since a removal may affect more records than the one it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptOutGroup {
    pub number: String,
    pub channel: Channel,
    pub records: Vec<OptOutChange>,
}

/// A short link that was created, changed or deleted locally.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkChange {
    pub id: i64,
    pub uid: Option<String>,
    pub title: String,
    pub deleted: bool,
    /// Whether the link was edited locally. The service cannot follow, because its links do not change.
    pub edited: bool,
    pub gone_there: bool,
    pub choice: Option<ChangeChoice>,
    pub held: bool,
}

/// A sender that was deleted locally, which is the only possible change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SenderChange {
    pub uid: String,
    pub name: String,
    pub gone_there: bool,
    pub held: bool,
}

/// The behaviour of the service where the interface leaves it open. The defaults are safe without a probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServiceCapabilities {
    pub merge_also_creates: bool,
    pub null_clears: bool,
    pub merge_may_change_identifiers: bool,
    pub e164_with_any_region: bool,
    pub all_pages_read: bool,
    /// The custom fields that the service has. It silently ignores others.
    pub custom_fields: Vec<u32>,
}

impl Default for ServiceCapabilities {
    fn default() -> Self {
        Self {
            merge_also_creates: false,
            null_clears: false,
            merge_may_change_identifiers: false,
            e164_with_any_region: true,
            all_pages_read: false,
            custom_fields: vec![1, 2, 3],
        }
    }
}

/// The limits of a single request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RequestLimits {
    pub rows: usize,
    /// The size of the contacts of one request as JSON.
    pub bytes: usize,
    pub opt_out_chunk: usize,
    pub page: u64,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self { rows: roost_model::contact::BATCH_MAX, bytes: 5_000_000, opt_out_chunk: 1_000, page: 100 }
    }
}

/// The speed of this service, as earlier runs measured it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ServiceSpeed {
    pub rows_per_second: u32,
    /// The calls a second that one lane may make.
    pub calls_per_second: u32,
}

impl Default for ServiceSpeed {
    fn default() -> Self {
        Self { rows_per_second: 1_000, calls_per_second: 9 }
    }
}

/// The whole input of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlanInput {
    pub lists: Vec<PlannedList>,
    /// Digested one by one, before everything else.
    #[serde(skip)]
    pub contacts: Vec<ContactChange>,
    pub opt_outs: Vec<OptOutGroup>,
    pub links: Vec<LinkChange>,
    pub senders: Vec<SenderChange>,
    /// The numbers in steps of earlier runs that are not verified yet. A second job with one of them could overtake the
    /// first.
    pub in_flight: Vec<(i64, ContactKey)>,
    pub capabilities: ServiceCapabilities,
    pub limits: RequestLimits,
    pub policy: MergePolicy,
    /// Affects only the estimated duration, so that new measurements do not make a plan stale.
    #[serde(skip)]
    pub learnt: ServiceSpeed,
}

impl PlanInput {
    /// Sorts everything, so that equal inputs compare equal in whatever order they were gathered.
    pub fn normalise(&mut self) {
        self.lists.sort_unstable_by_key(|list| list.id);
        for list in &mut self.lists {
            list.taken.sort_unstable();
        }
        self.contacts.sort_unstable_by_key(|change| change.id);
        self.contacts.iter_mut().for_each(ContactChange::sort_answers);
        self.opt_outs.sort_unstable_by(|a, b| (&a.number, a.channel).cmp(&(&b.number, b.channel)));
        for group in &mut self.opt_outs {
            group.records.sort_by(|a, b| a.reach.cmp(&b.reach));
        }
        self.links.sort_unstable_by_key(|link| link.id);
        self.senders.sort_unstable_by(|a, b| a.uid.cmp(&b.uid));
        self.in_flight.sort_unstable();
        self.capabilities.custom_fields.sort_unstable();
    }

    /// Returns the digest that a plan made from this input carries.
    pub fn digest(&mut self) -> Digest {
        self.digest_after(JsonDigester::default())
    }

    /// Returns the digest of this input, preceded by contacts that were digested separately. The caller must have added
    /// those normalised and in ascending order of id.
    pub fn digest_after(&mut self, mut contacts: JsonDigester) -> Digest {
        self.normalise();
        self.contacts.iter().for_each(|change| contacts.add(change));
        contacts.add(self);
        contacts.finish()
    }

    pub fn find_list(&self, id: i64) -> Option<&PlannedList> {
        self.lists.binary_search_by_key(&id, |list| list.id).ok().map(|at| &self.lists[at])
    }

    /// Returns whether the number is in a step of an earlier run that is not verified yet.
    pub fn is_in_flight(&self, list: i64, key: &ContactKey) -> bool {
        !self.in_flight.is_empty() && self.in_flight.binary_search(&(list, key.clone())).is_ok()
    }
}

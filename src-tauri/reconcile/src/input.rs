//! What a plan is made from: changes and facts about them, never the rows that nobody touched.

use roost_model::{channel::Channel, opt_out::OptOutType};
use serde::{Deserialize, Serialize};

use crate::{
    audit::{Digest, Digester},
    merge::{Answers, Dispute, Policy, RowAnswer, Settled, settle},
    row::{Key, Row},
};

/// The newest observation of a record of the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen<T> {
    AsBase,
    Gone,
    Is(T),
}

impl<T> Seen<T> {
    /// What the service has, given what both sides last agreed on.
    pub fn over<'a>(&'a self, base: Option<&'a T>) -> Option<&'a T> {
        match self {
            Self::AsBase => base,
            Self::Gone => None,
            Self::Is(there) => Some(there),
        }
    }
}

/// How a person wants something done that the interface cannot express.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// The difference stays here.
    KeepLocal,
    /// Create anew, verify, then delete the old record: a new identifier.
    Replace,
    /// Two records with one number are meant.
    KeepBoth,
    /// The change here is given up.
    Discard,
}

/// A contact that one side changed since both agreed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContactChange {
    /// Its number here, which never changes and is never given again.
    pub id: i64,
    /// The list it is in here; for a deleted one, the list it was in.
    pub list: i64,
    /// The list it is in at the service, when it was moved.
    pub was_in: Option<i64>,
    /// Its identifier at the service.
    pub uid: Option<String>,
    pub base: Option<Row>,
    pub local: Option<Row>,
    pub remote: Seen<Row>,
    pub answers: Answers,
    pub choice: Option<Choice>,
    /// Held back by the person.
    pub held: bool,
}

impl ContactChange {
    pub fn normalise(&mut self) {
        self.answers.fields.sort_by_key(|(field, _)| *field);
    }

    pub fn there(&self) -> Option<&Row> {
        self.remote.over(self.base.as_ref())
    }

    /// Merges the three sides. A move is an edit: a contact that was moved here and is gone there is asked about.
    pub fn settle(&self, policy: &Policy) -> Result<Settled, Dispute> {
        let kept = |target: Option<Row>| Ok(Settled { target, note: None });
        match (&self.local, self.there(), self.was_in, self.answers.row) {
            (Some(_), None, Some(_), None) => Err(Dispute::DeletedThere),
            (Some(local), None, Some(_), Some(RowAnswer::Mine)) => kept(Some(local.clone())),
            (Some(_), None, Some(_), Some(RowAnswer::Theirs)) => kept(None),
            (local, there, ..) => settle(self.base.as_ref(), local.as_ref(), there, policy, &self.answers),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListChoice {
    /// The new name is shown here alone.
    Alias,
    /// Upload the list as it is here into a new one, then delete the old one.
    Recreate,
    /// Give up what was changed here.
    Discard,
    DeleteAnyway,
}

/// How the service has the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ListThere {
    AsBase,
    /// Some of its contacts changed there.
    Changed,
    Gone,
}

/// A list that a change mentions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct List {
    pub id: i64,
    /// None: made here and not yet at the service.
    pub uid: Option<String>,
    pub name: String,
    /// The name at the service.
    pub base_name: Option<String>,
    pub deleted: bool,
    pub there: ListThere,
    /// Contacts the service has in it, as far as known.
    pub rows: u64,
    /// Contacts it has here.
    pub local_rows: u64,
    /// How many contacts at the service carry a number that some change mentions.
    pub taken: Vec<(Key, u32)>,
    pub choice: Option<ListChoice>,
    /// Held back by the person: neither made, renamed nor deleted. What stands in it goes its own way.
    pub held: bool,
    /// The list that was made in its place: this one goes once all contacts have arrived there.
    pub superseded_by: Option<i64>,
}

impl List {
    /// Needs `taken` in order, which [`Input::normalise`] sees to.
    pub fn taken(&self, key: &Key) -> u32 {
        self.taken.binary_search_by(|(at, _)| at.cmp(key)).map_or(0, |at| self.taken[at].1)
    }
}

/// How far an opt-out reaches.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    Account,
    Asset(String),
    /// Of one asset, which the service does not name.
    Unnamed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptOutEntry {
    pub kind: OptOutType,
    /// The service's time, in seconds; 0 when it is unknown.
    pub time: i64,
}

impl OptOutEntry {
    /// Whether this can only be the same record. Anything that differs, and a time that is unknown, may be newer.
    pub fn is_surely(&self, other: &Self) -> bool {
        self == other && self.time > 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptOutAnswer {
    /// Gone at the service: opt out again.
    CreateAgain,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptOutChange {
    pub reach: Reach,
    pub base: Option<OptOutEntry>,
    pub local: Option<OptOutEntry>,
    pub remote: Seen<OptOutEntry>,
    /// The entry in the evidence that justifies the removal here. Without one nothing is removed.
    pub evidence: Option<i64>,
    pub answer: Option<OptOutAnswer>,
    /// The removal is held back by the person. An opt-out that was added is never held.
    pub held: bool,
}

/// All records of one number on one channel: a removal may reach further than the record it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OptOutGroup {
    pub number: String,
    pub channel: Channel,
    pub records: Vec<OptOutChange>,
}

/// A short link made, changed or deleted here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkChange {
    pub id: i64,
    pub uid: Option<String>,
    pub title: String,
    pub deleted: bool,
    /// Changed here in a way the service cannot follow: links do not change.
    pub edited: bool,
    pub gone_there: bool,
    pub choice: Option<Choice>,
    pub held: bool,
}

/// A sender deleted here: the only change there is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SenderChange {
    pub uid: String,
    pub name: String,
    pub gone_there: bool,
    pub held: bool,
}

/// What the service does beyond the interface's words. The default is what is safe without a probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capabilities {
    pub merge_also_creates: bool,
    pub null_clears: bool,
    pub merge_may_change_identifiers: bool,
    pub e164_with_any_region: bool,
    pub all_pages_read: bool,
    /// Custom fields the service has; others are ignored there without a word.
    pub custom_fields: Vec<u32>,
}

impl Default for Capabilities {
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Limits {
    pub rows: usize,
    /// Of the contacts of one request, as JSON.
    pub bytes: usize,
    pub opt_out_chunk: usize,
    pub page: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rows: roost_model::contact::BATCH_MAX, bytes: 5_000_000, opt_out_chunk: 1_000, page: 100 }
    }
}

/// What earlier runs taught about this service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Learnt {
    pub rows_per_second: u32,
    /// Calls a second that one lane is allowed.
    pub calls_per_second: u32,
}

impl Default for Learnt {
    fn default() -> Self {
        Self { rows_per_second: 1_000, calls_per_second: 9 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Input {
    pub lists: Vec<List>,
    /// Digested one by one, before all else.
    #[serde(skip)]
    pub contacts: Vec<ContactChange>,
    pub opt_outs: Vec<OptOutGroup>,
    pub links: Vec<LinkChange>,
    pub senders: Vec<SenderChange>,
    /// Numbers in steps of earlier runs that are not verified: a second job with one could overtake the first.
    pub in_flight: Vec<(i64, Key)>,
    pub capabilities: Capabilities,
    pub limits: Limits,
    pub policy: Policy,
    /// Moves the price alone, so a plan is not stale when more was learnt.
    #[serde(skip)]
    pub learnt: Learnt,
}

impl Input {
    /// Brings everything into one order, so that equal inputs are equal whatever they were gathered from.
    pub fn normalise(&mut self) {
        self.lists.sort_unstable_by_key(|list| list.id);
        for list in &mut self.lists {
            list.taken.sort_unstable();
        }
        self.contacts.sort_unstable_by_key(|change| change.id);
        self.contacts.iter_mut().for_each(ContactChange::normalise);
        self.opt_outs.sort_unstable_by(|a, b| (&a.number, a.channel).cmp(&(&b.number, b.channel)));
        for group in &mut self.opt_outs {
            group.records.sort_by(|a, b| a.reach.cmp(&b.reach));
        }
        self.links.sort_unstable_by_key(|link| link.id);
        self.senders.sort_unstable_by(|a, b| a.uid.cmp(&b.uid));
        self.in_flight.sort_unstable();
        self.capabilities.custom_fields.sort_unstable();
    }

    /// The digest that a plan made from this carries.
    pub fn digest(&mut self) -> Digest {
        self.digest_behind(Digester::default())
    }

    /// The same, behind contacts that are not held here. They come normalised, by rising id.
    pub fn digest_behind(&mut self, mut contacts: Digester) -> Digest {
        self.normalise();
        self.contacts.iter().for_each(|change| contacts.add(change));
        contacts.add(self);
        contacts.finish()
    }

    pub fn list(&self, id: i64) -> Option<&List> {
        self.lists.binary_search_by_key(&id, |list| list.id).ok().map(|at| &self.lists[at])
    }

    pub fn is_in_flight(&self, list: i64, key: &Key) -> bool {
        !self.in_flight.is_empty() && self.in_flight.binary_search(&(list, key.clone())).is_ok()
    }
}

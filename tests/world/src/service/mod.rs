//! The service, written from the contract: its records, its jobs, and the changes of other writers. The submodules
//! implement the HTTP operations.

mod contacts;
mod links;
mod opt_outs;
mod routes;
pub(crate) mod text;

pub use routes::{OPERATIONS, find_operation};

use crate::dice::Dice;
pub(crate) use text::format_http_date;
use text::make_uid;

/// The names and maximum lengths of the contact fields, as the query returns them.
pub const CONTACT_FIELDS: [(&str, usize); 21] = [
    ("phone_number", 16),
    ("whatsapp_id", 16),
    ("title", 30),
    ("firstname", 50),
    ("lastname", 50),
    ("date_of_birth", 255),
    ("address_1", 255),
    ("address_2", 255),
    ("city", 128),
    ("zip", 24),
    ("state", 48),
    ("country", 128),
    ("company_name", 128),
    ("email_address", 255),
    ("alternate_phone", 128),
    ("field_1", 500),
    ("field_2", 500),
    ("field_3", 500),
    ("field_4", 500),
    ("field_5", 500),
    ("field_6", 500),
];
pub(crate) const PHONE: usize = 0;
pub(crate) const WHATSAPP: usize = 1;

/// The values of a contact, by position in [`CONTACT_FIELDS`].
pub(crate) type ContactValues = [Option<String>; 21];

/// Returns the position of a field. Requests call one of them `whatsapp_number`.
pub(crate) fn field_index(name: &str) -> Option<usize> {
    let name = if name == "whatsapp_number" { "whatsapp_id" } else { name };
    CONTACT_FIELDS.iter().position(|(field, _)| *field == name)
}

/// A response of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceReply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

#[derive(Clone, Debug)]
pub(crate) struct ListRecord {
    pub uid: String,
    pub name: String,
    pub created: i64,
    pub updated: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct ContactRecord {
    pub uid: String,
    pub list: String,
    pub values: ContactValues,
    pub created: i64,
    pub updated: Option<i64>,
}

/// The scope of an opt-out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OptOutScope {
    Account,
    Asset(String),
    /// The record states no scope.
    Unknown,
}

#[derive(Clone, Debug)]
pub(crate) struct OptOutRecord {
    pub sequence: u64,
    pub number: Option<String>,
    pub channel: String,
    pub scope: OptOutScope,
    pub kind: String,
    pub inbound_number: Option<String>,
    pub time: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct LinkRecord {
    pub uid: String,
    pub title: String,
    pub target: String,
    pub code: String,
    pub tags: Vec<String>,
    pub created: i64,
    pub track: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct SenderRecord {
    pub uid: String,
    pub name: String,
    pub status: &'static str,
}

#[derive(Clone, Debug)]
pub(crate) struct ServiceAsset {
    pub uid: String,
    pub channel: &'static str,
    pub number: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MergeType {
    SkipDuplicates,
    AllowDuplicates,
    ByPhone,
    ByWhatsapp,
}

/// The sender of a request, as far as the judge needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestOrigin {
    /// The number of the engine's call.
    pub call: u64,
    /// The moment at which the request left the engine.
    pub left: u64,
    /// The moment at which it arrived at the service.
    pub moment: u64,
    /// Whether the caller received the true answer.
    pub certain: bool,
    /// Whether this is the second delivery of one request.
    pub echo: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ContactJob {
    pub due: i64,
    pub sequence: u64,
    pub list: String,
    pub merge: MergeType,
    pub rows: Vec<ContactValues>,
    pub origin: RequestOrigin,
}

/// The order in which jobs with the same due time run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobOrder {
    Queue,
    Reverse,
    Shuffled,
}

/// The rows that a read omits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HiddenRows {
    Nothing,
    Everything,
    SomeRows,
    PageStart,
}

/// A change of the service's data, for the judge.
#[derive(Clone, Debug)]
pub(crate) enum ServiceEffect {
    ContactMade { uid: String, list: String, values: ContactValues, job: Option<RequestOrigin> },
    ContactMerged { uid: String, changed: ContactValues, job: Option<RequestOrigin> },
    ContactGone { uid: String, with_list: bool },
    ListMade { uid: String, name: String },
    ListRenamed { uid: String, name: String },
    ListGone { uid: String },
    OptOutMade(OptOutRecord),
    OptOutReplaced { sequence: u64 },
    OptOutGone { sequence: u64 },
    LinkMade { uid: String, title: String },
    LinkGone { uid: String },
    SenderMade { uid: String, name: String },
    SenderGone { uid: String },
}

/// The rows that a read showed, for the judge.
#[derive(Clone, Debug)]
pub(crate) enum ReadNote {
    Nothing,
    Contacts { list: String, uids: Vec<String>, fields: Option<Vec<usize>>, complete: bool },
    OptOuts { number: Option<String>, channel: Option<String>, sequences: Vec<u64>, covers: bool },
    Rows { uids: Vec<String> },
}

/// The whole state of the service.
#[derive(Clone, Debug)]
pub(crate) struct Service {
    pub lists: Vec<ListRecord>,
    pub contacts: Vec<ContactRecord>,
    pub opt_outs: Vec<OptOutRecord>,
    pub links: Vec<LinkRecord>,
    pub senders: Vec<SenderRecord>,
    pub assets: Vec<ServiceAsset>,
    pub jobs: Vec<ContactJob>,
    /// A clock that never jumps. Jobs run by it.
    pub steady_ms: i64,
    /// The difference between the service's clock and the steady clock.
    pub clock_shift: i64,
    pub job_delay: i64,
    pub job_order: JobOrder,
    pub effects: Vec<ServiceEffect>,
    pub read: ReadNote,
    pub hiding: HiddenRows,
    pub origin: RequestOrigin,
    pub dice: Dice,
    sequence: u64,
}

impl Service {
    pub(crate) fn new(seed: u64, start_ms: i64) -> Service {
        let mut service = Service {
            lists: Vec::new(),
            contacts: Vec::new(),
            opt_outs: Vec::new(),
            links: Vec::new(),
            senders: Vec::new(),
            assets: Vec::new(),
            jobs: Vec::new(),
            steady_ms: start_ms,
            clock_shift: 0,
            job_delay: 300,
            job_order: JobOrder::Queue,
            effects: Vec::new(),
            read: ReadNote::Nothing,
            hiding: HiddenRows::Nothing,
            origin: RequestOrigin { call: 0, left: 0, moment: 0, certain: true, echo: false },
            dice: Dice::new(seed ^ 0x5E21_71CE),
            sequence: 0,
        };
        let sms = service.next_uid("num_");
        service.assets.push(ServiceAsset { uid: sms, channel: "SMS", number: "+447700900990".to_owned() });
        let whatsapp = service.next_uid("wbp_");
        service.assets.push(ServiceAsset { uid: whatsapp, channel: "WHATSAPP", number: "+447700900991".to_owned() });
        service
    }

    /// Returns the time of the service's own clock.
    pub(crate) fn now(&self) -> i64 {
        self.steady_ms + self.clock_shift
    }

    pub(crate) fn next_sequence(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    pub(crate) fn next_uid(&mut self, prefix: &str) -> String {
        let sequence = self.next_sequence();
        make_uid(prefix, self.now(), sequence)
    }

    /// Advances the time and runs the jobs that become due, oldest first.
    pub(crate) fn pass_time(&mut self, ms: i64) {
        let end = self.steady_ms + ms;
        loop {
            let due = self.jobs.iter().map(|job| job.due).filter(|due| *due <= end).min();
            let Some(due) = due else { break };
            self.steady_ms = self.steady_ms.max(due);
            self.run_due_jobs();
        }
        self.steady_ms = end;
    }

    fn run_due_jobs(&mut self) {
        let now = self.steady_ms;
        let (mut due, waiting): (Vec<ContactJob>, Vec<ContactJob>) =
            std::mem::take(&mut self.jobs).into_iter().partition(|job| job.due <= now);
        self.jobs = waiting;
        due.sort_by_key(|job| job.sequence);
        match self.job_order {
            JobOrder::Queue => {}
            JobOrder::Reverse => due.reverse(),
            JobOrder::Shuffled => {
                for index in (1..due.len()).rev() {
                    let other = self.dice.draw_below(index + 1);
                    due.swap(index, other);
                }
            }
        }
        for job in due {
            self.run_job(job);
        }
    }

    pub(crate) fn make_list(&mut self, name: &str) -> String {
        let uid = self.next_uid("LST_");
        let now = self.now();
        self.lists.push(ListRecord { uid: uid.clone(), name: name.to_owned(), created: now, updated: now });
        self.effects.push(ServiceEffect::ListMade { uid: uid.clone(), name: name.to_owned() });
        uid
    }

    pub(crate) fn rename_list(&mut self, uid: &str, name: &str) {
        let now = self.now();
        if let Some(list) = self.lists.iter_mut().find(|list| list.uid == uid) {
            name.clone_into(&mut list.name);
            list.updated = now;
            self.effects.push(ServiceEffect::ListRenamed { uid: uid.to_owned(), name: name.to_owned() });
        }
    }

    /// Removes a list with its contacts. Returns false if the list does not exist.
    pub(crate) fn remove_list(&mut self, uid: &str) -> bool {
        let Some(index) = self.lists.iter().position(|list| list.uid == uid) else {
            return false;
        };
        let effects = &mut self.effects;
        self.contacts.retain(|contact| {
            if contact.list == uid {
                effects.push(ServiceEffect::ContactGone { uid: contact.uid.clone(), with_list: true });
            }
            contact.list != uid
        });
        self.lists.remove(index);
        self.effects.push(ServiceEffect::ListGone { uid: uid.to_owned() });
        true
    }

    pub(crate) fn touch_list(&mut self, uid: &str) {
        let now = self.now();
        if let Some(list) = self.lists.iter_mut().find(|list| list.uid == uid) {
            list.updated = now;
        }
    }

    pub(crate) fn make_contact(&mut self, list: &str, values: ContactValues, job: Option<RequestOrigin>) -> String {
        let uid = self.next_uid("CON_");
        let created = self.now();
        self.effects.push(ServiceEffect::ContactMade {
            uid: uid.clone(),
            list: list.to_owned(),
            values: values.clone(),
            job,
        });
        self.contacts.push(ContactRecord { uid: uid.clone(), list: list.to_owned(), values, created, updated: None });
        self.touch_list(list);
        uid
    }

    pub(crate) fn merge_contact(&mut self, uid: &str, changed: ContactValues, job: Option<RequestOrigin>) {
        let now = self.now();
        let Some(contact) = self.contacts.iter_mut().find(|contact| contact.uid == uid) else {
            return;
        };
        for (slot, value) in contact.values.iter_mut().zip(&changed) {
            if value.is_some() {
                slot.clone_from(value);
            }
        }
        contact.updated = Some(now);
        let list = contact.list.clone();
        self.effects.push(ServiceEffect::ContactMerged { uid: uid.to_owned(), changed, job });
        self.touch_list(&list);
    }

    pub(crate) fn remove_contact(&mut self, uid: &str) -> bool {
        let Some(index) = self.contacts.iter().position(|contact| contact.uid == uid) else {
            return false;
        };
        let contact = self.contacts.remove(index);
        self.effects.push(ServiceEffect::ContactGone { uid: uid.to_owned(), with_list: false });
        self.touch_list(&contact.list);
        true
    }

    /// Creates a record, or replaces the one with the same number, channel and scope.
    pub(crate) fn make_opt_out(&mut self, number: Option<&str>, channel: &str, scope: OptOutScope, kind: &str) {
        let inbound_number = match &scope {
            OptOutScope::Asset(uid) => {
                self.assets.iter().find(|asset| asset.uid == *uid).map(|asset| asset.number.clone())
            }
            _ => None,
        };
        let effects = &mut self.effects;
        self.opt_outs.retain(|record| {
            let same = number.is_some()
                && record.number.as_deref() == number
                && record.channel == channel
                && record.scope == scope;
            if same {
                effects.push(ServiceEffect::OptOutReplaced { sequence: record.sequence });
            }
            !same
        });
        let sequence = self.next_sequence();
        let record = OptOutRecord {
            sequence,
            number: number.map(str::to_owned),
            channel: channel.to_owned(),
            scope,
            kind: kind.to_owned(),
            inbound_number,
            time: self.now(),
        };
        self.opt_outs.push(record.clone());
        self.effects.push(ServiceEffect::OptOutMade(record));
    }

    /// Removes the matching records and returns their number.
    pub(crate) fn remove_opt_outs(&mut self, is_removed: impl Fn(&OptOutRecord) -> bool) -> usize {
        let before = self.opt_outs.len();
        let effects = &mut self.effects;
        self.opt_outs.retain(|record| {
            let removed = is_removed(record);
            if removed {
                effects.push(ServiceEffect::OptOutGone { sequence: record.sequence });
            }
            !removed
        });
        before - self.opt_outs.len()
    }

    /// Returns whether a list, contact, link or sender with this UID exists.
    pub(crate) fn has_record(&self, uid: &str) -> bool {
        self.contacts.iter().any(|row| row.uid == uid)
            || self.lists.iter().any(|row| row.uid == uid)
            || self.links.iter().any(|row| row.uid == uid)
            || self.senders.iter().any(|row| row.uid == uid)
    }

    pub(crate) fn make_link(&mut self, title: &str, target: &str, tags: Vec<String>, track: bool) -> LinkRecord {
        let uid = self.next_uid("shl_");
        let record = LinkRecord {
            uid: uid.clone(),
            title: title.to_owned(),
            target: target.to_owned(),
            code: format!("{:06}", self.sequence % 1_000_000),
            tags,
            created: self.now(),
            track,
        };
        self.links.push(record.clone());
        self.effects.push(ServiceEffect::LinkMade { uid, title: title.to_owned() });
        record
    }

    pub(crate) fn remove_link(&mut self, uid: &str) -> bool {
        let before = self.links.len();
        self.links.retain(|link| link.uid != uid);
        let removed = self.links.len() < before;
        if removed {
            self.effects.push(ServiceEffect::LinkGone { uid: uid.to_owned() });
        }
        removed
    }

    pub(crate) fn make_sender(&mut self, name: &str, status: &'static str) {
        let uid = self.next_uid("ssd_");
        self.senders.push(SenderRecord { uid: uid.clone(), name: name.to_owned(), status });
        self.effects.push(ServiceEffect::SenderMade { uid, name: name.to_owned() });
    }

    pub(crate) fn remove_sender(&mut self, uid: &str) -> bool {
        let before = self.senders.len();
        self.senders.retain(|sender| sender.uid != uid);
        let removed = self.senders.len() < before;
        if removed {
            self.effects.push(ServiceEffect::SenderGone { uid: uid.to_owned() });
        }
        removed
    }

    /// Omits rows from an unfiltered read. With `keep_total` the total stays true, so that the fault can be noticed.
    pub(crate) fn hide_rows<T>(&mut self, rows: &mut Vec<T>, total: &mut usize, keep_total: bool) {
        match self.hiding {
            HiddenRows::Everything => {
                rows.clear();
                *total = 0;
            }
            HiddenRows::SomeRows if !rows.is_empty() => {
                let index = self.dice.draw_below(rows.len());
                rows.remove(index);
                if rows.len() > 2 && self.dice.draw_chance(50) {
                    rows.pop();
                }
                if !keep_total {
                    *total = rows.len();
                }
            }
            _ => {}
        }
    }
}

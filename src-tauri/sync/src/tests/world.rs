//! Sets up an account and its service, and queries both.

use std::{collections::BTreeMap, ops::ControlFlow, sync::Arc};

use roost_model::{
    channel::Channel,
    id::{ContactId, ListId},
    page::PageRequest,
    short_link::LinkParts,
    time::Timestamp,
};
use roost_ops::{
    By, Core, Ctx, Error,
    contact::{self, FieldValues, Part},
    ctx::Clock,
    list::{self, UniqueNames},
    opt_out, sender, short_link,
};
use roost_reconcile::{Plan, pace::Rate};
use roost_store::tables::sync::{
    connection::{self, Connection},
    runs::{self, RunState},
};

use super::service::{Dice, Service};
use crate::{
    Client, Failed, Progress,
    apply::{self, Control},
    plan::{self, Saved},
    pull::{self, Asked, Pulled},
    remote::Settings,
};

pub struct World {
    pub core: Core,
    pub service: Arc<Service>,
    pub client: Client,
}

/// The contacts of a list by number and first name, sorted, without what differs between the sides.
pub type Face = Vec<(String, String)>;

/// Runs a future on a clock that advances whenever nothing else can run.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime")
        .block_on(work)
}

pub fn settings() -> Settings {
    let mut settings = Settings::new("http://service.test").expect("an address");
    settings.rate = Rate::default();
    settings
}

/// Returns the connection of an account to a service.
pub fn connected() -> Connection {
    Connection {
        uid: "c".to_owned(),
        name: "Service".to_owned(),
        base_url: "http://service.test".to_owned(),
        header: "X-AUTH-KEY".to_owned(),
        key_at: None,
        read_only: false,
        plain_http: false,
        paths: "{}".to_owned(),
        rates: "{}".to_owned(),
        capabilities: "{}".to_owned(),
        learnt: "{}".to_owned(),
    }
}

impl World {
    /// Returns a connected world with nothing on either side.
    pub fn new(seed: u64) -> Self {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed ^ 0xabcd);
        let core = Core::in_memory(ctx).expect("a database");
        core.write_quietly(|tx| Ok(connection::set(tx, &connected())?)).expect("connected");
        let service = Service::new(seed);
        let client = Client::new(service.clone(), settings());
        Self { core, service, client }
    }

    /// Creates a list at the service with this many contacts.
    pub fn list_there(&self, name: &str, contacts: u32) -> ListId {
        self.list_from(name, 0, contacts)
    }

    /// Creates a list at the service with numbers from `first` on.
    pub fn list_from(&self, name: &str, first: u32, contacts: u32) -> ListId {
        let core = &self.service.core;
        let list = list::create(core, &By::interface(), name, UniqueNames::Off).expect("a list").uid;
        for number in first..first + contacts {
            add(core, &list, number, &format!("Contact {number}"));
        }
        list
    }

    pub async fn pull(&self) -> Pulled {
        self.pull_asked(&Asked { full: true, ..Asked::default() }).await.expect("pulled")
    }

    pub async fn pull_asked(&self, asked: &Asked) -> Result<Pulled, Failed> {
        self.core.ctx().advance(1);
        pull::pull(&self.core, &self.client, asked, &Progress::default()).await
    }

    pub async fn plan(&self) -> Plan {
        plan::make(&self.core).await.expect("a plan").plan
    }

    /// Makes a plan and begins its run, with every gate confirmed.
    pub async fn begin(&self) -> i64 {
        let Saved { id, plan: made, .. } = plan::make(&self.core).await.expect("a plan");
        let typed: Vec<String> = made.gates.iter().map(|gate| gate.wanted.clone()).collect();
        plan::begin(&self.core, id, &typed).await.expect("begun")
    }

    pub async fn go(&self, run: i64) -> Result<RunState, Failed> {
        apply::run(&self.core, &self.client, run, &Control::default(), &Progress::default())
            .await
            .map(|ended| ended.state)
    }

    pub async fn push(&self) -> RunState {
        let run = self.begin().await;
        self.go(run).await.expect("ran")
    }

    /// Returns the reasons for which steps of a run were not sent or did not arrive.
    pub fn reasons(&self, run: i64) -> Vec<String> {
        let steps = self.core.read(|tx| Ok(runs::steps(tx, run)?)).expect("read");
        steps.into_iter().filter_map(|step| step.why).collect()
    }

    /// Returns the run that has not ended.
    pub fn open(&self) -> Option<i64> {
        self.core.read(|tx| Ok(runs::open(tx)?)).expect("read").map(|run| run.id)
    }

    pub fn lists(core: &Core) -> Vec<(String, ListId)> {
        let page = PageRequest { number: 1, size: 100 };
        let query = list::ListQuery {
            name: None,
            sort: roost_model::list::ListSort::CreatedAt,
            order: roost_model::page::SortOrder::Ascending,
            page,
        };
        let lists = list::page(core, &query).expect("lists");
        lists.items.into_iter().map(|list| (list.name, list.uid)).collect()
    }

    pub fn contacts(core: &Core, list: &ListId) -> Vec<(ContactId, String, String)> {
        let mut found = Vec::new();
        let query = contact::ContactQuery { list: list.clone(), search: None, page: None };
        contact::query(core, &query, &mut |part| {
            if let Part::Contact(contact) = part {
                let number = contact.phone.as_ref().or(contact.whatsapp.as_ref());
                let name = contact.attribute(roost_model::contact::Attribute::Firstname).unwrap_or_default();
                let number = number.map(|number| number.e164.clone()).unwrap_or_default();
                found.push((contact.uid.clone(), number, name.to_owned()));
            }
            ControlFlow::Continue(())
        })
        .expect("contacts");
        found
    }

    /// Returns everything on one side, by the names of its lists.
    pub fn face(core: &Core) -> BTreeMap<String, Face> {
        let face = |list: &ListId| {
            let mut rows: Face =
                Self::contacts(core, list).into_iter().map(|(_, number, name)| (number, name)).collect();
            rows.sort();
            rows
        };
        let mut named = BTreeMap::new();
        for (mut name, list) in Self::lists(core) {
            // The second of two lists with one name gets a mark, so that a list created twice is noticed.
            while named.contains_key(&name) {
                name.push('+');
            }
            named.insert(name, face(&list));
        }
        named
    }

    /// Returns the opt-outs for the whole account.
    pub fn opt_outs(core: &Core) -> Vec<(String, Channel)> {
        let mut found = Vec::new();
        for channel in [Channel::Sms, Channel::WhatsApp] {
            let known = core.read(|tx| {
                let all = (0..1_000).map(number);
                let stands = |number: &String| -> Result<bool, Error> {
                    Ok(!roost_store::tables::opt_outs::scopes(tx, number, channel)?.is_empty())
                };
                all.filter_map(|number| stands(&number).map(|stands| stands.then_some(number)).transpose())
                    .collect::<Result<Vec<String>, Error>>()
            });
            found.extend(known.expect("read").into_iter().map(|number| (number, channel)));
        }
        found
    }

    /// Returns the opt-outs, links and senders of one side.
    pub fn rest(core: &Core) -> Vec<String> {
        let page = PageRequest { number: 1, size: 100 };
        let links = short_link::search(core, &short_link::LinkQuery { page, ..Default::default() }).expect("links");
        let senders = sender::page(core, page).expect("senders").items;
        let mut all: Vec<String> =
            Self::opt_outs(core).iter().map(|(number, channel)| format!("opt-out {number} {channel:?}")).collect();
        all.extend(links.items.iter().map(|link| format!("link {} {}", link.title, link.track_clicks)));
        all.extend(senders.iter().map(|sender| format!("sender {}", sender.name)));
        all.sort();
        all
    }

    pub fn here(&self) -> BTreeMap<String, Face> {
        Self::face(&self.core)
    }

    pub fn there(&self) -> BTreeMap<String, Face> {
        self.service.work(true);
        Self::face(&self.service.core)
    }
}

pub fn number(number: u32) -> String {
    format!("+447700900{number:03}")
}

pub fn values(pairs: &[(&str, &str)]) -> FieldValues {
    pairs.iter().map(|(field, value)| ((*field).to_owned(), Some((*value).to_owned()))).collect()
}

pub fn add(core: &Core, list: &ListId, at: u32, name: &str) {
    let values = values(&[("phone_number", &number(at)), ("firstname", name)]);
    contact::add(core, &By::user(None), list, &values, None).expect("a contact");
}

pub fn rename(core: &Core, uid: &ContactId, name: &str) {
    contact::update(core, &By::user(None), uid, &values(&[("firstname", name)]), None).expect("an edit");
}

/// Makes this many random edits as a person does.
pub fn disturb(core: &Core, dice: &mut Dice, fresh: &mut u32, edits: u64) {
    for _ in 0..edits {
        let lists = World::lists(core);
        if lists.is_empty() {
            return;
        }
        let list = &lists[dice.below(lists.len() as u64) as usize].1;
        let contacts = World::contacts(core, list);
        let any = (!contacts.is_empty()).then(|| contacts[dice.below(contacts.len() as u64) as usize].0.clone());
        match (dice.below(8), any) {
            (7, _) => beside(core, dice, fresh),
            (6, Some(uid)) if lists.len() > 1 => {
                let to = &lists[dice.below(lists.len() as u64) as usize].1;
                let number = contacts.iter().find(|(other, ..)| *other == uid).map(|(_, number, _)| number.clone());
                let taken = World::contacts(core, to).into_iter().any(|(_, other, _)| Some(other) == number);
                if !taken {
                    let target = contact::Target::Uids(vec![uid]);
                    contact::move_many(core, &By::user(None), &target, to).expect("moved");
                }
            }
            (0 | 1 | 3 | 5, Some(uid)) => rename(core, &uid, &format!("Edit {}", dice.below(1_000))),
            (2, Some(uid)) => drop(contact::delete(core, &By::user(None), &uid)),
            _ => {
                *fresh += 1;
                add(core, list, *fresh, &format!("New {fresh}"));
            }
        }
    }
}

/// Edits something other than a contact.
fn beside(core: &Core, dice: &mut Dice, fresh: &mut u32) {
    let by = By::user(None);
    *fresh += 1;
    let links = short_link::search(core, &short_link::LinkQuery::default()).expect("links").items;
    let senders = sender::page(core, PageRequest { number: 1, size: 100 }).expect("senders").items;
    match dice.below(5) {
        0 => {
            let parts = LinkParts {
                title: format!("Link {fresh}"),
                target_url: "https://a.example/".to_owned(),
                tags: vec!["one".to_owned()],
                track_clicks: dice.below(2) == 0,
            };
            short_link::create(core, &by, parts).expect("a link");
        }
        1 if !links.is_empty() => short_link::delete(core, &by, &links[0].link_id).expect("deleted"),
        2 if !senders.is_empty() => sender::delete(core, &by, &senders[0].id).expect("deleted"),
        3 => {
            let number = World::opt_outs(core).into_iter().next();
            let Some((number, channel)) = number else { return };
            remove_number(core, &number, channel);
        }
        _ => opt_out(core, *fresh, if dice.below(2) == 0 { Channel::Sms } else { Channel::WhatsApp }),
    }
}

/// Removes the opt-outs of a number as a person does: with the count of what is removed, and a reason.
pub fn remove_opt_out(core: &Core, at: u32, channel: Channel) {
    remove_number(core, &number(at), channel);
}

fn remove_number(core: &Core, number: &str, channel: Channel) {
    let numbers = vec![number.to_owned()];
    let unwanted = opt_out::Unwanted::Numbers { numbers, channel: Some(channel), asset: None, region: None };
    let shown = opt_out::preview_removal(core, &unwanted).expect("looked");
    opt_out::remove(core, &By::user(None), &unwanted, shown.count, &shown.stamp, "asked for it").expect("removed");
}

pub fn opt_out(core: &Core, at: u32, channel: Channel) {
    opt_out::web_form(core, &By::user(None), &number(at), channel).expect("an opt-out");
}

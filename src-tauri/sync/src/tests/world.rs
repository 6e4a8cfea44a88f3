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
    Actor, Core, Ctx, Error,
    contact::{self, FieldValues, QueryPart},
    ctx::Clock,
    list::{self, UniqueNames},
    opt_out, sender, short_link,
};
use roost_reconcile::{SyncPlan, pace::CallRate};
use roost_store::tables::sync::{
    connection::{self, ServiceConnection},
    runs::{self, RunState},
};

use super::service::{SeededDice, TestService};
use crate::{
    Client, Progress, SyncError,
    apply::{self, RunControl},
    plan::{self, SavedPlan},
    pull::{self, PullOptions, PullResult},
    remote::ConnectionSettings,
};

pub(super) struct World {
    pub core: Core,
    pub service: Arc<TestService>,
    pub client: Client,
}

/// The contacts of a list by number and first name, sorted, without what differs between the sides.
pub(super) type ListFace = Vec<(String, String)>;

/// Runs a future on a clock that advances whenever nothing else can run.
pub(super) fn run_paused<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime")
        .block_on(work)
}

pub(super) fn build_settings() -> ConnectionSettings {
    let mut settings = ConnectionSettings::new("http://service.test").expect("an address");
    settings.rate = CallRate::default();
    settings
}

/// Returns the connection of an account to a service.
pub(super) fn build_connection() -> ServiceConnection {
    ServiceConnection {
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
    pub(super) fn new(seed: u64) -> Self {
        let ctx = Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed ^ 0xabcd);
        let core = Core::in_memory(ctx).expect("a database");
        core.write_quietly(|tx| Ok(connection::set(tx, &build_connection())?)).expect("connected");
        let service = TestService::new(seed);
        let client = Client::new(service.clone(), build_settings());
        Self { core, service, client }
    }

    /// Creates a list at the service with this many contacts.
    pub(super) fn create_remote_list(&self, name: &str, contacts: u32) -> ListId {
        self.create_remote_list_from(name, 0, contacts)
    }

    /// Creates a list at the service with numbers from `first` on.
    pub(super) fn create_remote_list_from(&self, name: &str, first: u32, contacts: u32) -> ListId {
        let core = &self.service.core;
        let list = list::create(core, &Actor::interface(), name, UniqueNames::Off).expect("a list").uid;
        for number in first..first + contacts {
            add_contact(core, &list, number, &format!("Contact {number}"));
        }
        list
    }

    pub(super) async fn pull(&self) -> PullResult {
        self.pull_with(&PullOptions { full: true, ..PullOptions::default() }).await.expect("pulled")
    }

    pub(super) async fn pull_with(&self, options: &PullOptions) -> Result<PullResult, SyncError> {
        self.core.ctx().advance(1);
        pull::run_pull(&self.core, &self.client, options, &Progress::default()).await
    }

    pub(super) async fn make_plan(&self) -> SyncPlan {
        plan::make(&self.core).await.expect("a plan").plan
    }

    /// Makes a plan and begins its run, with every gate confirmed.
    pub(super) async fn begin_run(&self) -> i64 {
        let SavedPlan { id, plan: made, .. } = plan::make(&self.core).await.expect("a plan");
        let typed: Vec<String> = made.gates.iter().map(|gate| gate.wanted.clone()).collect();
        plan::begin_run(&self.core, id, &typed).await.expect("begun")
    }

    pub(super) async fn drive_run(&self, run: i64) -> Result<RunState, SyncError> {
        apply::drive_run(&self.core, &self.client, run, &RunControl::default(), &Progress::default())
            .await
            .map(|ended| ended.state)
    }

    pub(super) async fn push(&self) -> RunState {
        let run = self.begin_run().await;
        self.drive_run(run).await.expect("ran")
    }

    /// Returns the reasons for which steps of a run were not sent or did not arrive.
    pub(super) fn failure_reasons(&self, run: i64) -> Vec<String> {
        let steps = self.core.read(|tx| Ok(runs::read_steps(tx, run)?)).expect("read");
        steps.into_iter().filter_map(|step| step.why).collect()
    }

    /// Returns the run that has not ended.
    pub(super) fn open_run(&self) -> Option<i64> {
        self.core.read(|tx| Ok(runs::find_open_run(tx)?)).expect("read").map(|run| run.id)
    }

    pub(super) fn read_lists(core: &Core) -> Vec<(String, ListId)> {
        let page = PageRequest { number: 1, size: 100 };
        let query = list::ListQuery {
            name: None,
            sort: roost_model::list::ListSort::CreatedAt,
            order: roost_model::page::SortOrder::Ascending,
            page,
        };
        let lists = list::read_page(core, &query).expect("lists");
        lists.items.into_iter().map(|list| (list.name, list.uid)).collect()
    }

    pub(super) fn read_contacts(core: &Core, list: &ListId) -> Vec<(ContactId, String, String)> {
        let mut found = Vec::new();
        let query = contact::ContactQuery { list: list.clone(), search: None, page: None };
        contact::visit_contacts(core, &query, &mut |part| {
            if let QueryPart::Contact(contact) = part {
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
    pub(super) fn read_contents(core: &Core) -> BTreeMap<String, ListFace> {
        let face = |list: &ListId| {
            let mut rows: ListFace =
                Self::read_contacts(core, list).into_iter().map(|(_, number, name)| (number, name)).collect();
            rows.sort();
            rows
        };
        let mut named = BTreeMap::new();
        for (mut name, list) in Self::read_lists(core) {
            // The second of two lists with one name gets a mark, so that a list created twice is noticed.
            while named.contains_key(&name) {
                name.push('+');
            }
            named.insert(name, face(&list));
        }
        named
    }

    /// Returns the opt-outs for the whole account.
    pub(super) fn read_opt_outs(core: &Core) -> Vec<(String, Channel)> {
        let mut found = Vec::new();
        for channel in [Channel::Sms, Channel::WhatsApp] {
            let known = core.read(|tx| {
                let all = (0..1_000).map(phone_number);
                let stands = |number: &String| -> Result<bool, Error> {
                    Ok(!roost_store::tables::opt_outs::read_scopes(tx, number, channel)?.is_empty())
                };
                all.filter_map(|number| stands(&number).map(|stands| stands.then_some(number)).transpose())
                    .collect::<Result<Vec<String>, Error>>()
            });
            found.extend(known.expect("read").into_iter().map(|number| (number, channel)));
        }
        found
    }

    /// Returns the opt-outs, links and senders of one side.
    pub(super) fn read_other_records(core: &Core) -> Vec<String> {
        let page = PageRequest { number: 1, size: 100 };
        let links = short_link::search(core, &short_link::LinkQuery { page, ..Default::default() }).expect("links");
        let senders = sender::read_page(core, page).expect("senders").items;
        let mut all: Vec<String> =
            Self::read_opt_outs(core).iter().map(|(number, channel)| format!("opt-out {number} {channel:?}")).collect();
        all.extend(links.items.iter().map(|link| format!("link {} {}", link.title, link.track_clicks)));
        all.extend(senders.iter().map(|sender| format!("sender {}", sender.name)));
        all.sort();
        all
    }

    pub(super) fn local_contents(&self) -> BTreeMap<String, ListFace> {
        Self::read_contents(&self.core)
    }

    pub(super) fn remote_contents(&self) -> BTreeMap<String, ListFace> {
        self.service.run_jobs(true);
        Self::read_contents(&self.service.core)
    }
}

pub(super) fn phone_number(number: u32) -> String {
    format!("+447700900{number:03}")
}

pub(super) fn to_field_values(pairs: &[(&str, &str)]) -> FieldValues {
    pairs.iter().map(|(field, value)| ((*field).to_owned(), Some((*value).to_owned()))).collect()
}

pub(super) fn add_contact(core: &Core, list: &ListId, at: u32, name: &str) {
    let values = to_field_values(&[("phone_number", &phone_number(at)), ("firstname", name)]);
    contact::add(core, &Actor::user(None), list, &values, None).expect("a contact");
}

pub(super) fn rename_contact(core: &Core, uid: &ContactId, name: &str) {
    contact::update(core, &Actor::user(None), uid, &to_field_values(&[("firstname", name)]), None).expect("an edit");
}

/// Makes this many random edits as a person does.
pub(super) fn edit_randomly(core: &Core, dice: &mut SeededDice, fresh: &mut u32, edits: u64) {
    for _ in 0..edits {
        let lists = World::read_lists(core);
        if lists.is_empty() {
            return;
        }
        let list = &lists[dice.below(lists.len() as u64) as usize].1;
        let contacts = World::read_contacts(core, list);
        let any = (!contacts.is_empty()).then(|| contacts[dice.below(contacts.len() as u64) as usize].0.clone());
        match (dice.below(8), any) {
            (7, _) => edit_other_record(core, dice, fresh),
            (6, Some(uid)) if lists.len() > 1 => {
                let to = &lists[dice.below(lists.len() as u64) as usize].1;
                let number = contacts.iter().find(|(other, ..)| *other == uid).map(|(_, number, _)| number.clone());
                let taken = World::read_contacts(core, to).into_iter().any(|(_, other, _)| Some(other) == number);
                if !taken {
                    let target = contact::ContactTarget::Uids(vec![uid]);
                    contact::move_many(core, &Actor::user(None), &target, to).expect("moved");
                }
            }
            (0 | 1 | 3 | 5, Some(uid)) => rename_contact(core, &uid, &format!("Edit {}", dice.below(1_000))),
            (2, Some(uid)) => drop(contact::delete(core, &Actor::user(None), &uid)),
            _ => {
                *fresh += 1;
                add_contact(core, list, *fresh, &format!("New {fresh}"));
            }
        }
    }
}

/// Edits something other than a contact.
fn edit_other_record(core: &Core, dice: &mut SeededDice, fresh: &mut u32) {
    let by = Actor::user(None);
    *fresh += 1;
    let links = short_link::search(core, &short_link::LinkQuery::default()).expect("links").items;
    let senders = sender::read_page(core, PageRequest { number: 1, size: 100 }).expect("senders").items;
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
            let number = World::read_opt_outs(core).into_iter().next();
            let Some((number, channel)) = number else { return };
            remove_number(core, &number, channel);
        }
        _ => add_opt_out(core, *fresh, if dice.below(2) == 0 { Channel::Sms } else { Channel::WhatsApp }),
    }
}

/// Removes the opt-outs of a number as a person does: with the count of what is removed, and a reason.
pub(super) fn remove_opt_out(core: &Core, at: u32, channel: Channel) {
    remove_number(core, &phone_number(at), channel);
}

fn remove_number(core: &Core, number: &str, channel: Channel) {
    let numbers = vec![number.to_owned()];
    let unwanted = opt_out::RemovalSelection::Numbers { numbers, channel: Some(channel), asset: None, region: None };
    let shown = opt_out::preview_removal(core, &unwanted).expect("looked");
    opt_out::remove(core, &Actor::user(None), &unwanted, shown.count, &shown.stamp, "asked for it").expect("removed");
}

pub(super) fn add_opt_out(core: &Core, at: u32, channel: Channel) {
    opt_out::add_web_opt_out(core, &Actor::user(None), &phone_number(at), channel).expect("an opt-out");
}

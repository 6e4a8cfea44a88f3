//! An account with its service, and the operations on both.

//! An account and its service, and what may be asked of both.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use roost_emulator::Settings as Playing;
use roost_model::{id::ListId, time::Timestamp};
use roost_ops::{
    By, Core, Ctx,
    ctx::Clock,
    list::{self, UniqueNames},
};
use roost_reconcile::{
    Plan,
    input::{Capabilities, Choice, ListChoice, OptOutAnswer, Reach},
    merge::{Answer, RowAnswer},
    plan::{Blocked, Conflict, Disputed, Subject},
};
use roost_store::tables::sync::{
    connection::{self, Connection},
    runs::{self, RunState},
};
use roost_sync::{
    Client, Failed, Progress,
    apply::{self, Control},
    decide::{self, Decision},
    gather::Standing,
    merge::Merged,
    plan::{self, Saved},
    pull::{self, Asked, Pulled},
    remote::Settings,
};
use tokio::time::sleep;

use super::{
    edits::add,
    face::Face,
    service::{Dice, Network, Service, Time},
};

pub struct World {
    pub core: Core,
    pub service: Arc<Service>,
    pub client: Client,
    time: Time,
}

/// Runs work on a clock that moves when no task has anything to do, with a single additional thread, so that everything
/// happens in one order.
pub fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .max_blocking_threads(1)
        .build()
        .expect("a runtime")
        .block_on(work)
}

/// Returns the behaviour of the service. The seed chooses between the possibilities where the true behaviour is
/// unknown.
pub fn playing(seed: u64) -> Playing {
    let mut dice = Dice::new(seed ^ 0x51de);
    let mut playing = Playing::default();
    for (name, values) in [
        ("status.list_create", &["200", "201"][..]),
        ("status.contact_create", &["200", "201", "202"]),
        ("status.opt_out_delete", &["200", "202"]),
        ("unknown_on_delete", &["400", "404"]),
        ("opt_outs.entries", &["first", "all"]),
        ("opt_outs.asset_fields", &["keyword", "asset"]),
    ] {
        playing.set(name, dice.pick::<&str>(values)).expect("a setting");
    }
    playing
}

/// With every other seed the account knows that the service returns all contacts at once.
pub fn connect(core: &Core, seed: u64) {
    let can = Capabilities { all_pages_read: Dice::new(seed ^ 0xa11).one_in(2), ..Capabilities::default() };
    let connection = Connection {
        uid: "c".to_owned(),
        name: "Service".to_owned(),
        base_url: "http://127.0.0.1:4010".to_owned(),
        header: "X-AUTH-KEY".to_owned(),
        key_at: None,
        read_only: false,
        plain_http: false,
        paths: "{}".to_owned(),
        rates: "{}".to_owned(),
        capabilities: serde_json::to_string(&can).expect("JSON"),
        learnt: "{}".to_owned(),
    };
    core.write_quietly(|tx| Ok(connection::set(tx, &connection)?)).expect("connected");
}

/// Sets the result of a probe.
pub fn set_capabilities(core: &Core, can: &Capabilities) {
    core.write_quietly(|tx| {
        let known = connection::get(tx)?.expect("connected");
        let capabilities = serde_json::to_string(can).expect("JSON");
        Ok(connection::set(tx, &Connection { capabilities, ..known })?)
    })
    .expect("learnt");
}

/// Returns the context of the account in every world.
pub fn ctx(seed: u64) -> Ctx {
    Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed ^ 0xabcd)
}

impl World {
    /// Creates a connected account with nothing on either side.
    pub fn new(seed: u64) -> Self {
        Self::with(seed, Core::in_memory(ctx(seed)).expect("a database"))
    }

    /// Creates such a world. The account does not know that the service returns all contacts at once.
    pub fn by_pages(seed: u64) -> Self {
        let world = Self::new(seed);
        set_capabilities(&world.core, &Capabilities::default());
        world
    }

    pub fn with(seed: u64, core: Core) -> Self {
        connect(&core, seed);
        let service = Service::new(seed, playing(seed));
        Self::of(core, service)
    }

    /// Starts the program again on an existing account.
    pub fn of(core: Core, service: Arc<Service>) -> Self {
        let time = Time::of(vec![core.clone(), service.core.clone()]);
        service.keep_time(time.clone());
        let client = client(&service);
        Self { core, service, client, time }
    }

    /// Simulates a restart of the program: the account keeps its state, and the client is new.
    pub async fn restart(&mut self) {
        self.pass(61).await;
        self.client = client(&self.service);
    }

    /// Advances the time by this many seconds.
    pub async fn pass(&self, seconds: u64) {
        sleep(Duration::from_secs(seconds)).await;
        self.time.tell();
    }

    /// Creates a list at the service with this many contacts.
    pub fn list_there(&self, name: &str, contacts: u32) -> ListId {
        let core = &self.service.core;
        let list = list::create(core, &By::interface(), name, UniqueNames::Off).expect("a list").uid;
        for number in 0..contacts {
            add(core, &list, number, &format!("Contact {number}"));
        }
        list
    }

    pub async fn pull(&self) -> Pulled {
        self.pull_asked(&Asked { full: true, ..Asked::default() }).await.expect("pulled")
    }

    pub async fn pull_asked(&self, asked: &Asked) -> Result<Pulled, Failed> {
        self.time.tell();
        pull::pull(&self.core, &self.client, asked, &Progress::default()).await
    }

    pub async fn plan(&self) -> Plan {
        plan::make(&self.core).await.expect("a plan").plan
    }

    /// Makes the plan in which a person has chosen a way for every change that the interface cannot express, so that
    /// the service gets the local state.
    pub async fn chosen(&self) -> (i64, Plan) {
        for _ in 0..8 {
            let Saved { id, plan: made, .. } = plan::make(&self.core).await.expect("a plan");
            let chosen = made.blocked.iter().filter(|blocked| self.choose(blocked)).count();
            if chosen == 0 {
                return (id, made);
            }
        }
        panic!("there is always more to choose: {:#?}", self.plan().await.blocked)
    }

    fn choose(&self, blocked: &Blocked) -> bool {
        match blocked.subject {
            Subject::Contact { id, .. } => {
                let offered = |way: &Choice| blocked.choices.iter().any(|(choice, _)| choice == way);
                let ways = [Choice::KeepBoth, Choice::Replace];
                let Some(way) = ways.into_iter().find(|way| offered(way) && blocked.chosen != Some(*way)) else {
                    return false;
                };
                decide::contacts(&self.core, &[id], &Decision::Choice(Some(way))).expect("decided");
            }
            Subject::List { id } if blocked.list_choices.iter().any(|(way, _)| *way == ListChoice::Recreate) => {
                decide::list(&self.core, id, Some(ListChoice::Recreate)).expect("decided");
            }
            _ => return false,
        }
        true
    }

    /// Answers every question of the plan at random.
    pub fn answer(&self, plan: &Plan, dice: &mut Dice) {
        for Conflict { subject, disputed } in &plan.conflicts {
            let mine = dice.one_in(2);
            match (subject, disputed) {
                (Subject::Contact { id, .. }, Disputed::Fields { forks }) => {
                    for fork in forks {
                        let answer = if mine { Answer::Mine } else { Answer::Theirs };
                        decide::contacts(&self.core, &[*id], &Decision::Field(fork.field, Some(answer)))
                            .expect("decided");
                    }
                }
                (Subject::Contact { id, .. }, _) => {
                    let answer = if mine { RowAnswer::Mine } else { RowAnswer::Theirs };
                    decide::contacts(&self.core, &[*id], &Decision::Row(Some(answer))).expect("decided");
                }
                (Subject::List { id }, Disputed::ListGone { .. }) => {
                    let choice = if mine { ListChoice::Recreate } else { ListChoice::Discard };
                    decide::list(&self.core, *id, Some(choice)).expect("decided");
                }
                (Subject::List { id }, _) => {
                    decide::list(&self.core, *id, Some(ListChoice::DeleteAnyway)).expect("decided");
                }
                (Subject::OptOut { number, channel, reach }, _) => {
                    let scope = if let Reach::Asset(asset) = reach { asset.clone() } else { String::new() };
                    let standing = Standing { number: number.clone(), channel: *channel, scope };
                    if mine {
                        decide::opt_out(&self.core, &standing, Some(OptOutAnswer::CreateAgain)).expect("decided");
                    } else {
                        let by = By::user(None);
                        decide::remove_opt_out(&self.core, &by, &standing, 1, "Subscribed again").expect("removed");
                    }
                }
                (Subject::Link { .. } | Subject::Sender { .. }, _) => {}
            }
        }
    }

    /// Plans and begins a run with every gate typed. Checks that no gate opens without its text.
    pub async fn begin(&self) -> i64 {
        self.time.tell();
        let (id, made) = self.chosen().await;
        let typed: Vec<String> = made.gates.iter().map(|gate| gate.wanted.clone()).collect();
        for gate in 0..typed.len() {
            let others: Vec<String> = [&typed[..gate], &typed[gate + 1..]].concat();
            let shut = plan::begin(&self.core, id, &others).await;
            assert!(matches!(shut, Err(Failed::Gate(_))), "{:?} opens without its word: {shut:?}", made.gates[gate]);
        }
        plan::begin(&self.core, id, &typed).await.expect("begun")
    }

    pub async fn go(&self, run: i64) -> Result<RunState, Failed> {
        self.time.tell();
        apply::run(&self.core, &self.client, run, &Control::default(), &Progress::default())
            .await
            .map(|ended| ended.state)
    }

    pub async fn push(&self) -> RunState {
        let run = self.begin().await;
        self.go(run).await.expect("ran")
    }

    /// Resumes the open run until it has ended.
    pub async fn end(&mut self) {
        for _ in 0..20 {
            let Some(open) = open(&self.core) else { return };
            let _ = self.go(open).await;
            self.restart().await;
        }
        panic!("the run never ends: {:?}", self.core.read(|tx| Ok(runs::open(tx)?)));
    }

    /// Ends the open run. If it cannot continue because its list was deleted at the service, a person cancels it.
    pub async fn end_or_give_up(&mut self) {
        for _ in 0..3 {
            let Some(open) = open(&self.core) else { return };
            let _ = self.go(open).await;
            self.restart().await;
        }
        if let Some(open) = open(&self.core) {
            apply::cancel(&self.core, open).await.expect("given up");
        }
    }

    pub fn here(&self) -> Face {
        Face::of(&self.core)
    }

    pub async fn there(&self) -> Face {
        self.service.settle().await;
        Face::of(&self.service.core)
    }

    /// Checks that the service has the local state exactly once and that nothing is left to do.
    pub async fn arrives(&self, wanted: &Face, case: impl std::fmt::Display) {
        let there = self.there().await;
        assert_eq!(there, *wanted, "{case}: what is there");
        assert_eq!(self.here(), *wanted, "{case}: what is here");
        let plan = self.plan().await;
        assert!(plan.is_quiet(), "{case}: {plan:#?}");
        assert_eq!(self.pull().await.merged, Merged::default(), "{case}: nothing plays ping-pong");
        let plan = self.plan().await;
        assert!(plan.is_quiet(), "{case}: {plan:#?}");
        assert_eq!(self.here(), *wanted, "{case}: after one more reading");
    }
}

pub fn client(service: &Arc<Service>) -> Client {
    Client::new(Arc::new(Network(service.clone())), Settings::new(service.url()).expect("an address"))
}

/// Returns the run that has not ended.
pub fn open(core: &Core) -> Option<i64> {
    core.read(|tx| Ok(runs::open(tx)?)).expect("read").map(|run| run.id)
}

/// A future that is dropped at a given await, as if the program had been killed there.
pub struct Dying<F> {
    work: Pin<Box<F>>,
    awaits: u64,
}

impl<F: Future> Future for Dying<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.awaits == 0 {
            return Poll::Ready(None);
        }
        let polled = self.work.as_mut().poll(context);
        self.awaits -= u64::from(polled.is_pending());
        polled.map(Some)
    }
}

/// Returns nothing if it was dropped before its end.
pub fn dying<F: Future>(work: F, awaits: u64) -> Dying<F> {
    Dying { work: Box::pin(work), awaits }
}

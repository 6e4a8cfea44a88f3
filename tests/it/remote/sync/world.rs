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
    Actor, Core, Ctx,
    ctx::Clock,
    list::{self, UniqueNames},
};
use roost_reconcile::{
    SyncPlan,
    input::{ChangeChoice, ListChoice, OptOutAnswer, OptOutTarget, ServiceCapabilities},
    merge::{ForkAnswer, RowAnswer},
    plan::{BlockedChange, ConflictKind, PlanConflict, PlanSubject},
};
use roost_store::tables::sync::{
    connection::{self, ServiceConnection},
    runs::{self, RunState},
};
use roost_sync::{
    Client, Progress, SyncError,
    apply::{self, RunControl},
    decide::{self, ContactDecision},
    gather::OptOutRecordKey,
    merge::MergeCounts,
    plan::{self, SavedPlan},
    pull::{self, PullOptions, PullResult},
    remote::ConnectionSettings,
};
use tokio::time::sleep;

use super::{
    edits::add_contact,
    face::AccountFace,
    service::{RequestDice, SimulatedNetwork, SimulatedService, VirtualTime},
};

pub(super) struct SimulatedWorld {
    pub core: Core,
    pub service: Arc<SimulatedService>,
    pub client: Client,
    time: VirtualTime,
}

/// Runs work on a clock that moves when no task has anything to do, with a single additional thread, so that everything
/// happens in one order.
pub(super) fn run_simulated<T>(work: impl Future<Output = T>) -> T {
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
pub(super) fn service_behaviour(seed: u64) -> Playing {
    let mut dice = RequestDice::new(seed ^ 0x51de);
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
pub(super) fn connect_account(core: &Core, seed: u64) {
    let can = ServiceCapabilities {
        all_pages_read: RequestDice::new(seed ^ 0xa11).one_in(2),
        ..ServiceCapabilities::default()
    };
    let connection = ServiceConnection {
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
pub(super) fn set_capabilities(core: &Core, can: &ServiceCapabilities) {
    core.write_quietly(|tx| {
        let known = connection::get(tx)?.expect("connected");
        let capabilities = serde_json::to_string(can).expect("JSON");
        Ok(connection::set(tx, &ServiceConnection { capabilities, ..known })?)
    })
    .expect("learnt");
}

/// Returns the context of the account in every world.
pub(super) fn world_context(seed: u64) -> Ctx {
    Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_600_000)), seed ^ 0xabcd)
}

impl SimulatedWorld {
    /// Creates a connected account with nothing on either side.
    pub(super) fn new(seed: u64) -> Self {
        Self::with_core(seed, Core::in_memory(world_context(seed)).expect("a database"))
    }

    /// Creates such a world. The account does not know that the service returns all contacts at once.
    pub(super) fn read_by_pages(seed: u64) -> Self {
        let world = Self::new(seed);
        set_capabilities(&world.core, &ServiceCapabilities::default());
        world
    }

    pub(super) fn with_core(seed: u64, core: Core) -> Self {
        connect_account(&core, seed);
        let service = SimulatedService::new(seed, service_behaviour(seed));
        Self::restarted_on(core, service)
    }

    /// Starts the program again on an existing account.
    pub(super) fn restarted_on(core: Core, service: Arc<SimulatedService>) -> Self {
        let time = VirtualTime::for_clocks(vec![core.clone(), service.core.clone()]);
        service.attach_clock(time.clone());
        let client = client_of(&service);
        Self { core, service, client, time }
    }

    /// Simulates a restart of the program: the account keeps its state, and the client is new.
    pub(super) async fn restart(&mut self) {
        self.pass_time(61).await;
        self.client = client_of(&self.service);
    }

    /// Advances the time by this many seconds.
    pub(super) async fn pass_time(&self, seconds: u64) {
        sleep(Duration::from_secs(seconds)).await;
        self.time.set_clocks();
    }

    /// Creates a list at the service with this many contacts.
    pub(super) fn create_service_list(&self, name: &str, contacts: u32) -> ListId {
        let core = &self.service.core;
        let list = list::create(core, &Actor::interface(), name, UniqueNames::Off).expect("a list").uid;
        for number in 0..contacts {
            add_contact(core, &list, number, &format!("Contact {number}"));
        }
        list
    }

    pub(super) async fn run_pull(&self) -> PullResult {
        self.pull_with(&PullOptions { full: true, ..PullOptions::default() }).await.expect("pulled")
    }

    pub(super) async fn pull_with(&self, options: &PullOptions) -> Result<PullResult, SyncError> {
        self.time.set_clocks();
        pull::run_pull(&self.core, &self.client, options, &Progress::default()).await
    }

    pub(super) async fn make_plan(&self) -> SyncPlan {
        plan::make(&self.core).await.expect("a plan").plan
    }

    /// Makes the plan in which a person has chosen a way for every change that the interface cannot express, so that
    /// the service gets the local state.
    pub(super) async fn make_chosen_plan(&self) -> (i64, SyncPlan) {
        for _ in 0..8 {
            let SavedPlan { id, plan: made, .. } = plan::make(&self.core).await.expect("a plan");
            let chosen = made.blocked.iter().filter(|blocked| self.choose_way(blocked)).count();
            if chosen == 0 {
                return (id, made);
            }
        }
        panic!("there is always more to choose: {:#?}", self.make_plan().await.blocked)
    }

    fn choose_way(&self, blocked: &BlockedChange) -> bool {
        match blocked.subject {
            PlanSubject::Contact { id, .. } => {
                let offered = |way: &ChangeChoice| blocked.choices.iter().any(|(choice, _)| choice == way);
                let ways = [ChangeChoice::KeepBoth, ChangeChoice::Replace];
                let Some(way) = ways.into_iter().find(|way| offered(way) && blocked.chosen != Some(*way)) else {
                    return false;
                };
                decide::decide_contacts(&self.core, &[id], &ContactDecision::Choice(Some(way))).expect("decided");
            }
            PlanSubject::List { id } if blocked.list_choices.iter().any(|(way, _)| *way == ListChoice::Recreate) => {
                decide::choose_for_list(&self.core, id, Some(ListChoice::Recreate)).expect("decided");
            }
            _ => return false,
        }
        true
    }

    /// Answers every question of the plan at random.
    pub(super) fn answer_questions(&self, plan: &SyncPlan, dice: &mut RequestDice) {
        for PlanConflict { subject, disputed } in &plan.conflicts {
            let mine = dice.one_in(2);
            match (subject, disputed) {
                (PlanSubject::Contact { id, .. }, ConflictKind::Fields { forks }) => {
                    for fork in forks {
                        let answer = if mine { ForkAnswer::Mine } else { ForkAnswer::Theirs };
                        decide::decide_contacts(&self.core, &[*id], &ContactDecision::Field(fork.field, Some(answer)))
                            .expect("decided");
                    }
                }
                (PlanSubject::Contact { id, .. }, _) => {
                    let answer = if mine { RowAnswer::Mine } else { RowAnswer::Theirs };
                    decide::decide_contacts(&self.core, &[*id], &ContactDecision::Row(Some(answer))).expect("decided");
                }
                (PlanSubject::List { id }, ConflictKind::ListGone { .. }) => {
                    let choice = if mine { ListChoice::Recreate } else { ListChoice::Discard };
                    decide::choose_for_list(&self.core, *id, Some(choice)).expect("decided");
                }
                (PlanSubject::List { id }, _) => {
                    decide::choose_for_list(&self.core, *id, Some(ListChoice::DeleteAnyway)).expect("decided");
                }
                (PlanSubject::OptOut { number, channel, reach }, _) => {
                    let scope = if let OptOutTarget::Asset(asset) = reach { asset.clone() } else { String::new() };
                    let key = OptOutRecordKey { number: number.clone(), channel: *channel, scope };
                    if mine {
                        decide::answer_opt_outs(&self.core, &[key], Some(OptOutAnswer::CreateAgain)).expect("decided");
                    } else {
                        let by = Actor::user(None);
                        decide::remove_opt_out(&self.core, &by, &key, 1, "Subscribed again").expect("removed");
                    }
                }
                (PlanSubject::Link { .. } | PlanSubject::Sender { .. }, _) => {}
            }
        }
    }

    /// Plans and begins a run with every gate typed. Checks that no gate opens without its text.
    pub(super) async fn begin_run(&self) -> i64 {
        self.time.set_clocks();
        let (id, made) = self.make_chosen_plan().await;
        let typed: Vec<String> = made.gates.iter().map(|gate| gate.wanted.clone()).collect();
        for gate in 0..typed.len() {
            let others: Vec<String> = [&typed[..gate], &typed[gate + 1..]].concat();
            let shut = plan::begin_run(&self.core, id, &others).await;
            assert!(matches!(shut, Err(SyncError::Gate(_))), "{:?} opens without its word: {shut:?}", made.gates[gate]);
        }
        plan::begin_run(&self.core, id, &typed).await.expect("begun")
    }

    pub(super) async fn continue_run(&self, run: i64) -> Result<RunState, SyncError> {
        self.time.set_clocks();
        apply::drive_run(&self.core, &self.client, run, &RunControl::default(), &Progress::default())
            .await
            .map(|ended| ended.state)
    }

    pub(super) async fn push_all(&self) -> RunState {
        let run = self.begin_run().await;
        self.continue_run(run).await.expect("ran")
    }

    /// Resumes the open run until it has ended.
    pub(super) async fn end_run(&mut self) {
        for _ in 0..20 {
            let Some(open) = open_account(&self.core) else { return };
            let _ = self.continue_run(open).await;
            self.restart().await;
        }
        panic!("the run never ends: {:?}", self.core.read(|tx| Ok(runs::find_open_run(tx)?)));
    }

    /// Ends the open run. If it cannot continue because its list was deleted at the service, a person cancels it.
    pub(super) async fn end_or_cancel(&mut self) {
        for _ in 0..3 {
            let Some(open) = open_account(&self.core) else { return };
            let _ = self.continue_run(open).await;
            self.restart().await;
        }
        if let Some(open) = open_account(&self.core) {
            apply::cancel_run(&self.core, open).await.expect("cancelled");
        }
    }

    pub(super) fn local_face(&self) -> AccountFace {
        AccountFace::read(&self.core)
    }

    pub(super) async fn service_face(&self) -> AccountFace {
        self.service.wait_until_idle().await;
        AccountFace::read(&self.service.core)
    }

    /// Checks that the service has the local state exactly once and that nothing is left to do.
    pub(super) async fn assert_arrives(&self, wanted: &AccountFace, case: impl std::fmt::Display) {
        let there = self.service_face().await;
        assert_eq!(there, *wanted, "{case}: what is there");
        assert_eq!(self.local_face(), *wanted, "{case}: what is here");
        let plan = self.make_plan().await;
        assert!(plan.has_no_work(), "{case}: {plan:#?}");
        assert_eq!(self.run_pull().await.merged, MergeCounts::default(), "{case}: nothing plays ping-pong");
        let plan = self.make_plan().await;
        assert!(plan.has_no_work(), "{case}: {plan:#?}");
        assert_eq!(self.local_face(), *wanted, "{case}: after one more reading");
    }
}

pub(super) fn client_of(service: &Arc<SimulatedService>) -> Client {
    Client::new(
        Arc::new(SimulatedNetwork(service.clone())),
        ConnectionSettings::new(service.url()).expect("an address"),
    )
}

/// Returns the run that has not ended.
pub(super) fn open_account(core: &Core) -> Option<i64> {
    core.read(|tx| Ok(runs::find_open_run(tx)?)).expect("read").map(|run| run.id)
}

/// A future that is dropped at a given await, as if the program had been killed there.
pub(super) struct KilledFuture<F> {
    work: Pin<Box<F>>,
    awaits: u64,
}

impl<F: Future> Future for KilledFuture<F> {
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
pub(super) fn kill_after<F: Future>(work: F, awaits: u64) -> KilledFuture<F> {
    KilledFuture { work: Box::pin(work), awaits }
}

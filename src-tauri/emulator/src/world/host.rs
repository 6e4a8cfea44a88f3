//! The parts of a server that exist once, however many worlds it has.

use std::sync::{
    Arc,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use roost_outbound::CallbackClient;
use tokio::{runtime::Handle as Runtime, sync::watch};

use super::{Console, UnfinishedWorlds, Worlds};
use crate::{
    access::{AdminTokens, Gate, PublicUrl, WorldId, WorldPrefix},
    fidelity::CheckReport,
    hooks::ReceiverHome,
    http::{
        RequestTally,
        bounds::{Bounds, ServerCapacity},
        wait_for_stop,
    },
};

/// The server: its doors and its worlds.
pub(crate) struct Host {
    pub resources: Arc<HostResources>,
    pub gate: Gate,
    pub tokens: AdminTokens,
    pub console: Option<Console>,
    pub worlds: Worlds,
}

/// The options that a server is started with, for all of its worlds.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    /// The address at which callers reach it, if it differs from the one it listens on.
    pub public_url: Option<PublicUrl>,
    pub world_prefix: Option<WorldPrefix>,
    /// The fault profile that every world begins with.
    pub profile: Option<&'static str>,
    /// Whether callers may ask for faults by the header Prefer.
    pub allows_prefer: bool,
}

impl StartOptions {
    /// Returns the name of a world with the prefix of the server, if it has one.
    pub fn world_name(&self, name: &str) -> String {
        self.world_prefix.as_ref().map_or_else(|| name.to_owned(), |prefix| prefix.put_before(name))
    }
}

/// The parts that all worlds share.
pub(crate) struct HostResources {
    /// The address that the server listens on: `http://127.0.0.1:4010`.
    pub url: String,
    /// The options with which the server was started.
    pub start: StartOptions,
    /// Other host names that the server accepts.
    hosts: Vec<String>,
    pub outbound: CallbackClient,
    /// Whether other machines can reach the server.
    pub is_reachable: bool,
    /// Becomes true when the server stops.
    pub stopped: watch::Receiver<bool>,
    /// The runtime for the work of the worlds; none if the caller does the work.
    pub runtime: Option<Runtime>,
    /// The bytes that the snapshots of all worlds take.
    pub snapshot_bytes: Arc<AtomicUsize>,
    /// Requests to the interface and to short URLs in all worlds.
    requests: AtomicU64,
    /// The counts of all worlds, including removed ones.
    pub tally: RequestTally,
    /// The work that removed worlds left unfinished.
    pub unfinished: UnfinishedWorlds,
    /// The most that all callers together may hold.
    pub capacity: Arc<ServerCapacity>,
    /// The observations about the service that this server imitates.
    pub observed: Option<Arc<CheckReport>>,
    /// The number of running tasks of worlds.
    working: watch::Sender<usize>,
}

impl HostResources {
    pub(crate) fn new(
        url: String,
        outbound: CallbackClient,
        is_reachable: bool,
        stopped: watch::Receiver<bool>,
        runtime: Option<Runtime>,
        bounds: Bounds,
    ) -> Self {
        let (snapshot_bytes, working) = (Arc::default(), watch::Sender::new(0));
        let (requests, tally) = (AtomicU64::new(0), RequestTally::default());
        let room = Arc::new(ServerCapacity::new(bounds));
        Self {
            url,
            start: StartOptions::default(),
            hosts: Vec::new(),
            outbound,
            is_reachable,
            stopped,
            runtime,
            snapshot_bytes,
            requests,
            tally,
            unfinished: UnfinishedWorlds::default(),
            capacity: room,
            observed: None,
            working,
        }
    }

    pub(crate) fn started_with(self, start: StartOptions) -> Self {
        Self { start, ..self }
    }

    pub(crate) fn answering_to(self, hosts: Vec<String>) -> Self {
        Self { hosts, ..self }
    }

    /// Returns the addresses of the receivers of a world.
    pub(crate) fn receiver_home(&self, world: &WorldId) -> ReceiverHome {
        let public = self.start.public_url.as_ref().map(PublicUrl::to_string);
        ReceiverHome {
            addresses: std::iter::once(self.url.clone()).chain(public).collect(),
            hosts: self.hosts.clone(),
            world: world.to_string(),
        }
    }

    /// Returns the address that the server reports itself: the public one, or else the one it listens on.
    pub(crate) fn base(&self) -> &str {
        self.start.public_url.as_ref().map_or(&self.url, PublicUrl::as_str)
    }

    pub(crate) fn with_observed(self, observed: Option<Arc<CheckReport>>) -> Self {
        Self { observed, ..self }
    }

    pub(crate) fn count_request(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    pub(crate) fn has_stopped(&self) -> bool {
        *self.stopped.borrow()
    }

    pub(crate) async fn wait_for_stop(&self) {
        wait_for_stop(&mut self.stopped.clone()).await;
    }

    /// Counts a task as running until the guard is dropped.
    pub(crate) fn begin_task(self: &Arc<Self>) -> TaskGuard {
        self.working.send_modify(|count| *count += 1);
        TaskGuard(self.clone())
    }

    /// Waits until no task runs.
    pub(crate) async fn wait_until_idle(&self) {
        // The watch cannot fail, because `self` holds its sender.
        let _ = self.working.subscribe().wait_for(|count| *count == 0).await;
    }
}

pub(crate) struct TaskGuard(Arc<HostResources>);

impl Drop for TaskGuard {
    fn drop(&mut self) {
        self.0.working.send_modify(|count| *count -= 1);
    }
}

//! The change feed, which reports to every page what changed and who changed it.

use std::sync::{
    Mutex, PoisonError,
    mpsc::{self, Receiver},
};

use roost_ops::{ActorKind, ChangeNotice, Noun};
use serde::Serialize;

/// The subject of a change: a noun of the account, or something outside its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ChangeTopic {
    Noun(Noun),
    Beside(OutsideTopic),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OutsideTopic {
    /// Whether and how the local server runs.
    Server,
    /// The requests that the local server received. Announced a few times a second at most.
    Request,
    /// Contact files that were passed to the program and wait for a page.
    Offered,
    /// The state of the sync: its work, the unsent changes, the plan. Announced a few times a second at most.
    Sync,
}

impl ChangeTopic {
    pub const SERVER: Self = Self::Beside(OutsideTopic::Server);
    pub const REQUEST: Self = Self::Beside(OutsideTopic::Request);
    pub const OFFERED: Self = Self::Beside(OutsideTopic::Offered);
    pub const SYNC: Self = Self::Beside(OutsideTopic::Sync);
}

impl From<Noun> for ChangeTopic {
    fn from(noun: Noun) -> Self {
        Self::Noun(noun)
    }
}

/// The message that a page receives after a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChangeEvent {
    /// Increases by one in each feed, so that a page notices when it missed a message.
    pub seq: u64,
    pub nouns: Vec<ChangeTopic>,
    pub by: ActorKind,
    /// The client that requested the change. It can ignore its own echo.
    pub origin: Option<String>,
    /// The step that the change became, so that a page can undo exactly its own act. Null for a change outside the
    /// account's data.
    pub step: Option<i64>,
}

/// The changes from one moment on. The feed ends when the account is closed.
pub type Changes = Receiver<ChangeEvent>;

/// Distributes the notices of the core to all listeners.
#[derive(Default)]
pub(crate) struct AppChangeFeed {
    state: Mutex<FeedState>,
}

/// Receives a change and returns whether it wants more.
type Listener = dyn FnMut(&ChangeEvent) -> bool + Send;

#[derive(Default)]
struct FeedState {
    seq: u64,
    listeners: Vec<Box<Listener>>,
}

impl AppChangeFeed {
    pub(crate) fn subscribe(&self) -> Changes {
        let (sender, receiver) = mpsc::channel();
        self.listen_to_core(move |event| sender.send(event.clone()).is_ok());
        receiver
    }

    pub(crate) fn listen_to_core(&self, listener: impl FnMut(&ChangeEvent) -> bool + Send + 'static) {
        self.lock().listeners.push(Box::new(listener));
    }

    pub(crate) fn send_notice(&self, notice: &ChangeNotice) {
        let nouns = notice.nouns.iter().copied().map(ChangeTopic::from).collect();
        self.send(nouns, notice.by, notice.origin.clone(), notice.step);
    }

    /// Announces a change that is in no change log.
    pub(crate) fn send_topic(&self, topic: ChangeTopic, by: ActorKind, origin: Option<String>) {
        self.send(vec![topic], by, origin, None);
    }

    /// Numbers and sends the event under one lock, so that every listener receives the same order.
    fn send(&self, nouns: Vec<ChangeTopic>, by: ActorKind, origin: Option<String>, step: Option<i64>) {
        let mut state = self.lock();
        state.seq += 1;
        let event = ChangeEvent { seq: state.seq, nouns, by, origin, step };
        state.listeners.retain_mut(|listener| listener(&event));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FeedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use roost_ops::{Actor, Core, Ctx, list};
    use serde_json::json;

    use crate::App;

    fn app() -> (App, Core) {
        let core = Core::in_memory(Ctx::system()).unwrap();
        (App::with_core(core.clone(), Path::new(":memory:")), core)
    }

    #[test]
    fn every_door_is_heard_and_every_listener_gets_the_same() {
        let (app, core) = app();
        let (one, two) = (app.changes(), app.changes());
        app.dispatch("list_create", json!({ "name": "By the page" }), Some("me".into())).unwrap();
        list::create(&core, &Actor::interface(), "By a caller", list::UniqueNames::Off).unwrap();
        drop((app, core));
        let heard: Vec<_> = one.into_iter().collect();
        assert_eq!(heard, two.into_iter().collect::<Vec<_>>());
        assert_eq!(
            serde_json::to_value(&heard).unwrap(),
            json!([
                { "seq": 1, "nouns": ["list"], "by": "user", "origin": "me", "step": 1 },
                { "seq": 2, "nouns": ["list"], "by": "interface", "origin": null, "step": 2 },
            ])
        );
    }

    #[test]
    fn a_refused_command_notifies_nobody() {
        let (app, core) = app();
        let changes = app.changes();
        app.dispatch("list_create", json!({ "name": " " }), None).unwrap_err();
        app.dispatch(
            "list_page",
            json!({ "page_number": 1, "page_size": 25, "sort_by": "name", "sort_order": "ASC", "name": null }),
            None,
        )
        .unwrap();
        drop((app, core));
        assert_eq!(changes.into_iter().count(), 0);
    }
}

//! Implements the engine's one seam, with the world behind it and the person beside it.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use bytes::Bytes;
use futures_util::stream;
use roost_ops::Core;
use roost_outbound::{CallFailure, ServiceRequest, ServiceResponse};
use roost_world::{AccountState, NetworkFailure, PersonAct, RequestDeparture, World};
use tokio::{sync::Notify, time::Instant};

use super::{super::service::SILENCE, account_view, acts};
use crate::{
    apply::RunControl,
    remote::{ReplyFuture, ServiceTransport},
};

/// The key that authorises requests.
pub(super) const KEY: (&str, &str) = ("X-AUTH-KEY", "key");

/// Everything that a request may meet.
pub(super) struct WorldStage {
    pub core: Core,
    pub world: World,
    pub control: RunControl,
    /// Whether a run of the script is under way.
    pub is_running: bool,
    /// Whether the last pull left something in doubt.
    pub doubtful: bool,
    /// The plan that was made last.
    pub plan: Option<i64>,
    /// The rows that were shown once, with their values.
    pub shown: account_view::ShownRows,
    /// The account as it was last read, with its generation and whether anything was in doubt then.
    pub account: Option<((u64, bool), Arc<AccountState>)>,
    /// The time up to which the world's clock was moved.
    at: Option<Instant>,
}

impl WorldStage {
    pub(super) fn new(core: Core, world: World) -> Self {
        let control = RunControl::default();
        Self {
            core,
            world,
            control,
            is_running: false,
            doubtful: false,
            plan: None,
            shown: account_view::ShownRows::default(),
            account: None,
            at: None,
        }
    }

    /// Performs an act of the person, if there is a record to apply it to.
    pub(super) fn perform(&mut self, act: &PersonAct) {
        let account = account_view::current_account(self);
        if let Some(intention) = self.world.resolve_act(act, &account)
            && let Some(keys) = acts::perform_deed(self, &account, &intention.deed)
        {
            let intention = keys.into_iter().fold(intention, |intention, key| intention.with_row_key(key));
            self.world.record_deed(intention);
        }
        self.observe();
    }

    pub(super) fn observe(&mut self) {
        let account = account_view::current_account(self);
        self.world.observe_account(&account);
    }

    /// Moves the world's time and the engine's clock to the time of the test.
    fn keep_time(&mut self) {
        let now = Instant::now();
        let passed = self.at.map_or(Duration::ZERO, |at| now - at);
        self.at = Some(now);
        self.world.wait(u64::try_from(passed.as_millis()).unwrap_or(u64::MAX));
        let ctx = self.core.ctx();
        ctx.advance(self.world.our_clock_ms() / 1_000 - ctx.now().unix());
    }
}

pub(super) struct WorldSeam {
    stage: Mutex<WorldStage>,
    killed: Notify,
}

impl WorldSeam {
    pub(super) fn new(stage: WorldStage) -> Self {
        Self { stage: Mutex::new(stage), killed: Notify::new() }
    }

    fn lock_stage(&self) -> MutexGuard<'_, WorldStage> {
        self.stage.lock().expect("nobody panicked")
    }

    pub(super) fn with_stage<T>(&self, act: impl FnOnce(&mut WorldStage) -> T) -> T {
        act(&mut self.lock_stage())
    }

    pub(super) fn keep_time(&self) {
        self.lock_stage().keep_time();
    }

    pub(super) fn wait_until_killed(&self) -> impl Future<Output = ()> {
        self.killed.notified()
    }

    fn answer_request(
        &self,
        request: &ServiceRequest,
        departure: RequestDeparture,
    ) -> Option<Result<ServiceResponse, CallFailure>> {
        let mut stage = self.lock_stage();
        stage.keep_time();
        let path = request.url.strip_prefix("http://service.test").unwrap_or_default();
        let body = request.body.as_deref().map(|body| String::from_utf8_lossy(body).into_owned());
        let headers = [KEY, ("Content-Type", "application/json")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let answer = stage.world.receive_request(departure, request.method, path, &headers, body.as_deref());
        if std::env::var_os("ROOST_TRACE").is_some() {
            eprintln!("{} {} {path} {} -> {answer:?}", stage.world.now_ms(), request.method, body.unwrap_or_default());
        }
        for act in stage.world.take_acts() {
            stage.perform(&act);
        }
        if stage.world.is_killed() {
            return None;
        }
        Some(match answer {
            Err(NetworkFailure::NotConnected) => Err(CallFailure::NoConnection("refused".to_owned())),
            Err(NetworkFailure::NoAnswer) => Err(CallFailure::TimedOut(SILENCE)),
            Ok(reply) => {
                let header = |name: &str| {
                    let found = reply.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
                    found.map(|(_, value)| value.clone())
                };
                Ok(ServiceResponse {
                    status: reply.status,
                    retry_after: header("retry-after"),
                    date: header("date"),
                    body: Box::pin(stream::iter([Ok(Bytes::from(reply.body.into_bytes()))])),
                })
            }
        })
    }
}

impl ServiceTransport for WorldSeam {
    fn carry_request(&self, request: ServiceRequest) -> ReplyFuture<'_> {
        Box::pin(async move {
            let departure = self.with_stage(|stage| stage.world.begin_request());
            tokio::time::sleep(Duration::from_millis(3)).await;
            match self.answer_request(&request, departure) {
                Some(answer) => answer,
                None => {
                    self.killed.notify_one();
                    std::future::pending().await
                }
            }
        })
    }
}

//! Implements the engine's one seam, with the world behind it and the person beside it.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use bytes::Bytes;
use futures_util::stream;
use roost_ops::Core;
use roost_outbound::{Failure, Reply, Request};
use roost_world::{Account, NetworkFailure, PersonAct, World};
use tokio::{sync::Notify, time::Instant};

use super::{super::service::SILENCE, acts, view};
use crate::{
    apply::Control,
    remote::{Carried, Remote},
};

/// The key that authorises requests.
pub const KEY: (&str, &str) = ("X-AUTH-KEY", "key");

/// Everything that a request may meet.
pub struct Stage {
    pub core: Core,
    pub world: World,
    pub control: Control,
    /// Whether a run of the script is under way.
    pub is_running: bool,
    /// Whether the last pull left something in doubt.
    pub doubtful: bool,
    /// The plan that was made last.
    pub plan: Option<i64>,
    /// The rows that were shown once, with their values.
    pub shown: view::Shown,
    /// The account as it was last read, with its generation and whether anything was in doubt then.
    pub account: Option<((u64, bool), Arc<Account>)>,
    /// The time up to which the world's clock was moved.
    at: Option<Instant>,
}

impl Stage {
    pub fn new(core: Core, world: World) -> Self {
        let control = Control::default();
        Self {
            core,
            world,
            control,
            is_running: false,
            doubtful: false,
            plan: None,
            shown: view::Shown::default(),
            account: None,
            at: None,
        }
    }

    /// Performs an act of the person, if there is a record to apply it to.
    pub fn perform(&mut self, act: &PersonAct) {
        let account = view::account(self);
        if let Some(intention) = self.world.resolve(act, &account)
            && let Some(keys) = acts::accept(self, &account, &intention.deed)
        {
            let intention = keys.into_iter().fold(intention, |intention, key| intention.with_row_key(key));
            self.world.say(intention);
        }
        self.observe();
    }

    pub fn observe(&mut self) {
        let account = view::account(self);
        self.world.observe(&account);
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

pub struct Seam {
    stage: Mutex<Stage>,
    killed: Notify,
}

impl Seam {
    pub fn new(stage: Stage) -> Self {
        Self { stage: Mutex::new(stage), killed: Notify::new() }
    }

    fn hold(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().expect("nobody panicked")
    }

    pub fn stage<T>(&self, act: impl FnOnce(&mut Stage) -> T) -> T {
        act(&mut self.hold())
    }

    pub fn keep_time(&self) {
        self.hold().keep_time();
    }

    pub fn killed(&self) -> impl Future<Output = ()> {
        self.killed.notified()
    }

    fn answer(&self, request: &Request) -> Option<Result<Reply, Failure>> {
        let mut stage = self.hold();
        stage.keep_time();
        let path = request.url.strip_prefix("http://service.test").unwrap_or_default();
        let body = request.body.as_deref().map(|body| String::from_utf8_lossy(body).into_owned());
        let headers = [KEY, ("Content-Type", "application/json")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let answer = stage.world.request(request.method, path, &headers, body.as_deref());
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
            Err(NetworkFailure::NotConnected) => Err(Failure::NoConnection("refused".to_owned())),
            Err(NetworkFailure::NoAnswer) => Err(Failure::TimedOut(SILENCE)),
            Ok(reply) => {
                let header = |name: &str| {
                    let found = reply.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
                    found.map(|(_, value)| value.clone())
                };
                Ok(Reply {
                    status: reply.status,
                    retry_after: header("retry-after"),
                    date: header("date"),
                    body: Box::pin(stream::iter([Ok(Bytes::from(reply.body.into_bytes()))])),
                })
            }
        })
    }
}

impl Remote for Seam {
    fn carry(&self, request: Request) -> Carried<'_> {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(3)).await;
            match self.answer(&request) {
                Some(answer) => answer,
                None => {
                    self.killed.notify_one();
                    std::future::pending().await
                }
            }
        })
    }
}

//! A server inside a Rust test, with threads of its own, and a world of its own for each test.
//!
//! Nothing of it is asynchronous, so that it serves any test; inside an asynchronous one, what it does takes about a
//! millisecond of the thread. Where tests run as threads of one process they can share a server in a `LazyLock`; where
//! each runs in its own, beginning one costs a few milliseconds.
//!
//! ```
//! use roost_emulator::in_process::Server;
//! use serde_json::json;
//!
//! let server = Server::start()?;
//! let world = server.world()?;
//! // The code under test calls world.url() with the key world.key(); the next answer to a new list is lost.
//! let rule = json!({
//!     "match": { "operation": "lists.create" }, "effect": { "line": "reset" }, "commit": "after", "apply": { "first": 1 },
//! });
//! let fault = world.call("POST", "/faults/rules", Some(&rule))?;
//! assert_eq!(fault["hits"], 0);
//! // The world goes here, and the server behind it.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::{
    Arc,
    mpsc::{RecvError, sync_channel},
};

use roost_ops::{Core, Ctx};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::{Emulator, EmulatorConfig, Handle, StartError};
use crate::client::{Admin, NotTold};

/// Requests of one test are few.
const THREADS: usize = 2;

/// Ends in good order when it and all its worlds are dropped.
#[derive(Clone)]
pub struct Server(Arc<Running>);

struct Running {
    url: String,
    admin_url: String,
    token: String,
    /// Both are there until the end.
    handle: Option<Handle>,
    runtime: Option<Runtime>,
}

/// Why a world could not be made, or what was asked of it was not done.
#[derive(Debug, thiserror::Error)]
pub enum NotDone {
    #[error(transparent)]
    NotTold(#[from] NotTold),
    #[error("the server in this process stopped early")]
    Broken,
}

impl From<RecvError> for NotDone {
    fn from(_: RecvError) -> Self {
        Self::Broken
    }
}

impl Server {
    /// On a free port of loopback, in memory, everything as assumed.
    pub fn start() -> Result<Self, StartError> {
        Self::start_with(EmulatorConfig::default())
    }

    /// The same, otherwise than usual. Requests are recorded in any case, so that they can be verified.
    pub fn start_with(config: EmulatorConfig) -> Result<Self, StartError> {
        config.journal.record(true);
        let built =
            Builder::new_multi_thread().worker_threads(THREADS).thread_name("roost-server").enable_all().build();
        let runtime = built.map_err(StartError::NoThread)?;
        let handle = {
            let _inside = runtime.enter();
            let core = Core::in_memory(Ctx::system()).map_err(StartError::Account)?;
            Emulator::start(config, core)
        };
        let handle = match handle {
            Ok(handle) => handle,
            Err(why) => {
                // Inside another runtime, whoever drops one must not wait for it.
                runtime.shutdown_background();
                return Err(why);
            }
        };
        Ok(Self(Arc::new(Running {
            url: handle.url().to_owned(),
            admin_url: handle.admin_url(),
            token: handle.admin_token().to_owned(),
            handle: Some(handle),
            runtime: Some(runtime),
        })))
    }

    /// `http://127.0.0.1:4010`: the default world, and any other by its key.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// The authority to trust, as PEM, when it was started with [`Tls::Own`](crate::Tls::Own).
    pub fn ca(&self) -> Option<&str> {
        self.0.handle.as_ref()?.ca().map(|ca| ca.certificate.as_str())
    }

    /// Good for every world.
    pub fn token(&self) -> &str {
        &self.0.token
    }

    /// A world that begins with nothing, on the server's settings.
    pub fn world(&self) -> Result<World, NotDone> {
        self.world_as(&json!({}))
    }

    /// A world as `POST /__admin/worlds` takes it: `json!({ "settings": { "limits": "off" } })`.
    pub fn world_as(&self, wish: &Value) -> Result<World, NotDone> {
        let made = self.call("POST", "/worlds", Some(wish))?;
        let text = |name: &str| made[name].as_str().unwrap_or_default().to_owned();
        Ok(World {
            running: self.0.clone(),
            name: text("id"),
            url: text("base_url"),
            key: text("api_key"),
            token: text("admin_token"),
            admin_url: text("admin_url"),
        })
    }

    /// Calls a route of the operator's side, such as `GET` and `/worlds`; the answer is its JSON.
    pub fn call(&self, method: &'static str, path: &str, body: Option<&Value>) -> Result<Value, NotDone> {
        self.0.call(&self.0.admin_url, &self.0.token, method, path, body)
    }
}

/// An account, jobs, callbacks, a journal, faults and limits of its own. Goes when it is dropped.
pub struct World {
    running: Arc<Running>,
    name: String,
    url: String,
    key: String,
    token: String,
    admin_url: String,
}

impl World {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is called, with any key.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Names it wherever it is called: show it in the header X-AUTH-KEY.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Good for this world's admin routes and for nothing else.
    pub fn token(&self) -> &str {
        &self.token
    }

    pub fn admin_url(&self) -> &str {
        &self.admin_url
    }

    /// Calls an admin route of this world, such as `POST` and `/faults/rules`; the answer is its JSON.
    pub fn call(&self, method: &'static str, path: &str, body: Option<&Value>) -> Result<Value, NotDone> {
        self.running.call(&self.admin_url, &self.token, method, path, body)
    }

    /// Whether the requests came, as `POST /__admin/journal/verify` takes it; when not, `nearest` says what came.
    pub fn verify(&self, check: &Value) -> Result<Value, NotDone> {
        let check = check.clone();
        let ask = |admin: Admin| async move { admin.answer("POST", "/journal/verify", Some(&check)).await };
        self.running.ask(&self.admin_url, &self.token, ask).map(|(_, told)| told)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Gone already, it stays gone.
        let path = format!("/worlds/{}", self.name);
        let _ = self.running.call(&self.running.admin_url, &self.running.token, "DELETE", &path, None);
    }
}

impl Running {
    fn call(
        &self,
        url: &str,
        token: &str,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, NotDone> {
        let (path, body) = (path.to_owned(), body.cloned());
        self.ask(url, token, |admin| async move { admin.call(method, &path, body.as_ref()).await })
    }

    /// On the threads of the server, so that the caller may stand in a runtime of its own.
    fn ask<T, F>(&self, url: &str, token: &str, work: impl FnOnce(Admin) -> F) -> Result<T, NotDone>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, NotTold>> + Send + 'static,
    {
        let runtime = self.runtime.as_ref().ok_or(NotDone::Broken)?;
        let work = work(Admin::new(url, Some(token))?.of_this_process());
        let (tell, told) = sync_channel(1);
        runtime.spawn(async move {
            // Whoever asked waits.
            let _ = tell.send(work.await);
        });
        Ok(told.recv()??)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let (Some(handle), Some(runtime)) = (self.handle.take(), self.runtime.take()) else { return };
        let (tell, told) = sync_channel(1);
        runtime.spawn(async move {
            handle.shutdown().await;
            // Whoever drops it waits.
            let _ = tell.send(());
        });
        let _ = told.recv();
        // Acts that did not end in time are left behind; what they did not commit never was.
        runtime.shutdown_background();
    }
}

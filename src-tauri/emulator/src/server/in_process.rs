//! Runs a server on its own threads inside a Rust test, with a separate world for each test.
//!
//! All functions are synchronous, so that any test can use them. Inside an asynchronous test, each call blocks the
//! thread for about a millisecond. Tests that run as threads of one process can share a server in a `LazyLock`. Where
//! each test runs in its own process, starting one takes a few milliseconds.
//!
//! ```
//! use roost_emulator::in_process::Server;
//! use serde_json::json;
//!
//! let server = Server::start()?;
//! let world = server.create_world()?;
//! // The code under test calls world.url() with the key world.key(); the response to its next new list is lost.
//! let rule = json!({
//!     "match": { "operation": "lists.create" }, "effect": { "line": "reset" }, "commit": "after", "apply": { "first": 1 },
//! });
//! let fault = world.call("POST", "/faults/rules", Some(&rule))?;
//! assert_eq!(fault["hits"], 0);
//! // The world is removed here, and the server stops.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::{
    Arc,
    mpsc::{RecvError, sync_channel},
};

use roost_ops::{Core, Ctx};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::{Emulator, EmulatorConfig, EmulatorHandle, StartError};
use crate::client::{AdminClient, ClientError};

/// A test sends few requests at once.
const THREADS: usize = 2;

/// A server that shuts down gracefully when it and all its worlds are dropped.
#[derive(Clone)]
pub struct Server(Arc<ServerRuntime>);

/// A running server and its runtime, shared by its worlds.
struct ServerRuntime {
    url: String,
    admin_url: String,
    token: String,
    /// The handle and the runtime exist until this is dropped.
    handle: Option<EmulatorHandle>,
    runtime: Option<Runtime>,
}

/// The reason why a world could not be created or a call failed.
#[derive(Debug, thiserror::Error)]
pub enum InProcessError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("the server in this process stopped early")]
    Broken,
}

impl From<RecvError> for InProcessError {
    fn from(_: RecvError) -> Self {
        Self::Broken
    }
}

impl Server {
    /// Starts a server in memory, on a free port of loopback, with the default settings.
    pub fn start() -> Result<Self, StartError> {
        Self::start_with(EmulatorConfig::default())
    }

    /// Starts a server with the given configuration. Requests are always recorded, so that they can be verified.
    pub fn start_with(config: EmulatorConfig) -> Result<Self, StartError> {
        config.journal.set_recording(true);
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
                // Unlike a drop, this does not wait, which would panic inside another runtime.
                runtime.shutdown_background();
                return Err(why);
            }
        };
        Ok(Self(Arc::new(ServerRuntime {
            url: handle.url().to_owned(),
            admin_url: handle.admin_url(),
            token: handle.admin_token().to_owned(),
            handle: Some(handle),
            runtime: Some(runtime),
        })))
    }

    /// Returns the base URL, such as `http://127.0.0.1:4010`. It serves the default world, and other worlds by their
    /// keys.
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// Returns the certificate of the authority to trust, as PEM, if the server was started with
    /// [`TlsOptions::Own`](crate::TlsOptions::Own).
    pub fn ca(&self) -> Option<&str> {
        self.0.handle.as_ref()?.ca().map(|ca| ca.certificate.as_str())
    }

    /// Returns the admin token, which is valid for every world.
    pub fn token(&self) -> &str {
        &self.0.token
    }

    /// Creates an empty world with the settings of the server.
    pub fn create_world(&self) -> Result<TestWorld, InProcessError> {
        self.create_world_with(&json!({}))
    }

    /// Creates a world as `POST /__admin/worlds` does, from a body such as `json!({ "settings": { "limits": "off" }
    /// })`.
    pub fn create_world_with(&self, options: &Value) -> Result<TestWorld, InProcessError> {
        let world = self.call("POST", "/worlds", Some(options))?;
        let text = |name: &str| world[name].as_str().unwrap_or_default().to_owned();
        Ok(TestWorld {
            running: self.0.clone(),
            name: text("id"),
            url: text("base_url"),
            key: text("api_key"),
            token: text("admin_token"),
            admin_url: text("admin_url"),
        })
    }

    /// Calls a route of the admin interface, such as `GET` and `/worlds`, and returns the JSON of the response.
    pub fn call(&self, method: &'static str, path: &str, body: Option<&Value>) -> Result<Value, InProcessError> {
        self.0.call_admin(&self.0.admin_url, &self.0.token, method, path, body)
    }
}

/// A world with its own account, jobs, callbacks, journal, faults and limits. It is removed when this is dropped.
pub struct TestWorld {
    running: Arc<ServerRuntime>,
    name: String,
    url: String,
    key: String,
    token: String,
    admin_url: String,
}

impl TestWorld {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the base URL of the world, which accepts any key.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the key that names the world at any URL of the server, in the header X-AUTH-KEY.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the token, which is valid only for the admin routes of this world.
    pub fn token(&self) -> &str {
        &self.token
    }

    pub fn admin_url(&self) -> &str {
        &self.admin_url
    }

    /// Calls an admin route of this world, such as `POST` and `/faults/rules`, and returns the JSON of the response.
    pub fn call(&self, method: &'static str, path: &str, body: Option<&Value>) -> Result<Value, InProcessError> {
        self.running.call_admin(&self.admin_url, &self.token, method, path, body)
    }

    /// Verifies requests as `POST /__admin/journal/verify` does. If the check fails, `nearest` in the result lists the
    /// requests that came closest.
    pub fn verify_requests(&self, check: &Value) -> Result<Value, InProcessError> {
        let check = check.clone();
        let verify =
            |admin: AdminClient| async move { admin.call_with_status("POST", "/journal/verify", Some(&check)).await };
        self.running.run_on_server(&self.admin_url, &self.token, verify).map(|(_, response)| response)
    }
}

impl Drop for TestWorld {
    fn drop(&mut self) {
        // If the world was removed before, this fails without harm.
        let path = format!("/worlds/{}", self.name);
        let _ = self.running.call_admin(&self.running.admin_url, &self.running.token, "DELETE", &path, None);
    }
}

impl ServerRuntime {
    fn call_admin(
        &self,
        url: &str,
        token: &str,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, InProcessError> {
        let (path, body) = (path.to_owned(), body.cloned());
        self.run_on_server(url, token, |admin| async move { admin.call(method, &path, body.as_ref()).await })
    }

    /// Runs on the threads of the server, because the caller may be inside a runtime of its own.
    fn run_on_server<T, F>(
        &self,
        url: &str,
        token: &str,
        work: impl FnOnce(AdminClient) -> F,
    ) -> Result<T, InProcessError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, ClientError>> + Send + 'static,
    {
        let runtime = self.runtime.as_ref().ok_or(InProcessError::Broken)?;
        let work = work(AdminClient::new(url, Some(token))?.for_this_process());
        let (sender, receiver) = sync_channel(1);
        runtime.spawn(async move {
            // The receiver waits below, so sending cannot fail.
            let _ = sender.send(work.await);
        });
        Ok(receiver.recv()??)
    }
}

impl Drop for ServerRuntime {
    fn drop(&mut self) {
        let (Some(handle), Some(runtime)) = (self.handle.take(), self.runtime.take()) else { return };
        let (sender, receiver) = sync_channel(1);
        runtime.spawn(async move {
            handle.shutdown().await;
            // The receiver waits below, so sending cannot fail.
            let _ = sender.send(());
        });
        let _ = receiver.recv();
        // Abandons actions that did not end in time. None of their changes were committed.
        runtime.shutdown_background();
    }
}

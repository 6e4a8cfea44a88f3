//! Runs an emulator on a thread and a runtime of its own, for callers that are not asynchronous.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::mpsc::{SyncSender, sync_channel},
    thread::{self, JoinHandle},
};

use roost_ops::Core;
use tokio::{runtime::Builder, sync::oneshot};

use super::{Emulator, EmulatorConfig, ServerControl, StartError};

/// Requests are short and there is one account, so two threads are enough and spare the desktop.
const THREADS: usize = 2;

/// An emulator that shuts down gracefully when it is dropped.
pub struct StandaloneEmulator {
    url: String,
    address: SocketAddr,
    control: ServerControl,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread reports once the emulator answers requests.
type StartedServer = (String, SocketAddr, ServerControl);

impl StandaloneEmulator {
    /// Opens the port, lets `make` open the account for the given base of short URLs, and answers requests.
    pub fn start<E: From<StartError> + Send + 'static>(
        config: EmulatorConfig,
        make: impl FnOnce(&str) -> Result<Core, E> + Send + 'static,
    ) -> Result<Self, E> {
        let (sender, receiver) = sync_channel(1);
        let (stop, stopped) = oneshot::channel();
        let run = move || run_server(config, make, &sender, stopped);
        let thread = thread::Builder::new().name("roost-server".to_owned()).spawn(run).map_err(StartError::NoThread)?;
        match receiver.recv() {
            Ok(Ok((url, address, control))) => {
                Ok(Self { url, address, control, stop: Some(stop), thread: Some(thread) })
            }
            Ok(Err(error)) => {
                // The thread has nothing left to do, but it may still hold the port.
                let _ = thread.join();
                Err(error)
            }
            Err(_) => Err(StartError::NoRuntime.into()),
        }
    }

    /// Returns the base URL, such as `http://127.0.0.1:4010`.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn control(&self) -> &ServerControl {
        &self.control
    }

    /// Waits for the running requests and returns when the port is free, within two seconds.
    pub fn stop(mut self) {
        self.stop_and_join();
    }

    fn stop_and_join(&mut self) {
        // Without a receiver, the emulator has already ended.
        self.stop.take().map(|stop| stop.send(()));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for StandaloneEmulator {
    fn drop(&mut self) {
        self.stop_and_join();
    }
}

/// How many ports above a taken one are tried.
const PORT_RANGE: u16 = 50;

/// Returns a port that is free now, if possible one close above `taken`.
pub fn free_port(taken: u16) -> Option<u16> {
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    let above = (1..=PORT_RANGE).filter_map(|step| taken.checked_add(step)).find(is_free);
    above.or_else(|| Some(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok()?.local_addr().ok()?.port()))
}

fn run_server<E: From<StartError>>(
    config: EmulatorConfig,
    make: impl FnOnce(&str) -> Result<Core, E>,
    sender: &SyncSender<Result<StartedServer, E>>,
    stopped: oneshot::Receiver<()>,
) {
    let built = Builder::new_multi_thread().worker_threads(THREADS).thread_name("roost-server").enable_all().build();
    let Ok(runtime) = built else {
        // Sending fails only if the caller no longer waits.
        let _ = sender.send(Err(StartError::NoRuntime.into()));
        return;
    };
    runtime.block_on(async {
        let started = Emulator::bind(config)
            .map_err(E::from)
            .and_then(|bound| make(&bound.short_link_base()).and_then(|core| Ok(bound.start(core)?)));
        match started {
            Ok(handle) => {
                let _ = sender.send(Ok((handle.url().to_owned(), handle.address(), handle.control())));
                // An error means that the sender was dropped, so the emulator must stop too.
                let _ = stopped.await;
                handle.shutdown().await;
            }
            Err(error) => {
                let _ = sender.send(Err(error));
            }
        }
    });
    // Abandons acts that did not end in time; nothing of them was committed.
    runtime.shutdown_background();
}

#[cfg(test)]
mod tests {
    use roost_ops::Ctx;

    use super::*;

    fn start_at(port: u16) -> Result<StandaloneEmulator, StartError> {
        let config = EmulatorConfig { port, ..EmulatorConfig::default() };
        StandaloneEmulator::start(config, |base| {
            assert!(base.ends_with("/s"), "{base}");
            Ok(Core::in_memory(Ctx::system()).expect("an account in memory"))
        })
    }

    #[test]
    fn it_runs_without_a_runtime_around_it_and_frees_its_port() {
        let server = start_at(0).expect("a free port");
        let (address, control) = (server.address(), server.control().clone());
        assert!(control.is_running() && TcpListener::bind(address).is_err());
        assert!(matches!(start_at(address.port()), Err(StartError::PortTaken(taken)) if taken == address));
        assert_ne!(free_port(address.port() - 1), Some(address.port()));
        assert!(free_port(u16::MAX).is_some());
        server.stop();
        assert!(!control.is_running() && control.settings().is_none());
        drop(TcpListener::bind(address).expect("free again"));
        drop(start_at(address.port()).expect("once more"));
    }

    #[test]
    fn it_can_be_started_and_dropped_inside_a_runtime() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async { drop(start_at(0).expect("a free port")) });
    }
}

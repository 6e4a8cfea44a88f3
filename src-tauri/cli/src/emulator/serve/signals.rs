//! The signals that stop or reset the server.

use std::io::{self, IsTerminal};

use crate::failure::CliFailure;

/// The exit status after an interrupt during the shutdown: 128 and the number of SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "other systems have only interrupts"))]
pub(crate) enum ReceivedSignal {
    Terminate,
    Interrupt,
    /// The terminal was closed; without a terminal, a request to reset.
    Hangup,
}

pub(crate) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    /// None if the parent process made the program ignore SIGHUP.
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    /// Starts to receive the signals. From then on they no longer end the program by themselves.
    pub(crate) fn listen() -> Result<Self, CliFailure> {
        Self::heard().map_err(|why| CliFailure::new(format!("signals cannot be received: {why}")))
    }

    #[cfg(unix)]
    fn heard() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) },
        })
    }

    #[cfg(unix)]
    pub(crate) async fn next(&mut self) -> ReceivedSignal {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => ReceivedSignal::Terminate,
            _ = self.interrupt.recv() => ReceivedSignal::Interrupt,
            _ = hangup => ReceivedSignal::Hangup,
        }
    }

    #[cfg(unix)]
    pub(crate) async fn interrupted(&mut self) {
        self.interrupt.recv().await;
    }

    /// Waits for a signal that stops the program.
    pub(crate) async fn wait_until_ended(&mut self) {
        while self.next().await == ReceivedSignal::Hangup && !io::stdin().is_terminal() {}
    }

    #[cfg(not(unix))]
    fn heard() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    pub async fn next(&mut self) -> ReceivedSignal {
        self.interrupted().await;
        ReceivedSignal::Interrupt
    }

    #[cfg(not(unix))]
    pub async fn interrupted(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Whether SIGHUP is ignored, as `nohup` arranges; a handler would undo that. False if the system does not provide
/// this information.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit stands for signal 1.
    ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_some_and(|bits| bits & 1 == 1)
}

//! Waits for work with the service: shows its progress on a terminal, and pauses on request.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal, Write},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::Sender,
    },
    thread,
    time::{Duration, Instant},
};

use roost_sync_session::{SyncKind, SyncRetry, SyncWork};
use tokio::runtime::Builder;

use super::{account::OpenAccount, exit};
use crate::{
    failure::CliFailure,
    terminal::{has_json_messages, plain_line, print_warning},
};

/// The interval at which the line is rewritten if nothing changes.
const REFRESH_INTERVAL: Duration = Duration::from_millis(500);
/// The interval between lines in a log, where there is no terminal.
const LOG_INTERVAL: Duration = Duration::from_secs(10);
/// The most characters of the line; a longer one would wrap and could not be overwritten.
const LINE_WIDTH: usize = 79;
/// The exit status that a shell reports for an interrupted program.
const INTERRUPTED: i32 = 130;

/// Whether the work ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkEnd {
    ByItself,
    Paused,
}

impl OpenAccount {
    /// Waits until no work is under way. Ctrl-C pauses after the current request; a second one ends the program at
    /// once.
    pub(super) fn follow_work(&self, begin: impl FnOnce() -> Result<(), CliFailure>) -> Result<WorkEnd, CliFailure> {
        let interrupted = listen_for_interrupt(self.change_sender.clone())?;
        begin()?;
        let is_for_script = has_json_messages();
        let is_terminal = io::stderr().is_terminal() && !is_for_script;
        let (mut ended, mut logged) = (WorkEnd::ByItself, Instant::now());
        while let Some(work) = self.session.current_work() {
            if ended == WorkEnd::ByItself && interrupted.load(Ordering::Acquire) {
                ended = WorkEnd::Paused;
                self.session.pause();
                if is_terminal {
                    let _ = write!(io::stderr(), "\r\x1b[K");
                }
                print_warning("Pausing after the current request. Press Ctrl-C again to stop immediately.");
            }
            if is_terminal {
                let _ = write!(io::stderr(), "\r{}\x1b[K", progress_line(&work));
            } else if !is_for_script && logged.elapsed() >= LOG_INTERVAL {
                logged = Instant::now();
                let _ = writeln!(io::stderr(), "{}", progress_line(&work));
            }
            // A timeout also rewrites the line, because its clock goes on.
            let _ = self.changed.recv_timeout(REFRESH_INTERVAL);
            while self.changed.try_recv().is_ok() {}
        }
        if is_terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        self.session.finish();
        match self.session.status()?.failed {
            Some(failed) if ended == WorkEnd::ByItself => Err(exit::failure_of_sync(&failed)),
            _ => Ok(ended),
        }
    }
}

/// Listens for an interrupt from now on.
fn listen_for_interrupt(change_sender: Sender<()>) -> Result<Arc<AtomicBool>, CliFailure> {
    let cannot = |why: io::Error| CliFailure::new(format!("signals cannot be received: {why}"));
    let runtime = Builder::new_current_thread().enable_all().build().map_err(cannot)?;
    let interrupted = Arc::new(AtomicBool::new(false));
    let is_interrupted = Arc::clone(&interrupted);
    let mut words = {
        let _inside = runtime.enter();
        StopSignals::listen().map_err(cannot)?
    };
    let hear = move || {
        runtime.block_on(async {
            words.next().await;
            is_interrupted.store(true, Ordering::Release);
            // The receiver may no longer exist.
            let _ = change_sender.send(());
            words.next().await;
        });
        #[expect(clippy::disallowed_methods, reason = "the person interrupted twice, and the account loses nothing")]
        std::process::exit(INTERRUPTED);
    };
    thread::Builder::new().name("roost-signals".to_owned()).spawn(hear).map_err(cannot)?;
    Ok(interrupted)
}

/// The signals that ask the program to stop: Ctrl-C and SIGTERM.
struct StopSignals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl StopSignals {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

fn progress_line(work: &SyncWork) -> String {
    let mut line = match work.kind {
        SyncKind::Pull => "Reading",
        SyncKind::Run => "Sending",
        SyncKind::Probe => "Probing",
    }
    .to_owned();
    if !work.what.is_empty() {
        let _ = write!(line, " {}", plain_line(&work.what, 30));
    }
    let parts = [(u64::from(work.page), work.pages.map(u64::from), "pages"), (work.rows, work.rows_total, "rows")];
    for (sign, (done, all, what)) in
        [": ", ", "].into_iter().zip(parts.into_iter().filter(|(done, all, _)| *done > 0 || all.is_some()))
    {
        let _ = match all {
            Some(all) => write!(line, "{sign}{done} of {all} {what}"),
            None => write!(line, "{sign}{done} {what}"),
        };
    }
    if let Some(SyncRetry { number, status }) = work.retry {
        let answer = status.map_or_else(|| "no response".to_owned(), |status| format!("status {status}"));
        let _ = write!(line, "; {answer}, retry {number}");
    }
    if work.is_ending {
        line.push_str(", ending");
    }
    line.chars().take(LINE_WIDTH).collect()
}

#[cfg(test)]
mod tests {
    use roost_model::time::Timestamp;

    use super::*;

    #[test]
    fn the_line_says_what_is_known_and_stays_one_line() {
        let work = SyncWork {
            id: 1,
            kind: SyncKind::Pull,
            what: "Spring".to_owned(),
            place: None,
            page: 0,
            pages: None,
            rows: 0,
            rows_total: None,
            started_at: Timestamp::from_unix(0),
            elapsed_ms: 0,
            is_ending: false,
            retry: None,
        };
        assert_eq!(progress_line(&work), "Reading Spring");
        let further = SyncWork { page: 3, pages: Some(120), rows: 300, rows_total: Some(12_000), ..work.clone() };
        assert_eq!(progress_line(&further), "Reading Spring: 3 of 120 pages, 300 of 12000 rows");
        let run = SyncWork { kind: SyncKind::Run, what: String::new(), rows: 7, is_ending: true, ..work.clone() };
        assert_eq!(progress_line(&run), "Sending: 7 rows, ending");
        let retried = SyncWork { retry: Some(SyncRetry { number: 2, status: Some(503) }), ..work.clone() };
        assert_eq!(progress_line(&retried), "Reading Spring; status 503, retry 2");
        let silent = SyncWork { retry: Some(SyncRetry { number: 1, status: None }), ..work.clone() };
        assert_eq!(progress_line(&silent), "Reading Spring; no response, retry 1");
        let long = SyncWork { what: "\u{1b}[2J".to_owned() + &"x".repeat(200), ..further };
        let line = progress_line(&SyncWork { what: long.what.clone(), ..long });
        assert!(line.chars().count() <= LINE_WIDTH && !line.contains('\u{1b}'), "{line}");
    }
}

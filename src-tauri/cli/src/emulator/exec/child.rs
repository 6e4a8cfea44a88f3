//! The command of `roost exec`, which runs in its own process group, so that none of its processes remains.

use std::{
    ffi::OsString,
    io::{self, IsTerminal},
    process::{Command, ExitStatus},
    thread,
    time::Duration,
};

use tokio::sync::oneshot;

use crate::failure::CliFailure;

const NOT_FOUND_STATUS: u8 = 127;
const NOT_RUNNABLE_STATUS: u8 = 126;
/// The time that remaining processes have to end.
const GRACE: Duration = Duration::from_millis(500);

pub(super) struct ChildCommand {
    ended: oneshot::Receiver<io::Result<ExitStatus>>,
    has_ended: bool,
    group: Group,
}

impl ChildCommand {
    pub(super) fn start(command: &[OsString], variables: &[(&str, String)]) -> Result<Self, CliFailure> {
        let (name, arguments) = command.split_first().ok_or_else(|| {
            CliFailure::new(
                "give the command after --, for \
         example: roost exec -- pytest",
            )
        })?;
        let mut command = Command::new(name);
        command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value)));
        // On a terminal the command stays in Roost's group: Ctrl-C reaches it there, and it may read.
        let is_own = !io::stdin().is_terminal();
        Group::prepare(&mut command, is_own);
        let mut child = command.spawn().map_err(|why| {
            let status = if why.kind() == io::ErrorKind::NotFound { NOT_FOUND_STATUS } else { NOT_RUNNABLE_STATUS };
            CliFailure::with_status(status, format!("{} cannot be started: {why}", name.display()))
        })?;
        let group = Group::from_child(&child, is_own);
        let (end_sender, ended) = oneshot::channel();
        // The receiver may no longer exist.
        let wait = move || drop(end_sender.send(child.wait()));
        thread::Builder::new().name("roost-exec".to_owned()).spawn(wait).map_err(|why| {
            group.kill();
            CliFailure::new(format!("the command's thread could not be started: {why}"))
        })?;
        Ok(Self { ended, has_ended: false, group })
    }

    pub(super) async fn wait(&mut self) -> Result<u8, CliFailure> {
        let lost = || CliFailure::new("the command's exit status was lost");
        let status = (&mut self.ended).await.map_err(|_| lost())?.map_err(CliFailure::new)?;
        self.has_ended = true;
        Ok(status_of(status))
    }

    pub(super) fn terminate(&self) {
        self.group.terminate();
    }

    pub(super) fn interrupt(&self) {
        self.group.interrupt();
    }

    pub(super) fn kill(&self) {
        self.group.kill();
    }

    /// Ends the processes that the command started and left running.
    pub(super) async fn end_remaining(&self) {
        self.group.terminate_rest();
        let begun = tokio::time::Instant::now();
        while self.group.has_rest() && begun.elapsed() < GRACE {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.group.kill_rest();
    }
}

impl Drop for ChildCommand {
    fn drop(&mut self) {
        if !self.has_ended {
            self.group.kill();
        }
    }
}

#[cfg(unix)]
fn status_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code & 0xff).ok()).unwrap_or(1)
}

#[cfg(not(unix))]
fn status_of(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code & 0xff).ok()).unwrap_or(1)
}

/// The processes that a signal reaches: the command, and in its own group also all that it started.
#[cfg(unix)]
struct Group {
    leader: Option<rustix::process::Pid>,
    is_own: bool,
}

#[cfg(unix)]
impl Group {
    fn prepare(command: &mut Command, is_own: bool) {
        use std::os::unix::process::CommandExt;
        if is_own {
            command.process_group(0);
        }
    }

    fn from_child(child: &std::process::Child, is_own: bool) -> Self {
        let leader = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        Self { leader, is_own }
    }

    fn terminate(&self) {
        self.send(rustix::process::Signal::TERM);
    }

    fn interrupt(&self) {
        // The terminal has sent the signal to everybody in its group.
        if self.is_own {
            self.send(rustix::process::Signal::INT);
        }
    }

    fn kill(&self) {
        self.send(rustix::process::Signal::KILL);
    }

    fn terminate_rest(&self) {
        if self.is_own {
            self.terminate();
        }
    }

    fn kill_rest(&self) {
        if self.is_own {
            self.kill();
        }
    }

    fn has_rest(&self) -> bool {
        self.is_own && self.leader.is_some_and(|leader| rustix::process::test_kill_process_group(leader).is_ok())
    }

    fn send(&self, signal: rustix::process::Signal) {
        let Some(leader) = self.leader else { return };
        // A process that has ended needs no signal.
        let _ = if self.is_own {
            rustix::process::kill_process_group(leader, signal)
        } else {
            rustix::process::kill_process(leader, signal)
        };
    }
}

/// The console sends its signals to every process in it, so nothing must be forwarded.
#[cfg(not(unix))]
struct Group;

#[cfg(not(unix))]
impl Group {
    fn prepare(_: &mut Command, _: bool) {}

    fn from_child(_: &std::process::Child, _: bool) -> Self {
        Self
    }

    fn terminate(&self) {}

    fn interrupt(&self) {}

    fn kill(&self) {}

    fn terminate_rest(&self) {}

    fn kill_rest(&self) {}

    fn has_rest(&self) -> bool {
        false
    }
}

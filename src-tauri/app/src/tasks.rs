//! The running commands. Those that take long are shown with their progress and can be cancelled.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use roost_model::time::Timestamp;
use roost_ops::Watch;
use serde::Serialize;

/// Commands that end sooner are not shown.
const LISTED_AFTER: Duration = Duration::from_millis(250);
/// Commands that take long because they wait for news, not because they work.
const WAITING: [&str; 4] = ["grid_state", "duplicate_state", "clean_state", "import_state"];

/// A long-running command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct Task {
    pub id: u64,
    /// The name of the command.
    pub name: String,
    pub started_at: Timestamp,
    pub elapsed_ms: u64,
    /// Rows changed so far.
    pub rows: u64,
    /// The expected number of rows, if it is known.
    pub total: Option<u64>,
    /// Whether it was cancelled and has not ended yet.
    pub is_ending: bool,
}

#[derive(Default)]
pub(crate) struct Tasks {
    running: Mutex<RunningCommands>,
}

#[derive(Default)]
struct RunningCommands {
    last: u64,
    tasks: BTreeMap<u64, RunningCommand>,
}

struct RunningCommand {
    name: String,
    /// The page that sent the command, and the number of its call.
    origin: Option<String>,
    started: Instant,
    started_at: Timestamp,
    watch: Arc<Watch>,
}

/// The guard of a running command. Dropping it removes the command from the list.
pub(crate) struct CommandGuard<'a> {
    tasks: &'a Tasks,
    id: u64,
    pub watch: Arc<Watch>,
}

impl Tasks {
    pub(crate) fn register(&self, name: &str, origin: Option<&str>, started_at: Timestamp) -> CommandGuard<'_> {
        let watch = Arc::new(Watch::default());
        let mut running = self.lock();
        running.last += 1;
        let id = running.last;
        let command = RunningCommand {
            name: name.to_owned(),
            origin: origin.filter(|origin| !origin.is_empty()).map(str::to_owned),
            started: Instant::now(),
            started_at,
            watch: Arc::clone(&watch),
        };
        running.tasks.insert(id, command);
        CommandGuard { tasks: self, id, watch }
    }

    /// Returns the long-running commands, oldest first.
    pub(crate) fn long_running(&self) -> Vec<Task> {
        self.running_longer_than(LISTED_AFTER)
    }

    fn running_longer_than(&self, least: Duration) -> Vec<Task> {
        let running = self.lock();
        let long = running.tasks.iter().map(|(id, command)| (id, command, command.started.elapsed()));
        long.filter(|(_, command, elapsed)| *elapsed >= least && !WAITING.contains(&command.name.as_str()))
            .map(|(id, command, elapsed)| command.to_task(*id, elapsed))
            .collect()
    }

    /// Cancels a command. Returns false if it had already ended.
    pub(crate) fn cancel(&self, id: u64) -> bool {
        self.lock().tasks.get(&id).map(|command| command.watch.cancel()).is_some()
    }

    /// Cancels a call by its origin. Returns false if it has not begun or has ended.
    pub(crate) fn cancel_call(&self, origin: &str) -> bool {
        let running = self.lock();
        let call = running.tasks.values().find(|command| command.origin.as_deref() == Some(origin));
        call.map(|command| command.watch.cancel()).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, RunningCommands> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningCommand {
    fn to_task(&self, id: u64, elapsed: Duration) -> Task {
        Task {
            id,
            name: self.name.clone(),
            started_at: self.started_at,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            rows: self.watch.rows(),
            total: self.watch.expected(),
            is_ending: self.watch.is_cancelled(),
        }
    }
}

impl Drop for CommandGuard<'_> {
    fn drop(&mut self) {
        self.tasks.lock().tasks.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_known_while_it_runs_and_can_be_ended() {
        let tasks = Tasks::default();
        let way = tasks.register("list_merge", None, Timestamp::from_unix(7));
        assert_eq!(tasks.long_running(), [], "it has only just begun");
        way.watch.set_expected(12);
        let task = tasks.running_longer_than(Duration::ZERO).remove(0);
        assert_eq!((task.name.as_str(), task.total, task.is_ending), ("list_merge", Some(12), false));
        assert!(tasks.cancel(task.id));
        assert!(way.watch.is_cancelled() && tasks.running_longer_than(Duration::ZERO)[0].is_ending);
        drop(way);
        assert!(!tasks.cancel(task.id));
        assert_eq!(tasks.running_longer_than(Duration::ZERO), []);
    }
    #[test]
    fn a_page_ends_a_call_of_its_own_without_knowing_its_task() {
        let tasks = Tasks::default();
        assert!(!tasks.cancel_call("page.1"), "it has not begun");
        let one = tasks.register("grid_act", Some("page.1"), Timestamp::from_unix(7));
        let other = tasks.register("grid_act", Some("page.2"), Timestamp::from_unix(7));
        let nobodys = tasks.register("grid_act", Some(""), Timestamp::from_unix(7));
        assert!(tasks.cancel_call("page.1") && !tasks.cancel_call(""));
        let ended = [&one, &other, &nobodys].map(|way| way.watch.is_cancelled());
        assert_eq!(ended, [true, false, false]);
        drop(one);
        assert!(!tasks.cancel_call("page.1"), "it has ended");
    }
}

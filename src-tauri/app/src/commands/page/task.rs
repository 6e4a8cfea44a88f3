//! Commands on the running commands.

use roost_imports::session::{ImportTask, ImportWork};
use roost_model::time::Timestamp;
use roost_ops::Actor;
use roost_sync_session::{SyncKind, SyncWork};
use serde::{Deserialize, Serialize};

use crate::{accounts::App, commands::Nothing, error::CommandError, tasks::Task};

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct TaskListAnswer {
    /// The long-running commands, oldest first.
    pub tasks: Vec<Task>,
    /// Contact jobs that wait or run.
    pub jobs_waiting: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct TaskCancel {
    pub id: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct TaskCancelCall {
    /// The origin with which the page sent the call.
    pub origin: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct TaskCancelAnswer {
    /// False if the command had already ended, or has not begun.
    pub cancelled: bool,
}

/// This works without an account, too, because creating one is a task.
pub(crate) fn list(app: &App, _: &Actor, _: Nothing) -> Result<TaskListAnswer, CommandError> {
    let jobs_waiting = match app.core() {
        // A world in memory has a single connection. The progress of its work must be readable while that work holds
        // it.
        Ok(core) if core.is_read_ready() => roost_ops::overview::get(&core)?.jobs_waiting,
        _ => 0,
    };
    let mut tasks = app.tasks().long_running();
    if let Ok(account) = app.account() {
        tasks.extend(account.imports().list_tasks().into_iter().map(|task| import_tasks(app, task)));
    }
    if let Ok(sync) = app.sync() {
        tasks.extend(sync.current_work().map(sync_tasks));
    }
    Ok(TaskListAnswer { tasks, jobs_waiting })
}

/// Imports run on their own threads. Their task numbers begin after those of all commands.
const IMPORTS_FROM: u64 = 1 << 48;

/// The task numbers of sync work begin after those of imports.
const SYNC_FROM: u64 = 1 << 50;

fn sync_tasks(work: SyncWork) -> Task {
    let name = match work.kind {
        SyncKind::Pull => "sync_pull",
        SyncKind::Run => "run_start",
        SyncKind::Probe => "connection_probe",
    };
    Task {
        id: SYNC_FROM + work.id,
        name: name.to_owned(),
        started_at: work.started_at,
        elapsed_ms: work.elapsed_ms,
        rows: work.rows,
        total: work.rows_total,
        is_ending: work.is_ending,
    }
}

fn import_tasks(app: &App, ImportTask { import, progress }: ImportTask) -> Task {
    let name = match progress.work {
        ImportWork::Read => "import_read",
        ImportWork::Rehearse => "import_rehearse",
        ImportWork::Accept => "import_accept",
    };
    let began = app.now().unix() - i64::try_from(progress.elapsed_ms / 1_000).unwrap_or_default();
    Task {
        id: IMPORTS_FROM + import,
        name: name.to_owned(),
        started_at: Timestamp::from_unix(began),
        elapsed_ms: progress.elapsed_ms,
        rows: progress.rows,
        total: progress.rows_total,
        is_ending: progress.is_ending,
    }
}

pub(crate) fn cancel(app: &App, _: &Actor, request: TaskCancel) -> Result<TaskCancelAnswer, CommandError> {
    let cancelled = match request.id.checked_sub(IMPORTS_FROM) {
        Some(_) if request.id >= SYNC_FROM => app.sync()?.stop_work(request.id - SYNC_FROM),
        Some(import) => app.account()?.imports().cancel_task(import),
        None => app.tasks().cancel(request.id),
    };
    Ok(TaskCancelAnswer { cancelled })
}

pub(crate) fn cancel_call(app: &App, _: &Actor, request: TaskCancelCall) -> Result<TaskCancelAnswer, CommandError> {
    Ok(TaskCancelAnswer { cancelled: app.tasks().cancel_call(&request.origin) })
}

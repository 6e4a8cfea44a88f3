//! Manages the outbox of finished jobs: the callbacks that are owed, their attempts, and what follows each attempt.

use roost_model::{
    page::{Page, PageRequest},
    time::DueTime,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::callbacks,
};

pub use roost_store::tables::callbacks::{
    Callback, CallbackAttempt, CallbackCounts, CallbackFilter, CallbackState, DueCallback,
};

use crate::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
};

/// What happens after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    RetryAt(DueTime),
    GivenUp,
}

/// The result of an attempt: the status of the response, or the reason why there was none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptResult {
    pub status: Option<u16>,
    pub error: Option<String>,
}

/// Returns the callbacks that are due now, the earliest first.
pub fn read_due(core: &Core, most: u32) -> Result<Vec<Callback>> {
    core.read(|tx| Ok(callbacks::read_due(tx, core.ctx().due_now(), most)?))
}

/// Returns short entries of the callbacks that are due now, the earliest first.
pub fn list_due(core: &Core, most: u32) -> Result<Vec<DueCallback>> {
    core.read(|tx| Ok(callbacks::list_due(tx, core.ctx().due_now(), most)?))
}

pub fn next_due_at(core: &Core) -> Result<Option<DueTime>> {
    core.read(|tx| Ok(callbacks::next_due_at(tx)?))
}

/// Records the start of an attempt before its request is sent. Returns the attempt's number for [`finish_attempt`].
pub fn begin_attempt(core: &Core, callback: i64) -> Result<i64> {
    core.write(&Actor::job(), |tx| Ok(callbacks::begin_attempt(tx, callback, core.ctx().now())?))
}

/// Records the start of an attempt if the callback is still due, and returns what to send. Returns `None` if the
/// callback was held, cancelled or postponed meanwhile.
pub fn begin_due(core: &Core, callback: i64) -> Result<Option<(i64, Callback, Vec<CallbackAttempt>)>> {
    core.write(&Actor::job(), |tx| {
        if !callbacks::is_due(tx, callback, core.ctx().due_now())? {
            return Ok(None);
        }
        let (owed, earlier) = callbacks::get(tx, callback)?.or_not_found(Noun::Callback, callback)?;
        Ok(Some((callbacks::begin_attempt(tx, callback, core.ctx().now())?, owed, earlier)))
    })
}

pub fn finish_attempt(core: &Core, attempt: i64, result: &AttemptResult, next: AttemptOutcome) -> Result<()> {
    let (state, next_at) = match next {
        AttemptOutcome::Delivered => (CallbackState::Delivered, None),
        AttemptOutcome::RetryAt(at) => (CallbackState::Waiting, Some(at)),
        AttemptOutcome::GivenUp => (CallbackState::GivenUp, None),
    };
    core.write(&Actor::job(), |tx| {
        let callback = callbacks::finish_attempt(
            tx,
            attempt,
            core.ctx().now(),
            result.status,
            result.error.as_deref(),
            state,
            next_at,
        )?;
        tx.log_change(ChangeLogEntry::single(Noun::Callback, ChangeAction::Updated, callback));
        Ok(())
    })
}

/// Returns all callbacks with their attempts, newest first.
pub fn read_all(core: &Core, page: PageRequest) -> Result<Page<(Callback, Vec<CallbackAttempt>)>> {
    find_callbacks(core, &CallbackFilter::default(), page)
}

/// Returns the matching callbacks with their attempts, newest first.
pub fn find_callbacks(
    core: &Core,
    wanted: &CallbackFilter,
    page: PageRequest,
) -> Result<Page<(Callback, Vec<CallbackAttempt>)>> {
    core.read(|tx| Ok(callbacks::read_page(tx, wanted, page)?))
}

pub fn get(core: &Core, id: i64) -> Result<(Callback, Vec<CallbackAttempt>)> {
    core.read(|tx| callbacks::get(tx, id)?.or_not_found(Noun::Callback, id))
}

/// Counts the callbacks by state, for one correlation id or for all.
pub fn count_by_state(core: &Core, correlation_id: Option<&str>) -> Result<CallbackCounts> {
    core.read(|tx| Ok(callbacks::count_by_state(tx, correlation_id)?))
}

/// Sends a callback now, whatever its state.
pub fn redeliver(core: &Core, by: &Actor, id: i64) -> Result<(Callback, Vec<CallbackAttempt>)> {
    update_state(core, by, id, |_| Ok((CallbackState::Waiting, Some(core.ctx().due_now()))))
}

/// Holds a callback until it is released. No attempt begins meanwhile.
pub fn hold(core: &Core, by: &Actor, id: i64) -> Result<(Callback, Vec<CallbackAttempt>)> {
    update_state(core, by, id, |callback| match callback.state {
        CallbackState::Waiting => Ok((CallbackState::Waiting, None)),
        _ => Err(Error::conflict(format!("Callback {id} is {}, so it cannot be held.", callback.state.as_str()))),
    })
}

/// Releases a held callback, which is then due at once.
pub fn release(core: &Core, by: &Actor, id: i64) -> Result<(Callback, Vec<CallbackAttempt>)> {
    update_state(core, by, id, |callback| match callback.is_held() {
        true => Ok((CallbackState::Waiting, Some(core.ctx().due_now()))),
        false => Err(Error::conflict(format!("Callback {id} is not held."))),
    })
}

/// Releases all held callbacks and returns their numbers.
pub fn release_all(core: &Core, by: &Actor) -> Result<Vec<i64>> {
    core.write(by, |tx| {
        let held = callbacks::held_ids(tx)?;
        for id in &held {
            callbacks::set_state(tx, *id, CallbackState::Waiting, Some(core.ctx().due_now()))?;
            tx.log_change(ChangeLogEntry::single(Noun::Callback, ChangeAction::Updated, *id));
        }
        Ok(held)
    })
}

/// Gives up a waiting callback.
pub fn cancel(core: &Core, by: &Actor, id: i64) -> Result<(Callback, Vec<CallbackAttempt>)> {
    update_state(core, by, id, |callback| match callback.state {
        CallbackState::Waiting => Ok((CallbackState::GivenUp, None)),
        _ => Err(Error::conflict(format!("Callback {id} is {}, so it cannot be cancelled.", callback.state.as_str()))),
    })
}

/// Changes the state of a callback, and returns it in that state. It may be sent immediately afterwards.
fn update_state(
    core: &Core,
    by: &Actor,
    id: i64,
    to: impl FnOnce(&Callback) -> Result<(CallbackState, Option<DueTime>)>,
) -> Result<(Callback, Vec<CallbackAttempt>)> {
    core.write(by, |tx| {
        let (callback, attempts) = callbacks::get(tx, id)?.or_not_found(Noun::Callback, id)?;
        let (state, next_at) = to(&callback)?;
        callbacks::set_state(tx, id, state, next_at)?;
        tx.log_change(ChangeLogEntry::single(Noun::Callback, ChangeAction::Updated, id));
        Ok((Callback { state, next_at, ..callback }, attempts))
    })
}

//! The outbox of finished jobs: what is owed, every attempt, what follows.

use roost_model::{
    page::{Page, PageRequest},
    time::Timestamp,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::callbacks,
};

pub use roost_store::tables::callbacks::{Attempt, Callback, CallbackState, Counts, DueCallback, Wanted};

use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

/// What follows an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Delivered,
    RetryAt(Timestamp),
    GivenUp,
}

/// How an attempt ended: the answer's status, or why there was none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttemptResult {
    pub status: Option<u16>,
    pub error: Option<String>,
}

/// Deliveries due now, the longest due first.
pub fn due(core: &Core, most: u32) -> Result<Vec<Callback>> {
    core.read(|tx| Ok(callbacks::due(tx, core.ctx().now(), most)?))
}

/// The deliveries due now, the longest due first.
pub fn list_due(core: &Core, most: u32) -> Result<Vec<DueCallback>> {
    core.read(|tx| Ok(callbacks::list_due(tx, core.ctx().now(), most)?))
}

pub fn next_due_at(core: &Core) -> Result<Option<Timestamp>> {
    core.read(|tx| Ok(callbacks::next_due_at(tx)?))
}

/// Records that a try begins, before its request leaves; answers the attempt's number for [`finish_attempt`].
pub fn begin_attempt(core: &Core, callback: i64) -> Result<i64> {
    core.write(&By::job(), |tx| Ok(callbacks::begin_attempt(tx, callback, core.ctx().now())?))
}

/// The same when it is still due, and what is sent; nothing when it was held, cancelled or put off meanwhile.
pub fn begin_due(core: &Core, callback: i64) -> Result<Option<(i64, Callback, Vec<Attempt>)>> {
    core.write(&By::job(), |tx| {
        let now = core.ctx().now();
        if !callbacks::is_due(tx, callback, now)? {
            return Ok(None);
        }
        let (owed, earlier) = callbacks::get(tx, callback)?.or_not_found(Noun::Callback, callback)?;
        Ok(Some((callbacks::begin_attempt(tx, callback, now)?, owed, earlier)))
    })
}

pub fn finish_attempt(core: &Core, attempt: i64, result: &AttemptResult, next: Next) -> Result<()> {
    let (state, next_at) = match next {
        Next::Delivered => (CallbackState::Delivered, None),
        Next::RetryAt(at) => (CallbackState::Waiting, Some(at)),
        Next::GivenUp => (CallbackState::GivenUp, None),
    };
    core.write(&By::job(), |tx| {
        let callback = callbacks::finish_attempt(
            tx,
            attempt,
            core.ctx().now(),
            result.status,
            result.error.as_deref(),
            state,
            next_at,
        )?;
        tx.log(Change::one(Noun::Callback, Action::Updated, callback));
        Ok(())
    })
}

/// Every delivery with its attempts, newest first.
pub fn ledger(core: &Core, page: PageRequest) -> Result<Page<(Callback, Vec<Attempt>)>> {
    find(core, &Wanted::default(), page)
}

/// The deliveries that are wanted with their attempts, newest first.
pub fn find(core: &Core, wanted: &Wanted, page: PageRequest) -> Result<Page<(Callback, Vec<Attempt>)>> {
    core.read(|tx| Ok(callbacks::page(tx, wanted, page)?))
}

pub fn get(core: &Core, id: i64) -> Result<(Callback, Vec<Attempt>)> {
    core.read(|tx| callbacks::get(tx, id)?.or_not_found(Noun::Callback, id))
}

/// How many there are of each kind, for one correlation id or all.
pub fn counts(core: &Core, correlation_id: Option<&str>) -> Result<Counts> {
    core.read(|tx| Ok(callbacks::counts(tx, correlation_id)?))
}

/// Sends it now, whatever became of it before.
pub fn redeliver(core: &Core, by: &By, id: i64) -> Result<(Callback, Vec<Attempt>)> {
    put(core, by, id, |_| Ok((CallbackState::Waiting, Some(core.ctx().now()))))
}

/// Keeps it back until it is released; no try begins any more.
pub fn hold(core: &Core, by: &By, id: i64) -> Result<(Callback, Vec<Attempt>)> {
    put(core, by, id, |callback| match callback.state {
        CallbackState::Waiting => Ok((CallbackState::Waiting, None)),
        _ => Err(Error::conflict(format!("Callback {id} is {}, so it cannot be held.", callback.state.as_str()))),
    })
}

/// Lets a held one go, at once.
pub fn release(core: &Core, by: &By, id: i64) -> Result<(Callback, Vec<Attempt>)> {
    put(core, by, id, |callback| match callback.is_held() {
        true => Ok((CallbackState::Waiting, Some(core.ctx().now()))),
        false => Err(Error::conflict(format!("Callback {id} is not held."))),
    })
}

/// Lets all that are held go, and answers their numbers.
pub fn release_all(core: &Core, by: &By) -> Result<Vec<i64>> {
    core.write(by, |tx| {
        let held = callbacks::held_ids(tx)?;
        for id in &held {
            callbacks::put(tx, *id, CallbackState::Waiting, Some(core.ctx().now()))?;
            tx.log(Change::one(Noun::Callback, Action::Updated, *id));
        }
        Ok(held)
    })
}

/// Gives up what waits.
pub fn cancel(core: &Core, by: &By, id: i64) -> Result<(Callback, Vec<Attempt>)> {
    put(core, by, id, |callback| match callback.state {
        CallbackState::Waiting => Ok((CallbackState::GivenUp, None)),
        _ => Err(Error::conflict(format!("Callback {id} is {}, so it cannot be cancelled.", callback.state.as_str()))),
    })
}

/// Answers it as it was put: a moment later it may be on its way.
fn put(
    core: &Core,
    by: &By,
    id: i64,
    to: impl FnOnce(&Callback) -> Result<(CallbackState, Option<Timestamp>)>,
) -> Result<(Callback, Vec<Attempt>)> {
    core.write(by, |tx| {
        let (callback, attempts) = callbacks::get(tx, id)?.or_not_found(Noun::Callback, id)?;
        let (state, next_at) = to(&callback)?;
        callbacks::put(tx, id, state, next_at)?;
        tx.log(Change::one(Noun::Callback, Action::Updated, id));
        Ok((Callback { state, next_at, ..callback }, attempts))
    })
}

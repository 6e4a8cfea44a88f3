//! The outbox of finished jobs: what is owed, every attempt, what follows.

use roost_model::{
    page::{Page, PageRequest},
    time::Timestamp,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::callbacks,
};

pub use roost_store::tables::callbacks::{Attempt, Callback, CallbackState};

use crate::{
    core::{By, Core},
    error::Result,
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

pub fn next_due_at(core: &Core) -> Result<Option<Timestamp>> {
    core.read(|tx| Ok(callbacks::next_due_at(tx)?))
}

/// Records that a try begins, before its request leaves; answers the attempt's number for [`finish_attempt`].
pub fn begin_attempt(core: &Core, callback: i64) -> Result<i64> {
    core.write(&By::job(), |tx| Ok(callbacks::begin_attempt(tx, callback, core.ctx().now())?))
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
    core.read(|tx| Ok(callbacks::page(tx, page)?))
}

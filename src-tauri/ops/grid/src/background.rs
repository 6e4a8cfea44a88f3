//! Runs searches of a list or of the whole account on separate threads and holds their results in memory. A search can
//! be watched and cancelled, and its result becomes stale when others change what was searched.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use roost_model::{contact::ContactField, id::ListId};
use roost_store::{
    change_log::Noun,
    error::{Result as StoreResult, StoreError},
    tables::{
        contacts::grid::{
            filter,
            scan::{self, Row, ScanMethod},
        },
        lists::{
            self,
            list_changes::{self, ListChanges},
        },
    },
    tx::ReadTx,
    watch::Watch,
};

use roost_ops::{
    core::Core,
    error::{Error, OrNotFound, Result},
};
use serde::Serialize;

/// The maximum number of open searches of each kind; the least recently used one is closed.
const MAX_SEARCHES: usize = 4;

/// The progress of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SearchProgress {
    /// Increases with every result. The numbers in it change with it.
    pub generation: u32,
    pub is_working: bool,
    pub rows_read: u64,
    pub rows_total: u64,
    /// Someone else changed the list since the search. A refresh shows its current state.
    pub is_stale: bool,
    /// The error that ended the last search.
    pub fault: Option<String>,
}

pub(super) struct BackgroundSearch<T> {
    pub id: u64,
    /// The list, or `None` for the whole account.
    pub list: Option<ListId>,
    state: Mutex<SearchState<T>>,
    changed: Condvar,
}

struct SearchState<T> {
    found: Arc<T>,
    generation: u32,
    /// The line of the change log up to which the result is valid.
    seq: i64,
    /// The later steps that the result already includes.
    own: BTreeSet<i64>,
    working: Option<SearchThread>,
    fault: Option<String>,
    is_ended: bool,
}

struct SearchThread {
    watch: Arc<Watch>,
    thread: Option<JoinHandle<()>>,
}

/// Reports a failure if the thread ends without publishing anything, for example by a panic.
struct FailureGuard<T: Clone + Default>(Arc<BackgroundSearch<T>>, Arc<Watch>);

impl<T: Clone + Default> Drop for FailureGuard<T> {
    fn drop(&mut self) {
        self.0.publish(&self.1, Err(Error::conflict("The operation stopped before it finished. Start it again.")));
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Clone + Default> BackgroundSearch<T> {
    fn new(id: u64, list: Option<ListId>) -> Self {
        let state = SearchState {
            found: Arc::default(),
            generation: 0,
            seq: 0,
            own: BTreeSet::new(),
            working: None,
            fault: None,
            is_ended: false,
        };
        Self { id, list, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock_state(&self) -> MutexGuard<'_, SearchState<T>> {
        lock(&self.state)
    }

    /// Returns the latest result.
    pub(crate) fn latest_result(&self) -> Arc<T> {
        Arc::clone(&self.lock_state().found)
    }

    /// Starts the search on a thread. A search in progress is cancelled first.
    pub(crate) fn start(
        self: &Arc<Self>,
        core: &Core,
        name: &str,
        work: impl FnOnce(&Core, &Arc<Watch>) -> Result<T> + Send + 'static,
    ) -> Result<()>
    where
        T: Send + Sync + 'static,
    {
        self.cancel();
        let watch = Arc::new(Watch::default());
        let (run, core, watched) = (Arc::clone(self), core.clone(), Arc::clone(&watch));
        let mut state = self.lock_state();
        if state.is_ended {
            return Err(Error::conflict(CLOSED));
        }
        state.fault = None;
        let work = move || {
            let _guard = FailureGuard(Arc::clone(&run), Arc::clone(&watched));
            let seq = core.read(|tx| Ok(list_changes::changes_since(tx, i64::MAX)?.0));
            let found = seq.and_then(|seq| Ok((work(&core, &watched)?, seq)));
            // Drop the handle before publishing: the account may then be closed at once, which requires that no other
            // handle exists.
            drop(core);
            run.publish(&watched, found);
        };
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(work)
            .map_err(|why| Error::conflict(format!("The operation cannot start: {why}.")))?;
        state.working = Some(SearchThread { watch, thread: Some(thread) });
        Ok(())
    }

    fn publish(&self, watch: &Arc<Watch>, found: Result<(T, i64)>) {
        let mut state = self.lock_state();
        // Another search has replaced this one, or it has already published.
        if !state.working.as_ref().is_some_and(|working| Arc::ptr_eq(&working.watch, watch)) {
            return;
        }
        state.working = None;
        match found {
            Ok((found, seq)) => {
                state.found = Arc::new(found);
                state.generation += 1;
                state.seq = seq;
                state.own.clear();
            }
            Err(Error::Store(StoreError::Cancelled)) => state.fault = Some("The operation was cancelled.".to_owned()),
            Err(why) => state.fault = Some(why.to_string()),
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Cancels the search and waits for its thread. The previous result remains.
    pub(crate) fn cancel(&self) {
        let thread = {
            let mut state = self.lock_state();
            let Some(working) = &mut state.working else { return };
            working.watch.cancel();
            working.thread.take()
        };
        if let Some(thread) = thread {
            // The panic hook has already reported a thread that panicked.
            let _ = thread.join();
        }
    }

    fn close(&self) {
        self.lock_state().is_ended = true;
        self.cancel();
    }

    /// Waits until the search is done or the timeout ends.
    pub(crate) fn wait(&self, most: Duration) {
        let is_awaited = |state: &mut SearchState<T>| state.working.is_some();
        drop(self.changed.wait_timeout_while(self.lock_state(), most, is_awaited));
    }

    pub(crate) fn read_progress(&self, core: &Core) -> Result<SearchProgress> {
        let is_stale = core.read(|tx| self.is_stale(tx))?;
        let state = self.lock_state();
        let watch = state.working.as_ref().map(|working| &working.watch);
        let rows_total = watch.and_then(|watch| watch.expected()).unwrap_or(0);
        Ok(SearchProgress {
            generation: state.generation,
            is_working: watch.is_some(),
            rows_read: watch.map_or(0, |watch| watch.rows().min(rows_total)),
            rows_total,
            is_stale,
            fault: state.fault.clone(),
        })
    }

    /// Returns whether others have changed the searched data since the search.
    pub(crate) fn is_stale(&self, tx: &ReadTx) -> Result<bool> {
        let (seq, own) = {
            let state = self.lock_state();
            if state.generation == 0 {
                return Ok(false);
            }
            (state.seq, state.own.clone())
        };
        let (_, since) = list_changes::changes_since_except(tx, seq, &own, false)?;
        Ok(match (since, &self.list) {
            (ListChanges::Everything, _) => true,
            (ListChanges::Lists(uids), Some(list)) => uids.iter().any(|uid| uid == list.as_str()),
            (ListChanges::Lists(uids), None) => !uids.is_empty(),
        })
    }

    /// Changes the result to include the act `step`. If `step` is `None`, the account did not change.
    pub(crate) fn patch_result<A>(&self, step: Option<i64>, change: impl FnOnce(&mut T) -> A) -> A {
        let mut state = self.lock_state();
        state.own.extend(step);
        change(Arc::make_mut(&mut state.found))
    }
}

pub(super) const CLOSED: &str = "This is closed. Open it again.";

/// The open searches of one kind, the most recently used first.
pub(super) struct BackgroundSearches<T>(Mutex<OpenSearches<T>>);

struct OpenSearches<T> {
    last: u64,
    open: VecDeque<Arc<BackgroundSearch<T>>>,
}

impl<T> Default for BackgroundSearches<T> {
    fn default() -> Self {
        Self(Mutex::new(OpenSearches { last: 0, open: VecDeque::new() }))
    }
}

impl<T: Clone + Default> BackgroundSearches<T> {
    pub(crate) fn open(&self, list: Option<ListId>) -> Arc<BackgroundSearch<T>> {
        let (run, to_close) = {
            let mut runs = lock(&self.0);
            runs.last += 1;
            let run = Arc::new(BackgroundSearch::new(runs.last, list));
            runs.open.push_front(Arc::clone(&run));
            let keep = runs.open.len().min(MAX_SEARCHES);
            (run, runs.open.split_off(keep))
        };
        to_close.iter().for_each(|run| run.close());
        run
    }

    pub(crate) fn get(&self, id: u64) -> Result<Arc<BackgroundSearch<T>>> {
        let mut runs = lock(&self.0);
        let at = runs.open.iter().position(|run| run.id == id);
        let run = at.and_then(|at| runs.open.remove(at)).ok_or_else(|| Error::conflict(CLOSED))?;
        runs.open.push_front(Arc::clone(&run));
        Ok(run)
    }

    /// Closes a search. Closing a search that is already closed has no effect.
    pub(crate) fn close(&self, id: u64) {
        let to_close = {
            let mut runs = lock(&self.0);
            let at = runs.open.iter().position(|run| run.id == id);
            at.and_then(|at| runs.open.remove(at))
        };
        to_close.iter().for_each(|run| run.close());
    }

    /// Closes all searches and waits for their threads.
    pub(crate) fn close_all(&self) {
        let to_close = std::mem::take(&mut lock(&self.0).open);
        to_close.iter().for_each(|run| run.close());
    }
}

/// Passes some fields of every contact of a list to `visit`. Reads range by range where it can, so that others get
/// their turn in between.
pub(super) fn scan_contacts(
    core: &Core,
    list: &ListId,
    fields: &[ContactField],
    watch: &Arc<Watch>,
    visit: &mut (dyn FnMut(i64, &Row) -> StoreResult<()> + Send),
) -> Result<()> {
    let (way, sql) = core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let count = lists::get(tx, list)?.map_or(0, |list| list.contact_count);
        let sql = filter::compile_filter(tx, row, None, None, &[], core.ctx().now())?;
        Ok((scan::choose_method(tx, row, count)?, sql))
    })?;
    let stretches: Vec<Option<(i64, i64)>> = match way {
        ScanMethod::Index => vec![None],
        ScanMethod::IdRanges(stretches) => stretches.into_iter().map(Some).collect(),
    };
    let visit = Mutex::new(visit);
    for stretch in stretches {
        core.scan(watch, 1, |tx| {
            let visit = &mut *lock(&visit);
            Ok(scan::visit_rows(tx, &sql, stretch, fields, watch, &mut |id, _, row| visit(id, row))?)
        })?;
    }
    Ok(())
}

/// Returns the text of a column that [`scan_contacts`] read, or `None` if it is empty.
pub(super) fn column_text<'r>(row: &'r Row, column: usize) -> StoreResult<Option<&'r str>> {
    Ok(scan::text_bytes(row, scan::FIRST_COLUMN + column)?.and_then(|text| std::str::from_utf8(text).ok()))
}

/// Fails if the caller has cancelled the work.
pub(super) fn check_cancelled(watch: &Watch) -> Result<()> {
    if watch.is_cancelled() { Err(StoreError::Cancelled.into()) } else { Ok(()) }
}

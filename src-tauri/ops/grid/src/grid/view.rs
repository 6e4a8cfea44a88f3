//! Holds one view: its current rows, the build in progress, and the changes of its own acts.

use std::{
    collections::{BTreeSet, HashSet},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::Duration,
};

use chrono::NaiveDate;
use roost_model::intervals::RowIntervals;
use roost_store::{error::StoreError, watch::Watch};

use super::{
    GridCaches, ViewId, ViewSpec, ViewStatus, build,
    order_cache::{self, CachedViewOrder},
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
};

pub(super) struct OpenView {
    pub id: ViewId,
    pub spec: ViewSpec,
    pub(super) caches: Arc<GridCaches>,
    state: Mutex<ViewState>,
    changed: Condvar,
}

/// The current rows. They are replaced rather than changed while others read them.
#[derive(Clone, Default)]
pub(super) struct ViewRows {
    pub generation: u32,
    pub ids: Arc<Vec<i64>>,
    /// The rows that were deleted here but still exist at the service.
    pub deleted: Arc<HashSet<i64>>,
    /// The ids of rows that no longer match the filter.
    pub left: Arc<HashSet<i64>>,
}

struct ViewState {
    rows: ViewRows,
    /// The estimated number of rows until the first build is done, and whether it is exact.
    estimate: Option<(u64, bool)>,
    /// The line of the change log up to which the rows are valid, and the later steps that the rows already include.
    seq: i64,
    own: BTreeSet<i64>,
    /// The day for which the rows are valid, if the filter depends on the clock.
    day: Option<NaiveDate>,
    /// The account's generation at the last check for changes, and the result of that check.
    asked_at: u64,
    is_stale: bool,
    building: Option<BuildTask>,
    fault: Option<String>,
    is_ended: bool,
}

struct BuildTask {
    watch: Arc<Watch>,
    thread: Option<JoinHandle<()>>,
}

impl OpenView {
    pub(super) fn new(id: ViewId, spec: ViewSpec, estimate: u64, is_exact: bool, caches: Arc<GridCaches>) -> Self {
        let state = ViewState {
            rows: ViewRows::default(),
            estimate: Some((estimate, is_exact)),
            seq: 0,
            own: BTreeSet::new(),
            day: None,
            asked_at: u64::MAX,
            is_stale: false,
            building: None,
            fault: None,
            is_ended: false,
        };
        Self { id, spec, caches, state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, ViewState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn rows(&self) -> ViewRows {
        self.lock().rows.clone()
    }

    pub(super) fn row_ids(&self, rows: &RowIntervals) -> Vec<i64> {
        let ids = self.rows().ids;
        let rows = rows.keep_below(ids.len() as u64);
        let mut found = Vec::with_capacity(rows.len() as usize);
        for &(from, to) in rows.pairs() {
            found.extend_from_slice(&ids[from as usize..to as usize]);
        }
        found
    }

    /// Starts a build on a thread. A build in progress is cancelled first.
    pub(super) fn start_build(self: &Arc<Self>, core: &Core) -> Result<()> {
        self.cancel();
        let watch = Arc::new(Watch::default());
        let (view, core, watched) = (Arc::clone(self), core.clone(), Arc::clone(&watch));
        let mut state = self.lock();
        if state.is_ended {
            return Err(Error::conflict("This view is closed. Open it again."));
        }
        state.fault = None;
        let work = move || {
            let day = view.spec.filter_day(core.ctx().now());
            let built = build::build_view(&core, &view.caches, &view.spec, &watched);
            if let Ok(built) = &built {
                let ids = Arc::clone(&built.ids);
                view.caches.orders.insert(CachedViewOrder { spec: view.spec.clone(), ids, seq: built.seq, day });
            }
            let built = built.and_then(|built| {
                let deleted = if view.is_filtered() { Vec::new() } else { build::find_deleted(&core, &view.spec)? };
                Ok((built, deleted))
            });
            // Drop the handle before publishing: the account may then be closed at once, which requires that no other
            // handle exists.
            drop(core);
            view.publish_build(&watched, built, day);
        };
        let thread = std::thread::Builder::new()
            .name("view".to_owned())
            .spawn(work)
            .map_err(|why| Error::conflict(format!("The view cannot be built now: {why}")))?;
        state.building = Some(BuildTask { watch, thread: Some(thread) });
        Ok(())
    }

    /// Replaces the rows with those of a finished build. Deleted rows go to the end, because their position is unknown.
    fn publish_build(&self, watch: &Arc<Watch>, built: Result<(build::BuiltView, Vec<i64>)>, day: Option<NaiveDate>) {
        let mut state = self.lock();
        // Another build has replaced this one.
        if !state.building.as_ref().is_some_and(|building| Arc::ptr_eq(&building.watch, watch)) {
            return;
        }
        state.building = None;
        match built {
            Ok((built, deleted)) => {
                let generation = state.rows.generation + 1;
                let mut ids = built.ids;
                if !deleted.is_empty() {
                    Arc::make_mut(&mut ids).extend_from_slice(&deleted);
                }
                let deleted = Arc::new(deleted.into_iter().collect());
                state.rows = ViewRows { generation, ids, deleted, left: Arc::default() };
                state.seq = built.seq;
                state.day = day;
                state.own.clear();
                state.asked_at = u64::MAX;
                state.estimate = None;
            }
            Err(Error::Store(StoreError::Cancelled)) => state.fault = Some("The operation was cancelled.".to_owned()),
            Err(why) => state.fault = Some(why.to_string()),
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Cancels the build and waits for its thread, which checks every millisecond.
    pub(super) fn cancel(&self) {
        let thread = {
            let mut state = self.lock();
            let Some(building) = &mut state.building else { return };
            building.watch.cancel();
            building.thread.take()
        };
        if let Some(thread) = thread {
            // The panic hook has already reported a thread that panicked.
            let _ = thread.join();
        }
        let mut state = self.lock();
        state.building = None;
        drop(state);
        self.changed.notify_all();
    }

    /// Cancels the build for good: the view is closed.
    pub(super) fn close(&self) {
        self.lock().is_ended = true;
        self.cancel();
    }

    /// Waits until the view is built, the generation differs from `seen`, or the timeout ends.
    pub(super) fn wait(&self, seen: Option<u32>, most: Duration) {
        let is_awaited =
            |state: &mut ViewState| state.building.is_some() && seen.is_none_or(|seen| seen == state.rows.generation);
        drop(self.changed.wait_timeout_while(self.lock(), most, is_awaited));
    }

    pub(super) fn read_status(&self, core: &Core) -> Result<ViewStatus> {
        self.check_for_changes(core)?;
        let day = self.spec.filter_day(core.ctx().now());
        let state = self.lock();
        Ok(ViewStatus {
            generation: state.rows.generation,
            is_building: state.building.is_some(),
            rows_read: state.building.as_ref().map_or(0, |building| building.watch.rows()),
            total: state.estimate.map_or(state.rows.ids.len() as u64, |(total, _)| total),
            deleted: state.rows.deleted.len() as u64,
            is_exact: state.estimate.is_none_or(|(_, is_exact)| is_exact),
            is_stale: state.is_stale || (state.estimate.is_none() && state.day != day),
            fault: state.fault.clone(),
        })
    }

    /// Checks in the change log whether others changed the list since the view was built.
    fn check_for_changes(&self, core: &Core) -> Result<()> {
        let generation = core.generation();
        let (seq, own) = {
            let state = self.lock();
            if state.asked_at == generation || state.estimate.is_some() {
                return Ok(());
            }
            (state.seq, state.own.clone())
        };
        let (last, is_touched) = order_cache::check_changes(core, &self.spec, seq, &own)?;
        let mut state = self.lock();
        // If the view was built or patched meanwhile, the next call checks again.
        if state.seq == seq && state.own == own {
            state.asked_at = generation;
            state.is_stale = is_touched;
            if !is_touched {
                state.seq = last;
                state.own.clear();
            }
        }
        Ok(())
    }

    pub(super) fn append_rows(&self, step: i64, ids: &[i64]) -> u64 {
        let mut state = self.lock();
        let first = state.rows.ids.len() as u64;
        Arc::make_mut(&mut state.rows.ids).extend_from_slice(ids);
        state.note_own_step(step);
        first
    }

    pub(super) fn remove_rows(&self, step: i64, ids: &[i64]) {
        let removed: HashSet<i64> = ids.iter().copied().collect();
        let mut state = self.lock();
        let rows = &mut state.rows;
        let kept: Vec<i64> = rows.ids.iter().copied().filter(|id| !removed.contains(id)).collect();
        if kept.len() < rows.ids.len() {
            rows.ids = Arc::new(kept);
            rows.generation += 1;
        }
        state.note_own_step(step);
        drop(state);
        self.changed.notify_all();
    }

    /// Marks rows that were deleted and stay in the view.
    pub(super) fn mark_deleted(&self, ids: &[i64]) {
        let mut state = self.lock();
        Arc::make_mut(&mut state.rows.deleted).extend(ids);
        state.rows.generation += u32::from(!ids.is_empty());
        drop(state);
        self.changed.notify_all();
    }

    fn is_filtered(&self) -> bool {
        self.spec.filter.is_some() || self.spec.text.is_some()
    }

    pub(super) fn mark_edited(&self, core: &Core, step: i64, ids: &[i64]) -> Result<()> {
        let left = if self.is_filtered() { build::find_misfits(core, &self.spec, ids)? } else { HashSet::new() };
        let mut state = self.lock();
        let marks = Arc::make_mut(&mut state.rows.left);
        for id in ids {
            if left.contains(id) {
                marks.insert(*id);
            } else {
                marks.remove(id);
            }
        }
        state.note_own_step(step);
        Ok(())
    }
}

impl ViewState {
    /// Records that the view already includes the changes of this step.
    fn note_own_step(&mut self, step: i64) {
        self.own.insert(step);
        self.asked_at = u64::MAX;
    }
}

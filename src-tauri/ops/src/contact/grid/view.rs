//! Holds one view: its current rows, the build in progress, and the changes of its own acts.

use std::{
    collections::{BTreeSet, HashSet},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use chrono::NaiveDate;
use roost_model::intervals::Intervals;
use roost_store::{error::Error as StoreError, watch::Watch};

use super::{
    Spec, State, ViewId,
    base::{self, Base},
    build,
};
use crate::{
    core::Core,
    error::{Error, Result},
};

pub(super) struct View {
    pub id: ViewId,
    pub spec: Spec,
    standing: Mutex<Standing>,
    changed: Condvar,
}

/// The current rows. They are replaced rather than changed while others read them.
#[derive(Clone, Default)]
pub(super) struct Rows {
    pub generation: u32,
    pub ids: Arc<Vec<i64>>,
    /// The rows that were deleted here but still exist at the service.
    pub deleted: Arc<HashSet<i64>>,
    /// The ids of rows that no longer match the filter.
    pub left: Arc<HashSet<i64>>,
}

struct Standing {
    rows: Rows,
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
    building: Option<Building>,
    fault: Option<String>,
    is_ended: bool,
}

struct Building {
    watch: Arc<Watch>,
    thread: Option<JoinHandle<()>>,
}

impl View {
    pub fn new(id: ViewId, spec: Spec, estimate: u64, is_exact: bool) -> Self {
        let standing = Standing {
            rows: Rows::default(),
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
        Self { id, spec, standing: Mutex::new(standing), changed: Condvar::new() }
    }

    fn hold(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn rows(&self) -> Rows {
        self.hold().rows.clone()
    }

    pub fn generation(&self) -> u32 {
        self.hold().rows.generation
    }

    pub fn ids_of(&self, rows: &Intervals) -> Vec<i64> {
        let ids = self.rows().ids;
        let rows = rows.cut(ids.len() as u64);
        let mut found = Vec::with_capacity(rows.len() as usize);
        for &(from, to) in rows.pairs() {
            found.extend_from_slice(&ids[from as usize..to as usize]);
        }
        found
    }

    /// Starts a build on a thread. A build in progress is cancelled first.
    pub fn build(self: &Arc<Self>, core: &Core) -> Result<()> {
        self.cancel();
        let watch = Arc::new(Watch::default());
        let (view, core, watched) = (Arc::clone(self), core.clone(), Arc::clone(&watch));
        let mut standing = self.hold();
        if standing.is_ended {
            return Err(Error::conflict("This view is closed. Open it again."));
        }
        standing.fault = None;
        let work = move || {
            let day = view.spec.day(core.ctx().now());
            let built = build::found(&core, &view.spec, &watched);
            if let Ok(built) = &built {
                let ids = Arc::clone(&built.ids);
                core.grid().bases().keep(Base { spec: view.spec.clone(), ids, seq: built.seq, day });
            }
            let built = built.and_then(|built| {
                let deleted = if view.is_narrowed() { Vec::new() } else { build::deleted(&core, &view.spec)? };
                Ok((built, deleted))
            });
            // Drop the handle before publishing: the account may then be closed at once, which requires that no other
            // handle exists.
            drop(core);
            view.publish(&watched, built, day);
        };
        let thread = std::thread::Builder::new()
            .name("view".to_owned())
            .spawn(work)
            .map_err(|why| Error::conflict(format!("The view cannot be built now: {why}")))?;
        standing.building = Some(Building { watch, thread: Some(thread) });
        Ok(())
    }

    /// Replaces the rows with those of a finished build. Deleted rows go to the end, because their position is unknown.
    fn publish(&self, watch: &Arc<Watch>, built: Result<(build::Built, Vec<i64>)>, day: Option<NaiveDate>) {
        let mut standing = self.hold();
        // Another build has replaced this one.
        if !standing.building.as_ref().is_some_and(|building| Arc::ptr_eq(&building.watch, watch)) {
            return;
        }
        standing.building = None;
        match built {
            Ok((built, deleted)) => {
                let generation = standing.rows.generation + 1;
                let mut ids = built.ids;
                if !deleted.is_empty() {
                    Arc::make_mut(&mut ids).extend_from_slice(&deleted);
                }
                let deleted = Arc::new(deleted.into_iter().collect());
                standing.rows = Rows { generation, ids, deleted, left: Arc::default() };
                standing.seq = built.seq;
                standing.day = day;
                standing.own.clear();
                standing.asked_at = u64::MAX;
                standing.estimate = None;
            }
            Err(Error::Store(StoreError::Cancelled)) => standing.fault = Some("It was cancelled.".to_owned()),
            Err(why) => standing.fault = Some(why.to_string()),
        }
        drop(standing);
        self.changed.notify_all();
    }

    /// Cancels the build and waits for its thread, which checks every millisecond.
    pub fn cancel(&self) {
        let thread = {
            let mut standing = self.hold();
            let Some(building) = &mut standing.building else { return };
            building.watch.cancel();
            building.thread.take()
        };
        if let Some(thread) = thread {
            // The panic hook has already reported a thread that panicked.
            let _ = thread.join();
        }
        let mut standing = self.hold();
        standing.building = None;
        drop(standing);
        self.changed.notify_all();
    }

    /// Cancels the build for good: the view is closed.
    pub fn end(&self) {
        self.hold().is_ended = true;
        self.cancel();
    }

    /// Waits until the view is built, the generation differs from `seen`, or the time is over.
    pub fn wait(&self, seen: Option<u32>, most: Duration) {
        let until = Instant::now() + most;
        let mut standing = self.hold();
        while standing.building.is_some() && seen.is_none_or(|seen| seen == standing.rows.generation) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            standing = self.changed.wait_timeout(standing, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub fn state(&self, core: &Core) -> Result<State> {
        self.look_for_changes(core)?;
        let day = self.spec.day(core.ctx().now());
        let standing = self.hold();
        Ok(State {
            generation: standing.rows.generation,
            is_building: standing.building.is_some(),
            rows_read: standing.building.as_ref().map_or(0, |building| building.watch.rows()),
            total: standing.estimate.map_or(standing.rows.ids.len() as u64, |(total, _)| total),
            deleted: standing.rows.deleted.len() as u64,
            is_exact: standing.estimate.is_none_or(|(_, is_exact)| is_exact),
            is_stale: standing.is_stale || (standing.estimate.is_none() && standing.day != day),
            fault: standing.fault.clone(),
        })
    }

    /// Checks in the change log whether others changed the list since the view was built.
    fn look_for_changes(&self, core: &Core) -> Result<()> {
        let generation = core.generation();
        let (seq, own) = {
            let standing = self.hold();
            if standing.asked_at == generation || standing.estimate.is_some() {
                return Ok(());
            }
            (standing.seq, standing.own.clone())
        };
        let (last, is_touched) = base::is_touched(core, &self.spec, seq, &own)?;
        let mut standing = self.hold();
        // If the view was built or patched meanwhile, the next call checks again.
        if standing.seq == seq && standing.own == own {
            standing.asked_at = generation;
            standing.is_stale = is_touched;
            if !is_touched {
                standing.seq = last;
                standing.own.clear();
            }
        }
        Ok(())
    }

    pub fn append(&self, step: i64, ids: &[i64]) -> u64 {
        let mut standing = self.hold();
        let first = standing.rows.ids.len() as u64;
        Arc::make_mut(&mut standing.rows.ids).extend_from_slice(ids);
        standing.patched(step);
        first
    }

    pub fn take_out(&self, step: i64, ids: &[i64]) {
        let gone: HashSet<i64> = ids.iter().copied().collect();
        let mut standing = self.hold();
        let rows = &mut standing.rows;
        let kept: Vec<i64> = rows.ids.iter().copied().filter(|id| !gone.contains(id)).collect();
        if kept.len() < rows.ids.len() {
            rows.ids = Arc::new(kept);
            rows.generation += 1;
        }
        standing.patched(step);
        drop(standing);
        self.changed.notify_all();
    }

    /// Marks rows that were deleted and stay in the view.
    pub fn mark_deleted(&self, ids: &[i64]) {
        let mut standing = self.hold();
        Arc::make_mut(&mut standing.rows.deleted).extend(ids);
        standing.rows.generation += u32::from(!ids.is_empty());
        drop(standing);
        self.changed.notify_all();
    }

    fn is_narrowed(&self) -> bool {
        self.spec.filter.is_some() || self.spec.text.is_some()
    }

    pub fn edited(&self, core: &Core, step: i64, ids: &[i64]) -> Result<()> {
        let left = if self.is_narrowed() { build::misfits(core, &self.spec, ids)? } else { HashSet::new() };
        let mut standing = self.hold();
        let marks = Arc::make_mut(&mut standing.rows.left);
        for id in ids {
            if left.contains(id) {
                marks.insert(*id);
            } else {
                marks.remove(id);
            }
        }
        standing.patched(step);
        Ok(())
    }
}

impl Standing {
    /// Records that the view already includes the changes of this step.
    fn patched(&mut self, step: i64) {
        self.own.insert(step);
        self.asked_at = u64::MAX;
    }
}

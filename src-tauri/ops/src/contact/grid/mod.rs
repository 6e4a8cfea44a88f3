//! Views of a list: for a filter and an order, the row ids in that order, built once and shared by all windows.
//!
//! A view never changes under the page unless it is asked to: rows edited under a filter stay until the next refresh,
//! new rows stand at the end, and what others change only makes it stale.

mod base;
mod build;
pub(in crate::contact) mod edit;
mod find;
mod ids;
mod order;
mod out;
mod pool;
mod reading;
mod saved;
mod summary;
#[cfg(test)]
pub(in crate::contact) mod tests;
mod view;
mod window;

pub(crate) use self::reading::shown;
pub use self::{
    edit::*,
    find::{Cell, Count, Direction, Find},
    out::COPY_CELLS,
    saved::{KeptView, delete_saved, rename_saved, save, saved},
    summary::{Facet, Facets, Summary},
    window::{WINDOW_COLUMNS, WINDOW_ROWS},
};

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::NaiveDate;
use roost_model::{
    filter::{Condition, Filter, SortKey},
    id::ListId,
    intervals::Intervals,
    time::Timestamp,
};

use self::{
    base::Bases,
    pool::{Pools, WORTH_IT},
    view::View,
};
use crate::{
    core::Core,
    error::{Error, Result},
};

/// Views kept at a time; the one that was not asked for longest goes.
const VIEWS: usize = 8;

/// A view, as the page names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ViewId(pub u64);

/// What a view is of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Spec {
    pub list: ListId,
    pub filter: Option<Filter>,
    /// Part of any text, or of a number in any spelling.
    pub text: Option<String>,
    /// None: newest first, those of one second as they were added. That also settles ties.
    pub sort: Vec<SortKey>,
    /// Contacts that were deleted here and not yet at the service stay in view, until it is pushed.
    pub has_deleted: bool,
}

impl Spec {
    /// Lists whose contacts decide what is in it.
    fn reads(&self) -> Vec<&ListId> {
        let others = self.conditions().into_iter().filter_map(|condition| match condition {
            Condition::InList { list, .. } => Some(list),
            _ => None,
        });
        std::iter::once(&self.list).chain(others).collect()
    }

    fn reads_opt_outs(&self) -> bool {
        let reads =
            |condition: &&Condition| matches!(condition, Condition::OptedOut { .. } | Condition::Readiness { .. });
        self.conditions().iter().any(reads)
    }

    /// The day that decides what is in it; none where the clock does not.
    fn day(&self, now: Timestamp) -> Option<NaiveDate> {
        self.filter.as_ref().filter(|filter| filter.follows_clock()).map(|_| now.day())
    }

    fn conditions(&self) -> Vec<&Condition> {
        self.filter.as_ref().map(Filter::conditions).unwrap_or_default()
    }
}

/// How a view stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// Grows whenever rows get other places: at every rebuild, and when rows are taken out.
    pub generation: u32,
    pub is_building: bool,
    /// Rows looked at so far, while it is built.
    pub rows_read: u64,
    pub total: u64,
    /// So many of them were deleted here and wait to be pushed.
    pub deleted: u64,
    /// Else `total` is an estimate.
    pub is_exact: bool,
    /// Somebody else changed the list since.
    pub is_stale: bool,
    /// Why the last building came to nothing.
    pub fault: Option<String>,
}

/// Views by their numbers, the latest used first.
#[derive(Default)]
pub struct Grid {
    views: Mutex<Views>,
    bases: Bases,
    pools: Pools,
}

#[derive(Default)]
struct Views {
    last: u64,
    open: VecDeque<Arc<View>>,
}

impl Grid {
    /// Opens a view at once; its rows are found on a thread of their own.
    pub fn open(&self, core: &Core, spec: Spec) -> Result<(ViewId, State)> {
        let text = spec.text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let spec = Spec { text, ..spec };
        let (total, is_exact) = build::estimate(core, &spec)?;
        if build::size(core, &spec)? >= WORTH_IT {
            self.pools.fill(core, &spec.list);
        }
        let (view, gone) = {
            let mut views = self.hold();
            views.last += 1;
            let view = Arc::new(View::new(ViewId(views.last), spec, total, is_exact));
            views.open.push_front(Arc::clone(&view));
            let keep = views.open.len().min(VIEWS);
            (view, views.open.split_off(keep))
        };
        gone.iter().for_each(|view| view.end());
        view.build(core)?;
        Ok((view.id, view.state(core)?))
    }

    /// How a view stands; with `wait`, as soon as it is built or its generation is another than the one seen.
    pub fn state(&self, core: &Core, view: ViewId, seen: Option<u32>, wait: Duration) -> Result<State> {
        let view = self.view(view)?;
        view.wait(seen, wait);
        view.state(core)
    }

    /// Builds it anew. What was there keeps answering until then.
    pub fn refresh(&self, core: &Core, view: ViewId) -> Result<()> {
        self.view(view)?.build(core)
    }

    /// Ends the building; what was there before stays.
    pub fn cancel(&self, view: ViewId) -> Result<()> {
        self.view(view)?.cancel();
        Ok(())
    }

    /// Lets go of a view; one that is gone already is as good.
    pub fn close(&self, view: ViewId) {
        let mut views = self.hold();
        if let Some(at) = views.open.iter().position(|open| open.id == view) {
            let gone = views.open.remove(at);
            drop(views);
            gone.iter().for_each(|view| view.end());
        }
    }

    /// Lets go of everything and waits for the threads: the account is about to be closed.
    pub fn end(&self) {
        let gone = std::mem::take(&mut self.hold().open);
        gone.iter().for_each(|view| view.cancel());
        gone.iter().for_each(|view| view.end());
        self.pools.end();
        self.bases.clear();
    }

    /// After [`Grid::end`]: another account stands in the place of the one that was ended.
    pub(crate) fn begin_anew(&self) {
        self.pools.begin_anew();
    }

    /// Row ids of some rows of a view, in its order; rows behind its end are passed over.
    pub fn ids_of(&self, view: ViewId, rows: &Intervals) -> Result<Vec<i64>> {
        Ok(self.view(view)?.ids_of(rows))
    }

    /// The same for acts: refused when rows have got other places since the page saw them in `generation`.
    pub fn ids_at(&self, view: ViewId, generation: u32, rows: &Intervals) -> Result<Vec<i64>> {
        let view = self.view(view)?;
        if view.generation() == generation {
            Ok(view.ids_of(rows))
        } else {
            Err(Error::conflict("The rows have other places by now. Look at them again and repeat."))
        }
    }

    pub fn spec(&self, view: ViewId) -> Result<Spec> {
        Ok(self.view(view)?.spec.clone())
    }

    /// Rows that the act `step` (its `tx.step()`) added through this view: they stand at its end until the next
    /// refresh. Answers the row of the first.
    pub fn append(&self, view: ViewId, step: i64, ids: &[i64]) -> Result<u64> {
        Ok(self.view(view)?.append(step, ids))
    }

    /// Rows that the act `step` moved away through this view: they are gone at once.
    pub fn take_out(&self, view: ViewId, step: i64, ids: &[i64]) -> Result<()> {
        self.view(view)?.take_out(step, ids);
        Ok(())
    }

    /// Rows that the act `step` deleted through this view. They are gone at once, or stay where they are until they
    /// are pushed.
    pub fn take_out_deleted(&self, core: &Core, view: ViewId, step: i64, ids: &[i64]) -> Result<()> {
        let view = self.view(view)?;
        let kept: HashSet<i64> = build::deleted(core, &view.spec)?.into_iter().collect();
        let (kept, gone): (Vec<i64>, Vec<i64>) = ids.iter().partition(|id| kept.contains(id));
        view.take_out(step, &gone);
        view.mark_deleted(&kept);
        Ok(())
    }

    /// Rows that the act `step` changed through this view: those that no longer fit its filter stay, and are marked.
    pub fn edited(&self, core: &Core, view: ViewId, step: i64, ids: &[i64]) -> Result<()> {
        self.view(view)?.edited(core, step, ids)
    }

    /// Lets go of orders that were kept for narrower views, so that the next one is built from nothing.
    pub fn forget(&self) {
        self.bases.clear();
    }

    /// Whether texts of a list are being read into memory; until then a search reads the list.
    pub fn is_preparing(&self) -> bool {
        self.pools.is_filling()
    }

    fn bases(&self) -> &Bases {
        &self.bases
    }

    fn pools(&self) -> &Pools {
        &self.pools
    }

    fn view(&self, id: ViewId) -> Result<Arc<View>> {
        let mut views = self.hold();
        let at = views.open.iter().position(|view| view.id == id);
        match at.and_then(|at| views.open.remove(at)) {
            Some(view) => {
                views.open.push_front(Arc::clone(&view));
                Ok(view)
            }
            None => Err(Error::conflict("This view is closed. Open it again.")),
        }
    }

    fn hold(&self) -> MutexGuard<'_, Views> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

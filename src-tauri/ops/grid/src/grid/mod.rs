//! Manages the open views of lists. A view holds the row ids for a filter in a given order; it is built once and shared
//! by all windows.
//!
//! A view never changes under the page unless the page asks for it. Rows edited under a filter stay until the next
//! refresh, new rows are added at the end, and changes by others only make the view stale.

mod build;
pub(crate) mod edit;
mod find;
mod ids;
mod order;
mod order_cache;
mod out;
mod pool;
mod reading;
mod saved;
mod summary;
#[cfg(test)]
pub(crate) mod tests;
mod view;
mod window;

pub use self::{
    edit::*,
    find::{CellPosition, FindDirection, FindQuery, MatchCount},
    out::COPY_CELLS,
    saved::{NamedView, delete_saved_view, read_saved_views, rename_saved_view, save_view},
    summary::{CellsSummary, ColumnFacets, FacetValue},
    window::{WINDOW_COLUMNS, WINDOW_ROWS},
};

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use chrono::NaiveDate;
use roost_model::{
    contact::{Attribute, ContactField},
    filter::{FilterCondition, FilterExpression, SortKey},
    id::ListId,
    intervals::RowIntervals,
    time::Timestamp,
};

use self::{
    order_cache::OrderCache,
    pool::{MIN_CONTACTS, TextPools},
    view::OpenView,
};
use roost_ops::{
    core::Core,
    error::{Error, Result},
};
use serde::Serialize;

/// The maximum number of open views; the least recently used one is closed.
const MAX_VIEWS: usize = 8;

/// The number by which the page names a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ViewId(pub u64);

/// The definition of a view.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ViewSpec {
    pub list: ListId,
    pub filter: Option<FilterExpression>,
    /// A part of any text, or of a number in any spelling.
    pub text: Option<String>,
    /// The sort keys. Rows that are equal by all keys are ordered newest first, and within a second in the order in
    /// which they were added.
    pub sort: Vec<SortKey>,
    /// Whether contacts stay in the view that were deleted here but not yet at the service.
    pub has_deleted: bool,
}

impl ViewSpec {
    /// Returns the lists whose contacts the view depends on.
    fn source_lists(&self) -> Vec<&ListId> {
        let others = self.conditions().into_iter().filter_map(|condition| match condition {
            FilterCondition::InList { list, .. } => Some(list),
            _ => None,
        });
        std::iter::once(&self.list).chain(others).collect()
    }

    fn reads_opt_outs(&self) -> bool {
        let reads = |condition: &&FilterCondition| {
            matches!(condition, FilterCondition::OptedOut { .. } | FilterCondition::Readiness { .. })
        };
        self.conditions().iter().any(reads)
    }

    /// Returns the day on which the content depends, or `None` if the filter does not depend on the clock.
    fn filter_day(&self, now: Timestamp) -> Option<NaiveDate> {
        self.filter.as_ref().filter(|filter| filter.follows_clock()).map(|_| now.day())
    }

    fn conditions(&self) -> Vec<&FilterCondition> {
        self.filter.as_ref().map(FilterExpression::conditions).unwrap_or_default()
    }
}

/// The status of a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridState"))]
pub struct ViewStatus {
    /// Increases whenever rows receive other numbers.
    pub generation: u32,
    pub is_building: bool,
    /// Rows read so far, while the view is built.
    pub rows_read: u64,
    pub total: u64,
    /// Rows of the view that were deleted here and whose deletion was not pushed yet.
    pub deleted: u64,
    /// If false, `total` is an estimate.
    pub is_exact: bool,
    /// Someone else changed the list since the view was built.
    pub is_stale: bool,
    /// The error that ended the last build.
    pub fault: Option<String>,
}

/// The open views by their numbers, the most recently used first.
#[derive(Default)]
pub struct Grid {
    views: Mutex<OpenViews>,
    caches: Arc<GridCaches>,
}

/// Caches that all views of an account share. The threads that build views hold them, too.
#[derive(Default)]
struct GridCaches {
    orders: OrderCache,
    pools: Arc<TextPools>,
}

#[derive(Default)]
struct OpenViews {
    last: u64,
    open: VecDeque<Arc<OpenView>>,
}

impl Grid {
    /// Opens a view at once. A separate thread finds its rows.
    pub fn open(&self, core: &Core, spec: ViewSpec) -> Result<(ViewId, ViewStatus)> {
        let text = spec.text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
        let spec = ViewSpec { text, ..spec };
        let (total, is_exact) = build::estimate_size(core, &spec)?;
        if build::list_size(core, &spec)? >= MIN_CONTACTS {
            self.caches.pools.start_filling(core, &spec.list);
        }
        let (view, to_close) = {
            let mut views = self.lock_views();
            views.last += 1;
            let view = Arc::new(OpenView::new(ViewId(views.last), spec, total, is_exact, Arc::clone(&self.caches)));
            views.open.push_front(Arc::clone(&view));
            let keep = views.open.len().min(MAX_VIEWS);
            (view, views.open.split_off(keep))
        };
        to_close.iter().for_each(|view| view.close());
        view.start_build(core)?;
        Ok((view.id, view.read_status(core)?))
    }

    /// Returns the status, after waiting up to `wait` for the build to finish or for another generation than `seen`.
    pub fn read_status(&self, core: &Core, view: ViewId, seen: Option<u32>, wait: Duration) -> Result<ViewStatus> {
        let view = self.find_view(view)?;
        view.wait(seen, wait);
        view.read_status(core)
    }

    /// Rebuilds a view. The old rows remain available until then.
    pub fn refresh(&self, core: &Core, view: ViewId) -> Result<()> {
        self.find_view(view)?.start_build(core)
    }

    /// Cancels the build of a view. The old rows remain.
    pub fn cancel(&self, view: ViewId) -> Result<()> {
        self.find_view(view)?.cancel();
        Ok(())
    }

    /// Closes a view. Closing a view that is already closed has no effect.
    pub fn close(&self, view: ViewId) {
        let mut views = self.lock_views();
        if let Some(at) = views.open.iter().position(|open| open.id == view) {
            let to_close = views.open.remove(at);
            drop(views);
            to_close.iter().for_each(|view| view.close());
        }
    }

    /// Closes all views and waits for their threads. The account is about to be closed.
    pub fn close_all(&self) {
        let to_close = std::mem::take(&mut self.lock_views().open);
        to_close.iter().for_each(|view| view.cancel());
        to_close.iter().for_each(|view| view.close());
        self.caches.pools.close_all();
        self.caches.orders.clear();
    }

    /// Allows new views after [`Grid::close_all`], because another account has replaced the closed one.
    pub fn reopen(&self) {
        self.caches.pools.reopen();
    }

    /// Returns the row ids of some rows of a view, in its order. Rows after the end are ignored.
    pub fn row_ids(&self, view: ViewId, rows: &RowIntervals) -> Result<Vec<i64>> {
        Ok(self.find_view(view)?.row_ids(rows))
    }

    pub fn spec(&self, view: ViewId) -> Result<ViewSpec> {
        Ok(self.find_view(view)?.spec.clone())
    }

    /// Adds the rows that the act `step` (its `tx.step()`) created through this view. They stay at its end until the
    /// next refresh. Returns the position of the first.
    pub fn append_rows(&self, view: ViewId, step: i64, ids: &[i64]) -> Result<u64> {
        Ok(self.find_view(view)?.append_rows(step, ids))
    }

    /// Removes the rows that the act `step` moved away through this view.
    pub fn remove_rows(&self, view: ViewId, step: i64, ids: &[i64]) -> Result<()> {
        self.find_view(view)?.remove_rows(step, ids);
        Ok(())
    }

    /// Handles the rows that the act `step` deleted through this view. They are removed, or stay in place until they
    /// are pushed.
    pub fn remove_deleted_rows(&self, core: &Core, view: ViewId, step: i64, ids: &[i64]) -> Result<()> {
        let view = self.find_view(view)?;
        let kept: HashSet<i64> = build::find_deleted(core, &view.spec)?.into_iter().collect();
        let (kept, removed): (Vec<i64>, Vec<i64>) = ids.iter().partition(|id| kept.contains(id));
        view.remove_rows(step, &removed);
        view.mark_deleted(&kept);
        Ok(())
    }

    /// Marks the rows that the act `step` changed through this view and that no longer match its filter. They stay in
    /// the view.
    pub fn mark_edited(&self, core: &Core, view: ViewId, step: i64, ids: &[i64]) -> Result<()> {
        self.find_view(view)?.mark_edited(core, step, ids)
    }

    /// Clears the cached orders, so that the next view is built from scratch.
    pub fn clear_cached_orders(&self) {
        self.caches.orders.clear();
    }

    /// Returns whether texts of a list are being read into memory. Until then a search reads the list.
    pub fn is_preparing(&self) -> bool {
        self.caches.pools.is_filling()
    }

    fn find_view(&self, id: ViewId) -> Result<Arc<OpenView>> {
        let mut views = self.lock_views();
        let at = views.open.iter().position(|view| view.id == id);
        match at.and_then(|at| views.open.remove(at)) {
            Some(view) => {
                views.open.push_front(Arc::clone(&view));
                Ok(view)
            }
            None => Err(Error::conflict("This view is closed. Open it again.")),
        }
    }

    fn lock_views(&self) -> MutexGuard<'_, OpenViews> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the fields that a person can fill in. A number brings its region with it.
pub(crate) fn fillable_fields(custom: &[u32]) -> impl Iterator<Item = ContactField> {
    let numbers = [ContactField::PhoneNumber, ContactField::WhatsappId];
    let texts = Attribute::ALL.map(ContactField::Attribute);
    numbers.into_iter().chain(texts).chain(custom.iter().map(|number| ContactField::Custom(*number)))
}

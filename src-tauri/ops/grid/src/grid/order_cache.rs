//! Caches the row orders of recent views, from which a narrower view can be built without reading the list again.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::{Arc, Mutex, PoisonError},
};

use chrono::NaiveDate;
use roost_store::tables::lists::list_changes::{self, ListChanges};

use super::{ViewSpec, pool::SearchTerm};
use roost_ops::{core::Core, error::Result};

/// The maximum number of cached orders. Each takes eight bytes a row.
const MAX_ORDERS: usize = 4;

pub(super) struct CachedViewOrder {
    pub spec: ViewSpec,
    pub ids: Arc<Vec<i64>>,
    /// The line of the change log up to which the order is valid.
    pub seq: i64,
    /// The day for which the order is valid, if the filter depends on the clock.
    pub day: Option<NaiveDate>,
}

#[derive(Default)]
pub(super) struct OrderCache(Mutex<VecDeque<Arc<CachedViewOrder>>>);

impl OrderCache {
    pub(super) fn insert(&self, base: CachedViewOrder) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| other.spec != base.spec);
        kept.truncate(MAX_ORDERS - 1);
        kept.push_front(Arc::new(base));
    }

    /// Returns the smallest cached order that is still valid and contains every row of `spec` in the right order.
    pub(super) fn find_wider(
        &self,
        core: &Core,
        spec: &ViewSpec,
        sought: Option<&SearchTerm>,
    ) -> Result<Option<Arc<CachedViewOrder>>> {
        let mut fitting: Vec<Arc<CachedViewOrder>> = {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let is_wider = |base: &CachedViewOrder| match (&base.spec.text, sought) {
                (None, _) => true,
                (Some(text), Some(sought)) => sought.is_narrower_than(&SearchTerm::new(text)),
                (Some(_), None) => false,
            };
            let is_alike = |base: &&Arc<CachedViewOrder>| {
                let other = &base.spec;
                let is_of_today = base.day == spec.filter_day(core.ctx().now());
                let is_same = other.list == spec.list && other.filter == spec.filter && other.sort == spec.sort;
                is_same && is_of_today && is_wider(base)
            };
            kept.iter().filter(is_alike).cloned().collect()
        };
        fitting.sort_by_key(|base| base.ids.len());
        for base in fitting {
            if !check_changes(core, spec, base.seq, &BTreeSet::new())?.1 {
                return Ok(Some(base));
            }
            self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|kept| !Arc::ptr_eq(kept, &base));
        }
        Ok(None)
    }

    pub(super) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Returns the last line of the change log, and whether anything but the given steps changed the data of a view after
/// line `seq`.
pub(super) fn check_changes(core: &Core, spec: &ViewSpec, seq: i64, own: &BTreeSet<i64>) -> Result<(i64, bool)> {
    let (last, since) = core.read(|tx| Ok(list_changes::changes_since_except(tx, seq, own, spec.reads_opt_outs())?))?;
    let is_touched = match since {
        ListChanges::Everything => true,
        ListChanges::Lists(uids) => spec.source_lists().iter().any(|list| uids.iter().any(|uid| uid == list.as_str())),
    };
    Ok((last, is_touched))
}

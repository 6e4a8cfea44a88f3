//! Finds and orders the rows of a view. Several threads read the list, and a cancelled search stops within a
//! millisecond or two.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use roost_model::{
    contact::ContactField,
    filter::{DuplicateBy, FilterCondition, SortKey},
};
use roost_store::{
    change_log::Noun,
    db::scan_pool::MAX_THREADS,
    error::StoreError,
    tables::{
        contacts::grid::{
            filter::{self, FilterSql},
            scan::{self, ScanMethod},
        },
        custom_fields,
        lists::{self, ListRow, list_changes},
        sync::unsent,
    },
    tx::ReadTx,
    watch::Watch,
};

use super::{
    GridCaches, ViewSpec,
    order::{self, ScannedChunk, SortKeys, SortKind, ThreadScan},
    order_cache::CachedViewOrder,
    pool::SearchTerm,
};
use roost_ops::{
    core::Core,
    error::{OrNotFound, Result},
};

pub(super) struct BuiltView {
    pub ids: Arc<Vec<i64>>,
    /// The line of the change log up to which the rows are valid.
    pub seq: i64,
}

/// The size from which a list is sampled. A shorter list is counted as quickly as a sample is taken.
const MIN_SAMPLED_SIZE: u64 = 20_000;
const SAMPLE: i64 = 1_000;

/// Estimates the number of rows of a view from a sample of the list, and returns whether the number is exact.
pub(super) fn estimate_size(core: &Core, spec: &ViewSpec) -> Result<(u64, bool)> {
    core.read(|tx| {
        let all = lists::get(tx, &spec.list)?.or_not_found(Noun::List, &spec.list)?.contact_count;
        let (row, sql) = compile_filter(core, tx, spec, spec.text.as_deref())?;
        if sql.condition == "1" {
            return Ok((all, true));
        }
        // Only the view itself can count equal addresses, because that takes a scan of the whole list.
        let counts_all = |condition: &&FilterCondition| {
            matches!(condition, FilterCondition::Duplicate { by: DuplicateBy::Email, .. })
        };
        if all < MIN_SAMPLED_SIZE || spec.conditions().iter().any(counts_all) {
            return Ok((all, false));
        }
        let sample = scan::sample_ids(tx, row, SAMPLE)?;
        let fit = scan::matching_ids(tx, &sql, &sample)?.len() as u64;
        Ok((all * fit / (sample.len() as u64).max(1), false))
    })
}

/// Returns the number of contacts in the list.
pub(super) fn list_size(core: &Core, spec: &ViewSpec) -> Result<u64> {
    core.read(|tx| Ok(lists::get(tx, &spec.list)?.or_not_found(Noun::List, &spec.list)?.contact_count))
}

pub(super) fn compile_filter(
    core: &Core,
    tx: &ReadTx,
    spec: &ViewSpec,
    text: Option<&str>,
) -> Result<(ListRow, FilterSql)> {
    let row = lists::row_of(tx, &spec.list)?.or_not_found(Noun::List, &spec.list)?;
    let custom = custom_fields::defined_numbers(tx)?;
    Ok((row, filter::compile_filter(tx, row, spec.filter.as_ref(), text, &custom, core.ctx().now())?))
}

/// Returns how the list is scanned. The first thread decides, and the others get the same result.
fn choose_scan(tx: &ReadTx, spec: &ViewSpec, row: ListRow, sql: &FilterSql) -> Result<ScanMethod> {
    // The index alone contains everything that is needed.
    if sql.condition == "1" && spec.sort.is_empty() {
        return Ok(ScanMethod::Index);
    }
    let count = lists::get(tx, &spec.list)?.map_or(0, |list| list.contact_count);
    Ok(scan::choose_method(tx, row, count)?)
}

/// Finds the rows of a view in the fastest way.
pub(super) fn build_view(core: &Core, caches: &GridCaches, spec: &ViewSpec, watch: &Arc<Watch>) -> Result<BuiltView> {
    let sought = spec.text.as_deref().map(SearchTerm::new);
    let base = caches.orders.find_wider(core, spec, sought.as_ref())?;
    let (text, sought) = match (&spec.text, sought) {
        (Some(text), Some(sought)) => (text.as_str(), sought),
        _ => {
            // The same view was open before.
            return match base.filter(|base| base.spec == *spec) {
                Some(base) => Ok(BuiltView { ids: Arc::clone(&base.ids), seq: base.seq }),
                None => scan_list(core, spec, None, watch),
            };
        }
    };
    if let Some(base) = base.as_ref().filter(|base| base.ids.len() <= MAX_FILTERED_ROWS) {
        return Ok(BuiltView { ids: Arc::new(filter_by_text(core, spec, text, &base.ids, watch)?), seq: base.seq });
    }
    let Some(hits) = caches.pools.search(core, &spec.list, &sought)? else {
        return scan_list(core, spec, Some(text), watch);
    };
    let (ids, seq) = match base {
        Some(base) => (Arc::clone(&base.ids), base.seq),
        None => {
            let wider = ViewSpec { text: None, ..spec.clone() };
            let day = wider.filter_day(core.ctx().now());
            let all = scan_list(core, &wider, None, watch)?;
            caches.orders.insert(CachedViewOrder { spec: wider, ids: Arc::clone(&all.ids), seq: all.seq, day });
            (all.ids, all.seq)
        }
    };
    Ok(BuiltView { ids: Arc::new(ids.iter().copied().filter(|id| hits.contains(*id)).collect()), seq })
}

/// The maximum number of rows that are filtered one by one.
const MAX_FILTERED_ROWS: usize = 20_000;

/// Returns those of the given rows that contain the text, in the same order.
fn filter_by_text(core: &Core, spec: &ViewSpec, text: &str, ids: &[i64], watch: &Watch) -> Result<Vec<i64>> {
    core.read(|tx| {
        let only = ViewSpec { filter: None, ..spec.clone() };
        let (_, sql) = compile_filter(core, tx, &only, Some(text))?;
        let mut kept = Vec::new();
        for some in ids.chunks(1_000) {
            if watch.is_cancelled() {
                return Err(StoreError::Cancelled.into());
            }
            let fit: HashSet<i64> = scan::matching_ids(tx, &sql, some)?.into_iter().collect();
            kept.extend(some.iter().copied().filter(|id| fit.contains(id)));
        }
        Ok(kept)
    })
}

/// Scans and orders the list. `text` is compared row by row.
fn scan_list(core: &Core, spec: &ViewSpec, text: Option<&str>, watch: &Arc<Watch>) -> Result<BuiltView> {
    let collator = order::new_collator()?;
    let columns: Vec<ContactField> = spec.sort.iter().map(|key| key.field).collect();
    let next = AtomicUsize::new(0);
    let scans = core.scan(watch, MAX_THREADS, |tx| {
        let (row, sql) = compile_filter(core, tx, spec, text)?;
        let way = choose_scan(tx, spec, row, &sql)?;
        let mut thread_scan = ThreadScan { chunks: Vec::new(), keys: new_sort_keys(&spec.sort) };
        let stretches = match &way {
            ScanMethod::Index => 1,
            ScanMethod::IdRanges(stretches) => stretches.len(),
        };
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= stretches {
                break;
            }
            let stretch = match &way {
                ScanMethod::Index => None,
                ScanMethod::IdRanges(stretches) => stretches.get(at).copied(),
            };
            let ThreadScan { chunks, keys } = &mut thread_scan;
            let mut chunk =
                ScannedChunk { at, ids: Vec::new(), created: Vec::new(), slots: vec![Vec::new(); keys.len()] };
            scan::visit_rows(tx, &sql, stretch, &columns, watch, &mut |id, created, row| {
                chunk.ids.push(id);
                chunk.created.push(created);
                for (column, keys) in keys.iter_mut().enumerate() {
                    let at = scan::FIRST_COLUMN + column;
                    chunk.slots[column].push(match order::sort_kind(columns[column]) {
                        SortKind::Time => keys.add_time(scan::read_time(row, at)?),
                        SortKind::Words | SortKind::Bytes => keys.add_text(&collator, scan::text_bytes(row, at)?),
                    });
                }
                Ok(())
            })?;
            chunks.push(chunk);
        }
        let (seq, _) = list_changes::changes_since(tx, i64::MAX)?;
        Ok((seq, thread_scan))
    })?;
    let seq = scans.first().map_or(0, |(seq, _)| *seq);
    let ids = order::order_rows(scans.into_iter().map(|(_, thread_scan)| thread_scan).collect(), &spec.sort);
    if watch.is_cancelled() { Err(StoreError::Cancelled.into()) } else { Ok(BuiltView { ids: Arc::new(ids), seq }) }
}

fn new_sort_keys(sort: &[SortKey]) -> Vec<SortKeys> {
    sort.iter().map(|key| SortKeys::new(order::sort_kind(key.field))).collect()
}

/// Returns the contacts that were deleted here but still exist at the service, and therefore stay in the view. Whether
/// they match the filter is unknown.
pub(super) fn find_deleted(core: &Core, spec: &ViewSpec) -> Result<Vec<i64>> {
    if !spec.has_deleted {
        return Ok(Vec::new());
    }
    core.read(|tx| {
        let row = lists::row_of(tx, &spec.list)?.or_not_found(Noun::List, &spec.list)?;
        Ok(unsent::deleted_from(tx, row)?)
    })
}

/// Returns those of the given rows that do not match the view's filter.
pub(super) fn find_misfits(core: &Core, spec: &ViewSpec, ids: &[i64]) -> Result<HashSet<i64>> {
    core.read(|tx| {
        let (_, sql) = compile_filter(core, tx, spec, spec.text.as_deref())?;
        let mut misfits: HashSet<i64> = ids.iter().copied().collect();
        for id in scan::matching_ids(tx, &sql, ids)? {
            misfits.remove(&id);
        }
        Ok(misfits)
    })
}

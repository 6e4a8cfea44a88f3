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
    filter::{Condition, DuplicateBy, SortKey},
};
use roost_store::{
    change_log::Noun,
    db::scanners::HANDS,
    error::Error as StoreError,
    tables::{
        contacts::grid::{
            filter::{self, Sql},
            scan::{self, Way},
        },
        custom_fields,
        lists::{self, ListRow, changed},
        sync::unsent,
    },
    tx::ReadTx,
    watch::Watch,
};

use super::{
    Spec,
    base::Base,
    order::{self, Chunk, Hand, Keys, Kind},
    pool::Sought,
};
use crate::{
    core::Core,
    error::{OrNotFound, Result},
};

pub(super) struct Built {
    pub ids: Arc<Vec<i64>>,
    /// The line of the change log up to which the rows are valid.
    pub seq: i64,
}

/// The size from which a list is sampled. A shorter list is counted as quickly as a sample is taken.
const SAMPLED_FROM: u64 = 20_000;
const SAMPLE: i64 = 1_000;

/// Estimates the number of rows of a view from a sample of the list, and returns whether the number is exact.
pub(super) fn estimate(core: &Core, spec: &Spec) -> Result<(u64, bool)> {
    core.read(|tx| {
        let all = lists::get(tx, &spec.list)?.or_not_found(Noun::List, &spec.list)?.contact_count;
        let (row, sql) = compile(core, tx, spec, spec.text.as_deref())?;
        if sql.condition == "1" {
            return Ok((all, true));
        }
        // Only the view itself can count equal addresses, because that takes a scan of the whole list.
        let counts_all =
            |condition: &&Condition| matches!(condition, Condition::Duplicate { by: DuplicateBy::Email, .. });
        if all < SAMPLED_FROM || spec.conditions().iter().any(counts_all) {
            return Ok((all, false));
        }
        let sample = scan::sample(tx, row, SAMPLE)?;
        let fit = scan::fitting(tx, &sql, &sample)?.len() as u64;
        Ok((all * fit / (sample.len() as u64).max(1), false))
    })
}

/// Returns the number of contacts in the list.
pub(super) fn size(core: &Core, spec: &Spec) -> Result<u64> {
    core.read(|tx| Ok(lists::get(tx, &spec.list)?.or_not_found(Noun::List, &spec.list)?.contact_count))
}

pub(super) fn compile(core: &Core, tx: &ReadTx, spec: &Spec, text: Option<&str>) -> Result<(ListRow, Sql)> {
    let row = lists::row_of(tx, &spec.list)?.or_not_found(Noun::List, &spec.list)?;
    let custom = custom_fields::numbers(tx)?;
    Ok((row, filter::compile(tx, row, spec.filter.as_ref(), text, &custom, core.ctx().now())?))
}

/// Returns how the list is scanned. The first thread decides, and the others get the same result.
fn way(tx: &ReadTx, spec: &Spec, row: ListRow, sql: &Sql) -> Result<Way> {
    // The index alone contains everything that is needed.
    if sql.condition == "1" && spec.sort.is_empty() {
        return Ok(Way::Index);
    }
    let count = lists::get(tx, &spec.list)?.map_or(0, |list| list.contact_count);
    Ok(scan::way(tx, row, count)?)
}

/// Finds the rows of a view in the fastest way.
pub(super) fn found(core: &Core, spec: &Spec, watch: &Arc<Watch>) -> Result<Built> {
    let grid = core.grid();
    let sought = spec.text.as_deref().map(Sought::new);
    let base = grid.bases().find(core, spec, sought.as_ref())?;
    let (text, sought) = match (&spec.text, sought) {
        (Some(text), Some(sought)) => (text.as_str(), sought),
        _ => {
            // The same view was open before.
            return match base.filter(|base| base.spec == *spec) {
                Some(base) => Ok(Built { ids: Arc::clone(&base.ids), seq: base.seq }),
                None => read(core, spec, None, watch),
            };
        }
    };
    if let Some(base) = base.as_ref().filter(|base| base.ids.len() <= FEW) {
        return Ok(Built { ids: Arc::new(fitting(core, spec, text, &base.ids, watch)?), seq: base.seq });
    }
    let Some(hits) = grid.pools().search(core, &spec.list, &sought)? else {
        return read(core, spec, Some(text), watch);
    };
    let (ids, seq) = match base {
        Some(base) => (Arc::clone(&base.ids), base.seq),
        None => {
            let wider = Spec { text: None, ..spec.clone() };
            let day = wider.day(core.ctx().now());
            let all = read(core, &wider, None, watch)?;
            grid.bases().keep(Base { spec: wider, ids: Arc::clone(&all.ids), seq: all.seq, day });
            (all.ids, all.seq)
        }
    };
    Ok(Built { ids: Arc::new(ids.iter().copied().filter(|id| hits.contains(*id)).collect()), seq })
}

/// The maximum number of rows that are filtered one by one.
const FEW: usize = 20_000;

/// Returns those of the given rows that contain the text, in the same order.
fn fitting(core: &Core, spec: &Spec, text: &str, ids: &[i64], watch: &Watch) -> Result<Vec<i64>> {
    core.read(|tx| {
        let only = Spec { filter: None, ..spec.clone() };
        let (_, sql) = compile(core, tx, &only, Some(text))?;
        let mut kept = Vec::new();
        for some in ids.chunks(1_000) {
            if watch.is_cancelled() {
                return Err(StoreError::Cancelled.into());
            }
            let fit: HashSet<i64> = scan::fitting(tx, &sql, some)?.into_iter().collect();
            kept.extend(some.iter().copied().filter(|id| fit.contains(id)));
        }
        Ok(kept)
    })
}

/// Scans and orders the list. `text` is compared row by row.
fn read(core: &Core, spec: &Spec, text: Option<&str>, watch: &Arc<Watch>) -> Result<Built> {
    let collator = order::collator()?;
    let columns: Vec<ContactField> = spec.sort.iter().map(|key| key.field).collect();
    let next = AtomicUsize::new(0);
    let hands = core.scan(watch, HANDS, |tx| {
        let (row, sql) = compile(core, tx, spec, text)?;
        let way = way(tx, spec, row, &sql)?;
        let mut hand = Hand { chunks: Vec::new(), keys: keys_of(&spec.sort) };
        let stretches = match &way {
            Way::Index => 1,
            Way::Stretches(stretches) => stretches.len(),
        };
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= stretches {
                break;
            }
            let stretch = match &way {
                Way::Index => None,
                Way::Stretches(stretches) => stretches.get(at).copied(),
            };
            let Hand { chunks, keys } = &mut hand;
            let mut chunk = Chunk { at, ids: Vec::new(), created: Vec::new(), slots: vec![Vec::new(); keys.len()] };
            scan::rows(tx, &sql, stretch, &columns, watch, &mut |id, created, row| {
                chunk.ids.push(id);
                chunk.created.push(created);
                for (column, keys) in keys.iter_mut().enumerate() {
                    let at = scan::FIRST_COLUMN + column;
                    chunk.slots[column].push(match order::kind(columns[column]) {
                        Kind::Time => keys.time(scan::time(row, at)?),
                        Kind::Words | Kind::Bytes => keys.text(&collator, scan::text(row, at)?),
                    });
                }
                Ok(())
            })?;
            chunks.push(chunk);
        }
        let (seq, _) = changed::since(tx, i64::MAX)?;
        Ok((seq, hand))
    })?;
    let seq = hands.first().map_or(0, |(seq, _)| *seq);
    let ids = order::ordered(hands.into_iter().map(|(_, hand)| hand).collect(), &spec.sort);
    if watch.is_cancelled() { Err(StoreError::Cancelled.into()) } else { Ok(Built { ids: Arc::new(ids), seq }) }
}

fn keys_of(sort: &[SortKey]) -> Vec<Keys> {
    sort.iter().map(|key| Keys::new(order::kind(key.field))).collect()
}

/// Returns the contacts that were deleted here but still exist at the service, and therefore stay in the view. Whether
/// they match the filter is unknown.
pub(super) fn deleted(core: &Core, spec: &Spec) -> Result<Vec<i64>> {
    if !spec.has_deleted {
        return Ok(Vec::new());
    }
    core.read(|tx| {
        let row = lists::row_of(tx, &spec.list)?.or_not_found(Noun::List, &spec.list)?;
        Ok(unsent::deleted_from(tx, row)?)
    })
}

/// Returns those of the given rows that do not match the view's filter.
pub(super) fn misfits(core: &Core, spec: &Spec, ids: &[i64]) -> Result<HashSet<i64>> {
    core.read(|tx| {
        let (_, sql) = compile(core, tx, spec, spec.text.as_deref())?;
        let mut misfits: HashSet<i64> = ids.iter().copied().collect();
        for id in scan::fitting(tx, &sql, ids)? {
            misfits.remove(&id);
        }
        Ok(misfits)
    })
}

//! Reads many rows of a view with several threads, for counting and searching.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use roost_model::{contact::ContactField, error::FieldError};
use roost_store::{
    change_log::Noun,
    db::scan_pool::MAX_THREADS,
    error::Result as StoreResult,
    tables::{
        contacts::grid::{
            filter,
            scan::{self, Row, ScanMethod},
        },
        custom_fields,
        lists::{self, ListRow},
    },
    tx::ReadTx,
    watch::Watch,
};

use super::{ViewSpec, ids::IdSet, window::WINDOW_COLUMNS};
use roost_ops::{
    core::Core,
    error::{Error, OrNotFound, Result},
};

/// Converts names of columns to fields.
pub(super) fn parse_columns(tx: &ReadTx, names: &[String]) -> Result<Vec<ContactField>> {
    if names.len() > WINDOW_COLUMNS {
        return Err(FieldError::new("columns", format!("Give at most {WINDOW_COLUMNS} at once."), names.len()).into());
    }
    let custom = custom_fields::defined_numbers(tx)?;
    let (mut fields, mut faults) = (Vec::with_capacity(names.len()), Vec::new());
    for (at, name) in names.iter().enumerate() {
        match ContactField::parse(name, |number| custom.contains(&number)) {
            Some(field) => fields.push(field),
            None => faults.push(FieldError::new(format!("columns[{at}]"), "The field was not found.", name.as_str())),
        }
    }
    if faults.is_empty() { Ok(fields) } else { Err(Error::Invalid { faults }) }
}

pub(super) fn find_list_row(tx: &ReadTx, spec: &ViewSpec) -> Result<ListRow> {
    lists::row_of(tx, &spec.list)?.or_not_found(Noun::List, &spec.list)
}

/// Ids are looked up one by one if they are fewer than the list's size divided by this; otherwise the list is scanned.
const LOOKUP_DIVISOR: usize = 12;
/// The number of ids that a thread takes at once.
const CHUNK_IDS: usize = 4_096;

/// Passes every row of `ids` to `visit` in any order. Each thread fills its own result.
pub(super) fn visit_rows<A: Default + Send>(
    core: &Core,
    spec: &ViewSpec,
    ids: &[i64],
    fields: &[ContactField],
    watch: &Arc<Watch>,
    visit: impl Fn(&mut A, i64, &Row) -> StoreResult<()> + Sync,
) -> Result<Vec<A>> {
    let all = super::build::list_size(core, spec)? as usize;
    let is_few = ids.len() <= CHUNK_IDS || ids.len() < all / LOOKUP_DIVISOR;
    let wanted = if is_few { None } else { Some(IdSet::from_ids(ids)) };
    let next = AtomicUsize::new(0);
    // Few rows are read faster without a second thread.
    let threads = if ids.len() <= CHUNK_IDS { 1 } else { MAX_THREADS };
    core.scan(watch, threads, |tx| {
        let list = find_list_row(tx, spec)?;
        let mut answer = A::default();
        let way = match wanted {
            Some(_) => scan::choose_method(tx, list, all as u64)?,
            None => ScanMethod::Index,
        };
        let sql = filter::compile_filter(tx, list, None, None, &[], core.ctx().now())?;
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            match (&wanted, &way) {
                (None, _) => {
                    let Some(part) = ids.chunks(CHUNK_IDS).nth(turn) else { break };
                    scan::visit_by_ids(tx, list, part, fields, watch, &mut |at, row| {
                        visit(&mut answer, part[at], row)
                    })?;
                }
                (Some(wanted), way) => {
                    let stretch = match way {
                        ScanMethod::Index if turn > 0 => break,
                        ScanMethod::Index => None,
                        ScanMethod::IdRanges(stretches) => match stretches.get(turn) {
                            Some(stretch) => Some(*stretch),
                            None => break,
                        },
                    };
                    scan::visit_rows(tx, &sql, stretch, fields, watch, &mut |id, _, row| {
                        if wanted.contains(id) { visit(&mut answer, id, row) } else { Ok(()) }
                    })?;
                }
            }
        }
        Ok(answer)
    })
}

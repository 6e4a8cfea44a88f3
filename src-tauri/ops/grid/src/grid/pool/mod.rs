//! Holds the texts of whole lists in memory in lower case, so that a search through a million rows is answered while it
//! is typed.
//!
//! The memory is limited: the list that was not searched for the longest time is removed. A pool is filled in the
//! background, and rows that change later are read again one by one.

mod marks;
mod pooled_texts;

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
};

use memchr::memmem;
use roost_model::{contact::ContactField, id::ListId, phone};
use roost_store::{
    change_log::Noun,
    tables::{
        contacts::grid::{
            contact_changes::{self, ChangeMark, ChangedContacts},
            filter,
            scan::{self, ScanMethod},
        },
        custom_fields, lists,
    },
    tx::ReadTx,
    watch::Watch,
};

use self::{
    marks::FilledCells,
    pooled_texts::{END, PooledTexts},
};
use super::{fillable_fields, ids::IdSet};
use roost_ops::{
    core::Core,
    error::{OrNotFound, Result},
};

/// The maximum size of all pools together in bytes.
const MAX_BYTES: usize = 256 << 20;
/// The minimum number of contacts for a pool. A shorter list is searched just as quickly without one.
pub(super) const MIN_CONTACTS: u64 = 20_000;
/// The maximum number of changed rows stored beside a pool. Beyond it, the pool is filled again.
const MAX_CHANGED_ROWS: usize = 20_000;

#[derive(Default)]
pub(super) struct TextPools {
    state: Mutex<TextPoolState>,
}

#[derive(Default)]
struct TextPoolState {
    /// The pools, the most recently searched first.
    pools: VecDeque<Arc<TextPool>>,
    filling: Vec<FillTask>,
    /// Lists that are too large for a pool.
    refused: HashSet<ListId>,
    is_ended: bool,
}

struct FillTask {
    list: ListId,
    watch: Arc<Watch>,
    thread: JoinHandle<()>,
}

struct TextPool {
    list: ListId,
    custom: Vec<u32>,
    ids: Vec<i64>,
    /// The lowest and the highest id.
    ends: Option<(i64, i64)>,
    rows: PooledRows,
    later: Mutex<LaterChanges>,
}

/// The data stored of contacts.
#[derive(Default)]
struct PooledRows {
    /// The texts of attributes and custom fields.
    texts: PooledTexts,
    numbers: PooledTexts,
    marks: FilledCells,
}

/// The changes since the pool was filled.
struct LaterChanges {
    seen: ChangeMark,
    /// Contacts as they are now, or `None` if a contact was removed.
    rows: BTreeMap<i64, Option<PooledRows>>,
}

/// A search term: words for texts, and digits for numbers.
pub(super) struct SearchTerm {
    words: Vec<u8>,
    digits: Option<String>,
}

impl SearchTerm {
    pub(super) fn new(text: &str) -> Self {
        let text = text.trim();
        Self { words: text.to_lowercase().into_bytes(), digits: phone::search_digits(text) }
    }

    /// Returns a term that is searched literally, also in numbers.
    pub(super) fn new_literal(text: &str) -> Self {
        Self { words: text.to_lowercase().into_bytes(), digits: Some(text.to_owned()) }
    }

    /// Returns whether the other term finds everything that this one finds.
    pub(super) fn is_narrower_than(&self, other: &Self) -> bool {
        memmem::find(&self.words, &other.words).is_some()
            && match (&self.digits, &other.digits) {
                (Some(own), Some(other)) => own.contains(other.as_str()),
                (None, _) => true,
                (Some(_), None) => false,
            }
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TextPools {
    /// Returns the ids of the list's contacts with the text, or `None` while the list has no pool.
    pub(super) fn search(self: &Arc<Self>, core: &Core, list: &ListId, sought: &SearchTerm) -> Result<Option<IdSet>> {
        if sought.words.contains(&END) {
            return Ok(None);
        }
        Ok(self.find_current(core, list)?.map(|pool| pool.search(sought)))
    }

    /// Returns the ids of the list's contacts in which a field is filled, or `None` while the list has no pool.
    pub(super) fn find_filled(
        self: &Arc<Self>,
        core: &Core,
        list: &ListId,
        field: ContactField,
    ) -> Result<Option<IdSet>> {
        Ok(self.find_current(core, list)?.and_then(|pool| pool.find_filled(field)))
    }

    /// Returns the up-to-date pool of a list, if it has one.
    fn find_current(self: &Arc<Self>, core: &Core, list: &ListId) -> Result<Option<Arc<TextPool>>> {
        let found = {
            let mut state = lock(&self.state);
            let at = state.pools.iter().position(|pool| pool.list == *list);
            let pool = at.and_then(|at| state.pools.remove(at));
            pool.inspect(|pool| state.pools.push_front(Arc::clone(pool)))
        };
        let Some(pool) = found else { return Ok(None) };
        if !core.read(|tx| pool.catch_up(tx))? {
            lock(&self.state).pools.retain(|kept| !Arc::ptr_eq(kept, &pool));
            self.start_filling(core, list);
            return Ok(None);
        }
        Ok(Some(pool))
    }

    /// Starts to fill a pool for a list, unless it has one, is being read, or is too large.
    pub(super) fn start_filling(self: &Arc<Self>, core: &Core, list: &ListId) {
        let mut state = lock(&self.state);
        state.filling.retain(|filling| !filling.thread.is_finished());
        let is_there = state.pools.iter().any(|pool| pool.list == *list)
            || state.filling.iter().any(|filling| filling.list == *list)
            || state.refused.contains(list);
        if is_there || state.is_ended {
            return;
        }
        let watch = Arc::new(Watch::default());
        let (core, pools, wanted, watched) = (core.clone(), Arc::clone(self), list.clone(), Arc::clone(&watch));
        let work = move || {
            // If the list cannot be read now, the view reads it itself and reports the error.
            if let Ok(filled) = fill_pool(&core, &wanted, &watched) {
                pools.add_filled(wanted, filled);
            }
        };
        if let Ok(thread) = std::thread::Builder::new().name("pool".to_owned()).spawn(work) {
            state.filling.push(FillTask { list: list.clone(), watch, thread });
        }
    }

    /// Returns whether a list is being read into memory.
    pub(super) fn is_filling(&self) -> bool {
        lock(&self.state).filling.iter().any(|filling| !filling.thread.is_finished())
    }

    fn add_filled(&self, list: ListId, filled: FillResult) {
        let mut state = lock(&self.state);
        if state.is_ended {
            return;
        }
        match filled {
            FillResult::Pool(pool) => {
                state.pools.push_front(Arc::from(pool));
                let mut sum = 0;
                state.pools.retain(|pool| {
                    sum += pool.byte_size();
                    sum <= MAX_BYTES
                });
            }
            FillResult::TooLarge => {
                state.refused.insert(list);
            }
        }
    }

    pub(super) fn close_all(&self) {
        let filling = {
            let mut state = lock(&self.state);
            state.is_ended = true;
            state.pools.clear();
            std::mem::take(&mut state.filling)
        };
        for FillTask { watch, thread, .. } in filling {
            watch.cancel();
            // The panic hook has already reported a thread that panicked.
            let _ = thread.join();
        }
    }

    /// Allows new pools after the end, for the account that replaced the closed one.
    pub(super) fn reopen(&self) {
        let mut state = lock(&self.state);
        state.is_ended = false;
        state.refused.clear();
    }
}

enum FillResult {
    Pool(Box<TextPool>),
    TooLarge,
}

impl PooledRows {
    fn add_row(&mut self, row: &scan::Row, fields: usize) -> roost_store::error::Result<()> {
        for at in 0..fields {
            let Some(text) = scan::text_bytes(row, scan::FIRST_COLUMN + at)? else { continue };
            self.marks.mark_cell(at);
            if at < 2 { self.numbers.push(text) } else { self.texts.push_folded(text) }
        }
        self.texts.end_row();
        self.numbers.end_row();
        self.marks.end_row();
        Ok(())
    }

    fn byte_size(&self) -> usize {
        self.texts.byte_size() + self.numbers.byte_size() + self.marks.byte_size()
    }

    /// Calls `found` for every row that contains the term, possibly twice.
    fn search(&self, sought: &SearchTerm, rows: std::ops::Range<usize>, mut found: impl FnMut(usize)) {
        if !sought.words.is_empty() {
            self.texts.search(&sought.words, rows.clone(), &mut found);
        }
        if let Some(digits) = &sought.digits {
            self.numbers.search(digits.as_bytes(), rows, found);
        }
    }
}

/// Reads a list in ranges, so that a view that is built meanwhile gets its turn.
fn fill_pool(core: &Core, list: &ListId, watch: &Arc<Watch>) -> Result<FillResult> {
    let (seen, custom, way, sql) = core.read(|tx| {
        let custom = custom_fields::defined_numbers(tx)?;
        let found = lists::get(tx, list)?.or_not_found(Noun::List, list)?;
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let sql = filter::compile_filter(tx, row, None, None, &custom, core.ctx().now())?;
        let way = scan::choose_method(tx, row, found.contact_count)?;
        Ok((contact_changes::current_mark(tx)?, custom, way, sql))
    })?;
    let fields: Vec<_> = fillable_fields(&custom).collect();
    let stretches: Vec<Option<(i64, i64)>> = match way {
        ScanMethod::Index => vec![None],
        ScanMethod::IdRanges(stretches) => stretches.into_iter().map(Some).collect(),
    };
    let filled = Mutex::new((Vec::new(), PooledRows::default()));
    for stretch in stretches {
        let is_full = core.scan(watch, 1, |tx| {
            let (ids, rows) = &mut *lock(&filled);
            scan::visit_rows(tx, &sql, stretch, &fields, watch, &mut |id, _, row| {
                ids.push(id);
                rows.add_row(row, fields.len())
            })?;
            Ok(ids.len() * 8 + rows.byte_size() > MAX_BYTES)
        })?;
        if is_full.contains(&true) {
            return Ok(FillResult::TooLarge);
        }
    }
    let (mut ids, mut rows) = filled.into_inner().unwrap_or_else(PoisonError::into_inner);
    ids.shrink_to_fit();
    rows.texts.shrink();
    rows.numbers.shrink();
    // The rows are in the order of age, so their ids do not always rise.
    let ends = ids.iter().min().copied().zip(ids.iter().max().copied());
    let later = Mutex::new(LaterChanges { seen, rows: BTreeMap::new() });
    Ok(FillResult::Pool(Box::new(TextPool { list: list.clone(), custom, ids, ends, rows, later })))
}

impl TextPool {
    fn byte_size(&self) -> usize {
        self.ids.len() * 8 + self.rows.byte_size()
    }

    /// Reads the changed contacts again. Returns false if there are too many or if the changes are unknown.
    fn catch_up(&self, tx: &ReadTx) -> Result<bool> {
        let mut later = lock(&self.later);
        let now = contact_changes::current_mark(tx)?;
        if now == later.seen {
            return Ok(true);
        }
        let ChangedContacts::Ids(ids) = contact_changes::changes_since(tx, &later.seen, MAX_CHANGED_ROWS)? else {
            return Ok(false);
        };
        let Some(row) = lists::row_of(tx, &self.list)? else { return Ok(false) };
        if custom_fields::defined_numbers(tx)? != self.custom {
            return Ok(false);
        }
        let fields: Vec<_> = fillable_fields(&self.custom).collect();
        ids.iter().for_each(|id| {
            later.rows.insert(*id, None);
        });
        scan::visit_by_ids(tx, row, &ids, &fields, &Watch::default(), &mut |at, row| {
            let mut rows = PooledRows::default();
            rows.add_row(row, fields.len())?;
            later.rows.insert(ids[at], Some(rows));
            Ok(())
        })?;
        later.seen = now;
        Ok(later.rows.len() <= MAX_CHANGED_ROWS)
    }

    /// Returns an empty set that can hold every id of the list.
    fn new_id_set(&self, later: &LaterChanges, count: usize) -> IdSet {
        let (first, last) = (later.rows.keys().next().copied(), later.rows.keys().next_back().copied());
        let ends = self.ends.into_iter().chain(first.zip(last));
        let (first, last) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or_default();
        IdSet::with_range(first, last, count)
    }

    fn search(&self, sought: &SearchTerm) -> IdSet {
        let later = lock(&self.later);
        let middle = self.ids.len() / 2;
        let halves = [0..middle, middle..self.ids.len()].map(|rows| {
            move || {
                let mut found = Vec::new();
                self.rows.search(sought, rows, |row| found.push(row as u32));
                found
            }
        });
        let found: Vec<Vec<u32>> = std::thread::scope(|scope| {
            halves.map(|half| scope.spawn(half)).into_iter().map(|thread| thread.join().unwrap_or_default()).collect()
        });
        let mut set = self.new_id_set(&later, found.iter().map(Vec::len).sum());
        found.iter().flatten().for_each(|row| set.insert(self.ids[*row as usize]));
        later.apply_to(&mut set, |rows| {
            let mut is_in = false;
            rows.search(sought, 0..1, |_| is_in = true);
            is_in
        });
        set
    }

    fn find_filled(&self, field: ContactField) -> Option<IdSet> {
        let column = fillable_fields(&self.custom).position(|other| other == field)?;
        let later = lock(&self.later);
        let mut set = self.new_id_set(&later, self.rows.marks.count_filled(column));
        self.rows.marks.filled_rows(column).for_each(|row| set.insert(self.ids[row]));
        later.apply_to(&mut set, |rows| rows.marks.is_set(column, 0));
        Some(set)
    }
}

impl LaterChanges {
    fn apply_to(&self, set: &mut IdSet, is_in: impl Fn(&PooledRows) -> bool) {
        for (id, rows) in &self.rows {
            if rows.as_ref().is_some_and(&is_in) { set.insert(*id) } else { set.remove(*id) }
        }
    }
}

//! Caches results that are expensive to compute: facts of lists, and the order of a list under a filter.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use roost_model::{channel::Channel, contact::ContactField, id::ListId, page::SortOrder};
use roost_store::{
    tables::{
        contacts::list_view::ContactFilter,
        lists::{
            self,
            facts::{self, ListFacts},
            list_changes::{self, ListChanges},
        },
    },
    tx::ReadTx,
};

use crate::error::Result;

/// The maximum number of cached orders, which is enough for the windows that usually show lists.
const MAX_ORDERS: usize = 4;

#[derive(Default)]
pub struct ListCache {
    facts: Mutex<CachedFacts>,
    views: Mutex<VecDeque<CachedContactOrder>>,
}

#[derive(Default)]
struct CachedFacts {
    /// The line of the change log up to which the facts are valid.
    seq: i64,
    opted_out: Option<[Arc<HashSet<u64>>; 2]>,
    lists: HashMap<String, ListFacts>,
}

/// The query that produced an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderKey {
    pub list: ListId,
    pub which: ContactFilter,
    pub sort: Option<(ContactField, SortOrder)>,
    /// The account's generation at the time of the query.
    pub generation: u64,
}

struct CachedContactOrder {
    key: OrderKey,
    ids: Arc<Vec<i64>>,
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CachedFacts {
    fn invalidate(&mut self, last: i64, since: ListChanges) {
        self.seq = last;
        match since {
            ListChanges::Everything => {
                self.opted_out = None;
                self.lists.clear();
            }
            ListChanges::Lists(uids) => self.lists.retain(|list, _| !uids.contains(list)),
        }
    }
}

impl ListCache {
    /// Returns the facts of a list in the state that `tx` reads.
    pub fn list_facts(&self, tx: &ReadTx, uid: &ListId) -> Result<Option<ListFacts>> {
        let Some(list) = lists::get(tx, uid)? else { return Ok(None) };
        let Some(row) = lists::row_of(tx, uid)? else { return Ok(None) };
        let (seq, out) = {
            let mut facts = lock(&self.facts);
            let (last, since) = list_changes::changes_since(tx, facts.seq)?;
            // Another reader may already have seen a newer state; the cached facts are then not those of this state.
            if last >= facts.seq {
                facts.invalidate(last, since);
                if let Some(known) = facts.lists.get(uid.as_str()) {
                    return Ok(Some(*known));
                }
                (last, facts.opted_out.clone())
            } else {
                (last, None)
            }
        };
        let out = match out {
            Some(out) => out,
            None => [
                Arc::new(facts::opted_out_numbers(tx, Channel::Sms)?),
                Arc::new(facts::opted_out_numbers(tx, Channel::WhatsApp)?),
            ],
        };
        let found = facts::count_facts(tx, row, list.contact_count, [&out[0], &out[1]])?;
        let mut facts = lock(&self.facts);
        if facts.seq == seq {
            facts.opted_out = Some(out);
            facts.lists.insert(uid.as_str().to_owned(), found);
        }
        Ok(Some(found))
    }

    /// Clears the cache, because another account has replaced this one.
    pub fn clear(&self) {
        *lock(&self.facts) = CachedFacts::default();
        lock(&self.views).clear();
    }

    pub fn find_order(&self, key: &OrderKey) -> Option<Arc<Vec<i64>>> {
        lock(&self.views).iter().find(|view| view.key == *key).map(|view| Arc::clone(&view.ids))
    }

    pub fn insert_order(&self, key: OrderKey, ids: Vec<i64>) -> Arc<Vec<i64>> {
        let ids = Arc::new(ids);
        let mut views = lock(&self.views);
        views.truncate(MAX_ORDERS - 1);
        views.push_front(CachedContactOrder { key, ids: Arc::clone(&ids) });
        ids
    }
}

//! Orders rows: builds a sort key for each distinct text, converts the keys to ranks, and sorts with one stable pass
//! for each column.

use std::collections::HashMap;

use icu_collator::{
    Collator, CollatorBorrowed, CollatorPreferences, options::CollatorOptions, preferences::CollationNumericOrdering,
};
use roost_model::{contact::ContactField, filter::SortKey, page::SortOrder};

use roost_ops::error::{Error, Result};

/// The way in which the values of a field are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SortKind {
    /// Texts as people expect them: by the root collation, with numbers in texts by their value.
    Words,
    /// Numbers and ids, byte by byte.
    Bytes,
    Time,
}

pub(super) fn sort_kind(field: ContactField) -> SortKind {
    match field {
        ContactField::CreatedAt | ContactField::UpdatedAt => SortKind::Time,
        ContactField::Uid
        | ContactField::PhoneNumber
        | ContactField::PhoneRegion
        | ContactField::WhatsappId
        | ContactField::WhatsappRegion => SortKind::Bytes,
        ContactField::Attribute(_) | ContactField::Custom(_) => SortKind::Words,
    }
}

/// Returns the collator that orders all texts.
pub(super) fn new_collator() -> Result<CollatorBorrowed<'static>> {
    let mut wanted = CollatorPreferences::default();
    wanted.numeric_ordering = Some(CollationNumericOrdering::True);
    Collator::try_new(wanted, CollatorOptions::default())
        .map_err(|why| Error::conflict(format!("Texts cannot be put in order: {why}")))
}

/// The slot of an empty value.
const EMPTY: u32 = u32::MAX;

/// The distinct values of one column that one thread has read. Their sort keys are stored one after the other.
pub(super) struct SortKeys {
    kind: SortKind,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The slot of each text, or `None` once nearly every text turned out to be distinct.
    known: Option<HashMap<Box<[u8]>, u32>>,
    seen: usize,
}

/// The number of distinct texts from which the map is dropped if it does not pay off.
const MIN_DISTINCT_TEXTS: usize = 4_096;

impl SortKeys {
    pub(super) fn new(kind: SortKind) -> Self {
        let known = (kind != SortKind::Time).then(HashMap::new);
        Self { kind, bytes: Vec::new(), ends: Vec::new(), known, seen: 0 }
    }

    fn end_key(&mut self) -> u32 {
        self.ends.push(self.bytes.len());
        self.ends.len() as u32 - 1
    }

    pub(super) fn add_time(&mut self, seconds: Option<i64>) -> u32 {
        let Some(seconds) = seconds else { return EMPTY };
        // With the sign bit flipped, the bytes compare like the numbers.
        self.bytes.extend_from_slice(&(seconds ^ i64::MIN).to_be_bytes());
        self.end_key()
    }

    pub(super) fn add_text(&mut self, collator: &CollatorBorrowed, text: Option<&[u8]>) -> u32 {
        let Some(text) = text else { return EMPTY };
        self.seen += 1;
        if let Some(slot) = self.known.as_ref().and_then(|known| known.get(text)) {
            return *slot;
        }
        if self.kind == SortKind::Words {
            let Ok(()) = collator.write_sort_key_utf8_to(text, &mut self.bytes);
        } else {
            self.bytes.extend_from_slice(text);
        }
        let slot = self.end_key();
        if let Some(known) = &mut self.known {
            if known.len() >= MIN_DISTINCT_TEXTS && known.len() * 2 > self.seen {
                self.known = None;
            } else {
                known.insert(text.into(), slot);
            }
        }
        slot
    }

    fn key_bytes(&self, slot: u32) -> &[u8] {
        let at = slot as usize;
        &self.bytes[if at == 0 { 0 } else { self.ends[at - 1] }..self.ends[at]]
    }

    /// Returns the slots in the order of their keys, each with the first bytes of its key.
    fn sorted_slots(&self) -> Vec<(u64, u32)> {
        let beginning = |key: &[u8]| {
            let mut first = [0; 8];
            let len = key.len().min(8);
            first[..len].copy_from_slice(&key[..len]);
            u64::from_be_bytes(first)
        };
        let mut slots: Vec<(u64, u32)> =
            (0..self.ends.len() as u32).map(|slot| (beginning(self.key_bytes(slot)), slot)).collect();
        slots.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.key_bytes(a.1).cmp(self.key_bytes(b.1))));
        slots
    }
}

/// The rows that one thread read of one range.
pub(super) struct ScannedChunk {
    /// The position of the range.
    pub at: usize,
    pub ids: Vec<i64>,
    pub created: Vec<i64>,
    /// For each sort column, the slot of each row.
    pub slots: Vec<Vec<u32>>,
}

/// Everything that one thread read.
pub(super) struct ThreadScan {
    pub chunks: Vec<ScannedChunk>,
    pub keys: Vec<SortKeys>,
}

/// Returns the rank of each slot of every thread in one column, and the number of ranks.
fn rank_slots(threads: &[ThreadScan], column: usize) -> (Vec<Vec<u32>>, u32) {
    let sorted: Vec<Vec<(u64, u32)>> = std::thread::scope(|scope| {
        let sorting: Vec<_> =
            threads.iter().map(|thread| scope.spawn(move || thread.keys[column].sorted_slots())).collect();
        sorting
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(sorted) => sorted,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    let mut ranks: Vec<Vec<u32>> = threads.iter().map(|thread| vec![0; thread.keys[column].ends.len()]).collect();
    let mut next: Vec<usize> = vec![0; threads.len()];
    let (mut rank, mut last): (u32, Option<(u64, usize, u32)>) = (0, None);
    loop {
        // There are as many threads as cores, so this loop is short.
        let mut least: Option<(usize, u64, u32)> = None;
        for (thread, sorted) in sorted.iter().enumerate() {
            let Some(&(first, slot)) = sorted.get(next[thread]) else { continue };
            let is_less = least.is_none_or(|(other, beginning, other_slot)| {
                first.cmp(&beginning).then_with(|| {
                    threads[thread].keys[column].key_bytes(slot).cmp(threads[other].keys[column].key_bytes(other_slot))
                }) == std::cmp::Ordering::Less
            });
            if is_less {
                least = Some((thread, first, slot));
            }
        }
        let Some((thread, first, slot)) = least else { return (ranks, rank + u32::from(last.is_some())) };
        let is_another = last.is_some_and(|(beginning, other, other_slot)| {
            beginning != first
                || threads[thread].keys[column].key_bytes(slot) != threads[other].keys[column].key_bytes(other_slot)
        });
        rank += u32::from(is_another);
        last = Some((first, thread, slot));
        ranks[thread][slot as usize] = rank;
        next[thread] += 1;
    }
}

/// Returns the row ids in the order of `sort`. Equal rows are ordered as by [`newest_first`]. Empty values are last in
/// both directions.
pub(super) fn order_rows(mut threads: Vec<ThreadScan>, sort: &[SortKey]) -> Vec<i64> {
    let columns: Vec<(Vec<Vec<u32>>, u32)> = (0..sort.len()).map(|column| rank_slots(&threads, column)).collect();
    threads.iter_mut().for_each(|thread| thread.keys.clear());
    let mut chunks: Vec<(usize, ScannedChunk)> = threads
        .into_iter()
        .enumerate()
        .flat_map(|(thread, read)| read.chunks.into_iter().map(move |chunk| (thread, chunk)))
        .collect();
    chunks.sort_unstable_by_key(|(_, chunk)| chunk.at);
    let total = chunks.iter().map(|(_, chunk)| chunk.ids.len()).sum();
    let (mut ids, mut created) = (Vec::with_capacity(total), Vec::with_capacity(total));
    for (_, chunk) in &chunks {
        ids.extend_from_slice(&chunk.ids);
        created.extend_from_slice(&chunk.created);
    }
    let mut order = newest_first(&ids, &created);
    drop(created);
    for (column, key) in sort.iter().enumerate().rev() {
        let (ranks, count) = &columns[column];
        let row_ranks: Vec<u32> = chunks
            .iter()
            .flat_map(|(thread, chunk)| chunk.slots[column].iter().map(|slot| (&ranks[*thread], *slot)))
            .map(|(ranks, slot)| match (slot, key.order) {
                (EMPTY, _) => *count,
                (slot, SortOrder::Ascending) => ranks[slot as usize],
                (slot, SortOrder::Descending) => count - 1 - ranks[slot as usize],
            })
            .collect();
        order = sort_by_rank(&order, &row_ranks, *count as usize + 1);
    }
    order.into_iter().map(|row| ids[row as usize]).collect()
}

/// Orders rows by the time of creation, the newest first. Rows of one second, such as those of an import, stay in the
/// order in which they were added, which is the order of the file. The rows are usually ascending already, which is
/// checked first.
fn newest_first(ids: &[i64], created: &[i64]) -> Vec<u32> {
    let mut rising: Vec<u32> = (0..ids.len() as u32).collect();
    let is_rising = (1..ids.len()).all(|row| (created[row - 1], ids[row - 1]) < (created[row], ids[row]));
    if !is_rising {
        rising.sort_unstable_by_key(|row| (created[*row as usize], ids[*row as usize]));
    }
    let mut order = Vec::with_capacity(rising.len());
    for of_second in rising.chunk_by(|a, b| created[*a as usize] == created[*b as usize]).rev() {
        order.extend_from_slice(of_second);
    }
    order
}

/// Sorts by rank in one stable pass: rows of the same rank keep their order.
fn sort_by_rank(order: &[u32], ranks: &[u32], count: usize) -> Vec<u32> {
    let mut starts = vec![0_u32; count + 1];
    for rank in ranks {
        starts[*rank as usize + 1] += 1;
    }
    for rank in 1..=count {
        starts[rank] += starts[rank - 1];
    }
    let mut placed = vec![0; order.len()];
    for row in order {
        let place = &mut starts[ranks[*row as usize] as usize];
        placed[*place as usize] = *row;
        *place += 1;
    }
    placed
}

#[cfg(test)]
mod tests {
    use roost_model::contact::Attribute;

    use super::*;

    fn sort_texts(texts: &[Option<&str>], order: SortOrder, threads: usize) -> Vec<i64> {
        let collator = new_collator().unwrap();
        let parts: Vec<ThreadScan> = (0..threads)
            .map(|thread| {
                let mut keys = SortKeys::new(SortKind::Words);
                let chunks = texts.iter().enumerate().filter(|(row, _)| row % threads == thread).map(|(row, text)| {
                    ScannedChunk {
                        at: row,
                        ids: vec![row as i64],
                        created: vec![0],
                        slots: vec![vec![keys.add_text(&collator, text.map(str::as_bytes))]],
                    }
                });
                let chunks = chunks.collect();
                ThreadScan { chunks, keys: vec![keys] }
            })
            .collect();
        order_rows(parts, &[SortKey { field: ContactField::Attribute(Attribute::City), order }])
    }

    #[test]
    fn texts_are_ordered_as_people_look_for_them() {
        let texts = [
            Some("Zoe"),
            Some("émile"),
            None,
            Some("Emile"),
            Some("ada"),
            Some("Ada"),
            Some("10 Rd"),
            Some("9 Rd"),
            Some("ada"),
        ];
        for threads in 1..=3 {
            assert_eq!(
                sort_texts(&texts, SortOrder::Ascending, threads),
                [7, 6, 4, 8, 5, 3, 1, 0, 2],
                "{threads} threads"
            );
            assert_eq!(
                sort_texts(&texts, SortOrder::Descending, threads),
                [0, 1, 3, 5, 4, 8, 6, 7, 2],
                "{threads} threads"
            );
        }
    }

    #[test]
    fn the_newest_come_first_and_those_of_one_second_as_they_were_added() {
        assert_eq!(newest_first(&[1, 2, 3, 4, 5], &[7, 7, 8, 9, 9]), [3, 4, 2, 0, 1]);
        assert_eq!(newest_first(&[5, 3, 1, 4, 2], &[9, 8, 7, 9, 7]), [3, 0, 1, 2, 4]);
        assert_eq!(newest_first(&[], &[]), [0_u32; 0]);
    }

    #[test]
    fn no_rows_and_rows_without_a_value_can_be_sorted() {
        assert_eq!(sort_texts(&[], SortOrder::Ascending, 2), [] as [i64; 0]);
        assert_eq!(sort_texts(&[None, None, None], SortOrder::Descending, 2), [0, 1, 2]);
    }

    #[test]
    fn many_different_texts_are_no_longer_remembered() {
        let collator = new_collator().unwrap();
        let mut keys = SortKeys::new(SortKind::Words);
        for n in 0..MIN_DISTINCT_TEXTS * 2 {
            keys.add_text(&collator, Some(n.to_string().as_bytes()));
        }
        assert!(keys.known.is_none());
        assert_ne!(
            keys.add_text(&collator, Some(b"1")),
            keys.add_text(&collator, Some(b"1")),
            "equal keys, other slots"
        );
    }
}

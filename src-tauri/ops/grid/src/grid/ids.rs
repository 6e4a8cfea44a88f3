//! Stores a set of row ids with one bit for each id, as long as the ids are close together, which is usual.

use std::collections::HashSet;

pub(super) enum IdSet {
    Bits { first: i64, bits: Vec<u64> },
    Scattered(HashSet<i64>),
}

/// The largest range of ids for each id in the set at which bits still pay off.
const SPREAD: i64 = 256;

impl IdSet {
    /// Returns an empty set for ids in this range, of which about `count` are expected.
    pub(super) fn with_range(first: i64, last: i64, count: usize) -> Self {
        let span = last.saturating_sub(first).saturating_add(1).max(0);
        if span / SPREAD <= count as i64 + 4_096 {
            Self::Bits { first, bits: vec![0; (span as usize).div_ceil(64)] }
        } else {
            Self::Scattered(HashSet::new())
        }
    }

    /// Returns an empty set that can hold each of these ids.
    pub(super) fn with_range_of(ids: &[i64]) -> Self {
        let (first, last) = ids.iter().fold((i64::MAX, i64::MIN), |(first, last), id| (first.min(*id), last.max(*id)));
        if ids.is_empty() { Self::Scattered(HashSet::new()) } else { Self::with_range(first, last, ids.len()) }
    }

    pub(super) fn from_ids(ids: &[i64]) -> Self {
        let mut set = Self::with_range_of(ids);
        ids.iter().for_each(|id| set.insert(*id));
        set
    }

    /// Adds an id. An id outside the range of the set is ignored.
    pub(super) fn insert(&mut self, id: i64) {
        match self {
            Self::Bits { first, bits } => {
                let at = id.wrapping_sub(*first) as usize;
                if let Some(word) = bits.get_mut(at / 64) {
                    *word |= 1 << (at % 64);
                }
            }
            Self::Scattered(ids) => {
                ids.insert(id);
            }
        }
    }

    pub(super) fn remove(&mut self, id: i64) {
        match self {
            Self::Bits { first, bits } => {
                let at = id.wrapping_sub(*first) as usize;
                if let Some(word) = bits.get_mut(at / 64) {
                    *word &= !(1 << (at % 64));
                }
            }
            Self::Scattered(ids) => {
                ids.remove(&id);
            }
        }
    }

    pub(super) fn contains(&self, id: i64) -> bool {
        match self {
            Self::Bits { first, bits } => {
                let at = id.wrapping_sub(*first) as usize;
                bits.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
            }
            Self::Scattered(ids) => ids.contains(&id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_and_scattered_ids_are_sets_alike() {
        for ids in [vec![5, 7, 1_000], vec![1, i64::MAX / 2, 77], vec![-3, 64, 63, 128], vec![]] {
            let mut set = IdSet::from_ids(&ids);
            assert!(ids.iter().all(|id| set.contains(*id)), "{ids:?}");
            for other in [0, 6, 999, 1_001, i64::MAX, i64::MIN, -4, 65] {
                assert!(!set.contains(other), "{other} in {ids:?}");
            }
            if let Some(first) = ids.first() {
                set.remove(*first);
                assert!(!set.contains(*first));
            }
        }
    }
}

//! Rows of a view as sorted, disjoint, half-open intervals, so that a selection of millions of rows costs almost
//! nothing.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// Sorted `[from, to)` pairs that neither overlap nor touch. Their JSON form is `[[0, 5], [9, 10]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct RowIntervals(Vec<(u64, u64)>);

/// The error for a pair that ends before it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the interval [{0}, {1}] ends before it begins")]
pub struct BackwardInterval(pub u64, pub u64);

impl RowIntervals {
    /// Creates intervals from pairs in any order. The pairs may overlap.
    pub fn new(mut pairs: Vec<(u64, u64)>) -> Result<Self, BackwardInterval> {
        if let Some(&(from, to)) = pairs.iter().find(|(from, to)| from > to) {
            return Err(BackwardInterval(from, to));
        }
        pairs.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::with_capacity(pairs.len());
        for (from, to) in pairs.into_iter().filter(|(from, to)| from < to) {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        Ok(Self(merged))
    }

    pub fn all_below(total: u64) -> Self {
        Self(if total == 0 { Vec::new() } else { vec![(0, total)] })
    }

    pub fn single_row(row: u64) -> Self {
        Self(vec![(row, row.saturating_add(1))])
    }

    pub fn pairs(&self) -> &[(u64, u64)] {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of rows.
    pub fn len(&self) -> u64 {
        self.0.iter().map(|(from, to)| to - from).sum()
    }

    pub fn contains(&self, row: u64) -> bool {
        let next = self.0.partition_point(|(from, _)| *from <= row);
        next > 0 && row < self.0[next - 1].1
    }

    /// Iterates over the rows in ascending order.
    pub fn rows(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().flat_map(|(from, to)| *from..*to)
    }

    pub fn union(&self, other: &Self) -> Self {
        let pairs = self.0.iter().chain(&other.0).copied().collect();
        // Both sides are well formed, so their pairs are.
        Self::new(pairs).unwrap_or_default()
    }

    pub fn intersect(&self, other: &Self) -> Self {
        let (mut a, mut b, mut both) = (0, 0, Vec::new());
        while let (Some(one), Some(two)) = (self.0.get(a), other.0.get(b)) {
            let (from, to) = (one.0.max(two.0), one.1.min(two.1));
            if from < to {
                both.push((from, to));
            }
            if one.1 <= two.1 { a += 1 } else { b += 1 }
        }
        Self(both)
    }

    pub fn subtract(&self, other: &Self) -> Self {
        let end = self.0.last().map_or(0, |last| last.1);
        self.intersect(&other.complement(end))
    }

    /// Returns the rows below `total` that are not in these intervals.
    pub fn complement(&self, total: u64) -> Self {
        let (mut rest, mut from) = (Vec::with_capacity(self.0.len() + 1), 0);
        for &(taken, to) in self.0.iter().take_while(|(taken, _)| *taken < total) {
            if from < taken {
                rest.push((from, taken));
            }
            from = to;
        }
        if from < total {
            rest.push((from, total));
        }
        Self(rest)
    }

    /// Removes the rows from `total` on.
    pub fn keep_below(&self, total: u64) -> Self {
        self.intersect(&Self::all_below(total))
    }
}

impl<'de> Deserialize<'de> for RowIntervals {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    const TOTAL: u64 = 64;

    fn bits(intervals: &RowIntervals) -> u128 {
        intervals.rows().fold(0, |bits, row| bits | 1 << row)
    }

    fn any() -> impl Strategy<Value = RowIntervals> {
        vec((0..TOTAL, 0..12_u64), 0..8).prop_map(|pairs| {
            RowIntervals::new(pairs.into_iter().map(|(from, len)| (from, (from + len).min(TOTAL))).collect()).unwrap()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn interval_operations_agree_with_operations_on_sets_of_rows(a in any(), b in any(), cut in 0..TOTAL + 8) {
            let below = |total: u64| (1_u128 << total) - 1;
            prop_assert_eq!(bits(&a.union(&b)), bits(&a) | bits(&b));
            prop_assert_eq!(bits(&a.intersect(&b)), bits(&a) & bits(&b));
            prop_assert_eq!(bits(&a.subtract(&b)), bits(&a) & !bits(&b));
            prop_assert_eq!(bits(&a.complement(cut)), !bits(&a) & below(cut));
            prop_assert_eq!(bits(&a.keep_below(cut)), bits(&a) & below(cut));
            prop_assert_eq!(a.len(), u64::from(bits(&a).count_ones()));
            for row in 0..TOTAL + 2 {
                prop_assert_eq!(a.contains(row), bits(&a) >> row & 1 == 1);
            }
            for found in [&a, &a.union(&b), &a.intersect(&b), &a.subtract(&b), &a.complement(cut)] {
                prop_assert!(found.pairs().iter().all(|(from, to)| from < to), "{:?}", found);
                prop_assert!(found.pairs().windows(2).all(|two| two[0].1 < two[1].0), "{:?}", found);
            }
        }
    }

    #[test]
    fn the_wire_form_is_pairs_and_a_backward_one_is_refused() {
        let read: RowIntervals = serde_json::from_str("[[9,10],[0,5],[4,6],[7,7]]").unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), "[[0,6],[9,10]]");
        let message = serde_json::from_str::<RowIntervals>("[[3,1]]").unwrap_err().to_string();
        assert!(message.contains("ends before it begins"), "{message}");
        assert!(serde_json::from_str::<RowIntervals>("[[-1,1]]").is_err());
    }

    #[test]
    fn the_highest_row_numbers_do_not_overflow() {
        assert!(RowIntervals::single_row(u64::MAX - 1).contains(u64::MAX - 1));
        assert_eq!(RowIntervals::all_below(u64::MAX).complement(u64::MAX), RowIntervals::default());
    }
}

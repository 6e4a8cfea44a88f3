//! Stores groups of contacts that share a key in flat memory: half a million groups take a few dozen megabytes.

use std::collections::{HashMap, HashSet};

use super::keys::DuplicateKey;

/// The status of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupStatus {
    Open,
    Skipped,
    /// Fewer than two contacts are left.
    Done,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct DuplicateGroup {
    from: u32,
    pub len: u32,
    by: u16,
    /// The confidence, out of 100.
    pub confidence: u8,
    pub status: GroupStatus,
    /// A fingerprint of the members at the time of the search, by which a later search recognizes the group.
    fingerprint: u64,
}

impl DuplicateGroup {
    pub(super) fn is_by(&self, key: DuplicateKey) -> bool {
        self.by & key.bit() != 0
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = DuplicateKey> {
        let by = self.by;
        DuplicateKey::ALL.into_iter().filter(move |key| by & key.bit() != 0)
    }

    /// Returns how many contacts a merge would remove.
    pub(super) fn effect(&self) -> u64 {
        u64::from(self.len.saturating_sub(1))
    }
}

/// The groups of a search, the highest confidence first and then the smallest, because these are decided most quickly.
#[derive(Debug, Clone, Default)]
pub(super) struct DuplicateGroups {
    /// The keys that were searched for.
    pub(super) by: Vec<DuplicateKey>,
    pub(super) groups: Vec<DuplicateGroup>,
    members: Vec<i64>,
    /// The number of the first group. A number is never used twice in a search.
    first: u64,
    /// Fingerprints of skipped groups, including those of earlier searches.
    skipped: HashSet<u64>,
    /// The contacts that merging removed and that no undo brought back before this search.
    pub(super) merged: HashSet<i64>,
    /// The keys that were left out because the list is too long for them.
    pub(super) left_out: Vec<DuplicateKey>,
}

/// Mixes the bits of a number, so that sums of mixed numbers differ for different sets.
fn mix_bits(id: i64) -> u64 {
    let mut x = (id as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Collects groups while they are found, one key after the other.
#[derive(Default)]
pub(super) struct GroupCollector {
    groups: Vec<DuplicateGroup>,
    members: Vec<i64>,
    /// The position of the group with each fingerprint.
    places: HashMap<u64, u32>,
}

impl GroupCollector {
    /// Adds a group of at least two contacts. If another group has the same members, that group gets the additional key
    /// instead.
    pub(super) fn add(
        &mut self,
        key: DuplicateKey,
        confidence: u8,
        members: impl ExactSizeIterator<Item = i64> + Clone,
    ) {
        if members.len() < 2 {
            return;
        }
        let print = members.clone().fold(mix_bits(members.len() as i64), |sum, id| sum.wrapping_add(mix_bits(id)));
        if let Some(same) = self.places.get(&print).and_then(|at| self.groups.get_mut(*at as usize)) {
            same.by |= key.bit();
            same.confidence = same.confidence.max(confidence);
            return;
        }
        self.places.insert(print, self.groups.len() as u32);
        let (from, len) = (self.members.len() as u32, members.len() as u32);
        self.members.extend(members);
        self.members[from as usize..].sort_unstable();
        self.groups.push(DuplicateGroup {
            from,
            len,
            by: key.bit(),
            confidence,
            status: GroupStatus::Open,
            fingerprint: print,
        });
    }

    /// Returns all groups, numbered after the groups of the previous search.
    pub(super) fn into_groups(self, before: &DuplicateGroups, left_out: Vec<DuplicateKey>) -> DuplicateGroups {
        let Self { mut groups, members, .. } = self;
        let oldest = |group: &DuplicateGroup| members[group.from as usize];
        groups
            .sort_by(|a, b| (b.confidence, a.len).cmp(&(a.confidence, b.len)).then_with(|| oldest(a).cmp(&oldest(b))));
        for group in groups.iter_mut().filter(|group| before.skipped.contains(&group.fingerprint)) {
            group.status = GroupStatus::Skipped;
        }
        DuplicateGroups {
            by: before.by.clone(),
            groups,
            members,
            first: before.first + before.groups.len() as u64,
            skipped: before.skipped.clone(),
            merged: before.merged.clone(),
            left_out,
        }
    }
}

impl DuplicateGroups {
    pub(super) fn number_at(&self, at: usize) -> u64 {
        self.first + at as u64
    }

    /// Returns the position of a group that still has two contacts.
    pub(super) fn position_of(&self, number: u64) -> Option<usize> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.groups.get(at).filter(|group| group.status != GroupStatus::Done).map(|_| at)
    }

    /// Returns the row ids of a group in ascending order.
    pub(super) fn members(&self, at: usize) -> &[i64] {
        let DuplicateGroup { from, len, .. } = self.groups[at];
        &self.members[from as usize..(from + len) as usize]
    }

    /// Skips a group for as long as the search is open, or restores it.
    pub(super) fn set_skipped(&mut self, at: usize, is_skipped: bool) {
        let group = &mut self.groups[at];
        group.status = if is_skipped { GroupStatus::Skipped } else { GroupStatus::Open };
        if is_skipped {
            self.skipped.insert(group.fingerprint);
        } else {
            self.skipped.remove(&group.fingerprint);
        }
    }

    /// Removes contacts from all groups. A group with fewer than two contacts is done.
    pub(super) fn remove_contacts(&mut self, deleted: &HashSet<i64>) {
        for group in &mut self.groups {
            let (from, end) = (group.from as usize, (group.from + group.len) as usize);
            let mut kept = from;
            for at in from..end {
                let id = self.members[at];
                if !deleted.contains(&id) {
                    self.members[kept] = id;
                    kept += 1;
                }
            }
            group.len = (kept - from) as u32;
            if group.len < 2 {
                group.status = GroupStatus::Done;
            }
        }
        self.merged.extend(deleted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect_groups(groups: &[(DuplicateKey, u8, &[i64])]) -> DuplicateGroups {
        let mut finding = GroupCollector::default();
        groups.iter().for_each(|(key, confidence, ids)| finding.add(*key, *confidence, ids.iter().copied()));
        finding.into_groups(&DuplicateGroups::default(), Vec::new())
    }

    #[test]
    fn the_same_contacts_are_one_group_by_several_keys() {
        use DuplicateKey::*;
        let groups = collect_groups(&[
            (Phone, 75, &[4, 9]),
            (Email, 95, &[9, 4]),
            (Name, 50, &[1, 2, 3]),
            (Name, 50, &[7]),
            (Email, 60, &[4, 8]),
        ]);
        let shown: Vec<_> = (0..groups.groups.len())
            .map(|at| {
                (
                    groups.members(at).to_vec(),
                    groups.groups[at].keys().collect::<Vec<_>>(),
                    groups.groups[at].confidence,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [(vec![4, 9], vec![Phone, Email], 95), (vec![4, 8], vec![Email], 60), (vec![1, 2, 3], vec![Name], 50)],
            "the surest first; none of one"
        );
    }

    #[test]
    fn deleted_contacts_are_in_no_group() {
        let mut groups = collect_groups(&[(DuplicateKey::Phone, 95, &[1, 2, 3]), (DuplicateKey::Email, 95, &[3, 4])]);
        groups.remove_contacts(&HashSet::from([3]));
        assert_eq!(
            (groups.members(1), groups.groups[0].status, groups.merged.len()),
            (&[1, 2][..], GroupStatus::Done, 1)
        );
        assert_eq!((groups.position_of(0), groups.position_of(1), groups.position_of(2)), (None, Some(1), None));
    }

    #[test]
    fn what_was_skipped_is_skipped_again_and_numbers_are_not_used_twice() {
        let mut before = collect_groups(&[(DuplicateKey::Phone, 95, &[1, 2]), (DuplicateKey::Phone, 95, &[3, 4])]);
        before.set_skipped(1, true);
        let mut finding = GroupCollector::default();
        finding.add(DuplicateKey::Email, 90, [4, 3].into_iter());
        let now = finding.into_groups(&before, Vec::new());
        assert_eq!(
            (now.groups[0].status, now.number_at(0), now.position_of(0), now.position_of(2)),
            (GroupStatus::Skipped, 2, None, Some(0))
        );
    }
}

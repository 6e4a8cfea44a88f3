//! Finds the groups of a list. Each contact is read once and reduced to a few hashes; contacts with equal hashes form a
//! group.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use roost_model::id::ListId;
use roost_store::{
    change_log::Noun,
    error::Result as StoreResult,
    tables::{contacts::grid::scan::Row, lists},
    watch::Watch,
};

use super::{
    groups::{DuplicateGroups, GroupCollector},
    keys::{DuplicateKey, PersonFields, READ},
    near::{self, JoinedRows, PackedTexts},
};
use roost_ops::{
    core::Core,
    error::{OrNotFound, Result},
};

use crate::background::{self, check_cancelled};

/// The data remembered of every contact. A hash of 0 stands for a missing value.
#[derive(Default)]
struct ContactHashes {
    ids: Vec<i64>,
    names: Vec<u64>,
    born: Vec<u32>,
    /// The hashes of each requested key.
    keys: Vec<(DuplicateKey, Vec<u64>)>,
    /// The hashes of the phone number and the WhatsApp number.
    numbers: Option<Vec<[u64; 2]>>,
    near: Option<NearTexts>,
}

#[derive(Default)]
struct NearTexts {
    names: PackedTexts,
    addresses: PackedTexts,
    places: Vec<u64>,
    houses: Vec<u32>,
}

fn hash_text(text: &str) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish().max(1)
}

pub(super) fn read_person<'r>(row: &'r Row) -> StoreResult<PersonFields<'r>> {
    let mut person = PersonFields::default();
    for (at, slot) in person.0.iter_mut().enumerate() {
        *slot = background::column_text(row, at)?;
    }
    Ok(person)
}

impl ContactHashes {
    fn new(by: &[DuplicateKey]) -> Self {
        let hashed = by.iter().filter(|key| !matches!(key, DuplicateKey::Near | DuplicateKey::Number));
        Self {
            keys: hashed.map(|key| (*key, Vec::new())).collect(),
            numbers: by.contains(&DuplicateKey::Number).then(Vec::new),
            near: by.contains(&DuplicateKey::Near).then(NearTexts::default),
            ..Self::default()
        }
    }

    fn add_contact(&mut self, id: i64, person: &PersonFields) {
        let folded = person.fold_person();
        self.ids.push(id);
        self.names.push(person.match_key(DuplicateKey::Name, &folded).map_or(0, |name| hash_text(&name)));
        self.born.push(person.0[READ.len() - 1].map_or(0, |born| hash_text(born.trim()) as u32));
        for (key, hashes) in &mut self.keys {
            hashes.push(person.match_key(*key, &folded).map_or(0, |text| hash_text(&text)));
        }
        if let Some(numbers) = &mut self.numbers {
            numbers.push([0, 1].map(|at| person.0[at].map_or(0, hash_text)));
        }
        if let Some(near) = &mut self.near {
            near.names.push(&folded.name);
            near.addresses.push(&folded.address);
            near.places.push(hash_text(&folded.place));
            near.houses.push(hash_text(&folded.house) as u32);
            if near.names.is_full() || near.addresses.is_full() {
                self.near = None;
            }
        }
    }

    /// Returns the confidence, out of 100, that some contacts are the same person.
    fn confidence(&self, key: DuplicateKey, rows: &[(u64, u32)]) -> u8 {
        let differ = |known: &dyn Fn(usize) -> u64| {
            let mut known = rows.iter().map(|(_, row)| known(*row as usize)).filter(|hash| *hash != 0);
            let first = known.next();
            known.any(|other| Some(other) != first)
        };
        let names_differ = differ(&|row| self.names[row]);
        let all_named = rows.iter().all(|(_, row)| self.names[*row as usize] != 0);
        // A father and his son can share a name and an address.
        let born_differ = differ(&|row| u64::from(self.born[row]));
        let surely = match (key, names_differ, all_named) {
            (DuplicateKey::Phone | DuplicateKey::Whatsapp, false, true) => 100,
            (DuplicateKey::Phone | DuplicateKey::Whatsapp, false, false) => 95,
            // Whatever the names are, a message to that number arrives twice. Two people may share the number, so the
            // confidence is too low for merging without a look.
            (DuplicateKey::Phone | DuplicateKey::Whatsapp, true, _) => 85,
            (DuplicateKey::Number, false, _) => 95,
            (DuplicateKey::Number, true, _) => 80,
            (DuplicateKey::Email, false, true) => 98,
            (DuplicateKey::Email, false, false) => 90,
            (DuplicateKey::Email, true, _) => 60,
            (DuplicateKey::NameAddress, ..) => 92,
            (DuplicateKey::Ngram, ..) => 85,
            (DuplicateKey::Phonetic, ..) => 75,
            // The similarity of the texts lowers this further.
            (DuplicateKey::Near, ..) => 85,
            // A name that many contacts have is a common name.
            (DuplicateKey::Name, ..) => {
                if rows.len() > 3 {
                    30
                } else {
                    50
                }
            }
        };
        if born_differ { surely.min(40) } else { surely }
    }
}

/// Finds the groups of a list or of the whole account.
pub(super) fn find_groups(
    core: &Core,
    list: Option<&ListId>,
    by: &[DuplicateKey],
    before: &DuplicateGroups,
    watch: &Arc<Watch>,
) -> Result<DuplicateGroups> {
    let mut all = core.read(|tx| match list {
        Some(list) => Ok(vec![lists::get(tx, list)?.or_not_found(Noun::List, list)?]),
        None => Ok(lists::read_all(tx)?),
    })?;
    all.retain(|list| list.contact_count > 0);
    let total = all.iter().map(|list| list.contact_count).sum();
    watch.set_expected(total);
    let mut read = ContactHashes::new(by);
    for list in &all {
        background::scan_contacts(core, &list.uid, &READ, watch, &mut |id, row| {
            read.add_contact(id, &read_person(row)?);
            Ok(())
        })?;
    }
    let mut finding = GroupCollector::default();
    for (key, hashes) in std::mem::take(&mut read.keys) {
        check_cancelled(watch)?;
        for group in sort_hashes(&hashes).chunk_by(|a, b| a.0 == b.0) {
            let confidence = read.confidence(key, group);
            finding.add(key, confidence, group.iter().map(|(_, row)| read.ids[*row as usize]));
        }
    }
    if let Some(numbers) = read.numbers.take() {
        add_numbers(&mut finding, &read, &numbers);
    }
    let mut left_out = Vec::new();
    if by.contains(&DuplicateKey::Near) {
        match read.near.take() {
            Some(near) => add_near(&mut finding, &read, &near, watch)?,
            None => left_out.push(DuplicateKey::Near),
        }
    }
    check_cancelled(watch)?;
    let mut groups = finding.into_groups(before, left_out);
    for id in &read.ids {
        groups.merged.remove(id);
    }
    Ok(groups)
}

/// Returns the non-zero hashes with their rows, with equal hashes next to each other.
fn sort_hashes(hashes: &[u64]) -> Vec<(u64, u32)> {
    let known = hashes.iter().enumerate().filter(|(_, hash)| **hash != 0);
    let mut sorted: Vec<(u64, u32)> = known.map(|(row, hash)| (*hash, row as u32)).collect();
    sorted.sort_unstable();
    sorted
}

/// Adds contacts with similar names at the same place, and with similar addresses under the same name. The house number
/// must be the same.
fn add_near(finding: &mut GroupCollector, read: &ContactHashes, near: &NearTexts, watch: &Arc<Watch>) -> Result<()> {
    let mut joined = JoinedRows::new(read.ids.len());
    near::join_similar(&mut joined, &near.names, &sort_hashes(&near.places), 85, |_, _| true, watch)?;
    let same_house = |a: u32, b: u32| near.houses[a as usize] == near.houses[b as usize];
    near::join_similar(&mut joined, &near.addresses, &sort_hashes(&read.names), 80, same_house, watch)?;
    add_joined(finding, read, DuplicateKey::Near, &mut joined);
    Ok(())
}

/// Adds contacts that share a number, whether as phone number or as WhatsApp number.
fn add_numbers(finding: &mut GroupCollector, read: &ContactHashes, numbers: &[[u64; 2]]) {
    let mut joined = JoinedRows::new(read.ids.len());
    let both = numbers.iter().enumerate().flat_map(|(row, two)| two.map(|number| (number, row as u32)));
    let mut both: Vec<(u64, u32)> = both.filter(|(number, _)| *number != 0).collect();
    both.sort_unstable();
    for same in both.chunk_by(|a, b| a.0 == b.0) {
        same.windows(2).for_each(|two| joined.join(two[0].1, two[1].1, 100));
    }
    add_joined(finding, read, DuplicateKey::Number, &mut joined);
}

fn add_joined(finding: &mut GroupCollector, read: &ContactHashes, key: DuplicateKey, joined: &mut JoinedRows) {
    let mut rows: Vec<(u64, u32)> =
        (0..read.ids.len() as u32).map(|row| (u64::from(joined.find_root(row)), row)).collect();
    rows.sort_unstable();
    for group in rows.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        let confidence = joined.confidence(group[0].0 as u32).min(read.confidence(key, group));
        finding.add(key, confidence, group.iter().map(|(_, row)| read.ids[*row as usize]));
    }
}

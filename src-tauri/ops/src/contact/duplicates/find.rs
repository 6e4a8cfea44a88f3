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
    groups::{Finding, Groups},
    keys::{DuplicateKey, Person, READ},
    near::{self, Joined, Texts},
};
use crate::{
    contact::run::{self, check},
    core::Core,
    error::{OrNotFound, Result},
};

/// The data remembered of every contact. A hash of 0 stands for a missing value.
#[derive(Default)]
struct Read {
    ids: Vec<i64>,
    names: Vec<u64>,
    born: Vec<u32>,
    /// The hashes of each requested key.
    keys: Vec<(DuplicateKey, Vec<u64>)>,
    /// The hashes of the phone number and the WhatsApp number.
    numbers: Option<Vec<[u64; 2]>>,
    near: Option<Near>,
}

#[derive(Default)]
struct Near {
    names: Texts,
    addresses: Texts,
    places: Vec<u64>,
    houses: Vec<u32>,
}

fn hash(text: &str) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish().max(1)
}

pub(super) fn person<'r>(row: &'r Row) -> StoreResult<Person<'r>> {
    let mut person = Person::default();
    for (at, slot) in person.0.iter_mut().enumerate() {
        *slot = run::text(row, at)?;
    }
    Ok(person)
}

impl Read {
    fn new(by: &[DuplicateKey]) -> Self {
        let hashed = by.iter().filter(|key| !matches!(key, DuplicateKey::Near | DuplicateKey::Number));
        Self {
            keys: hashed.map(|key| (*key, Vec::new())).collect(),
            numbers: by.contains(&DuplicateKey::Number).then(Vec::new),
            near: by.contains(&DuplicateKey::Near).then(Near::default),
            ..Self::default()
        }
    }

    fn add(&mut self, id: i64, person: &Person) {
        let folded = person.folded();
        self.ids.push(id);
        self.names.push(person.key(DuplicateKey::Name, &folded).map_or(0, |name| hash(&name)));
        self.born.push(person.0[READ.len() - 1].map_or(0, |born| hash(born.trim()) as u32));
        for (key, hashes) in &mut self.keys {
            hashes.push(person.key(*key, &folded).map_or(0, |text| hash(&text)));
        }
        if let Some(numbers) = &mut self.numbers {
            numbers.push([0, 1].map(|at| person.0[at].map_or(0, hash)));
        }
        if let Some(near) = &mut self.near {
            near.names.push(&folded.name);
            near.addresses.push(&folded.address);
            near.places.push(hash(&folded.place));
            near.houses.push(hash(&folded.house) as u32);
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
pub(super) fn found(
    core: &Core,
    list: Option<&ListId>,
    by: &[DuplicateKey],
    before: &Groups,
    watch: &Arc<Watch>,
) -> Result<Groups> {
    let mut all = core.read(|tx| match list {
        Some(list) => Ok(vec![lists::get(tx, list)?.or_not_found(Noun::List, list)?]),
        None => Ok(lists::all(tx)?),
    })?;
    all.retain(|list| list.contact_count > 0);
    let total = all.iter().map(|list| list.contact_count).sum();
    watch.will_change(total);
    let mut read = Read::new(by);
    for list in &all {
        run::each(core, &list.uid, &READ, watch, &mut |id, row| {
            read.add(id, &person(row)?);
            Ok(())
        })?;
    }
    let mut finding = Finding::default();
    for (key, hashes) in std::mem::take(&mut read.keys) {
        check(watch)?;
        for group in sorted(&hashes).chunk_by(|a, b| a.0 == b.0) {
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
    check(watch)?;
    Ok(finding.done(before, left_out))
}

/// Returns the non-zero hashes with their rows, with equal hashes next to each other.
fn sorted(hashes: &[u64]) -> Vec<(u64, u32)> {
    let known = hashes.iter().enumerate().filter(|(_, hash)| **hash != 0);
    let mut sorted: Vec<(u64, u32)> = known.map(|(row, hash)| (*hash, row as u32)).collect();
    sorted.sort_unstable();
    sorted
}

/// Adds contacts with similar names at the same place, and with similar addresses under the same name. The house number
/// must be the same.
fn add_near(finding: &mut Finding, read: &Read, near: &Near, watch: &Arc<Watch>) -> Result<()> {
    let mut joined = Joined::new(read.ids.len());
    near::join(&mut joined, &near.names, &sorted(&near.places), 85, |_, _| true, watch)?;
    let same_house = |a: u32, b: u32| near.houses[a as usize] == near.houses[b as usize];
    near::join(&mut joined, &near.addresses, &sorted(&read.names), 80, same_house, watch)?;
    add_joined(finding, read, DuplicateKey::Near, &mut joined);
    Ok(())
}

/// Adds contacts that share a number, whether as phone number or as WhatsApp number.
fn add_numbers(finding: &mut Finding, read: &Read, numbers: &[[u64; 2]]) {
    let mut joined = Joined::new(read.ids.len());
    let both = numbers.iter().enumerate().flat_map(|(row, two)| two.map(|number| (number, row as u32)));
    let mut both: Vec<(u64, u32)> = both.filter(|(number, _)| *number != 0).collect();
    both.sort_unstable();
    for same in both.chunk_by(|a, b| a.0 == b.0) {
        same.windows(2).for_each(|two| joined.join(two[0].1, two[1].1, 100));
    }
    add_joined(finding, read, DuplicateKey::Number, &mut joined);
}

fn add_joined(finding: &mut Finding, read: &Read, key: DuplicateKey, joined: &mut Joined) {
    let mut rows: Vec<(u64, u32)> = (0..read.ids.len() as u32).map(|row| (u64::from(joined.root(row)), row)).collect();
    rows.sort_unstable();
    for group in rows.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        let confidence = joined.confidence(group[0].0 as u32).min(read.confidence(key, group));
        finding.add(key, confidence, group.iter().map(|(_, row)| read.ids[*row as usize]));
    }
}

//! Verifies by reading that a job of the service is done: decides what to read and when to read again, and judges the
//! result.

use std::{collections::BTreeSet, ops::RangeInclusive};

use serde::Serialize;

use crate::{
    plan::Item,
    row::{Field, Row, same_but_for_form},
};

/// The fate of a value that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    Arrived,
    /// The value arrived in the service's form, which becomes the value from now on.
    Normalised,
    /// The value is still the previous one.
    Pending,
    /// Somebody wrote after us.
    Overwritten,
}

/// Judges one value. `ran` says that the job is known to have processed this contact, so that nothing is pending any
/// more.
pub fn fate(field: Field, before: Option<&str>, sent: Option<&str>, seen: Option<&str>, ran: bool) -> Fate {
    if seen == sent {
        return Fate::Arrived;
    }
    if seen == before && !ran {
        return Fate::Pending;
    }
    match (sent, seen) {
        (Some(sent), Some(seen)) if same_but_for_form(field, sent, seen) => Fate::Normalised,
        _ => Fate::Overwritten,
    }
}

/// The fate of one contact of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Folded {
    /// Both sides have it, so the base moves to the observed row. A value that only changed its form is taken over
    /// locally.
    Verified { normalised: Vec<(Field, String)> },
    /// The contact is not there yet, or does not have the values yet.
    Pending,
    /// Another value is in the place of ours: a conflict.
    Overwritten { fields: Vec<Field> },
}

/// Compares the sent values with those that the service shows. Fields that were not sent are taken as they are.
pub fn fold(item: &Item, seen: Option<&Row>, ran: bool) -> Folded {
    let Some(seen) = seen else { return Folded::Pending };
    let before = |field: Field| item.before.as_ref().and_then(|row| row.get(field));
    let written = item.send.iter().map(|(field, text)| (field, Some(text)));
    let (mut normalised, mut overwritten, mut pending) = (Vec::new(), Vec::new(), false);
    for (field, sent) in written.chain(item.clear.iter().map(|field| (*field, None))) {
        match fate(field, before(field), sent, seen.get(field), ran) {
            Fate::Arrived => {}
            Fate::Normalised => normalised.extend(seen.get(field).map(|text| (field, text.to_owned()))),
            Fate::Pending => pending = true,
            Fate::Overwritten => overwritten.push(field),
        }
    }
    if !overwritten.is_empty() {
        Folded::Overwritten { fields: overwritten }
    } else if pending {
        Folded::Pending
    } else {
        Folded::Verified { normalised }
    }
}

/// Returns whether the contact looks different after the job than before it.
fn shows(item: &Item) -> bool {
    item.before.as_ref() != Some(&item.expect)
}

/// Chooses the contacts to read first: the first, the last and √n of the rest, preferring those that show a difference.
pub fn canaries(items: &[Item], seed: u64) -> Vec<usize> {
    let telling: Vec<usize> = (0..items.len()).filter(|at| shows(&items[*at])).collect();
    let from = if telling.is_empty() { (0..items.len()).collect() } else { telling };
    let (Some(first), Some(last)) = (from.first(), from.last()) else { return Vec::new() };
    let mut chosen = BTreeSet::from([*first, *last]);
    let wanted = (items.len().isqrt() + 2).min(from.len());
    let mut state = seed;
    while chosen.len() < wanted {
        // SplitMix64 is evenly distributed and gives the same sequence for the same seed.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        chosen.insert(from[((mixed ^ (mixed >> 31)) % from.len() as u64) as usize]);
    }
    chosen.into_iter().collect()
}

/// The result of one read of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Milliseconds since the request was accepted.
    pub at: u64,
    pub total: u64,
    pub canaries_there: u32,
    pub canaries: u32,
}

/// The next step of the verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    LookAt(u64),
    /// The job was applied, or another writer is at work. Now every row is compared.
    CheckAll,
    /// The job may never take effect, so the user decides.
    InDoubt,
}

/// Watches one list after a request was accepted. Times are milliseconds since then.
#[derive(Debug, Clone)]
pub struct Watch {
    /// The number of contacts that the list may have once the whole job arrived.
    wanted: RangeInclusive<u64>,
    /// The time at which the job should be done, by the speed learnt of this service.
    learnt: u64,
    looks: u32,
    best: u32,
    progress_at: u64,
    total: Option<u64>,
}

const WAITS: [u64; 7] = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000];
const PATIENCE: u64 = 600_000;

impl Watch {
    pub fn new(wanted: RangeInclusive<u64>, rows: u64, rows_per_second: u32) -> Self {
        let learnt = rows.saturating_mul(1_000) / u64::from(rows_per_second.max(1));
        Self { wanted, learnt, looks: 0, best: 0, progress_at: 0, total: None }
    }

    /// Returns when to read first: not before the job can be done, but for long jobs no later than the usual schedule.
    pub fn first(&self) -> u64 {
        self.learnt.clamp(200, WAITS[0])
    }

    /// Records a read of the list and decides how to go on.
    pub fn see(&mut self, look: Look) -> Next {
        let wait = WAITS[(self.looks as usize).min(WAITS.len() - 1)];
        self.looks += 1;
        if look.canaries_there > self.best {
            (self.best, self.progress_at) = (look.canaries_there, look.at);
        }
        let is_moving = self.total.replace(look.total) != Some(look.total);
        if look.canaries_there == look.canaries {
            // Jobs behind those of the canaries may still add contacts. Comparing every contact takes many calls, so it
            // waits for them.
            let is_under_way = !self.wanted.contains(&look.total) && is_moving && look.at < 2 * self.learnt;
            if !is_under_way {
                return Next::CheckAll;
            }
        }
        let quiet = look.at.saturating_sub(self.progress_at);
        if quiet >= PATIENCE && look.at >= 2 * self.learnt {
            return Next::InDoubt;
        }
        let next = look.at + wait;
        // Do not wait past the time at which the job should be done.
        Next::LookAt(if look.at < self.learnt { next.min(self.learnt.max(look.at + 200)) } else { next })
    }
}

#[cfg(test)]
mod tests {
    use roost_model::contact::Attribute;

    use super::*;

    const FIRST: Field = Field::Attribute(Attribute::Firstname);

    fn item(id: i64, before: Option<&str>, sent: &str) -> Item {
        let row = |text: &str| Row::default().with(Field::Phone, "+447700900001").with(FIRST, text);
        Item { id, send: row(sent), clear: vec![], before: before.map(row), expect: row(sent) }
    }

    #[test]
    fn a_value_arrived_or_waits_or_was_put_in_form_or_overwritten() {
        let told = |seen, ran| fate(FIRST, Some("old"), Some("New "), seen, ran);
        assert_eq!(told(Some("New "), false), Fate::Arrived);
        assert_eq!(told(Some("NEW"), false), Fate::Normalised);
        assert_eq!(told(Some("old"), false), Fate::Pending);
        assert_eq!(told(Some("old"), true), Fate::Overwritten);
        assert_eq!(told(Some("other"), false), Fate::Overwritten);
        assert_eq!(told(None, false), Fate::Overwritten);
        assert_eq!(fate(FIRST, Some("A"), Some("a"), Some("A"), false), Fate::Pending);
        assert_eq!(fate(FIRST, Some("A"), Some("a"), Some("A"), true), Fate::Normalised, "the service's own form");
    }

    #[test]
    fn a_contact_is_folded_by_what_was_written_alone() {
        let sent = item(1, Some("old"), "new");
        let seen = sent.expect.clone().with(Field::Custom(1), "theirs");
        assert_eq!(fold(&sent, Some(&seen), false), Folded::Verified { normalised: vec![] });
        assert_eq!(fold(&sent, sent.before.as_ref(), false), Folded::Pending);
        assert_eq!(fold(&sent, None, false), Folded::Pending);
        let other = sent.expect.clone().with(FIRST, "third");
        assert_eq!(fold(&sent, Some(&other), false), Folded::Overwritten { fields: vec![FIRST] });
    }

    #[test]
    fn canaries_are_the_ends_and_some_between_that_show_something() {
        let mut items: Vec<Item> = (0..100).map(|id| item(id, Some("same"), "same")).collect();
        assert_eq!(canaries(&items, 7).len(), 12, "any will do when none shows anything");
        for changed in &mut items[20..80] {
            *changed = item(changed.id, Some("old"), "new");
        }
        let chosen = canaries(&items, 7);
        assert_eq!((chosen.first(), chosen.last(), chosen.len()), (Some(&20), Some(&79), 12));
        assert_eq!(chosen, canaries(&items, 7), "the same for the same seed");
        assert_ne!(chosen, canaries(&items, 8));
        assert!(canaries(&[], 7).is_empty());
    }

    fn look(at: u64, there: u32, total: u64) -> Look {
        Look { at, total, canaries_there: there, canaries: 3 }
    }

    #[test]
    fn every_contact_is_compared_as_soon_as_the_canaries_and_the_total_agree() {
        let mut watch = Watch::new(9..=10, 5, 1_000);
        assert_eq!(watch.see(look(200, 2, 9)), Next::LookAt(1_200), "not all canaries");
        assert_eq!(watch.see(look(1_200, 3, 9)), Next::CheckAll);
        assert_eq!(Watch::new(10..=10, 5, 1_000).see(look(1_000, 3, 11)), Next::CheckAll, "another writer");
        let mut long = Watch::new(20_000..=20_000, 20_000, 1_000);
        assert_eq!(long.see(look(1_000, 3, 10_000)), Next::LookAt(2_000), "the second job is still to come");
        assert_eq!(long.see(look(2_000, 3, 15_000)), Next::LookAt(4_000), "it moves");
        assert_eq!(long.see(look(4_000, 3, 15_000)), Next::CheckAll, "nothing moves any more");
        assert_eq!(long.see(look(40_000, 3, 16_000)), Next::CheckAll, "it moves for longer than jobs take");
    }

    #[test]
    fn patience_grows_and_ends() {
        let mut watch = Watch::new(10..=10, 5, 1_000);
        let (mut at, mut looks) = (watch.first(), 0);
        let ended = loop {
            looks += 1;
            match watch.see(look(at, 1, 5)) {
                Next::LookAt(next) => {
                    assert!(next > at && next - at <= 60_000, "{at} to {next}");
                    at = next;
                }
                other => break other,
            }
        };
        assert_eq!(ended, Next::InDoubt);
        assert!((600_000..=720_000).contains(&at) && looks < 20, "{at} ms, {looks} looks");
        let mut slow = Watch::new(10..=10, 2_000_000, 1_000);
        assert_eq!(slow.first(), 1_000);
        assert!(matches!(slow.see(look(700_000, 0, 5)), Next::LookAt(_)), "twice the learnt time is not over");
    }
}

//! Verifies by reading that a job of the service is done: decides what to read and when to read again, and judges the
//! result.

use std::{collections::BTreeSet, ops::RangeInclusive};

use serde::Serialize;

use crate::{
    plan::ContactItem,
    row::{ContactRow, SyncField, differs_only_in_form},
};

/// The fate of a value that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueFate {
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
pub fn judge_value(
    field: SyncField,
    before: Option<&str>,
    sent: Option<&str>,
    seen: Option<&str>,
    ran: bool,
) -> ValueFate {
    if seen == sent {
        return ValueFate::Arrived;
    }
    if seen == before && !ran {
        return ValueFate::Pending;
    }
    match (sent, seen) {
        (Some(sent), Some(seen)) if differs_only_in_form(field, sent, seen) => ValueFate::Normalised,
        _ => ValueFate::Overwritten,
    }
}

/// The fate of one contact of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemFate {
    /// Both sides have it, so the base moves to the observed row. A value that only changed its form is taken over
    /// locally.
    Verified { normalised: Vec<(SyncField, String)> },
    /// The contact is not there yet, or does not have the values yet.
    Pending,
    /// Another value is in the place of ours: a conflict.
    Overwritten { fields: Vec<SyncField> },
}

/// Compares the sent values with those that the service shows. Fields that were not sent are taken as they are.
pub fn judge_item(item: &ContactItem, seen: Option<&ContactRow>, ran: bool) -> ItemFate {
    let Some(seen) = seen else { return ItemFate::Pending };
    let before = |field: SyncField| item.before.as_ref().and_then(|row| row.get(field));
    let written = item.send.iter().map(|(field, text)| (field, Some(text)));
    let (mut normalised, mut overwritten, mut pending) = (Vec::new(), Vec::new(), false);
    for (field, sent) in written.chain(item.clear.iter().map(|field| (*field, None))) {
        match judge_value(field, before(field), sent, seen.get(field), ran) {
            ValueFate::Arrived => {}
            ValueFate::Normalised => normalised.extend(seen.get(field).map(|text| (field, text.to_owned()))),
            ValueFate::Pending => pending = true,
            ValueFate::Overwritten => overwritten.push(field),
        }
    }
    if !overwritten.is_empty() {
        ItemFate::Overwritten { fields: overwritten }
    } else if pending {
        ItemFate::Pending
    } else {
        ItemFate::Verified { normalised }
    }
}

/// Returns whether the contact looks different after the job than before it.
fn shows_difference(item: &ContactItem) -> bool {
    item.before.as_ref() != Some(&item.expect)
}

/// Chooses the contacts to read first: the first, the last and √n of the rest, preferring those that show a difference.
pub fn choose_canaries(items: &[ContactItem], seed: u64) -> Vec<usize> {
    let telling: Vec<usize> = (0..items.len()).filter(|at| shows_difference(&items[*at])).collect();
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
pub struct ListObservation {
    /// Milliseconds since the request was accepted.
    pub at: u64,
    pub total: u64,
    pub canaries_there: u32,
    pub canaries: u32,
}

/// The next step of the verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchDecision {
    ReadAt(u64),
    /// The job was applied, or another writer is at work. Now every row is compared.
    CheckAll,
    /// The job may never take effect, so the user decides.
    InDoubt,
}

/// Watches one list after a request was accepted. Times are milliseconds since then.
#[derive(Debug, Clone)]
pub struct ArrivalWatch {
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

impl ArrivalWatch {
    pub fn new(wanted: RangeInclusive<u64>, rows: u64, rows_per_second: u32) -> Self {
        let learnt = rows.saturating_mul(1_000) / u64::from(rows_per_second.max(1));
        Self { wanted, learnt, looks: 0, best: 0, progress_at: 0, total: None }
    }

    /// Returns when to read first: not before the job can be done, but for long jobs no later than the usual schedule.
    pub fn first_read_at(&self) -> u64 {
        self.learnt.clamp(200, WAITS[0])
    }

    /// Records a read of the list and decides how to go on.
    pub fn observe(&mut self, look: ListObservation) -> WatchDecision {
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
                return WatchDecision::CheckAll;
            }
        }
        let quiet = look.at.saturating_sub(self.progress_at);
        if quiet >= PATIENCE && look.at >= 2 * self.learnt {
            return WatchDecision::InDoubt;
        }
        let next = look.at + wait;
        // Do not wait past the time at which the job should be done.
        WatchDecision::ReadAt(if look.at < self.learnt { next.min(self.learnt.max(look.at + 200)) } else { next })
    }
}

#[cfg(test)]
mod tests {
    use roost_model::contact::Attribute;

    use super::*;

    const FIRST: SyncField = SyncField::Attribute(Attribute::Firstname);

    fn build_item(id: i64, before: Option<&str>, sent: &str) -> ContactItem {
        let row =
            |text: &str| ContactRow::default().with_value(SyncField::Phone, "+447700900001").with_value(FIRST, text);
        ContactItem { id, send: row(sent), clear: vec![], before: before.map(row), expect: row(sent) }
    }

    #[test]
    fn a_value_arrived_or_waits_or_was_put_in_form_or_overwritten() {
        let judge = |seen, ran| judge_value(FIRST, Some("old"), Some("New "), seen, ran);
        assert_eq!(judge(Some("New "), false), ValueFate::Arrived);
        assert_eq!(judge(Some("NEW"), false), ValueFate::Normalised);
        assert_eq!(judge(Some("old"), false), ValueFate::Pending);
        assert_eq!(judge(Some("old"), true), ValueFate::Overwritten);
        assert_eq!(judge(Some("other"), false), ValueFate::Overwritten);
        assert_eq!(judge(None, false), ValueFate::Overwritten);
        assert_eq!(judge_value(FIRST, Some("A"), Some("a"), Some("A"), false), ValueFate::Pending);
        assert_eq!(
            judge_value(FIRST, Some("A"), Some("a"), Some("A"), true),
            ValueFate::Normalised,
            "the service's own form"
        );
    }

    #[test]
    fn a_contact_is_folded_by_what_was_written_alone() {
        let sent = build_item(1, Some("old"), "new");
        let seen = sent.expect.clone().with_value(SyncField::Custom(1), "theirs");
        assert_eq!(judge_item(&sent, Some(&seen), false), ItemFate::Verified { normalised: vec![] });
        assert_eq!(judge_item(&sent, sent.before.as_ref(), false), ItemFate::Pending);
        assert_eq!(judge_item(&sent, None, false), ItemFate::Pending);
        let other = sent.expect.clone().with_value(FIRST, "third");
        assert_eq!(judge_item(&sent, Some(&other), false), ItemFate::Overwritten { fields: vec![FIRST] });
    }

    #[test]
    fn canaries_are_the_first_the_last_and_some_other_items_that_changed() {
        let mut items: Vec<ContactItem> = (0..100).map(|id| build_item(id, Some("same"), "same")).collect();
        assert_eq!(choose_canaries(&items, 7).len(), 12, "any will do when none shows anything");
        for changed in &mut items[20..80] {
            *changed = build_item(changed.id, Some("old"), "new");
        }
        let chosen = choose_canaries(&items, 7);
        assert_eq!((chosen.first(), chosen.last(), chosen.len()), (Some(&20), Some(&79), 12));
        assert_eq!(chosen, choose_canaries(&items, 7), "the same for the same seed");
        assert_ne!(chosen, choose_canaries(&items, 8));
        assert!(choose_canaries(&[], 7).is_empty());
    }

    fn observe_list(at: u64, there: u32, total: u64) -> ListObservation {
        ListObservation { at, total, canaries_there: there, canaries: 3 }
    }

    #[test]
    fn every_contact_is_compared_as_soon_as_the_canaries_and_the_total_agree() {
        let mut watch = ArrivalWatch::new(9..=10, 5, 1_000);
        assert_eq!(watch.observe(observe_list(200, 2, 9)), WatchDecision::ReadAt(1_200), "not all canaries");
        assert_eq!(watch.observe(observe_list(1_200, 3, 9)), WatchDecision::CheckAll);
        assert_eq!(
            ArrivalWatch::new(10..=10, 5, 1_000).observe(observe_list(1_000, 3, 11)),
            WatchDecision::CheckAll,
            "another writer"
        );
        let mut long = ArrivalWatch::new(20_000..=20_000, 20_000, 1_000);
        assert_eq!(
            long.observe(observe_list(1_000, 3, 10_000)),
            WatchDecision::ReadAt(2_000),
            "the second job is still to come"
        );
        assert_eq!(long.observe(observe_list(2_000, 3, 15_000)), WatchDecision::ReadAt(4_000), "it moves");
        assert_eq!(long.observe(observe_list(4_000, 3, 15_000)), WatchDecision::CheckAll, "nothing moves any more");
        assert_eq!(
            long.observe(observe_list(40_000, 3, 16_000)),
            WatchDecision::CheckAll,
            "it moves for longer than jobs take"
        );
    }

    #[test]
    fn patience_grows_and_ends() {
        let mut watch = ArrivalWatch::new(10..=10, 5, 1_000);
        let (mut at, mut looks) = (watch.first_read_at(), 0);
        let ended = loop {
            looks += 1;
            match watch.observe(observe_list(at, 1, 5)) {
                WatchDecision::ReadAt(next) => {
                    assert!(next > at && next - at <= 60_000, "{at} to {next}");
                    at = next;
                }
                other => break other,
            }
        };
        assert_eq!(ended, WatchDecision::InDoubt);
        assert!((600_000..=720_000).contains(&at) && looks < 20, "{at} ms, {looks} looks");
        let mut slow = ArrivalWatch::new(10..=10, 2_000_000, 1_000);
        assert_eq!(slow.first_read_at(), 1_000);
        assert!(
            matches!(slow.observe(observe_list(700_000, 0, 5)), WatchDecision::ReadAt(_)),
            "twice the learnt time is not over"
        );
    }
}

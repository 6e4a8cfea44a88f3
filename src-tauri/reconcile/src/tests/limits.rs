//! Tests invariants 8 and 9: no request is too large, and none is one too many.

use std::collections::{BTreeMap, BTreeSet};

use roost_model::contact::MergeType;

use super::{assert_always, world::World};
use crate::{
    ensure,
    input::{ContactChange, PlanInput, PlannedList, RemoteListState},
    plan::{ContactItem, PlanNotice, PlanStep, StepKind, SyncPlan, make_plan},
    row::{ContactKey, ContactRow, KeyKind, SyncField},
};

type ItemNumbers = Vec<(KeyKind, String)>;

/// Returns the numbers by which the service finds an item's contact.
fn item_numbers(merge: MergeType, item: &ContactItem) -> ItemNumbers {
    let read_key = |kind: KeyKind| item.send.get(kind.field()).map(|number| (kind, number.to_owned()));
    match merge {
        MergeType::MergeByPhone => read_key(KeyKind::Phone).into_iter().collect(),
        MergeType::MergeByWhatsapp => read_key(KeyKind::Whatsapp).into_iter().collect(),
        _ => KeyKind::ALL.into_iter().filter_map(read_key).collect(),
    }
}

fn comes_after(plan: &SyncPlan, later: u32, earlier: u32) -> bool {
    plan.steps[later as usize].after.iter().any(|before| *before == earlier || comes_after(plan, *before, earlier))
}

/// Returns the size of the item as the interface writes it.
fn item_bytes(item: &ContactItem) -> usize {
    let mut value = serde_json::to_value(&item.send).expect("texts only");
    for field in &item.clear {
        value[field.name().as_ref()] = serde_json::Value::Null;
    }
    value.to_string().len() + 1
}

#[test]
fn p08_every_request_keeps_the_limits() {
    assert_always(|tape| {
        let input = World::any_world(tape).gather_input();
        let made = make_plan(input.clone());
        let mut numbers: Vec<(i64, u32, ItemNumbers)> = Vec::new();
        for step in &made.steps {
            match &step.kind {
                StepKind::Contacts { list, merge, items, .. } => {
                    ensure!((1..=input.limits.rows).contains(&items.len()), "{} rows", items.len());
                    let size: usize = items.iter().map(item_bytes).sum::<usize>() + 1;
                    ensure!(items.len() == 1 || size <= input.limits.bytes, "{size} bytes");
                    for item in items {
                        let text_fits =
                            |(field, text): (SyncField, &str)| (1..=field.max_length()).contains(&text.chars().count());
                        ensure!(item.send.iter().all(text_fits), "{item:?}");
                        ensure!(!item_numbers(*merge, item).is_empty(), "no number in {item:?}");
                        numbers.push((*list, step.id, item_numbers(*merge, item)));
                    }
                }
                StepKind::OptOutDelete { numbers, .. } => {
                    ensure!((1..=input.limits.opt_out_chunk).contains(&numbers.len()), "{numbers:?}");
                }
                _ => {}
            }
        }
        for (at, (list, step, keys)) in numbers.iter().enumerate() {
            for (other_list, other, other_keys) in &numbers[..at] {
                let shared = list == other_list && keys.iter().any(|key| other_keys.contains(key));
                let apart = step != other && (comes_after(&made, *step, *other) || comes_after(&made, *other, *step));
                ensure!(!shared || apart, "{keys:?} in steps {step} and {other}");
            }
        }
        Ok(numbers.len() > 1)
    });
}

/// A request of an earlier run whose end nobody has seen could be overtaken, so its numbers are not sent again
/// meanwhile.
#[test]
fn p08_a_number_under_way_is_in_no_other_request() {
    assert_always(|tape| {
        let mut input = World::any_world(tape).gather_input();
        // A recreated list is a different one.
        input.lists.iter_mut().for_each(|list| list.choice = None);
        let rows = |change: &ContactChange| {
            let keys = [change.remote_row(), change.local.as_ref()].into_iter().flatten().flat_map(ContactRow::keys);
            keys.map(|key| (change.list, key)).collect::<Vec<_>>()
        };
        let mentioned: Vec<(i64, ContactKey)> = input.contacts.iter().flat_map(rows).collect();
        for _ in 0..1 + tape.below(2) {
            input.in_flight.extend((!mentioned.is_empty()).then(|| tape.pick(&mentioned)));
        }
        let made = make_plan(input.clone());
        for step in &made.steps {
            let StepKind::Contacts { list, items, .. } = &step.kind else { continue };
            for item in items {
                let rows = [Some(&item.send), item.before.as_ref(), Some(&item.expect)];
                let mut keys = rows.into_iter().flatten().flat_map(ContactRow::keys);
                let under_way = keys.find(|key| input.in_flight.contains(&(*list, key.clone())));
                ensure!(under_way.is_none(), "{under_way:?} is sent again by {step:#?}");
            }
        }
        Ok(made.notes.iter().any(|(_, notice)| *notice == PlanNotice::Waiting))
    });
}

/// Returns the ways in which an item could be sent, judged from the input alone.
fn possible_merges(input: &PlanInput, list: i64, step: MergeType, item: &ContactItem) -> BTreeSet<usize> {
    let facts = input.lists.iter().find(|one| one.id == list).expect("known");
    let count = |kind: KeyKind, number: &str| {
        facts.taken.iter().find(|(key, _)| key.kind == kind && key.number == number).map_or(0, |(_, count)| *count)
    };
    let finds = |kind: &KeyKind| match &item.before {
        Some(before) => before
            .get(kind.field())
            .is_some_and(|number| item.expect.get(kind.field()) == Some(number) && count(*kind, number) <= 1),
        None => item.expect.get(kind.field()).is_some(),
    };
    match step {
        MergeType::SkipDuplicates => [2].into(),
        MergeType::AllowDuplicates => [3].into(),
        _ => KeyKind::ALL.iter().filter(|kind| finds(kind)).map(|kind| *kind as usize).collect(),
    }
}

/// Counts the calls that read before a change and verify it afterwards: each list is read one by one or as a whole,
/// whichever is cheaper. Each number whose opt-out is removed is looked up before.
fn count_reads(input: &PlanInput, made: &SyncPlan) -> u64 {
    let look = |list: &PlannedList| {
        let (mut touched, mut rows) = (0, list.rows);
        let mut is_anew = false;
        for step in &made.steps {
            match &step.kind {
                StepKind::Contacts { list: other, items, .. } if *other == list.id => {
                    touched += items.len() as u64;
                    rows += items.iter().filter(|item| item.before.is_none()).count() as u64;
                }
                StepKind::ContactDelete { list: other, .. } if *other == list.id => {
                    touched += 1;
                    rows = rows.saturating_sub(1);
                }
                StepKind::Upload { list: other, count, .. } if *other == list.id => {
                    (is_anew, touched) = (true, touched + count);
                }
                _ => {}
            }
        }
        let rows = if is_anew { list.local_rows } else { rows };
        let sweep = if input.capabilities.all_pages_read { 1 } else { rows.div_ceil(input.limits.page).max(1) };
        // A list of several pages that is read as a whole is first asked for its time.
        let is_whole = rows > input.limits.page && touched >= rows.div_ceil(input.limits.page);
        touched.min(sweep) + u64::from(is_whole)
    };
    let before: u64 = made
        .steps
        .iter()
        .map(|step| match &step.kind {
            StepKind::OptOutDelete { numbers, .. } => numbers.len() as u64,
            StepKind::ContactDelete { .. } => 1,
            // The contacts of a list are compared before it is recreated or deleted, and counted right before a
            // deletion.
            StepKind::ListCreate { list, .. } | StepKind::ListDelete { list, .. } => {
                let old = input.lists.iter().find(|one| one.id == *list && one.uid.is_some());
                let old = old.filter(|list| list.there != RemoteListState::Gone);
                let is_deletion = matches!(step.kind, StepKind::ListDelete { .. });
                old.map_or(0, |list| {
                    let pages = if input.capabilities.all_pages_read {
                        1
                    } else {
                        list.rows.div_ceil(input.limits.page).max(1)
                    };
                    pages + u64::from(is_deletion)
                })
            }
            StepKind::Contacts { list, items, .. } => {
                let changed = items.iter().filter(|item| item.before.is_some()).count() as u64;
                let rows = input.lists.iter().find(|one| one.id == *list).map_or(0, |list| list.rows);
                let sweep = if input.capabilities.all_pages_read { 1 } else { rows.div_ceil(input.limits.page).max(1) };
                changed.min(sweep)
            }
            _ => 0,
        })
        .sum();
    before + input.lists.iter().map(look).sum::<u64>()
}

type ContactRequest<'a> = (&'a PlanStep, i64, MergeType, &'a Option<String>, &'a Vec<ContactItem>);

#[test]
fn p09_no_plan_with_fewer_calls_has_the_same_effect() {
    assert_always(|tape| {
        let input = World::any_world(tape).gather_input();
        let made = make_plan(input.clone());
        let contacts: Vec<ContactRequest<'_>> = made
            .steps
            .iter()
            .filter_map(|step| match &step.kind {
                StepKind::Contacts { list, merge, region, items } => Some((step, *list, *merge, region, items)),
                _ => None,
            })
            .collect();
        for (at, (step, list, merge, region, items)) in contacts.iter().enumerate() {
            for (other, other_list, other_merge, other_region, other_items) in &contacts[..at] {
                let alike = list == other_list && merge == other_merge && region == other_region;
                if !alike || comes_after(&made, step.id, other.id) {
                    continue;
                }
                let size: usize = items.iter().chain(other_items.iter()).map(item_bytes).sum::<usize>() + 1;
                let fits = items.len() + other_items.len() <= input.limits.rows && size <= input.limits.bytes;
                ensure!(!fits, "steps {} and {} could be one: {made:#?}", other.id, step.id);
            }
        }
        if input.limits.bytes > 1_000
            && contacts
                .iter()
                .all(|(step, ..)| !contacts.iter().any(|(other, ..)| comes_after(&made, step.id, other.id)))
        {
            let mut counts: BTreeMap<(i64, &Option<String>), [usize; 5]> = BTreeMap::new();
            for (_, list, merge, region, items) in &contacts {
                for item in *items {
                    let ways = possible_merges(&input, *list, *merge, item);
                    let way = if ways.len() == 2 { 4 } else { *ways.first().expect("one at least") };
                    counts.entry((*list, region)).or_default()[way] += 1;
                }
            }
            let calls = |rows: usize| rows.div_ceil(input.limits.rows);
            let least: usize = counts
                .values()
                .map(|[phone, whatsapp, skip, allow, both]| {
                    let split = (0..=*both).map(|x| calls(phone + x) + calls(whatsapp + both - x)).min();
                    split.unwrap_or(0) + calls(*skip) + calls(*allow)
                })
                .sum();
            ensure!(contacts.len() == least, "{} calls, {least} would do: {made:#?}", contacts.len());
        }
        let mut removals: BTreeMap<_, usize> = BTreeMap::new();
        let mut requests = 0;
        for step in &made.steps {
            if let StepKind::OptOutDelete { channel, asset, numbers } = &step.kind {
                *removals.entry((channel, asset)).or_default() += numbers.len();
                requests += 1;
            }
        }
        let least: usize = removals.values().map(|count| count.div_ceil(input.limits.opt_out_chunk)).sum();
        ensure!(requests == least, "{requests} removals, {least} would do");
        // Numbers are removed one by one, each read again just before.
        let writes = made.steps.len() - requests + removals.values().sum::<usize>();
        ensure!(made.cost.writes == writes as u64, "the price tells {}", made.cost.writes);
        let reads = count_reads(&input, &made);
        ensure!(made.cost.reads == reads, "{} looks are priced, it takes {reads}: {made:#?}", made.cost.reads);
        Ok(contacts.len() > 1)
    });
}

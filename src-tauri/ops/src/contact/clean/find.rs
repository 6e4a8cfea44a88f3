//! Searches a list in two passes: the first learns from the contacts, the second checks each contact.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use roost_model::{
    contact::{Attribute, ContactField},
    id::ListId,
};
use roost_store::{
    change_log::Noun,
    tables::{custom_fields, lists},
    watch::Watch,
};

use super::{
    CleanKind, Found, Suggestion,
    facts::{Facts, LEARNT},
    judge::Judge,
};
use crate::{
    contact::{
        grid::edit::cells::{Item, STRETCH, Sheet, Tally},
        run,
    },
    core::Core,
    error::{OrNotFound, Result},
};

/// Returns every field that a person can fill in.
fn judged(custom: &[u32]) -> Vec<ContactField> {
    let numbers = [ContactField::PhoneNumber, ContactField::WhatsappId];
    let texts = Attribute::ALL.map(ContactField::Attribute);
    numbers.into_iter().chain(texts).chain(custom.iter().map(|number| ContactField::Custom(*number))).collect()
}

pub(super) fn found(core: &Core, list: &ListId, before: &Found, watch: &Arc<Watch>) -> Result<Found> {
    let (sheet, fields, count) = core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let fields = judged(&custom_fields::numbers(tx)?);
        let count = lists::get(tx, list)?.map_or(0, |list| list.contact_count);
        Ok((Sheet::new(tx, core.ctx(), row, &fields, &[], None)?, fields, count))
    })?;
    watch.will_change(count * 2);
    let (mut facts, mut ids) = (Facts::default(), Vec::with_capacity(count as usize));
    run::each(core, list, &LEARNT, watch, &mut |id, row| {
        ids.push(id);
        facts.learn(row)
    })?;
    // Rows that are adjacent in the file are read faster.
    ids.sort_unstable();
    let judge = Judge::new(&sheet, &facts, &fields);
    let by_kind: Mutex<BTreeMap<(CleanKind, usize), Vec<u32>>> = Mutex::default();
    for (part, ids) in ids.chunks(STRETCH).enumerate() {
        let place = |at: usize| (part * STRETCH + at) as u32;
        let items: Vec<Item> =
            ids.iter().enumerate().map(|(at, id)| Item { id: *id, row: place(at), n: place(at), first: 0 }).collect();
        core.scan(watch, 1, |tx| {
            let by_kind = &mut *by_kind.lock().unwrap_or_else(PoisonError::into_inner);
            sheet.judged(tx, &items, watch, &mut Tally::default(), &mut |item, seen, _| {
                judge.all(seen, |kind, field| by_kind.entry((kind, field)).or_default().push(item.n));
                Ok(())
            })?;
            Ok(())
        })?;
        watch.add_rows(items.len() as u64);
    }
    let by_kind = by_kind.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut suggestions: Vec<Suggestion> = by_kind
        .into_iter()
        .map(|((kind, field), rows)| Suggestion {
            kind,
            field: fields[field],
            rows,
            generation: 0,
            mended: 0,
            is_skipped: before.skipped.contains(&(kind, fields[field])),
        })
        .collect();
    // The sort is stable: suggestions with the same number of contacts stay in the order of their kinds.
    suggestions.sort_by_key(|one| std::cmp::Reverse(one.rows.len()));
    Ok(Found {
        facts: Arc::new(facts),
        ids: Arc::new(ids),
        suggestions,
        first: before.first + before.suggestions.len() as u64,
        skipped: before.skipped.clone(),
    })
}

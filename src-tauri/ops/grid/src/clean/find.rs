//! Searches a list in two passes: the first learns from the contacts, the second checks each contact.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use roost_model::id::ListId;
use roost_store::{
    change_log::Noun,
    tables::{custom_fields, lists},
    watch::Watch,
};

use super::{
    CleanFindings, CleanKind, Suggestion,
    facts::{LEARNT, TextFacts},
    rules::CleanRules,
};
use roost_ops::{
    core::Core,
    error::{OrNotFound, Result},
};

use crate::{
    background,
    grid::{
        edit::cells::{CHUNK_ROWS, EditSheet, EditTally, TargetRow},
        fillable_fields,
    },
};

pub(super) fn find_suggestions(
    core: &Core,
    list: &ListId,
    before: &CleanFindings,
    watch: &Arc<Watch>,
) -> Result<CleanFindings> {
    let (sheet, fields, count) = core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let fields: Vec<_> = fillable_fields(&custom_fields::defined_numbers(tx)?).collect();
        let count = lists::get(tx, list)?.map_or(0, |list| list.contact_count);
        Ok((EditSheet::new(tx, core.ctx(), row, &fields, &[], None)?, fields, count))
    })?;
    watch.set_expected(count * 2);
    let (mut facts, mut ids) = (TextFacts::default(), Vec::with_capacity(count as usize));
    background::scan_contacts(core, list, &LEARNT, watch, &mut |id, row| {
        ids.push(id);
        facts.learn_from_row(row)
    })?;
    // Rows that are adjacent in the file are read faster.
    ids.sort_unstable();
    let judge = CleanRules::new(&sheet, &facts, &fields);
    let by_kind: Mutex<BTreeMap<(CleanKind, usize), Vec<u32>>> = Mutex::default();
    for (part, ids) in ids.chunks(CHUNK_ROWS).enumerate() {
        let place = |at: usize| (part * CHUNK_ROWS + at) as u32;
        let items: Vec<TargetRow> = ids
            .iter()
            .enumerate()
            .map(|(at, id)| TargetRow { id: *id, row: place(at), n: place(at), first: 0 })
            .collect();
        core.scan(watch, 1, |tx| {
            let by_kind = &mut *by_kind.lock().unwrap_or_else(PoisonError::into_inner);
            sheet.collect_changes(tx, &items, watch, &mut EditTally::default(), &mut |item, seen, _| {
                judge.find_all(seen, |kind, field| by_kind.entry((kind, field)).or_default().push(item.n));
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
            fixed: 0,
            is_skipped: before.skipped.contains(&(kind, fields[field])),
        })
        .collect();
    // The sort is stable: suggestions with the same number of contacts stay in the order of their kinds.
    suggestions.sort_by_key(|one| std::cmp::Reverse(one.rows.len()));
    Ok(CleanFindings {
        facts: Arc::new(facts),
        ids: Arc::new(ids),
        suggestions,
        first: before.first + before.suggestions.len() as u64,
        skipped: before.skipped.clone(),
    })
}

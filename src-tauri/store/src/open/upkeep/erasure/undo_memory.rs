//! Erases what the undo memory holds. A row about the person is replaced by a gap, so that its step can still be undone
//! for everybody else; a step about the person alone is forgotten.

use std::collections::BTreeSet;

use rusqlite::{params, types::ValueRef};

use super::{
    Eraser,
    person::{CONTACTS, ErasedPerson},
};
use crate::{
    error::Result,
    row_recorder::{
        self, DELETED, ERASED_ROW, INSERTED_RANGE, SWAPPED_IN_PLACE, UPDATED, row_encoding,
        tracked_tables::TrackedTable,
    },
};

const DRAFTS: &str = "drafts";
/// The position of the contact in a row of the drafts table.
const CONTACT_OF_DRAFT: usize = 1;

impl Eraser<'_> {
    pub(super) fn erase_undo_memory(&mut self, person: &ErasedPerson) -> Result<()> {
        if !self.has_table("row_changes") {
            return Ok(());
        }
        let (found, steps) = self.find_rows(person)?;
        let mut gap =
            self.tx.conn().prepare_cached("UPDATE row_changes SET kind = ?2, key = 0, data = NULL WHERE id = ?1")?;
        for id in &found {
            gap.execute(params![id, ERASED_ROW])?;
        }
        self.counts.add_erased("row_changes", found.len());
        for step in steps {
            if self.has_more(step)? {
                self.counts.steps_with_gaps += 1;
            } else {
                self.forget_step(step)?;
                self.counts.steps_forgotten += 1;
            }
        }
        Ok(())
    }

    /// Returns the remembered rows that are about the person or mention the number, and their steps.
    fn find_rows(&self, person: &ErasedPerson) -> Result<(Vec<i64>, BTreeSet<i64>)> {
        let drafts = self.find_drafts(person)?;
        let draft_place = TrackedTable::find_by_name(DRAFTS).map(|table| i64::from(table.number));
        let (mut found, mut steps) = (Vec::new(), BTreeSet::new());
        let mut statement = self.tx.conn().prepare("SELECT id, step, place, kind, key, data FROM row_changes")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, step, place, kind): (i64, i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            if matches!(kind, INSERTED_RANGE | ERASED_ROW | SWAPPED_IN_PLACE) {
                continue;
            }
            let key = row.get_ref(4)?.as_i64().ok();
            let is_of_person = key.is_some_and(|key| {
                place == i64::from(CONTACTS) && person.contacts.contains(&key)
                    || Some(place) == draft_place && drafts.contains(&key)
            });
            let mentions = match row.get_ref(5)? {
                ValueRef::Blob(data) => self.wanted.is_in_change(kind, data),
                _ => false,
            };
            if is_of_person || mentions || self.wanted.is_in(row.get_ref(4)?) {
                found.push(id);
                steps.insert(step);
            }
        }
        Ok((found, steps))
    }

    /// Returns the drafts of the contacts, also those that are remembered as deleted.
    fn find_drafts(&self, person: &ErasedPerson) -> Result<BTreeSet<i64>> {
        let Some(place) = TrackedTable::find_by_name(DRAFTS) else { return Ok(BTreeSet::new()) };
        let mut statement =
            self.tx.conn().prepare("SELECT key, data FROM row_changes WHERE place = ?1 AND kind = ?2")?;
        let mut rows = statement.query(params![place.number, DELETED])?;
        let mut drafts = person.drafts.clone();
        while let Some(row) = rows.next()? {
            let ValueRef::Blob(data) = row.get_ref(1)? else { continue };
            let values = row_encoding::borrow_row(data).unwrap_or_default();
            let contact = values.get(CONTACT_OF_DRAFT).and_then(|value| value.as_i64().ok());
            if contact.is_some_and(|contact| person.contacts.contains(&contact)) {
                drafts.insert(row.get(0)?);
            }
        }
        Ok(drafts)
    }

    fn read_range(&self, step: i64) -> Result<(i64, i64)> {
        let range = self.tx.find_row(
            "SELECT coalesce(first_row, 0), coalesce(last_row, 0) FROM steps WHERE id = ?1",
            [step],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(range.unwrap_or_default())
    }

    /// Returns whether a step remembers anything but gaps and the counts of lists.
    fn has_more(&self, step: i64) -> Result<bool> {
        let lists = TrackedTable::find_by_name("lists").map_or(0, |table| table.number);
        let (first, last) = self.read_range(step)?;
        self.tx.has_row(
            "SELECT 1 FROM row_changes WHERE id BETWEEN ?1 AND ?2 AND step = ?3 AND kind NOT IN (?4, ?5) AND NOT (place = ?6 AND kind = ?7)",
            params![first, last, step, ERASED_ROW, SWAPPED_IN_PLACE, lists, UPDATED],
        )
    }

    fn forget_step(&self, step: i64) -> Result<()> {
        let (first, last) = self.read_range(step)?;
        row_recorder::forget_rows(self.tx.conn(), step, first, last)?;
        self.tx
            .conn()
            .prepare_cached(
                "UPDATE steps SET first_row = NULL, last_row = NULL, state = iif(state = 'note', 'note', 'dropped') WHERE id = ?1",
            )?
            .execute([step])?;
        Ok(())
    }
}

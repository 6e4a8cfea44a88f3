//! Finds the contacts that are behind a number, and erases what is stored under them.

use std::collections::BTreeSet;

use rusqlite::{params, types::ValueRef};
use serde_json::Value;

use super::Eraser;
use crate::{
    error::Result,
    row_recorder::{DELETED, UPDATED, row_encoding, tracked_tables::TrackedTable},
    tables::sync::local,
};

/// The number under which other tables name the contacts table.
pub(super) const CONTACTS: u8 = TrackedTable::CONTACTS.number;

/// The contacts that have the number, or had it when they were deleted.
#[derive(Default)]
pub(super) struct ErasedPerson {
    pub contacts: BTreeSet<i64>,
    /// Their drafts, which the undo memory names by ids of their own.
    pub drafts: BTreeSet<i64>,
    /// Contacts that have another number by now, while the service or the last agreement with it still has this one.
    renumbered: BTreeSet<i64>,
    lists: BTreeSet<i64>,
    uids: BTreeSet<String>,
    /// First and last names, from which the titles of steps are made.
    first_names: BTreeSet<String>,
    last_names: BTreeSet<String>,
    pub other_numbers: BTreeSet<String>,
}

/// Positions of the columns that identify a contact.
struct ContactColumns {
    uid: Option<usize>,
    phone: Option<usize>,
    whatsapp: Option<usize>,
    firstname: Option<usize>,
    lastname: Option<usize>,
}

impl ContactColumns {
    fn read(eraser: &Eraser) -> Result<Self> {
        let names = TrackedTable::CONTACTS.read_columns(eraser.tx.conn())?;
        let position = |wanted: &str| names.iter().position(|name| name == wanted);
        Ok(Self {
            uid: position("uid"),
            phone: position("phone"),
            whatsapp: position("whatsapp"),
            firstname: position("firstname"),
            lastname: position("lastname"),
        })
    }
}

fn text_at<'v>(values: &[ValueRef<'v>], at: Option<usize>) -> Option<&'v str> {
    values.get(at?)?.as_str().ok()
}

impl ErasedPerson {
    pub(super) fn find(eraser: &Eraser) -> Result<Self> {
        let mut person = Self::default();
        person.find_present(eraser)?;
        if eraser.has_table("row_changes") {
            person.find_deleted(eraser)?;
        }
        if eraser.has_table("sync_base") {
            person.find_agreed(eraser)?;
        }
        if eraser.has_table("drafts") {
            person.find_drafts(eraser)?;
        }
        if eraser.has_table("row_changes") {
            person.find_earlier_names(eraser)?;
        }
        person.other_numbers.remove(eraser.wanted.e164);
        Ok(person)
    }

    fn add_names(&mut self, first: Option<&str>, last: Option<&str>) {
        self.first_names.extend(first.map(str::to_owned));
        self.last_names.extend(last.map(str::to_owned));
    }

    fn find_present(&mut self, eraser: &Eraser) -> Result<()> {
        let mut statement = eraser.tx.conn().prepare(
            "SELECT id, uid, list_id, firstname, lastname, phone, whatsapp FROM contacts WHERE phone = ?1 OR whatsapp = ?1",
        )?;
        let mut rows = statement.query([eraser.wanted.e164])?;
        while let Some(row) = rows.next()? {
            self.contacts.insert(row.get(0)?);
            self.uids.insert(row.get(1)?);
            self.lists.insert(row.get(2)?);
            let texts: [Option<String>; 4] = [row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?];
            self.add_names(texts[0].as_deref(), texts[1].as_deref());
            self.other_numbers.extend(texts.into_iter().skip(2).flatten());
        }
        Ok(())
    }

    /// Finds deleted contacts whose last values are remembered.
    fn find_deleted(&mut self, eraser: &Eraser) -> Result<()> {
        let columns = ContactColumns::read(eraser)?;
        visit_contact_changes(eraser, |_, key, kind, data| {
            let values = if kind == DELETED { row_encoding::borrow_row(data).unwrap_or_default() } else { return };
            let numbers = [text_at(&values, columns.phone), text_at(&values, columns.whatsapp)];
            if numbers.contains(&Some(eraser.wanted.e164)) {
                self.contacts.insert(key);
                self.uids.extend(text_at(&values, columns.uid).map(str::to_owned));
                self.add_names(text_at(&values, columns.firstname), text_at(&values, columns.lastname));
                self.other_numbers.extend(numbers.into_iter().flatten().map(str::to_owned));
            }
        })
    }

    /// Finds contacts with the number in what both sides agreed on, or in what the service has.
    fn find_agreed(&mut self, eraser: &Eraser) -> Result<()> {
        let conn = eraser.tx.conn();
        let mut is_present = conn.prepare("SELECT 1 FROM contacts WHERE id = ?1")?;
        for table in ["sync_base", "sync_remote"] {
            let sql = format!("SELECT id, cells FROM {table} WHERE place = {CONTACTS} AND cells IS NOT NULL");
            let mut statement = conn.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (id, cells): (i64, String) = (row.get(0)?, row.get(1)?);
                let cells: Value = serde_json::from_str(&cells).unwrap_or_default();
                let text = |name: &str| cells[name].as_str();
                if ![text("phone_number"), text("whatsapp_number")].contains(&Some(eraser.wanted.e164)) {
                    continue;
                }
                if self.contacts.contains(&id) || !is_present.exists([id])? {
                    self.contacts.insert(id);
                    self.add_names(text("firstname"), text("lastname"));
                } else {
                    self.renumbered.insert(id);
                }
            }
        }
        Ok(())
    }

    fn find_drafts(&mut self, eraser: &Eraser) -> Result<()> {
        let mut statement = eraser.tx.conn().prepare("SELECT id FROM drafts WHERE contact_id = ?1")?;
        for id in &self.contacts {
            let drafts = statement.query_map([id], |row| row.get(0))?;
            self.drafts.extend(drafts.collect::<rusqlite::Result<Vec<i64>>>()?);
        }
        Ok(())
    }

    /// Collects the names that the contacts had before.
    fn find_earlier_names(&mut self, eraser: &Eraser) -> Result<()> {
        let columns = ContactColumns::read(eraser)?;
        visit_contact_changes(eraser, |_, key, kind, data| {
            if kind != UPDATED || !self.contacts.contains(&key) {
                return;
            }
            for change in row_encoding::borrow_changes(data).unwrap_or_default() {
                let at = Some(change.column);
                for text in [change.old, change.new].iter().filter_map(|value| value.as_str().ok()) {
                    self.add_names(
                        Some(text).filter(|_| at == columns.firstname),
                        Some(text).filter(|_| at == columns.lastname),
                    );
                }
            }
        })
    }

    /// Returns the contacts that the service may have.
    pub(super) fn synced_contacts(&self) -> impl Iterator<Item = i64> {
        self.contacts.union(&self.renumbered).copied()
    }

    /// The titles by which steps may name the contacts.
    fn titles(&self) -> BTreeSet<String> {
        let with_none = |names: &BTreeSet<String>| -> Vec<String> {
            std::iter::once(String::new()).chain(names.iter().cloned()).collect()
        };
        let (first, last) = (with_none(&self.first_names), with_none(&self.last_names));
        let pairs = first.iter().flat_map(|first| last.iter().map(move |last| format!("{first} {last}")));
        pairs.map(|title| title.trim().to_owned()).filter(|title| !title.is_empty()).collect()
    }
}

/// Visits the remembered rows of contacts: number, contact, kind and data.
fn visit_contact_changes(eraser: &Eraser, mut visit: impl FnMut(i64, i64, i64, &[u8])) -> Result<()> {
    let sql =
        "SELECT id, key, kind, data FROM row_changes WHERE place = ?1 AND data IS NOT NULL AND typeof(key) = 'integer'";
    let mut statement = eraser.tx.conn().prepare(sql)?;
    let mut rows = statement.query([CONTACTS])?;
    while let Some(row) = rows.next()? {
        if let ValueRef::Blob(data) = row.get_ref(3)? {
            visit(row.get(0)?, row.get(1)?, row.get(2)?, data);
        }
    }
    Ok(())
}

/// Acts whose subject is the name of something other than a contact.
const OTHER_SUBJECTS: [&str; 7] = ["account_", "asset_", "custom_field_", "import_", "list_", "sender_", "short_link_"];

impl Eraser<'_> {
    /// Counts those of the contacts that the connected service has, as far as is known.
    pub(super) fn count_at_service(&self, contacts: impl Iterator<Item = i64>) -> Result<u64> {
        let conn = self.tx.conn();
        if !self.has_table("connection") || !self.tx.has_row("SELECT 1 FROM connection", [])? {
            return Ok(0);
        }
        // A contact that is in no table of the sync and not here either is gone on both sides.
        let mut is_absent_there = conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM sync_base WHERE place = ?1 AND id = ?2 AND cells IS NULL)
                 OR EXISTS (SELECT 1 FROM sync_remote WHERE place = ?1 AND id = ?2 AND cells IS NULL)
                 OR NOT EXISTS (SELECT 1 FROM contacts WHERE id = ?2)
                    AND NOT EXISTS (SELECT 1 FROM sync_base WHERE place = ?1 AND id = ?2)",
        )?;
        let mut count = 0;
        for id in contacts {
            let is_absent: bool = is_absent_there.query_row(params![CONTACTS, id], |row| row.get(0))?;
            count += u64::from(!is_absent);
        }
        Ok(count)
    }

    /// Returns whether the service has the number in a text of this contact, as far as is known. A contact with unsent
    /// changes has its former values there.
    pub(super) fn is_mentioned_at_service(&self, id: i64) -> Result<bool> {
        if self.count_at_service(std::iter::once(id))? == 0 {
            return Ok(false);
        }
        let agreed: Option<String> = self.tx.find_value(
            "SELECT coalesce(cells, '') FROM sync_base WHERE place = ?1 AND id = ?2",
            params![CONTACTS, id],
        )?;
        Ok(agreed.is_none_or(|cells| self.wanted.is_in_bytes(cells.as_bytes())))
    }

    /// Erases the contacts of the person, and the rows that name them by their ids.
    pub(super) fn erase_person(&mut self, person: &ErasedPerson) -> Result<()> {
        for id in &person.contacts {
            self.delete_rows("drafts", "contact_id = ?1", &[id])?;
            self.delete_rows("contacts", "id = ?1", &[id])?;
            self.forget_sync(*id)?;
            if self.has_table("job_outcomes") {
                let sql = "UPDATE job_outcomes SET contact_id = NULL WHERE contact_id = ?1";
                let emptied = self.tx.conn().prepare_cached(sql)?.execute([id])?;
                self.counts.add_erased("job_outcomes", emptied);
            }
        }
        for id in &person.renumbered {
            self.forget_sync(*id)?;
        }
        for list in &person.lists {
            local::recount_list(self.tx, *list)?;
        }
        self.erase_titles(person)
    }

    fn forget_sync(&mut self, id: i64) -> Result<()> {
        for table in ["sync_base", "sync_remote", "sync_answers", "sync_quarantine", "sync_ids"] {
            self.delete_rows(table, "place = ?1 AND id = ?2", &[&CONTACTS, &id])?;
        }
        Ok(())
    }

    /// Removes the ids of the contacts from the timeline and the log of changes, and their names from the timeline.
    fn erase_titles(&mut self, person: &ErasedPerson) -> Result<()> {
        let conn = self.tx.conn();
        if !self.has_table("steps") {
            return Ok(());
        }
        for uid in &person.uids {
            let emptied = conn.execute("UPDATE changes SET uid = NULL WHERE uid = ?1", [uid])?;
            self.counts.add_erased("changes", emptied);
            let emptied = conn.execute("UPDATE steps SET subject = NULL, uid = NULL WHERE uid = ?1", [uid])?;
            self.counts.add_erased("steps", emptied);
        }
        let titles = person.titles();
        let mut named = Vec::new();
        let mut statement = conn.prepare("SELECT id, act, subject FROM steps WHERE subject IS NOT NULL")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, act, subject): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let is_other = OTHER_SUBJECTS.iter().any(|prefix| act.starts_with(prefix));
            if !is_other && titles.iter().any(|title| has_words(&subject, title)) {
                named.push(id);
            }
        }
        for id in &named {
            conn.prepare_cached("UPDATE steps SET subject = NULL WHERE id = ?1")?.execute([id])?;
        }
        self.counts.add_erased("steps", named.len());
        self.erase_forgotten_titles()
    }

    /// Removes the names of contacts of which nothing else is known any more from the timeline. Nobody can tell which
    /// numbers they had.
    fn erase_forgotten_titles(&mut self) -> Result<()> {
        let conn = self.tx.conn();
        let mut statement = conn.prepare(
            "SELECT DISTINCT uid FROM steps WHERE uid GLOB 'CON_*' AND subject IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM contacts WHERE contacts.uid = steps.uid)",
        )?;
        let uids = statement.query_map([], |row| row.get(0))?;
        let mut forgotten: BTreeSet<String> = uids.collect::<rusqlite::Result<_>>()?;
        if !forgotten.is_empty() {
            let uid = ContactColumns::read(self)?.uid;
            visit_contact_changes(self, |_, _, kind, data| {
                let values = if kind == DELETED { row_encoding::borrow_row(data).unwrap_or_default() } else { return };
                text_at(&values, uid).map(|uid| forgotten.remove(uid));
            })?;
        }
        for uid in forgotten {
            let emptied = conn.execute("UPDATE steps SET subject = NULL WHERE uid = ?1", [uid])?;
            self.counts.add_erased("steps", emptied);
        }
        let emptied = conn.execute(
            "UPDATE steps SET subject = NULL
             WHERE act IN ('sync_pull_named', 'sync_restore') AND subject IS NOT NULL AND first_row IS NULL",
            [],
        )?;
        self.counts.add_erased("steps", emptied);
        Ok(())
    }
}

/// Returns whether `words` are in the text, and not as a part of longer words.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, found)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + found.len()..].chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::has_words;

    #[test]
    fn a_title_is_found_among_others_and_not_within_a_word() {
        assert!(has_words("Ada Lovelace, Eve and Ben", "Ada Lovelace") && has_words("Eve and Ben", "Ben"));
        assert!(!has_words("Benjamin, Eve", "Ben") && !has_words("Big Ben's", "Be"));
    }
}

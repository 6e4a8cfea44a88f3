//! Manages the local properties of a list (alias, note and pin), which are never sent, and its facts in numbers.

use std::collections::BTreeSet;

use roost_model::{
    error::{FieldError, has_length, size_message},
    id::ListId,
    list::List,
    page::Page,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::lists::{
        self,
        cards::{self, ListNote},
    },
    tx::ActDescription,
};

pub use roost_store::tables::lists::{
    cards::{CardQuery, CardSort, ListCard},
    facts::ListFacts,
};

use super::{LISTS_MAX, log_removed, move_to_trash, trash_count};
use crate::{
    core::{Actor, Core},
    error::{OrNotFound, Result},
};

/// The maximum number of characters of an alias and of a note.
pub const ALIAS_MAX: usize = 120;
pub const NOTE_MAX: usize = 2_000;

pub fn read_cards(core: &Core, query: &CardQuery) -> Result<Page<ListCard>> {
    core.read(|tx| Ok(cards::read_page(tx, query)?))
}

pub fn read_card(core: &Core, uid: &ListId) -> Result<ListCard> {
    core.read(|tx| cards::get(tx, uid)?.or_not_found(Noun::List, uid))
}

pub fn read_pinned(core: &Core) -> Result<Vec<ListCard>> {
    core.read(|tx| Ok(cards::read_pinned(tx)?))
}

/// Returns the facts of a list. They are cached until the list or an opt-out changes.
pub fn read_facts(core: &Core, uid: &ListId) -> Result<ListFacts> {
    core.read(|tx| core.list_cache().list_facts(tx, uid)?.or_not_found(Noun::List, uid))
}

/// Pins a list to the sidebar of the window, or unpins it.
pub fn set_pinned(core: &Core, by: &Actor, uid: &ListId, on: bool) -> Result<ListCard> {
    let act = if on { "list_pin" } else { "list_unpin" };
    update_note(core, by, uid, act, |note| {
        note.pinned_at = on.then(|| note.pinned_at.unwrap_or_else(|| core.ctx().now()));
    })
}

/// Sets the alias and the note of a list. An empty text removes them.
pub fn set_note(core: &Core, by: &Actor, uid: &ListId, alias: Option<&str>, note: Option<&str>) -> Result<ListCard> {
    let mut faults = Vec::new();
    let mut checked = |path: &str, text: Option<&str>, max: usize| {
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        if !has_length(text, 1, max) {
            faults.push(FieldError::new(path, size_message(0, max), text));
        }
        Some(text.to_owned())
    };
    let (alias, text) = (checked("alias", alias, ALIAS_MAX), checked("note", note, NOTE_MAX));
    if !faults.is_empty() {
        return Err(crate::Error::Invalid { faults });
    }
    update_note(core, by, uid, "list_note", |note| (note.alias, note.note) = (alias, text))
}

fn update_note(
    core: &Core,
    by: &Actor,
    uid: &ListId,
    act: &'static str,
    change: impl FnOnce(&mut ListNote),
) -> Result<ListCard> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
        let ListCard { list, alias, note, pinned_at } = cards::get(tx, uid)?.or_not_found(Noun::List, uid)?;
        let before = ListNote { alias, note, pinned_at };
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            cards::set_note(tx, row, &after)?;
            tx.describe_act(ActDescription::new(act).with_subject(list.name).with_uid(uid));
            tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, uid));
        }
        cards::get(tx, uid)?.or_not_found(Noun::List, uid)
    })
}

/// Deletes a list if its name was typed correctly. Returns the number of its contacts.
pub fn delete_named(core: &Core, by: &Actor, uid: &ListId, typed: &str) -> Result<u64> {
    core.write(by, |tx| {
        let list = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?;
        if typed.trim() != list.name.trim() {
            return Err(FieldError::new("typed_name", "must be the name of the list", typed).into());
        }
        Ok(move_to_trash(tx, uid)?.contact_count)
    })
}

/// The maximum number of characters of the names in a step on several lists.
const NAMES_MAX: usize = 160;

/// Deletes several lists in one act if their number was typed correctly. Returns the number of their contacts.
pub fn delete_counted(core: &Core, by: &Actor, uids: &[ListId], typed: u64) -> Result<u64> {
    let wanted: BTreeSet<&ListId> = uids.iter().collect();
    if !(1..=LISTS_MAX).contains(&wanted.len()) {
        let message = format!("Choose between 1 and {LISTS_MAX} lists.");
        return Err(FieldError::new("uids", message, wanted.len()).into());
    }
    if typed != wanted.len() as u64 {
        let message = format!("Type {}, the number of lists that will be deleted.", wanted.len());
        return Err(FieldError::new("typed_count", message, typed).into());
    }
    core.write(by, |tx| {
        let mut deleted: Vec<(_, List)> = Vec::with_capacity(wanted.len());
        for uid in wanted {
            let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
            deleted.push((row, lists::get(tx, uid)?.or_not_found(Noun::List, uid)?));
        }
        tx.expect_rows(deleted.iter().map(|(_, list)| list.contact_count + 1).sum());
        for (row, list) in &deleted {
            lists::delete(tx, *row)?;
            log_removed(tx, list);
        }
        let names = join_names(deleted.iter().map(|(_, list)| list.name.as_str()));
        let act = ActDescription::new("list_delete_many").with_subject(names);
        tx.describe_act(act.with_count(deleted.iter().map(|(_, list)| trash_count(list)).sum()).into_trash(Noun::List));
        Ok(deleted.iter().map(|(_, list)| list.contact_count).sum())
    })
}

/// Joins the names of the lists of a step, and shortens them if they are many.
pub fn join_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names = names.collect::<Vec<_>>().join(", ");
    match names.char_indices().nth(NAMES_MAX) {
        Some((at, _)) => format!("{}…", &names[..at]),
        None => names,
    }
}

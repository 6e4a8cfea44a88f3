//! Manages the local properties of a list (alias, note and pin), which are never sent, and its facts in numbers.

use std::collections::BTreeSet;

use roost_model::{
    error::{Fault, has_length, size_between},
    id::ListId,
    list::List,
    page::Page,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        lists::{
            self,
            cards::{self, ListNote},
        },
        steps::Act,
    },
};

pub use roost_store::tables::lists::{
    cards::{CardQuery, CardSort, ListCard},
    facts::ListFacts,
};

use super::{LISTS_MAX, log_removed, remove, things};
use crate::{
    core::{By, Core},
    error::{OrNotFound, Result},
};

/// The maximum number of characters of an alias and of a note.
pub const ALIAS_MAX: usize = 120;
pub const NOTE_MAX: usize = 2_000;

pub fn cards(core: &Core, query: &CardQuery) -> Result<Page<ListCard>> {
    core.read(|tx| Ok(cards::page(tx, query)?))
}

pub fn card(core: &Core, uid: &ListId) -> Result<ListCard> {
    core.read(|tx| cards::get(tx, uid)?.or_not_found(Noun::List, uid))
}

pub fn pins(core: &Core) -> Result<Vec<ListCard>> {
    core.read(|tx| Ok(cards::pinned(tx)?))
}

/// Returns the facts of a list. They are cached until the list or an opt-out changes.
pub fn facts(core: &Core, uid: &ListId) -> Result<ListFacts> {
    core.read(|tx| core.kept().facts(tx, uid)?.or_not_found(Noun::List, uid))
}

/// Pins a list to the sidebar of the window, or unpins it.
pub fn pin(core: &Core, by: &By, uid: &ListId, on: bool) -> Result<ListCard> {
    let act = if on { "list_pin" } else { "list_unpin" };
    keep(core, by, uid, act, |note| {
        note.pinned_at = on.then(|| note.pinned_at.unwrap_or_else(|| core.ctx().now()));
    })
}

/// Sets the alias and the note of a list. An empty text removes them.
pub fn note(core: &Core, by: &By, uid: &ListId, alias: Option<&str>, note: Option<&str>) -> Result<ListCard> {
    let mut faults = Vec::new();
    let mut checked = |path: &str, text: Option<&str>, max: usize| {
        let text = text.map(str::trim).filter(|text| !text.is_empty())?;
        if !has_length(text, 1, max) {
            faults.push(Fault::new(path, size_between(0, max), text));
        }
        Some(text.to_owned())
    };
    let (alias, text) = (checked("alias", alias, ALIAS_MAX), checked("note", note, NOTE_MAX));
    if !faults.is_empty() {
        return Err(crate::Error::Invalid { faults });
    }
    keep(core, by, uid, "list_note", |note| (note.alias, note.note) = (alias, text))
}

fn keep(core: &Core, by: &By, uid: &ListId, act: &'static str, change: impl FnOnce(&mut ListNote)) -> Result<ListCard> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
        let ListCard { list, alias, note, pinned_at } = cards::get(tx, uid)?.or_not_found(Noun::List, uid)?;
        let before = ListNote { alias, note, pinned_at };
        let mut after = before.clone();
        change(&mut after);
        if after != before {
            cards::set_note(tx, row, &after)?;
            tx.act(Act::new(act).subject(list.name).uid(uid));
            tx.log(Change::one(Noun::List, Action::Updated, uid));
        }
        cards::get(tx, uid)?.or_not_found(Noun::List, uid)
    })
}

/// Deletes a list if its name was typed correctly. Returns the number of its contacts.
pub fn delete_named(core: &Core, by: &By, uid: &ListId, typed: &str) -> Result<u64> {
    core.write(by, |tx| {
        let list = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?;
        if typed.trim() != list.name.trim() {
            return Err(Fault::new("typed_name", "must be the name of the list", typed).into());
        }
        Ok(remove(tx, uid)?.contact_count)
    })
}

/// The maximum number of characters of the names in a step on several lists.
const NAMES_MAX: usize = 160;

/// Deletes several lists in one act if their number was typed correctly. Returns the number of their contacts.
pub fn delete_counted(core: &Core, by: &By, uids: &[ListId], typed: u64) -> Result<u64> {
    let wanted: BTreeSet<&ListId> = uids.iter().collect();
    if !(1..=LISTS_MAX).contains(&wanted.len()) {
        let message = format!("Choose between 1 and {LISTS_MAX} lists.");
        return Err(Fault::new("uids", message, wanted.len()).into());
    }
    if typed != wanted.len() as u64 {
        let message = format!("Type {}, the number of lists that will be deleted.", wanted.len());
        return Err(Fault::new("typed_count", message, typed).into());
    }
    core.write(by, |tx| {
        let mut gone: Vec<(_, List)> = Vec::with_capacity(wanted.len());
        for uid in wanted {
            let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
            gone.push((row, lists::get(tx, uid)?.or_not_found(Noun::List, uid)?));
        }
        tx.expect_rows(gone.iter().map(|(_, list)| list.contact_count + 1).sum());
        for (row, list) in &gone {
            lists::delete(tx, *row)?;
            log_removed(tx, list);
        }
        let names = gone.iter().map(|(_, list)| list.name.as_str()).collect::<Vec<_>>().join(", ");
        let act = Act::new("list_delete_many").subject(cut(&names, NAMES_MAX));
        tx.act(act.count(gone.iter().map(|(_, list)| things(list)).sum()).into_trash(Noun::List));
        Ok(gone.iter().map(|(_, list)| list.contact_count).sum())
    })
}

fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

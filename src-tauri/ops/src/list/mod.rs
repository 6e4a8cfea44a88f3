//! Contains the acts on lists.

mod frozen;
mod many;
mod own;
mod parts;
mod readiness;

pub use self::{many::*, own::*, parts::*, readiness::*};

use roost_model::{
    error::Fault,
    id::ListId,
    list::{List, check_name},
    page::Page,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{lists, steps::Act},
    tx::WriteTx,
};

pub(crate) use self::frozen::freeze;
pub use roost_store::tables::lists::ListQuery;

use crate::{
    core::{By, Core},
    error::{OrNotFound, Result},
};

/// Whether names of lists must be unique (setting `lists.unique_names`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UniqueNames {
    #[default]
    Off,
    On,
}

pub fn page(core: &Core, query: &ListQuery) -> Result<Page<List>> {
    core.read(|tx| Ok(lists::page(tx, query)?))
}

pub fn get(core: &Core, uid: &ListId) -> Result<List> {
    core.read(|tx| lists::get(tx, uid)?.or_not_found(Noun::List, uid))
}

pub fn create(core: &Core, by: &By, name: &str, unique: UniqueNames) -> Result<List> {
    check_name(name)?;
    core.write(by, |tx| {
        if unique == UniqueNames::On && lists::name_is_taken(tx, name)? {
            return Err(Fault::new("name", "List name already exists", name).into());
        }
        let (list, _) = insert(core, tx, name)?;
        tx.act(Act::new("list_create").subject(name).uid(&list.uid));
        Ok(list)
    })
}

/// Inserts an empty list as part of an act.
pub(crate) fn insert(core: &Core, tx: &WriteTx, name: &str) -> Result<(List, lists::ListRow)> {
    let now = core.ctx().now();
    let list = List {
        uid: ListId::new(core.ctx().ksuid(now)),
        name: name.to_owned(),
        contact_count: 0,
        created_at: now,
        updated_at: now,
    };
    let row = lists::insert(tx, &list)?;
    tx.log(Change::one(Noun::List, Action::Created, &list.uid));
    Ok((list, row))
}

/// Renames a list. The interface has no such act, so it is local only.
pub fn rename(core: &Core, by: &By, uid: &ListId, name: &str) -> Result<List> {
    check_name(name)?;
    core.write(by, |tx| {
        let before = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?;
        if before.name == name {
            return Ok(before);
        }
        lists::rename(tx, uid, name, core.ctx().now())?.or_not_found(Noun::List, uid)?;
        tx.act(Act::new("list_rename").subject(name).uid(uid));
        tx.log(Change::one(Noun::List, Action::Updated, uid));
        lists::get(tx, uid)?.or_not_found(Noun::List, uid)
    })
}

/// Moves a list with its contacts to the trash. Jobs that wait for it will end with all contacts failed.
pub fn delete(core: &Core, by: &By, uid: &ListId) -> Result<()> {
    core.write(by, |tx| remove(tx, uid).map(drop))
}

fn remove(tx: &WriteTx, uid: &ListId) -> Result<List> {
    let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
    let list = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?;
    tx.expect_rows(list.contact_count + 1);
    lists::delete(tx, row)?;
    let act = Act::new("list_delete").subject(list.name.as_str()).uid(uid).count(things(&list));
    tx.act(act.into_trash(Noun::List));
    log_removed(tx, &list);
    Ok(list)
}

/// Returns how much a list counts in the trash: its contacts, or one if it is empty.
fn things(list: &List) -> u64 {
    list.contact_count.max(1)
}

fn log_removed(tx: &WriteTx, list: &List) {
    tx.log(Change::one(Noun::List, Action::Deleted, &list.uid));
    if list.contact_count > 0 {
        tx.log(Change::many(Noun::Contact, Action::Deleted, &list.uid, list.contact_count));
    }
}

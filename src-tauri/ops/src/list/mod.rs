//! Contains the acts on lists.

mod frozen;
mod list_lookup;
mod local_properties;
mod many;
mod readiness;
mod split_list;

pub use self::{
    list_lookup::{find_list, find_list_if_any},
    local_properties::*,
    many::*,
    readiness::*,
    split_list::*,
};

use roost_model::{
    error::FieldError,
    id::ListId,
    list::{List, ListValues, check_name},
    page::Page,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::lists,
    tx::{ActDescription, WriteTx},
};

pub use self::frozen::freeze;
pub use roost_model::list::ListQuery;

use crate::{
    core::{Actor, Core},
    error::{OrNotFound, Result},
};

/// Whether names of lists must be unique (setting `lists.unique_names`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UniqueNames {
    #[default]
    Off,
    On,
}

pub fn read_page(core: &Core, query: &ListQuery) -> Result<Page<List>> {
    core.read(|tx| Ok(lists::read_page(tx, query)?))
}

/// A part of a page: first the head, then each list.
pub enum ListPart<'a> {
    Head { total_items: u64 },
    List(&'a ListValues<'a>),
}

/// Lends a page to `visit`, which must be quick, because the account is locked meanwhile.
pub fn visit_page(core: &Core, query: &ListQuery, mut visit: impl FnMut(ListPart)) -> Result<()> {
    core.read(|tx| {
        visit(ListPart::Head { total_items: lists::count(tx, query)? });
        Ok(lists::visit_page(tx, query, |list| visit(ListPart::List(list)))?)
    })
}

pub fn get(core: &Core, uid: &ListId) -> Result<List> {
    core.read(|tx| lists::get(tx, uid)?.or_not_found(Noun::List, uid))
}

pub fn create(core: &Core, by: &Actor, name: &str, unique: UniqueNames) -> Result<List> {
    check_name(name)?;
    core.write(by, |tx| {
        if unique == UniqueNames::On && lists::is_name_taken(tx, name)? {
            return Err(FieldError::new("name", "List name already exists", name).into());
        }
        let (list, _) = insert_empty(core, tx, name)?;
        tx.describe_act(ActDescription::new("list_create").with_subject(name).with_uid(&list.uid));
        Ok(list)
    })
}

/// Inserts an empty list as part of an act.
pub fn insert_empty(core: &Core, tx: &WriteTx, name: &str) -> Result<(List, lists::ListRow)> {
    let now = core.ctx().now();
    let list = List {
        uid: ListId::new(core.ctx().ksuid(now)),
        name: name.to_owned(),
        contact_count: 0,
        created_at: now,
        updated_at: now,
    };
    let row = lists::insert(tx, &list)?;
    tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Created, &list.uid));
    Ok((list, row))
}

/// Renames a list. The interface has no such act, so it is local only.
pub fn rename(core: &Core, by: &Actor, uid: &ListId, name: &str) -> Result<List> {
    check_name(name)?;
    core.write(by, |tx| {
        let before = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?;
        if before.name == name {
            return Ok(before);
        }
        lists::rename(tx, uid, name, core.ctx().now())?.or_not_found(Noun::List, uid)?;
        tx.describe_act(ActDescription::new("list_rename").with_subject(name).with_uid(uid));
        tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, uid));
        lists::get(tx, uid)?.or_not_found(Noun::List, uid)
    })
}

/// Moves a list with its contacts to the trash. Jobs that wait for it will end with all contacts failed.
pub fn delete(core: &Core, by: &Actor, uid: &ListId) -> Result<()> {
    core.write(by, |tx| move_to_trash(tx, uid).map(drop))
}

fn move_to_trash(tx: &WriteTx, uid: &ListId) -> Result<List> {
    let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
    let list = lists::get(tx, uid)?.or_not_found(Noun::List, uid)?;
    tx.expect_rows(list.contact_count + 1);
    lists::delete(tx, row)?;
    let act = ActDescription::new("list_delete")
        .with_subject(list.name.as_str())
        .with_uid(uid)
        .with_count(trash_count(&list));
    tx.describe_act(act.into_trash(Noun::List));
    log_removed(tx, &list);
    Ok(list)
}

/// Returns how much a list counts in the trash: its contacts, or one if it is empty.
fn trash_count(list: &List) -> u64 {
    list.contact_count.max(1)
}

fn log_removed(tx: &WriteTx, list: &List) {
    tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Deleted, &list.uid));
    if list.contact_count > 0 {
        tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Deleted, &list.uid, list.contact_count));
    }
}

//! Acts on lists.

use roost_model::{
    error::Fault,
    id::ListId,
    list::{List, check_name},
    page::Page,
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::lists,
};

pub use roost_store::tables::lists::ListQuery;

use crate::{
    core::{By, Core},
    error::{OrNotFound, Result},
};

/// Whether two lists may bear one name (setting `lists.unique_names`).
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
        let now = core.ctx().now();
        let list = List {
            uid: ListId::new(core.ctx().ksuid(now)),
            name: name.to_owned(),
            contact_count: 0,
            created_at: now,
            updated_at: now,
        };
        lists::insert(tx, &list)?;
        tx.log(Change::one(Noun::List, Action::Created, &list.uid));
        Ok(list)
    })
}

pub fn rename(core: &Core, by: &By, uid: &ListId, name: &str) -> Result<List> {
    check_name(name)?;
    core.write(by, |tx| {
        lists::rename(tx, uid, name, core.ctx().now())?.or_not_found(Noun::List, uid)?;
        tx.log(Change::one(Noun::List, Action::Updated, uid));
        lists::get(tx, uid)?.or_not_found(Noun::List, uid)
    })
}

/// Deletes a list with its contacts. Jobs that wait for it will end with all contacts failed.
pub fn delete(core: &Core, by: &By, uid: &ListId) -> Result<()> {
    core.write(by, |tx| {
        let row = lists::row_of(tx, uid)?.or_not_found(Noun::List, uid)?;
        let contacts = lists::get(tx, uid)?.map_or(0, |list| list.contact_count);
        lists::delete(tx, row)?;
        tx.log(Change::one(Noun::List, Action::Deleted, uid));
        if contacts > 0 {
            tx.log(Change::many(Noun::Contact, Action::Deleted, uid, contacts));
        }
        Ok(())
    })
}

//! Creates a new list from chosen contacts: a view or a selection as it is now.

use roost_model::{id::ListId, list::check_name};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        contacts::picked::{Duplicates, Picked, Way},
        lists,
        steps::Act,
    },
};

use super::{Filled, insert};
use crate::{
    contact::place,
    core::{By, Core},
    error::{OrNotFound, Result},
};

/// Copies rows of a list into a new list.
pub(crate) fn freeze(core: &Core, by: &By, source: &ListId, rows: &[i64], name: &str) -> Result<Filled> {
    check_name(name)?;
    core.write(by, |tx| {
        let from = lists::row_of(tx, source)?.or_not_found(Noun::List, source)?;
        let (list, row) = insert(core, tx, name)?;
        let picked = Picked::by_row(tx, from, rows)?;
        picked.send_to(row)?;
        let placed = place(core, tx, &picked, Way::Copy, Duplicates::Keep)?;
        tx.act(Act::new("list_freeze").subject(name).uid(&list.uid).count(placed.placed));
        tx.log(Change::many(Noun::Contact, Action::Created, &list.uid, placed.placed));
        Ok(Filled { list: lists::get(tx, &list.uid)?.or_not_found(Noun::List, &list.uid)?, placed })
    })
}

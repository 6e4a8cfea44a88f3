//! Creates a new list from chosen contacts: a view or a selection as it is now.

use roost_model::{id::ListId, list::check_name};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::{
        contacts::picked_contacts::{DuplicatePolicy, PickedContacts, TransferKind},
        lists,
    },
    tx::ActDescription,
};

use super::{FilledList, insert_empty};
use crate::{
    contact::place_picked,
    core::{Actor, Core},
    error::{OrNotFound, Result},
};

/// Copies rows of a list into a new list.
pub fn freeze(core: &Core, by: &Actor, source: &ListId, rows: &[i64], name: &str) -> Result<FilledList> {
    check_name(name)?;
    core.write(by, |tx| {
        let from = lists::row_of(tx, source)?.or_not_found(Noun::List, source)?;
        let (list, row) = insert_empty(core, tx, name)?;
        let picked = PickedContacts::from_rows(tx, from, rows)?;
        picked.set_target(row)?;
        let placed = place_picked(core, tx, &picked, TransferKind::Copy, DuplicatePolicy::Keep)?;
        tx.describe_act(
            ActDescription::new("list_freeze").with_subject(name).with_uid(&list.uid).with_count(placed.placed),
        );
        tx.log_change(ChangeLogEntry::many(Noun::Contact, ChangeAction::Created, &list.uid, placed.placed));
        Ok(FilledList { list: lists::get(tx, &list.uid)?.or_not_found(Noun::List, &list.uid)?, placed })
    })
}

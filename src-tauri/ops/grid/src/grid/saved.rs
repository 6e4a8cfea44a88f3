//! Stores named views: filter, order and layout of a list.

use roost_model::{
    error::{FieldError, has_length, size_message},
    id::{ListId, ViewUid},
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    tables::lists::{
        self,
        saved_views::{self, SavedView},
    },
    tx::{ActDescription, ReadTx, WriteTx},
};
use serde::Serialize;
use serde_json::Value;

use roost_ops::{
    core::{Actor, Core},
    error::{Error, OrNotFound, Result},
};

pub(super) const VIEW_NAME_MAX: usize = 120;
/// The maximum size of a view's definition as JSON in bytes.
pub(super) const VIEW_SPEC_MAX: usize = 64 << 10;
/// The maximum number of saved views of one list.
pub(super) const VIEWS_MAX: usize = 200;

/// A saved view. Only the page reads its definition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridSavedView"))]
pub struct NamedView {
    pub uid: ViewUid,
    pub name: String,
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub spec: Value,
}

impl From<SavedView> for NamedView {
    fn from(saved: SavedView) -> Self {
        let SavedView { uid, name, spec } = saved;
        Self { uid, name, spec: serde_json::from_str(&spec).unwrap_or_default() }
    }
}

/// Returns the saved views of a list in the order of their creation.
pub fn read_saved_views(core: &Core, list: &ListId) -> Result<Vec<NamedView>> {
    core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        Ok(saved_views::read_views(tx, row)?.into_iter().map(NamedView::from).collect())
    })
}

/// Saves a view under a name, replacing the view that has this name.
pub fn save_view(core: &Core, by: &Actor, list: &ListId, name: &str, spec: &Value) -> Result<NamedView> {
    let name = check_name(name)?;
    let text = spec.to_string();
    if !spec.is_object() || text.len() > VIEW_SPEC_MAX {
        let message = format!("A view is an object of at most {VIEW_SPEC_MAX} bytes.");
        return Err(FieldError::new("spec", message, Value::Null).into());
    }
    core.write(by, |tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let all = saved_views::read_views(tx, row)?;
        let found = all.iter().find(|view| is_same_name(&view.name, name));
        let view = match found {
            Some(view) => SavedView { uid: view.uid.clone(), name: name.to_owned(), spec: text },
            None if all.len() >= VIEWS_MAX => {
                return Err(Error::conflict(format!("A list has at most {VIEWS_MAX} saved views. Delete one first.")));
            }
            None => {
                let uid = ViewUid::new(core.ctx().ksuid(core.ctx().now()));
                SavedView { uid, name: name.to_owned(), spec: text }
            }
        };
        let action = if found.is_some() { ChangeAction::Updated } else { ChangeAction::Created };
        match action {
            ChangeAction::Created => saved_views::insert(tx, row, &view)?,
            _ => saved_views::update(tx, &view)?,
        }
        record_act(tx, ActDescription::new("view_save"), &view);
        Ok(view.into())
    })
}

pub fn rename_saved_view(core: &Core, by: &Actor, uid: &ViewUid, name: &str) -> Result<NamedView> {
    let name = check_name(name)?;
    core.write(by, |tx| {
        let (row, view) = find_saved_view(tx, uid)?;
        if saved_views::read_views(tx, row)?.iter().any(|other| other.uid != *uid && is_same_name(&other.name, name)) {
            return Err(FieldError::new("name", "Another view of this list has this name.", name).into());
        }
        let view = SavedView { name: name.to_owned(), ..view };
        saved_views::update(tx, &view)?;
        record_act(tx, ActDescription::new("view_rename"), &view);
        Ok(view.into())
    })
}

pub fn delete_saved_view(core: &Core, by: &Actor, uid: &ViewUid) -> Result<()> {
    core.write(by, |tx| {
        let (_, view) = find_saved_view(tx, uid)?;
        saved_views::delete(tx, uid)?;
        record_act(tx, ActDescription::new("view_delete"), &view);
        Ok(())
    })
}

fn find_saved_view(tx: &ReadTx, uid: &ViewUid) -> Result<(lists::ListRow, SavedView)> {
    saved_views::get(tx, uid)?.ok_or_else(|| Error::conflict("This view no longer exists. Open the list again."))
}

/// Records the act. The change is logged for the account, because no list changes its contents.
fn record_act(tx: &WriteTx, act: ActDescription, view: &SavedView) {
    tx.describe_act(act.with_subject(view.name.as_str()).with_uid(&view.uid));
    tx.log_change(ChangeLogEntry::single(Noun::Account, ChangeAction::Updated, &view.uid));
}

fn is_same_name(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn check_name(name: &str) -> Result<&str> {
    let name = name.trim();
    if has_length(name, 1, VIEW_NAME_MAX) {
        Ok(name)
    } else {
        Err(FieldError::new("name", size_message(1, VIEW_NAME_MAX), name).into())
    }
}

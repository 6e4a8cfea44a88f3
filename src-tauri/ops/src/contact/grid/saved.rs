//! Stores named views: filter, order and layout of a list.

use roost_model::{
    error::{Fault, has_length, size_between},
    id::{ListId, ViewUid},
};
use roost_store::{
    change_log::{Action, Change, Noun},
    tables::{
        lists::{
            self,
            saved_views::{self, SavedView},
        },
        steps::Act,
    },
    tx::{ReadTx, WriteTx},
};
use serde_json::Value;

use crate::{
    core::{By, Core},
    error::{Error, OrNotFound, Result},
};

pub const VIEW_NAME_MAX: usize = 120;
/// The maximum size of a view's definition as JSON in bytes.
pub const VIEW_SPEC_MAX: usize = 64 << 10;
/// The maximum number of saved views of one list.
pub const VIEWS_MAX: usize = 200;

/// A saved view. Only the page reads its definition.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptView {
    pub uid: ViewUid,
    pub name: String,
    pub spec: Value,
}

impl From<SavedView> for KeptView {
    fn from(saved: SavedView) -> Self {
        let SavedView { uid, name, spec } = saved;
        Self { uid, name, spec: serde_json::from_str(&spec).unwrap_or_default() }
    }
}

/// Returns the saved views of a list in the order of their creation.
pub fn saved(core: &Core, list: &ListId) -> Result<Vec<KeptView>> {
    core.read(|tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        Ok(saved_views::of(tx, row)?.into_iter().map(KeptView::from).collect())
    })
}

/// Saves a view under a name, replacing the view that has this name.
pub fn save(core: &Core, by: &By, list: &ListId, name: &str, spec: &Value) -> Result<KeptView> {
    let name = checked(name)?;
    let text = spec.to_string();
    if !spec.is_object() || text.len() > VIEW_SPEC_MAX {
        let message = format!("A view is an object of at most {VIEW_SPEC_MAX} bytes.");
        return Err(Fault::new("spec", message, Value::Null).into());
    }
    core.write(by, |tx| {
        let row = lists::row_of(tx, list)?.or_not_found(Noun::List, list)?;
        let all = saved_views::of(tx, row)?;
        let found = all.iter().find(|view| is_same(&view.name, name));
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
        let action = if found.is_some() { Action::Updated } else { Action::Created };
        match action {
            Action::Created => saved_views::insert(tx, row, &view)?,
            _ => saved_views::update(tx, &view)?,
        }
        told(tx, Act::new("view_save"), &view);
        Ok(view.into())
    })
}

pub fn rename_saved(core: &Core, by: &By, uid: &ViewUid, name: &str) -> Result<KeptView> {
    let name = checked(name)?;
    core.write(by, |tx| {
        let (row, view) = get(tx, uid)?;
        if saved_views::of(tx, row)?.iter().any(|other| other.uid != *uid && is_same(&other.name, name)) {
            return Err(Fault::new("name", "Another view of this list has this name.", name).into());
        }
        let view = SavedView { name: name.to_owned(), ..view };
        saved_views::update(tx, &view)?;
        told(tx, Act::new("view_rename"), &view);
        Ok(view.into())
    })
}

pub fn delete_saved(core: &Core, by: &By, uid: &ViewUid) -> Result<()> {
    core.write(by, |tx| {
        let (_, view) = get(tx, uid)?;
        saved_views::delete(tx, uid)?;
        told(tx, Act::new("view_delete"), &view);
        Ok(())
    })
}

fn get(tx: &ReadTx, uid: &ViewUid) -> Result<(lists::ListRow, SavedView)> {
    saved_views::get(tx, uid)?.ok_or_else(|| Error::conflict("This view is gone. Look at the list once more."))
}

/// Records the act. The change is logged for the account, because no list changes its contents.
fn told(tx: &WriteTx, act: Act, view: &SavedView) {
    tx.act(act.subject(view.name.as_str()).uid(&view.uid));
    tx.log(Change::one(Noun::Account, Action::Updated, &view.uid));
}

fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn checked(name: &str) -> Result<&str> {
    let name = name.trim();
    if has_length(name, 1, VIEW_NAME_MAX) {
        Ok(name)
    } else {
        Err(Fault::new("name", size_between(1, VIEW_NAME_MAX), name).into())
    }
}

//! Commands on saved views of a list.

use roost_grid::{grid as act, grid::NamedView};
use roost_model::id::ViewUid;
use roost_ops::Actor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::super::list::list_id;
use crate::{accounts::App, commands::Done, error::CommandError, reading::parse_id};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridViewList {
    /// The UID of a list.
    pub list: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridSavedViews {
    /// In the order in which they were created.
    pub views: Vec<NamedView>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridViewSave {
    /// The UID of a list.
    pub list: String,
    /// If a view of the list already has this name, it is replaced.
    pub name: String,
    /// An object of at most 64 KiB as JSON.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub spec: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridViewRename {
    pub uid: String,
    pub name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridViewDelete {
    pub uid: String,
}

fn view_uid(text: &str) -> Result<ViewUid, CommandError> {
    parse_id("uid", text, ViewUid::parse)
}

pub(crate) fn views(app: &App, _: &Actor, request: GridViewList) -> Result<GridSavedViews, CommandError> {
    let views = act::read_saved_views(&app.core()?, &list_id("list", &request.list)?)?;
    Ok(GridSavedViews { views })
}

pub(crate) fn save(app: &App, by: &Actor, request: GridViewSave) -> Result<NamedView, CommandError> {
    let list = list_id("list", &request.list)?;
    Ok(act::save_view(&app.core()?, by, &list, &request.name, &request.spec)?)
}

pub(crate) fn rename(app: &App, by: &Actor, request: GridViewRename) -> Result<NamedView, CommandError> {
    Ok(act::rename_saved_view(&app.core()?, by, &view_uid(&request.uid)?, &request.name)?)
}

pub(crate) fn delete_view(app: &App, by: &Actor, request: GridViewDelete) -> Result<Done, CommandError> {
    act::delete_saved_view(&app.core()?, by, &view_uid(&request.uid)?)?;
    Ok(Done {})
}

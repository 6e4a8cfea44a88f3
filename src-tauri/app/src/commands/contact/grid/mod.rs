//! Commands on views of a list: opening, watching, reading and changing rows by their numbers.

mod acting;
mod reading;
mod rows;
mod saved;

use std::time::Duration;

use roost_grid::grid::{ViewId, ViewSpec, ViewStatus};
use roost_model::{contact::ContactField, error::FieldError, filter, intervals::RowIntervals};
use roost_ops::{Actor, Watch, contact};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::{acting::*, reading::*, rows::*, saved::*};

use super::{super::list::list_id, ContactSort};
use crate::{accounts::App, commands::Done, error::CommandError};

/// A filter of nested groups and conditions.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(
    feature = "ts",
    ts(type = "{ all: GridFilter[] } | { any: GridFilter[] } | { not: GridFilter }
  | { field: string; op: 'is' | 'is_not' | 'contains' | 'contains_not' | 'starts' | 'ends' | 'matches' | 'matches_not'; value: string; case?: boolean }
  | { field: string; one_of: (string | null)[] }
  | { field: string; blank: boolean }
  | { field: 'created_at' | 'updated_at'; time: 'before' | 'after' | 'on' | 'within_days'; value: string }
  | { field: string; date: 'before' | 'after' | 'on'; value: string }
  | { field: string; date: 'between'; value: string; to: string }
  | { field: string; date: 'birthday_in_month' | 'birthday_within_days'; value: string }
  | { field: string; date: 'this_month' | 'not_a_date' }
  | { opted_out: 'any' | 'sms' | 'whatsapp'; reach?: 'any' | 'account' | 'asset'; is?: boolean }
  | { in_list: string; is?: boolean }
  | { draft: boolean }
  | { duplicate: 'phone' | 'whatsapp' | 'email'; is?: boolean }
  | { readiness: 'opted_out' | 'no_number' | 'invalid' | 'landline' | 'duplicate' | 'ready'; channel: 'sms' | 'whatsapp'; asset?: string; is?: boolean }")
)]
pub(crate) struct GridFilter(pub Value);

/// Rows as sorted pairs `[from, to)`. A selection of all rows but a few is written as pairs, too.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "[number, number][]"))]
pub(crate) struct GridRows(pub RowIntervals);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridOpen {
    /// The UID of a list.
    pub list: String,
    /// Null shows every contact.
    pub filter: Option<GridFilter>,
    /// Part of any text, or of a number in any spelling.
    pub text: Option<String>,
    /// The sort keys. Empty means newest first, and contacts of the same second in the order of their creation. That
    /// order also breaks ties. Blank values come last in both directions.
    pub sort: Vec<ContactSort>,
    /// Keeps contacts that were deleted here in the view until the deletion is pushed.
    #[serde(default)]
    pub has_deleted: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridOpened {
    pub view: u64,
    pub generation: u32,
    pub total: u64,
    pub deleted: u64,
    /// If false, `total` is an estimate.
    pub is_exact: bool,
    pub is_building: bool,
}

/// A view by its number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridView {
    pub view: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct GridStateGet {
    pub view: u64,
    /// The generation that the page knows. The wait ends when it changes.
    pub generation: Option<u32>,
    /// How long to wait for the build to end, at most 1,000. Null does not wait.
    pub wait_ms: Option<u32>,
}

/// The longest time that a command waits for a change, in milliseconds. The page then asks again.
const WAIT_MAX: u32 = 1_000;
/// Long enough to build a short view before the first response.
const OPEN_WAIT: Duration = Duration::from_millis(30);

/// Returns the watch of the running command.
fn watch_changes(by: &Actor) -> std::sync::Arc<Watch> {
    by.watch.clone().unwrap_or_default()
}

fn to_spec(app: &App, request: GridOpen) -> Result<ViewSpec, CommandError> {
    let list = list_id("list", &request.list)?;
    let known = contact::read_fields(&app.core()?)?;
    let is_defined = |number: u32| known.iter().any(|field| field.name == ContactField::Custom(number).name());
    let mut faults: Vec<FieldError> = Vec::new();
    let filter = match &request.filter {
        Some(GridFilter(value)) => filter::parse_filter(value, "filter", &is_defined).map(Some),
        None => Ok(None),
    };
    let filter = filter.unwrap_or_else(|mut found| {
        faults.append(&mut found);
        None
    });
    let keys: Vec<_> = request.sort.into_iter().map(|key| (key.field, key.order)).collect();
    let sort = filter::parse_sort(&keys, "sort", &is_defined).unwrap_or_else(|mut found| {
        faults.append(&mut found);
        Vec::new()
    });
    if request.text.as_ref().is_some_and(|text| text.chars().count() > filter::VALUE_MAX) {
        faults.push(FieldError::new("text", format!("has at most {} characters", filter::VALUE_MAX), Value::Null));
    }
    if faults.is_empty() {
        Ok(ViewSpec { list, filter, text: request.text, sort, has_deleted: request.has_deleted })
    } else {
        Err(CommandError::invalid(faults))
    }
}

pub(crate) fn open(app: &App, _: &Actor, request: GridOpen) -> Result<GridOpened, CommandError> {
    let spec = to_spec(app, request)?;
    let account = app.account()?;
    let (view, _) = account.grid().open(&account.core, spec)?;
    let state = account.grid().read_status(&account.core, view, None, OPEN_WAIT)?;
    let ViewStatus { generation, is_building, total, deleted, is_exact, .. } = state;
    Ok(GridOpened { view: view.0, generation, total, deleted, is_exact, is_building })
}

pub(crate) fn state(app: &App, _: &Actor, request: GridStateGet) -> Result<ViewStatus, CommandError> {
    let account = app.account()?;
    let wait = Duration::from_millis(request.wait_ms.unwrap_or(0).min(WAIT_MAX).into());
    Ok(account.grid().read_status(&account.core, ViewId(request.view), request.generation, wait)?)
}

pub(crate) fn refresh(app: &App, _: &Actor, request: GridView) -> Result<Done, CommandError> {
    let account = app.account()?;
    account.grid().refresh(&account.core, ViewId(request.view))?;
    Ok(Done {})
}

pub(crate) fn cancel(app: &App, _: &Actor, request: GridView) -> Result<Done, CommandError> {
    app.account()?.grid().cancel(ViewId(request.view))?;
    Ok(Done {})
}

pub(crate) fn close(app: &App, _: &Actor, request: GridView) -> Result<Done, CommandError> {
    app.account()?.grid().close(ViewId(request.view));
    Ok(Done {})
}

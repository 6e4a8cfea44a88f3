//! Commands that add pasted contacts, and preview the result.

use roost_ops::{
    Actor,
    contact::{self as act, FieldValues, PastedRow},
};
use serde::{Deserialize, Serialize};

use super::list_id;
use crate::{accounts::App, error::CommandError};

use roost_model::error::FieldError;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ContactPaste {
    /// The UID of a list.
    pub list: String,
    /// Values by field name, one object for each row. At most 10,000.
    #[cfg_attr(feature = "ts", ts(type = "Array<{ [field: string]: string | null }>"))]
    pub contacts: Vec<FieldValues>,
    /// The region of numbers without a country code. Null means that of the account.
    pub region: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ContactPasted {
    pub added: u64,
    /// Rows that were not added.
    pub faults: Vec<PasteFault>,
    /// Facts about the other rows. Only in a preview.
    pub rows: Vec<PastedRow>,
}

/// A row that was not added.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct PasteFault {
    /// Counted from 0.
    pub row: usize,
    pub faults: Vec<FieldError>,
}

/// Returns the result of pasting these rows, without pasting them.
pub(crate) fn paste_preview(app: &App, _: &Actor, request: ContactPaste) -> Result<ContactPasted, CommandError> {
    let list = list_id("list", &request.list)?;
    let (core, region) = (app.core()?, request.region.as_deref());
    let (pasted, known) = act::preview_paste(&core, &list, &request.contacts, region)?;
    Ok(ContactPasted { rows: known, ..pasted.into() })
}

pub(crate) fn paste(app: &App, by: &Actor, request: ContactPaste) -> Result<ContactPasted, CommandError> {
    let list = list_id("list", &request.list)?;
    Ok(act::paste(&app.core()?, by, &list, &request.contacts, request.region.as_deref())?.into())
}

impl From<act::PasteSummary> for ContactPasted {
    fn from(act::PasteSummary { added, faults }: act::PasteSummary) -> Self {
        let faults = faults.into_iter().map(|(row, faults)| PasteFault { row, faults });
        Self { added, faults: faults.collect(), rows: Vec::new() }
    }
}

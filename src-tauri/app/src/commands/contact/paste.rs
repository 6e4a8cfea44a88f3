//! Pasted contacts: what adding them would do, and doing it.

use roost_ops::{
    By,
    contact::{self as act, FieldValues},
};
use serde::{Deserialize, Serialize};

use super::list_id;
use crate::{
    accounts::App,
    error::{CommandError, FieldFault},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ContactPaste {
    /// A list's uid.
    pub list: String,
    /// Values by field name, a row each; at most 10,000.
    #[cfg_attr(feature = "ts", ts(type = "Array<{ [field: string]: string | null }>"))]
    pub contacts: Vec<FieldValues>,
    /// In which numbers without a country code are read; null: that of the account.
    pub region: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ContactPasted {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub added: u64,
    /// Rows that were left out.
    pub faults: Vec<PasteFault>,
}

/// A row that was left out.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PasteFault {
    /// Counted from zero.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub row: usize,
    pub faults: Vec<FieldFault>,
}

/// What pasting these rows would do.
pub fn paste_preview(app: &App, _: &By, request: ContactPaste) -> Result<ContactPasted, CommandError> {
    let list = list_id("list", &request.list)?;
    Ok(act::rehearse(&app.core()?, &list, &request.contacts, request.region.as_deref())?.into())
}

pub fn paste(app: &App, by: &By, request: ContactPaste) -> Result<ContactPasted, CommandError> {
    let list = list_id("list", &request.list)?;
    Ok(act::paste(&app.core()?, by, &list, &request.contacts, request.region.as_deref())?.into())
}

impl From<act::Pasted> for ContactPasted {
    fn from(act::Pasted { added, faults }: act::Pasted) -> Self {
        let faults = faults
            .into_iter()
            .map(|(row, faults)| PasteFault { row, faults: faults.into_iter().map(FieldFault::from).collect() });
        Self { added, faults: faults.collect() }
    }
}

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
    /// What is known of the others; of a preview only.
    pub rows: Vec<PasteRow>,
}

/// What is known of the numbers of a row that can be added.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PasteRow {
    /// Counted from zero.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub row: usize,
    pub numbers: Vec<String>,
    /// A contact of the list has one of them.
    pub is_in_list: bool,
    /// One of them is opted out of its channel.
    pub is_opted_out: bool,
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
    let (core, region) = (app.core()?, request.region.as_deref());
    let (pasted, known) = act::rehearse(&core, &list, &request.contacts, region)?;
    let rows = known.into_iter().map(|act::PastedRow { row, numbers, is_in_list, is_opted_out }| PasteRow {
        row,
        numbers,
        is_in_list,
        is_opted_out,
    });
    Ok(ContactPasted { rows: rows.collect(), ..pasted.into() })
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
        Self { added, faults: faults.collect(), rows: Vec::new() }
    }
}

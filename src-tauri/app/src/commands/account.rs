//! Commands on the account as a whole.

use roost_ops::{By, Core};
use serde::{Deserialize, Serialize};

use crate::{accounts::App, error::CommandError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct AccountOpen {}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Account {
    pub name: String,
    pub path: String,
    pub schema_version: i32,
}

impl Account {
    pub fn of(app: &App) -> Self {
        let place = app.place();
        Self {
            name: place.name.clone(),
            path: place.path.to_string_lossy().into_owned(),
            schema_version: Core::schema_version(),
        }
    }
}

pub fn open(app: &App, _: &By, _: AccountOpen) -> Result<Account, CommandError> {
    app.reopen()?;
    Ok(Account::of(app))
}

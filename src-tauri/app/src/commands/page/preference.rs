//! Commands on preferences, which apply to every account.

use roost_ops::By;
use serde::{Deserialize, Serialize};

use crate::{accounts::App, error::CommandError, preferences::Object};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PreferencesGet {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PreferencesPut {
    /// Merged key by key. Null removes a key.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub patch: Object,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PreferencesAnswer {
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub preferences: Object,
}

pub fn get(app: &App, _: &By, _: PreferencesGet) -> Result<PreferencesAnswer, CommandError> {
    Ok(PreferencesAnswer { preferences: app.preferences().get() })
}

pub fn put(app: &App, _: &By, request: PreferencesPut) -> Result<PreferencesAnswer, CommandError> {
    Ok(PreferencesAnswer { preferences: app.preferences().put(request.patch)? })
}

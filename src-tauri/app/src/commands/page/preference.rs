//! Commands on preferences, which apply to every account.

use roost_ops::Actor;
use serde::{Deserialize, Serialize};

use crate::{accounts::App, commands::Nothing, error::CommandError, preferences::PreferenceMap};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct PreferencesPut {
    /// Merged key by key. Null removes a key.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub patch: PreferenceMap,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct PreferencesAnswer {
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub preferences: PreferenceMap,
}

pub(crate) fn get(app: &App, _: &Actor, _: Nothing) -> Result<PreferencesAnswer, CommandError> {
    Ok(PreferencesAnswer { preferences: app.preferences().get() })
}

pub(crate) fn put(app: &App, _: &Actor, request: PreferencesPut) -> Result<PreferencesAnswer, CommandError> {
    Ok(PreferencesAnswer { preferences: app.preferences().put(request.patch)? })
}

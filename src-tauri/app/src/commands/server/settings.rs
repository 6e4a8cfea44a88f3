//! Commands on the settings of the local server.

use roost_emulator::{SETTINGS, Settings};
use roost_ops::Actor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{accounts::App, commands::Nothing, error::CommandError};

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ServerSetting {
    pub name: String,
    pub doc: String,
    /// A description of the values that the setting accepts.
    pub values: String,
    /// The possible values, if there is a fixed set.
    pub choices: Vec<String>,
    /// Only the first characters of a key are shown.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub value: Value,
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub default: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ServerSet {
    pub name: String,
    /// A text, a number, or a list.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub value: Value,
}

fn describe_settings(settings: &Settings) -> Vec<ServerSetting> {
    let (mut values, mut defaults) = (settings.to_json(), Settings::default().to_json());
    let setting = |setting: roost_emulator::Setting| ServerSetting {
        name: setting.name.to_owned(),
        doc: setting.doc.to_owned(),
        values: setting.values.to_owned(),
        choices: setting.choices().into_iter().map(str::to_owned).collect(),
        value: values[setting.name].take(),
        default: defaults[setting.name].take(),
    };
    SETTINGS.into_iter().map(setting).collect()
}

pub(crate) fn all(app: &App, _: &Actor, _: Nothing) -> Result<Vec<ServerSetting>, CommandError> {
    Ok(describe_settings(&app.server().settings()))
}

pub(crate) fn set(app: &App, by: &Actor, request: ServerSet) -> Result<Vec<ServerSetting>, CommandError> {
    app.server().change_setting(by, &request.name, &request.value)?;
    Ok(describe_settings(&app.server().settings()))
}

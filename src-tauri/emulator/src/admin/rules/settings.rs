//! Shows and changes the settings while the server runs.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::{error::AdminError, route::AdminRequest};
use crate::{
    door::WorldVisit,
    settings::{SETTINGS, Settings},
    world::change_settings,
};

/// Settings by name. Some values are numbers or lists.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct SettingsByName(BTreeMap<String, Value>);

impl JsonSchema for SettingsByName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Settings".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "object", "additionalProperties": false });
        let property = |setting: &crate::settings::Setting| {
            let mut described = serde_json::json!({ "description": format!("Takes {}.", setting.values) });
            let choices = setting.choices();
            if !choices.is_empty() {
                // A number may also be sent as a JSON number.
                let numbers: Vec<u16> = choices.iter().filter_map(|choice| choice.parse().ok()).collect();
                if numbers.is_empty() {
                    described["enum"] = serde_json::json!(choices);
                } else {
                    described["anyOf"] = serde_json::json!([
                        { "type": "string", "enum": choices },
                        { "type": "integer", "enum": numbers },
                    ]);
                }
            }
            (setting.name.to_owned(), described)
        };
        schema.insert("properties".to_owned(), SETTINGS.iter().map(property).collect());
        schema
    }
}

fn to_settings_by_name(settings: &crate::settings::Settings) -> SettingsByName {
    match settings.to_json() {
        Value::Object(map) => SettingsByName(map.into_iter().collect()),
        _ => SettingsByName(BTreeMap::new()),
    }
}

pub(crate) fn get_settings(visit: &WorldVisit, _: &AdminRequest) -> Result<SettingsByName, AdminError> {
    Ok(to_settings_by_name(&visit.rules.settings))
}

pub(crate) fn put_settings(
    visit: &WorldVisit,
    asked: &AdminRequest,
    wanted: SettingsByName,
) -> Result<SettingsByName, AdminError> {
    let mut all: BTreeMap<String, Value> = match Settings::default().to_json() {
        Value::Object(defaults) => defaults.into_iter().collect(),
        _ => BTreeMap::new(),
    };
    all.extend(wanted.0);
    patch_settings(visit, asked, SettingsByName(all))
}

pub(crate) fn patch_settings(
    visit: &WorldVisit,
    _: &AdminRequest,
    wanted: SettingsByName,
) -> Result<SettingsByName, AdminError> {
    let changes = wanted.0.iter().map(|(name, value)| (name.as_str(), value));
    let rules = change_settings(visit.world(), changes)?;
    Ok(to_settings_by_name(&rules.settings))
}

//! The settings, read and changed while the server runs.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{refused::Refused, route::Asked};
use crate::{
    settings::{Auth, SETTINGS},
    world::World,
};

/// Settings by name. Values may be texts, and numbers and lists as such.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct SettingsByName(BTreeMap<String, Value>);

impl JsonSchema for SettingsByName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Settings".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "object", "additionalProperties": false });
        let property = |setting: &crate::settings::Setting| {
            let described = serde_json::json!({ "description": format!("Takes {}.", setting.values) });
            (setting.name.to_owned(), described)
        };
        schema.insert("properties".to_owned(), SETTINGS.iter().map(property).collect());
        schema
    }
}

fn shown(settings: &crate::settings::Settings) -> SettingsByName {
    match settings.to_json() {
        Value::Object(map) => SettingsByName(map.into_iter().collect()),
        _ => SettingsByName(BTreeMap::new()),
    }
}

pub fn get(world: &World, _: &Asked) -> Result<SettingsByName, Refused> {
    Ok(shown(&world.rules().settings))
}

pub fn put(world: &World, _: &Asked, wanted: SettingsByName) -> Result<SettingsByName, Refused> {
    let rules = world.change_settings(|settings| {
        let set = |(name, value): (&String, &Value)| settings.set_json(name, value);
        wanted.0.iter().try_for_each(set).map_err(|error| Refused::invalid(format!("{error}.")))?;
        if world.is_reachable && (settings.auth != Auth::Keys || settings.keys.is_empty()) {
            return Err(Refused::invalid(
                "Other machines can reach this server, so auth stays on keys, and there is one.",
            ));
        }
        Ok(())
    })?;
    Ok(shown(&rules.settings))
}

//! Shows and changes the settings while the server runs.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    super::{error::AdminError, route::AdminRequest},
    warnings::profile_reason,
};
use crate::{
    door::WorldVisit,
    settings::{AuthSetting, LimitSwitch, SETTINGS, Settings},
    work::change_settings,
    world::World,
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
    request: &AdminRequest,
    wanted: SettingsByName,
) -> Result<SettingsByName, AdminError> {
    let mut all: BTreeMap<String, Value> = match Settings::default().to_json() {
        Value::Object(defaults) => defaults.into_iter().collect(),
        _ => BTreeMap::new(),
    };
    let given: Vec<String> = wanted.0.keys().cloned().collect();
    all.extend(wanted.0);
    apply_settings(visit, request, &all, &given)
}

pub(crate) fn patch_settings(
    visit: &WorldVisit,
    request: &AdminRequest,
    wanted: SettingsByName,
) -> Result<SettingsByName, AdminError> {
    let given: Vec<String> = wanted.0.keys().cloned().collect();
    apply_settings(visit, request, &wanted.0, &given)
}

fn apply_settings(
    visit: &WorldVisit,
    request: &AdminRequest,
    wanted: &BTreeMap<String, Value>,
    given: &[String],
) -> Result<SettingsByName, AdminError> {
    let changes = wanted.iter().map(|(name, value)| (name.as_str(), value));
    let rules = change_settings(visit.world(), changes)?;
    // Who writes back what was read means nothing by the values that are the usual ones.
    let usual = Settings::default();
    for name in given.iter().filter(|name| !rules.settings.has_same_value(&usual, name)) {
        if let Some(why) = find_idle_reason(visit.world(), &rules.settings, name) {
            request.warn_of_idle(name, &why);
        }
    }
    Ok(to_settings_by_name(&rules.settings))
}

/// Returns why this setting has no effect beside the others.
fn find_idle_reason(world: &World, settings: &Settings, name: &str) -> Option<String> {
    let profile = world.faults.profile_limit().map(|(_, profile)| profile_reason(profile));
    match name {
        "limits" => profile,
        "limits.per_second" => {
            profile.or_else(|| (settings.limits == LimitSwitch::Off).then(|| "while limits is off".to_owned()))
        }
        "auth.keys" => {
            // The world's own keys are among them, whatever was given.
            let has_others = settings.keys.iter().any(|key| !world.keys.contains(&key.value));
            let why = match settings.auth {
                AuthSetting::Keys => return None,
                AuthSetting::Any => "while auth is any. Set auth to keys",
                AuthSetting::Off => "while auth is off. Set auth to keys",
            };
            has_others.then(|| why.to_owned())
        }
        "callback.retries" => {
            let has_own = world.work.callback_tracker().policy().backoff.is_some();
            has_own.then(|| "while the callback policy has a backoff of its own".to_owned())
        }
        _ => None,
    }
}

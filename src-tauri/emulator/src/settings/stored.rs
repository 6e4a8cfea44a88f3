//! The stored form of the settings of a world: by name, and without the keys.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use super::{KEYS_SETTING, LimitOptions, Settings};

/// The stored form of [`Settings`].
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredSettings {
    values: Map<String, Value>,
    limit: LimitOptions,
    assumed_header: bool,
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Every field is named here, so that a new field must be stored or get a reason why it is not.
        let Self {
            limit,
            assumed_header,
            // Keys are secrets and are never stored; the reader keeps the keys it has.
            keys: _,
            // These fields are stored by name, in `values`.
            auth: _,
            limits: _,
            per_second: _,
            list_create: _,
            contact_create: _,
            optout_delete: _,
            unknown_on_delete: _,
            entries: _,
            asset_fields: _,
            unique_names: _,
            short_link_base: _,
            retries: _,
            strictness: _,
        } = self;
        let Value::Object(mut values) = self.to_json() else { return Err(serde::ser::Error::custom("not an object")) };
        values.remove(KEYS_SETTING);
        StoredSettings { values, limit: *limit, assumed_header: *assumed_header }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredSettings { values, limit, assumed_header } = StoredSettings::deserialize(deserializer)?;
        if !(400..=599).contains(&limit.status) {
            return Err(de::Error::custom("limit.status: expected an error status from 400 to 599"));
        }
        let mut settings = Self { limit, assumed_header, ..Self::default() };
        for (name, value) in values.iter().filter(|(name, _)| *name != KEYS_SETTING) {
            settings.set_json(name, value).map_err(de::Error::custom)?;
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ApiKey, AuthSetting, HumanDuration, LimitAlgorithm, LimitScope, RetryAfter};

    #[test]
    fn settings_come_back_as_they_were_but_for_the_keys() {
        let mut settings = Settings { auth: AuthSetting::Keys, assumed_header: true, ..Settings::default() };
        for (name, value) in [
            ("limits", "off"),
            ("limits.per_second", "25"),
            ("status.list_create", "201"),
            ("status.contact_create", "202"),
            ("status.opt_out_delete", "202"),
            ("unknown_on_delete", "404"),
            ("opt_outs.entries", "all"),
            ("opt_outs.asset_fields", "asset"),
            ("lists.unique_names", "on"),
            ("short_link_base", "https://sl.example"),
            ("callback.retries", "1,2"),
            ("strict.body_fields", "warn"),
            ("strict.parameters", "refuse"),
            ("strict.content_type", "warn"),
            ("strict.deprecated_forms", "refuse"),
        ] {
            settings.set(name, value).expect(name);
        }
        settings.limit = LimitOptions {
            algorithm: LimitAlgorithm::FixedWindow,
            burst: Some(7),
            scope: LimitScope::World,
            status: 503,
            retry_after: RetryAfter::After(HumanDuration(std::time::Duration::from_secs(9))),
        };
        settings.keys = vec![ApiKey::with_all_permissions("a-secret-key".to_owned())];
        let written = serde_json::to_string(&settings).expect("written");
        assert!(!written.contains("a-secret"), "{written}");
        let read: Settings = serde_json::from_str(&written).expect("read");
        assert_eq!(read, Settings { keys: Vec::new(), ..settings });
        serde_json::from_str::<Settings>(&written.replace("503", "101")).expect_err("no error status");
    }
}

//! The settings of the emulator by name. They cover the points at which the service may differ from what the emulator
//! assumes.

pub(crate) mod encoding;
mod human_duration;
mod key;
mod limit;
mod nearest_name;
mod stored;
mod strictness;

use std::fmt;

use roost_model::{opt_out::AssetFields, short_link::is_web_address};
use roost_ops::list::UniqueNames;
use roost_wire::opt_out::ProcessedEntries;
use serde_json::{Value, json};

pub use human_duration::HumanDuration;
pub(crate) use key::ApiKey;
pub(crate) use limit::{LimitAlgorithm, LimitOptions, LimitScope, RateLimit, RetryAfter};
pub(crate) use nearest_name::nearest_name;
pub(crate) use strictness::Reaction;
pub use strictness::Strictness;

/// The reason why a change of settings was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsChangeError {
    #[error("{0}.")]
    Setting(#[from] SettingError),
    #[error("Other machines can reach this server, so auth must be keys, with at least one key.")]
    Reachable,
    #[error("The server has stopped.")]
    Ended,
}

/// Which callers are admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuthSetting {
    /// Everybody who sends a key that is not blank.
    #[default]
    Any,
    /// Everybody; the key is not read.
    Off,
    /// Only the keys of the setting `auth.keys`.
    Keys,
}

/// Whether requests are limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LimitSwitch {
    #[default]
    On,
    Off,
}

/// The status of a request that deletes something unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownOnDelete {
    #[default]
    BadRequest,
    NotFound,
}

/// The settings of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub auth: AuthSetting,
    pub keys: Vec<ApiKey>,
    pub limits: LimitSwitch,
    pub per_second: u32,
    /// The rest of the limit. Only `PATCH /__admin/limits` changes it.
    pub limit: LimitOptions,
    pub list_create: u16,
    pub contact_create: u16,
    pub optout_delete: u16,
    pub unknown_on_delete: UnknownOnDelete,
    pub entries: ProcessedEntries,
    pub asset_fields: AssetFields,
    pub unique_names: UniqueNames,
    /// `None` means `{base_url}/s`.
    pub short_link_base: Option<String>,
    /// The seconds to wait before each further attempt.
    pub retries: Vec<u32>,
    pub strictness: Strictness,
    /// Whether responses name the assumptions that shaped them. This is no setting of the interface, so it has no name
    /// in [`SETTINGS`].
    pub assumed_header: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            auth: AuthSetting::default(),
            keys: Vec::new(),
            limits: LimitSwitch::default(),
            per_second: 10,
            limit: LimitOptions::default(),
            list_create: 200,
            contact_create: 200,
            optout_delete: 200,
            unknown_on_delete: UnknownOnDelete::default(),
            entries: ProcessedEntries::default(),
            asset_fields: AssetFields::default(),
            unique_names: UniqueNames::default(),
            short_link_base: None,
            retries: vec![60, 60, 60],
            strictness: Strictness::default(),
            assumed_header: false,
        }
    }
}

/// A setting: its name, its allowed values in words, and its purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    pub name: &'static str,
    pub values: &'static str,
    pub doc: &'static str,
}

const fn new_setting(name: &'static str, values: &'static str, doc: &'static str) -> Setting {
    Setting { name, values, doc }
}

pub const SETTINGS: [Setting; 17] = [
    new_setting(
        "auth",
        "any, off, keys",
        "Who is accepted: callers with any key, all callers, or callers with one of \
     auth.keys",
    ),
    new_setting(
        KEYS_SETTING,
        "keys separated by commas, or a JSON array of keys or of {value, enabled, permissions, addresses}",
        "The keys for auth=keys. They stay in memory, and only their beginning is shown",
    ),
    new_setting("limits", "on, off", "Whether requests per second are limited"),
    new_setting(
        "limits.per_second",
        "a whole number from 1 to 1000000",
        "Requests per second for each key and operation. More are answered 429",
    ),
    new_setting("status.list_create", "200, 201", "The status for a created list"),
    new_setting("status.contact_create", "200, 201, 202", "The status for queued contacts"),
    new_setting("status.opt_out_delete", "200, 201, 202", "The status for removed opt-outs"),
    new_setting("unknown_on_delete", "400, 404", "The status when the list or contact to delete does not exist"),
    new_setting("opt_outs.entries", "first, all", "How many entries of a request to create opt-outs count"),
    new_setting("opt_outs.asset_fields", "keyword, asset", "Which opt-outs name their asset"),
    new_setting("lists.unique_names", "off, on", "Whether two lists can have the same name"),
    new_setting(
        "short_link_base",
        "an absolute http or https address without a final slash, or nothing",
        "The base of short URLs. When empty, this server's own address",
    ),
    new_setting(
        "callback.retries",
        "seconds separated by commas, or nothing for a single attempt",
        "How long to wait before each retry of a callback",
    ),
    new_setting(
        strictness::BODY_FIELDS,
        strictness::VALUES,
        "What happens to a request whose body has a field that the operation does not have",
    ),
    new_setting(
        strictness::PARAMETERS,
        strictness::VALUES,
        "What happens to a request whose query has a parameter that the operation does not have",
    ),
    new_setting(
        strictness::CONTENT_TYPE,
        strictness::VALUES,
        "What happens to a request that has a body and no content type",
    ),
    new_setting(
        strictness::DEPRECATED_FORMS,
        strictness::VALUES,
        "What happens to a request with a plus sign that is not encoded, or with a page number as text",
    ),
];

/// The setting whose value is secret.
const KEYS_SETTING: &str = "auth.keys";

impl Setting {
    /// Returns the allowed values if they are a fixed list; otherwise returns nothing.
    pub fn choices(&self) -> Vec<&'static str> {
        let is_list = self.values.split(", ").all(|value| value.bytes().all(|b| b.is_ascii_alphanumeric()));
        if is_list { self.values.split(", ").collect() } else { Vec::new() }
    }

    /// Returns the name of the environment variable for this setting.
    pub fn environment_variable(&self) -> String {
        format!("ROOST_SET_{}", self.name.to_ascii_uppercase().replace('.', "_"))
    }
}

/// The reason why a setting was not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingError {
    Unknown { name: String, suggestion: Option<&'static str> },
    BadValue { setting: Setting, given: String, why: Option<String> },
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, suggestion: Some(near) } => {
                write!(f, "Unknown setting '{name}'. Did you mean '{near}'?")
            }
            Self::Unknown { name, suggestion: None } => {
                let names: Vec<_> = SETTINGS.iter().map(|s| s.name).collect();
                write!(f, "Unknown setting '{name}'. Settings: {}", names.join(", "))
            }
            Self::BadValue { setting, given, why } => {
                write!(f, "'{given}' is not a valid value for {}. Expected {}", setting.name, setting.values)?;
                why.as_ref().map_or(Ok(()), |why| write!(f, " ({why})"))
            }
        }
    }
}

impl std::error::Error for SettingError {}

impl SettingError {
    /// Returns the name that was given.
    pub fn setting_name(&self) -> &str {
        match self {
            Self::Unknown { name, .. } => name,
            Self::BadValue { setting, .. } => setting.name,
        }
    }
}

/// Finds a setting by its name, or suggests a similar one.
fn find_setting(name: &str) -> Result<Setting, SettingError> {
    SETTINGS.into_iter().find(|s| s.name == name).ok_or_else(|| {
        let near = SETTINGS.iter().map(|s| (strsim::jaro_winkler(name, s.name), s.name));
        let best = near.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(likeness, _)| *likeness > 0.8);
        SettingError::Unknown { name: name.to_owned(), suggestion: best.map(|(_, name)| name) }
    })
}

/// Returns the meaning of a value from the table of allowed values.
fn parse_choice<T: Copy>(value: &str, allowed: &[(&str, T)]) -> Option<T> {
    allowed.iter().find(|(text, _)| *text == value).map(|(_, meaning)| *meaning)
}

fn choice_text<T: PartialEq>(value: &T, allowed: &[(&'static str, T)]) -> &'static str {
    allowed.iter().find(|(_, meaning)| meaning == value).map_or("", |(text, _)| text)
}

const AUTH_CHOICES: [(&str, AuthSetting); 3] =
    [("any", AuthSetting::Any), ("off", AuthSetting::Off), ("keys", AuthSetting::Keys)];
const LIMIT_CHOICES: [(&str, LimitSwitch); 2] = [("on", LimitSwitch::On), ("off", LimitSwitch::Off)];
const STATUS_CHOICES: [(&str, u16); 3] = [("200", 200), ("201", 201), ("202", 202)];
const UNKNOWN_ON_DELETE_CHOICES: [(&str, UnknownOnDelete); 2] =
    [("400", UnknownOnDelete::BadRequest), ("404", UnknownOnDelete::NotFound)];
const ENTRIES_CHOICES: [(&str, ProcessedEntries); 2] =
    [("first", ProcessedEntries::First), ("all", ProcessedEntries::All)];
const ASSET_FIELDS_CHOICES: [(&str, AssetFields); 2] =
    [("keyword", AssetFields::Keyword), ("asset", AssetFields::Asset)];
const UNIQUE_NAMES_CHOICES: [(&str, UniqueNames); 2] = [("off", UniqueNames::Off), ("on", UniqueNames::On)];

impl Settings {
    /// Sets a setting by its name. If the value is refused, nothing changes.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SettingError> {
        let setting = find_setting(name)?;
        let value = value.trim();
        let refused = |why: Option<String>| {
            // A refused key is still a secret, so the error must not quote it.
            let given = if setting.name == KEYS_SETTING { "…" } else { value };
            SettingError::BadValue { setting, given: given.to_owned(), why }
        };
        let bad = || refused(None);
        match setting.name {
            "auth" => self.auth = parse_choice(value, &AUTH_CHOICES).ok_or_else(bad)?,
            KEYS_SETTING => self.keys = key::parse_keys(value).map_err(|why| refused(Some(why)))?,
            "limits" => self.limits = parse_choice(value, &LIMIT_CHOICES).ok_or_else(bad)?,
            "limits.per_second" => {
                self.per_second = value.parse().ok().filter(|n| (1..=1_000_000).contains(n)).ok_or_else(bad)?;
            }
            "status.list_create" => self.list_create = parse_choice(value, &STATUS_CHOICES[..2]).ok_or_else(bad)?,
            "status.contact_create" => self.contact_create = parse_choice(value, &STATUS_CHOICES).ok_or_else(bad)?,
            "status.opt_out_delete" => self.optout_delete = parse_choice(value, &STATUS_CHOICES).ok_or_else(bad)?,
            "unknown_on_delete" => {
                self.unknown_on_delete = parse_choice(value, &UNKNOWN_ON_DELETE_CHOICES).ok_or_else(bad)?
            }
            "opt_outs.entries" => self.entries = parse_choice(value, &ENTRIES_CHOICES).ok_or_else(bad)?,
            "opt_outs.asset_fields" => {
                self.asset_fields = parse_choice(value, &ASSET_FIELDS_CHOICES).ok_or_else(bad)?
            }
            "lists.unique_names" => self.unique_names = parse_choice(value, &UNIQUE_NAMES_CHOICES).ok_or_else(bad)?,
            "short_link_base" => self.short_link_base = parse_short_link_base(value).map_err(refused)?,
            name if name.starts_with(strictness::BEGIN) => {
                *self.strictness.reaction_mut(name).ok_or_else(bad)? =
                    parse_choice(value, &strictness::REACTIONS).ok_or_else(bad)?;
            }
            _ => self.retries = parse_retries(value).ok_or_else(bad)?,
        }
        Ok(())
    }

    /// Returns the limit in force, or `None` if requests are not limited.
    pub fn rate_limit(&self) -> Option<RateLimit> {
        let LimitOptions { algorithm, burst, scope, .. } = self.limit;
        let (per_second, is_on) = (self.per_second, self.limits == LimitSwitch::On);
        is_on.then(|| RateLimit { algorithm, per_second, burst: burst.unwrap_or(per_second), scope })
    }

    /// Copies the limit of other settings.
    pub fn copy_limits_from(&mut self, other: &Self) {
        (self.limits, self.per_second, self.limit) = (other.limits, other.per_second, other.limit);
    }

    /// Returns the base of short URLs for a server at `url`.
    pub fn short_link_base_at(&self, url: &str) -> String {
        self.short_link_base.clone().unwrap_or_else(|| format!("{url}/s"))
    }

    /// Sets a setting from JSON. Numbers and arrays of numbers need no quotation marks.
    pub fn set_json(&mut self, name: &str, value: &Value) -> Result<(), SettingError> {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            Value::Array(items) if items.iter().all(Value::is_number) => {
                items.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
            }
            other => other.to_string(),
        };
        self.set(name, &text)
    }

    /// Returns whether a setting has the same value in other settings. Keys are compared as they are shown.
    pub fn has_same_value(&self, other: &Self, name: &str) -> bool {
        self.to_json()[name] == other.to_json()[name]
    }

    /// Returns all settings by name. Keys are masked.
    pub fn to_json(&self) -> Value {
        json!({
            "auth": choice_text(&self.auth, &AUTH_CHOICES),
            "auth.keys": self.keys.iter().map(ApiKey::to_json).collect::<Vec<_>>(),
            "limits": choice_text(&self.limits, &LIMIT_CHOICES),
            "limits.per_second": self.per_second,
            "status.list_create": self.list_create,
            "status.contact_create": self.contact_create,
            "status.opt_out_delete": self.optout_delete,
            "unknown_on_delete": choice_text(&self.unknown_on_delete, &UNKNOWN_ON_DELETE_CHOICES).parse::<u16>().ok(),
            "opt_outs.entries": choice_text(&self.entries, &ENTRIES_CHOICES),
            "opt_outs.asset_fields": choice_text(&self.asset_fields, &ASSET_FIELDS_CHOICES),
            "lists.unique_names": choice_text(&self.unique_names, &UNIQUE_NAMES_CHOICES),
            "short_link_base": self.short_link_base,
            "callback.retries": self.retries,
            (strictness::BODY_FIELDS): choice_text(&self.strictness.body_fields, &strictness::REACTIONS),
            (strictness::PARAMETERS): choice_text(&self.strictness.parameters, &strictness::REACTIONS),
            (strictness::CONTENT_TYPE): choice_text(&self.strictness.content_type, &strictness::REACTIONS),
            (strictness::DEPRECATED_FORMS): choice_text(&self.strictness.deprecated_forms, &strictness::REACTIONS),
        })
    }
}

/// First path segments that belong to the interface or to the emulator itself.
const RESERVED_SEGMENTS: [&str; 8] =
    ["assets", "contacts", "__admin", "__console", "openapi.json", "w", "livez", "readyz"];

fn parse_short_link_base(value: &str) -> Result<Option<String>, Option<String>> {
    if value.is_empty() {
        return Ok(None);
    }
    let plain = is_web_address(value) && !value.ends_with('/') && !value.contains(['?', '#']);
    let url = url::Url::parse(value).ok().filter(|_| plain).ok_or(None)?;
    let first = url.path_segments().and_then(|mut s| s.next()).unwrap_or_default();
    if RESERVED_SEGMENTS.contains(&first) {
        return Err(Some(format!("paths under /{first} are reserved")));
    }
    Ok(Some(value.to_owned()))
}

fn parse_retries(value: &str) -> Option<Vec<u32>> {
    if value.is_empty() {
        return Some(Vec::new());
    }
    let waits: Option<Vec<u32>> =
        value.split(',').map(|wait| wait.trim().parse().ok().filter(|s| *s <= 86_400)).collect();
    waits.filter(|waits| waits.len() <= 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_what_can_be_set() {
        let counted: Vec<_> = SETTINGS.iter().filter(|setting| !setting.choices().is_empty()).collect();
        assert_eq!(counted.len(), 13);
        for setting in counted {
            for choice in setting.choices() {
                Settings::default().set(setting.name, choice).unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }

    #[test]
    fn every_setting_takes_its_values_and_shows_them() {
        let mut settings = Settings::default();
        let values = [
            ("auth", "keys"),
            ("auth.keys", "first-key, second-key"),
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
            ("callback.retries", "1, 2,3"),
            ("strict.body_fields", "warn"),
            ("strict.parameters", "refuse"),
            ("strict.content_type", "refuse"),
            ("strict.deprecated_forms", "warn"),
        ];
        for (setting, (name, value)) in SETTINGS.iter().zip(values) {
            assert_eq!(setting.name, name);
            settings.set(name, value).expect(name);
            assert_ne!(settings.to_json()[name], Settings::default().to_json()[name], "{name}");
        }
        assert_eq!(settings.to_json()["callback.retries"], json!([1, 2, 3]));
        assert_eq!(settings.to_json()["auth.keys"][0]["value"], "firs…");
        settings.set("callback.retries", "").expect("one try only");
        assert!(settings.retries.is_empty());
    }

    #[test]
    fn bad_names_and_values_say_what_is_meant() {
        let mut settings = Settings::default();
        for (name, value, want) in [
            ("opt_out.entries", "all", "Unknown setting 'opt_out.entries'. Did you mean 'opt_outs.entries'?"),
            ("lists.unique_names", "yes", "'yes' is not a valid value for lists.unique_names. Expected off, on"),
            ("status.list_create", "202", "'202' is not a valid value for status.list_create. Expected 200, 201"),
        ] {
            assert_eq!(settings.set(name, value).expect_err(name).to_string(), want);
        }
        assert!(settings.set("zzz", "1").expect_err("zzz").to_string().contains("Settings: auth, "));
        for (name, value) in [
            ("limits.per_second", "0"),
            ("callback.retries", "1,x"),
            ("callback.retries", ","),
            ("auth", ""),
            ("strict.parameters", "on"),
            ("short_link_base", "https://sl.example/"),
            ("short_link_base", "sl.example"),
            ("short_link_base", "http://127.0.0.1/contacts/x"),
            ("short_link_base", "https://sl.example/s?x=1"),
            ("auth.keys", "[{\"value\":1}]"),
        ] {
            assert!(settings.set(name, value).is_err(), "{name}={value}");
        }
        assert_eq!(settings, Settings::default(), "nothing changed");
        assert_eq!(SETTINGS[3].environment_variable(), "ROOST_SET_LIMITS_PER_SECOND");
    }
}

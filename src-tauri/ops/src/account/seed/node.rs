//! Walks a parsed JSON value and records the path, so that every error names its place.

use serde_json::{Map, Value};

use super::{SeedError, lazy_json};

type Result<T> = std::result::Result<T, SeedError>;

/// A value and its path in the file.
pub(super) struct SeedNode<'v> {
    pub path: String,
    pub value: &'v Value,
}

/// An object that has only known keys.
pub(super) struct SeedObject<'v> {
    pub path: String,
    map: &'v Map<String, Value>,
}

/// Names that other parts of the interface use for the same key. They are too different to be found by similarity.
const OTHER_NAMES: [(&str, &str); 2] = [("whatsapp_number", "whatsapp_id"), ("inbound_asset", "inbound_asset_id")];

/// Returns the known key that was probably meant.
fn nearest_key<'k>(known: &[&'k str], key: &str) -> Option<&'k str> {
    let likeness = |name: &str| strsim::jaro_winkler(name, key);
    let other_name =
        OTHER_NAMES.iter().find(|(other, name)| *other == key && known.contains(name)).map(|(_, name)| *name);
    other_name.or_else(|| {
        known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).filter(|name| likeness(name) > 0.7)
    })
}

impl<'v> SeedNode<'v> {
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(SeedError::invalid_at(self.path.clone(), message))
    }

    /// Returns the value as an object if it has only keys that are in `known` or accepted by `also`.
    pub(super) fn to_object(&self, known: &[&str], also: impl Fn(&str) -> bool) -> Result<SeedObject<'v>> {
        let Value::Object(map) = self.value else { return self.fail("must be an object") };
        if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str()) && !also(key)) {
            let hint = nearest_key(known, key).map(|name| format!(" Did you mean '{name}'?")).unwrap_or_default();
            let path = if self.path.is_empty() { key.clone() } else { format!("{}.{key}", self.path) };
            return Err(SeedError::invalid_at(path, format!("unknown key.{hint} Known keys: {}.", known.join(", "))));
        }
        Ok(SeedObject { path: self.path.clone(), map })
    }

    pub(super) fn items(&self) -> Result<Vec<SeedNode<'v>>> {
        let Value::Array(items) = self.value else { return self.fail("must be an array") };
        Ok(items.iter().enumerate().map(|(i, value)| SeedNode { path: format!("{}[{i}]", self.path), value }).collect())
    }

    pub(super) fn to_text(&self) -> Result<&'v str> {
        self.value.as_str().map_or_else(|| self.fail("must be a text"), Ok)
    }

    pub(super) fn to_flag(&self) -> Result<bool> {
        self.value.as_bool().map_or_else(|| self.fail("must be true or false"), Ok)
    }

    /// Returns what `read` makes of the text, or an error saying that the text must be `what`.
    pub(super) fn parse_text<T>(&self, what: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        let text = self.to_text()?;
        read(text).map_or_else(|| self.fail(format!("'{text}' must be {what}")), Ok)
    }
}

impl<'v> SeedObject<'v> {
    /// Returns the value of a key. A null counts as a missing key.
    pub(super) fn get(&self, key: &str) -> Option<SeedNode<'v>> {
        let value = self.map.get(key).filter(|value| !value.is_null())?;
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Some(SeedNode { path, value })
    }

    pub(super) fn require(&self, key: &str) -> Result<SeedNode<'v>> {
        self.get(key).map_or_else(|| Err(SeedError::invalid_at(self.path.clone(), format!("'{key}' is missing"))), Ok)
    }

    pub(super) fn items(&self, key: &str) -> Result<Vec<SeedNode<'v>>> {
        self.get(key).map_or_else(|| Ok(Vec::new()), |node| node.items())
    }

    /// Visits the items of an array one by one, and returns their number. A missing key has none.
    pub(super) fn visit_items(&self, key: &str, mut visit: impl FnMut(&SeedNode) -> Result<()>) -> Result<u64> {
        let Some(node) = self.get(key) else { return Ok(0) };
        let count = lazy_json::visit_items(node.value, |at, value| {
            visit(&SeedNode { path: format!("{}[{at}]", node.path), value })
        })?;
        count.map_or_else(|| node.fail("must be an array"), |count| Ok(count as u64))
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &'v str> {
        self.map.keys().map(String::as_str)
    }
}

//! Walking a JSON text with the path at hand, so that every complaint names its place.

use serde_json::{Map, Value};

use super::SeedError;

type Result<T> = std::result::Result<T, SeedError>;

/// A value and where it stands.
pub struct Node<'v> {
    pub path: String,
    pub value: &'v Value,
}

/// An object whose keys are all known.
pub struct Object<'v> {
    pub path: String,
    map: &'v Map<String, Value>,
}

/// Names the interface itself has for the same thing elsewhere; no likeness of letters finds them.
const OTHER_NAMES: [(&str, &str); 2] = [("whatsapp_number", "whatsapp_id"), ("inbound_asset", "inbound_asset_id")];

/// The known key that was probably meant.
fn nearest<'k>(known: &[&'k str], key: &str) -> Option<&'k str> {
    let likeness = |name: &str| strsim::jaro_winkler(name, key);
    let other_name =
        OTHER_NAMES.iter().find(|(other, name)| *other == key && known.contains(name)).map(|(_, name)| *name);
    other_name.or_else(|| {
        known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).filter(|name| likeness(name) > 0.7)
    })
}

impl<'v> Node<'v> {
    pub fn fault<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(SeedError::at(self.path.clone(), message))
    }

    /// An object with only the keys that `known` lists or `also` accepts.
    pub fn object(&self, known: &[&str], also: impl Fn(&str) -> bool) -> Result<Object<'v>> {
        let Value::Object(map) = self.value else { return self.fault("must be an object") };
        if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str()) && !also(key)) {
            let hint = nearest(known, key).map(|name| format!(" Did you mean '{name}'?")).unwrap_or_default();
            let path = if self.path.is_empty() { key.clone() } else { format!("{}.{key}", self.path) };
            return Err(SeedError::at(path, format!("unknown key.{hint} Known keys: {}.", known.join(", "))));
        }
        Ok(Object { path: self.path.clone(), map })
    }

    pub fn items(&self) -> Result<Vec<Node<'v>>> {
        let Value::Array(items) = self.value else { return self.fault("must be an array") };
        Ok(items.iter().enumerate().map(|(i, value)| Node { path: format!("{}[{i}]", self.path), value }).collect())
    }

    pub fn text(&self) -> Result<&'v str> {
        self.value.as_str().map_or_else(|| self.fault("must be a text"), Ok)
    }

    pub fn flag(&self) -> Result<bool> {
        self.value.as_bool().map_or_else(|| self.fault("must be true or false"), Ok)
    }

    /// What `read` makes of the text, or the complaint that it must be `what`.
    pub fn parsed<T>(&self, what: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
        let text = self.text()?;
        read(text).map_or_else(|| self.fault(format!("'{text}' must be {what}")), Ok)
    }
}

impl<'v> Object<'v> {
    /// The value of a key; null counts as left out.
    pub fn get(&self, key: &str) -> Option<Node<'v>> {
        let value = self.map.get(key).filter(|value| !value.is_null())?;
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Some(Node { path, value })
    }

    pub fn need(&self, key: &str) -> Result<Node<'v>> {
        self.get(key).map_or_else(|| Err(SeedError::at(self.path.clone(), format!("'{key}' is missing"))), Ok)
    }

    pub fn items(&self, key: &str) -> Result<Vec<Node<'v>>> {
        self.get(key).map_or_else(|| Ok(Vec::new()), |node| node.items())
    }

    pub fn keys(&self) -> impl Iterator<Item = &'v str> {
        self.map.keys().map(String::as_str)
    }
}

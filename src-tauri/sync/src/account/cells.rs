//! Values as the account's tables keep them, and as a merge wants them.

use roost_model::time::Timestamp;
use roost_reconcile::Row;
use serde_json::{Map, Value};

/// What cannot be read is empty: the tables hold what this program wrote.
pub fn row(cells: &str) -> Row {
    serde_json::from_str(cells).unwrap_or_default()
}

pub fn of(row: &Row) -> String {
    serde_json::to_string(row).unwrap_or_default()
}

pub fn text(cells: &str, name: &str) -> String {
    let values: Map<String, Value> = serde_json::from_str(cells).unwrap_or_default();
    values.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A list that changed at the service after it was deleted here, by the time of its last change.
pub fn list(name: &str, updated_at: Option<Timestamp>) -> String {
    made(&[("name", name), ("updated_at", &updated_at.map(Timestamp::iso).unwrap_or_default())])
}

/// Cells of texts in this order, without the empty ones: exactly what the tables make of the same record.
pub fn made(values: &[(&str, &str)]) -> String {
    let members: Vec<String> = values
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| format!("\"{name}\":{}", Value::from(*text)))
        .collect();
    format!("{{{}}}", members.join(","))
}

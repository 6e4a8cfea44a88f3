//! Converts between the cell texts of the account's tables and the rows of a merge.

use roost_model::time::Timestamp;
use roost_reconcile::ContactRow;
use serde_json::{Map, Value};

/// Parses a row. Unreadable cells count as empty, because the tables hold nothing but what this program wrote.
pub fn parse_row(cells: &str) -> ContactRow {
    serde_json::from_str(cells).unwrap_or_default()
}

pub fn to_cells(row: &ContactRow) -> String {
    serde_json::to_string(row).unwrap_or_default()
}

pub fn cell_text(cells: &str, name: &str) -> String {
    let values: Map<String, Value> = serde_json::from_str(cells).unwrap_or_default();
    values.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the name of a contact or, if it has none, its number.
pub fn contact_title(cells: &str) -> String {
    let cell = |name| cell_text(cells, name);
    let name = format!("{} {}", cell("firstname"), cell("lastname"));
    let name = name.trim();
    if !name.is_empty() {
        return name.to_owned();
    }
    let phone = cell("phone_number");
    if phone.is_empty() { cell("whatsapp_number") } else { phone }
}

/// Returns the cells of a list that changed at the service after its local deletion, identified by the time of its last
/// change.
pub fn changed_list_cells(name: &str, updated_at: Option<Timestamp>) -> String {
    build_cells(&[("name", name), ("updated_at", &updated_at.map(Timestamp::to_iso).unwrap_or_default())])
}

/// Builds cells from texts in the given order, without the empty ones, exactly as the tables do for the same record.
pub fn build_cells(values: &[(&str, &str)]) -> String {
    let members: Vec<String> = values
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| format!("\"{name}\":{}", Value::from(*text)))
        .collect();
    format!("{{{}}}", members.join(","))
}

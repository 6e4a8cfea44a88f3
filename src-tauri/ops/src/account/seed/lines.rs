//! Reads a seed written as lines of JSON, one record each, and combines the lines into the single object of a seed.

use std::collections::HashMap;

use serde_json::{Map, Value, map::Entry};

use super::SeedError;

/// Resources whose line is not an item of an array.
const USED_UP: &str = "used_up";
const ACCOUNT: &str = "account";

/// Returns whether a text is in this format: its first line is an object that names its resource.
pub(super) fn are_lines(text: &[u8]) -> bool {
    let first = text.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    serde_json::from_slice::<Map<String, Value>>(first).is_ok_and(|line| line.contains_key("resource"))
}

pub(super) fn read(text: &[u8]) -> Result<Value, SeedError> {
    let mut root: Map<String, Value> = Map::new();
    // The position of each list in the array of lists.
    let mut lists: HashMap<String, usize> = HashMap::new();
    for (at, line) in text.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty()) {
        let place = format!("line {}", at + 1);
        let fault = |message: &str| SeedError::invalid_at(place.clone(), message);
        let record: Result<Map<String, Value>, _> = serde_json::from_slice(line);
        let mut record = record.map_err(|why| fault(&format!("is not a JSON object: {why}")))?;
        let resource = match record.remove("resource") {
            Some(Value::String(resource)) => resource,
            _ => return Err(fault("has no resource, for example \"lists\"")),
        };
        match resource.as_str() {
            "contacts" => {
                let Some(Value::String(list)) = record.remove("list_uid") else {
                    return Err(fault("has no list_uid"));
                };
                let list_record = lists.get(&list).and_then(|at| root.get_mut("lists")?.get_mut(*at)?.as_object_mut());
                let Some(list_record) = list_record else {
                    return Err(fault("belongs to a list that does not come before it"));
                };
                push_record(list_record, "contacts", record)
                    .map_err(|()| fault("belongs to a list whose contacts are in another form"))?;
            }
            USED_UP => drop(root.insert(resource, record.into())),
            ACCOUNT => root.extend(record),
            _ => {
                if let ("lists", Some(Value::String(uid))) = (resource.as_str(), record.get("uid")) {
                    let next = root.get("lists").and_then(Value::as_array).map_or(0, Vec::len);
                    lists.insert(uid.clone(), next);
                }
                push_record(&mut root, &resource, record).map_err(|()| fault("has a resource that is not a list"))?;
            }
        }
    }
    Ok(root.into())
}

fn push_record(map: &mut Map<String, Value>, name: &str, record: Map<String, Value>) -> Result<(), ()> {
    let items = match map.entry(name.to_owned()) {
        Entry::Vacant(none) => none.insert(Value::Array(Vec::new())),
        Entry::Occupied(occupied) => occupied.into_mut(),
    };
    items.as_array_mut().map(|items| items.push(record.into())).ok_or(())
}

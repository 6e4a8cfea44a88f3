//! Cuts records down to what is about one person, because the same row may be about others as well.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    held::{HeldRecord, HeldValue},
    number_text::WantedNumber,
};

/// Members and columns that identify something or say what happened, and are about nobody.
const CONTEXT: [&str; 12] =
    ["at", "id", "import_id", "kind", "list", "list_id", "noun", "operation", "place", "run", "seq", "step"];
/// Tables of which one column lists many contacts.
const LISTS: [(&str, &str); 5] = [
    ("audit", "body"),
    ("jobs", "contacts"),
    ("sync_plan_steps", "body"),
    ("sync_plans", "body"),
    ("sync_steps", "body"),
];
/// Members and columns with the number of whoever the rest is about.
const OWN_NUMBERS: [&str; 6] = ["phone_number", "whatsapp_number", "whatsapp_id", "phone", "whatsapp", "number"];
/// Tables that name a contact by its id.
const OF_CONTACT: [&str; 2] = ["drafts", "job_outcomes"];
/// The number of contacts among the tables that a sync follows.
const CONTACTS: &str = "6";

/// A person, by the number and the ids of the contacts that have it.
#[derive(Clone, Copy)]
pub(super) struct PersonPart<'a> {
    pub wanted: &'a WantedNumber<'a>,
    pub contacts: &'a BTreeSet<i64>,
}

impl PersonPart<'_> {
    /// Leaves what is about the person in a record: all of the person's own row, the person's entries in a list, and
    /// only the texts with the number in a row about somebody else.
    pub(super) fn cut_record(&self, mut record: HeldRecord) -> HeldRecord {
        // The undo memory was cut when it was read.
        if record.table == "row_changes" {
            return record;
        }
        let list = LISTS.iter().find(|(table, _)| record.table == *table).map(|(_, column)| *column);
        if list.is_none() {
            if self.is_own(&record) {
                return record;
            }
            record.is_mention = true;
        }
        record.values.retain(|(name, value)| list == Some(name.as_str()) || self.is_kept(name, value));
        for (name, value) in &mut record.values {
            let HeldValue::Text(text) = &*value else { continue };
            if list != Some(name.as_str()) {
                if let Some(cut) = self.cut_cell(text) {
                    *value = HeldValue::Text(cut);
                }
            } else if record.table == "jobs" {
                *value = self.cut_job(text);
            } else {
                *value = self.cut_body(text);
            }
        }
        record
    }

    /// Returns whether a value says what a row is, or contains the number.
    fn is_kept(&self, name: &str, value: &HeldValue) -> bool {
        match value {
            HeldValue::Text(text) => name == "act" || name == "field" || self.wanted.is_in_bytes(text.as_bytes()),
            HeldValue::Number(_) => CONTEXT.contains(&name),
            HeldValue::Empty => false,
        }
    }

    fn is_own(&self, record: &HeldRecord) -> bool {
        let text = |wanted: &str| {
            record.values.iter().find_map(|(name, value)| match value {
                HeldValue::Text(text) | HeldValue::Number(text) if name == wanted => Some(text.as_str()),
                _ => None,
            })
        };
        let is_contact =
            |name: &str| text(name).and_then(|id| id.parse::<i64>().ok()).is_some_and(|id| self.contacts.contains(&id));
        match record.table.as_str() {
            "contacts" | "opt_outs" | "opt_out_events" => {
                OWN_NUMBERS.iter().any(|name| text(name) == Some(self.wanted.e164))
            }
            "clicks" => text("recipient").is_some_and(|recipient| self.wanted.is_in_bytes(recipient.as_bytes())),
            "import_rejects" => text("cells").is_some_and(|cells| self.has_whole(cells)),
            table if OF_CONTACT.contains(&table) => {
                is_contact("contact_id") || text("text").is_some_and(|draft| self.wanted.is_whole(draft))
            }
            table if table.starts_with("sync_") => {
                text("place") == Some(CONTACTS) && is_contact("id")
                    || text("id").is_some_and(|id| id.split(' ').next() == Some(self.wanted.e164))
                    || text("cells").is_some_and(|cells| self.has_own_number(cells))
            }
            _ => false,
        }
    }

    /// Returns whether one of the cells of a file is the number.
    pub(super) fn has_whole(&self, cells: &str) -> bool {
        let cells: Vec<Value> = serde_json::from_str(cells).unwrap_or_default();
        cells.iter().any(|cell| cell.as_str().is_some_and(|cell| self.wanted.is_whole(cell)))
    }

    fn has_own_number(&self, cells: &str) -> bool {
        let cells: Value = serde_json::from_str(cells).unwrap_or_default();
        cells.as_object().is_some_and(|members| self.is_numbered(members))
    }

    fn cut_body(&self, text: &str) -> HeldValue {
        let body: Value = serde_json::from_str(text).unwrap_or_default();
        self.find_part(&body).map_or(HeldValue::Empty, |part| HeldValue::Text(part.to_string()))
    }

    /// Returns the entries of a waiting job that have the number, and of others what mentions it.
    fn cut_job(&self, text: &str) -> HeldValue {
        let contacts: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        let part = |contact: &Value| match self.is_own_entry(contact) {
            true => Some(contact.clone()),
            false => self.find_part(contact),
        };
        let parts: Vec<Value> = contacts.iter().filter_map(part).collect();
        HeldValue::Text(Value::from(parts).to_string())
    }

    /// Returns whether an entry of a job has the number. It begins with phone and WhatsApp number.
    fn is_own_entry(&self, contact: &Value) -> bool {
        [&contact[0][0], &contact[1][0]].iter().any(|number| number.as_str() == Some(self.wanted.e164))
    }

    pub(super) fn cut_cell(&self, text: &str) -> Option<String> {
        if text.starts_with(['{', '['])
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            return self.find_part(&value).map(|part| part.to_string());
        }
        self.wanted.cut_text(text)
    }

    /// Returns what a value has about the person, with what says where it stands.
    fn find_part(&self, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) => self.wanted.cut_text(text).map(Value::String),
            Value::Array(items) => {
                let parts: Vec<Value> = items.iter().filter_map(|item| self.find_part(item)).collect();
                (!parts.is_empty()).then_some(Value::Array(parts))
            }
            Value::Object(members) if self.is_of_person(members) => Some(value.clone()),
            Value::Object(members) => {
                let find = |(name, member): (&String, &Value)| Some((name.clone(), self.find_part(member)?));
                let mut parts: Map<String, Value> = members.iter().filter_map(find).collect();
                if parts.is_empty() {
                    return None;
                }
                let is_context = |(name, member): &(&String, &Value)| {
                    CONTEXT.contains(&name.as_str()) && !member.is_array() && !member.is_object()
                };
                for (name, member) in members.iter().filter(is_context) {
                    parts.entry(name.clone()).or_insert_with(|| member.clone());
                }
                Some(Value::Object(parts))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn is_numbered(&self, members: &Map<String, Value>) -> bool {
        let is_it = |name: &&str| members.get(*name).and_then(Value::as_str) == Some(self.wanted.e164);
        OWN_NUMBERS.iter().any(is_it)
    }

    /// Returns whether an object is about the person as a whole: an entry for a contact, or one with the number.
    fn is_of_person(&self, members: &Map<String, Value>) -> bool {
        let is_contact = |members: &Map<String, Value>| {
            members.get("id").and_then(Value::as_i64).is_some_and(|id| self.contacts.contains(&id))
        };
        let is_entry = ["cells", "send", "before", "uid"].iter().any(|name| members.contains_key(*name));
        let subject = members.get("subject").and_then(Value::as_object);
        self.is_numbered(members)
            || is_entry && !["rows", "items"].iter().any(|name| members.contains_key(*name)) && is_contact(members)
            || subject
                .is_some_and(|subject| subject.get("noun").is_some_and(|noun| noun == "contact") && is_contact(subject))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const WANTED: WantedNumber = WantedNumber { e164: "+447700900001", national: "7700900001" };

    fn record(table: &str, values: &[(&str, &str)]) -> HeldRecord {
        let values = values.iter().map(|(name, text)| ((*name).to_owned(), HeldValue::Text((*text).to_owned())));
        HeldRecord { table: table.to_owned(), values: values.collect(), is_mention: false }
    }

    fn cut(table: &str, values: &[(&str, &str)]) -> String {
        let contacts = BTreeSet::from([7]);
        format!("{:?}", PersonPart { wanted: &WANTED, contacts: &contacts }.cut_record(record(table, values)))
    }

    #[test]
    fn a_list_of_many_people_is_cut_down_to_one_of_them() {
        let other = json!({ "id": 8, "cells": { "phone_number": "+447700900002", "firstname": "Ben" } });
        let own = json!({ "id": 7, "cells": { "phone_number": "+447700900001", "firstname": "Ada" } });
        let body = json!({ "operation": "contacts.create", "list": 1, "rows": [other, own] }).to_string();
        let why = "Refused: +447700900001 and +447700900002.";
        for (table, _) in LISTS.iter().filter(|(_, column)| *column == "body") {
            let part = cut(table, &[("body", &body), ("why", why)]);
            assert!(part.contains("Ada") && part.contains("contacts.create"), "{part}");
            assert!(!part.contains("Ben") && !part.contains("900002"), "{part}");
        }
        let contacts = json!([
            [["+447700900001", "GB"], null, [[1, "Ada"]], []],
            [["+447700900002", "GB"], null, [[1, "Ben"], [2, "for 07700 900001"]], []],
        ]);
        let part = cut("jobs", &[("contacts", &contacts.to_string()), ("list_name", "Ben's list")]);
        assert!(part.contains("Ada") && part.contains("for 07700 900001") && !part.contains("Ben"), "{part}");
    }

    #[test]
    fn of_a_row_about_somebody_else_only_the_mention_is_left() {
        let part = cut(
            "contacts",
            &[
                ("phone", "+447700900002"),
                ("firstname", "Cleo"),
                ("lastname", "ask 07700 900001 or 07700 900003, cleo@shop.example"),
            ],
        );
        assert!(part.contains("ask 07700 900001 or") && part.contains("is_mention: true"), "{part}");
        assert!(!part.contains("Cleo") && !part.contains("900002") && !part.contains("900003"), "{part}");
        assert!(!part.contains("cleo@"), "{part}");
        let own = cut("contacts", &[("phone", "+447700900001"), ("firstname", "Ada")]);
        assert!(own.contains("Ada") && own.contains("is_mention: false"), "{own}");
    }
}

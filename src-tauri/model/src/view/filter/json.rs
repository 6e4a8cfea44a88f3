//! Parses the JSON form of a filter and of a sort order. Every error has its path.

use serde_json::{Map, Value};

use super::{
    CONDITIONS_MAX, DEPTH_MAX, DateOp, DateTest, DuplicateBy, FilterCondition, FilterExpression, OptedOutOf,
    ReachFilter, SORT_KEYS_MAX, SortKey, TextOp, TimeField, TimeOp, TimeSpan, VALUE_MAX, VALUES_MAX,
};
use crate::{
    channel::Channel,
    contact::ContactField,
    error::FieldError,
    id::{AssetId, ListId},
    page::SortOrder,
    pattern::TextPattern,
    readiness::Readiness,
};

/// Returns whether a custom field is defined.
pub(super) type IsDefined<'a> = &'a dyn Fn(u32) -> bool;

/// Parses a filter and returns all errors.
pub fn parse_filter(value: &Value, path: &str, defined: IsDefined) -> Result<FilterExpression, Vec<FieldError>> {
    let mut reader = FilterReader { defined, conditions: 0, faults: Vec::new() };
    let filter = reader.read_filter(value, path, 1);
    match filter {
        Some(filter) if reader.faults.is_empty() => Ok(filter),
        _ => Err(reader.faults),
    }
}

/// Parses a sort order that names fields.
pub fn parse_sort(
    keys: &[(String, SortOrder)],
    path: &str,
    defined: IsDefined,
) -> Result<Vec<SortKey>, Vec<FieldError>> {
    let mut faults = Vec::new();
    if keys.len() > SORT_KEYS_MAX {
        faults.push(FieldError::new(path, format!("Sort by at most {SORT_KEYS_MAX} columns."), keys.len()));
    }
    let mut sort: Vec<SortKey> = Vec::with_capacity(keys.len());
    for (at, (name, order)) in keys.iter().enumerate() {
        match ContactField::parse(name, defined) {
            // A column that is already in the order has no further effect.
            Some(field) if sort.iter().any(|key| key.field == field) => {}
            Some(field) => sort.push(SortKey { field, order: *order }),
            None => {
                faults.push(FieldError::new(format!("{path}[{at}].field"), "The field was not found.", name.as_str()))
            }
        }
    }
    if faults.is_empty() { Ok(sort) } else { Err(faults) }
}

struct FilterReader<'a> {
    defined: IsDefined<'a>,
    conditions: usize,
    faults: Vec<FieldError>,
}

const FORMS: &str = "A filter is {\"all\": […]}, {\"any\": […]}, {\"not\": …} or one condition.";

impl FilterReader<'_> {
    fn add_error<T>(&mut self, path: &str, message: impl Into<String>, rejected: &Value) -> Option<T> {
        self.faults.push(FieldError::new(path, message, rejected.clone()));
        None
    }

    fn read_filter(&mut self, value: &Value, path: &str, depth: usize) -> Option<FilterExpression> {
        let Value::Object(map) = value else { return self.add_error(path, FORMS, value) };
        if depth > DEPTH_MAX {
            return self.add_error(path, format!("Groups stand at most {DEPTH_MAX} deep in each other."), &Value::Null);
        }
        for (name, make) in [
            ("all", FilterExpression::All as fn(Vec<FilterExpression>) -> FilterExpression),
            ("any", FilterExpression::Any),
        ] {
            let Some(parts) = map.get(name) else { continue };
            self.check_keys(map, &[name], path);
            let path = format!("{path}.{name}");
            let Value::Array(parts) = parts else { return self.add_error(&path, "must be a list of filters", parts) };
            let parts: Vec<Option<FilterExpression>> = parts
                .iter()
                .enumerate()
                .map(|(at, part)| self.read_filter(part, &format!("{path}[{at}]"), depth + 1))
                .collect();
            return parts.into_iter().collect::<Option<Vec<_>>>().map(make);
        }
        if let Some(part) = map.get("not") {
            self.check_keys(map, &["not"], path);
            return self
                .read_filter(part, &format!("{path}.not"), depth + 1)
                .map(|part| FilterExpression::Not(Box::new(part)));
        }
        self.conditions += 1;
        if self.conditions > CONDITIONS_MAX {
            if self.conditions == CONDITIONS_MAX + 1 {
                self.add_error::<()>(path, format!("Give at most {CONDITIONS_MAX} conditions."), &Value::Null);
            }
            return None;
        }
        self.read_condition(map, path).map(FilterExpression::Is)
    }

    fn read_condition(&mut self, map: &Map<String, Value>, path: &str) -> Option<FilterCondition> {
        if let Some(value) = map.get("opted_out") {
            self.check_keys(map, &["opted_out", "reach", "is"], path);
            let scope = self.read_choice(
                value,
                &format!("{path}.opted_out"),
                &OptedOutOf::ALL.map(|scope| (scope.as_str(), scope)),
            );
            let reach = match map.get("reach") {
                Some(reach) => self.read_choice(
                    reach,
                    &format!("{path}.reach"),
                    &ReachFilter::ALL.map(|reach| (reach.as_str(), reach)),
                ),
                None => Some(ReachFilter::Any),
            };
            let is = self.read_is(map, path);
            return Some(FilterCondition::OptedOut { of: scope?, reach: reach?, is: is? });
        }
        if let Some(list) = map.get("in_list") {
            self.check_keys(map, &["in_list", "is"], path);
            let is = self.read_is(map, path);
            let Some(found) = list.as_str().and_then(|uid| ListId::parse(uid).ok()) else {
                return self.add_error(&format!("{path}.in_list"), "must be the uid of a list", list);
            };
            return Some(FilterCondition::InList { list: found, is: is? });
        }
        if let Some(is) = map.get("draft") {
            self.check_keys(map, &["draft"], path);
            return Some(FilterCondition::Draft { is: self.read_bool(is, &format!("{path}.draft"))? });
        }
        if let Some(by) = map.get("duplicate") {
            self.check_keys(map, &["duplicate", "is"], path);
            let by = self.read_choice(by, &format!("{path}.duplicate"), &DuplicateBy::ALL.map(|by| (by.as_str(), by)));
            let is = self.read_is(map, path);
            return Some(FilterCondition::Duplicate { by: by?, is: is? });
        }
        if let Some(status) = map.get("readiness") {
            return self.read_readiness(map, status, path);
        }
        match map.get("field") {
            Some(field) => self.read_field_condition(map, field, path),
            None => self.add_error(path, FORMS, &Value::Object(map.clone())),
        }
    }

    fn read_readiness(&mut self, map: &Map<String, Value>, status: &Value, path: &str) -> Option<FilterCondition> {
        self.check_keys(map, &["readiness", "channel", "asset", "is"], path);
        let statuses = Readiness::ALL.map(|status| (status.as_str(), status));
        let status = self.read_choice(status, &format!("{path}.readiness"), &statuses);
        let channel = map.get("channel").unwrap_or(&Value::Null);
        let channels = [("sms", Channel::Sms), ("whatsapp", Channel::WhatsApp)];
        let channel = self.read_choice(channel, &format!("{path}.channel"), &channels);
        let is = self.read_is(map, path);
        let asset = match map.get("asset") {
            None | Some(Value::Null) => None,
            Some(asset) => {
                let id = asset.as_str().and_then(|id| AssetId::parse(id).ok());
                match id.filter(|id| channel.is_none_or(|channel| id.channel() == channel)) {
                    Some(id) => Some(id),
                    None => {
                        let expected = "must be the id of an inbound number of the channel";
                        return self.add_error(&format!("{path}.asset"), expected, asset);
                    }
                }
            }
        };
        Some(FilterCondition::Readiness { status: status?, channel: channel?, asset, is: is? })
    }

    fn read_field_condition(&mut self, map: &Map<String, Value>, name: &Value, path: &str) -> Option<FilterCondition> {
        if let Some(op) = map.get("time") {
            self.check_keys(map, &["field", "time", "value"], path);
            let field =
                self.read_choice(name, &format!("{path}.field"), &TimeField::ALL.map(|field| (field.as_str(), field)));
            let op = self.read_choice(op, &format!("{path}.time"), &TimeOp::ALL.map(|op| (op.as_str(), op)))?;
            let value = map.get("value").unwrap_or(&Value::Null);
            let Some(span) = value.as_str().and_then(|text| TimeSpan::parse(op, text)) else {
                let wanted = match op {
                    TimeOp::WithinDays => "must be a number of days, such as \"7\"",
                    TimeOp::Before | TimeOp::After | TimeOp::On => {
                        "must be a day or a time, such as 2026-01-05 or 2026-01-05T09:00:00Z"
                    }
                };
                return self.add_error(&format!("{path}.value"), wanted, value);
            };
            return Some(FilterCondition::Time { field: field?, op, span });
        }
        let Some(field) = name.as_str().and_then(|name| ContactField::parse(name, self.defined)) else {
            return self.add_error(&format!("{path}.field"), "The field was not found.", name);
        };
        let is_time = matches!(field, ContactField::CreatedAt | ContactField::UpdatedAt);
        if is_time && map.get("blank").is_none() {
            return self.add_error(&format!("{path}.field"), "Times are compared by \"time\".", name);
        }
        if let Some(op) = map.get("date") {
            return self.read_date_condition(map, field, op, path);
        }
        if let Some(values) = map.get("one_of") {
            self.check_keys(map, &["field", "one_of"], path);
            let path = format!("{path}.one_of");
            let Some(texts) = values.as_array().and_then(|values| values.iter().map(text_or_null).collect()) else {
                return self.add_error(&path, "must be a list of texts, or null for blank", values);
            };
            let values: Vec<Option<String>> = texts;
            if values.len() > VALUES_MAX {
                return self.add_error(&path, format!("Give at most {VALUES_MAX} values."), &values.len().into());
            }
            return Some(FilterCondition::OneOf { field, values });
        }
        if let Some(is) = map.get("blank") {
            self.check_keys(map, &["field", "blank"], path);
            return Some(FilterCondition::Blank { field, is: self.read_bool(is, &format!("{path}.blank"))? });
        }
        self.check_keys(map, &["field", "op", "value", "case"], path);
        let op = map.get("op").unwrap_or(&Value::Null);
        let op = self.read_choice(op, &format!("{path}.op"), &TextOp::ALL.map(|op| (op.as_str(), op)));
        let is_case_sensitive = match map.get("case") {
            Some(case) => self.read_bool(case, &format!("{path}.case")),
            None => Some(false),
        };
        let given = map.get("value").unwrap_or(&Value::Null);
        let path = format!("{path}.value");
        let Value::String(value) = given else { return self.add_error(&path, "must be a text", given) };
        if value.chars().count() > VALUE_MAX {
            return self.add_error(&path, format!("has at most {VALUE_MAX} characters"), &Value::Null);
        }
        let (op, is_case_sensitive) = (op?, is_case_sensitive?);
        if op.is_pattern()
            && let Err(why) = TextPattern::new(value, is_case_sensitive)
        {
            return self.add_error(&path, why, given);
        }
        Some(FilterCondition::Text { field, op, value: value.clone(), is_case_sensitive })
    }

    fn read_date_condition(
        &mut self,
        map: &Map<String, Value>,
        field: ContactField,
        op: &Value,
        path: &str,
    ) -> Option<FilterCondition> {
        self.check_keys(map, &["field", "date", "value", "to"], path);
        if !matches!(field, ContactField::Attribute(_) | ContactField::Custom(_)) {
            return self.add_error(&format!("{path}.field"), "This field holds no dates.", &field.name().into());
        }
        let op = self.read_choice(op, &format!("{path}.date"), &DateOp::ALL.map(|op| (op.as_str(), op)))?;
        let [value, to] = ["value", "to"].map(|name| map.get(name).unwrap_or(&Value::Null));
        match DateTest::parse(op, value, to) {
            Ok(test) => Some(FilterCondition::Date { field, test }),
            Err(fault) => {
                self.faults.push(FieldError { path: format!("{path}.{}", fault.path), ..fault });
                None
            }
        }
    }

    /// Refuses unknown keys, because a typing error would otherwise be ignored silently.
    fn check_keys(&mut self, map: &Map<String, Value>, known: &[&str], path: &str) {
        for (name, value) in map {
            if !known.contains(&name.as_str()) {
                self.add_error::<()>(&format!("{path}.{name}"), format!("does not go with {}", known[0]), value);
            }
        }
    }

    fn read_is(&mut self, map: &Map<String, Value>, path: &str) -> Option<bool> {
        map.get("is").map_or(Some(true), |is| self.read_bool(is, &format!("{path}.is")))
    }

    fn read_bool(&mut self, value: &Value, path: &str) -> Option<bool> {
        match value {
            Value::Bool(is) => Some(*is),
            other => self.add_error(path, "must be true or false", other),
        }
    }

    fn read_choice<T: Copy>(&mut self, value: &Value, path: &str, choices: &[(&str, T)]) -> Option<T> {
        if let Some((_, chosen)) = choices.iter().find(|(name, _)| value.as_str() == Some(name)) {
            return Some(*chosen);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        self.add_error(path, format!("must be one of {}", names.join(", ")), value)
    }
}

fn text_or_null(value: &Value) -> Option<Option<String>> {
    match value {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults_of(value: Value) -> Vec<(String, String)> {
        let faults = parse_filter(&value, "filter", &|n| n <= 3).err().unwrap_or_default();
        faults.into_iter().map(|fault| (fault.path, fault.message)).collect()
    }

    #[test]
    fn every_form_is_read() {
        let uid = format!("LST_{}", "0".repeat(27));
        for good in [
            json!({ "field": "city", "op": "contains", "value": "lon", "case": false }),
            json!({ "field": "field_3", "op": "matches_not", "value": "^a+$" }),
            json!({ "field": "city", "one_of": ["London", null] }),
            json!({ "field": "phone_number", "blank": true }),
            json!({ "field": "created_at", "time": "after", "value": "2026-01-01" }),
            json!({ "field": "updated_at", "time": "within_days", "value": "7" }),
            json!({ "field": "date_of_birth", "date": "before", "value": "2000-01-01" }),
            json!({ "field": "field_3", "date": "between", "value": "2000-01-01", "to": "2000-01-01" }),
            json!({ "field": "field_3", "date": "this_month" }),
            json!({ "field": "date_of_birth", "date": "birthday_in_month", "value": "this" }),
            json!({ "field": "date_of_birth", "date": "birthday_within_days", "value": "7" }),
            json!({ "field": "date_of_birth", "date": "not_a_date" }),
            json!({ "opted_out": "any", "is": false }),
            json!({ "opted_out": "sms", "reach": "account" }),
            json!({ "in_list": uid, "is": true }),
            json!({ "draft": true }),
            json!({ "duplicate": "email" }),
            json!({ "readiness": "no_number", "channel": "whatsapp" }),
            json!({ "readiness": "opted_out", "channel": "sms", "asset": format!("num_{}", "0".repeat(27)), "is": false }),
            json!({ "all": [{ "any": [] }, { "not": { "draft": true } }] }),
        ] {
            assert_eq!(faults_of(good.clone()), [], "{good}");
        }
    }

    #[test]
    fn every_error_is_reported_with_its_path() {
        let found = faults_of(json!({ "all": [
            { "field": "field_4", "op": "is", "value": "x" },
            { "any": [{ "field": "city", "op": "like", "value": "x", "case": 1 }] },
            { "field": "city", "op": "matches", "value": "(" },
            { "field": "city\" OR 1=1 --", "blank": true },
            { "duplicate": "email", "field": "city" },
            { "opted_out": "fax", "is": "yes" },
            { "readiness": "maybe", "channel": "fax", "asset": "num_1" },
            { "readiness": "ready" },
            { "readiness": "ready", "channel": "sms", "asset": format!("wbp_{}", "0".repeat(27)) },
            7,
            { "field": "date_of_birth", "date": "between", "value": "2000-01-02", "to": "2000-01-01" },
            { "field": "date_of_birth", "date": "soon", "case": true },
            { "field": "phone_number", "date": "before", "value": "2000-01-01" },
        ] }));
        let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(
            paths,
            [
                "filter.all[0].field",
                "filter.all[1].any[0].op",
                "filter.all[1].any[0].case",
                "filter.all[2].value",
                "filter.all[3].field",
                "filter.all[4].field",
                "filter.all[5].opted_out",
                "filter.all[5].is",
                "filter.all[6].readiness",
                "filter.all[6].channel",
                "filter.all[6].asset",
                "filter.all[7].channel",
                "filter.all[8].asset",
                "filter.all[9]",
                "filter.all[10].to",
                "filter.all[11].case",
                "filter.all[11].date",
                "filter.all[12].field",
            ]
        );
        assert_eq!(found[0].1, "The field was not found.");
    }

    #[test]
    fn depth_and_number_are_limited() {
        let deep = (0..20).fold(json!({ "draft": true }), |inner, _| json!({ "not": inner }));
        assert!(faults_of(deep)[0].1.contains("at most 8 deep"));
        let wide = json!({ "any": vec![json!({ "draft": true }); 102] });
        assert_eq!(faults_of(wide).len(), 1);
    }

    #[test]
    fn a_column_sorts_once() {
        let keys = [("city", SortOrder::Ascending), ("title", SortOrder::Ascending), ("city", SortOrder::Descending)];
        let keys: Vec<_> = keys.map(|(name, order)| (name.to_owned(), order)).into();
        assert_eq!(parse_sort(&keys, "sort", &|_| false).unwrap().len(), 2);
        let faults = parse_sort(&[("field_9".to_owned(), SortOrder::Ascending)], "sort", &|_| false).unwrap_err();
        assert_eq!(faults[0].path, "sort[0].field");
    }
}

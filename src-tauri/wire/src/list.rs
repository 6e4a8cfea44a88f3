//! Lists: records, the filter of the query, and the name of a new list.

use roost_model::{
    id::ListId,
    list::{self, ListQuery, ListSort, name_error},
    page::{PageRequest, SortOrder},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{
    body::{self, JsonObject},
    envelope::{RejectedValue, RestError, ValidationError},
    paging::write_text,
    query::QueryString,
};

pub const DEFAULT_PAGE_SIZE: i32 = 10;
pub const MAX_PAGE_SIZE: i32 = 100;
pub const NOT_FOUND: &str = "List not found";

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct List<'a> {
    #[schemars(regex(pattern = r"^LST_[0-9A-Za-z]{27}$"))]
    pub uid: &'a str,
    pub name: &'a str,
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    #[schemars(extend("format" = "date-time"))]
    pub updated_at: String,
}

impl<'a> From<&'a list::List> for List<'a> {
    fn from(list: &'a list::List) -> Self {
        Self {
            uid: list.uid.as_str(),
            name: &list.name,
            created_at: list.created_at.to_iso(),
            updated_at: list.updated_at.to_iso(),
        }
    }
}

/// Writes a list as [`List`] is serialized.
pub fn write_list(list: &list::ListValues, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"uid\":\"");
    out.extend_from_slice(list.uid.as_bytes());
    out.extend_from_slice(b"\",\"name\":");
    write_text(list.name, out);
    out.extend_from_slice(b",\"created_at\":\"");
    out.extend_from_slice(&list.created_at.to_iso_ascii());
    out.extend_from_slice(b"\",\"updated_at\":\"");
    out.extend_from_slice(&list.updated_at.to_iso_ascii());
    out.extend_from_slice(b"\"}");
}

/// Response to the creation of a list.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CreatedList<'a> {
    #[schemars(regex(pattern = r"^LST_[0-9A-Za-z]{27}$"))]
    pub uid: &'a str,
    pub name: &'a str,
}

/// Body of a request that creates a list.
#[derive(JsonSchema)]
pub struct ListCreate {
    /// Stored exactly as sent. Must not be blank.
    #[schemars(length(min = 1, max = 120), regex(pattern = r"\S"))]
    pub name: String,
}

pub fn parse_query(query: &QueryString<'_>) -> Result<ListQuery, RestError> {
    let number = query.integer_value("page_number")?.unwrap_or(1);
    let size = query.integer_value("page_size")?.unwrap_or(DEFAULT_PAGE_SIZE);
    let mut entries = Vec::new();
    if number < 1 {
        entries.push(ValidationError::new("filter.pageNumber", "page.number.generic", number));
    }
    if !(1..=MAX_PAGE_SIZE).contains(&size) {
        entries.push(ValidationError::new("filter.pageSize", "page.size.generic", size));
    }
    let sort = query.filled_value("sort_by").map_or(Some(ListSort::UpdatedAt), ListSort::parse);
    if sort.is_none() {
        entries.push(ValidationError::new("filter.sortBy", "sorting.by.generic", query.first_value("sort_by")));
    }
    let order = query.filled_value("sort_order").map_or(Some(SortOrder::Descending), SortOrder::parse);
    if order.is_none() {
        entries.push(ValidationError::new(
            "filter.sortOrder",
            "sorting.order.generic",
            query.first_value("sort_order"),
        ));
    }
    match (sort, order) {
        (Some(sort), Some(order)) if entries.is_empty() => Ok(ListQuery {
            name: query.filled_value("name").map(str::to_owned),
            sort,
            order,
            page: PageRequest { number: number.unsigned_abs(), size: size.unsigned_abs() },
        }),
        _ => Err(RestError::Invalid(entries)),
    }
}

/// Parses the name of a new list. A name of the wrong type counts as an invalid name, not as a malformed body.
pub fn parse_create(json: &[u8]) -> Result<String, RestError> {
    let object = JsonObject::read(body::body_text(json)?, &["name"])?;
    let Ok(name) = object.read_string("name") else {
        let rejected =
            object.received_value("name").map_or(Ok(RejectedValue::Value(Value::Null)), body::to_rejected)?;
        let fault = name_error(Value::Null);
        return Err(RestError::invalid(ValidationError::new(fault.path, fault.message, rejected)));
    };
    let Some(name) = name else { return Err(RestError::invalid(name_error(Value::Null).into())) };
    list::check_name(&name).map_err(|fault| RestError::invalid(fault.into()))?;
    Ok(name.into_owned())
}

pub fn parse_delete(uid: &str) -> Result<ListId, RestError> {
    ListId::parse(uid).map_err(|e| RestError::BadUid { field: "deleteList.uid", given: e.given })
}

#[cfg(test)]
mod tests {
    use roost_model::time::Timestamp;

    use super::*;
    use crate::paging::to_bytes;

    #[test]
    fn defaults_and_filters() {
        let query = parse_query(&QueryString::parse("name=+a%2Bb+&sort_by=&page_size=")).expect("fine");
        assert_eq!(query.name.as_deref(), Some(" a+b "), "the value is not trimmed");
        assert_eq!((query.sort, query.order), (ListSort::UpdatedAt, SortOrder::Descending));
        assert_eq!(query.page, PageRequest { number: 1, size: 10 });
        assert_eq!(parse_query(&QueryString::parse("name=+")).expect("fine").name, None);
    }

    #[test]
    fn integers_come_first_and_alone_then_all_entries_in_order() {
        let refused = |raw: &str| parse_query(&QueryString::parse(raw)).expect_err(raw);
        assert!(matches!(
            refused("page_size=x&page_number=y&sort_by=z"),
            RestError::BadFormat { name: "page_number", .. }
        ));
        assert!(matches!(refused("page_size=1.5&sort_by=z"), RestError::BadFormat { name: "page_size", .. }));
        let RestError::Invalid(entries) = refused("sort_order=desc&sort_by=uid&page_size=101&page_number=0") else {
            panic!("entries")
        };
        let fields: Vec<_> = entries.iter().map(|e| e.field.as_ref()).collect();
        assert_eq!(fields, ["filter.pageNumber", "filter.pageSize", "filter.sortBy", "filter.sortOrder"]);
        let rejected =
            serde_json::to_string(&entries.iter().map(|e| &e.rejected_value).collect::<Vec<_>>()).expect("json");
        assert_eq!(rejected, r#"[0,101,"uid","desc"]"#);
    }

    #[test]
    fn a_list_is_written_as_it_is_serialized() {
        for (name, seconds) in [("VIP", 1_767_603_600), ("a\"\\\n\u{1}é🐦", -62_167_219_200), ("", 253_402_300_799)]
        {
            let list = list::List {
                uid: ListId::parse("LST_36AbCdEfGhIjKlMnOpQrStUvWx1").expect("well formed"),
                name: name.to_owned(),
                contact_count: 1,
                created_at: Timestamp::from_unix(seconds),
                updated_at: Timestamp::from_unix(0),
            };
            let (created_at, updated_at) = (list.created_at, list.updated_at);
            let mut out = Vec::new();
            let uid = list.uid.as_str();
            write_list(&list::ListValues { uid, name, created_at, updated_at }, &mut out);
            assert_eq!(out, to_bytes(&List::from(&list)));
        }
    }

    #[test]
    fn names_of_new_lists() {
        assert_eq!(parse_create(r#"{"name":" VIP ","x":1}"#.as_bytes()).expect("fine"), " VIP ");
        let long = format!(r#"{{"name":"{}"}}"#, "é".repeat(120));
        assert!(parse_create(long.as_bytes()).is_ok());
        for (bad, rejected) in [
            (r#"{"name":""}"#, r#""""#),
            (r#"{"name":"  "}"#, r#""  ""#),
            ("{}", "null"),
            (r#"{"name":null}"#, "null"),
            (r#"{"name":{"a":[1.0]}}"#, r#"{"a":[1.0]}"#),
            (r#"{"name":7}"#, "7"),
        ] {
            let Err(RestError::Invalid(entries)) = parse_create(bad.as_bytes()) else { panic!("{bad}") };
            let want = format!(r#"[{{"field":"name","message":"Invalid list name","rejected_value":{rejected}}}]"#);
            assert_eq!(serde_json::to_string(&entries).expect("json"), want);
        }
        for bad in ["[]", r#"{"name":"\ud800"}"#, r#"{"name":["\uDC00"]}"#] {
            assert!(matches!(parse_create(bad.as_bytes()), Err(RestError::BadBody)), "{bad}");
        }
        assert!(matches!(parse_create(b"{\"name\":\"\xff\"}"), Err(RestError::BadBody)));
    }
}

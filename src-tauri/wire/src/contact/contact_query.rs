//! Parses the query of a list's contacts: search, page and requested fields.

use roost_model::{contact::ContactField, id::ListId, page::PageRequest, phone};

use crate::{
    envelope::{RestError, ValidationError},
    query::QueryString,
};

const DEFAULT_PAGE_SIZE: i32 = 10;
const MAX_PAGE_SIZE: i32 = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactQuery {
    pub list: ListId,
    /// The number in the form of stored numbers.
    pub search: Option<String>,
    /// `None` requests all contacts in one response.
    pub page: Option<PageRequest>,
    /// `None` requests every field.
    pub fields: Option<Vec<ContactField>>,
}

/// Parses the query. `defined` returns whether a custom field exists.
pub fn parse_query(
    list_uid: &str,
    query: &QueryString<'_>,
    defined: impl Fn(u32) -> bool,
) -> Result<ContactQuery, RestError> {
    let number = query.integer_value("page_number")?;
    let size = query.integer_value("page_size")?;
    let list = ListId::parse(list_uid).map_err(|e| RestError::BadUid { field: "search.listUid", given: e.given })?;
    let mut entries = Vec::new();
    let fields = parse_fields(query, defined, &mut entries)?;
    let mut paging = Vec::new();
    if let Some(number) = number.filter(|n| *n < 1) {
        paging.push(ValidationError::new("search.pageNumber", "page.number.generic", number));
    }
    if let Some(size) = size.filter(|s| !(1..=MAX_PAGE_SIZE).contains(s)) {
        paging.push(ValidationError::new("search.pageSize", "page.size.generic", size));
    }
    paging.append(&mut entries);
    if !paging.is_empty() {
        return Err(RestError::Invalid(paging));
    }
    let size = size.unwrap_or(DEFAULT_PAGE_SIZE).unsigned_abs();
    Ok(ContactQuery {
        list,
        search: query.filled_value("search").map(phone::search_form),
        page: number.map(|number| PageRequest { number: number.unsigned_abs(), size }),
        fields,
    })
}

fn parse_fields(
    query: &QueryString<'_>,
    defined: impl Fn(u32) -> bool,
    entries: &mut Vec<ValidationError>,
) -> Result<Option<Vec<ContactField>>, RestError> {
    let names: Vec<&str> = query.all_values("fields").flat_map(|value| value.split(',')).map(str::trim).collect();
    if names.is_empty() {
        return Ok(None);
    }
    if names.iter().all(|name| name.is_empty()) {
        return Err(RestError::InvalidMessage("Contact fields are missing from the request."));
    }
    let mut fields = Vec::with_capacity(names.len());
    for (index, name) in names.into_iter().enumerate() {
        match ContactField::parse(name, &defined) {
            Some(field) if fields.contains(&field) => {}
            Some(field) => fields.push(field),
            None => entries.push(ValidationError::new(
                format!("search.fields[{index}].<list element>"),
                "Contact retrieval field is invalid.",
                name,
            )),
        }
    }
    Ok(Some(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> String {
        format!("LST_{}", "a".repeat(27))
    }

    fn parsed(raw: &str) -> Result<ContactQuery, RestError> {
        parse_query(&list(), &QueryString::parse(raw), |n| n <= 3)
    }

    #[test]
    fn without_a_page_number_everything_is_wanted() {
        let query = parsed("page_size=5").expect("fine");
        assert_eq!((query.page, query.fields, query.search), (None, None, None));
        assert_eq!(parsed("page_number=2").expect("fine").page, Some(PageRequest { number: 2, size: 10 }));
        assert_eq!(parsed("search=+447700900001").expect("fine").search.as_deref(), Some("+447700900001"));
        assert_eq!(parsed("search=%2B44+7700-900001").expect("fine").search.as_deref(), Some("+447700900001"));
    }

    #[test]
    fn fields_are_split_trimmed_and_joined() {
        let fields = parsed("fields=uid,+field_3&fields=uid,title").expect("fine").fields.expect("given");
        let names: Vec<_> = fields.into_iter().map(ContactField::name).collect();
        assert_eq!(names, ["uid", "field_3", "title"]);
    }

    #[test]
    fn faults_come_in_their_order() {
        let Err(RestError::Invalid(entries)) = parsed("page_size=0&fields=uid,nickname,,field_4&page_number=0") else {
            panic!("entries")
        };
        assert_eq!(
            serde_json::to_string(&entries).expect("json"),
            concat!(
                r#"[{"field":"search.pageNumber","message":"page.number.generic","rejected_value":0},"#,
                r#"{"field":"search.pageSize","message":"page.size.generic","rejected_value":0},"#,
                r#"{"field":"search.fields[1].<list element>","message":"Contact retrieval field is invalid.","rejected_value":"nickname"},"#,
                r#"{"field":"search.fields[2].<list element>","message":"Contact retrieval field is invalid.","rejected_value":""},"#,
                r#"{"field":"search.fields[3].<list element>","message":"Contact retrieval field is invalid.","rejected_value":"field_4"}]"#
            )
        );
        assert!(matches!(parsed("fields=&page_size=0"), Err(RestError::InvalidMessage(_))));
        assert!(matches!(parsed("fields=+,,&fields="), Err(RestError::InvalidMessage(_))));
        let query = QueryString::parse("page_size=x&fields=");
        assert!(matches!(parse_query("abc", &query, |_| true), Err(RestError::BadFormat { .. })));
        assert!(matches!(parse_query("abc", &QueryString::parse("fields="), |_| true), Err(RestError::BadUid { .. })));
    }
}

//! Commands on contact lists.

use roost_model::{
    error::Fault,
    list::{self, List},
    page::{self, PageRequest},
};
use roost_ops::{
    By,
    list::{ListQuery, UniqueNames},
};
use serde::{Deserialize, Serialize};

use crate::{accounts::App, error::CommandError};

/// Rows that a page of a table may ask for at once.
const PAGE_SIZE_MAX: u32 = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ListPage {
    pub page_number: u32,
    pub page_size: u32,
    pub sort_by: ListSort,
    pub sort_order: SortOrder,
    /// Part of the name, in any case.
    pub name: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ListSort {
    UpdatedAt,
    CreatedAt,
    Name,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum SortOrder {
    #[serde(rename = "ASC")]
    Ascending,
    #[serde(rename = "DESC")]
    Descending,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ListPageAnswer {
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total_items: u64,
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub total_pages: u64,
    pub items: Vec<List>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ListCreate {
    pub name: String,
}

impl From<ListSort> for list::ListSort {
    fn from(sort: ListSort) -> Self {
        match sort {
            ListSort::UpdatedAt => Self::UpdatedAt,
            ListSort::CreatedAt => Self::CreatedAt,
            ListSort::Name => Self::Name,
        }
    }
}

impl From<SortOrder> for page::SortOrder {
    fn from(order: SortOrder) -> Self {
        match order {
            SortOrder::Ascending => Self::Ascending,
            SortOrder::Descending => Self::Descending,
        }
    }
}

pub fn page(app: &App, _: &By, request: ListPage) -> Result<ListPageAnswer, CommandError> {
    let wanted = wanted_page(request.page_number, request.page_size)?;
    let query =
        ListQuery { name: request.name, sort: request.sort_by.into(), order: request.sort_order.into(), page: wanted };
    let found = roost_ops::list::page(&app.core()?, &query)?;
    Ok(ListPageAnswer {
        total_items: found.total_items,
        total_pages: page::total_pages(found.total_items, wanted.size),
        items: found.items,
    })
}

fn wanted_page(number: u32, size: u32) -> Result<PageRequest, CommandError> {
    let mut faults = Vec::new();
    if number == 0 {
        faults.push(Fault::new("page_number", "must be at least 1", number));
    }
    if !(1..=PAGE_SIZE_MAX).contains(&size) {
        faults.push(Fault::new("page_size", format!("must be between 1 and {PAGE_SIZE_MAX}"), size));
    }
    if faults.is_empty() { Ok(PageRequest { number, size }) } else { Err(CommandError::invalid(faults)) }
}

pub fn create(app: &App, by: &By, request: ListCreate) -> Result<List, CommandError> {
    Ok(roost_ops::list::create(&app.core()?, by, &request.name, UniqueNames::Off)?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use roost_model::error::ErrorCode;
    use roost_ops::{Core, Ctx};
    use serde_json::{Value, json};

    use crate::{App, CommandError};

    fn app() -> App {
        App::over(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"))
    }

    fn create(app: &App, name: &str) -> Result<Value, CommandError> {
        app.dispatch("list_create", json!({ "name": name }), None)
    }

    fn names(app: &App, request: Value) -> Vec<String> {
        let answer = app.dispatch("list_page", request, None).unwrap();
        answer["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_list_is_answered_as_it_was_made() {
        let app = app();
        for name in ["Newsletter", &"é".repeat(120), "قائمة 🐦", "a\0b", "'; DROP TABLE lists;--"] {
            let made = create(&app, name).unwrap();
            assert_eq!(made["name"], name);
            assert_eq!(made["contact_count"], 0);
            assert_eq!(made["created_at"], made["updated_at"]);
        }
        assert_eq!(app.dispatch("overview_get", json!({}), None).unwrap()["counts"]["lists"], 5);
    }

    #[test]
    fn a_bad_name_is_refused_at_its_field() {
        let app = app();
        for name in ["", " \t", &"é".repeat(121)] {
            let told = create(&app, name).unwrap_err();
            assert_eq!((told.code, told.details[0].path.as_str()), (ErrorCode::Invalid, "name"), "{name}");
        }
        assert_eq!(app.dispatch("overview_get", json!({}), None).unwrap()["counts"]["lists"], 0);
    }

    #[test]
    fn pages_are_sorted_filtered_and_counted() {
        let app = app();
        for name in ["Crows", "Ducks", "Ants", "Swans"] {
            create(&app, name).unwrap();
        }
        let by_name = |number: u32, order: &str, filter: Value| json!({ "page_number": number, "page_size": 2, "sort_by": "name", "sort_order": order, "name": filter });
        assert_eq!(names(&app, by_name(1, "ASC", Value::Null)), ["Ants", "Crows"]);
        assert_eq!(names(&app, by_name(2, "ASC", Value::Null)), ["Ducks", "Swans"]);
        assert_eq!(names(&app, by_name(1, "DESC", json!("AN"))), ["Swans", "Ants"]);
        let answer = app.dispatch("list_page", by_name(3, "ASC", Value::Null), None).unwrap();
        assert_eq!(answer, json!({ "total_items": 4, "total_pages": 2, "items": [] }));
    }

    #[test]
    fn a_page_out_of_bounds_is_refused_with_every_fault() {
        let request =
            json!({ "page_number": 0, "page_size": 201, "sort_by": "name", "sort_order": "ASC", "name": null });
        let told = app().dispatch("list_page", request, None).unwrap_err();
        assert_eq!(told.code, ErrorCode::Invalid);
        assert_eq!(told.details.len(), 2);
    }
}

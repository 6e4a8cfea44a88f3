//! Commands on contact lists.

mod many;

use roost_model::{
    id::ListId,
    list::List,
    page::{PageRequest, SortOrder},
};
use roost_ops::{
    Actor,
    list::{self as act, CardQuery, CardSort, ListCard, ListFacts, ListReadiness, UniqueNames},
};
use serde::{Deserialize, Serialize};

pub(super) use self::many::*;

use crate::{
    accounts::App,
    commands::Nothing,
    error::CommandError,
    reading::{self, PageResponse, read_page_request},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ListPage {
    pub page_number: u32,
    pub page_size: u32,
    pub sort_by: CardSort,
    pub sort_order: SortOrder,
    /// Part of the name or of the alias, whatever its letter case, or the UID.
    pub name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ListCreate {
    pub name: String,
}

/// A list by its UID.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ListUid {
    pub uid: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ListPin {
    pub uid: String,
    pub on: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ListNote {
    pub uid: String,
    /// At most 120 characters. Null or blank removes it.
    pub alias: Option<String>,
    /// At most 2,000 characters. Null or blank removes it.
    pub note: Option<String>,
}

/// A list, and a name for it or for its copy.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ListName {
    pub uid: String,
    pub name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ListDelete {
    pub uid: String,
    /// The name of the list, typed as a confirmation.
    pub typed_name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ListDeleteMany {
    pub uids: Vec<String>,
    /// The number of lists, typed as a confirmation.
    pub typed_count: u64,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(super) struct ListDeleted {
    /// Contacts that were moved to the trash with it.
    pub contacts: u64,
}

pub(super) fn list_id(path: &str, uid: &str) -> Result<ListId, CommandError> {
    reading::parse_id(path, uid, ListId::parse)
}

pub(super) fn page(app: &App, _: &Actor, request: ListPage) -> Result<PageResponse<ListCard>, CommandError> {
    let wanted: PageRequest = read_page_request(request.page_number, request.page_size)?;
    let query = CardQuery { text: request.name, sort: request.sort_by, order: request.sort_order, page: wanted };
    let found = act::read_cards(&app.core()?, &query)?;
    Ok(PageResponse::new(found, wanted))
}

pub(super) fn create(app: &App, by: &Actor, request: ListCreate) -> Result<List, CommandError> {
    Ok(act::create(&app.core()?, by, &request.name, UniqueNames::Off)?)
}

pub(super) fn get(app: &App, _: &Actor, request: ListUid) -> Result<ListCard, CommandError> {
    Ok(act::read_card(&app.core()?, &list_id("uid", &request.uid)?)?)
}

pub(super) fn facts(app: &App, _: &Actor, request: ListUid) -> Result<ListFacts, CommandError> {
    Ok(act::read_facts(&app.core()?, &list_id("uid", &request.uid)?)?)
}

/// Every contact is checked, so the call reports its progress and can be cancelled.
pub(super) fn readiness(app: &App, by: &Actor, request: ListUid) -> Result<ListReadiness, CommandError> {
    let watch = by.watch.clone().unwrap_or_default();
    Ok(act::count_readiness(&app.core()?, &list_id("uid", &request.uid)?, &watch)?)
}

pub(super) fn pins(app: &App, _: &Actor, _: Nothing) -> Result<Vec<ListCard>, CommandError> {
    Ok(act::read_pinned(&app.core()?)?)
}

pub(super) fn pin(app: &App, by: &Actor, request: ListPin) -> Result<ListCard, CommandError> {
    Ok(act::set_pinned(&app.core()?, by, &list_id("uid", &request.uid)?, request.on)?)
}

pub(super) fn note(app: &App, by: &Actor, request: ListNote) -> Result<ListCard, CommandError> {
    let uid = list_id("uid", &request.uid)?;
    Ok(act::set_note(&app.core()?, by, &uid, request.alias.as_deref(), request.note.as_deref())?)
}

pub(super) fn rename(app: &App, by: &Actor, request: ListName) -> Result<List, CommandError> {
    Ok(act::rename(&app.core()?, by, &list_id("uid", &request.uid)?, &request.name)?)
}

pub(super) fn duplicate(app: &App, by: &Actor, request: ListName) -> Result<List, CommandError> {
    Ok(act::duplicate(&app.core()?, by, &list_id("uid", &request.uid)?, &request.name)?)
}

pub(super) fn delete(app: &App, by: &Actor, request: ListDelete) -> Result<ListDeleted, CommandError> {
    let uid = list_id("uid", &request.uid)?;
    Ok(ListDeleted { contacts: act::delete_named(&app.core()?, by, &uid, &request.typed_name)? })
}

pub(super) fn delete_many(app: &App, by: &Actor, request: ListDeleteMany) -> Result<ListDeleted, CommandError> {
    let uids = act::parse_uids(&request.uids, "uids")?;
    Ok(ListDeleted { contacts: act::delete_counted(&app.core()?, by, &uids, request.typed_count)? })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use roost_model::error::ErrorCode;
    use roost_ops::{Core, Ctx};
    use serde_json::{Value, json};

    use crate::{App, CommandError};

    fn app() -> App {
        App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"))
    }

    fn create_list(app: &App, name: &str) -> Result<Value, CommandError> {
        app.dispatch("list_create", json!({ "name": name }), None)
    }

    fn list_names(app: &App, request: Value) -> Vec<String> {
        let answer = app.dispatch("list_page", request, None).unwrap();
        answer["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_created_list_is_returned_with_its_exact_name_and_no_contacts() {
        let app = app();
        for name in ["Newsletter", &"é".repeat(120), "قائمة 🐦", "a\0b", "'; DROP TABLE lists;--"] {
            let made = create_list(&app, name).unwrap();
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
            let error = create_list(&app, name).unwrap_err();
            assert_eq!((error.code, error.details[0].path.as_str()), (ErrorCode::Invalid, "name"), "{name}");
        }
        assert_eq!(app.dispatch("overview_get", json!({}), None).unwrap()["counts"]["lists"], 0);
    }

    #[test]
    fn pages_are_sorted_filtered_and_counted() {
        let app = app();
        for name in ["Crows", "Ducks", "Ants", "Swans"] {
            create_list(&app, name).unwrap();
        }
        let by_name = |number: u32, order: &str, filter: Value| json!({ "page_number": number, "page_size": 2, "sort_by": "name", "sort_order": order, "name": filter });
        assert_eq!(list_names(&app, by_name(1, "ASC", Value::Null)), ["Ants", "Crows"]);
        assert_eq!(list_names(&app, by_name(2, "ASC", Value::Null)), ["Ducks", "Swans"]);
        assert_eq!(list_names(&app, by_name(1, "DESC", json!("AN"))), ["Swans", "Ants"]);
        let answer = app.dispatch("list_page", by_name(3, "ASC", Value::Null), None).unwrap();
        assert_eq!(answer, json!({ "total_items": 4, "total_pages": 2, "items": [] }));
    }

    #[test]
    fn a_page_out_of_bounds_is_refused_with_every_fault() {
        let request =
            json!({ "page_number": 0, "page_size": 201, "sort_by": "name", "sort_order": "ASC", "name": null });
        let error = app().dispatch("list_page", request, None).unwrap_err();
        assert_eq!(error.code, ErrorCode::Invalid);
        assert_eq!(error.details.len(), 2);
    }
}

//! Commands on duplicate contacts: searching, reading the groups, merging.

use std::{collections::BTreeMap, time::Duration};

use roost_grid::duplicates::{
    self as act, DuplicateGroupHead, DuplicateGroupWhole, DuplicateKey, DuplicateStatus, GroupQuery, MergeChoice,
    MergedAll, MergedGroup, SurvivorRule,
};
use roost_model::page::Page;
use roost_ops::Actor;
use serde::Deserialize;

use super::{super::list::list_id, contact_id};
use crate::{
    accounts::App,
    commands::Done,
    error::CommandError,
    reading::{PageResponse, check_count, read_page_request},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct DuplicateOpen {
    /// The UID of a list. Null searches the whole account, but only by number and e-mail address, and nothing can be
    /// merged there.
    pub list: Option<String>,
    pub by: Vec<DuplicateKey>,
}

/// A search by its number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct DuplicateSearch {
    pub id: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct DuplicateStateGet {
    pub id: u64,
    /// How long to wait for the search to end, at most 1,000. Null does not wait.
    pub wait_ms: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct DuplicatePage {
    pub id: u64,
    pub page_number: u32,
    pub page_size: u32,
    /// Null means every key.
    pub key: Option<DuplicateKey>,
    /// A percentage.
    pub least_confidence: u8,
    /// True returns the skipped groups instead of the open ones.
    pub skipped: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct DuplicateGroupGet {
    pub id: u64,
    pub group: u64,
    /// The rule that suggests the survivor.
    pub rule: SurvivorRule,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct DuplicateMerge {
    pub id: u64,
    pub group: u64,
    /// The UID of the contact that stays.
    pub survivor: String,
    /// For each field name, the UID of the contact whose value the field receives. The value may be blank. A number
    /// brings its region. A field that is not named keeps the survivor's value. If that is blank, the field receives
    /// the first value there is.
    #[cfg_attr(feature = "ts", ts(type = "{ [field: string]: string }"))]
    pub fields: BTreeMap<String, String>,
    /// The UIDs of the contacts to merge. Null means the whole group.
    pub contacts: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct DuplicateMergeAll {
    pub id: u64,
    /// A percentage.
    pub least_confidence: u8,
    /// Null means every key.
    pub key: Option<DuplicateKey>,
    pub rule: SurvivorRule,
    /// True reports the effect without changing anything.
    #[serde(default)]
    pub preview: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct DuplicateSkip {
    pub id: u64,
    pub groups: Vec<u64>,
    /// False makes the groups open again.
    pub skipped: bool,
}

/// The longest wait for news, in milliseconds. A page then asks again.
const WAIT_MAX: u32 = 1_000;
/// Long enough to search a short list before the first response.
const OPEN_WAIT: Duration = Duration::from_millis(30);
/// The maximum number of groups in one request to skip.
const SKIPPED_MAX: usize = 1_000;

pub(super) fn wait(wait_ms: Option<u32>) -> Duration {
    Duration::from_millis(wait_ms.unwrap_or(0).min(WAIT_MAX).into())
}

pub(crate) fn open(app: &App, _: &Actor, request: DuplicateOpen) -> Result<DuplicateStatus, CommandError> {
    let list = request.list.map(|list| list_id("list", &list)).transpose()?;
    let account = app.account()?;
    let id = account.duplicates().open(&account.core, list.as_ref(), &request.by)?;
    Ok(account.duplicates().read_status(&account.core, id, OPEN_WAIT)?)
}

pub(crate) fn state(app: &App, _: &Actor, request: DuplicateStateGet) -> Result<DuplicateStatus, CommandError> {
    let account = app.account()?;
    Ok(account.duplicates().read_status(&account.core, request.id, wait(request.wait_ms))?)
}

pub(crate) fn refresh(app: &App, _: &Actor, request: DuplicateSearch) -> Result<Done, CommandError> {
    let account = app.account()?;
    account.duplicates().refresh(&account.core, request.id)?;
    Ok(Done {})
}

pub(crate) fn cancel(app: &App, _: &Actor, request: DuplicateSearch) -> Result<Done, CommandError> {
    app.account()?.duplicates().cancel(request.id)?;
    Ok(Done {})
}

pub(crate) fn close(app: &App, _: &Actor, request: DuplicateSearch) -> Result<Done, CommandError> {
    app.account()?.duplicates().close(request.id);
    Ok(Done {})
}

pub(crate) fn page(
    app: &App,
    _: &Actor,
    request: DuplicatePage,
) -> Result<PageResponse<DuplicateGroupHead>, CommandError> {
    let wanted = read_page_request(request.page_number, request.page_size)?;
    let DuplicatePage { id, key, least_confidence, skipped, .. } = request;
    let account = app.account()?;
    let query = GroupQuery { page: wanted, key, least_confidence, is_skipped: skipped };
    let act::GroupPage { items, total_items } = account.duplicates().read_page(&account.core, id, &query)?;
    Ok(PageResponse::new(Page { items, total_items }, wanted))
}

pub(crate) fn group(app: &App, _: &Actor, request: DuplicateGroupGet) -> Result<DuplicateGroupWhole, CommandError> {
    let account = app.account()?;
    Ok(account.duplicates().read_group(&account.core, request.id, request.group, request.rule)?)
}

pub(crate) fn merge(app: &App, by: &Actor, request: DuplicateMerge) -> Result<MergedGroup, CommandError> {
    let DuplicateMerge { id, group, survivor, fields, contacts } = request;
    let mut chosen = BTreeMap::new();
    for (name, uid) in fields {
        let uid = contact_id(&format!("fields.{name}"), &uid)?;
        chosen.insert(name, uid);
    }
    let contacts = contacts.map(|uids| roost_ops::contact::parse_uids(&uids, "contacts")).transpose()?;
    let choice = MergeChoice { survivor: contact_id("survivor", &survivor)?, fields: chosen, contacts };
    let account = app.account()?;
    Ok(account.duplicates().merge_group(&account.core, by, id, group, &choice)?)
}

pub(crate) fn merge_all(app: &App, by: &Actor, request: DuplicateMergeAll) -> Result<MergedAll, CommandError> {
    let DuplicateMergeAll { id, least_confidence, key, rule, preview } = request;
    let account = app.account()?;
    Ok(if preview {
        account.duplicates().preview_merge_all(&account.core, by, id, least_confidence, key, rule)?
    } else {
        account.duplicates().merge_all(&account.core, by, id, least_confidence, key, rule)?
    })
}

pub(crate) fn skip(app: &App, _: &Actor, request: DuplicateSkip) -> Result<Done, CommandError> {
    check_count("groups", request.groups.len(), SKIPPED_MAX)?;
    app.account()?.duplicates().set_skipped(request.id, &request.groups, request.skipped)?;
    Ok(Done {})
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use roost_ops::{Actor, Core, Ctx, contact};
    use serde_json::{Value, json};

    use super::super::list_id;
    use crate::App;

    fn call(app: &App, name: &str, request: Value) -> Value {
        app.dispatch(name, request, None).unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    fn done(app: &App, name: &str, id: &Value) -> Value {
        loop {
            let state = call(app, name, json!({ "id": id, "wait_ms": 1_000 }));
            if state["is_working"] == json!(false) {
                return state;
            }
        }
    }

    #[test]
    fn a_page_finds_duplicates_merges_them_and_cleans_up() {
        let app = App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"));
        let list = call(&app, "list_create", json!({ "name": "Everybody" }))["uid"].clone();
        let mut uids = Vec::new();
        for name in ["Ada", "Ada", "ADA"] {
            let fields = [("phone_number", "+447700900001"), ("firstname", name), ("lastname", "LOVELACE")];
            let values = fields.map(|(field, text)| (field.to_owned(), Some(text.to_owned()))).into();
            let list = list_id("list", list.as_str().unwrap()).unwrap();
            let made = contact::add(&app.core().unwrap(), &Actor::user(None), &list, &values, None).unwrap();
            uids.push(json!(made.uid));
        }
        let id = call(&app, "duplicate_open", json!({ "list": list, "by": ["phone", "name"] }))["id"].clone();
        let state = done(&app, "duplicate_state", &id);
        assert_eq!(
            (&state["groups"], &state["effect"], &state["keys"][1]["key"]),
            (&json!(1), &json!(2), &json!("name"))
        );
        let request = json!({ "id": id, "page_number": 1, "page_size": 25, "key": null, "least_confidence": 90, "skipped": false });
        let page = call(&app, "duplicate_page", request);
        assert_eq!(page["items"][0]["evidence"][0], json!({ "key": "phone", "text": "+447700900001" }));
        let group = page["items"][0]["group"].clone();
        let shown = call(&app, "duplicate_group", json!({ "id": id, "group": group, "rule": "oldest" }));
        assert_eq!((&shown["suggested"]["survivor"], &shown["differing"]), (&uids[0], &json!(["firstname"])));
        let choice = json!({ "firstname": uids[2] });
        let contacts = json!([uids[0], uids[2]]);
        let request = json!({ "id": id, "group": group, "survivor": uids[0], "fields": choice, "contacts": contacts });
        assert_eq!(call(&app, "duplicate_merge", request)["gone"], 1);
        let all = json!({ "id": id, "least_confidence": 95, "key": null, "rule": "oldest", "preview": true });
        assert_eq!(call(&app, "duplicate_merge_all", all.clone())["step"], Value::Null);
        call(&app, "duplicate_skip", json!({ "id": id, "groups": [group], "skipped": true }));
        assert_eq!(call(&app, "duplicate_merge_all", all)["groups"], 0);
        call(&app, "duplicate_close", json!({ "id": id }));
        app.dispatch("duplicate_state", json!({ "id": id, "wait_ms": null }), None).unwrap_err();

        let id = call(&app, "clean_open", json!({ "list": list }))["id"].clone();
        assert_eq!(done(&app, "clean_state", &id)["suggestions"], 2);
        let page = call(&app, "clean_page", json!({ "id": id, "page_number": 1, "page_size": 25, "skipped": false }));
        let first = &page["items"][0];
        assert_eq!(
            (&first["kind"], &first["field"], &first["rows"]),
            (&json!("letter_case"), &json!("lastname"), &json!(2))
        );
        let suggestion = first["suggestion"].clone();
        let request = json!({ "id": id, "suggestion": suggestion, "page_number": 1, "page_size": 1 });
        let rows = call(&app, "clean_rows", request);
        assert_eq!(
            rows["items"][0]["cells"][0],
            json!({ "field": "lastname", "before": "LOVELACE", "after": "Lovelace" })
        );
        let mut request =
            json!({ "id": id, "suggestion": suggestion, "generation": 0, "rows": [[0, 1]], "preview": true });
        assert_eq!(call(&app, "clean_apply", request.clone())["sample"].as_array().map(Vec::len), Some(1));
        request["preview"] = json!(false);
        assert_eq!(call(&app, "clean_apply", request.clone())["rows"], 1);
        app.dispatch("clean_apply", request, None).unwrap_err();
        call(&app, "clean_skip", json!({ "id": id, "suggestion": suggestion, "skipped": true }));
        call(&app, "clean_close", json!({ "id": id }));
    }
}

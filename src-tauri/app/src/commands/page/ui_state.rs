//! Commands on values that the pages of one account store and read again later.

use roost_ops::{Actor, account};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{accounts::App, commands::Done, error::CommandError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct UiStateGet {
    pub keys: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct UiStateAnswer {
    /// A key without a value is omitted.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub values: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct UiStatePut {
    pub key: String,
    /// Null deletes the key.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub value: Value,
}

pub(crate) fn get(app: &App, _: &Actor, request: UiStateGet) -> Result<UiStateAnswer, CommandError> {
    let found = account::read_ui_state(&app.core()?, &request.keys)?;
    // A value that is not valid JSON counts as deleted.
    let read = found.into_iter().filter_map(|(key, text)| Some((key, serde_json::from_str(&text).ok()?)));
    Ok(UiStateAnswer { values: read.collect() })
}

pub(crate) fn put(app: &App, _: &Actor, request: UiStatePut) -> Result<Done, CommandError> {
    let text = (!request.value.is_null()).then(|| request.value.to_string());
    account::put_ui_state(&app.core()?, &request.key, text.as_deref())?;
    Ok(Done {})
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use roost_model::error::ErrorCode;
    use roost_ops::{Actor, Core, Ctx, history};
    use serde_json::{Value, json};

    use crate::{App, CommandError};

    fn put_state(app: &App, key: &str, value: Value) -> Result<Value, CommandError> {
        app.dispatch("ui_state_put", json!({ "key": key, "value": value }), None)
    }

    fn get_state(app: &App, keys: &[&str]) -> Value {
        app.dispatch("ui_state_get", json!({ "keys": keys }), None).unwrap()["values"].clone()
    }

    #[test]
    fn stored_ui_state_is_read_back_and_causes_no_notice_and_no_undo_step() {
        let core = Core::in_memory(Ctx::system()).unwrap();
        let app = App::with_core(core.clone(), Path::new(":memory:"));
        let changes = app.changes();
        put_state(&app, "lists.columns", json!([{ "id": "name", "width": 240 }])).unwrap();
        put_state(&app, "screen", json!("lists")).unwrap();
        put_state(&app, "screen", json!("senders")).unwrap();
        put_state(&app, "gone", json!(1)).unwrap();
        put_state(&app, "gone", Value::Null).unwrap();
        let kept = json!({ "lists.columns": [{ "id": "name", "width": 240 }], "screen": "senders" });
        assert_eq!(get_state(&app, &["lists.columns", "screen", "gone", "never"]), kept);
        assert!(history::undo(&core, &Actor::user(None)).is_err(), "nothing of it is an act");
        drop((app, core));
        assert_eq!(changes.into_iter().count(), 0);
    }

    #[test]
    fn what_is_too_large_is_refused_at_its_field() {
        let app = App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"));
        for (key, value, at) in
            [("", json!(1), "key"), (&*"k".repeat(101), json!(1), "key"), ("k", json!("x".repeat(70_000)), "value")]
        {
            let error = put_state(&app, key, value).unwrap_err();
            assert_eq!((error.code, error.details[0].path.as_str()), (ErrorCode::Invalid, at));
        }
        assert_eq!(get_state(&app, &["", "k"]), json!({}));
    }
}

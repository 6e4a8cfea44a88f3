//! Serves the command list and the change feed to the emulator's web console, with an HTTP status for each error.

use roost_emulator::{ConsoleDispatcher, ConsoleResponse};
use roost_model::error::ErrorCode;
use serde_json::{Value, json};

use crate::{accounts::App, commands::CommandResponse, error::CommandError};

impl ConsoleDispatcher for App {
    fn dispatch_command(
        &self,
        name: &str,
        payload: Value,
        origin: Option<String>,
    ) -> Result<ConsoleResponse, (u16, Value)> {
        match self.run_command(name, payload, origin) {
            Ok(CommandResponse::Json(answer)) => Ok(ConsoleResponse::Json(answer)),
            Ok(CommandResponse::Bytes(bytes)) => Ok(ConsoleResponse::Bytes(bytes)),
            Err(error) => Err((error_status(error.code), response_body(&error))),
        }
    }

    fn subscribe(&self, mut tell: Box<dyn FnMut(&Value) -> bool + Send>) {
        self.on_change(move |event| match serde_json::to_value(event) {
            Ok(event) => tell(&event),
            Err(error) => {
                tracing::error!(%error, "a change cannot be written; its feed ends, so that the page asks again");
                false
            }
        });
    }
}

fn response_body(error: &CommandError) -> Value {
    serde_json::to_value(error)
        .unwrap_or_else(|_| json!({ "code": error.code, "message": error.message, "details": [] }))
}

fn error_status(code: ErrorCode) -> u16 {
    match code {
        ErrorCode::Invalid => 422,
        ErrorCode::NotFound | ErrorCode::UnknownCommand => 404,
        ErrorCode::Conflict | ErrorCode::NoAccount | ErrorCode::Unsupported | ErrorCode::Cancelled => 409,
        ErrorCode::Locked
        | ErrorCode::TooNew
        | ErrorCode::Altered
        | ErrorCode::Corrupt
        | ErrorCode::Displaced
        | ErrorCode::ReadOnly
        | ErrorCode::DiskFull => 503,
        ErrorCode::Internal => 500,
    }
}

#[cfg(test)]
mod tests {
    use std::{
        path::Path,
        sync::{Arc, Mutex},
    };

    use roost_ops::{Core, Ctx};

    use super::*;

    fn app() -> App {
        App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"))
    }

    #[test]
    fn errors_have_a_status_and_the_same_body_as_in_the_window() {
        let app = app();
        let error = app.dispatch("list_create", json!({ "name": "" }), None).unwrap_err();
        let (status, body) = app.dispatch_command("list_create", json!({ "name": "" }), None).unwrap_err();
        assert_eq!((status, body), (422, serde_json::to_value(&error).unwrap()));
        assert_eq!(app.dispatch_command("no_such", json!({}), None).unwrap_err().0, 404);
    }

    #[test]
    fn a_feed_ends_when_its_page_has_gone() {
        let app = app();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&heard);
        app.subscribe(Box::new(move |event| {
            kept.lock().unwrap().push(event["seq"].clone());
            event["seq"] != 2
        }));
        for name in ["One", "Two", "Three"] {
            app.dispatch_command("list_create", json!({ "name": name }), None).unwrap();
        }
        assert_eq!(*heard.lock().unwrap(), [json!(1), json!(2)]);
    }
}

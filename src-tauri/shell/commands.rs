//! The Tauri command for the account. Every command of the page passes through it to the command list.

use roost_app::{App, CommandError, CommandResponse};
use serde_json::Value;
use tauri::{State, async_runtime::spawn_blocking, ipc::Response};

#[tauri::command]
pub(crate) async fn call(
    app: State<'_, App>,
    name: String,
    payload: Value,
    origin: Option<String>,
) -> Result<Response, CommandError> {
    let app = app.inner().clone();
    match spawn_blocking(move || app.run_command(&name, payload, origin)).await {
        Ok(Ok(CommandResponse::Json(answer))) => Ok(Response::new(answer.to_string())),
        Ok(Ok(CommandResponse::Bytes(bytes))) => Ok(Response::new(bytes)),
        Ok(Err(error)) => Err(error),
        Err(lost) => Err(CommandError::internal(&lost)),
    }
}

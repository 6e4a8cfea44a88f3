//! The one Tauri command: every act of the page goes through it to the command list.

use roost_app::{App, CommandError};
use serde_json::Value;
use tauri::{State, async_runtime::spawn_blocking};

#[tauri::command]
pub async fn call(
    app: State<'_, App>,
    name: String,
    payload: Value,
    origin: Option<String>,
) -> Result<Value, CommandError> {
    let app = app.inner().clone();
    match spawn_blocking(move || app.dispatch(&name, payload, origin)).await {
        Ok(answer) => answer,
        Err(lost) => Err(CommandError::internal(&lost)),
    }
}

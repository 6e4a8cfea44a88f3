//! Commands on plans, which list the requests that a run would send and their price.

use roost_ops::Actor;
use roost_sync_session::{PlanBody, PlanChoice, PlanDetails, RecordKey};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    commands::{
        Nothing,
        desktop::{FileOutcome, choose_target, suggest_name},
    },
    desktop::FileKind,
    error::CommandError,
    file::{Durability, write_whole},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct PlanGet {
    /// Null means the newest plan.
    pub plan: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct PlanChoose {
    pub key: RecordKey,
    /// Null withdraws a choice.
    pub choice: Option<PlanChoice>,
    /// Applies the choice to every record with the same obstacle.
    pub alike: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct PlanHold {
    pub plan: i64,
    pub step: u32,
    pub held: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct PlanBodyGet {
    pub plan: i64,
    pub step: u32,
    /// Hides the middle digits of phone numbers.
    pub masked: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum TextFormat {
    Markdown,
    Json,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct PlanExport {
    pub plan: i64,
    pub format: TextFormat,
}

/// A text that was saved, or that the page must save.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct TextSaved {
    /// `unsupported` means that the page must save `text` under `name`.
    pub outcome: FileOutcome,
    pub path: Option<String>,
    pub name: String,
    pub text: Option<String>,
}

pub(crate) fn make(app: &App, _: &Actor, _: Nothing) -> Result<PlanDetails, CommandError> {
    Ok(app.sync()?.make_plan()?)
}

pub(crate) fn get(app: &App, _: &Actor, request: PlanGet) -> Result<Option<PlanDetails>, CommandError> {
    Ok(app.sync()?.read_plan(request.plan)?)
}

pub(crate) fn choose(app: &App, _: &Actor, request: PlanChoose) -> Result<PlanDetails, CommandError> {
    Ok(app.sync()?.choose_option(&request.key, request.choice, request.alike)?)
}

pub(crate) fn hold(app: &App, _: &Actor, request: PlanHold) -> Result<PlanDetails, CommandError> {
    Ok(app.sync()?.hold_step(request.plan, request.step, request.held)?)
}

pub(crate) fn body(app: &App, _: &Actor, request: PlanBodyGet) -> Result<PlanBody, CommandError> {
    Ok(app.sync()?.step_body(request.plan, request.step, request.masked)?)
}

pub(crate) fn export(app: &App, _: &Actor, request: PlanExport) -> Result<TextSaved, CommandError> {
    let session = app.sync()?;
    let text = match request.format {
        TextFormat::Markdown => session.plan_text(request.plan)?,
        TextFormat::Json => session.plan_json(request.plan)?,
    };
    save_text(app, &format!("plan-{}", request.plan), text, request.format)
}

/// Saves the text where the user chooses. Without a desktop, returns it for the page to save.
pub(super) fn save_text(app: &App, name: &str, text: String, format: TextFormat) -> Result<TextSaved, CommandError> {
    let (kind, ending) = match format {
        TextFormat::Markdown => (FileKind::Text, "md"),
        TextFormat::Json => (FileKind::Json, "json"),
    };
    let shown = format!("{name}.{ending}");
    if !app.has_desktop() {
        return Ok(TextSaved { outcome: FileOutcome::Unsupported, path: None, name: shown, text: Some(text) });
    }
    let Some(path) = choose_target(app, &suggest_name(name, kind), kind)? else {
        return Ok(TextSaved { outcome: FileOutcome::Cancelled, path: None, name: shown, text: None });
    };
    write_whole(&path, Durability::Durable, |out| out.write_all(text.as_bytes()))
        .map_err(|why| CommandError::file(&path, &why))?;
    let path = Some(path.to_string_lossy().into_owned());
    Ok(TextSaved { outcome: FileOutcome::Saved, path, name: shown, text: None })
}

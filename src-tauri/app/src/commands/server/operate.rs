//! The command that calls a route of the local server's operator interface: worlds, time, faults, limits, jobs,
//! snapshots. A page names the route as the matching curl command does, so that the command it shows is the request it
//! sends.

use roost_model::error::FieldError;
use roost_ops::Actor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{accounts::App, error::CommandError};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ServerOperate {
    pub method: OperateMethod,
    /// The path and query, beginning with `/__admin/`.
    pub target: String,
    /// The JSON body. Null sends no body.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub body: Value,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum OperateMethod {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

roost_model::variant_names! {
    OperateMethod { Get = "GET", Post = "POST", Put = "PUT", Patch = "PATCH", Delete = "DELETE" }
}

/// The response that the operator document describes. Null if it has no body.
#[derive(Debug, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "unknown"))]
pub(crate) struct OperateResponse(Value);

pub(crate) fn operate(app: &App, by: &Actor, request: ServerOperate) -> Result<OperateResponse, CommandError> {
    if !request.target.starts_with("/__admin/") {
        return Err(FieldError::new("target", "An act of the operator is below /__admin/.", request.target).into());
    }
    app.server().operate(by, request.method.as_str(), &request.target, &request.body).map(OperateResponse)
}

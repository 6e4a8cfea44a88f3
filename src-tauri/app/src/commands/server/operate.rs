//! The command that does what the operator's side of the local server can: worlds, time, faults, limits, jobs, snapshots.
//! A page names the act as the equivalent curl line does, so that what it shows is what it does.

use roost_model::error::Fault;
use roost_ops::By;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{accounts::App, error::CommandError};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ServerOperate {
    pub method: OperateMethod,
    /// Path and query, from `/__admin/` on.
    pub target: String,
    /// JSON; null for none.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub body: Value,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OperateMethod {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl OperateMethod {
    fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// As the operator's document describes it; null where there is nothing to tell.
#[derive(Debug, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(type = "unknown"))]
pub struct Operated(Value);

pub fn operate(app: &App, by: &By, request: ServerOperate) -> Result<Operated, CommandError> {
    if !request.target.starts_with("/__admin/") {
        let fault = Fault::new("target", "An act of the operator is below /__admin/.", request.target);
        return Err(CommandError::invalid(vec![fault]));
    }
    app.server().operate(by, request.method.as_str(), &request.target, &request.body).map(Operated)
}

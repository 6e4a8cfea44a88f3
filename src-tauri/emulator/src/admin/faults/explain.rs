//! Explains which fault rule would meet a request, without sending it and without counting anything.

use std::collections::BTreeMap;

use axum::http::{self, request};
use roost_journal::FieldMismatch;
use roost_wire::{Operation, RequestPath, Route, find_route};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::{error::AdminError, journal::closest_routes, route::AdminRequest};
use crate::{
    access::KEY_HEADER,
    door::WorldVisit,
    faults::{FaultSource, FaultTime, IncomingRequest, RuleExplanation},
};

/// A request that might be sent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "FaultExplainRequest")]
pub(crate) struct ExplainRequest {
    /// Default GET.
    method: Option<String>,
    /// Path and query, without the part that selects a world.
    url: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// JSON, or a text that is sent unchanged.
    body: Option<Value>,
    /// The caller's key. Default: that of the X-AUTH-KEY header.
    key: Option<String>,
}

/// Which fault rule a request would trigger now. Rate limits are checked before rules.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FaultExplanation", deny_unknown_fields)]
pub(crate) struct FaultExplanation {
    operation: &'static str,
    /// The rule that would fire. Null: none.
    fires: Option<String>,
    /// The rule that would only delay the response. It applies in addition to the one that fires.
    delays: Option<String>,
    /// All rules, in the order in which they are tried.
    items: Vec<ExplainedRule>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FaultExplained", deny_unknown_fields)]
struct ExplainedRule {
    name: String,
    source: FaultSource,
    /// Whether the rule would fire.
    fires: bool,
    /// Why it would not fire.
    why: Option<String>,
    /// The parts of the request that do not match.
    misses: Vec<FieldMismatch>,
}

impl From<RuleExplanation> for ExplainedRule {
    fn from(explained: RuleExplanation) -> Self {
        let RuleExplanation { name, source, reason: passed, .. } = explained;
        let fires = passed.is_none();
        let (why, misses) = passed.map_or((None, Vec::new()), |passed| (Some(passed.why), passed.misses));
        Self { name: name.into(), source, fires, why, misses }
    }
}

impl ExplainRequest {
    fn to_request_head(&self) -> Result<request::Parts, AdminError> {
        let method = self.method.as_deref().unwrap_or("GET");
        let method = http::Method::from_bytes(method.as_bytes())
            .map_err(|_| AdminError::invalid(format!("method: '{method}' is not a valid method.")))?;
        let uri = self.url.parse::<http::Uri>().ok().filter(|uri| uri.path().starts_with('/'));
        let uri = uri.ok_or_else(|| {
            AdminError::invalid(format!("url: '{}' is not valid. Use a path such as /contacts/v1/lists/.", self.url))
        })?;
        let mut builder = http::Request::builder().method(method).uri(uri);
        for (name, value) in &self.headers {
            builder = builder.header(name, value);
        }
        let request = builder.body(()).map_err(|_| AdminError::invalid("headers: a name or a value is not valid."))?;
        Ok(request.into_parts().0)
    }

    fn body_bytes(&self) -> Vec<u8> {
        match &self.body {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(text)) => text.clone().into_bytes(),
            Some(json) => json.to_string().into_bytes(),
        }
    }
}

fn find_operation(parts: &request::Parts) -> Result<&'static Operation, AdminError> {
    let (method, path) = (parts.method.as_str(), RequestPath::parse(parts.uri.path()));
    match find_route(method, &path) {
        Route::Operation { operation, .. } => Ok(operation),
        _ => {
            let routes = closest_routes(method, parts.uri.path());
            let named: Vec<String> = routes.iter().map(|(method, path)| format!("{method} {path}")).collect();
            let suggestion =
                if named.is_empty() { String::new() } else { format!(" Did you mean {}?", named.join(" or ")) };
            let message = format!(
                "url: no operation at {method} {}; fault rules apply to operations only.{suggestion}",
                short_path(parts)
            );
            Err(AdminError::invalid(message))
        }
    }
}

fn short_path(parts: &request::Parts) -> String {
    parts.uri.path().chars().take(200).collect()
}

pub(crate) fn explain_request(
    visit: &WorldVisit,
    _: &AdminRequest,
    input: ExplainRequest,
) -> Result<FaultExplanation, AdminError> {
    let (parts, body) = (input.to_request_head()?, input.body_bytes());
    let operation = find_operation(&parts)?;
    let in_header = parts.headers.get(KEY_HEADER).map(|value| value.as_bytes().trim_ascii());
    let key = input.key.as_ref().map(|key| key.as_bytes()).or(in_header).unwrap_or_default();
    let request = IncomingRequest { operation, parts: &parts, key, body: &body };
    let all = visit.world().faults.explain_request(&request, FaultTime::from_core(&visit.world().core));
    let first = |only_delays: bool| {
        let met = all.iter().find(|one| one.only_delays == only_delays && one.reason.is_none());
        met.map(|one| one.name.to_string())
    };
    let (fires, delays) = (first(false), first(true));
    Ok(FaultExplanation {
        operation: operation.name,
        fires,
        delays,
        items: all.into_iter().map(ExplainedRule::from).collect(),
    })
}

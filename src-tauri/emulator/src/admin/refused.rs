//! Errors of the operator's side: `{"error":{"code","message","hint"}}`.

use roost_model::error::ErrorCode;
use roost_ops::Error;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    answer::{HttpResponse, json},
    intake,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    status: u16,
    code: &'static str,
    message: String,
    hint: &'static str,
}

/// The body of an error.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AdminError", deny_unknown_fields)]
pub struct ErrorBody<'a> {
    error: Told<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AdminErrorTold", deny_unknown_fields)]
struct Told<'a> {
    code: &'a str,
    message: &'a str,
    /// What to do about it.
    hint: &'a str,
}

impl Refused {
    fn new(status: u16, code: &'static str, message: impl Into<String>, hint: &'static str) -> Self {
        Self { status, code, message: message.into(), hint }
    }

    pub fn unauthorized() -> Self {
        let hint =
            "Send 'Authorization: Bearer <admin token>'; the token stands in the ready file, or set ROOST_ADMIN_TOKEN.";
        Self::new(401, "unauthorized", "The admin token is missing or wrong.", hint)
    }

    pub fn foreign_page() -> Self {
        let hint = "Call from a program, or from a page this server delivers.";
        Self::new(403, "foreign_page", "Pages of other origins may not call this server.", hint)
    }

    pub fn unknown_path() -> Self {
        Self::new(
            404,
            "unknown_path",
            "There is nothing at this path.",
            "See /__admin/openapi.json for the paths there are.",
        )
    }

    pub fn wrong_method() -> Self {
        Self::new(405, "wrong_method", "This path has other methods.", "See the header Allow.")
    }

    pub fn bad_body(why: &str) -> Self {
        Self::new(
            400,
            "bad_body",
            format!("The body cannot be read: {why}"),
            "Send one JSON object as /__admin/openapi.json describes it.",
        )
    }

    pub fn bad_query(message: impl Into<String>) -> Self {
        Self::new(400, "bad_query", message, "See /__admin/openapi.json for the parameters there are.")
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, "invalid", message, "Mend the value and send it again.")
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(404, "not_found", message, "Query what there is first.")
    }

    pub fn internal() -> Self {
        Self::new(500, "internal", "The server failed.", "The server's log has the cause.")
    }

    pub fn into_response(self) -> HttpResponse {
        let told = Told { code: self.code, message: &self.message, hint: self.hint };
        json(self.status, roost_wire::paging::to_bytes(&ErrorBody { error: told }))
    }
}

impl From<intake::Fault> for Refused {
    fn from(fault: intake::Fault) -> Self {
        match fault {
            intake::Fault::TooLarge => {
                Self::new(413, "too_large", "The body is larger than 64 MiB.", "Send it in parts.")
            }
            intake::Fault::Broken => Self::bad_body("it broke off"),
        }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let told = error.to_string();
        match error {
            Error::NotFound { .. } => Self::not_found(told),
            Error::Invalid { .. } => Self::invalid(told),
            Error::Conflict { .. } => Self::new(409, "conflict", told, "Look at what there is, then decide."),
            Error::Store(error) => {
                tracing::error!(error = &error as &(dyn std::error::Error + 'static), "an act of the operator failed");
                match error.code() {
                    ErrorCode::Internal => Self::internal(),
                    _ => Self::new(500, "storage", told, "The server's log has the cause."),
                }
            }
        }
    }
}

//! Every error of the interface, and the two shapes in which errors are written.

use std::borrow::Cow;

use roost_model::error::FieldError;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Value, value::RawValue};

use crate::{operation::Family, paging::to_bytes};

/// A rejected value as received.
#[derive(Debug, Clone)]
pub enum RejectedValue {
    Value(Value),
    /// Stored as text, so that it is returned unchanged.
    Raw(Box<RawValue>),
}

impl Serialize for RejectedValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Raw(raw) => raw.serialize(serializer),
        }
    }
}

impl<T: Into<Value>> From<T> for RejectedValue {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

/// A broken rule: where, which, and what was given. Null: nothing was given.
#[derive(Debug, Clone, Serialize)]
pub struct ValidationError {
    pub field: Cow<'static, str>,
    pub message: Cow<'static, str>,
    pub rejected_value: RejectedValue,
}

impl ValidationError {
    pub fn new(
        field: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
        rejected: impl Into<RejectedValue>,
    ) -> Self {
        Self { field: field.into(), message: message.into(), rejected_value: rejected.into() }
    }
}

impl From<FieldError> for ValidationError {
    fn from(fault: FieldError) -> Self {
        Self::new(fault.path, fault.message, fault.rejected)
    }
}

/// The reason why a request is refused. Together with the family of its path, it determines the whole response.
#[derive(Debug, Clone)]
pub enum RestError {
    Unauthorized,
    Forbidden,
    UnknownPath,
    WrongMethod,
    BodyTooLarge,
    /// The content type is wrong, the body is not a JSON object, or a known key has a value of the wrong type.
    BadBody,
    TooManyRequests,
    /// The server cannot accept the request now.
    Busy,
    Internal,
    /// Broken rules with their places.
    Invalid(Vec<ValidationError>),
    /// A broken rule that is reported by its message alone.
    InvalidMessage(&'static str),
    /// The same in the opt-out query, whose response has no trace id.
    InvalidUntraced(&'static str),
    BadUid {
        field: &'static str,
        given: String,
    },
    BadFormat {
        name: &'static str,
        expected: &'static str,
    },
    BadParameterType,
    MissingField {
        name: &'static str,
        entries: Vec<ValidationError>,
    },
    /// Something to which the request refers does not exist. The status is 400.
    BadReference(&'static str),
    /// The requested record does not exist.
    NotFound(String),
    SenderNotFound,
    /// An error that the operator requested, to test how a caller handles it. Nothing is wrong with the request.
    Injected {
        status: u16,
        /// `None` uses the name that belongs to the status.
        error: Option<Box<str>>,
    },
}

/// The value of `trace_id` where the service gives none.
pub const NO_TRACE_ID: &str = "no-trace-id";

/// Status, code without its family, name and message of an error.
struct ErrorHead<'a> {
    status: u16,
    code: &'static str,
    error: &'a str,
    message: Cow<'a, str>,
}

const INVALID: &str = "Request validation failed";

impl RestError {
    pub fn invalid(entry: ValidationError) -> Self {
        Self::Invalid(vec![entry])
    }

    pub fn status(&self) -> u16 {
        self.error_head(Family::Assets).status
    }

    /// Returns false only if the response says `no-trace-id`.
    pub fn is_traced(&self) -> bool {
        !matches!(self, Self::InvalidUntraced(_))
    }

    fn error_head(&self, family: Family) -> ErrorHead<'_> {
        let (status, code, error, message): (_, _, _, Cow<'_, str>) = match self {
            Self::Unauthorized => (401, "AUTH_001", "UNAUTHORIZED", "Unauthorized".into()),
            Self::Forbidden => (403, "AUTH_002", "FORBIDDEN", "Access denied".into()),
            Self::UnknownPath => (404, "NF_003", "RESOURCE_NOT_FOUND", "Requested resource not found".into()),
            Self::WrongMethod => (405, "REQ_003", "METHOD_NOT_ALLOWED", "Method not allowed".into()),
            Self::BodyTooLarge => (413, "REQ_004", "PAYLOAD_TOO_LARGE", "Request body too large".into()),
            Self::BadBody => (400, "REQ_002", "INVALID_REQUEST_BODY", "Invalid or malformed request body".into()),
            Self::TooManyRequests => (429, "LIM_001", "TOO_MANY_REQUESTS", "Too many requests".into()),
            Self::Busy => return head_for_status(503),
            Self::Internal => (500, "SYS_001", "INTERNAL_SERVER_ERROR", "Internal server error occurred".into()),
            Self::Invalid(_) => (400, "VAL_001", "VALIDATION_ERROR", INVALID.into()),
            Self::InvalidMessage(text) | Self::InvalidUntraced(text) => {
                (400, "VAL_001", "VALIDATION_ERROR", (*text).into())
            }
            Self::BadUid { given, .. } => {
                let message = match family {
                    Family::Contacts => {
                        format!("Invalid UID format: '{given}'. UIDs must follow the specified format.").into()
                    }
                    Family::Assets | Family::Senders => INVALID.into(),
                };
                (400, "VAL_001", "INVALID_UID_FORMAT", message)
            }
            Self::BadFormat { name, expected } => {
                let message = format!("Invalid format for field '{name}'. Expected format: {expected}");
                (400, "VAL_004", "INVALID_FORMAT", message.into())
            }
            Self::BadParameterType => {
                (400, "VAL_004", "INVALID_PARAMETER_TYPE", "Invalid parameter type provided".into())
            }
            Self::MissingField { name, .. } => {
                (400, "VAL_001", "MISSING_REQUIRED_FIELD", format!("Required field '{name}' is missing").into())
            }
            Self::BadReference(text) => (400, "VAL_001", "BAD_REQUEST", (*text).into()),
            Self::NotFound(text) => (404, "NF_003", "RESOURCE_NOT_FOUND", text.as_str().into()),
            Self::SenderNotFound => (404, "NF_003", "RESOURCE_NOT_FOUND", SENDER_NOT_FOUND.into()),
            Self::Injected { status, error } => {
                let head = head_for_status(*status);
                return ErrorHead { error: error.as_deref().unwrap_or(head.error), ..head };
            }
        };
        ErrorHead { status, code, error, message }
    }

    /// Returns the body in the shape of the family. `timestamp` has nine decimals, see [`error_time`].
    pub fn to_body(&self, family: Family, trace_id: &str, timestamp: &str) -> Vec<u8> {
        let trace_id = if self.is_traced() { trace_id } else { NO_TRACE_ID };
        let head = self.error_head(family);
        let prefix = match family {
            Family::Senders => return self.sender_error_body(trace_id, head),
            Family::Assets => "ERR_AST_",
            Family::Contacts => "ERR_CNT_",
        };
        let bad_uid;
        let entries: Option<&[ValidationError]> = match self {
            Self::Invalid(entries) | Self::MissingField { entries, .. } => Some(entries),
            Self::BadUid { field, given } => {
                bad_uid = [ValidationError::new(*field, "UID is invalid", given.as_str())];
                Some(&bad_uid)
            }
            _ => None,
        };
        let shape = RestErrorBody {
            trace_id,
            code: format!("{prefix}{}", head.code),
            error: head.error,
            message: &head.message,
            status: head.status,
            timestamp,
            validation_errors: (head.status != 404).then_some(entries),
        };
        to_bytes(&shape)
    }

    fn sender_error_body(&self, trace_id: &str, head: ErrorHead<'_>) -> Vec<u8> {
        let errors = match self {
            Self::Invalid(entries) => entries
                .iter()
                .map(|entry| SenderErrorEntry { message: &entry.message, field: Some(&entry.field), code: None })
                .collect(),
            Self::SenderNotFound => vec![SenderErrorEntry { message: SENDER_NOT_FOUND, field: None, code: Some(3006) }],
            _ => vec![SenderErrorEntry { message: &head.message, field: None, code: None }],
        };
        to_bytes(&SenderErrorBody { trace_id, errors })
    }
}

/// Returns what the service responds with a status. For other statuses, the name in HTTP is used.
fn head_for_status(status: u16) -> ErrorHead<'static> {
    let (code, error, message) = match status {
        400 => ("VAL_001", "BAD_REQUEST", "Bad request"),
        401 => ("AUTH_001", "UNAUTHORIZED", "Unauthorized"),
        403 => ("AUTH_002", "FORBIDDEN", "Access denied"),
        404 => ("NF_003", "RESOURCE_NOT_FOUND", "Requested resource not found"),
        405 => ("REQ_003", "METHOD_NOT_ALLOWED", "Method not allowed"),
        408 => ("VAL_001", "REQUEST_TIMEOUT", "Request timed out"),
        409 => ("VAL_001", "CONFLICT", "Conflict"),
        413 => ("REQ_004", "PAYLOAD_TOO_LARGE", "Request body too large"),
        429 => ("LIM_001", "TOO_MANY_REQUESTS", "Too many requests"),
        502 => ("SYS_001", "BAD_GATEWAY", "Bad gateway"),
        503 => ("SYS_001", "SERVICE_UNAVAILABLE", "Service unavailable"),
        504 => ("SYS_001", "GATEWAY_TIMEOUT", "Gateway timed out"),
        500.. => ("SYS_001", "INTERNAL_SERVER_ERROR", "Internal server error occurred"),
        _ => ("VAL_001", "BAD_REQUEST", "Bad request"),
    };
    ErrorHead { status, code, error, message: message.into() }
}

const SENDER_NOT_FOUND: &str = "Sender not found for the account";

/// Formats the time of an error in UTC with nine decimals.
pub fn error_time(unix_seconds: i64, nanos: u32) -> String {
    let mut text = roost_model::time::Timestamp::from_unix(unix_seconds).to_iso();
    text.truncate(text.len() - 1);
    text.push_str(&format!(".{nanos:09}Z"));
    text
}

/// Errors of the senders.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SenderErrors", deny_unknown_fields)]
pub struct SenderErrorBody<'a> {
    #[schemars(regex(pattern = r"^[0-9a-f]{16}$"))]
    trace_id: &'a str,
    #[schemars(length(min = 1))]
    errors: Vec<SenderErrorEntry<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SenderError", deny_unknown_fields)]
struct SenderErrorEntry<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u32>,
}

/// Errors of lists, contacts, opt-outs and short links.
#[derive(Serialize)]
struct RestErrorBody<'a> {
    trace_id: &'a str,
    code: String,
    error: &'a str,
    message: &'a str,
    status: u16,
    timestamp: &'a str,
    /// The outer `None` leaves the key out. The inner `None` writes null.
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_errors: Option<Option<&'a [ValidationError]>>,
}

/// Schemas of the two shapes.
pub mod schema {
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    pub type SenderErrors = super::SenderErrorBody<'static>;

    /// Errors of lists, contacts, opt-outs and short links. `validation_errors` is null when no rule was broken.
    pub struct ErrorSchema;
    /// The error for a record that does not exist. It has no key `validation_errors`.
    pub struct NotFoundErrorSchema;

    fn error_schema(with_entries: bool) -> Schema {
        let mut schema = json_schema!({
            "type": "object",
            "properties": {
                "trace_id": { "type": "string", "pattern": "^([0-9a-f]{16}|no-trace-id)$" },
                "code": { "type": "string", "pattern": "^ERR_(AST|CNT)_[A-Z]+_[0-9]{3}$" },
                "error": { "type": "string", "pattern": "^[A-Z_]+$" },
                "message": { "type": "string" },
                "status": { "type": "integer", "minimum": 400, "maximum": 599 },
                "timestamp": {
                    "type": "string",
                    "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{9}Z$",
                },
            },
            "required": ["trace_id", "code", "error", "message", "status", "timestamp"],
            "additionalProperties": false,
        });
        if with_entries {
            let entries = serde_json::json!({
                "type": ["array", "null"],
                "items": {
                    "type": "object",
                    "properties": {
                        "field": { "type": "string" },
                        "message": { "type": "string" },
                        "rejected_value": { "description": "As received. Null: nothing was given." },
                    },
                    "required": ["field", "message", "rejected_value"],
                    "additionalProperties": false,
                },
            });
            if let Some(properties) = schema.get_mut("properties").and_then(|p| p.as_object_mut()) {
                properties.insert("validation_errors".to_owned(), entries);
            }
            if let Some(required) = schema.get_mut("required").and_then(|r| r.as_array_mut()) {
                required.push("validation_errors".into());
            }
        }
        schema
    }

    impl JsonSchema for ErrorSchema {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Error".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            error_schema(true)
        }
    }

    impl JsonSchema for NotFoundErrorSchema {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "NotFoundError".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            error_schema(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0f1e2d3c4b5a6978";
    const TIME: &str = "2026-01-05T09:00:00.123456789Z";

    fn written(refusal: &RestError, family: Family) -> String {
        String::from_utf8(refusal.to_body(family, TRACE, TIME)).expect("text")
    }

    #[test]
    fn times_have_nine_decimals() {
        assert_eq!(error_time(1_767_603_600, 123_456_789), TIME);
        assert_eq!(error_time(1_767_603_600, 7), "2026-01-05T09:00:00.000000007Z");
    }

    #[test]
    fn shapes_are_those_of_the_samples() {
        let b = |code: &str, error: &str, message: &str, status: u16, rest: &str| {
            format!(
                r#"{{"trace_id":"{TRACE}","code":"{code}","error":"{error}","message":"{message}","status":{status},"timestamp":"{TIME}"{rest}}}"#
            )
        };
        let null = r#","validation_errors":null"#;
        let cases = [
            (
                RestError::Unauthorized,
                Family::Senders,
                format!(r#"{{"trace_id":"{TRACE}","errors":[{{"message":"Unauthorized"}}]}}"#),
            ),
            (
                RestError::Unauthorized,
                Family::Contacts,
                b("ERR_CNT_AUTH_001", "UNAUTHORIZED", "Unauthorized", 401, null),
            ),
            (RestError::Forbidden, Family::Assets, b("ERR_AST_AUTH_002", "FORBIDDEN", "Access denied", 403, null)),
            (
                RestError::UnknownPath,
                Family::Contacts,
                b("ERR_CNT_NF_003", "RESOURCE_NOT_FOUND", "Requested resource not found", 404, ""),
            ),
            (
                RestError::WrongMethod,
                Family::Contacts,
                b("ERR_CNT_REQ_003", "METHOD_NOT_ALLOWED", "Method not allowed", 405, null),
            ),
            (
                RestError::BodyTooLarge,
                Family::Contacts,
                b("ERR_CNT_REQ_004", "PAYLOAD_TOO_LARGE", "Request body too large", 413, null),
            ),
            (
                RestError::TooManyRequests,
                Family::Contacts,
                b("ERR_CNT_LIM_001", "TOO_MANY_REQUESTS", "Too many requests", 429, null),
            ),
            (
                RestError::Internal,
                Family::Assets,
                b("ERR_AST_SYS_001", "INTERNAL_SERVER_ERROR", "Internal server error occurred", 500, null),
            ),
            (
                RestError::BadBody,
                Family::Contacts,
                b("ERR_CNT_REQ_002", "INVALID_REQUEST_BODY", "Invalid or malformed request body", 400, null),
            ),
            (
                RestError::BadFormat { name: "page_size", expected: "int" },
                Family::Contacts,
                b(
                    "ERR_CNT_VAL_004",
                    "INVALID_FORMAT",
                    "Invalid format for field 'page_size'. Expected format: int",
                    400,
                    null,
                ),
            ),
            (
                RestError::BadParameterType,
                Family::Assets,
                b("ERR_AST_VAL_004", "INVALID_PARAMETER_TYPE", "Invalid parameter type provided", 400, null),
            ),
            (
                RestError::BadReference("List not found"),
                Family::Contacts,
                b("ERR_CNT_VAL_001", "BAD_REQUEST", "List not found", 400, null),
            ),
            (
                RestError::BadUid { field: "deleteList.uid", given: "LST_1".to_owned() },
                Family::Contacts,
                b(
                    "ERR_CNT_VAL_001",
                    "INVALID_UID_FORMAT",
                    "Invalid UID format: 'LST_1'. UIDs must follow the specified format.",
                    400,
                    r#","validation_errors":[{"field":"deleteList.uid","message":"UID is invalid","rejected_value":"LST_1"}]"#,
                ),
            ),
            (
                RestError::BadUid { field: "delete_short_link_by_id.id", given: "abc".to_owned() },
                Family::Assets,
                b(
                    "ERR_AST_VAL_001",
                    "INVALID_UID_FORMAT",
                    "Request validation failed",
                    400,
                    r#","validation_errors":[{"field":"delete_short_link_by_id.id","message":"UID is invalid","rejected_value":"abc"}]"#,
                ),
            ),
            (
                RestError::invalid(ValidationError::new("filter.pageSize", "page.size.generic", 0)),
                Family::Contacts,
                b(
                    "ERR_CNT_VAL_001",
                    "VALIDATION_ERROR",
                    "Request validation failed",
                    400,
                    r#","validation_errors":[{"field":"filter.pageSize","message":"page.size.generic","rejected_value":0}]"#,
                ),
            ),
            (
                RestError::MissingField {
                    name: "number",
                    entries: vec![ValidationError::new("optOuts[0].number", "Phone number is required", Value::Null)],
                },
                Family::Contacts,
                b(
                    "ERR_CNT_VAL_001",
                    "MISSING_REQUIRED_FIELD",
                    "Required field 'number' is missing",
                    400,
                    r#","validation_errors":[{"field":"optOuts[0].number","message":"Phone number is required","rejected_value":null}]"#,
                ),
            ),
            (
                RestError::NotFound("Short link with id 'x' not found".to_owned()),
                Family::Assets,
                b("ERR_AST_NF_003", "RESOURCE_NOT_FOUND", "Short link with id 'x' not found", 404, ""),
            ),
            (
                RestError::SenderNotFound,
                Family::Senders,
                format!(
                    r#"{{"trace_id":"{TRACE}","errors":[{{"message":"Sender not found for the account","code":3006}}]}}"#
                ),
            ),
            (
                RestError::invalid(ValidationError::new(
                    "get_all_sms_senders.page_size",
                    "must be less than or equal to 100",
                    101,
                )),
                Family::Senders,
                format!(
                    r#"{{"trace_id":"{TRACE}","errors":[{{"message":"must be less than or equal to 100","field":"get_all_sms_senders.page_size"}}]}}"#
                ),
            ),
            (
                RestError::UnknownPath,
                Family::Senders,
                format!(r#"{{"trace_id":"{TRACE}","errors":[{{"message":"Requested resource not found"}}]}}"#),
            ),
        ];
        for (refusal, family, want) in cases {
            assert_eq!(written(&refusal, family), want);
        }
    }

    #[test]
    fn the_opt_out_query_answers_without_a_trace() {
        let text = written(&RestError::InvalidUntraced("Invalid channel. Must be SMS or WHATSAPP."), Family::Contacts);
        assert!(
            text.starts_with(r#"{"trace_id":"no-trace-id","code":"ERR_CNT_VAL_001","error":"VALIDATION_ERROR""#),
            "{text}"
        );
    }

    #[test]
    fn an_injected_error_has_the_shape_that_the_service_uses() {
        let staged = |status, error: Option<&str>| RestError::Injected { status, error: error.map(Into::into) };
        let text = written(&staged(500, None), Family::Contacts);
        assert_eq!(text, written(&RestError::Internal, Family::Contacts));
        for (status, like) in [
            (401, RestError::Unauthorized),
            (403, RestError::Forbidden),
            (404, RestError::UnknownPath),
            (413, RestError::BodyTooLarge),
            (429, RestError::TooManyRequests),
        ] {
            for family in [Family::Assets, Family::Contacts, Family::Senders] {
                assert_eq!(written(&staged(status, None), family), written(&like, family), "{status}");
            }
        }
        let text = written(&staged(503, Some("MAINTENANCE")), Family::Assets);
        assert!(
            text.contains(r#""code":"ERR_AST_SYS_001","error":"MAINTENANCE","message":"Service unavailable""#),
            "{text}"
        );
        for status in 400..600 {
            assert_eq!(staged(status, None).status(), status);
        }
    }
}

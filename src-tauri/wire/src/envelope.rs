//! Every refusal the interface knows, and the two shapes it is written in.

use std::borrow::Cow;

use roost_model::error::Fault;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Value, value::RawValue};

use crate::{operation::Family, paging::to_bytes};

/// A rejected value as received.
#[derive(Debug, Clone)]
pub enum Rejected {
    Value(Value),
    /// Kept as text, so that nothing of it is lost.
    Raw(Box<RawValue>),
}

impl Serialize for Rejected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Raw(raw) => raw.serialize(serializer),
        }
    }
}

impl<T: Into<Value>> From<T> for Rejected {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

/// A broken rule: where, which, and what was given. Null: nothing was given.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    pub field: Cow<'static, str>,
    pub message: Cow<'static, str>,
    pub rejected_value: Rejected,
}

impl Entry {
    pub fn new(
        field: impl Into<Cow<'static, str>>,
        message: impl Into<Cow<'static, str>>,
        rejected: impl Into<Rejected>,
    ) -> Self {
        Self { field: field.into(), message: message.into(), rejected_value: rejected.into() }
    }
}

impl From<Fault> for Entry {
    fn from(fault: Fault) -> Self {
        Self::new(fault.path, fault.message, fault.rejected)
    }
}

/// Why a request is refused. Together with the family of its path it settles the whole answer.
#[derive(Debug, Clone)]
pub enum Refusal {
    Unauthorized,
    Forbidden,
    UnknownPath,
    WrongMethod,
    BodyTooLarge,
    /// Wrong content type, no JSON object, or a known key of a wrong type.
    BadBody,
    TooManyRequests,
    /// The server has no room for the request now.
    Busy,
    Internal,
    /// Broken rules with their places.
    Invalid(Vec<Entry>),
    /// A broken rule told by its message alone.
    InvalidMessage(&'static str),
    /// The same from the opt-out query, whose answer carries no trace id.
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
        entries: Vec<Entry>,
    },
    /// Something the request refers to does not exist, told with 400.
    BadReference(&'static str),
    /// The thing itself does not exist.
    NotFound(String),
    SenderNotFound,
    /// Asked for by the operator, to see how a caller takes it; nothing is wrong with the request.
    Staged {
        status: u16,
        /// None: the name that goes with the status.
        error: Option<Box<str>>,
    },
}

/// What stands behind `trace_id` where the service names none.
pub const NO_TRACE_ID: &str = "no-trace-id";

/// Status, code without its family, name and message of a refusal.
struct Head<'a> {
    status: u16,
    code: &'static str,
    error: &'a str,
    message: Cow<'a, str>,
}

const INVALID: &str = "Request validation failed";

impl Refusal {
    pub fn invalid(entry: Entry) -> Self {
        Self::Invalid(vec![entry])
    }

    pub fn status(&self) -> u16 {
        self.head(Family::Assets).status
    }

    /// False only where the answer says `no-trace-id`.
    pub fn is_traced(&self) -> bool {
        !matches!(self, Self::InvalidUntraced(_))
    }

    fn head(&self, family: Family) -> Head<'_> {
        let (status, code, error, message): (_, _, _, Cow<'_, str>) = match self {
            Self::Unauthorized => (401, "AUTH_001", "UNAUTHORIZED", "Unauthorized".into()),
            Self::Forbidden => (403, "AUTH_002", "FORBIDDEN", "Access denied".into()),
            Self::UnknownPath => (404, "NF_003", "RESOURCE_NOT_FOUND", "Requested resource not found".into()),
            Self::WrongMethod => (405, "REQ_003", "METHOD_NOT_ALLOWED", "Method not allowed".into()),
            Self::BodyTooLarge => (413, "REQ_004", "PAYLOAD_TOO_LARGE", "Request body too large".into()),
            Self::BadBody => (400, "REQ_002", "INVALID_REQUEST_BODY", "Invalid or malformed request body".into()),
            Self::TooManyRequests => (429, "LIM_001", "TOO_MANY_REQUESTS", "Too many requests".into()),
            Self::Busy => return staged(503),
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
            Self::Staged { status, error } => {
                let head = staged(*status);
                return Head { error: error.as_deref().unwrap_or(head.error), ..head };
            }
        };
        Head { status, code, error, message }
    }

    /// The body in the shape of the family. `timestamp` has nine decimals, see [`error_time`].
    pub fn body(&self, family: Family, trace_id: &str, timestamp: &str) -> Vec<u8> {
        let trace_id = if self.is_traced() { trace_id } else { NO_TRACE_ID };
        let head = self.head(family);
        let prefix = match family {
            Family::Senders => return self.shape_a(trace_id, head),
            Family::Assets => "ERR_AST_",
            Family::Contacts => "ERR_CNT_",
        };
        let bad_uid;
        let entries: Option<&[Entry]> = match self {
            Self::Invalid(entries) | Self::MissingField { entries, .. } => Some(entries),
            Self::BadUid { field, given } => {
                bad_uid = [Entry::new(*field, "UID is invalid", given.as_str())];
                Some(&bad_uid)
            }
            _ => None,
        };
        let shape = ShapeB {
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

    fn shape_a(&self, trace_id: &str, head: Head<'_>) -> Vec<u8> {
        let errors = match self {
            Self::Invalid(entries) => entries
                .iter()
                .map(|entry| ShapeAEntry { message: &entry.message, field: Some(&entry.field), code: None })
                .collect(),
            Self::SenderNotFound => vec![ShapeAEntry { message: SENDER_NOT_FOUND, field: None, code: Some(3006) }],
            _ => vec![ShapeAEntry { message: &head.message, field: None, code: None }],
        };
        to_bytes(&ShapeA { trace_id, errors })
    }
}

/// What the service says with a status; where it says nothing, what HTTP calls it.
fn staged(status: u16) -> Head<'static> {
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
    Head { status, code, error, message: message.into() }
}

const SENDER_NOT_FOUND: &str = "Sender not found for the account";

/// The time of an error: UTC with nine decimals.
pub fn error_time(unix_seconds: i64, nanos: u32) -> String {
    let mut text = roost_model::time::Timestamp::from_unix(unix_seconds).iso();
    text.truncate(text.len() - 1);
    text.push_str(&format!(".{nanos:09}Z"));
    text
}

/// Errors of the senders.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SenderErrors", deny_unknown_fields)]
pub struct ShapeA<'a> {
    #[schemars(regex(pattern = r"^[0-9a-f]{16}$"))]
    trace_id: &'a str,
    #[schemars(length(min = 1))]
    errors: Vec<ShapeAEntry<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SenderError", deny_unknown_fields)]
struct ShapeAEntry<'a> {
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u32>,
}

/// Errors of lists, contacts, opt-outs and short links.
#[derive(Serialize)]
struct ShapeB<'a> {
    trace_id: &'a str,
    code: String,
    error: &'a str,
    message: &'a str,
    status: u16,
    timestamp: &'a str,
    /// Outer none: the key is absent. Inner none: null.
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_errors: Option<Option<&'a [Entry]>>,
}

/// Schemas of the two shapes.
pub mod schema {
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    pub type SenderErrors = super::ShapeA<'static>;

    /// Errors of lists, contacts, opt-outs and short links; without `validation_errors` when nothing was found.
    pub struct Error;
    /// The same where the thing does not exist: the key `validation_errors` is absent.
    pub struct NotFoundError;

    fn shape_b(with_entries: bool) -> Schema {
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

    impl JsonSchema for Error {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Error".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            shape_b(true)
        }
    }

    impl JsonSchema for NotFoundError {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "NotFoundError".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            shape_b(false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0f1e2d3c4b5a6978";
    const TIME: &str = "2026-01-05T09:00:00.123456789Z";

    fn written(refusal: &Refusal, family: Family) -> String {
        String::from_utf8(refusal.body(family, TRACE, TIME)).expect("text")
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
                Refusal::Unauthorized,
                Family::Senders,
                format!(r#"{{"trace_id":"{TRACE}","errors":[{{"message":"Unauthorized"}}]}}"#),
            ),
            (Refusal::Unauthorized, Family::Contacts, b("ERR_CNT_AUTH_001", "UNAUTHORIZED", "Unauthorized", 401, null)),
            (Refusal::Forbidden, Family::Assets, b("ERR_AST_AUTH_002", "FORBIDDEN", "Access denied", 403, null)),
            (
                Refusal::UnknownPath,
                Family::Contacts,
                b("ERR_CNT_NF_003", "RESOURCE_NOT_FOUND", "Requested resource not found", 404, ""),
            ),
            (
                Refusal::WrongMethod,
                Family::Contacts,
                b("ERR_CNT_REQ_003", "METHOD_NOT_ALLOWED", "Method not allowed", 405, null),
            ),
            (
                Refusal::BodyTooLarge,
                Family::Contacts,
                b("ERR_CNT_REQ_004", "PAYLOAD_TOO_LARGE", "Request body too large", 413, null),
            ),
            (
                Refusal::TooManyRequests,
                Family::Contacts,
                b("ERR_CNT_LIM_001", "TOO_MANY_REQUESTS", "Too many requests", 429, null),
            ),
            (
                Refusal::Internal,
                Family::Assets,
                b("ERR_AST_SYS_001", "INTERNAL_SERVER_ERROR", "Internal server error occurred", 500, null),
            ),
            (
                Refusal::BadBody,
                Family::Contacts,
                b("ERR_CNT_REQ_002", "INVALID_REQUEST_BODY", "Invalid or malformed request body", 400, null),
            ),
            (
                Refusal::BadFormat { name: "page_size", expected: "int" },
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
                Refusal::BadParameterType,
                Family::Assets,
                b("ERR_AST_VAL_004", "INVALID_PARAMETER_TYPE", "Invalid parameter type provided", 400, null),
            ),
            (
                Refusal::BadReference("List not found"),
                Family::Contacts,
                b("ERR_CNT_VAL_001", "BAD_REQUEST", "List not found", 400, null),
            ),
            (
                Refusal::BadUid { field: "deleteList.uid", given: "LST_1".to_owned() },
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
                Refusal::BadUid { field: "delete_short_link_by_id.id", given: "abc".to_owned() },
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
                Refusal::invalid(Entry::new("filter.pageSize", "page.size.generic", 0)),
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
                Refusal::MissingField {
                    name: "number",
                    entries: vec![Entry::new("optOuts[0].number", "Phone number is required", Value::Null)],
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
                Refusal::NotFound("Short link with id 'x' not found".to_owned()),
                Family::Assets,
                b("ERR_AST_NF_003", "RESOURCE_NOT_FOUND", "Short link with id 'x' not found", 404, ""),
            ),
            (
                Refusal::SenderNotFound,
                Family::Senders,
                format!(
                    r#"{{"trace_id":"{TRACE}","errors":[{{"message":"Sender not found for the account","code":3006}}]}}"#
                ),
            ),
            (
                Refusal::invalid(Entry::new("get_all_sms_senders.page_size", "must be less than or equal to 100", 101)),
                Family::Senders,
                format!(
                    r#"{{"trace_id":"{TRACE}","errors":[{{"message":"must be less than or equal to 100","field":"get_all_sms_senders.page_size"}}]}}"#
                ),
            ),
            (
                Refusal::UnknownPath,
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
        let text = written(&Refusal::InvalidUntraced("Invalid channel. Must be SMS or WHATSAPP."), Family::Contacts);
        assert!(
            text.starts_with(r#"{"trace_id":"no-trace-id","code":"ERR_CNT_VAL_001","error":"VALIDATION_ERROR""#),
            "{text}"
        );
    }

    #[test]
    fn what_is_staged_has_the_shape_of_the_service() {
        let staged = |status, error: Option<&str>| Refusal::Staged { status, error: error.map(Into::into) };
        let text = written(&staged(500, None), Family::Contacts);
        assert_eq!(text, written(&Refusal::Internal, Family::Contacts));
        for (status, like) in [
            (401, Refusal::Unauthorized),
            (403, Refusal::Forbidden),
            (404, Refusal::UnknownPath),
            (413, Refusal::BodyTooLarge),
            (429, Refusal::TooManyRequests),
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

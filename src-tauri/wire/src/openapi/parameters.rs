//! Describes the parameters of each operation with their exact bounds.

use roost_model::id::{ContactId, LinkId, ListId};
use serde_json::{Value, json};

use super::{path_parameter, query_parameter};
use crate::operation::{Operation, OperationId};

/// Describes the parameters of an operation, those of the path first.
pub(super) fn describe_parameters(operation: &Operation) -> Vec<Value> {
    let mut parameters: Vec<Value> =
        operation.parameter().map(|name| path_parameter(name, identifier_schema(operation.id))).into_iter().collect();
    parameters.extend(match operation.id {
        OperationId::SendersQuery => vec![page_number_parameter(), page_size_parameter(100, "25")],
        OperationId::ListsQuery => vec![
            page_number_parameter(),
            page_size_parameter(100, "10"),
            query_parameter("sort_by", "Default updated_at.", blank_or_one_of(&["updated_at", "created_at", "name"])),
            sort_order_parameter(),
            query_parameter("name", "Part of the name, in upper or lower case.", json!({ "type": "string" })),
        ],
        OperationId::ContactsQuery => vec![
            query_parameter("search", "The exact phone or WhatsApp number.", json!({ "type": "string" })),
            query_parameter("page_number", "Default: all pages.", blank_or_integer(i32::MAX)),
            page_size_parameter(100, "10"),
            query_parameter(
                "fields",
                "Names of the fields to return, separated by commas.",
                json!({
                    "type": "string",
                    "pattern": fields_pattern(),
                }),
            ),
        ],
        OperationId::OptOutsQuery => opt_out_filters(),
        _ => Vec::new(),
    });
    parameters
}

fn identifier_schema(id: OperationId) -> Value {
    let prefix = match id {
        // Any text is allowed, because a sender with another form of id is simply not found.
        OperationId::SendersGet | OperationId::SendersDelete => return json!({ "type": "string", "minLength": 1 }),
        OperationId::ContactsDelete => ContactId::PREFIX,
        OperationId::ShortLinksGet | OperationId::ShortLinksDelete => LinkId::PREFIX,
        _ => ListId::PREFIX,
    };
    json!({ "type": "string", "pattern": format!("^{prefix}[0-9A-Za-z]{{27}}$") })
}

fn blank_schema() -> Value {
    json!({ "type": "string", "pattern": "^ *$" })
}

fn blank_or_integer(max: i32) -> Value {
    json!({ "anyOf": [{ "type": "integer", "minimum": 1, "maximum": max }, blank_schema()] })
}

fn blank_or_one_of(values: &[&str]) -> Value {
    json!({ "anyOf": [{ "type": "string", "enum": values }, blank_schema()] })
}

fn page_number_parameter() -> Value {
    query_parameter("page_number", "Default 1.", blank_or_integer(i32::MAX))
}

fn page_size_parameter(max: i32, default: &str) -> Value {
    query_parameter("page_size", &format!("Default {default}."), blank_or_integer(max))
}

fn sort_order_parameter() -> Value {
    query_parameter("sort_order", "Default DESC.", blank_or_one_of(&["ASC", "DESC"]))
}

fn fields_pattern() -> String {
    let name = "(uid|phone_number|phone_region|whatsapp_id|whatsapp_region|alternate_phone|title|firstname|lastname|company_name|\
        email_address|date_of_birth|address_1|address_2|city|state|zip|country|field_[1-9][0-9]*|created_at|updated_at)";
    format!("^ *{name} *(, *{name} *)*$")
}

fn opt_out_filters() -> Vec<Value> {
    let time = json!({
        "type": "string",
        "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z$",
    });
    let kinds = json!({ "type": "string", "enum": ["keyword", "web_opt_out", "account_import", "api_import"] });
    let channel = json!({ "type": "string", "pattern": "^ *([sS][mM][sS]|[wW][hH][aA][tT][sS][aA][pP][pP]) *$" });
    let asset = json!({ "type": "string", "pattern": "^(num|wbp)_[0-9A-Za-z]{27}$" });
    vec![
        query_parameter(
            "number",
            "E.164, or national with its country code.",
            json!({ "type": "string", "pattern": "[0-9]" }),
        ),
        query_parameter("opt_out_type", "", kinds),
        query_parameter("channel", "In upper or lower case.", channel),
        query_parameter(
            "inbound_number",
            "Number of the asset that received the keyword.",
            json!({ "type": "string" }),
        ),
        query_parameter("asset_id", "The asset that received the keyword.", asset),
        query_parameter("start_time", "Inclusive.", time.clone()),
        query_parameter("end_time", "Inclusive.", time),
        page_number_parameter(),
        page_size_parameter(1000, "10"),
        sort_order_parameter(),
    ]
}

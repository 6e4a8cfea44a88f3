//! Reads bulk creation requests and reports every error in them.

use std::{borrow::Cow, panic::resume_unwind, thread};

use roost_model::{
    contact::{BATCH_MAX, ContactDraft, ContactError, MergeType, ValidContact},
    id::ListId,
    phone::Region,
    short_link::is_web_address,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::draft;
use crate::{
    body::{JsonObject, read_elements, to_rejected},
    envelope::{RejectedValue, RestError, ValidationError},
};

/// Response to a queued request.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QueuedContacts<'a> {
    #[schemars(regex(pattern = r"^LST_[0-9A-Za-z]{27}$"))]
    pub list_id: &'a str,
    pub list_name: &'a str,
    pub message: &'static str,
    #[schemars(extend("const" = "SUCCESS_CNT_GEN_001"))]
    pub code: &'static str,
}

/// Message and code of the response to a queued request.
pub const QUEUED_MESSAGE: (&str, &str) = ("The contacts creation request has been queued.", "SUCCESS_CNT_GEN_001");

/// Body of a request that creates contacts.
#[derive(JsonSchema)]
pub struct ContactsCreate {
    #[schemars(regex(pattern = r"^LST_[0-9A-Za-z]{27}$"))]
    pub list_id: String,
    /// Region in which national numbers are read.
    #[schemars(regex(pattern = r"^[A-Z]{2}$"), extend("default" = "GB"))]
    pub phone_region: Option<String>,
    #[schemars(extend("enum" = [
        "skipDuplicates", "allowDuplicates", "mergeByPhoneNumberInList", "mergeByWhatsappIdInList"
    ]))]
    pub merge_type: String,
    /// Absolute http or https address to which the result is posted when the job has ended.
    #[schemars(length(max = 2048), regex(pattern = r"^[hH][tT][tT][pP][sS]?://[^/\s][^\s]*$"))]
    pub callback_url: Option<String>,
    pub correlation_id: Option<String>,
    #[schemars(length(min = 1, max = 10_000))]
    pub contacts: Vec<NewContact>,
}

/// A contact to create or update. It needs at least one of the two numbers.
#[derive(JsonSchema)]
#[schemars(extend("anyOf" = [
    { "required": ["phone_number"], "properties": { "phone_number": { "type": "string" } } },
    { "required": ["whatsapp_number"], "properties": { "whatsapp_number": { "type": "string" } } }
], "patternProperties" = { "^field_[1-9][0-9]*$": { "type": ["string", "null"], "minLength": 1, "maxLength": 500 } }))]
#[expect(dead_code, reason = "only the schema is used")]
pub struct NewContact {
    #[schemars(length(min = 1, max = 16))]
    phone_number: Option<String>,
    #[schemars(length(min = 1, max = 16))]
    whatsapp_number: Option<String>,
    #[schemars(length(min = 1, max = 30))]
    title: Option<String>,
    #[schemars(length(min = 1, max = 50))]
    firstname: Option<String>,
    #[schemars(length(min = 1, max = 50))]
    lastname: Option<String>,
    #[schemars(length(min = 1, max = 255))]
    date_of_birth: Option<String>,
    #[schemars(length(min = 1, max = 255))]
    address_1: Option<String>,
    #[schemars(length(min = 1, max = 255))]
    address_2: Option<String>,
    #[schemars(length(min = 1, max = 128))]
    city: Option<String>,
    #[schemars(length(min = 1, max = 24))]
    zip: Option<String>,
    #[schemars(length(min = 1, max = 48))]
    state: Option<String>,
    #[schemars(length(min = 1, max = 128))]
    country: Option<String>,
    #[schemars(length(min = 1, max = 128))]
    company_name: Option<String>,
    #[schemars(length(min = 1, max = 255))]
    email_address: Option<String>,
    #[schemars(length(min = 1, max = 128))]
    alternate_phone: Option<String>,
}

/// A request that breaks no rule. Whether the list exists is checked later.
#[derive(Debug)]
pub struct ContactsRequest<'a> {
    pub list: ListId,
    pub merge_type: MergeType,
    pub callback_url: Option<Cow<'a, str>>,
    pub correlation_id: Option<Cow<'a, str>>,
    pub contacts: Vec<ValidContact<'a>>,
}

const BODY_KEYS: &[&str] = &["list_id", "phone_region", "merge_type", "callback_url", "correlation_id", "contacts"];
const INVALID_MERGE_TYPE: &str = "Invalid merge_type. Allowed values: skipDuplicates, allowDuplicates, \
    mergeByPhoneNumberInList, mergeByWhatsappIdInList.";
const CONTACTS_FIELD: &str = "createContacts.request.conCreateRequests";

/// Parses the body and checks everything except the existence of the list. `defined` are the defined custom fields.
pub fn parse_create<'a>(json: &'a str, defined: &[u32]) -> Result<ContactsRequest<'a>, RestError> {
    let object = JsonObject::read(json, BODY_KEYS)?;
    let list_id = object.read_string("list_id")?;
    let phone_region = object.read_string("phone_region")?;
    let merge_type = object.read_string("merge_type")?;
    let callback_url = object.read_string("callback_url")?;
    let correlation_id = object.read_string("correlation_id")?;
    let given = object.given_value("contacts");
    let drafts = given.map(|raw| draft::read_drafts(raw.get(), defined)).transpose().map_err(|_| RestError::BadBody)?;

    let list = list_id
        .map(|uid| ListId::parse(&uid))
        .transpose()
        .map_err(|e| RestError::BadUid { field: "createContacts.request.listUid", given: e.given })?;
    let mut entries = Vec::new();
    if list.is_none() {
        entries.push(ValidationError::new("createContacts.request.listUid", "must not be blank", Value::Null));
    }
    let region = phone_region.as_deref().map_or_else(|| Some(Region::gb()), Region::parse);
    if region.is_none() {
        let message = "Invalid phone number region code.";
        entries.push(ValidationError::new("createContacts.request.phoneRegion", message, phone_region.as_deref()));
    }
    let merge = merge_type.as_deref().and_then(MergeType::parse);
    if merge.is_none() {
        entries.push(ValidationError::new(
            "createContacts.request.mergeType",
            INVALID_MERGE_TYPE,
            merge_type.as_deref(),
        ));
    }
    if let Some(url) = callback_url.as_deref().filter(|url| !is_web_address(url)) {
        entries.push(ValidationError::new("createContacts.request.callbackUrl", "Invalid callback URL.", url));
    }
    let contacts = match (drafts, given) {
        (Some(drafts), Some(_)) if drafts.total > BATCH_MAX => {
            let message = roost_model::error::size_message(1, BATCH_MAX);
            entries.push(ValidationError::new(CONTACTS_FIELD, message, drafts.total));
            Vec::new()
        }
        (Some(drafts), Some(given)) if drafts.total > 0 => {
            validate_contacts(drafts.contacts, region, given, &mut entries)?
        }
        _ => {
            let rejected = given.map_or(Value::Null, |_| Value::Array(Vec::new()));
            entries.push(ValidationError::new(CONTACTS_FIELD, "must not be empty", rejected));
            Vec::new()
        }
    };
    match (list, merge) {
        (Some(list), Some(merge_type)) if entries.is_empty() => {
            Ok(ContactsRequest { list, merge_type, callback_url, correlation_id, contacts })
        }
        _ => Err(RestError::Invalid(entries)),
    }
}

/// Validates every contact. Only if one is invalid are the contacts parsed again, to report the received values.
fn validate_contacts<'a>(
    drafts: Vec<ContactDraft<'a>>,
    region: Option<Region>,
    received: &RawValue,
    entries: &mut Vec<ValidationError>,
) -> Result<Vec<ValidContact<'a>>, RestError> {
    let mut settled = Vec::with_capacity(drafts.len());
    let mut faulty = Vec::new();
    for (index, result) in validate_all(drafts, region).into_iter().enumerate() {
        match result {
            Ok(contact) => settled.push(contact),
            Err(faults) => faulty.push((index, faults)),
        }
    }
    if faulty.is_empty() {
        return Ok(settled);
    }
    let originals = read_elements(received, BATCH_MAX)?.first;
    for (index, faults) in faulty {
        let Some(original) = originals.get(index) else { continue };
        for fault in faults {
            let field = match fault.attribute() {
                Some(attribute) => format!("{CONTACTS_FIELD}[{index}].{attribute}"),
                None => format!("{CONTACTS_FIELD}[{index}]"),
            };
            let rejected = match fault.attribute() {
                Some(attribute) => received_value(original, attribute),
                None => to_rejected(original)?,
            };
            entries.push(ValidationError {
                field: field.into(),
                message: fault.message().into(),
                rejected_value: rejected,
            });
        }
    }
    Ok(settled)
}

type ContactResult<'a> = Result<ValidContact<'a>, Vec<ContactError>>;

/// From this number of contacts on, validation uses several threads, because the caller waits for it.
const PARALLEL_MIN: usize = 1_000;

fn validate_all<'a>(mut drafts: Vec<ContactDraft<'a>>, region: Option<Region>) -> Vec<ContactResult<'a>> {
    let one_by_one = |drafts: Vec<ContactDraft<'a>>| drafts.into_iter().map(|draft| draft.validate(region)).collect();
    if drafts.len() < PARALLEL_MIN {
        return one_by_one(drafts);
    }
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = drafts.len().div_ceil(threads);
    let mut parts = Vec::with_capacity(threads);
    while drafts.len() > share {
        let rest = drafts.split_off(share);
        parts.push(std::mem::replace(&mut drafts, rest));
    }
    thread::scope(|scope| {
        let others: Vec<_> = parts.into_iter().map(|part| scope.spawn(|| one_by_one(part))).collect();
        let last: Vec<ContactResult<'a>> = one_by_one(drafts);
        let joined = others.into_iter().flat_map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.chain(last).collect()
    })
}

/// Returns the last value of a key in a contact as received.
fn received_value(contact: &RawValue, key: &str) -> RejectedValue {
    let read: serde_json::Result<std::collections::HashMap<Cow<'_, str>, &RawValue>> =
        serde_json::from_str(contact.get());
    let value = read.ok().and_then(|map| map.get(key).map(|raw| (*raw).to_owned()));
    value.map_or(RejectedValue::Value(Value::Null), RejectedValue::Raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";

    fn entries(json: &str) -> String {
        match parse_create(json, &[1, 2, 3]) {
            Err(RestError::Invalid(entries)) => serde_json::to_string(&entries).expect("json"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_good_request_is_settled() {
        let json = format!(
            r#"{{"list_id":"{LIST}","merge_type":"mergeByPhoneNumberInList","callback_url":"https://client.example/hook","correlation_id":"",
            "contacts":[{{"phone_number":"07700900001","firstname":"Ada","field_2":"gold"}},{{"whatsapp_number":"+447700900002"}}]}}"#
        );
        let request = parse_create(&json, &[1, 2, 3]).expect("fine");
        assert_eq!((request.list.as_str(), request.merge_type), (LIST, MergeType::MergeByPhone));
        assert_eq!(request.correlation_id.as_deref(), Some(""));
        let phones: Vec<_> = request.contacts.iter().map(|c| c.phone.as_ref().map(|p| p.e164.as_str())).collect();
        assert_eq!(phones, [Some("+447700900001"), None]);
    }

    #[test]
    fn every_fault_is_reported_as_in_the_sample() {
        let json = r#"{"phone_region":"UK","callback_url":"ftp://client.example","contacts":[{"firstname":"Ada"},{"phone_number":"+44770"},{"phone_number":"+447700900001","title":""}]}"#;
        assert_eq!(
            entries(json),
            concat!(
                r#"[{"field":"createContacts.request.listUid","message":"must not be blank","rejected_value":null},"#,
                r#"{"field":"createContacts.request.phoneRegion","message":"Invalid phone number region code.","rejected_value":"UK"},"#,
                r#"{"field":"createContacts.request.mergeType","message":"Invalid merge_type. Allowed values: skipDuplicates, allowDuplicates, mergeByPhoneNumberInList, mergeByWhatsappIdInList.","rejected_value":null},"#,
                r#"{"field":"createContacts.request.callbackUrl","message":"Invalid callback URL.","rejected_value":"ftp://client.example"},"#,
                r#"{"field":"createContacts.request.conCreateRequests[0]","message":"Either phone_number or whatsapp_number must be given.","rejected_value":{"firstname":"Ada"}},"#,
                r#"{"field":"createContacts.request.conCreateRequests[1]","message":"Invalid phone number.","rejected_value":{"phone_number":"+44770"}},"#,
                r#"{"field":"createContacts.request.conCreateRequests[2].title","message":"size must be between 1 and 30","rejected_value":""}]"#,
            )
        );
    }

    #[test]
    fn counts_of_contacts() {
        let with =
            |contacts: &str| entries(&format!(r#"{{"list_id":"{LIST}","merge_type":"skipDuplicates"{contacts}}}"#));
        let expected = |message: &str, rejected: &str| {
            format!(
                r#"[{{"field":"createContacts.request.conCreateRequests","message":"{message}","rejected_value":{rejected}}}]"#
            )
        };
        assert_eq!(with(""), expected("must not be empty", "null"));
        assert_eq!(with(r#","contacts":null"#), expected("must not be empty", "null"));
        assert_eq!(with(r#","contacts":[ ]"#), expected("must not be empty", "[]"));
        let many = format!(r#","contacts":[{}{{}}]"#, "{},".repeat(BATCH_MAX));
        assert_eq!(with(&many), expected("size must be between 1 and 10000", "10001"));
    }

    #[test]
    fn a_malformed_list_is_reported_alone_but_after_the_body() {
        let refused = |json: &str| parse_create(json, &[]).expect_err(json);
        assert!(matches!(refused(r#"{"list_id":"","phone_region":"UK"}"#), RestError::BadUid { .. }));
        assert!(matches!(refused(r#"{"list_id":"VIP","contacts":[1]}"#), RestError::BadBody));
        assert!(matches!(refused(r#"{"list_id":7}"#), RestError::BadBody));
        assert!(matches!(refused(r#"{"contacts":{}}"#), RestError::BadBody));
    }

    #[test]
    fn what_was_received_is_kept_to_the_letter() {
        let json = format!(
            r#"{{"list_id":"{LIST}","merge_type":"skipDuplicates","contacts":[{{"x":1.50,"phone_number":"","phone_number":" 12345678901234567 ","email_address":null}}]}}"#
        );
        assert_eq!(
            entries(&json),
            r#"[{"field":"createContacts.request.conCreateRequests[0].phone_number","message":"size must be between 1 and 16","rejected_value":" 12345678901234567 "}]"#
        );
        let half = json.replace("1.50", r#""\ud800""#).replace("phone_number", "phone");
        assert!(
            matches!(parse_create(&half, &[]), Err(RestError::BadBody)),
            "bytes that are not text cannot be returned"
        );
        let none = json.replace("phone_number", "phone");
        assert!(entries(&none).contains(r#""rejected_value":{"x":1.50,"phone":"""#), "{}", entries(&none));
    }
}

//! The bulk creation: reading the request and telling every fault of it.

use std::{borrow::Cow, panic::resume_unwind, thread};

use roost_model::{
    contact::{BATCH_MAX, ContactDraft, ContactFault, MergeType, SettledContact},
    id::ListId,
    phone::Region,
    short_link::is_web_address,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::draft;
use crate::{
    body::{Object, elements, kept},
    envelope::{Entry, Refusal, Rejected},
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

/// Message and code of every queued request.
pub const QUEUED: (&str, &str) = ("The contacts creation request has been queued.", "SUCCESS_CNT_GEN_001");

/// Body of a bulk creation.
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
    /// Absolute http or https address that is called when the job has ended.
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
#[expect(dead_code, reason = "only its schema is wanted")]
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

/// A request that broke no rule; whether the list exists is not known yet.
#[derive(Debug)]
pub struct ContactsRequest<'a> {
    pub list: ListId,
    pub merge_type: MergeType,
    pub callback_url: Option<Cow<'a, str>>,
    pub correlation_id: Option<Cow<'a, str>>,
    pub contacts: Vec<SettledContact<'a>>,
}

const KEYS: &[&str] = &["list_id", "phone_region", "merge_type", "callback_url", "correlation_id", "contacts"];
const MERGE_TYPE: &str = "Invalid merge_type. Allowed values: skipDuplicates, allowDuplicates, \
    mergeByPhoneNumberInList, mergeByWhatsappIdInList.";
const CONTACTS: &str = "createContacts.request.conCreateRequests";

/// Reads the body and checks everything but the list's existence; `defined` are the custom fields there are.
pub fn parse_create<'a>(json: &'a str, defined: &[u32]) -> Result<ContactsRequest<'a>, Refusal> {
    let object = Object::read(json, KEYS)?;
    let list_id = object.string("list_id")?;
    let phone_region = object.string("phone_region")?;
    let merge_type = object.string("merge_type")?;
    let callback_url = object.string("callback_url")?;
    let correlation_id = object.string("correlation_id")?;
    let given = object.given("contacts");
    let drafts = given.map(|raw| draft::read(raw.get(), defined)).transpose().map_err(|_| Refusal::BadBody)?;

    let list = list_id
        .map(|uid| ListId::parse(&uid))
        .transpose()
        .map_err(|e| Refusal::BadUid { field: "createContacts.request.listUid", given: e.given })?;
    let mut entries = Vec::new();
    if list.is_none() {
        entries.push(Entry::new("createContacts.request.listUid", "must not be blank", Value::Null));
    }
    let region = phone_region.as_deref().map_or_else(|| Some(Region::gb()), Region::parse);
    if region.is_none() {
        let message = "Invalid phone number region code.";
        entries.push(Entry::new("createContacts.request.phoneRegion", message, phone_region.as_deref()));
    }
    let merge = merge_type.as_deref().and_then(MergeType::parse);
    if merge.is_none() {
        entries.push(Entry::new("createContacts.request.mergeType", MERGE_TYPE, merge_type.as_deref()));
    }
    if let Some(url) = callback_url.as_deref().filter(|url| !is_web_address(url)) {
        entries.push(Entry::new("createContacts.request.callbackUrl", "Invalid callback URL.", url));
    }
    let contacts = match (drafts, given) {
        (Some(drafts), Some(_)) if drafts.total > BATCH_MAX => {
            let message = roost_model::error::size_between(1, BATCH_MAX);
            entries.push(Entry::new(CONTACTS, message, drafts.total));
            Vec::new()
        }
        (Some(drafts), Some(given)) if drafts.total > 0 => settle(drafts.contacts, region, given, &mut entries)?,
        _ => {
            let rejected = given.map_or(Value::Null, |_| Value::Array(Vec::new()));
            entries.push(Entry::new(CONTACTS, "must not be empty", rejected));
            Vec::new()
        }
    };
    match (list, merge) {
        (Some(list), Some(merge_type)) if entries.is_empty() => {
            Ok(ContactsRequest { list, merge_type, callback_url, correlation_id, contacts })
        }
        _ => Err(Refusal::Invalid(entries)),
    }
}

/// Settles every contact; only when one is faulty are the contacts read again for what was received.
fn settle<'a>(
    drafts: Vec<ContactDraft<'a>>,
    region: Option<Region>,
    received: &RawValue,
    entries: &mut Vec<Entry>,
) -> Result<Vec<SettledContact<'a>>, Refusal> {
    let mut settled = Vec::with_capacity(drafts.len());
    let mut faulty = Vec::new();
    for (index, result) in settle_all(drafts, region).into_iter().enumerate() {
        match result {
            Ok(contact) => settled.push(contact),
            Err(faults) => faulty.push((index, faults)),
        }
    }
    if faulty.is_empty() {
        return Ok(settled);
    }
    let originals = elements(received, BATCH_MAX)?.kept;
    for (index, faults) in faulty {
        let Some(original) = originals.get(index) else { continue };
        for fault in faults {
            let field = match fault.attribute() {
                Some(attribute) => format!("{CONTACTS}[{index}].{attribute}"),
                None => format!("{CONTACTS}[{index}]"),
            };
            let rejected = match fault.attribute() {
                Some(attribute) => value_of(original, attribute),
                None => kept(original)?,
            };
            entries.push(Entry { field: field.into(), message: fault.message().into(), rejected_value: rejected });
        }
    }
    Ok(settled)
}

type Settled<'a> = Result<SettledContact<'a>, Vec<ContactFault>>;

/// From this many contacts on, their numbers are worth more than one thread: the caller waits for them.
const MANY: usize = 1_000;

fn settle_all<'a>(mut drafts: Vec<ContactDraft<'a>>, region: Option<Region>) -> Vec<Settled<'a>> {
    let one_by_one = |drafts: Vec<ContactDraft<'a>>| drafts.into_iter().map(|draft| draft.settle(region)).collect();
    if drafts.len() < MANY {
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
        let last: Vec<Settled<'a>> = one_by_one(drafts);
        let joined = others.into_iter().flat_map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic)));
        joined.chain(last).collect()
    })
}

/// The last value of a key in a contact as received.
fn value_of(contact: &RawValue, key: &str) -> Rejected {
    let read: serde_json::Result<std::collections::HashMap<Cow<'_, str>, &RawValue>> =
        serde_json::from_str(contact.get());
    let value = read.ok().and_then(|map| map.get(key).map(|raw| (*raw).to_owned()));
    value.map_or(Rejected::Value(Value::Null), Rejected::Raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "LST_36AbCdEfGhIjKlMnOpQrStUvWx1";

    fn entries(json: &str) -> String {
        match parse_create(json, &[1, 2, 3]) {
            Err(Refusal::Invalid(entries)) => serde_json::to_string(&entries).expect("json"),
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
    fn every_fault_is_told_as_in_the_sample() {
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
        let told = |message: &str, rejected: &str| {
            format!(
                r#"[{{"field":"createContacts.request.conCreateRequests","message":"{message}","rejected_value":{rejected}}}]"#
            )
        };
        assert_eq!(with(""), told("must not be empty", "null"));
        assert_eq!(with(r#","contacts":null"#), told("must not be empty", "null"));
        assert_eq!(with(r#","contacts":[ ]"#), told("must not be empty", "[]"));
        let many = format!(r#","contacts":[{}{{}}]"#, "{},".repeat(BATCH_MAX));
        assert_eq!(with(&many), told("size must be between 1 and 10000", "10001"));
    }

    #[test]
    fn a_malformed_list_is_told_alone_but_after_the_body() {
        let refused = |json: &str| parse_create(json, &[]).expect_err(json);
        assert!(matches!(refused(r#"{"list_id":"","phone_region":"UK"}"#), Refusal::BadUid { .. }));
        assert!(matches!(refused(r#"{"list_id":"VIP","contacts":[1]}"#), Refusal::BadBody));
        assert!(matches!(refused(r#"{"list_id":7}"#), Refusal::BadBody));
        assert!(matches!(refused(r#"{"contacts":{}}"#), Refusal::BadBody));
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
        assert!(matches!(parse_create(&half, &[]), Err(Refusal::BadBody)), "what is no text cannot be given back");
        let none = json.replace("phone_number", "phone");
        assert!(entries(&none).contains(r#""rejected_value":{"x":1.50,"phone":"""#), "{}", entries(&none));
    }
}

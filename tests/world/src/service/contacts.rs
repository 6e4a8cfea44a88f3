//! Contacts: queries, bulk creation by a job, deletion.

use serde_json::{Map, Value, json};

use super::routes::{PathFamily, ServiceRequest, error_entry, json_reply, no_content, paged_reply};
use super::text::{format_contact_time, is_uid, number_region, parse_contact_number, parse_search_number};
use super::{
    CONTACT_FIELDS, ContactJob, ContactRecord, ContactValues, MergeType, PHONE, ReadNote, Service, ServiceReply,
    WHATSAPP, field_index,
};

const MERGE_MESSAGE: &str = "Invalid merge_type. Allowed values: skipDuplicates, allowDuplicates, \
                             mergeByPhoneNumberInList, mergeByWhatsappIdInList.";
const PREFIX: &str = "createContacts.request";

fn contact_json(record: &ContactRecord, fields: Option<&[String]>) -> Value {
    let mut map = Map::new();
    let wanted = |name: &str| fields.is_none_or(|names| names.iter().any(|field| field == name));
    for ((name, _), value) in CONTACT_FIELDS.iter().zip(&record.values) {
        if wanted(name) {
            map.insert((*name).to_owned(), json!(value));
        }
    }
    for (name, at) in [("phone_region", PHONE), ("whatsapp_region", WHATSAPP)] {
        if wanted(name) {
            let number = record.values.get(at).and_then(Option::as_deref);
            map.insert(name.to_owned(), json!(number.map(number_region)));
        }
    }
    if wanted("uid") {
        map.insert("uid".to_owned(), json!(record.uid));
    }
    if wanted("created_at") {
        map.insert("created_at".to_owned(), json!(format_contact_time(record.created)));
    }
    if wanted("updated_at") {
        map.insert("updated_at".to_owned(), json!(record.updated.map(format_contact_time)));
    }
    Value::Object(map)
}

fn is_query_field(name: &str) -> bool {
    ["uid", "phone_region", "whatsapp_region", "created_at", "updated_at"].contains(&name)
        || CONTACT_FIELDS.iter().any(|(field, _)| *field == name)
}

/// Returns the names in `fields` (D58) and the errors found in them.
fn read_fields(request: &ServiceRequest) -> (Option<Vec<String>>, Vec<Value>) {
    let given: Vec<&str> =
        request.query.iter().filter(|(name, _)| name == "fields").map(|(_, value)| value.as_str()).collect();
    if given.is_empty() {
        return (None, Vec::new());
    }
    let names: Vec<String> = given.join(",").split(',').map(|name| name.trim().to_owned()).collect();
    if names.iter().all(String::is_empty) {
        return (Some(Vec::new()), Vec::new());
    }
    let faults = names
        .iter()
        .enumerate()
        .filter(|(_, name)| !is_query_field(name))
        .map(|(index, name)| {
            let field = format!("search.fields[{index}].<list element>");
            error_entry(&field, "Contact retrieval field is invalid.", json!(name))
        })
        .collect();
    (Some(names), faults)
}

fn parse_merge_type(text: &str) -> Option<MergeType> {
    Some(match text {
        "skipDuplicates" => MergeType::SkipDuplicates,
        "allowDuplicates" => MergeType::AllowDuplicates,
        "mergeByPhoneNumberInList" => MergeType::ByPhone,
        "mergeByWhatsappIdInList" => MergeType::ByWhatsapp,
        _ => return None,
    })
}

/// Implements D78 to D80 for one contact. `Err(())` stands for a wrong JSON type.
fn read_contact(index: usize, given: &Value, entries: &mut Vec<Value>) -> Result<ContactValues, ()> {
    let map = given.as_object().ok_or(())?;
    let mut values = ContactValues::default();
    let mut sizes = Vec::new();
    let mut invalid_number = false;
    let mut numbers_given = 0;
    for (at, (slot, (name, max))) in values.iter_mut().zip(CONTACT_FIELDS).enumerate() {
        let name = if at == WHATSAPP { "whatsapp_number" } else { name };
        let text = match map.get(name) {
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) => text,
            Some(_) => return Err(()),
        };
        let is_number = at == PHONE || at == WHATSAPP;
        numbers_given += usize::from(is_number);
        let length = if is_number { text.trim().chars().count() } else { text.chars().count() };
        if length == 0 || length > max {
            let field = format!("{PREFIX}.conCreateRequests[{index}].{name}");
            sizes.push(error_entry(&field, &format!("size must be between 1 and {max}"), json!(text)));
        } else if is_number {
            *slot = parse_contact_number(text);
            invalid_number |= slot.is_none();
        } else {
            *slot = Some(text.clone());
        }
    }
    let field = format!("{PREFIX}.conCreateRequests[{index}]");
    if numbers_given == 0 {
        let message = "Either phone_number or whatsapp_number must be given.";
        entries.push(error_entry(&field, message, given.clone()));
    } else if invalid_number {
        entries.push(error_entry(&field, "Invalid phone number.", given.clone()));
    }
    entries.append(&mut sizes);
    Ok(values)
}

/// A valid creation request.
struct CreationRequest {
    list: String,
    merge: MergeType,
    rows: Vec<ContactValues>,
}

impl Service {
    pub(super) fn query_contacts(&mut self, request: &ServiceRequest) -> ServiceReply {
        let (page, size) = match self.parse_integers(request) {
            Ok(numbers) => numbers,
            Err(refused) => return refused,
        };
        if !is_uid(&request.id, "LST_") {
            return self.bad_uid(PathFamily::Contacts, "search.listUid", &request.id);
        }
        let (fields, faults) = read_fields(request);
        if fields.as_ref().is_some_and(Vec::is_empty) {
            let message = "Contact fields are missing from the request.";
            return self.shape_b(400, "ERR_CNT_VAL_001", "VALIDATION_ERROR", message, None);
        }
        let mut entries = Vec::new();
        if page.is_some_and(|page| page < 1) {
            entries.push(error_entry("search.pageNumber", "page.number.generic", json!(page)));
        }
        if size.is_some_and(|size| !(1..=100).contains(&size)) {
            entries.push(error_entry("search.pageSize", "page.size.generic", json!(size)));
        }
        entries.extend(faults);
        if !entries.is_empty() {
            return self.validation_error(PathFamily::Contacts, entries);
        }
        if !self.lists.iter().any(|list| list.uid == request.id) {
            return self.not_found_400("List not found");
        }
        let search = request.required_text("search");
        let wanted = search.map(|text| parse_search_number(text).unwrap_or_default());
        let mut rows: Vec<&ContactRecord> = self
            .contacts
            .iter()
            .filter(|contact| contact.list == request.id)
            .filter(|contact| {
                let [phone, whatsapp, ..] = &contact.values;
                wanted.is_none() || *phone == wanted || *whatsapp == wanted
            })
            .collect();
        rows.sort_by(|left, right| (right.created / 1000, &right.uid).cmp(&(left.created / 1000, &left.uid)));
        let mut rows: Vec<ContactRecord> = rows.into_iter().cloned().collect();
        let mut total = rows.len();
        if wanted.is_none() {
            self.hide_rows(&mut rows, &mut total, true);
        }
        let complete = wanted.is_none() && rows.len() == total;
        let (shown, size) = match page {
            None => (rows, total.max(1)),
            Some(page) => {
                let size = size.unwrap_or(10);
                (self.cut_page(&rows, page, size), usize::try_from(size).unwrap_or(1))
            }
        };
        self.read = ReadNote::Contacts {
            list: request.id.clone(),
            uids: shown.iter().map(|row| row.uid.clone()).collect(),
            fields: fields.as_ref().map(|names| names.iter().filter_map(|name| field_index(name)).collect()),
            complete: complete && shown.len() == total || wanted.is_none() && page.is_some(),
        };
        let items = shown.iter().map(|row| contact_json(row, fields.as_deref())).collect();
        paged_reply(items, page.unwrap_or(1), size, total)
    }

    pub(super) fn create_contacts(&mut self, request: &ServiceRequest) -> ServiceReply {
        let Some(body) = request.parse_object() else {
            return self.bad_body(PathFamily::Contacts);
        };
        let creation = match self.parse_creation(&body) {
            Ok(creation) => creation,
            Err(refused) => return refused,
        };
        let Some(list) = self.lists.iter().find(|list| list.uid == creation.list) else {
            return self.not_found_400("List not found");
        };
        let answer = json!({"list_id": list.uid, "list_name": list.name,
            "message": "The contacts creation request has been queued.",
            "code": "SUCCESS_CNT_GEN_001"});
        let sequence = self.next_sequence();
        self.jobs.push(ContactJob {
            due: self.steady_ms + self.job_delay,
            sequence,
            list: creation.list,
            merge: creation.merge,
            rows: creation.rows,
            origin: self.origin,
        });
        json_reply(200, &answer)
    }

    fn parse_creation(&mut self, body: &Map<String, Value>) -> Result<CreationRequest, ServiceReply> {
        let text = |name: &str| match body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(()),
        };
        let parts =
            (text("list_id"), text("phone_region"), text("merge_type"), text("callback_url"), text("correlation_id"));
        let (Ok(list), Ok(region), Ok(merge), Ok(callback), Ok(_)) = parts else {
            return Err(self.bad_body(PathFamily::Contacts));
        };
        let rows = match body.get("contacts") {
            None | Some(Value::Null) => None,
            Some(Value::Array(rows)) => Some(rows),
            Some(_) => return Err(self.bad_body(PathFamily::Contacts)),
        };
        let mut row_faults = Vec::new();
        let mut values = Vec::new();
        for (index, row) in rows.into_iter().flatten().enumerate() {
            match read_contact(index, row, &mut row_faults) {
                Ok(read) => values.push(read),
                Err(()) => return Err(self.bad_body(PathFamily::Contacts)),
            }
        }
        if let Some(list) = list.as_ref().filter(|list| !is_uid(list, "LST_")) {
            return Err(self.bad_uid(PathFamily::Contacts, &format!("{PREFIX}.listUid"), list));
        }
        let mut entries = Vec::new();
        if list.is_none() {
            entries.push(error_entry(&format!("{PREFIX}.listUid"), "must not be blank", Value::Null));
        }
        let region_valid = region.as_ref().is_none_or(|region| {
            region != "UK" && region.len() == 2 && region.bytes().all(|byte| byte.is_ascii_uppercase())
        });
        if !region_valid {
            let field = format!("{PREFIX}.phoneRegion");
            entries.push(error_entry(&field, "Invalid phone number region code.", json!(region)));
        }
        let merge_type = merge.as_deref().and_then(parse_merge_type);
        if merge_type.is_none() {
            entries.push(error_entry(&format!("{PREFIX}.mergeType"), MERGE_MESSAGE, json!(merge)));
        }
        let callback_valid = callback.as_ref().is_none_or(|url| {
            url.len() <= 2048
                && ["http://", "https://"]
                    .iter()
                    .any(|start| url.strip_prefix(start).is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/')))
        });
        if !callback_valid {
            entries.push(error_entry(&format!("{PREFIX}.callbackUrl"), "Invalid callback URL.", json!(callback)));
        }
        let field = format!("{PREFIX}.conCreateRequests");
        match rows {
            None => entries.push(error_entry(&field, "must not be empty", Value::Null)),
            Some(rows) if rows.is_empty() => {
                entries.push(error_entry(&field, "must not be empty", json!([])));
            }
            Some(rows) if rows.len() > 10_000 => {
                entries.push(error_entry(&field, "size must be between 1 and 10000", json!(rows.len())));
            }
            Some(_) => entries.append(&mut row_faults),
        }
        match (list, merge_type) {
            (Some(list), Some(merge)) if entries.is_empty() => Ok(CreationRequest { list, merge, rows: values }),
            _ => Err(self.validation_error(PathFamily::Contacts, entries)),
        }
    }

    /// Implements D83 to D85: contacts take effect in array order, each after the ones before it.
    pub(super) fn run_job(&mut self, job: ContactJob) {
        if !self.lists.iter().any(|list| list.uid == job.list) {
            return;
        }
        for row in job.rows {
            let key_at = match job.merge {
                MergeType::ByWhatsapp => WHATSAPP,
                _ => PHONE,
            };
            let key = row.get(key_at).cloned().flatten();
            let twins: Vec<String> = self
                .contacts
                .iter()
                .filter(|contact| contact.list == job.list && key.is_some())
                .filter(|contact| contact.values.get(key_at).cloned().flatten() == key)
                .map(|contact| contact.uid.clone())
                .collect();
            match job.merge {
                MergeType::SkipDuplicates if !twins.is_empty() => {}
                MergeType::ByPhone | MergeType::ByWhatsapp if !twins.is_empty() => {
                    for uid in twins {
                        self.merge_contact(&uid, row.clone(), Some(job.origin));
                    }
                }
                _ => {
                    self.make_contact(&job.list, row, Some(job.origin));
                }
            }
        }
    }

    pub(super) fn delete_contact(&mut self, request: &ServiceRequest) -> ServiceReply {
        if !is_uid(&request.id, "CON_") {
            return self.bad_uid(PathFamily::Contacts, "deleteContact.uid", &request.id);
        }
        if self.remove_contact(&request.id) { no_content() } else { self.not_found_400("Contact not found") }
    }
}

//! Opt-outs: queries, creation, deletion.

use serde_json::{Map, Value, json};

use super::routes::{PathFamily, ServiceRequest, error_entry, json_reply, paged_reply};
use super::text::{format_time, is_uid, parse_opt_out_number, parse_time};
use super::{OptOutRecord, OptOutScope, ReadNote, Service, ServiceReply};

const KINDS: [&str; 4] = ["keyword", "web_opt_out", "account_import", "api_import"];
const BAD_NUMBER: &str = "Invalid phone number. The number must be in E.164 format.";
const BAD_CHANNEL: &str = "Invalid channel. Must be SMS or WHATSAPP.";
const MISMATCH: &str = "Channel mismatch: the specified asset does not match the requested channel";

fn opt_out_json(record: &OptOutRecord) -> Value {
    let mut map = Map::new();
    map.insert("number".to_owned(), json!(record.number));
    map.insert("channel".to_owned(), json!(record.channel));
    if record.scope != OptOutScope::Unknown {
        let account = record.scope == OptOutScope::Account;
        map.insert("account_level_opt_out".to_owned(), json!(account));
    }
    map.insert("opt_out_type".to_owned(), json!(record.kind));
    map.insert("opt_out_time".to_owned(), json!(format_time(record.time)));
    if record.kind == "keyword" {
        if let OptOutScope::Asset(uid) = &record.scope {
            map.insert("inbound_asset_id".to_owned(), json!(uid));
        }
        map.insert("inbound_number".to_owned(), json!(record.inbound_number));
    }
    Value::Object(map)
}

fn parse_channel(text: &str) -> Option<&'static str> {
    let text = text.trim();
    ["SMS", "WHATSAPP"].into_iter().find(|channel| text.eq_ignore_ascii_case(channel))
}

fn asset_channel(uid: &str) -> Option<&'static str> {
    if is_uid(uid, "num_") {
        Some("SMS")
    } else if is_uid(uid, "wbp_") {
        Some("WHATSAPP")
    } else {
        None
    }
}

/// The valid filters of a query.
struct OptOutFilter {
    number: Option<String>,
    kind: Option<String>,
    channel: Option<String>,
    asset: Option<String>,
    inbound: Option<String>,
    start: Option<i64>,
    end: Option<i64>,
}

impl OptOutFilter {
    fn matches(&self, record: &OptOutRecord) -> bool {
        // The time of a record is shown, and therefore compared, with whole seconds.
        let time = record.time.div_euclid(1000) * 1000;
        let shown = record.kind == "keyword";
        let inbound = |wanted: &String| {
            let has = record.inbound_number.as_deref().filter(|_| shown);
            has.is_some_and(|number| number.trim_start_matches('+') == wanted.trim_start_matches('+'))
        };
        self.number.as_ref().is_none_or(|number| record.number.as_ref() == Some(number))
            && self.kind.as_ref().is_none_or(|kind| record.kind == *kind)
            && self.channel.as_ref().is_none_or(|channel| record.channel == *channel)
            && self
                .asset
                .as_ref()
                .is_none_or(|asset| shown && matches!(&record.scope, OptOutScope::Asset(uid) if uid == asset))
            && self.inbound.as_ref().is_none_or(inbound)
            && self.start.is_none_or(|start| time >= start)
            && self.end.is_none_or(|end| time <= end)
    }

    /// Returns whether the answer must contain every record of the number.
    fn covers_number(&self) -> bool {
        self.kind.is_none()
            && self.asset.is_none()
            && self.inbound.is_none()
            && self.start.is_none()
            && self.end.is_none()
    }
}

impl Service {
    fn opt_out_refusal(&mut self, message: &str) -> ServiceReply {
        let mut refused = self.shape_b(400, "ERR_CNT_VAL_001", "VALIDATION_ERROR", message, None);
        if let Ok(Value::Object(mut body)) = serde_json::from_str::<Value>(&refused.body) {
            body.insert("trace_id".to_owned(), json!("no-trace-id"));
            refused.body = Value::Object(body).to_string();
        }
        refused
    }

    fn parse_opt_out_filter(&mut self, request: &ServiceRequest) -> Result<OptOutFilter, ServiceReply> {
        let mut times = [None, None];
        for (slot, name) in times.iter_mut().zip(["start_time", "end_time"]) {
            if let Some(text) = request.query_parameter(name) {
                *slot = parse_time(text);
                if slot.is_none() {
                    let message = format!("Invalid format for field '{name}'. Expected format: date-time");
                    return Err(self.shape_b(400, "ERR_CNT_VAL_004", "INVALID_FORMAT", &message, None));
                }
            }
        }
        let [start, end] = times;
        let number = match request.query_parameter("number").map(parse_opt_out_number) {
            Some(None) => {
                return Err(self.opt_out_refusal(
                    "Invalid number. Supply a valid E.164 number, or a national number with country_code.",
                ));
            }
            Some(number) => number,
            None => None,
        };
        let kinds: Vec<_> = request.query.iter().filter(|(name, _)| name == "opt_out_type").collect();
        let kind = match kinds.as_slice() {
            [] => None,
            [(_, kind)] if KINDS.contains(&kind.as_str()) => Some(kind.clone()),
            _ => {
                return Err(self.opt_out_refusal(
                    "Invalid opt_out_type. Allowed values: keyword, web_opt_out, account_import, api_import.",
                ));
            }
        };
        let channel = match request.query_parameter("channel").map(parse_channel) {
            Some(None) => return Err(self.opt_out_refusal(BAD_CHANNEL)),
            Some(channel) => channel.map(str::to_owned),
            None => None,
        };
        let asset = request.query_parameter("asset_id").map(str::to_owned);
        if let Some(uid) = asset.as_ref().filter(|uid| asset_channel(uid).is_none()) {
            return Err(self.bad_uid(PathFamily::Contacts, "getOptOuts.assetId", uid));
        }
        let inbound = request
            .query_parameter("inbound_number")
            .map(|text| text.chars().filter(char::is_ascii_digit).collect::<String>());
        Ok(OptOutFilter { number, kind, channel, asset, inbound, start, end })
    }

    pub(super) fn query_opt_outs(&mut self, request: &ServiceRequest) -> ServiceReply {
        let (page, size) = match self.parse_integers(request) {
            Ok(numbers) => numbers,
            Err(refused) => return refused,
        };
        let filter = match self.parse_opt_out_filter(request) {
            Ok(filter) => filter,
            Err(refused) => return refused,
        };
        let (page, size) = (page.unwrap_or(1), size.unwrap_or(10));
        let order = request.required_text("sort_order").unwrap_or("DESC");
        let mut entries = Vec::new();
        if page < 1 {
            entries.push(error_entry("getOptOuts.pageNumber", "page.number.generic", json!(page)));
        }
        if !(1..=1000).contains(&size) {
            entries.push(error_entry("getOptOuts.pageSize", "page.size.generic", json!(size)));
        }
        if !["ASC", "DESC"].contains(&order) {
            entries.push(error_entry("getOptOuts.sortOrder", "sorting.order.generic", json!(order)));
        }
        if !entries.is_empty() {
            return self.validation_error(PathFamily::Contacts, entries);
        }
        let mut rows: Vec<_> = self.opt_outs.iter().filter(|record| filter.matches(record)).cloned().collect();
        rows.sort_by_key(|record| (record.time.div_euclid(1000), record.sequence));
        if order == "DESC" {
            rows.reverse();
        }
        let mut total = rows.len();
        if filter.number.is_none() {
            self.hide_rows(&mut rows, &mut total, true);
        }
        let shown = self.cut_page(&rows, page, size);
        self.read = ReadNote::OptOuts {
            sequences: shown.iter().map(|record| record.sequence).collect(),
            covers: filter.covers_number(),
            number: filter.number,
            channel: filter.channel,
        };
        let items = shown.iter().map(opt_out_json).collect();
        paged_reply(items, page, usize::try_from(size).unwrap_or(1), total)
    }

    /// Returns the outcome of one entry, with the checks in the order of D107.
    fn create_entry(&mut self, given: &str, channel: Option<&str>, asset: Option<&str>) -> Value {
        let failure = |number: &str, channel: &str, message: &str| json!({"number": number, "channel": channel, "status": "failure", "message": message});
        let Some(channel) = channel.map_or(Some("SMS"), parse_channel) else {
            return failure(given, channel.unwrap_or(""), BAD_CHANNEL);
        };
        let Some(number) = parse_opt_out_number(given) else {
            return failure(given, channel, BAD_NUMBER);
        };
        let mut scope = OptOutScope::Account;
        let mut message = format!("Account-level opt-out created for the {channel} channel.");
        if let Some(uid) = asset {
            let invalid = format!("Invalid asset ID: {uid}");
            match asset_channel(uid) {
                None => return failure(&number, channel, &invalid),
                Some(own) if own != channel => return failure(&number, channel, MISMATCH),
                Some(_) if !self.assets.iter().any(|known| known.uid == uid) => {
                    return failure(&number, channel, &invalid);
                }
                Some(_) => {}
            }
            message = format!("Opt-out created for the asset {uid}.");
            scope = OptOutScope::Asset(uid.to_owned());
        }
        let account = scope == OptOutScope::Account;
        self.make_opt_out(Some(&number), channel, scope, "api_import");
        json!({"number": number, "channel": channel, "status": "success", "message": message,
               "account_level_opt_out": account, "opt_out_type": "api_import",
               "opt_out_time": format_time(self.now())})
    }

    pub(super) fn create_opt_out(&mut self, request: &ServiceRequest) -> ServiceReply {
        let Some(body) = request.parse_object() else {
            return self.bad_body(PathFamily::Contacts);
        };
        let entries = match body.get("optouts") {
            None | Some(Value::Null) => &[][..],
            Some(Value::Array(entries)) => entries,
            Some(_) => return self.bad_body(PathFamily::Contacts),
        };
        let Some(first) = entries.first() else {
            let given = body.get("optouts").cloned().unwrap_or(Value::Null);
            let faults = vec![error_entry("optOuts", "The optouts list must not be empty", given)];
            let message = "Required field 'optouts' is missing";
            return self.shape_b(400, "ERR_CNT_VAL_001", "MISSING_REQUIRED_FIELD", message, Some(faults));
        };
        let text = |name: &str| match first.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(()),
        };
        let (Ok(number), Ok(channel), Ok(asset), true) =
            (text("number"), text("channel"), text("asset_id"), first.is_object())
        else {
            return self.bad_body(PathFamily::Contacts);
        };
        let Some(number) = number.filter(|number| !number.trim().is_empty()) else {
            let faults = vec![error_entry("optOuts[0].number", "Phone number is required", json!(number))];
            let message = "Required field 'number' is missing";
            return self.shape_b(400, "ERR_CNT_VAL_001", "MISSING_REQUIRED_FIELD", message, Some(faults));
        };
        let item = self.create_entry(number, channel, asset);
        let succeeded = u8::from(item.get("status") == Some(&json!("success")));
        json_reply(
            201,
            &json!({"total_submitted": 1, "total_succeeded": succeeded,
                    "total_failed": 1 - succeeded, "items": [item]}),
        )
    }

    pub(super) fn delete_opt_outs(&mut self, request: &ServiceRequest) -> ServiceReply {
        let Some(body) = request.parse_object() else {
            return self.bad_body(PathFamily::Contacts);
        };
        let numbers = match body.get("numbers") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(given)) => {
                let texts: Option<Vec<String>> =
                    given.iter().map(|number| number.as_str().map(str::to_owned)).collect();
                let Some(texts) = texts else {
                    return self.bad_body(PathFamily::Contacts);
                };
                texts
            }
            Some(_) => return self.bad_body(PathFamily::Contacts),
        };
        let text = |name: &str| match body.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(()),
        };
        let (Ok(channel), Ok(asset)) = (text("channel"), text("asset_id")) else {
            return self.bad_body(PathFamily::Contacts);
        };
        if numbers.is_empty() {
            let given = body.get("numbers").cloned().unwrap_or(Value::Null);
            let faults = vec![error_entry("numbers", "The numbers list must not be empty", given)];
            let message = "Required field 'numbers' is missing";
            return self.shape_b(400, "ERR_CNT_VAL_001", "MISSING_REQUIRED_FIELD", message, Some(faults));
        }
        let channel = match channel.map(parse_channel) {
            Some(None) => {
                return self.shape_b(400, "ERR_CNT_VAL_001", "VALIDATION_ERROR", BAD_CHANNEL, None);
            }
            Some(known) => known,
            None => None,
        };
        if let Some(uid) = asset {
            match asset_channel(uid) {
                None => return self.bad_uid(PathFamily::Contacts, "assetId", uid),
                Some(own) if channel.is_some_and(|channel| channel != own) => {
                    return self.shape_b(400, "ERR_CNT_VAL_001", "VALIDATION_ERROR", MISMATCH, None);
                }
                Some(_) => {}
            }
        }
        let items: Vec<Value> = numbers.iter().map(|given| self.delete_entry(given, channel, asset)).collect();
        let succeeded = items.iter().filter(|item| item.get("status") == Some(&json!("success"))).count();
        json_reply(
            200,
            &json!({"total_submitted": items.len(), "total_succeeded": succeeded,
                    "total_failed": items.len() - succeeded, "items": items}),
        )
    }

    fn delete_entry(&mut self, given: &str, channel: Option<&str>, asset: Option<&str>) -> Value {
        let failure = |message: &str| json!({"number": given, "status": "failure", "message": message});
        let Some(number) = parse_opt_out_number(given) else {
            return failure(BAD_NUMBER);
        };
        let removed = self.remove_opt_outs(|record| {
            record.number.as_deref() == Some(number.as_str())
                && match (asset, &record.scope) {
                    (Some(uid), OptOutScope::Asset(own)) => uid == own,
                    (Some(_), _) => false,
                    (None, _) => match channel {
                        Some(channel) => record.channel == channel,
                        None => record.channel == "SMS" || record.channel == "WHATSAPP",
                    },
                }
        });
        if removed > 0 {
            return json!({"number": number, "status": "success",
                          "message": "The opt-out entry was deleted."});
        }
        match (asset, channel) {
            (Some(_), _) => failure("Number not found for the specified asset."),
            (None, Some(channel)) => failure(&format!("Number not found on the {channel} channel.")),
            (None, None) => failure("Number not found on any channel."),
        }
    }
}

//! Questions that change nothing at the service.

use std::time::Duration;

use roost_model::{contact::Attribute, id::ListId};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    client::{CheckClient, CheckError},
    response::{CheckResponse, has_keys, matches_pattern},
};
use crate::client::InterfaceClient;

/// Well-formed identifiers that no record has.
pub(super) const NO_LIST: &str = "LST_000000000000000000000000000";
pub(super) const NO_CONTACT: &str = "CON_000000000000000000000000000";
pub(super) const NO_LINK: &str = "shl_000000000000000000000000000";
const NO_SENDER: &str = "ssd_000000000000000000000000000";
const NO_ASSET: &str = "num_000000000000000000000000000";

const LISTS: &str = "/contacts/v1/lists/";
const LIST_KEYS: [&str; 4] = ["uid", "name", "created_at", "updated_at"];
pub(super) const LINK_KEYS: [&str; 7] =
    ["title", "link_id", "target_url", "short_link_url", "tags", "created_at", "track_clicks"];
/// Keys of a contact besides its attributes and custom fields.
const CONTACT_KEYS: [&str; 7] =
    ["uid", "phone_number", "phone_region", "whatsapp_id", "whatsapp_region", "created_at", "updated_at"];
/// The number of simultaneous calls of one operation that reveals the limit.
const BURST: usize = 60;
/// The least contacts of a list whose paging is checked: one more than a page of the default size.
const DEFAULT_PAGE_EXCEEDED: u64 = 11;
/// The most lists that are read in search of a suitable one.
const LISTS_MAX: usize = 10;

impl CheckClient<'_> {
    pub(super) async fn ask_about_admission(&mut self, stranger: &InterfaceClient) -> Result<(), CheckError> {
        let target = "/contacts/v1/lists/?page_size=1";
        let known = self.get(target).await?;
        if matches!(known.status, 401 | 403) {
            return Err(CheckError::Refused(known.status));
        }
        if known.status == 404 {
            return Err(CheckError::WrongAddress(self.caller().url().to_owned()));
        }
        self.decide_row("auth.header", known.is_success(), &[&known]);
        let keyless = self.send_call_as(self.caller(), false, "GET", target, None).await?;
        let strange = self.send_call_as(stranger, true, "GET", target, None).await?;
        let is_open = keyless.is_success();
        self.decide_row(
            "auth.unauthorized",
            keyless.status == 401 && keyless.text_field("message") == "Unauthorized",
            &[&keyless],
        );
        self.decide_row("auth.admission", !is_open && strange.is_success(), &[&keyless, &strange]);
        let learnt = match (is_open, strange.is_success()) {
            (true, _) => "off",
            (false, true) => return Ok(()),
            (false, false) => "keys",
        };
        self.learn_setting("auth.admission", "auth", learnt);
        Ok(())
    }

    pub(super) async fn ask_about_transport(&mut self) -> Result<(), CheckError> {
        let bare = self.get("/contacts/v1/lists?page_size=1").await?;
        let slash = self.get("/contacts/v1/lists/?page_size=1").await?;
        self.decide_row("transport.trailing_slash", bare.is_success() && slash.is_success(), &[&slash, &bare]);
        let unknown = self.get("/contacts/v1/nothing-is-here").await?;
        let holds = unknown.is_refusal(404, "ERR_CNT_NF_003", "RESOURCE_NOT_FOUND");
        self.decide_row("transport.unknown_path", holds, &[&unknown]);
        let version = self.get("/contacts/v2/lists/?page_size=1").await?;
        self.decide_row("transport.version", version.status == 404, &[&version]);
        let (double, capital) = (self.get("/contacts//v1/lists/").await?, self.get("/contacts/V1/lists/").await?);
        self.decide_row("transport.path", double.status == 404 && capital.status == 404, &[&double, &capital]);
        let options = self.send_call("OPTIONS", LISTS, None).await?;
        self.decide_row("transport.options", options.status == 204, &[&options]);
        let head = self.send_call("HEAD", "/contacts/v1/lists/?page_size=1", None).await?;
        self.decide_row("transport.head", head.status == 200 && head.is_empty, &[&head]);
        let blank = self.get("/contacts/v1/lists/?page_number=&page_size=&sort_by=&sort_order=&name=").await?;
        self.decide_row("transport.blanks", blank.is_success(), &[&blank]);
        let (signed, text) = (
            self.get("/contacts/v1/lists/?page_size=%2B1").await?,
            self.get("/contacts/v1/lists/?page_size=one&page_number=0").await?,
        );
        let is_refused = text.is_refusal(400, "ERR_CNT_VAL_004", "INVALID_FORMAT");
        self.decide_row("transport.integers", signed.is_success() && is_refused, &[&signed, &text]);
        let trace = text.text_field("trace_id");
        let is_traced = trace.len() == 16 && trace.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_timed = matches_pattern(text.text_field("timestamp"), "0000-00-00T00:00:00.000000000Z");
        self.decide_row("errors.trace", is_traced && is_timed, &[&text]);
        let repeated = self.get("/contacts/v1/lists/?page_size=1&page_size=2").await?;
        let surplus = self.get("/contacts/v1/lists/?page_size=1&surely_unknown=1").await?;
        if surplus.status == 400 {
            self.decide_row_with_note("transport.parameters", false, "Unknown parameters are refused.", &[&surplus]);
            self.learn_setting("transport.parameters", "strict.parameters", "refuse");
        } else if bare.total_items().is_some_and(|total| total > 1) {
            let holds = surplus.is_success() && repeated.is_success() && repeated.items().len() == 1;
            self.decide_row("transport.parameters", holds, &[&surplus, &repeated]);
        } else {
            self.leave_undecided("transport.parameters", "The account has fewer than two lists.");
        }
        let mut parts = Vec::new();
        for target in ["/assets/v1/senders/?page_size=1", "/contacts/v1/optouts?page_size=1"] {
            parts.push(self.get(target).await?);
        }
        let holds = parts.iter().all(|part| part.status != 404);
        self.decide_row("transport.address", holds, &parts.iter().collect::<Vec<_>>());
        Ok(())
    }

    pub(super) async fn ask_about_paging(&mut self) -> Result<(), CheckError> {
        let first = self.get("/contacts/v1/lists/?page_size=2").await?;
        let paging = |answer: &CheckResponse, name: &str| answer.body["paging"][name].as_u64();
        let total = first.total_items().unwrap_or_default();
        let holds = paging(&first, "total_pages") == Some(total.div_ceil(2));
        self.decide_row("paging.total_pages", holds, &[&first]);
        let past_end = self.get("/contacts/v1/lists/?page_size=2&page_number=1000000").await?;
        let holds =
            past_end.is_success() && past_end.items().is_empty() && past_end.total_items() == first.total_items();
        self.decide_row("paging.behind_the_end", holds, &[&past_end]);
        let zero = self.get("/contacts/v1/lists/?page_number=0").await?;
        self.decide_row("paging.page_number", zero.has_entry("filter.pageNumber", "page.number.generic"), &[&zero]);
        let large = self.get("/contacts/v1/lists/?page_size=101").await?;
        self.decide_row("paging.page_size", large.has_entry("filter.pageSize", "page.size.generic"), &[&large]);
        let all = self.get("/contacts/v1/lists/?page_number=0&page_size=0&sort_by=x&sort_order=x").await?;
        let fields = ["filter.pageNumber", "filter.pageSize", "filter.sortBy", "filter.sortOrder"];
        self.decide_row("paging.several_faults", all.error_fields() == fields, &[&all]);
        Ok(())
    }

    pub(super) async fn ask_about_senders(&mut self) -> Result<(), CheckError> {
        let bad = self.get("/assets/v1/senders/?page_size=101&page_number=0").await?;
        let wanted = [
            ("get_all_sms_senders.page_number", "must be greater than 0"),
            ("get_all_sms_senders.page_size", "must be less than or equal to 100"),
        ];
        self.decide_row("senders.query.paging", bad.status == 400 && bad.error_entries() == wanted, &[&bad]);
        let is_absent = |answer: &CheckResponse| answer.status == 404 && answer.body["errors"][0]["code"] == 3006;
        let unknown = self.get(&format!("/assets/v1/senders/{NO_SENDER}")).await?;
        self.decide_row("senders.unknown", is_absent(&unknown), &[&unknown]);
        let malformed = self.get("/assets/v1/senders/not-an-id").await?;
        self.decide_row("senders.malformed", is_absent(&malformed), &[&malformed]);
        let page = self.get("/assets/v1/senders/?page_size=100").await?;
        let ids: Vec<&str> = page.items().iter().filter_map(|sender| sender["id"].as_str()).collect();
        if ids.len() < 2 {
            self.leave_undecided("senders.query.order", "The account has fewer than two senders.");
        } else {
            self.decide_row("senders.query.order", ids.is_sorted_by(|one, next| one >= next), &[&page]);
        }
        Ok(())
    }

    pub(super) async fn ask_about_lists(&mut self) -> Result<(), CheckError> {
        let small = self.get("/contacts/v1/lists/?sort_order=asc").await?;
        let holds = small.has_entry("filter.sortOrder", "sorting.order.generic");
        self.decide_row("sorting.case", holds, &[&small]);
        let named = self.get("/contacts/v1/lists/?sort_by=name&sort_order=ASC&page_size=100").await?;
        let names: Vec<String> =
            named.items().iter().filter_map(|list| list["name"].as_str()).map(str::to_lowercase).collect();
        if names.len() < 2 {
            self.leave_undecided("lists.query.sorting", "The account has fewer than two lists.");
        } else {
            self.decide_row("lists.query.sorting", names.is_sorted(), &[&named]);
        }
        match named.items().first() {
            None => {
                for name in ["transport.answers", "transport.times", "ids.format"] {
                    self.leave_undecided(name, "The account has no list.");
                }
            }
            Some(list) => {
                let text = |name: &str| list[name].as_str().unwrap_or_default();
                self.decide_row("transport.answers", has_keys(list, &LIST_KEYS), &[&named]);
                self.decide_row(
                    "transport.times",
                    matches_pattern(text("created_at"), "0000-00-00T00:00:00Z"),
                    &[&named],
                );
                self.decide_row("ids.format", ListId::parse(text("uid")).is_ok(), &[&named]);
            }
        }
        let malformed = self.get("/contacts/v1/contacts/list/LST_short").await?;
        let is_malformed = |answer: &CheckResponse| {
            answer.is_refusal(400, "ERR_CNT_VAL_001", "INVALID_UID_FORMAT")
                && answer.error_fields() == ["search.listUid"]
        };
        self.decide_row("ids.malformed", is_malformed(&malformed), &[&malformed]);
        let other = self.get(&format!("/contacts/v1/contacts/list/{NO_CONTACT}")).await?;
        self.decide_row("ids.other_kind", is_malformed(&other), &[&other]);
        let unknown = self.get(&format!("/contacts/v1/contacts/list/{NO_LIST}")).await?;
        let holds = unknown.is_refusal(400, "ERR_CNT_VAL_001", "BAD_REQUEST")
            && unknown.text_field("message") == "List not found";
        self.decide_row("contacts.query.unknown_list", holds, &[&unknown]);
        Ok(())
    }

    /// Looks for a list with enough contacts to check paging, and few enough to read in one response.
    pub(super) async fn ask_about_contacts_of_some_list(&mut self) -> Result<(), CheckError> {
        let lists = self.get("/contacts/v1/lists/?page_size=100").await?;
        let uids: Vec<String> =
            lists.items().iter().filter_map(|list| list["uid"].as_str()).take(LISTS_MAX).map(str::to_owned).collect();
        for uid in uids {
            let first = self.get(&format!("/contacts/v1/contacts/list/{uid}?page_number=1&page_size=1")).await?;
            if first.total_items().is_some_and(|total| (DEFAULT_PAGE_EXCEEDED..2_000).contains(&total)) {
                return self.ask_about_contacts(&uid).await;
            }
        }
        Ok(())
    }

    /// `list` must have more contacts than a page of the default size.
    pub(super) async fn ask_about_contacts(&mut self, list: &str) -> Result<(), CheckError> {
        let path = format!("/contacts/v1/contacts/list/{list}");
        let all = self.get(&path).await?;
        let total = all.total_items().unwrap_or_default();
        let is_whole = all.items().len() as u64 == total && all.body["paging"]["total_pages"] == 1;
        self.decide_row("contacts.query.unpaged", is_whole, &[&all]);
        let page = self.get(&format!("{path}?page_number=1")).await?;
        self.decide_row("contacts.query.default_size", page.items().len() == 10, &[&page]);
        let Some(contact) = all.items().first() else { return Ok(()) };
        let keys: Vec<&str> = CONTACT_KEYS.into_iter().chain(Attribute::ALL.map(Attribute::name)).collect();
        let is_key = |key: &String| keys.contains(&key.as_str()) || key.starts_with("field_");
        let holds = contact
            .as_object()
            .is_some_and(|contact| contact.keys().all(is_key) && keys.iter().all(|key| contact.contains_key(*key)));
        self.decide_row("contacts.query.record", holds, &[&all]);
        let moments: Vec<(&str, &str)> = all
            .items()
            .iter()
            .filter_map(|contact| Some((contact["created_at"].as_str()?, contact["uid"].as_str()?)))
            .collect();
        self.decide_row("contacts.query.order", moments.is_sorted_by(|one, next| one >= next), &[&all]);
        let is_written = moments.iter().all(|(created, _)| matches_pattern(created, "0000-00-00 00:00:00"));
        self.decide_row("transport.times", is_written, &[&all]);
        let chosen = self.get(&format!("{path}?page_number=1&page_size=1&fields=uid,phone_number")).await?;
        let holds = chosen.items().first().is_some_and(|contact| has_keys(contact, &["uid", "phone_number"]));
        self.decide_row("contacts.query.chosen_fields", holds, &[&chosen]);
        let wrong = self.get(&format!("{path}?page_number=1&fields=uid,nothing")).await?;
        let holds = chosen.is_success() && wrong.status == 400 && wrong.error_entries().len() == 1;
        self.decide_row("contacts.query.fields", holds, &[&chosen, &wrong]);
        if let Some(number) = contact["phone_number"].as_str() {
            self.decide_row("numbers.result", number.starts_with('+'), &[&all]);
        }
        Ok(())
    }

    pub(super) async fn ask_about_opt_outs(&mut self) -> Result<(), CheckError> {
        let order = self.get("/contacts/v1/optouts?sort_order=x").await?;
        let holds = order.status == 400 && order.error_entries().iter().any(|(_, why)| *why == "sorting.order.generic");
        self.decide_row("optouts.query.sort_order", holds, &[&order]);
        let time = self.get("/contacts/v1/optouts?start_time=2026-01-01").await?;
        let turned =
            self.get("/contacts/v1/optouts?start_time=2026-01-02T00:00:00Z&end_time=2026-01-01T00:00:00Z").await?;
        let holds = time.status == 400 && time.text_field("error") == "INVALID_FORMAT";
        let is_empty = turned.is_success() && turned.items().is_empty();
        self.decide_row("optouts.query.times", holds && is_empty, &[&turned, &time]);
        let number = self.get("/contacts/v1/optouts?number=abc").await?;
        let holds = number.status == 400 && number.text_field("message").starts_with("Invalid number.");
        self.decide_row("optouts.query.messages", holds, &[&number]);
        let asset = self.get(&format!("/contacts/v1/optouts?asset_id={NO_ASSET}")).await?;
        self.decide_row("optouts.query.assets", asset.is_success() && asset.items().is_empty(), &[&asset]);
        let page = self.get("/contacts/v1/optouts?page_size=1000").await?;
        let of_assets: Vec<&Value> =
            page.items().iter().filter(|record| record["account_level_opt_out"] == false).collect();
        let names_asset = |record: &Value| record.get("inbound_asset_id").is_some_and(|id| !id.is_null());
        let (keywords, others): (Vec<&Value>, Vec<&Value>) =
            of_assets.into_iter().partition(|record| record["opt_out_type"] == "keyword");
        match keywords.first() {
            Some(keyword) => self.decide_row("optouts.query.asset_name", names_asset(keyword), &[&page]),
            None => self.leave_undecided(
                "optouts.query.asset_name",
                "None of the newest 1,000 opt-outs has the type \
             keyword.",
            ),
        }
        if others.is_empty() {
            let why = "None of the newest 1,000 opt-outs belongs to one asset without being a keyword opt-out.";
            self.leave_undecided("optouts.query.asset_fields", why);
        } else {
            let names = others.iter().any(|record| names_asset(record));
            self.decide_row_with_note(
                "optouts.query.asset_fields",
                !names,
                "Every opt-out of an asset names the asset.",
                &[&page],
            );
            if names {
                self.learn_setting("optouts.query.asset_fields", "opt_outs.asset_fields", "asset");
            }
        }
        Ok(())
    }

    pub(super) async fn ask_about_links(&mut self) -> Result<(), CheckError> {
        let unknown = self.get(&format!("/assets/v1/shortlink/{NO_LINK}")).await?;
        let holds = unknown.is_refusal(404, "ERR_AST_NF_003", "RESOURCE_NOT_FOUND")
            && unknown.text_field("message").contains(NO_LINK)
            && unknown.body.get("validation_errors").is_none();
        self.decide_row("shortlinks.unknown", holds, &[&unknown]);
        let all_links = self.search_links(json!({})).await?;
        self.decide_row("shortlinks.paths", all_links.status != 404, &[&all_links]);
        let nothing = self.search_links_raw("").await?;
        let groups = self.search_links(json!({ "filter": null, "page": { "page_size": 1 } })).await?;
        let holds = all_links.is_success() && groups.is_success() && nothing.status == 400;
        self.decide_row("shortlinks.search.body", holds, &[&all_links, &groups, &nothing]);
        let paging = json!({ "page": { "page_number": "1", "page_size": "1" } });
        let texts = self.search_links(paging).await?;
        let instead = "Page numbers that are text are refused.";
        self.decide_row_with_note("shortlinks.search.page", texts.is_success(), instead, &[&texts]);
        if texts.status == 400 {
            self.learn_setting("shortlinks.search.page", "strict.deprecated_forms", "refuse");
        }
        let surplus = self.search_links(json!({ "page": { "page_size": 1 }, "surely_unknown": 1 })).await?;
        if surplus.status == 400 {
            self.decide_row_with_note("transport.body", false, "Unknown fields are refused.", &[&surplus]);
            self.learn_setting("transport.body", "strict.body_fields", "refuse");
        }
        let faults = json!({
            "filter": { "created_at_start": "x" },
            "sort": { "sort_by": "x", "sort_order": "x" },
            "page": { "page_number": 0, "page_size": 0 },
        });
        let faults = self.search_links(faults).await?;
        let fields =
            ["filter.created_at_start", "sort.sort_by", "sort.sort_order", "page.page_number", "page.page_size"];
        self.decide_row("shortlinks.search.faults", faults.error_fields() == fields, &[&faults]);
        let time = self.search_links(json!({ "filter": { "created_at_end": "2026-01-01" } })).await?;
        self.decide_row("shortlinks.search.times", time.status == 400, &[&time]);
        match all_links.items().first() {
            Some(link) => self.check_link(link, &all_links),
            None => self.leave_undecided("shortlinks.record", "The account has no short link."),
        }
        Ok(())
    }

    pub(super) fn check_link(&mut self, link: &Value, answer: &CheckResponse) {
        self.decide_row("shortlinks.record", has_keys(link, &LINK_KEYS), &[answer]);
        let url = link["short_link_url"].as_str().unwrap_or_default();
        let own = format!("{}/s", self.caller().url());
        let Some((base, code)) = url.rsplit_once('/') else { return };
        let is_code = code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
        self.decide_row_with_note(
            "shortlinks.url",
            is_code && base == own,
            &format!("Short URLs begin with {base} and end with {} characters.", code.len()),
            &[answer],
        );
        if base != own {
            self.learn_setting("shortlinks.url", "short_link_base", base);
        }
    }

    async fn search_links(&mut self, body: Value) -> Result<CheckResponse, CheckError> {
        self.search_links_raw(&body.to_string()).await
    }

    async fn search_links_raw(&mut self, body: &str) -> Result<CheckResponse, CheckError> {
        self.send_call_as(self.caller(), true, "POST", "/assets/v1/shortlink/filter", Some(body.to_owned())).await
    }

    /// Sends more calls at once than the limit permits; each reads one list.
    pub(super) async fn ask_about_limits(&mut self) -> Result<(), CheckError> {
        // Lets the bucket refill after the calls before.
        tokio::time::sleep(Duration::from_secs(2)).await;
        let began = Instant::now();
        let answers = self.send_calls_at_once("/contacts/v1/lists/?page_size=1", BURST).await?;
        let took = began.elapsed().as_secs_f64();
        let refused: Vec<&CheckResponse> = answers.iter().filter(|answer| answer.status == 429).collect();
        let Some(first) = refused.first() else {
            let instead = format!("All {BURST} requests within {took:.1} s were accepted.");
            let any: Vec<&CheckResponse> = answers.iter().take(1).collect();
            for name in ["limits.bucket", "limits.refusal", "limits.lanes"] {
                self.decide_row_with_note(name, false, &instead, &any);
            }
            self.learn_setting("limits.lanes", "limits", "off");
            return Ok(());
        };
        let waits = first.retry_after.as_deref().and_then(|text| text.parse::<u64>().ok());
        self.decide_row("limits.refusal", waits.is_some_and(|seconds| seconds >= 1), &[first]);
        // A full bucket admits as many calls as it holds, plus those for which it refills meanwhile.
        let let_in = BURST - refused.len();
        let rate = estimate_rate(let_in, took);
        let instead =
            format!("{let_in} of {BURST} requests within {took:.1} s were accepted: about {rate} per second.");
        self.decide_row_with_note("limits.bucket", rate.abs_diff(10) <= 1, &instead, &[first]);
        if rate.abs_diff(10) > 1 {
            self.learn_setting("limits.bucket", "limits.per_second", &rate.to_string());
        }
        let other = self.get("/assets/v1/senders/?page_size=1").await?;
        self.decide_row("limits.lanes", other.is_success(), &[&other]);
        Ok(())
    }
}

/// Returns the least rate at which a full bucket admits this many calls within some seconds.
fn estimate_rate(let_in: usize, seconds: f64) -> usize {
    (1..let_in).find(|rate| rate + (*rate as f64 * seconds) as usize >= let_in).unwrap_or(let_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_estimated_from_whole_calls() {
        for rate in [1, 2, 3, 5, 10, 19, 20, 40] {
            for seconds in [0.0, 0.05, 0.15, 0.3] {
                let let_in = rate + (rate as f64 * seconds) as usize;
                assert_eq!(estimate_rate(let_in, seconds), rate, "{let_in} calls in {seconds} s");
            }
        }
    }
}

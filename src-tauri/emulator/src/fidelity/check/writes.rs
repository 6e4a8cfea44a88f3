//! Questions that create their own records and remove them again.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    client::{CheckClient, CheckError, CreatedRecord, RECORD_NAME},
    reads::{LINK_KEYS, NO_CONTACT, NO_LIST},
    response::{CheckResponse, has_keys},
};
use crate::client::with_query;

/// Numbers that are valid for the interface and belong to nobody.
const TEST_NUMBERS: [&str; 11] = [
    "+447700900901",
    "+447700900902",
    "+447700900903",
    "+447700900904",
    "+447700900905",
    "+447700900906",
    "+447700900907",
    "+447700900908",
    "+447700900909",
    "+447700900910",
    "+447700900911",
];
const CONTACTS: &str = "/contacts/v1/contacts";
const OPT_OUTS: &str = "/contacts/v1/optouts";
const LINKS: &str = "/assets/v1/shortlink";
/// How many times, a second apart, the check reads before it gives up on a job.
const WAIT_READS_MAX: u32 = 30;

impl CheckClient<'_> {
    async fn post_json(&mut self, target: &str, body: Value) -> Result<CheckResponse, CheckError> {
        self.send_call("POST", target, Some(body)).await
    }

    /// Decides a row about the status of a success, and learns the setting that follows.
    fn decide_status(&mut self, name: &'static str, setting: &str, usual: u16, answer: &CheckResponse) {
        self.decide_row(name, answer.status == usual, &[answer]);
        if answer.is_success() && answer.status != usual {
            self.learn_setting(name, setting, &answer.status.to_string());
        }
    }

    pub(super) async fn try_lists_and_contacts(&mut self) -> Result<(), CheckError> {
        let Some(list) = self.try_lists().await? else {
            self.leave_undecided("contacts.create.status", "No list could be created.");
            return Ok(());
        };
        self.try_refused_contacts(&list).await?;
        self.try_contacts(&list).await
    }

    /// Returns the identifier of the created list.
    async fn try_lists(&mut self) -> Result<Option<String>, CheckError> {
        const CREATE: &str = "/contacts/v1/lists/create";
        let name = format!("{RECORD_NAME} {}", self.began().to_iso());
        let created = self.post_json(CREATE, json!({ "name": name })).await?;
        self.decide_status("lists.create.status", "status.list_create", 200, &created);
        let Some(list) = created.body["uid"].as_str().map(str::to_owned) else { return Ok(None) };
        self.remember_created(CreatedRecord::List(list.clone()));
        let again = self.post_json(CREATE, json!({ "name": name })).await?;
        if let Some(uid) = again.body["uid"].as_str() {
            self.remember_created(CreatedRecord::List(uid.to_owned()));
        }
        self.decide_row("lists.create.same_name", again.is_success(), &[&again]);
        if again.status == 400 {
            self.learn_setting("lists.create.same_name", "lists.unique_names", "on");
        }
        let empty = self.post_json(CREATE, json!({ "name": "" })).await?;
        self.decide_row("lists.create.name", empty.has_entry("name", "Invalid list name"), &[&empty]);
        let broken = self.send_call_as(self.caller(), true, "POST", CREATE, Some("{".to_owned())).await?;
        self.decide_row(
            "transport.body",
            broken.is_refusal(400, "ERR_CNT_REQ_002", "INVALID_REQUEST_BODY"),
            &[&broken],
        );
        let method = self.send_call("PATCH", "/contacts/v1/lists/", Some(json!({}))).await?;
        self.decide_row("transport.wrong_method", method.status == 405, &[&method]);
        let found = self.get(&with_query("/contacts/v1/lists/", &[("name", &name.to_uppercase())])).await?;
        let has_it = found.items().iter().any(|one| one["uid"] == list.as_str());
        self.decide_row("lists.query.name", has_it, &[&found]);
        let unknown = self.send_call("DELETE", &format!("/contacts/v1/lists/{NO_LIST}"), None).await?;
        self.decide_unknown("lists.delete.unknown", "List not found", &unknown);
        let unknown = self.send_call("DELETE", &format!("{CONTACTS}/{NO_CONTACT}"), None).await?;
        self.decide_unknown("contacts.delete.unknown", "Contact not found", &unknown);
        Ok(Some(list))
    }

    fn decide_unknown(&mut self, name: &'static str, message: &str, answer: &CheckResponse) {
        self.decide_row(name, answer.status == 400 && answer.text_field("message") == message, &[answer]);
        if answer.status == 404 {
            self.learn_setting(name, "unknown_on_delete", "404");
        }
    }

    async fn try_refused_contacts(&mut self, list: &str) -> Result<(), CheckError> {
        let contact = json!({ "phone_number": TEST_NUMBERS[0] });
        let body = |merge: &str, contacts: Value| json!({ "list_id": list, "merge_type": merge, "contacts": contacts });
        let at = "createContacts.request.conCreateRequests";
        for (row, sent, field, message) in [
            ("contacts.create.empty", body("skipDuplicates", json!([])), at.to_owned(), Some("must not be empty")),
            (
                "contacts.create.bad_number",
                body("skipDuplicates", json!([{ "phone_number": "+44770090" }])),
                format!("{at}[0]"),
                Some("Invalid phone number."),
            ),
            (
                "contacts.create.no_number",
                body("skipDuplicates", json!([{ "city": "York" }])),
                format!("{at}[0]"),
                None,
            ),
            (
                "contacts.create.sizes",
                body("skipDuplicates", json!([{ "phone_number": TEST_NUMBERS[0], "title": "t".repeat(31) }])),
                format!("{at}[0].title"),
                Some("size must be between 1 and 30"),
            ),
            (
                "contacts.create.merge_type",
                body("nothing", json!([contact])),
                "createContacts.request.mergeType".to_owned(),
                None,
            ),
            (
                "contacts.create.no_list",
                json!({ "merge_type": "skipDuplicates", "contacts": [contact] }),
                "createContacts.request.listUid".to_owned(),
                Some("must not be blank"),
            ),
        ] {
            let refused = self.post_json(CONTACTS, sent).await?;
            let is_it = |(named, why): &(&str, &str)| *named == field && message.is_none_or(|message| *why == message);
            self.decide_row(row, refused.status == 400 && refused.error_entries().iter().any(is_it), &[&refused]);
        }
        let mut types = body("skipDuplicates", json!([contact]));
        types["contacts"][0]["city"] = json!(7);
        let refused = self.post_json(CONTACTS, types).await?;
        self.decide_row(
            "contacts.create.types",
            refused.is_refusal(400, "ERR_CNT_REQ_002", "INVALID_REQUEST_BODY"),
            &[&refused],
        );
        let mut callback = body("skipDuplicates", json!([contact]));
        callback["callback_url"] = json!("ftp://example.com/x");
        let refused = self.post_json(CONTACTS, callback).await?;
        self.decide_row("contacts.create.callback_url", refused.status == 400, &[&refused]);
        let mut region = body("skipDuplicates", json!([contact]));
        region["phone_region"] = json!("gb");
        let refused = self.post_json(CONTACTS, region).await?;
        let field = "createContacts.request.phoneRegion";
        self.decide_row("numbers.region", refused.has_entry(field, "Invalid phone number region code."), &[&refused]);
        Ok(())
    }

    async fn try_contacts(&mut self, list: &str) -> Result<(), CheckError> {
        let contact = |number: &&str| json!({ "phone_number": number, "city": "York", "surely_unknown": "x" });
        let contacts: Vec<Value> = TEST_NUMBERS.iter().map(contact).collect();
        let body = json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts });
        let queued = self.post_json(CONTACTS, body).await?;
        self.decide_row("contacts.create.path", queued.status != 404, &[&queued]);
        self.decide_status("contacts.create.status", "status.contact_create", 200, &queued);
        self.decide_row("contacts.create.unknown_attributes", queued.is_success(), &[&queued]);
        if !queued.is_success() {
            return Ok(());
        }
        let has_all = |answer: &CheckResponse| answer.total_items() == Some(TEST_NUMBERS.len() as u64);
        if self.wait_for_contacts(list, &[], has_all).await?.is_none() {
            self.leave_undecided("contacts.create.job", "The contacts did not arrive within 30 s.");
            return Ok(());
        }
        self.ask_about_contacts(list).await?;
        let one = |merge: &str, value: &str| {
            json!({
                "list_id": list,
                "merge_type": merge,
                "contacts": [{ "phone_number": TEST_NUMBERS[0], "city": value }],
            })
        };
        // Jobs run in order, so the result of the second shows that the first is done.
        self.post_json(CONTACTS, one("skipDuplicates", "Leeds")).await?;
        self.post_json(CONTACTS, one("mergeByPhoneNumberInList", "Bath")).await?;
        let is_merged = |answer: &CheckResponse| answer.items().iter().any(|contact| contact["city"] == "Bath");
        match self.wait_for_contacts(list, &[("search", TEST_NUMBERS[0])], is_merged).await? {
            Some(merged) => {
                self.decide_row("contacts.create.merge", merged.total_items() == Some(1), &[&merged]);
                self.decide_row("contacts.create.skip", merged.total_items() == Some(1), &[&merged]);
            }
            None => self.leave_undecided("contacts.create.merge", "The merge did not arrive within 30 s."),
        }
        let deleted = self.send_call("DELETE", &format!("/contacts/v1/lists/{list}"), None).await?;
        let after_deletion = self.get(&format!("/contacts/v1/contacts/list/{list}")).await?;
        self.decide_row(
            "lists.delete.contacts",
            deleted.status == 204 && after_deletion.status == 400,
            &[&deleted, &after_deletion],
        );
        Ok(())
    }

    /// Reads a page of the list once a second until it satisfies `is_there`, or returns None after the last attempt.
    async fn wait_for_contacts(
        &mut self,
        list: &str,
        query: &[(&str, &str)],
        is_there: impl Fn(&CheckResponse) -> bool,
    ) -> Result<Option<CheckResponse>, CheckError> {
        let query = [&[("page_number", "1"), ("page_size", "100")], query].concat();
        let target = with_query(&format!("/contacts/v1/contacts/list/{list}"), &query);
        for _ in 0..WAIT_READS_MAX {
            let page = self.get(&target).await?;
            if is_there(&page) {
                return Ok(Some(page));
            }
            sleep(Duration::from_secs(1)).await;
        }
        Ok(None)
    }

    pub(super) async fn try_opt_outs(&mut self) -> Result<(), CheckError> {
        let [one, other] = [TEST_NUMBERS[0], TEST_NUMBERS[1]];
        for number in [one, other] {
            let known = self.get(&with_query(OPT_OUTS, &[("number", number)])).await?;
            if known.total_items() != Some(0) {
                let why = "The check's numbers are already opted out. They were not changed.";
                self.leave_undecided("optouts.create.entries", why);
                self.leave_undecided("optouts.delete.status", why);
                return Ok(());
            }
        }
        self.remember_created(CreatedRecord::OptOuts(vec![one.to_owned(), other.to_owned()]));
        let both = json!({ "optouts": [{ "number": one }, { "number": other }] });
        let created = self.post_json(OPT_OUTS, both.clone()).await?;
        let second = self.get(&with_query(OPT_OUTS, &[("number", other)])).await?;
        let counts_all = second.total_items() == Some(1);
        self.decide_row_with_note("optouts.create.entries", !counts_all, "Every entry counts.", &[&created, &second]);
        if counts_all {
            self.learn_setting("optouts.create.entries", "opt_outs.entries", "all");
        }
        let again = self.post_json(OPT_OUTS, both).await?;
        let message = |answer: &CheckResponse| answer.items().first().map(|item| item["message"].clone());
        self.decide_row("optouts.create.success", message(&created) == message(&again), &[&created, &again]);
        let channel = self.post_json(OPT_OUTS, json!({ "optouts": [{ "number": one, "channel": "FAX" }] })).await?;
        let fails = |answer: &CheckResponse| answer.items().first().is_some_and(|item| item["status"] == "failure");
        self.decide_row("optouts.create.channel", channel.status == 201 && fails(&channel), &[&channel]);
        let bad = self.post_json(OPT_OUTS, json!({ "optouts": [{ "number": "+123" }] })).await?;
        let keys = ["number", "channel", "status", "message"];
        let holds = bad.items().first().is_some_and(|item| has_keys(item, &keys));
        self.decide_row("optouts.create.failures", holds, &[&bad]);
        let missing = |answer: &CheckResponse| answer.is_refusal(400, "ERR_CNT_VAL_001", "MISSING_REQUIRED_FIELD");
        let numberless = self.post_json(OPT_OUTS, json!({ "optouts": [{}] })).await?;
        self.decide_row("optouts.create.number", missing(&numberless), &[&numberless]);
        let none = self.post_json(OPT_OUTS, json!({ "optouts": [] })).await?;
        self.decide_row("optouts.create.empty", missing(&none), &[&none]);
        let none = self.send_call("DELETE", OPT_OUTS, Some(json!({ "numbers": [] }))).await?;
        self.decide_row("optouts.delete.faults", missing(&none), &[&none]);
        let twice = self.send_call("DELETE", OPT_OUTS, Some(json!({ "numbers": [one, one] }))).await?;
        self.decide_status("optouts.delete.status", "status.opt_out_delete", 200, &twice);
        let results: Vec<&Value> = twice.items().iter().map(|item| &item["status"]).collect();
        self.decide_row("optouts.delete.repeats", results == ["success", "failure"], &[&twice]);
        Ok(())
    }

    pub(super) async fn try_links(&mut self) -> Result<(), CheckError> {
        let body = json!({ "title": format!(" {RECORD_NAME} "), "target_url": "https://example.com/roost" });
        let created = self.post_json(LINKS, body.clone()).await?;
        let again = self.post_json(LINKS, body).await?;
        let id = |answer: &CheckResponse| answer.body["link_id"].as_str().map(str::to_owned);
        let (first, second) = (id(&created), id(&again));
        for id in first.iter().chain(&second) {
            self.remember_created(CreatedRecord::Link(id.clone()));
        }
        if first.is_none() {
            self.leave_undecided("shortlinks.create.again", "No short link could be created.");
            return Ok(());
        }
        self.decide_row("shortlinks.record", created.status == 200 && has_keys(&created.body, &LINK_KEYS), &[&created]);
        self.check_link(&created.body.clone(), &created);
        self.decide_row("shortlinks.create.again", second.is_some() && first != second, &[&created, &again]);
        self.decide_row("shortlinks.create.track_clicks", created.body["track_clicks"] == true, &[&created]);
        let refused =
            |title: &str, target: &str, tag: &str| json!({ "title": title, "target_url": target, "tags": [tag] });
        let titled = self.post_json(LINKS, refused("", "https://example.com", "a")).await?;
        let is_trimmed = created.body["title"] == RECORD_NAME;
        self.decide_row("shortlinks.create.title", titled.status == 400 && is_trimmed, &[&created, &titled]);
        let target = self.post_json(LINKS, refused(RECORD_NAME, "ftp://example.com", "a")).await?;
        self.decide_row("shortlinks.create.target_url", target.status == 400, &[&target]);
        let tag = self.post_json(LINKS, refused(RECORD_NAME, "https://example.com", "a!")).await?;
        self.decide_row("shortlinks.create.tags", tag.has_entry("tags[]", "Invalid tag."), &[&tag]);
        let all = self.post_json(LINKS, refused("", "ftp://example.com", "a!")).await?;
        self.decide_row("shortlinks.create.faults", all.error_fields() == ["title", "target_url", "tags[]"], &[&all]);
        for link in [&titled, &target, &tag, &all].into_iter().filter_map(id) {
            self.remember_created(CreatedRecord::Link(link));
        }
        Ok(())
    }
}

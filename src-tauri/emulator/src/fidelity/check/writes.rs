//! Questions that create their own records and remove them again.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    answer::{Answer, has_keys},
    asker::{Asker, Made, NAME, Stopped},
    reads::{LINK_KEYS, NO_CONTACT, NO_LIST},
};
use crate::client::with_query;

/// Numbers that are valid for the interface and belong to nobody.
const NUMBERS: [&str; 11] = [
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
const LOOKS: u32 = 30;

impl Asker<'_> {
    async fn post(&mut self, target: &str, body: Value) -> Result<Answer, Stopped> {
        self.call("POST", target, Some(body)).await
    }

    /// Decides a row about the status of a success, and learns the setting that follows.
    fn decide_status(&mut self, name: &'static str, setting: &str, usual: u16, answer: &Answer) {
        self.decide(name, answer.status == usual, &[answer]);
        if answer.is_success() && answer.status != usual {
            self.learn(name, setting, &answer.status.to_string());
        }
    }

    pub(super) async fn try_lists_and_contacts(&mut self) -> Result<(), Stopped> {
        let Some(list) = self.try_lists().await? else {
            self.leave_open("contacts.create.status", "No list could be created.");
            return Ok(());
        };
        self.try_refused_contacts(&list).await?;
        self.try_contacts(&list).await
    }

    /// Returns the identifier of the created list.
    async fn try_lists(&mut self) -> Result<Option<String>, Stopped> {
        const CREATE: &str = "/contacts/v1/lists/create";
        let name = format!("{NAME} {}", self.began().to_iso());
        let made = self.post(CREATE, json!({ "name": name })).await?;
        self.decide_status("lists.create.status", "status.list_create", 200, &made);
        let Some(list) = made.body["uid"].as_str().map(str::to_owned) else { return Ok(None) };
        self.made(Made::List(list.clone()));
        let again = self.post(CREATE, json!({ "name": name })).await?;
        if let Some(uid) = again.body["uid"].as_str() {
            self.made(Made::List(uid.to_owned()));
        }
        self.decide("lists.create.same_name", again.is_success(), &[&again]);
        if again.status == 400 {
            self.learn("lists.create.same_name", "lists.unique_names", "on");
        }
        let empty = self.post(CREATE, json!({ "name": "" })).await?;
        self.decide("lists.create.name", empty.has_entry("name", "Invalid list name"), &[&empty]);
        let broken = self.call_as(self.caller(), true, "POST", CREATE, Some("{".to_owned())).await?;
        self.decide("transport.body", broken.refuses(400, "ERR_CNT_REQ_002", "INVALID_REQUEST_BODY"), &[&broken]);
        let method = self.call("PATCH", "/contacts/v1/lists/", Some(json!({}))).await?;
        self.decide("transport.wrong_method", method.status == 405, &[&method]);
        let found = self.get(&with_query("/contacts/v1/lists/", &[("name", &name.to_uppercase())])).await?;
        let has_it = found.items().iter().any(|one| one["uid"] == list.as_str());
        self.decide("lists.query.name", has_it, &[&found]);
        let unknown = self.call("DELETE", &format!("/contacts/v1/lists/{NO_LIST}"), None).await?;
        self.decide_unknown("lists.delete.unknown", "List not found", &unknown);
        let unknown = self.call("DELETE", &format!("{CONTACTS}/{NO_CONTACT}"), None).await?;
        self.decide_unknown("contacts.delete.unknown", "Contact not found", &unknown);
        Ok(Some(list))
    }

    fn decide_unknown(&mut self, name: &'static str, message: &str, answer: &Answer) {
        self.decide(name, answer.status == 400 && answer.text("message") == message, &[answer]);
        if answer.status == 404 {
            self.learn(name, "unknown_on_delete", "404");
        }
    }

    async fn try_refused_contacts(&mut self, list: &str) -> Result<(), Stopped> {
        let contact = json!({ "phone_number": NUMBERS[0] });
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
                body("skipDuplicates", json!([{ "phone_number": NUMBERS[0], "title": "t".repeat(31) }])),
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
            let refused = self.post(CONTACTS, sent).await?;
            let is_it = |(named, why): &(&str, &str)| *named == field && message.is_none_or(|message| *why == message);
            self.decide(row, refused.status == 400 && refused.entries().iter().any(is_it), &[&refused]);
        }
        let mut types = body("skipDuplicates", json!([contact]));
        types["contacts"][0]["city"] = json!(7);
        let refused = self.post(CONTACTS, types).await?;
        self.decide(
            "contacts.create.types",
            refused.refuses(400, "ERR_CNT_REQ_002", "INVALID_REQUEST_BODY"),
            &[&refused],
        );
        let mut callback = body("skipDuplicates", json!([contact]));
        callback["callback_url"] = json!("ftp://example.com/x");
        let refused = self.post(CONTACTS, callback).await?;
        self.decide("contacts.create.callback_url", refused.status == 400, &[&refused]);
        let mut region = body("skipDuplicates", json!([contact]));
        region["phone_region"] = json!("gb");
        let refused = self.post(CONTACTS, region).await?;
        let field = "createContacts.request.phoneRegion";
        self.decide("numbers.region", refused.has_entry(field, "Invalid phone number region code."), &[&refused]);
        Ok(())
    }

    async fn try_contacts(&mut self, list: &str) -> Result<(), Stopped> {
        let contact = |number: &&str| json!({ "phone_number": number, "city": "York", "surely_unknown": "x" });
        let contacts: Vec<Value> = NUMBERS.iter().map(contact).collect();
        let body = json!({ "list_id": list, "merge_type": "skipDuplicates", "contacts": contacts });
        let queued = self.post(CONTACTS, body).await?;
        self.decide("contacts.create.path", queued.status != 404, &[&queued]);
        self.decide_status("contacts.create.status", "status.contact_create", 200, &queued);
        self.decide("contacts.create.unknown_attributes", queued.is_success(), &[&queued]);
        if !queued.is_success() {
            return Ok(());
        }
        let whole = |answer: &Answer| answer.total() == Some(NUMBERS.len() as u64);
        if self.wait_for_contacts(list, &[], whole).await?.is_none() {
            self.leave_open("contacts.create.job", "The contacts did not arrive within 30 s.");
            return Ok(());
        }
        self.ask_about_contacts(list).await?;
        let one = |merge: &str, value: &str| {
            json!({
                "list_id": list,
                "merge_type": merge,
                "contacts": [{ "phone_number": NUMBERS[0], "city": value }],
            })
        };
        // Jobs run in order, so the result of the second shows that the first is done.
        self.post(CONTACTS, one("skipDuplicates", "Leeds")).await?;
        self.post(CONTACTS, one("mergeByPhoneNumberInList", "Bath")).await?;
        let is_merged = |answer: &Answer| answer.items().iter().any(|contact| contact["city"] == "Bath");
        match self.wait_for_contacts(list, &[("search", NUMBERS[0])], is_merged).await? {
            Some(merged) => {
                self.decide("contacts.create.merge", merged.total() == Some(1), &[&merged]);
                self.decide("contacts.create.skip", merged.total() == Some(1), &[&merged]);
            }
            None => self.leave_open("contacts.create.merge", "The merge did not arrive within 30 s."),
        }
        let deleted = self.call("DELETE", &format!("/contacts/v1/lists/{list}"), None).await?;
        let gone = self.get(&format!("/contacts/v1/contacts/list/{list}")).await?;
        self.decide("lists.delete.contacts", deleted.status == 204 && gone.status == 400, &[&deleted, &gone]);
        Ok(())
    }

    /// Reads a page of the list once a second until it satisfies `is_there`, or returns None after the last attempt.
    async fn wait_for_contacts(
        &mut self,
        list: &str,
        query: &[(&str, &str)],
        is_there: impl Fn(&Answer) -> bool,
    ) -> Result<Option<Answer>, Stopped> {
        let query = [&[("page_number", "1"), ("page_size", "100")], query].concat();
        let target = with_query(&format!("/contacts/v1/contacts/list/{list}"), &query);
        for _ in 0..LOOKS {
            let page = self.get(&target).await?;
            if is_there(&page) {
                return Ok(Some(page));
            }
            sleep(Duration::from_secs(1)).await;
        }
        Ok(None)
    }

    pub(super) async fn try_opt_outs(&mut self) -> Result<(), Stopped> {
        let [one, other] = [NUMBERS[0], NUMBERS[1]];
        for number in [one, other] {
            let known = self.get(&with_query(OPT_OUTS, &[("number", number)])).await?;
            if known.total() != Some(0) {
                let why = "The check's numbers are already opted out. They were not changed.";
                self.leave_open("optouts.create.entries", why);
                self.leave_open("optouts.delete.status", why);
                return Ok(());
            }
        }
        self.made(Made::OptOuts(vec![one.to_owned(), other.to_owned()]));
        let both = json!({ "optouts": [{ "number": one }, { "number": other }] });
        let made = self.post(OPT_OUTS, both.clone()).await?;
        let second = self.get(&with_query(OPT_OUTS, &[("number", other)])).await?;
        let counts_all = second.total() == Some(1);
        self.decide_saying("optouts.create.entries", !counts_all, "Every entry counts.", &[&made, &second]);
        if counts_all {
            self.learn("optouts.create.entries", "opt_outs.entries", "all");
        }
        let again = self.post(OPT_OUTS, both).await?;
        let message = |answer: &Answer| answer.items().first().map(|item| item["message"].clone());
        self.decide("optouts.create.success", message(&made) == message(&again), &[&made, &again]);
        let channel = self.post(OPT_OUTS, json!({ "optouts": [{ "number": one, "channel": "FAX" }] })).await?;
        let fails = |answer: &Answer| answer.items().first().is_some_and(|item| item["status"] == "failure");
        self.decide("optouts.create.channel", channel.status == 201 && fails(&channel), &[&channel]);
        let bad = self.post(OPT_OUTS, json!({ "optouts": [{ "number": "+123" }] })).await?;
        let keys = ["number", "channel", "status", "message"];
        let holds = bad.items().first().is_some_and(|item| has_keys(item, &keys));
        self.decide("optouts.create.failures", holds, &[&bad]);
        let missing = |answer: &Answer| answer.refuses(400, "ERR_CNT_VAL_001", "MISSING_REQUIRED_FIELD");
        let numberless = self.post(OPT_OUTS, json!({ "optouts": [{}] })).await?;
        self.decide("optouts.create.number", missing(&numberless), &[&numberless]);
        let none = self.post(OPT_OUTS, json!({ "optouts": [] })).await?;
        self.decide("optouts.create.empty", missing(&none), &[&none]);
        let none = self.call("DELETE", OPT_OUTS, Some(json!({ "numbers": [] }))).await?;
        self.decide("optouts.delete.faults", missing(&none), &[&none]);
        let twice = self.call("DELETE", OPT_OUTS, Some(json!({ "numbers": [one, one] }))).await?;
        self.decide_status("optouts.delete.status", "status.opt_out_delete", 200, &twice);
        let results: Vec<&Value> = twice.items().iter().map(|item| &item["status"]).collect();
        self.decide("optouts.delete.repeats", results == ["success", "failure"], &[&twice]);
        Ok(())
    }

    pub(super) async fn try_links(&mut self) -> Result<(), Stopped> {
        let body = json!({ "title": format!(" {NAME} "), "target_url": "https://example.com/roost" });
        let made = self.post(LINKS, body.clone()).await?;
        let again = self.post(LINKS, body).await?;
        let id = |answer: &Answer| answer.body["link_id"].as_str().map(str::to_owned);
        let (first, second) = (id(&made), id(&again));
        for id in first.iter().chain(&second) {
            self.made(Made::Link(id.clone()));
        }
        if first.is_none() {
            self.leave_open("shortlinks.create.again", "No short link could be created.");
            return Ok(());
        }
        self.decide("shortlinks.record", made.status == 200 && has_keys(&made.body, &LINK_KEYS), &[&made]);
        self.look_at_link(&made.body.clone(), &made);
        self.decide("shortlinks.create.again", second.is_some() && first != second, &[&made, &again]);
        self.decide("shortlinks.create.track_clicks", made.body["track_clicks"] == true, &[&made]);
        let refused =
            |title: &str, target: &str, tag: &str| json!({ "title": title, "target_url": target, "tags": [tag] });
        let titled = self.post(LINKS, refused("", "https://example.com", "a")).await?;
        let is_trimmed = made.body["title"] == NAME;
        self.decide("shortlinks.create.title", titled.status == 400 && is_trimmed, &[&made, &titled]);
        let target = self.post(LINKS, refused(NAME, "ftp://example.com", "a")).await?;
        self.decide("shortlinks.create.target_url", target.status == 400, &[&target]);
        let tag = self.post(LINKS, refused(NAME, "https://example.com", "a!")).await?;
        self.decide("shortlinks.create.tags", tag.has_entry("tags[]", "Invalid tag."), &[&tag]);
        let all = self.post(LINKS, refused("", "ftp://example.com", "a!")).await?;
        self.decide("shortlinks.create.faults", all.fields() == ["title", "target_url", "tags[]"], &[&all]);
        for link in [&titled, &target, &tag, &all].into_iter().filter_map(id) {
            self.made(Made::Link(link));
        }
        Ok(())
    }
}

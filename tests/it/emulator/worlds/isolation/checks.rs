//! Compares a world with its model: its content, its work and its journal.

use std::collections::{BTreeMap, BTreeSet};

use roost_tests::{Client, Request, until};
use serde_json::{Value, json};

use super::{
    model::JournalLine,
    player::{PlayGround, WorldPlayer, bearer_header},
};

fn to_array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn to_text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Adds the plus sign, which some answers omit.
fn to_number(value: &Value) -> String {
    format!("+{}", to_text(value).trim_start_matches('+'))
}

impl WorldPlayer {
    pub(super) fn compare_with_model(&mut self, client: &Client, ground: PlayGround<'_>) {
        self.compare_account(client, ground);
        self.compare_work(client, ground);
        self.compare_rules(client, ground);
        self.compare_journal(client, ground);
    }

    /// Always sends the request in the same way, so that it does not depend on random choices.
    pub(super) fn read_plainly(&self, client: &Client, ground: PlayGround<'_>, path: &str) -> Value {
        let request = Request::get(format!("/__admin/worlds/{}{path}", self.id)).without("x-auth-key");
        client.send(request.header("authorization", bearer_header(ground.token))).ok()
    }

    fn compare_account(&self, client: &Client, ground: PlayGround<'_>) {
        let held = self.read_plainly(client, ground, "/export");
        let account = &self.model.account;
        let lists: BTreeMap<String, (String, BTreeSet<String>)> = to_array(&held["lists"])
            .iter()
            .map(|list| {
                let contacts = to_array(&list["contacts"]);
                let numbers: BTreeSet<String> = contacts.iter().map(|c| to_number(&c["phone_number"])).collect();
                assert_eq!(numbers.len(), contacts.len(), "{}: a contact is there twice", self.id);
                (to_text(&list["uid"]), (to_text(&list["name"]), numbers))
            })
            .collect();
        assert_eq!(lists, account.lists, "{}", self.id);
        let opt_outs: BTreeSet<String> = to_array(&held["opt_outs"]).iter().map(|o| to_number(&o["number"])).collect();
        assert_eq!(opt_outs, account.opt_outs, "{}", self.id);
        let links: BTreeSet<String> =
            to_array(&held["short_links"]).iter().map(|link| to_text(&link["title"])).collect();
        assert_eq!(links, account.links.keys().cloned().collect(), "{}", self.id);
        let senders = to_array(&held["senders"]).iter().map(|s| (to_text(&s["id"]), to_text(&s["name"])));
        assert_eq!(senders.collect::<BTreeMap<_, _>>(), account.senders, "{}", self.id);
    }

    fn compare_work(&mut self, client: &Client, ground: PlayGround<'_>) {
        let wait = self.send_as_operator(client, ground, "POST", "/settle", &json!({ "timeout": "0ms" })).json();
        let account = &self.model.account;
        let jobs = wait["jobs_waiting"].as_u64().expect("a number") + wait["jobs_held"].as_u64().expect("a number");
        let counts = ["waiting", "held", "delivered", "given_up"].map(|name| wait[name].as_u64().expect("a number"));
        let want = [account.count_waiting(), account.count_held(), account.delivered, account.given_up];
        assert_eq!((jobs as usize, counts), (account.jobs.len(), want), "{}", self.id);
        let inbox = self.read_plainly(client, ground, "/hooks/inbox?limit=1000");
        let mut came: Vec<String> =
            to_array(&inbox["items"]).iter().map(|call| to_text(&call["json"]["correlation_id"])).collect();
        // Callbacks that are due together are delivered in parallel, so they may arrive in any order.
        let mut want = self.model.inbox.clone();
        came.sort_unstable();
        want.sort_unstable();
        assert_eq!(came, want, "{}", self.id);
    }

    fn compare_rules(&self, client: &Client, ground: PlayGround<'_>) {
        let clock = self.read_plainly(client, ground, "/clock");
        let now = roost_model::time::Timestamp::from_unix(self.model.now).to_iso();
        assert_eq!(clock["mode"], "frozen");
        assert_eq!(to_text(&clock["now"])[..19], now[..19], "{}", self.id);
        let limits = self.read_plainly(client, ground, "/limits");
        match &self.model.limit {
            None => assert_eq!(limits["enabled"], false, "{}", self.id),
            Some(limit) => {
                assert_eq!((&limits["algorithm"], &limits["burst"]), (&json!("token_bucket"), &json!(limit.burst)));
                let buckets = self.read_plainly(client, ground, "/limits/buckets?page_size=1000");
                for bucket in to_array(&buckets["items"]) {
                    let want = limit.token_level(&to_text(&bucket["operation"]), self.model.now);
                    assert_eq!(bucket["level"], want, "{}: {bucket}", self.id);
                }
            }
        }
        let rules = self.read_plainly(client, ground, "/faults/rules");
        for rule in to_array(&rules["items"]) {
            assert_eq!(rule["name"], format!("only-{}", self.id));
        }
    }

    /// Entries are written after the answers were sent, so the last one may take a moment.
    fn compare_journal(&self, client: &Client, ground: PlayGround<'_>) {
        let want = self.model.journal.clone();
        let lines = until("the journal is written", || {
            let page = self.read_plainly(client, ground, "/requests?limit=1000");
            let lines = self.journal_lines(&page);
            (lines.len() >= want.len()).then_some(lines)
        });
        assert_eq!(lines, want, "{}", self.id);
    }

    /// Returns the calls of the interface in the order of their arrival.
    fn journal_lines(&self, page: &Value) -> Vec<JournalLine> {
        let mut lines: Vec<&Value> = to_array(&page["items"]).iter().collect();
        lines.sort_by_key(|line| line["number"].as_u64());
        let path = |line: &Value| {
            let url = to_text(&line["url"]);
            url.strip_prefix(&format!("/w/{}", self.id)).unwrap_or(&url).to_owned()
        };
        let status = |line: &Value| line["status"].as_u64().and_then(|status| u16::try_from(status).ok());
        let all = lines.into_iter().map(|line| (to_text(&line["method"]), path(line), status(line)));
        all.filter(|(_, path, _)| path.starts_with("/contacts/") || path.starts_with("/assets/")).collect()
    }
}

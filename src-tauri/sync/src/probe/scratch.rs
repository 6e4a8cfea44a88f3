//! Finds out what only writing can show, on a new list that is deleted afterwards. It takes fewer than sixty calls.

use std::time::Duration;

use roost_model::contact::{Attribute, MergeType};
use roost_reconcile::{ContactRow, plan::ContactItem, row::SyncField};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::ProbeFinding;
use crate::remote::{
    AcceptedWrite, Client, ContactsParams, ListsParams, PageParams, RemoteContact, ServiceCall, ServiceError,
};

const NAME: SyncField = SyncField::Attribute(Attribute::Firstname);
const TITLE: SyncField = SyncField::Attribute(Attribute::Title);
/// The number of times, a second apart, that a contact is read before its job counts as lost.
const MAX_READS: u32 = 20;
/// The times of the service have no smaller unit, so a change within one second would not show.
const SECOND: Duration = Duration::from_millis(1_100);

/// Three numbers that the service considers valid and that belong to nobody.
pub const NUMBERS: [&str; 3] = ["+447700900901", "+447700900902", "+447700900903"];

/// Tries the service on a new list of this name. The user agreed to it and to these numbers.
pub async fn probe_by_writing(
    client: &Client,
    name: &str,
    numbers: [&str; 3],
) -> Result<Vec<ProbeFinding>, ServiceError> {
    let made = send_call(client, &ServiceCall::create_list(name)).await?;
    let uid = match made.uid() {
        Some(uid) => uid.to_owned(),
        None => {
            match client.query_lists(&ListsParams { name: Some(name), page: PageParams { number: 1, size: 100 } }).await
            {
                Ok(page) => match page.items.into_iter().find(|list| list.name == name) {
                    Some(list) => list.uid,
                    None => return Ok(Vec::new()),
                },
                Err(error) => return Err(error),
            }
        }
    };
    let tried = ScratchProbe { client, list: &uid, name, numbers, found: Vec::new() }.run().await;
    // Delete the list whatever the result, so that nothing stays behind.
    let deleted = send_call(client, &ServiceCall::delete_list(&uid)).await;
    tried.and_then(|found| deleted.map(|_| found))
}

async fn send_call(client: &Client, call: &ServiceCall) -> Result<AcceptedWrite, ServiceError> {
    client.wait_for_turn(call.lane).await.send(call).await
}

/// A trial of the service on a scratch list.
struct ScratchProbe<'t> {
    client: &'t Client,
    list: &'t str,
    name: &'t str,
    numbers: [&'t str; 3],
    found: Vec<ProbeFinding>,
}

fn build_item(send: ContactRow, clear: Vec<SyncField>) -> ContactItem {
    ContactItem { id: 0, expect: send.clone(), send, clear, before: None }
}

impl ScratchProbe<'_> {
    fn add_finding(&mut self, flag: &'static str, value: Value, how: &'static str) {
        self.found.push(ProbeFinding { flag, value, how });
    }

    async fn send_contacts(
        &self,
        region: Option<&str>,
        merge: MergeType,
        items: &[ContactItem],
    ) -> Result<AcceptedWrite, ServiceError> {
        send_call(self.client, &ServiceCall::create_contacts(self.list, region, merge, items)).await
    }

    async fn read_contact(&self, number: &str) -> Result<Option<RemoteContact>, ServiceError> {
        Ok(self.client.query_contacts(self.list, &ContactsParams::Number(number)).await?.items.into_iter().next())
    }

    /// Waits until the first contact has this name and returns it. The job that set the name is then done.
    async fn wait_for_name(&self, name: &str) -> Result<Option<RemoteContact>, ServiceError> {
        for _ in 0..MAX_READS {
            match self.read_contact(self.numbers[0]).await? {
                Some(contact) if contact.row.get(NAME) == Some(name) => return Ok(Some(contact)),
                _ => sleep(Duration::from_secs(1)).await,
            }
        }
        Ok(None)
    }

    /// Sends the test requests one after the other and records each finding.
    async fn run(mut self) -> Result<Vec<ProbeFinding>, ServiceError> {
        let began = Instant::now();
        let [first, second, whatsapp] = self.numbers;
        let phone = |number: &str, name: &str| {
            ContactRow::default().with_value(SyncField::Phone, number).with_value(NAME, name)
        };

        let bad = ["+44770", "+44771"].map(|number| build_item(phone(number, "x"), vec![]));
        if let Err(error) = self.send_contacts(None, MergeType::SkipDuplicates, &bad).await {
            let all = error.refused_contacts().len() == bad.len();
            self.add_finding("contacts.all_faults", json!(all), "two bad contacts were sent in one request");
        }

        let new = [build_item(phone(first, "one").with_value(TITLE, "Ms"), vec![])];
        let any_region = match self.send_contacts(Some("US"), MergeType::SkipDuplicates, &new).await {
            Ok(_) => true,
            Err(error) if error.is_permanent() => {
                self.send_contacts(None, MergeType::SkipDuplicates, &new).await?;
                false
            }
            Err(error) => return Err(error),
        };
        let Some(made) = self.wait_for_name("one").await? else { return Ok(self.found) };
        self.add_finding("e164_with_any_region", json!(any_region), "a British number was sent with the region US");

        sleep(SECOND.saturating_sub(began.elapsed())).await;
        let both = [build_item(phone(first, "two"), vec![TITLE]), build_item(phone(second, "new"), vec![])];
        self.send_contacts(None, MergeType::MergeByPhone, &both).await?;
        let Some(merged) = self.wait_for_name("two").await? else { return Ok(self.found) };
        self.add_finding("null_clears", json!(merged.row.get(TITLE).is_none()), "a title was sent as null");
        let also = self.read_contact(second).await?.is_some();
        self.add_finding("merge_also_creates", json!(also), "a merge named a number that was not there");
        let params = ListsParams { name: Some(self.name), page: PageParams { number: 1, size: 100 } };
        let lists = self.client.query_lists(&params).await?.items;
        if let Some(list) = lists.iter().find(|list| list.uid == self.list) {
            let moved = list.updated_at > list.created_at;
            self.add_finding("lists.updated_at_moves", json!(moved), "the list's times after a merge");
        }

        let changed = [build_item(phone(first, "three").with_value(SyncField::Whatsapp, whatsapp), vec![])];
        let changed = match self.send_contacts(None, MergeType::MergeByPhone, &changed).await {
            Ok(_) => {
                self.wait_for_name("three").await?.map(|contact| contact.row.get(SyncField::Whatsapp) == Some(whatsapp))
            }
            Err(error) if error.is_permanent() => Some(false),
            Err(error) => return Err(error),
        };
        if let Some(changed) = changed {
            self.add_finding("merge_may_change_identifiers", json!(changed), "a merge by phone gave a WhatsApp number");
        }

        send_call(self.client, &ServiceCall::delete_contact(&made.uid)).await?;
        if let Err(error) = send_call(self.client, &ServiceCall::delete_contact(&made.uid)).await
            && let Some(refused) = error.response()
        {
            let status = refused.status.to_string();
            self.add_finding("unknown_on_delete", json!(status), "a contact was deleted twice");
        }
        Ok(self.found)
    }
}

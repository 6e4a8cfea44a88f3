//! Finds out what only writing can show, on a new list that is deleted afterwards. It takes fewer than sixty calls.

use std::time::Duration;

use roost_model::contact::{Attribute, MergeType};
use roost_reconcile::{Row, plan::Item, row::Field};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::Found;
use crate::remote::{Call, Client, Contact, ContactsAsked, Done, Error, ListsAsked, PageAsked};

const NAME: Field = Field::Attribute(Attribute::Firstname);
const TITLE: Field = Field::Attribute(Attribute::Title);
/// The number of times, a second apart, that a contact is read before its job counts as lost.
const LOOKS: u32 = 20;
/// The times of the service have no smaller unit, so a change within one second would not show.
const SECOND: Duration = Duration::from_millis(1_100);

/// Three numbers that the service considers valid and that belong to nobody.
pub const NUMBERS: [&str; 3] = ["+447700900901", "+447700900902", "+447700900903"];

/// Tries the service on a new list of this name. The user agreed to it and to these numbers.
pub async fn try_out(client: &Client, name: &str, numbers: [&str; 3]) -> Result<Vec<Found>, Error> {
    let made = send(client, &Call::create_list(name)).await?;
    let uid = match made.uid() {
        Some(uid) => uid.to_owned(),
        None => match client.lists(&ListsAsked { name: Some(name), page: PageAsked { number: 1, size: 100 } }).await {
            Ok(page) => match page.items.into_iter().find(|list| list.name == name) {
                Some(list) => list.uid,
                None => return Ok(Vec::new()),
            },
            Err(error) => return Err(error),
        },
    };
    let tried = Trial { client, list: &uid, name, numbers, found: Vec::new() }.run().await;
    // Delete the list whatever the result, so that nothing stays behind.
    let deleted = send(client, &Call::delete_list(&uid)).await;
    tried.and_then(|found| deleted.map(|_| found))
}

async fn send(client: &Client, call: &Call) -> Result<Done, Error> {
    client.turn(call.lane).await.send(call).await
}

/// A trial of the service on a scratch list.
struct Trial<'t> {
    client: &'t Client,
    list: &'t str,
    name: &'t str,
    numbers: [&'t str; 3],
    found: Vec<Found>,
}

fn item(send: Row, clear: Vec<Field>) -> Item {
    Item { id: 0, expect: send.clone(), send, clear, before: None }
}

impl Trial<'_> {
    fn learn(&mut self, flag: &'static str, value: Value, how: &'static str) {
        self.found.push(Found { flag, value, how });
    }

    async fn contacts(&self, region: Option<&str>, merge: MergeType, items: &[Item]) -> Result<Done, Error> {
        send(self.client, &Call::create_contacts(self.list, region, merge, items)).await
    }

    async fn contact(&self, number: &str) -> Result<Option<Contact>, Error> {
        Ok(self.client.contacts(self.list, &ContactsAsked::Number(number)).await?.items.into_iter().next())
    }

    /// Waits until the first contact has this name and returns it. The job that set the name is then done.
    async fn named(&self, name: &str) -> Result<Option<Contact>, Error> {
        for _ in 0..LOOKS {
            match self.contact(self.numbers[0]).await? {
                Some(contact) if contact.row.get(NAME) == Some(name) => return Ok(Some(contact)),
                _ => sleep(Duration::from_secs(1)).await,
            }
        }
        Ok(None)
    }

    /// Sends the test requests one after the other and records each finding.
    async fn run(mut self) -> Result<Vec<Found>, Error> {
        let began = Instant::now();
        let [first, second, whatsapp] = self.numbers;
        let phone = |number: &str, name: &str| Row::default().with(Field::Phone, number).with(NAME, name);

        let bad = ["+44770", "+44771"].map(|number| item(phone(number, "x"), vec![]));
        if let Err(error) = self.contacts(None, MergeType::SkipDuplicates, &bad).await {
            let all = error.rows().len() == bad.len();
            self.learn("contacts.all_faults", json!(all), "two bad contacts were sent in one request");
        }

        let new = [item(phone(first, "one").with(TITLE, "Ms"), vec![])];
        let any_region = match self.contacts(Some("US"), MergeType::SkipDuplicates, &new).await {
            Ok(_) => true,
            Err(error) if error.is_permanent() => {
                self.contacts(None, MergeType::SkipDuplicates, &new).await?;
                false
            }
            Err(error) => return Err(error),
        };
        let Some(made) = self.named("one").await? else { return Ok(self.found) };
        self.learn("e164_with_any_region", json!(any_region), "a British number was sent with the region US");

        sleep(SECOND.saturating_sub(began.elapsed())).await;
        let both = [item(phone(first, "two"), vec![TITLE]), item(phone(second, "new"), vec![])];
        self.contacts(None, MergeType::MergeByPhone, &both).await?;
        let Some(merged) = self.named("two").await? else { return Ok(self.found) };
        self.learn("null_clears", json!(merged.row.get(TITLE).is_none()), "a title was sent as null");
        let also = self.contact(second).await?.is_some();
        self.learn("merge_also_creates", json!(also), "a merge named a number that was not there");
        let asked = ListsAsked { name: Some(self.name), page: PageAsked { number: 1, size: 100 } };
        let lists = self.client.lists(&asked).await?.items;
        if let Some(list) = lists.iter().find(|list| list.uid == self.list) {
            let moved = list.updated_at > list.created_at;
            self.learn("lists.updated_at_moves", json!(moved), "the list's times after a merge");
        }

        let changed = [item(phone(first, "three").with(Field::Whatsapp, whatsapp), vec![])];
        let changed = match self.contacts(None, MergeType::MergeByPhone, &changed).await {
            Ok(_) => self.named("three").await?.map(|contact| contact.row.get(Field::Whatsapp) == Some(whatsapp)),
            Err(error) if error.is_permanent() => Some(false),
            Err(error) => return Err(error),
        };
        if let Some(changed) = changed {
            self.learn("merge_may_change_identifiers", json!(changed), "a merge by phone gave a WhatsApp number");
        }

        send(self.client, &Call::delete_contact(&made.uid)).await?;
        if let Err(error) = send(self.client, &Call::delete_contact(&made.uid)).await
            && let Some(refused) = error.answer()
        {
            let status = refused.status.to_string();
            self.learn("unknown_on_delete", json!(status), "a contact was deleted twice");
        }
        Ok(self.found)
    }
}

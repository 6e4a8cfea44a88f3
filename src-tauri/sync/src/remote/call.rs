//! Represents the sixteen operations as data, so that a request can be shown, hashed and stored before it is sent.

use std::fmt::Write as _;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use roost_model::{channel::Channel, contact::MergeType, opt_out::OptOutType};
use roost_reconcile::{
    answer::reads,
    audit::{Digest, digest},
    plan::{Item, Lane},
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::json;

use super::settings::{Paths, operation};

/// A plus is sent as `%2B`, so that no reader takes it for a space.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// A request without its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Call {
    pub lane: Lane,
    /// The identifier in the path.
    id: String,
    query: String,
    #[serde(serialize_with = "as_text")]
    body: Option<Bytes>,
}

fn as_text<S: Serializer>(body: &Option<Bytes>, to: S) -> Result<S::Ok, S::Error> {
    body.as_deref().map(String::from_utf8_lossy).serialize(to)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageAsked {
    pub number: u32,
    pub size: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Oldest first, so that records added meanwhile come last.
    #[default]
    Rising,
    Falling,
}

impl Order {
    fn word(self) -> &'static str {
        match self {
            Self::Rising => "ASC",
            Self::Falling => "DESC",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListsAsked<'a> {
    /// A part of the name, in any letter case.
    pub name: Option<&'a str>,
    pub page: PageAsked,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactsAsked<'a> {
    Page(PageAsked),
    /// All contacts in one response.
    All,
    /// The contacts with this phone or WhatsApp number.
    Number(&'a str),
    /// A page with these fields alone, which must include `uid`.
    Fields(&'a str, PageAsked),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptOutsAsked<'a> {
    pub number: Option<&'a str>,
    pub channel: Option<Channel>,
    pub kind: Option<OptOutType>,
    /// The earliest time, inclusive, in the interface's format.
    pub since: Option<&'a str>,
    pub order: Order,
    /// `None` requests the service's default first page.
    pub page: Option<PageAsked>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinksAsked<'a> {
    /// A text to look for in titles and tags.
    pub text: Option<&'a str>,
    /// The earliest time. The interface does not say whether it is inclusive.
    pub since: Option<&'a str>,
    pub order: Order,
    pub page: PageAsked,
}

/// The body of a request that creates a short link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkMade<'a> {
    pub title: &'a str,
    pub target_url: &'a str,
    pub tags: &'a [String],
    pub track_clicks: bool,
}

/// The parameters of a query, in the order in which they were added.
#[derive(Default)]
struct Query(String);

impl Query {
    fn put(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            let sign = if self.0.is_empty() { '?' } else { '&' };
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{sign}{name}={}", encoded(&value.to_string()));
        }
        self
    }

    fn page(self, page: Option<PageAsked>) -> Self {
        self.put("page_number", page.map(|page| page.number)).put("page_size", page.map(|page| page.size))
    }
}

/// A contact in a request: its values, with null for those to be cleared.
struct Sent<'a>(&'a Item);

impl Serialize for Sent<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for (field, text) in self.0.send.iter() {
            map.serialize_entry(&field.name(), text)?;
        }
        for field in &self.0.clear {
            map.serialize_entry(&field.name(), &())?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct ContactsSent<'a> {
    list_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_region: Option<&'a str>,
    merge_type: MergeType,
    contacts: Vec<Sent<'a>>,
}

impl Call {
    fn bare(lane: Lane, id: &str) -> Self {
        Self { lane, id: id.to_owned(), query: String::new(), body: None }
    }

    fn asking(lane: Lane, id: &str, query: Query) -> Self {
        Self { query: query.0, ..Self::bare(lane, id) }
    }

    fn telling(lane: Lane, body: &impl Serialize) -> Self {
        // The values are texts and numbers, which JSON can always represent.
        let body = serde_json::to_vec(body).unwrap_or_default();
        Self { body: Some(body.into()), ..Self::bare(lane, "") }
    }

    /// Returns whether the response is small, so that the service should send it quickly.
    pub fn is_page(&self) -> bool {
        let is_all = self.lane == Lane::ContactsQuery && self.query.is_empty();
        reads(self.lane) && !is_all
    }

    pub fn senders(page: PageAsked) -> Self {
        Self::asking(Lane::SendersQuery, "", Query::default().page(Some(page)))
    }

    pub fn sender(id: &str) -> Self {
        Self::bare(Lane::SendersGet, id)
    }

    pub fn delete_sender(id: &str) -> Self {
        Self::bare(Lane::SendersDelete, id)
    }

    /// Requests lists oldest first, so that pages do not drift when lists change.
    pub fn lists(asked: &ListsAsked<'_>) -> Self {
        let query = Query::default().put("sort_by", Some("created_at")).put("sort_order", Some("ASC"));
        Self::asking(Lane::ListsQuery, "", query.put("name", asked.name).page(Some(asked.page)))
    }

    pub fn create_list(name: &str) -> Self {
        Self::telling(Lane::ListsCreate, &json!({ "name": name }))
    }

    pub fn delete_list(uid: &str) -> Self {
        Self::bare(Lane::ListsDelete, uid)
    }

    pub fn contacts(list: &str, asked: &ContactsAsked<'_>) -> Self {
        let query = match asked {
            ContactsAsked::All => Query::default(),
            ContactsAsked::Page(page) => Query::default().page(Some(*page)),
            ContactsAsked::Fields(fields, page) => Query::default().put("fields", Some(fields)).page(Some(*page)),
            // Several contacts may share a number, so request a page.
            ContactsAsked::Number(number) => {
                Query::default().put("search", Some(number)).page(Some(PageAsked { number: 1, size: 100 }))
            }
        };
        Self::asking(Lane::ContactsQuery, list, query)
    }

    pub fn create_contacts(list: &str, region: Option<&str>, merge_type: MergeType, items: &[Item]) -> Self {
        let contacts = items.iter().map(Sent).collect();
        Self::telling(Lane::ContactsCreate, &ContactsSent { list_id: list, phone_region: region, merge_type, contacts })
    }

    pub fn delete_contact(uid: &str) -> Self {
        Self::bare(Lane::ContactsDelete, uid)
    }

    pub fn opt_outs(asked: &OptOutsAsked<'_>) -> Self {
        let query = Query::default()
            .put("number", asked.number)
            .put("opt_out_type", asked.kind.map(OptOutType::as_str))
            .put("channel", asked.channel.map(Channel::as_str))
            .put("start_time", asked.since)
            .page(asked.page)
            .put("sort_order", Some(asked.order.word()));
        Self::asking(Lane::OptOutsQuery, "", query)
    }

    /// Names one opt-out a request, because the service reads the first one alone.
    pub fn create_opt_out(number: &str, channel: Channel, asset: Option<&str>) -> Self {
        let mut entry = json!({ "number": number, "channel": channel });
        if let Some(asset) = asset {
            entry["asset_id"] = asset.into();
        }
        Self::telling(Lane::OptOutsCreate, &json!({ "optouts": [entry] }))
    }

    /// Always names a channel, because a removal without one affects both.
    pub fn delete_opt_outs(numbers: &[String], channel: Channel, asset: Option<&str>) -> Self {
        let mut body = json!({ "numbers": numbers, "channel": channel });
        if let Some(asset) = asset {
            body["asset_id"] = asset.into();
        }
        Self::telling(Lane::OptOutsDelete, &body)
    }

    pub fn create_link(made: &LinkMade<'_>) -> Self {
        Self::telling(Lane::ShortLinksCreate, made)
    }

    pub fn link(id: &str) -> Self {
        Self::bare(Lane::ShortLinksGet, id)
    }

    pub fn links(asked: &LinksAsked<'_>) -> Self {
        let mut filter = serde_json::Map::new();
        for (name, value) in [("query", asked.text), ("created_at_start", asked.since)] {
            if let Some(value) = value {
                filter.insert(name.to_owned(), value.into());
            }
        }
        Self::telling(
            Lane::ShortLinksSearch,
            &json!({
                "filter": filter,
                "sort": { "sort_by": "created_at", "sort_order": asked.order.word() },
                "page": { "page_number": asked.page.number, "page_size": asked.page.size },
            }),
        )
    }

    pub fn delete_link(id: &str) -> Self {
        Self::bare(Lane::ShortLinksDelete, id)
    }

    pub fn method(&self) -> &'static str {
        operation(self.lane).method.as_str()
    }

    /// Returns the path and the query.
    pub fn target(&self, paths: &Paths) -> String {
        format!("{}{}", paths.of(self.lane, &encoded(&self.id)), self.query)
    }

    pub fn body(&self) -> Option<&Bytes> {
        self.body.as_ref()
    }

    /// Returns a digest that depends on the request alone, not on its key or address.
    pub fn digest(&self) -> Digest {
        digest(self)
    }
}

#[cfg(test)]
mod tests {
    use roost_reconcile::{Row, row::Field};

    use super::*;

    const PAGE: PageAsked = PageAsked { number: 2, size: 100 };

    fn sent(call: &Call) -> String {
        let body = call.body().map_or(String::new(), |body| format!(" {}", String::from_utf8_lossy(body)));
        format!("{} {}{body}", call.method(), call.target(&Paths::default()))
    }

    #[test]
    fn requests_are_spelt_as_the_interface_spells_them() {
        let number = Some("+447700900001");
        let send = Row::default().with(Field::Whatsapp, "+447700900002").with(Field::Custom(2), "a\"b");
        let item = Item { id: 1, send: send.clone(), clear: vec![Field::Custom(3)], before: None, expect: send };
        let made = LinkMade { title: "A", target_url: "https://a.example/", tags: &[], track_clicks: false };
        let opt_outs = OptOutsAsked {
            number,
            channel: Some(Channel::WhatsApp),
            kind: Some(OptOutType::Keyword),
            since: Some("2026-01-05T09:00:00Z"),
            order: Order::Rising,
            page: Some(PAGE),
        };
        let links = LinksAsked { text: Some("a b"), since: None, order: Order::Falling, page: PAGE };
        let numbers = ["+447700900001".to_owned()];
        let calls = [
            (Call::senders(PAGE), "GET /assets/v1/senders/?page_number=2&page_size=100"),
            (Call::sender("ssd_1"), "GET /assets/v1/senders/ssd_1"),
            (Call::delete_sender("ssd/1"), "DELETE /assets/v1/senders/ssd%2F1"),
            (
                Call::lists(&ListsAsked { name: Some("A&B"), page: PAGE }),
                "GET /contacts/v1/lists/?sort_by=created_at&sort_order=ASC&name=A%26B&page_number=2&page_size=100",
            ),
            (Call::create_list("A"), r#"POST /contacts/v1/lists/create {"name":"A"}"#),
            (Call::delete_list("LST_1"), "DELETE /contacts/v1/lists/LST_1"),
            (Call::contacts("LST_1", &ContactsAsked::All), "GET /contacts/v1/contacts/list/LST_1"),
            (
                Call::contacts("LST_1", &ContactsAsked::Number("+447700900001")),
                "GET /contacts/v1/contacts/list/LST_1?search=%2B447700900001&page_number=1&page_size=100",
            ),
            (
                Call::create_contacts("LST_1", Some("GB"), MergeType::MergeByWhatsapp, &[item]),
                "POST /contacts/v1/contacts {\"list_id\":\"LST_1\",\"phone_region\":\"GB\",\
                 \"merge_type\":\"mergeByWhatsappIdInList\",\"contacts\":[{\"whatsapp_number\":\"+447700900002\",\
                 \"field_2\":\"a\\\"b\",\"field_3\":null}]}",
            ),
            (Call::delete_contact("CON_1"), "DELETE /contacts/v1/contacts/CON_1"),
            (
                Call::opt_outs(&opt_outs),
                "GET /contacts/v1/optouts?number=%2B447700900001&opt_out_type=keyword&channel=WHATSAPP\
                 &start_time=2026-01-05T09%3A00%3A00Z&page_number=2&page_size=100&sort_order=ASC",
            ),
            (
                Call::create_opt_out("+447700900001", Channel::Sms, Some("num_1")),
                r#"POST /contacts/v1/optouts {"optouts":[{"asset_id":"num_1","channel":"SMS","number":"+447700900001"}]}"#,
            ),
            (
                Call::delete_opt_outs(&numbers, Channel::Sms, None),
                r#"DELETE /contacts/v1/optouts {"channel":"SMS","numbers":["+447700900001"]}"#,
            ),
            (
                Call::create_link(&made),
                r#"POST /assets/v1/shortlink {"title":"A","target_url":"https://a.example/","tags":[],"track_clicks":false}"#,
            ),
            (Call::link("shl_1"), "GET /assets/v1/shortlink/shl_1"),
            (
                Call::links(&links),
                "POST /assets/v1/shortlink/filter {\"filter\":{\"query\":\"a b\"},\"page\":{\"page_number\":2,\
                 \"page_size\":100},\"sort\":{\"sort_by\":\"created_at\",\"sort_order\":\"DESC\"}}",
            ),
            (Call::delete_link("shl_1"), "DELETE /assets/v1/shortlink/shl_1"),
        ];
        for (call, want) in calls {
            assert_eq!(sent(&call), want);
        }
    }

    #[test]
    fn a_digest_is_of_everything_that_is_sent() {
        let one = Call::create_list("A");
        assert_eq!(one.digest(), Call::create_list("A").digest());
        assert_ne!(one.digest(), Call::create_list("B").digest());
        assert_ne!(Call::delete_list("A").digest(), Call::delete_list("B").digest());
        assert_ne!(Call::delete_list("A").digest(), Call::delete_contact("A").digest());
    }
}

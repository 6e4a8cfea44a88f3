//! Represents the sixteen operations as data, so that a request can be shown, hashed and stored before it is sent.

use std::fmt::Write as _;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use roost_model::{channel::Channel, contact::MergeType, opt_out::OptOutType};
use roost_reconcile::{
    audit::{Digest, digest_json},
    plan::{ContactItem, Lane},
    response::is_read,
};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::json;

use super::settings::{OperationPaths, find_operation};

/// A plus is sent as `%2B`, so that no reader takes it for a space.
const UNESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn percent_encode(text: &str) -> String {
    utf8_percent_encode(text, UNESCAPED).to_string()
}

/// A request without its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ServiceCall {
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
pub struct PageParams {
    pub number: u32,
    pub size: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueryOrder {
    /// Oldest first, so that records added meanwhile come last.
    #[default]
    Rising,
    Falling,
}

impl QueryOrder {
    fn as_str(self) -> &'static str {
        match self {
            Self::Rising => "ASC",
            Self::Falling => "DESC",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListsParams<'a> {
    /// A part of the name, in any letter case.
    pub name: Option<&'a str>,
    pub page: PageParams,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactsParams<'a> {
    Page(PageParams),
    /// All contacts in one response.
    All,
    /// The contacts with this phone or WhatsApp number.
    Number(&'a str),
    /// A page with these fields alone, which must include `uid`.
    Fields(&'a str, PageParams),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptOutsParams<'a> {
    pub number: Option<&'a str>,
    pub channel: Option<Channel>,
    pub kind: Option<OptOutType>,
    /// The earliest time, inclusive, in the interface's format.
    pub since: Option<&'a str>,
    pub order: QueryOrder,
    /// `None` requests the service's default first page.
    pub page: Option<PageParams>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinksParams<'a> {
    /// A text to look for in titles and tags.
    pub text: Option<&'a str>,
    /// The earliest time. The interface does not say whether it is inclusive.
    pub since: Option<&'a str>,
    pub order: QueryOrder,
    pub page: PageParams,
}

/// The body of a request that creates a short link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinkBody<'a> {
    pub title: &'a str,
    pub target_url: &'a str,
    pub tags: &'a [String],
    pub track_clicks: bool,
}

/// The parameters of a query, in the order in which they were added.
#[derive(Default)]
struct QueryParameters(String);

impl QueryParameters {
    fn add_parameter(mut self, name: &str, value: Option<impl ToString>) -> Self {
        if let Some(value) = value {
            let sign = if self.0.is_empty() { '?' } else { '&' };
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{sign}{name}={}", percent_encode(&value.to_string()));
        }
        self
    }

    fn add_page(self, page: Option<PageParams>) -> Self {
        self.add_parameter("page_number", page.map(|page| page.number))
            .add_parameter("page_size", page.map(|page| page.size))
    }
}

/// A contact in a request: its values, with null for those to be cleared.
struct ContactBody<'a>(&'a ContactItem);

impl Serialize for ContactBody<'_> {
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
struct ContactsBody<'a> {
    list_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_region: Option<&'a str>,
    merge_type: MergeType,
    contacts: Vec<ContactBody<'a>>,
}

impl ServiceCall {
    fn without_body(lane: Lane, id: &str) -> Self {
        Self { lane, id: id.to_owned(), query: String::new(), body: None }
    }

    fn with_query(lane: Lane, id: &str, query: QueryParameters) -> Self {
        Self { query: query.0, ..Self::without_body(lane, id) }
    }

    fn with_body(lane: Lane, body: &impl Serialize) -> Self {
        // The values are texts and numbers, which JSON can always represent.
        let body = serde_json::to_vec(body).unwrap_or_default();
        Self { body: Some(body.into()), ..Self::without_body(lane, "") }
    }

    /// Returns whether the response is small, so that the service should send it quickly.
    pub fn is_page(&self) -> bool {
        let is_all = self.lane == Lane::ContactsQuery && self.query.is_empty();
        is_read(self.lane) && !is_all
    }

    pub fn query_senders(page: PageParams) -> Self {
        Self::with_query(Lane::SendersQuery, "", QueryParameters::default().add_page(Some(page)))
    }

    pub fn get_sender(id: &str) -> Self {
        Self::without_body(Lane::SendersGet, id)
    }

    pub fn delete_sender(id: &str) -> Self {
        Self::without_body(Lane::SendersDelete, id)
    }

    /// Requests lists oldest first, so that pages do not drift when lists change.
    pub fn query_lists(params: &ListsParams<'_>) -> Self {
        let query = QueryParameters::default()
            .add_parameter("sort_by", Some("created_at"))
            .add_parameter("sort_order", Some("ASC"));
        Self::with_query(Lane::ListsQuery, "", query.add_parameter("name", params.name).add_page(Some(params.page)))
    }

    pub fn create_list(name: &str) -> Self {
        Self::with_body(Lane::ListsCreate, &json!({ "name": name }))
    }

    pub fn delete_list(uid: &str) -> Self {
        Self::without_body(Lane::ListsDelete, uid)
    }

    pub fn query_contacts(list: &str, params: &ContactsParams<'_>) -> Self {
        let query = match params {
            ContactsParams::All => QueryParameters::default(),
            ContactsParams::Page(page) => QueryParameters::default().add_page(Some(*page)),
            ContactsParams::Fields(fields, page) => {
                QueryParameters::default().add_parameter("fields", Some(fields)).add_page(Some(*page))
            }
            // Several contacts may share a number, so request a page.
            ContactsParams::Number(number) => QueryParameters::default()
                .add_parameter("search", Some(number))
                .add_page(Some(PageParams { number: 1, size: 100 })),
        };
        Self::with_query(Lane::ContactsQuery, list, query)
    }

    pub fn create_contacts(list: &str, region: Option<&str>, merge_type: MergeType, items: &[ContactItem]) -> Self {
        let contacts = items.iter().map(ContactBody).collect();
        Self::with_body(
            Lane::ContactsCreate,
            &ContactsBody { list_id: list, phone_region: region, merge_type, contacts },
        )
    }

    pub fn delete_contact(uid: &str) -> Self {
        Self::without_body(Lane::ContactsDelete, uid)
    }

    pub fn query_opt_outs(params: &OptOutsParams<'_>) -> Self {
        let query = QueryParameters::default()
            .add_parameter("number", params.number)
            .add_parameter("opt_out_type", params.kind.map(OptOutType::as_str))
            .add_parameter("channel", params.channel.map(Channel::as_str))
            .add_parameter("start_time", params.since)
            .add_page(params.page)
            .add_parameter("sort_order", Some(params.order.as_str()));
        Self::with_query(Lane::OptOutsQuery, "", query)
    }

    /// Names one opt-out a request, because the service reads the first one alone.
    pub fn create_opt_out(number: &str, channel: Channel, asset: Option<&str>) -> Self {
        let mut entry = json!({ "number": number, "channel": channel });
        if let Some(asset) = asset {
            entry["asset_id"] = asset.into();
        }
        Self::with_body(Lane::OptOutsCreate, &json!({ "optouts": [entry] }))
    }

    /// Always names a channel, because a removal without one affects both.
    pub fn delete_opt_outs(numbers: &[String], channel: Channel, asset: Option<&str>) -> Self {
        let mut body = json!({ "numbers": numbers, "channel": channel });
        if let Some(asset) = asset {
            body["asset_id"] = asset.into();
        }
        Self::with_body(Lane::OptOutsDelete, &body)
    }

    pub fn create_link(made: &LinkBody<'_>) -> Self {
        Self::with_body(Lane::ShortLinksCreate, made)
    }

    pub fn get_link(id: &str) -> Self {
        Self::without_body(Lane::ShortLinksGet, id)
    }

    pub fn search_links(params: &LinksParams<'_>) -> Self {
        let mut filter = serde_json::Map::new();
        for (name, value) in [("query", params.text), ("created_at_start", params.since)] {
            if let Some(value) = value {
                filter.insert(name.to_owned(), value.into());
            }
        }
        Self::with_body(
            Lane::ShortLinksSearch,
            &json!({
                "filter": filter,
                "sort": { "sort_by": "created_at", "sort_order": params.order.as_str() },
                "page": { "page_number": params.page.number, "page_size": params.page.size },
            }),
        )
    }

    pub fn delete_link(id: &str) -> Self {
        Self::without_body(Lane::ShortLinksDelete, id)
    }

    pub fn method(&self) -> &'static str {
        find_operation(self.lane).method.as_str()
    }

    /// Returns the path and the query.
    pub fn request_target(&self, paths: &OperationPaths) -> String {
        format!("{}{}", paths.resolve_path(self.lane, &percent_encode(&self.id)), self.query)
    }

    pub fn body(&self) -> Option<&Bytes> {
        self.body.as_ref()
    }

    /// Returns a digest that depends on the request alone, not on its key or address.
    pub fn digest(&self) -> Digest {
        digest_json(self)
    }
}

#[cfg(test)]
mod tests {
    use roost_reconcile::{ContactRow, row::SyncField};

    use super::*;

    const PAGE: PageParams = PageParams { number: 2, size: 100 };

    fn sent_body(call: &ServiceCall) -> String {
        let body = call.body().map_or(String::new(), |body| format!(" {}", String::from_utf8_lossy(body)));
        format!("{} {}{body}", call.method(), call.request_target(&OperationPaths::default()))
    }

    #[test]
    fn requests_are_spelt_as_the_interface_spells_them() {
        let number = Some("+447700900001");
        let send = ContactRow::default()
            .with_value(SyncField::Whatsapp, "+447700900002")
            .with_value(SyncField::Custom(2), "a\"b");
        let item =
            ContactItem { id: 1, send: send.clone(), clear: vec![SyncField::Custom(3)], before: None, expect: send };
        let made = LinkBody { title: "A", target_url: "https://a.example/", tags: &[], track_clicks: false };
        let opt_outs = OptOutsParams {
            number,
            channel: Some(Channel::WhatsApp),
            kind: Some(OptOutType::Keyword),
            since: Some("2026-01-05T09:00:00Z"),
            order: QueryOrder::Rising,
            page: Some(PAGE),
        };
        let links = LinksParams { text: Some("a b"), since: None, order: QueryOrder::Falling, page: PAGE };
        let numbers = ["+447700900001".to_owned()];
        let calls = [
            (ServiceCall::query_senders(PAGE), "GET /assets/v1/senders/?page_number=2&page_size=100"),
            (ServiceCall::get_sender("ssd_1"), "GET /assets/v1/senders/ssd_1"),
            (ServiceCall::delete_sender("ssd/1"), "DELETE /assets/v1/senders/ssd%2F1"),
            (
                ServiceCall::query_lists(&ListsParams { name: Some("A&B"), page: PAGE }),
                "GET /contacts/v1/lists/?sort_by=created_at&sort_order=ASC&name=A%26B&page_number=2&page_size=100",
            ),
            (ServiceCall::create_list("A"), r#"POST /contacts/v1/lists/create {"name":"A"}"#),
            (ServiceCall::delete_list("LST_1"), "DELETE /contacts/v1/lists/LST_1"),
            (ServiceCall::query_contacts("LST_1", &ContactsParams::All), "GET /contacts/v1/contacts/list/LST_1"),
            (
                ServiceCall::query_contacts("LST_1", &ContactsParams::Number("+447700900001")),
                "GET /contacts/v1/contacts/list/LST_1?search=%2B447700900001&page_number=1&page_size=100",
            ),
            (
                ServiceCall::create_contacts("LST_1", Some("GB"), MergeType::MergeByWhatsapp, &[item]),
                "POST /contacts/v1/contacts {\"list_id\":\"LST_1\",\"phone_region\":\"GB\",\
                 \"merge_type\":\"mergeByWhatsappIdInList\",\"contacts\":[{\"whatsapp_number\":\"+447700900002\",\
                 \"field_2\":\"a\\\"b\",\"field_3\":null}]}",
            ),
            (ServiceCall::delete_contact("CON_1"), "DELETE /contacts/v1/contacts/CON_1"),
            (
                ServiceCall::query_opt_outs(&opt_outs),
                "GET /contacts/v1/optouts?number=%2B447700900001&opt_out_type=keyword&channel=WHATSAPP\
                 &start_time=2026-01-05T09%3A00%3A00Z&page_number=2&page_size=100&sort_order=ASC",
            ),
            (
                ServiceCall::create_opt_out("+447700900001", Channel::Sms, Some("num_1")),
                r#"POST /contacts/v1/optouts {"optouts":[{"asset_id":"num_1","channel":"SMS","number":"+447700900001"}]}"#,
            ),
            (
                ServiceCall::delete_opt_outs(&numbers, Channel::Sms, None),
                r#"DELETE /contacts/v1/optouts {"channel":"SMS","numbers":["+447700900001"]}"#,
            ),
            (
                ServiceCall::create_link(&made),
                r#"POST /assets/v1/shortlink {"title":"A","target_url":"https://a.example/","tags":[],"track_clicks":false}"#,
            ),
            (ServiceCall::get_link("shl_1"), "GET /assets/v1/shortlink/shl_1"),
            (
                ServiceCall::search_links(&links),
                "POST /assets/v1/shortlink/filter {\"filter\":{\"query\":\"a b\"},\"page\":{\"page_number\":2,\
                 \"page_size\":100},\"sort\":{\"sort_by\":\"created_at\",\"sort_order\":\"DESC\"}}",
            ),
            (ServiceCall::delete_link("shl_1"), "DELETE /assets/v1/shortlink/shl_1"),
        ];
        for (call, want) in calls {
            assert_eq!(sent_body(&call), want);
        }
    }

    #[test]
    fn a_digest_is_of_everything_that_is_sent() {
        let one = ServiceCall::create_list("A");
        assert_eq!(one.digest(), ServiceCall::create_list("A").digest());
        assert_ne!(one.digest(), ServiceCall::create_list("B").digest());
        assert_ne!(ServiceCall::delete_list("A").digest(), ServiceCall::delete_list("B").digest());
        assert_ne!(ServiceCall::delete_list("A").digest(), ServiceCall::delete_contact("A").digest());
    }
}

//! Finds out by calls what the service does where the interface leaves it open. Only `scratch` changes anything there.

mod findings;
mod scratch;

use roost_reconcile::plan::Lane;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    account::CUSTOM_FIELDS,
    remote::{
        Client, ContactsParams, ListsParams, OptOutsParams, PageParams, RemoteContact, RemoteList, ServiceCall,
        ServiceError,
    },
};

pub use findings::{find_new_custom_fields, has_found, store_findings};
pub use scratch::{NUMBERS, probe_by_writing};

/// The result of a test call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TestResult {
    pub operation: &'static str,
    /// The number of lists in the account, if the call succeeded.
    pub lists: Option<u64>,
    /// The status of the refusal.
    pub status: Option<u16>,
    /// Advice for the user, if the call failed.
    pub advice: Option<String>,
}

const FIRST: PageParams = PageParams { number: 1, size: 1 };

/// Makes one call that changes nothing, without retrying. If it succeeds, address, key and permission are right.
pub async fn test_connection(client: &Client) -> TestResult {
    let operation = Lane::ListsQuery.name();
    match client.read_page_once::<RemoteList>(&ServiceCall::query_lists(&ListsParams { name: None, page: FIRST })).await
    {
        Ok(page) => TestResult { operation, lists: Some(page.total), status: None, advice: None },
        Err(error) => TestResult {
            operation,
            lists: None,
            status: error.response().map(|refused| refused.status),
            advice: Some(error.to_string()),
        },
    }
}

/// A fact about the service, and how it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProbeFinding {
    pub flag: &'static str,
    pub value: Value,
    pub how: &'static str,
}

const CONTACT_KEYS: &str = "the keys of a contact";

/// The size of a suitable sample list: more than one page of the default size, and quick to read.
const SAMPLE_SIZE: std::ops::RangeInclusive<u64> = 11..=2_000;
/// The number of lists that are examined to find a suitable one.
const MAX_SAMPLED_LISTS: usize = 25;

/// Examines existing records in about thirty reads at most. Facts that no record shows are left out.
pub async fn probe_by_reading(client: &Client) -> Result<Vec<ProbeFinding>, ServiceError> {
    let mut found = Vec::new();
    let mut learn = |flag, value: Value, how| found.push(ProbeFinding { flag, value, how });
    let ask = |size| ServiceCall::query_lists(&ListsParams { name: None, page: PageParams { number: 1, size } });

    let most = match client.read_page::<RemoteList>(&ask(1_000)).await {
        Ok(_) => 1_000,
        Err(error) if error.is_permanent() && error.response().is_some_and(|refused| refused.status == 400) => 100,
        Err(error) => return Err(error),
    };
    learn("lists.page_max", json!(most), "a page of 1,000 lists was asked for");
    let lists = client.read_page::<RemoteList>(&ask(most)).await?;

    let params = OptOutsParams { page: Some(PageParams { number: 1, size: 1_000 }), ..OptOutsParams::default() };
    let opt_outs = client.query_opt_outs(&params).await?.items;
    let mut of_assets = opt_outs.iter().filter(|opt_out| !opt_out.is_account_level());
    if of_assets.any(|opt_out| opt_out.kind != roost_model::opt_out::OptOutType::Keyword.as_str()) {
        learn("opt_outs.asset_fields", json!("asset"), "an opt-out that is no keyword names its asset");
    }

    for list in lists.items.iter().take(MAX_SAMPLED_LISTS) {
        let first =
            client.query_contacts(&list.uid, &ContactsParams::Page(PageParams { number: 1, size: 100 })).await?;
        if !SAMPLE_SIZE.contains(&first.total) {
            continue;
        }
        let custom = first.items.first().map(|contact| contact.custom_fields.clone()).unwrap_or_default();
        learn(CUSTOM_FIELDS, json!(custom), CONTACT_KEYS);
        let again =
            client.query_contacts(&list.uid, &ContactsParams::Page(PageParams { number: 1, size: 100 })).await?;
        let uids = |contacts: &[RemoteContact]| contacts.iter().map(|contact| contact.uid.clone()).collect::<Vec<_>>();
        learn("contacts.order_stable", json!(uids(&first.items) == uids(&again.items)), "the same page was read twice");
        let all = client.query_contacts(&list.uid, &ContactsParams::All).await?;
        let whole = all.items.len() as u64 == all.total;
        learn("all_pages_read", json!(whole), "a list was read without a page number");
        let fields = ContactsParams::Fields("uid,phone_number", PageParams { number: 1, size: 1 });
        match client.query_contacts(&list.uid, &fields).await {
            Ok(_) => learn("contacts.fields_delimiter", json!(","), "two fields were asked for with a comma"),
            Err(error) if error.is_permanent() => {
                learn("contacts.fields_delimiter", Value::Null, "two fields with a comma were refused");
            }
            Err(error) => return Err(error),
        }
        break;
    }
    Ok(found)
}

//! Creates accounts with a frozen clock, and checks what must hold for every account.

use std::ops::ControlFlow;

use proptest::test_runner::Config;
use roost_model::{
    contact::Contact,
    id::ListId,
    list::{List, ListSort},
    page::{PageRequest, SortOrder},
    phone::{self, Phone, Region},
    time::Timestamp,
};
use roost_ops::{
    Core, Ctx,
    contact::{self, ContactQuery, QueryPart},
    ctx::Clock,
    list::{self, ListQuery},
};

/// 2026-01-05T09:00:00Z
pub(crate) const START: i64 = 1_767_603_600;

pub(crate) fn account() -> Core {
    Core::in_memory(Ctx::seeded(Clock::fixed(Timestamp::from_unix(START)), 1)).unwrap()
}

/// Returns a configuration with as many random cases as `make test` has time for. `ROOST_TIMES` multiplies them, as in
/// `make soak`. Failures are printed but not stored, so that the tests leave no files behind.
pub(crate) fn cases(cases: u32) -> Config {
    let times = std::env::var("ROOST_TIMES").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    Config { cases: cases.saturating_mul(times), failure_persistence: None, ..Config::default() }
}

/// Returns a number reserved for fiction.
pub(crate) fn phone(last: u16) -> Phone {
    let number = format!("+44770090{last:04}");
    phone::parse_contact_number(&number, Region::gb()).unwrap()
}

pub(crate) fn every_list(core: &Core) -> Vec<List> {
    let page = PageRequest { number: 1, size: 10_000 };
    let query = ListQuery { name: None, sort: ListSort::CreatedAt, order: SortOrder::Ascending, page };
    list::read_page(core, &query).unwrap().items
}

/// The complete result of a query.
pub(crate) struct QueryResult {
    pub total: u64,
    pub custom: Vec<u32>,
    pub contacts: Vec<Contact>,
}

pub(crate) fn query_contacts(
    core: &Core,
    list: &ListId,
    search: Option<&str>,
    page: Option<PageRequest>,
) -> QueryResult {
    let mut found = QueryResult { total: 0, custom: Vec::new(), contacts: Vec::new() };
    let query = ContactQuery { list: list.clone(), search: search.map(str::to_owned), page };
    contact::visit_contacts(core, &query, &mut |part| {
        match part {
            QueryPart::Head { total_items, custom_fields } => {
                found.total = total_items;
                found.custom = custom_fields.to_vec();
            }
            QueryPart::Contact(contact) => found.contacts.push(contact.clone()),
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    found
}

/// Checks what holds for every account: the file is sound, counts are correct, contacts come newest first, and every
/// uid is unique.
pub(crate) fn check(core: &Core) {
    assert_eq!(core.integrity().unwrap(), "ok");
    let mut uids = std::collections::HashSet::new();
    for list in every_list(core) {
        let all = query_contacts(core, &list.uid, None, None);
        assert_eq!(list.contact_count, all.contacts.len() as u64, "the count of {:?}", list.name);
        assert_eq!(all.total, list.contact_count);
        let in_order = |pair: &[Contact]| (pair[0].created_at, &pair[0].uid) > (pair[1].created_at, &pair[1].uid);
        assert!(all.contacts.windows(2).all(in_order), "newest first, ties by uid");
        for contact in all.contacts {
            assert!(contact.phone.is_some() || contact.whatsapp.is_some());
            assert!(uids.insert(contact.uid.as_str().to_owned()), "{} is there twice", contact.uid);
        }
    }
}

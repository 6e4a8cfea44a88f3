//! The content of one side, for comparison with the other.

use std::ops::ControlFlow;

use roost_model::{
    contact::Attribute,
    id::{ContactId, ListId},
    list::ListSort,
    opt_out::{AssetFields, OptOut, OptOutRecordScope},
    page::{PageRequest, SortOrder},
    phone::Phone,
};
use roost_ops::{
    Core,
    contact::{self, QueryPart},
    list, opt_out, sender,
    short_link::{self, LinkQuery},
};

/// Number, WhatsApp number, first and last name.
pub(super) type FaceRow = [String; 4];

/// The content of one side without its own IDs and times. Duplicates are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AccountFace {
    /// Ordered by name, and lists of the same name by their content.
    pub lists: Vec<(String, Vec<FaceRow>)>,
    pub opt_outs: Vec<(String, &'static str, String)>,
    pub links: Vec<(String, String)>,
    pub senders: Vec<String>,
}

const ALL: PageRequest = PageRequest { number: 1, size: 100 };

impl AccountFace {
    /// Returns the whole content of one side.
    pub(super) fn read(core: &Core) -> Self {
        let links = short_link::search(core, &LinkQuery { page: ALL, ..LinkQuery::default() }).expect("links").items;
        let senders = sender::read_page(core, ALL).expect("senders").items;
        let of = |(name, list): (String, ListId)| {
            let mut rows: Vec<FaceRow> = read_contacts(core, &list).into_iter().map(|(_, row)| row).collect();
            rows.sort();
            (name, rows)
        };
        let reach = |one: &OptOut| match &one.scope {
            OptOutRecordScope::Account => String::new(),
            OptOutRecordScope::Asset(asset) => asset.as_str().to_owned(),
        };
        let mut face = Self {
            lists: read_lists(core).into_iter().map(of).collect(),
            opt_outs: opt_outs(core)
                .into_iter()
                .map(|one| (one.number.clone(), one.channel.as_str(), reach(&one)))
                .collect(),
            links: links.into_iter().map(|link| (link.title, link.target_url)).collect(),
            senders: senders.into_iter().map(|sender| sender.name).collect(),
        };
        face.lists.sort();
        face.opt_outs.sort();
        face.links.sort();
        face.senders.sort();
        face
    }

    /// Returns the contacts of the only list with this name.
    pub(super) fn contacts_of(&self, name: &str) -> &[FaceRow] {
        let mut named = self.lists.iter().filter(|(other, _)| other == name);
        let (Some((_, rows)), None) = (named.next(), named.next()) else { panic!("not one list {name}: {self:?}") };
        rows
    }

    pub(super) fn count_rows(&self) -> usize {
        self.lists.iter().map(|(_, rows)| rows.len()).sum()
    }
}

pub(super) fn read_lists(core: &Core) -> Vec<(String, ListId)> {
    let query = list::ListQuery { name: None, sort: ListSort::CreatedAt, order: SortOrder::Ascending, page: ALL };
    list::read_page(core, &query).expect("lists").items.into_iter().map(|list| (list.name, list.uid)).collect()
}

pub(super) fn read_contacts(core: &Core, list: &ListId) -> Vec<(ContactId, FaceRow)> {
    let mut found = Vec::new();
    let query = contact::ContactQuery { list: list.clone(), search: None, page: None };
    contact::visit_contacts(core, &query, &mut |part| {
        if let QueryPart::Contact(contact) = part {
            let number = |phone: &Option<Phone>| phone.as_ref().map(|number| number.e164.clone()).unwrap_or_default();
            let text = |attribute| contact.attribute(attribute).unwrap_or_default().to_owned();
            let names = [text(Attribute::Firstname), text(Attribute::Lastname)];
            let [first, last] = names;
            found.push((contact.uid.clone(), [number(&contact.phone), number(&contact.whatsapp), first, last]));
        }
        ControlFlow::Continue(())
    })
    .expect("contacts");
    found
}

pub(super) fn opt_outs(core: &Core) -> Vec<OptOut> {
    let query = opt_out::OptOutQuery {
        number: None,
        kind: None,
        channel: None,
        asset: None,
        inbound_number: None,
        from: None,
        to: None,
        order: SortOrder::Ascending,
        page: PageRequest { number: 1, size: 1_000 },
        fields: AssetFields::default(),
    };
    opt_out::read_page(core, &query).expect("opt-outs").items
}

//! Adds lists of different sizes and ages. Some contacts are on several lists, and some are twice on one list.

use rand::{Rng, rngs::StdRng, seq::SliceRandom};
use roost_model::{
    contact::{ATTRIBUTES, Attribute, Contact},
    id::{ContactId, ListId},
    list::List,
    phone::{Phone, parse_international},
    time::Timestamp,
};
use roost_ops::{Ctx, error::Result};
use roost_store::tables::{contacts::ContactInserter, lists};

use super::{
    DAY, SampleBuilder, ago,
    people::{SamplePerson, one_of},
};

struct SampleList {
    name: &'static str,
    size: usize,
    /// The number of contacts that are on the list twice.
    doubles: usize,
    /// The age of the list in days, which is also the period over which its contacts were added.
    age: i64,
    channels: ChannelMix,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChannelMix {
    /// A phone number, and a WhatsApp number if the person has one.
    AsTheyAre,
    PhoneOnly,
    /// A WhatsApp number without a phone number. Only people with WhatsApp are on such a list.
    WhatsappOnly,
}

/// Returns the names of the sample lists.
pub(super) fn list_names() -> impl Iterator<Item = &'static str> + Clone {
    LISTS.iter().map(|plan| plan.name)
}

const LISTS: &[SampleList] = &[
    SampleList { name: "Newsletter", size: 2_470, doubles: 30, age: 400, channels: ChannelMix::AsTheyAre },
    SampleList { name: "Delivery updates", size: 720, doubles: 0, age: 320, channels: ChannelMix::PhoneOnly },
    SampleList { name: "Spring offers", size: 640, doubles: 6, age: 180, channels: ChannelMix::AsTheyAre },
    SampleList { name: "Store pick-up", size: 430, doubles: 0, age: 300, channels: ChannelMix::PhoneOnly },
    SampleList { name: "WhatsApp community", size: 260, doubles: 0, age: 150, channels: ChannelMix::WhatsappOnly },
    SampleList { name: "Open day guests", size: 210, doubles: 4, age: 45, channels: ChannelMix::AsTheyAre },
    SampleList { name: "Not seen for a year", size: 150, doubles: 0, age: 60, channels: ChannelMix::AsTheyAre },
    SampleList { name: "Trial customers", size: 140, doubles: 0, age: 90, channels: ChannelMix::AsTheyAre },
    SampleList { name: "VIP customers", size: 85, doubles: 0, age: 365, channels: ChannelMix::AsTheyAre },
    SampleList { name: "Paper forms, to be checked", size: 48, doubles: 12, age: 9, channels: ChannelMix::AsTheyAre },
    SampleList { name: "Staff", size: 34, doubles: 0, age: 390, channels: ChannelMix::AsTheyAre },
    SampleList { name: "Suppliers", size: 18, doubles: 0, age: 390, channels: ChannelMix::PhoneOnly },
];

const BRANCHES: &[&str] = &["Market Square", "Harbour", "Station", "Online"];
const SOURCES: &[&str] = &["Till", "Web form", "Event", "Phone", "Paper form"];
const MEMBERSHIPS: &[&str] = &["Basic", "Basic", "Basic", "Silver", "Gold"];

/// Adds the lists and their contacts, and returns how many of each were added.
pub(super) fn fill_lists(maker: &SampleBuilder, fields: &[u32]) -> Result<(u64, u64)> {
    let mut contacts = 0;
    for (part, plan) in (100..).zip(LISTS) {
        // A cancelled act stops here between two lists, and within a list at its next statement.
        maker.tx.check_cancelled()?;
        contacts += plan.insert_list(maker, fields, part)?;
    }
    Ok((LISTS.len() as u64, contacts))
}

impl SampleList {
    fn insert_list(&self, maker: &SampleBuilder, fields: &[u32], part: u64) -> Result<u64> {
        let (mut chance, ids) = (maker.part_rng(part), maker.part_ids(part));
        let created_at = maker.ago(self.age, 9 * 3_600 + chance.random_range(0..3_600));
        let uid = ListId::new(ids.ksuid(created_at));
        let made = self.make_contacts(maker, &mut chance, &ids, &uid, created_at);
        let last = made.iter().flat_map(|contact| [Some(contact.created_at), contact.updated_at]).flatten().max();
        let updated_at = last.unwrap_or(created_at);
        let list = List { uid, name: self.name.to_owned(), contact_count: 0, created_at, updated_at };
        let row = lists::insert(maker.tx, &list)?;
        let mut inserter = ContactInserter::new(maker.tx, row, fields)?;
        for contact in &made {
            inserter.insert(contact)?;
        }
        lists::add_count(maker.tx, row, made.len() as u64)?;
        Ok(made.len() as u64)
    }

    fn make_contacts(
        &self,
        maker: &SampleBuilder,
        chance: &mut StdRng,
        ids: &Ctx,
        list: &ListId,
        created_at: Timestamp,
    ) -> Vec<Contact> {
        let fits = |person: &&SamplePerson| self.channels != ChannelMix::WhatsappOnly || person.has_whatsapp;
        let mut on_it: Vec<&SamplePerson> = maker.people.iter().filter(fits).collect();
        on_it.shuffle(chance);
        on_it.truncate(self.size);
        let doubles: Vec<&SamplePerson> = on_it.iter().copied().take(self.doubles).collect();
        let mut times: Vec<Timestamp> = (0..on_it.len() + doubles.len())
            .map(|_| {
                let second = chance.random_range(8 * 3_600..21 * 3_600);
                maker.ago(chance.random_range(0..self.age), second).max(created_at)
            })
            .collect();
        times.sort();
        let (first, again) = (on_it.len(), on_it.into_iter().chain(doubles));
        let all = again.zip(times).enumerate();
        all.map(|(at, (person, time))| {
            let numbers = self.channels;
            make_contact(maker, chance, person, numbers, at >= first, ContactId::new(ids.ksuid(time)), list, time)
        })
        .collect()
    }
}

#[expect(clippy::too_many_arguments, reason = "each argument is one property, and there is only one caller")]
fn make_contact(
    maker: &SampleBuilder,
    chance: &mut StdRng,
    person: &SamplePerson,
    channels: ChannelMix,
    is_double: bool,
    uid: ContactId,
    list: &ListId,
    created_at: Timestamp,
) -> Contact {
    let number: Option<Phone> = parse_international(&person.number);
    let has_whatsapp = person.has_whatsapp && channels != ChannelMix::PhoneOnly;
    let later = chance.random_bool(0.25).then(|| created_at.unix() + chance.random_range(DAY..90 * DAY));
    let mut contact = Contact {
        uid,
        list: list.clone(),
        phone: number.clone().filter(|_| channels != ChannelMix::WhatsappOnly),
        whatsapp: number.filter(|_| has_whatsapp),
        attributes: [const { None }; ATTRIBUTES],
        custom: custom_values(maker.now, chance, created_at),
        created_at,
        updated_at: later.filter(|later| *later < maker.now.unix()).map(Timestamp::from_unix),
    };
    if is_double {
        // The second entry of a person looks as if it was typed in a hurry.
        let mut set = |attribute: Attribute, text: String| contact.attributes[attribute as usize] = Some(text);
        set(Attribute::Firstname, person.firstname.to_uppercase());
        set(Attribute::Lastname, person.lastname.to_uppercase());
        return contact;
    }
    set_attributes(&mut contact, person);
    contact
}

/// Sets the attributes of a contact to those of a person.
pub(super) fn set_attributes(contact: &mut Contact, person: &SamplePerson) {
    let mut set = |attribute: Attribute, text: Option<String>| contact.attributes[attribute as usize] = text;
    let owned = |text: &str| Some(text.to_owned());
    let address = person.address.as_ref();
    set(Attribute::Title, person.title.and_then(owned));
    set(Attribute::Firstname, owned(person.firstname));
    set(Attribute::Lastname, owned(person.lastname));
    set(Attribute::DateOfBirth, person.born.clone());
    set(Attribute::Address1, address.map(|at| at.line.clone()));
    set(Attribute::Address2, address.and_then(|at| at.second.clone()));
    set(Attribute::City, address.and_then(|at| owned(at.city)));
    set(Attribute::Zip, address.map(|at| at.zip.clone()));
    set(Attribute::State, address.and_then(|at| at.state).and_then(owned));
    set(Attribute::Country, address.and_then(|at| owned(at.country)));
    set(Attribute::CompanyName, person.company.clone());
    set(Attribute::EmailAddress, person.email.clone());
    set(Attribute::AlternatePhone, person.alternate.clone());
}

/// Returns values for the six custom fields, in the order of their numbers.
pub(super) fn custom_values(now: Timestamp, chance: &mut StdRng, created_at: Timestamp) -> Vec<Option<String>> {
    let days = (now.unix() - created_at.unix()) / DAY;
    let visit = ago(now, chance.random_range(0..=days.max(0)), 0).to_plain();
    vec![
        chance.random_bool(0.7).then(|| format!("C-{:05}", chance.random_range(1..100_000))),
        chance.random_bool(0.8).then(|| (*one_of(chance, BRANCHES)).to_owned()),
        Some((*one_of(chance, SOURCES)).to_owned()),
        chance.random_bool(0.35).then(|| (*one_of(chance, MEMBERSHIPS)).to_owned()),
        chance.random_bool(0.5).then(|| visit.split(' ').next().unwrap_or_default().to_owned()),
        chance.random_bool(0.25).then(|| (*one_of(chance, &["en", "fr", "cy"])).to_owned()),
    ]
}

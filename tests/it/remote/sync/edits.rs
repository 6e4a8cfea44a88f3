//! The edits of people and programs.

use std::sync::Arc;

use roost_model::{
    channel::Channel,
    id::{ContactId, ListId},
    opt_out::OptOutType,
    page::PageRequest,
    short_link::LinkParts,
};
use roost_ops::{
    By, Core,
    contact::{self, FieldValues, Target},
    list::{self, UniqueNames},
    opt_out::{self, OptOutEntry, RecordKey, Unwanted},
    sender,
    short_link::{self, LinkQuery},
};
use serde_json::json;

use super::{
    face::{contacts, lists, opt_outs},
    service::{Dice, Service},
};

pub fn number(number: u32) -> String {
    format!("+447700900{number:03}")
}

pub fn values(pairs: &[(&str, &str)]) -> FieldValues {
    pairs.iter().map(|(field, value)| ((*field).to_owned(), Some((*value).to_owned()))).collect()
}

pub fn add(core: &Core, list: &ListId, at: u32, name: &str) {
    let values = values(&[("phone_number", &number(at)), ("firstname", name)]);
    contact::add(core, &By::user(None), list, &values, None).expect("a contact");
}

fn set(core: &Core, uid: &ContactId, field: &str, value: Option<&str>) {
    let values = [(field.to_owned(), value.map(str::to_owned))].into_iter().collect();
    contact::update(core, &By::user(None), uid, &values, None).expect("an edit");
}

pub fn rename(core: &Core, uid: &ContactId, name: &str) {
    set(core, uid, "firstname", Some(name));
}

pub fn opt_out(core: &Core, by: &By, at: u32, channel: Channel) {
    let entry = OptOutEntry { number: &number(at), channel: Some(channel.as_str()), asset_id: None };
    opt_out::create(core, by, &[entry], OptOutType::ApiImport).expect("an opt-out");
}

/// Removes an opt-out with a reason.
pub fn opt_in(core: &Core, key: RecordKey) {
    let wanted = Unwanted::Records(vec![key]);
    let shown = opt_out::preview_removal(core, &wanted).expect("told");
    let by = By::user(None);
    opt_out::remove(core, &by, &wanted, shown.count, &shown.stamp, "Asked for it in a letter.").expect("removed");
}

/// Makes random edits by a person. `fresh` counts the unused numbers.
pub fn disturb(core: &Core, dice: &mut Dice, fresh: &mut u32, edits: u64) {
    let by = By::user(None);
    for _ in 0..edits {
        let lists = lists(core);
        if lists.is_empty() {
            return;
        }
        let list = &dice.pick(&lists).1;
        let contacts = contacts(core, list);
        let any = (!contacts.is_empty()).then(|| dice.pick(&contacts).clone());
        *fresh += 1;
        match (dice.below(22), any) {
            (0..=4, Some((uid, _))) => rename(core, &uid, &format!("Edit {}", dice.below(1_000))),
            (5 | 6, Some((uid, _))) => set(core, &uid, "lastname", Some(&format!("Name {}", dice.below(1_000)))),
            (7 | 8, Some((uid, _))) => contact::delete(core, &by, &uid).expect("deleted"),
            (9, Some((uid, _))) => set(core, &uid, "firstname", None),
            (10, Some((uid, _))) => set(core, &uid, "phone_number", Some(&number(*fresh))),
            (11, Some((_, row))) if !row[0].is_empty() => {
                let twin = values(&[("phone_number", &row[0]), ("firstname", &format!("Twin {fresh}"))]);
                contact::add(core, &by, list, &twin, None).expect("a twin");
            }
            (12, Some((uid, _))) if lists.len() > 1 => {
                let to = &dice.pick(&lists).1;
                contact::move_many(core, &by, &Target::Uids(vec![uid]), to).expect("moved");
            }
            (13, _) => drop(list::rename(core, &by, list, &format!("Renamed {fresh}")).expect("renamed")),
            (14, _) if lists.len() > 1 => list::delete(core, &by, list).expect("deleted"),
            (15, _) if lists.len() < 4 => {
                let made = list::create(core, &by, &format!("List {fresh}"), UniqueNames::Off).expect("a list");
                add(core, &made.uid, *fresh, &format!("New {fresh}"));
            }
            (16 | 17, _) => beside(core, dice, *fresh),
            (18, _) => {
                let only = values(&[("whatsapp_id", &number(*fresh)), ("firstname", &format!("New {fresh}"))]);
                contact::add(core, &by, list, &only, None).expect("a contact");
            }
            _ => add(core, list, *fresh, &format!("New {fresh}")),
        }
    }
}

/// Edits something other than a contact.
fn beside(core: &Core, dice: &mut Dice, fresh: u32) {
    let by = By::user(None);
    let links = short_link::search(core, &LinkQuery::default()).expect("links").items;
    let senders = sender::page(core, PageRequest { number: 1, size: 100 }).expect("senders").items;
    let known = opt_outs(core);
    match dice.below(8) {
        0 if !links.is_empty() => short_link::delete(core, &by, &dice.pick(&links).link_id).expect("deleted"),
        1 | 2 if !senders.is_empty() => sender::delete(core, &by, &dice.pick(&senders).id).expect("deleted"),
        3 | 4 if !known.is_empty() => {
            let one = dice.pick(&known);
            opt_in(core, RecordKey { number: one.number.clone(), channel: one.channel, scope: one.scope.clone() });
        }
        5 => {
            let target_url = format!("https://a.example/{fresh}");
            let parts = LinkParts { title: format!("Link {fresh}"), target_url, tags: Vec::new(), track_clicks: true };
            short_link::create(core, &by, parts).expect("a link");
        }
        _ => {
            let channel = *dice.pick(&[Channel::Sms, Channel::WhatsApp]);
            opt_out(core, &by, dice.below(12) as u32, channel);
        }
    }
}

/// Makes random edits by another program over REST, with numbers that do not occur here.
pub async fn disturb_there(service: &Arc<Service>, dice: &mut Dice, fresh: &mut u32, edits: u64) {
    for _ in 0..edits {
        let lists = lists(&service.core);
        if lists.is_empty() {
            return;
        }
        let list = &dice.pick(&lists).1;
        let rows = contacts(&service.core, list);
        let any = (!rows.is_empty()).then(|| dice.pick(&rows).clone());
        let bulk = |phone: &str, name: String, merge: &str| {
            json!({ "list_id": list.as_str(), "merge_type": merge,
                "contacts": [{ "phone_number": phone, "firstname": name }] })
        };
        const CONTACTS: &str = "/contacts/v1/contacts";
        *fresh += 1;
        let (status, answer) = match (dice.below(10), any) {
            (0..=2, Some((_, row))) if !row[0].is_empty() => {
                let name = format!("Theirs {}", dice.below(1_000));
                service.rest("POST", CONTACTS, Some(bulk(&row[0], name, "mergeByPhoneNumberInList"))).await
            }
            (3 | 4, Some((uid, _))) => service.rest("DELETE", &format!("{CONTACTS}/{uid}"), None).await,
            (5, _) => {
                let entry = json!([{ "number": number(dice.below(12) as u32), "channel": "SMS" }]);
                service.rest("POST", "/contacts/v1/optouts", Some(json!({ "optouts": entry }))).await
            }
            (6, _) if lists.len() > 1 => {
                service.rest("DELETE", &format!("/contacts/v1/lists/{}", list.as_str()), None).await
            }
            (7, Some((_, row))) if !row[0].is_empty() => {
                service.rest("POST", CONTACTS, Some(bulk(&row[0], format!("Twin {fresh}"), "allowDuplicates"))).await
            }
            _ => {
                let name = format!("There {fresh}");
                service.rest("POST", CONTACTS, Some(bulk(&number(*fresh), name, "skipDuplicates"))).await
            }
        };
        assert!(status < 300 || status == 429, "{status}: {answer}");
    }
}

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
    Actor, Core,
    contact::{self, ContactTarget, FieldValues},
    list::{self, UniqueNames},
    opt_out::{self, OptOutEntry, RecordKey, RemovalSelection},
    sender,
    short_link::{self, LinkQuery},
};
use serde_json::json;

use super::{
    face::{opt_outs, read_contacts, read_lists},
    service::{RequestDice, SimulatedService},
};

pub(super) fn unused_number(number: u32) -> String {
    format!("+447700900{number:03}")
}

pub(super) fn field_values(pairs: &[(&str, &str)]) -> FieldValues {
    pairs.iter().map(|(field, value)| ((*field).to_owned(), Some((*value).to_owned()))).collect()
}

pub(super) fn add_contact(core: &Core, list: &ListId, at: u32, name: &str) {
    let values = field_values(&[("phone_number", &unused_number(at)), ("firstname", name)]);
    contact::add(core, &Actor::user(None), list, &values, None).expect("a contact");
}

fn set_field(core: &Core, uid: &ContactId, field: &str, value: Option<&str>) {
    let values = [(field.to_owned(), value.map(str::to_owned))].into_iter().collect();
    contact::update(core, &Actor::user(None), uid, &values, None).expect("an edit");
}

pub(super) fn rename_contact(core: &Core, uid: &ContactId, name: &str) {
    set_field(core, uid, "firstname", Some(name));
}

pub(super) fn opt_out(core: &Core, by: &Actor, at: u32, channel: Channel) {
    let entry = OptOutEntry { number: &unused_number(at), channel: Some(channel.as_str()), asset_id: None };
    opt_out::create(core, by, &[entry], OptOutType::ApiImport).expect("an opt-out");
}

/// Removes an opt-out with a reason.
pub(super) fn opt_in(core: &Core, key: RecordKey) {
    let wanted = RemovalSelection::Records(vec![key]);
    let shown = opt_out::preview_removal(core, &wanted).expect("a preview");
    let by = Actor::user(None);
    opt_out::remove(core, &by, &wanted, shown.count, &shown.stamp, "Asked for it in a letter.").expect("removed");
}

/// Makes random edits by a person. `fresh` counts the unused numbers.
pub(super) fn make_random_edits(core: &Core, dice: &mut RequestDice, fresh: &mut u32, edits: u64) {
    let by = Actor::user(None);
    for _ in 0..edits {
        let lists = read_lists(core);
        if lists.is_empty() {
            return;
        }
        let list = &dice.pick(&lists).1;
        let contacts = read_contacts(core, list);
        let any = (!contacts.is_empty()).then(|| dice.pick(&contacts).clone());
        *fresh += 1;
        match (dice.draw_below(22), any) {
            (0..=4, Some((uid, _))) => rename_contact(core, &uid, &format!("Edit {}", dice.draw_below(1_000))),
            (5 | 6, Some((uid, _))) => {
                set_field(core, &uid, "lastname", Some(&format!("Name {}", dice.draw_below(1_000))))
            }
            (7 | 8, Some((uid, _))) => contact::delete(core, &by, &uid).expect("deleted"),
            (9, Some((uid, _))) => set_field(core, &uid, "firstname", None),
            (10, Some((uid, _))) => set_field(core, &uid, "phone_number", Some(&unused_number(*fresh))),
            (11, Some((_, row))) if !row[0].is_empty() => {
                let twin = field_values(&[("phone_number", &row[0]), ("firstname", &format!("Twin {fresh}"))]);
                contact::add(core, &by, list, &twin, None).expect("a twin");
            }
            (12, Some((uid, _))) if lists.len() > 1 => {
                let to = &dice.pick(&lists).1;
                contact::move_many(core, &by, &ContactTarget::Uids(vec![uid]), to).expect("moved");
            }
            (13, _) => drop(list::rename(core, &by, list, &format!("Renamed {fresh}")).expect("renamed")),
            (14, _) if lists.len() > 1 => list::delete(core, &by, list).expect("deleted"),
            (15, _) if lists.len() < 4 => {
                let made = list::create(core, &by, &format!("List {fresh}"), UniqueNames::Off).expect("a list");
                add_contact(core, &made.uid, *fresh, &format!("New {fresh}"));
            }
            (16 | 17, _) => edit_other_record(core, dice, *fresh),
            (18, _) => {
                let only =
                    field_values(&[("whatsapp_id", &unused_number(*fresh)), ("firstname", &format!("New {fresh}"))]);
                contact::add(core, &by, list, &only, None).expect("a contact");
            }
            _ => add_contact(core, list, *fresh, &format!("New {fresh}")),
        }
    }
}

/// Edits something other than a contact.
fn edit_other_record(core: &Core, dice: &mut RequestDice, fresh: u32) {
    let by = Actor::user(None);
    let links = short_link::search(core, &LinkQuery::default()).expect("links").items;
    let senders = sender::read_page(core, PageRequest { number: 1, size: 100 }).expect("senders").items;
    let known = opt_outs(core);
    match dice.draw_below(8) {
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
            opt_out(core, &by, dice.draw_below(12) as u32, channel);
        }
    }
}

/// Makes random edits by another program over REST, with numbers that do not occur here.
pub(super) async fn make_random_service_edits(
    service: &Arc<SimulatedService>,
    dice: &mut RequestDice,
    fresh: &mut u32,
    edits: u64,
) {
    for _ in 0..edits {
        let lists = read_lists(&service.core);
        if lists.is_empty() {
            return;
        }
        let list = &dice.pick(&lists).1;
        let rows = read_contacts(&service.core, list);
        let any = (!rows.is_empty()).then(|| dice.pick(&rows).clone());
        let bulk = |phone: &str, name: String, merge: &str| {
            json!({ "list_id": list.as_str(), "merge_type": merge,
                "contacts": [{ "phone_number": phone, "firstname": name }] })
        };
        const CONTACTS: &str = "/contacts/v1/contacts";
        *fresh += 1;
        let (status, answer) = match (dice.draw_below(10), any) {
            (0..=2, Some((_, row))) if !row[0].is_empty() => {
                let name = format!("Theirs {}", dice.draw_below(1_000));
                service.send_as_other("POST", CONTACTS, Some(bulk(&row[0], name, "mergeByPhoneNumberInList"))).await
            }
            (3 | 4, Some((uid, _))) => service.send_as_other("DELETE", &format!("{CONTACTS}/{uid}"), None).await,
            (5, _) => {
                let entry = json!([{ "number": unused_number(dice.draw_below(12) as u32), "channel": "SMS" }]);
                service.send_as_other("POST", "/contacts/v1/optouts", Some(json!({ "optouts": entry }))).await
            }
            (6, _) if lists.len() > 1 => {
                service.send_as_other("DELETE", &format!("/contacts/v1/lists/{}", list.as_str()), None).await
            }
            (7, Some((_, row))) if !row[0].is_empty() => {
                service
                    .send_as_other("POST", CONTACTS, Some(bulk(&row[0], format!("Twin {fresh}"), "allowDuplicates")))
                    .await
            }
            _ => {
                let name = format!("There {fresh}");
                service
                    .send_as_other("POST", CONTACTS, Some(bulk(&unused_number(*fresh), name, "skipDuplicates")))
                    .await
            }
        };
        assert!(status < 300 || status == 429, "{status}: {answer}");
    }
}

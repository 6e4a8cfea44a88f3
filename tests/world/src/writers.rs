//! Performs the acts of other writers at the service.

use crate::kinds::WriterActKind;
use crate::resolve::{EDITED_FIELDS, make_number};
use crate::script::WriterAct;
use crate::service::{ContactValues, OptOutScope, PHONE, Service, WHATSAPP, field_index};

fn pick_nth<T>(items: &[T], index: u16) -> Option<&T> {
    items.get(usize::from(index).checked_rem(items.len())?)
}

/// The custom fields that few contacts have, in the order in which a client that meets the contacts of growing values
/// first sees them.
const SPARSE_FIELDS: [&str; 3] = ["field_5", "field_6", "field_4"];

/// Sets the sparse fields that a value stands for, one for each of its three lowest bits.
pub(crate) fn set_sparse_fields(values: &mut ContactValues, value: u16) {
    for (bit, name) in SPARSE_FIELDS.iter().enumerate() {
        if let Some(field) = field_index(name).filter(|_| value >> bit & 1 == 1) {
            set_value(values, field, format!("{name} of {value}"));
        }
    }
}

fn set_value(values: &mut ContactValues, field: usize, value: String) {
    if let Some(slot) = values.get_mut(field) {
        *slot = Some(value);
    }
}

/// Returns a number of one of the contacts, so that an opt-out concerns a row.
fn known_number(service: &Service, act: &WriterAct) -> String {
    let contact = pick_nth(&service.contacts, act.row);
    let number = contact.and_then(|contact| {
        let [phone, whatsapp, ..] = &contact.values;
        phone.clone().or_else(|| whatsapp.clone())
    });
    // Sometimes chooses a number that already has a record, so that it opts out twice.
    let again = pick_nth(&service.opt_outs, act.row).and_then(|record| record.number.clone());
    let chosen = if act.value.is_multiple_of(2) { again.or(number) } else { number.or(again) };
    chosen.unwrap_or_else(|| make_number(act.value))
}

fn write_contact(service: &mut Service, act: &WriterAct) -> Option<()> {
    match act.kind {
        WriterActKind::AddContact => {
            let list = pick_nth(&service.lists, act.row)?.uid.clone();
            let mut values = ContactValues::default();
            let at = if act.other == 7 { WHATSAPP } else { PHONE };
            set_value(&mut values, at, make_number(act.value));
            set_value(&mut values, field_index("firstname")?, format!("W{}", act.value));
            set_sparse_fields(&mut values, act.value);
            service.make_contact(&list, values, None);
        }
        WriterActKind::AddTwin => {
            let twin = pick_nth(&service.contacts, act.row)?.clone();
            let mut values = ContactValues::default();
            let [phone, whatsapp, ..] = &twin.values;
            let (at, number) = match phone {
                Some(number) => (PHONE, number),
                None => (WHATSAPP, whatsapp.as_ref()?),
            };
            set_value(&mut values, at, number.clone());
            set_value(&mut values, field_index("firstname")?, format!("T{}", act.value));
            service.make_contact(&twin.list, values, None);
        }
        WriterActKind::EditContact => {
            let uid = pick_nth(&service.contacts, act.row)?.uid.clone();
            let mut values = ContactValues::default();
            let field = field_index(pick_nth(&EDITED_FIELDS, act.other)?)?;
            set_value(&mut values, field, format!("w{}", act.value));
            service.merge_contact(&uid, values, None);
        }
        _ => {
            let uid = pick_nth(&service.contacts, act.row)?.uid.clone();
            service.remove_contact(&uid);
        }
    }
    Some(())
}

fn write_opt_out(service: &mut Service, act: &WriterAct) -> Option<()> {
    let number = known_number(service, act);
    let channel = if act.other % 4 == 3 { "WHATSAPP" } else { "SMS" };
    match act.kind {
        WriterActKind::Stop => {
            let asset = service.assets.iter().find(|asset| asset.channel == channel)?.uid.clone();
            service.make_opt_out(Some(&number), channel, OptOutScope::Asset(asset), "keyword");
        }
        WriterActKind::WebStop => {
            service.make_opt_out(Some(&number), channel, OptOutScope::Account, "web_opt_out");
        }
        WriterActKind::ImportStop => {
            service.make_opt_out(Some(&number), channel, OptOutScope::Account, "account_import");
        }
        WriterActKind::UnknownKindStop => {
            service.make_opt_out(Some(&number), channel, OptOutScope::Account, "complaint");
        }
        WriterActKind::UnknownChannelStop => {
            service.make_opt_out(Some(&number), "RCS", OptOutScope::Account, "web_opt_out");
        }
        WriterActKind::UnknownScopeStop => {
            service.make_opt_out(Some(&number), channel, OptOutScope::Unknown, "web_opt_out");
        }
        WriterActKind::NamelessStop => {
            service.make_opt_out(None, channel, OptOutScope::Account, "web_opt_out");
        }
        WriterActKind::CorrectStop => {
            let sequence = pick_nth(&service.opt_outs, act.row)?.sequence;
            service.remove_opt_outs(|record| record.sequence == sequence);
            service.make_opt_out(Some(&make_number(act.value)), channel, OptOutScope::Account, "account_import");
        }
        _ => {
            let sequence = pick_nth(&service.opt_outs, act.row)?.sequence;
            service.remove_opt_outs(|record| record.sequence == sequence);
        }
    }
    Some(())
}

fn write_other(service: &mut Service, act: &WriterAct) -> Option<()> {
    match act.kind {
        WriterActKind::AddList => {
            service.make_list(&format!("List w{}", act.value));
        }
        WriterActKind::RenameList => {
            let uid = pick_nth(&service.lists, act.row)?.uid.clone();
            service.rename_list(&uid, &format!("Renamed w{}", act.value));
        }
        WriterActKind::DeleteList => {
            let uid = pick_nth(&service.lists, act.row)?.uid.clone();
            service.remove_list(&uid);
        }
        WriterActKind::OtherAccount => {
            let lists: Vec<String> = service.lists.iter().map(|list| list.uid.clone()).collect();
            for uid in lists {
                service.remove_list(&uid);
            }
            let list = service.make_list(&format!("List of another account {}", act.value));
            let mut values = ContactValues::default();
            set_value(&mut values, PHONE, make_number(act.value));
            service.make_contact(&list, values, None);
        }
        WriterActKind::AddLink => {
            let target = format!("https://shop.example/w{}", act.value);
            service.make_link(&format!("Link w{}", act.value), &target, Vec::new(), true);
        }
        WriterActKind::DeleteLink => {
            let uid = pick_nth(&service.links, act.row)?.uid.clone();
            service.remove_link(&uid);
        }
        WriterActKind::AddSender => service.make_sender(&format!("Snd{}", act.value), "Pending"),
        _ => {
            let uid = pick_nth(&service.senders, act.row)?.uid.clone();
            service.remove_sender(&uid);
        }
    }
    Some(())
}

/// Performs an act of another writer. Returns whether it found a row to change.
pub(crate) fn perform_writer_act(service: &mut Service, act: &WriterAct) -> bool {
    use WriterActKind as Kind;
    let done = match act.kind {
        Kind::AddContact | Kind::AddTwin | Kind::EditContact | Kind::DeleteContact => write_contact(service, act),
        Kind::Stop
        | Kind::WebStop
        | Kind::ImportStop
        | Kind::UnknownKindStop
        | Kind::UnknownChannelStop
        | Kind::UnknownScopeStop
        | Kind::NamelessStop
        | Kind::RemoveOptOut
        | Kind::CorrectStop => write_opt_out(service, act),
        _ => write_other(service, act),
    };
    done.is_some()
}

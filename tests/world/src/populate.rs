//! Creates the first state of a world.

use crate::dice::Dice;
use crate::resolve::{EDITED_FIELDS, make_number};
use crate::service::{ContactValues, OptOutScope, PHONE, Service, WHATSAPP, field_index};
use crate::writers::set_sparse_fields;

/// Creates one to three lists, at most eight contacts, and at most six opt-outs.
pub(crate) fn populate(service: &mut Service, dice: &mut Dice) {
    let mut lists = Vec::new();
    for index in 0..=dice.draw_below(3) {
        lists.push(service.make_list(["Customers", "VIP", "Leads"].get(index).unwrap_or(&"Others")));
    }
    for index in 0..dice.draw_small(9) {
        service.steady_ms += 1_000 * i64::from(dice.draw_small(4));
        let Some(list) = dice.pick(&lists).cloned() else {
            continue;
        };
        let mut values = ContactValues::default();
        let number = make_number(800 + index);
        let kind = dice.draw_below(10);
        for (at, given) in [(PHONE, kind != 0), (WHATSAPP, kind < 2)] {
            if let (Some(slot), true) = (values.get_mut(at), given) {
                *slot = Some(number.clone());
            }
        }
        for field in EDITED_FIELDS {
            if let (Some(slot), true) = (field_index(field).and_then(|at| values.get_mut(at)), dice.draw_chance(50)) {
                *slot = Some(format!("s{index}"));
            }
        }
        service.make_contact(&list, values, None);
    }
    let asset = service.assets.first().map(|asset| asset.uid.clone()).unwrap_or_default();
    for _ in 0..dice.draw_below(5) {
        service.steady_ms += 1_000 * i64::from(dice.draw_small(3));
        let number = make_number(800 + dice.draw_small(10));
        match dice.draw_below(4) {
            0 => {
                service.make_opt_out(Some(&number), "SMS", OptOutScope::Asset(asset.clone()), "keyword");
            }
            1 => service.make_opt_out(Some(&number), "WHATSAPP", OptOutScope::Account, "web_opt_out"),
            _ => service.make_opt_out(Some(&number), "SMS", OptOutScope::Account, "web_opt_out"),
        }
    }
    for index in 0..dice.draw_below(3) {
        let target = format!("https://shop.example/{index}");
        service.make_link(&format!("Link {index}"), &target, Vec::new(), true);
    }
    for index in 0..dice.draw_below(3) {
        service.make_sender(&format!("Acme{index}"), "Verified");
    }
}

/// Gives the contacts custom fields that others lack, so that a client meets the fields in any order.
pub(crate) fn add_sparse_fields(service: &mut Service, dice: &mut Dice) {
    let uids: Vec<String> = service.contacts.iter().map(|contact| contact.uid.clone()).collect();
    for uid in uids {
        let mut values = ContactValues::default();
        set_sparse_fields(&mut values, dice.draw_small(8));
        if values.iter().any(Option::is_some) {
            service.merge_contact(&uid, values, None);
        }
    }
}

//! Tests that every act on contacts names the opt-outs that a person loses by a new number.

use std::time::Duration;

use roost_model::{channel::Channel, id::ContactId};
use serde_json::{Value, json};

use super::{apply_act, edit_cells, to_columns, to_intervals, undo};
use roost_ops::{
    contact,
    opt_out::{self, LostOptOut, NewOptOut},
};

use crate::{
    duplicates::{DuplicateKey, MergeChoice, SurvivorRule},
    grid::{
        PasteMode, PasteRequest, ViewId,
        tests::{GridAccount, me},
    },
};

fn opt_out(account: &GridAccount, number: &str, channels: &[Channel]) {
    let entry = NewOptOut { number: number.to_owned(), channels: channels.to_vec(), asset: None };
    opt_out::add(&account.core, &me(), &[entry], "asked for it", None).unwrap();
}

/// Returns an account with three contacts, of whom the first opted out on both channels and the second on SMS, and a
/// view of them in this order.
fn open_account() -> (GridAccount, ViewId, Vec<ContactId>) {
    let account = GridAccount::new();
    let mut uids = Vec::new();
    for number in (1..=3).rev() {
        account.core.ctx().advance(1);
        uids.insert(0, account.add_contact(number, &[("email_address", "ada@x.example")]));
    }
    opt_out(&account, "+447700900001", &[Channel::Sms, Channel::WhatsApp]);
    opt_out(&account, "+447700900002", &[Channel::Sms]);
    let view = account.open_view(account.view_spec(Value::Null, &[]));
    (account, view, uids)
}

fn texts(lost: &[LostOptOut]) -> Vec<String> {
    let text = |one: &LostOptOut| format!("{} {} {}", one.opted_out, one.channel.as_str(), one.number);
    lost.iter().map(text).collect()
}

fn lost(opted: &str, channel: &str, number: &str) -> String {
    format!("+4477009000{opted} {channel} +4477009000{number}")
}

#[test]
fn a_new_number_of_someone_who_opted_out_is_named_whatever_the_act() {
    let (account, view, uids) = open_account();
    let numbers = ["phone_number"];
    let all = to_intervals(&[(0, 3)]);

    let typed = edit_cells(&account, view, &[(0, "phone_number", "07700 900011"), (2, "phone_number", "07700 900013")]);
    assert_eq!(texts(&typed.unwrap().lost_opt_outs), [lost("01", "SMS", "11")]);
    undo(&account);

    let replace =
        json!({ "replace": { "find": "9000", "with": "9008", "regex": false, "whole_cell": false, "case": false } });
    let replaced = apply_act(&account, view, &all, &numbers, replace).unwrap();
    assert_eq!(replaced.lost_opt_outs.len(), 2, "{replaced:?}");
    undo(&account);

    let paste = PasteRequest {
        view,
        generation: None,
        row: 0,
        columns: &to_columns(&["phone_number", "whatsapp_id"]),
        block: &[to_columns(&["07700900011", "07700900021"]), to_columns(&["07700900012", "07700900022"])],
        into: None,
        mode: PasteMode::Plain,
        region: Some("GB"),
    };
    let pasted = account.core.grid().paste(&account.core, &me(), &paste).unwrap();
    let expected = [lost("01", "SMS", "11"), lost("01", "WHATSAPP", "21"), lost("02", "SMS", "12")];
    assert_eq!(texts(&pasted.lost_opt_outs), expected);
    undo(&account);

    let update = |field: &str, text: &str| {
        let values = [(field.to_owned(), Some(text.to_owned()))].into();
        contact::update(&account.core, &me(), &uids[0], &values, Some("GB")).unwrap().lost_opt_outs
    };
    assert_eq!(texts(&update("whatsapp_id", "07700900021")), [lost("01", "WHATSAPP", "21")]);
    undo(&account);
    assert_eq!(texts(&update("phone_number", "07700900011")), [lost("01", "SMS", "11")]);
}

#[test]
fn a_number_that_stays_or_is_opted_out_itself_is_not_named() {
    let (account, view, _) = open_account();
    let named = |cells: &[(u64, &str, &str)]| texts(&edit_cells(&account, view, cells).unwrap().lost_opt_outs);
    opt_out(&account, "+447700900031", &[Channel::Sms]);
    assert!(named(&[(0, "phone_number", "07700 900 001"), (0, "city", "Rome")]).is_empty(), "another spelling");
    assert!(named(&[(0, "phone_number", "+447700900031")]).is_empty(), "opted out itself");
    assert!(named(&[(1, "whatsapp_id", "+447700900022")]).is_empty(), "opted out on the other channel only");
    assert!(named(&[(2, "phone_number", "+447700900013")]).is_empty(), "not opted out");
    assert!(named(&[(1, "phone_number", "12")]).is_empty(), "a draft leaves the number as it is");
}

#[test]
fn a_merge_names_the_opt_outs_of_numbers_that_go() {
    let (account, _, uids) = open_account();
    let duplicates = account.core.duplicates();
    let id = duplicates.open(&account.core, Some(&account.list), &[DuplicateKey::Email]).unwrap();
    let wait = || {
        while duplicates.read_status(&account.core, id, Duration::from_secs(5)).unwrap().progress.is_working {}
    };
    wait();
    let all = |rule| duplicates.merge_all(&account.core, &me(), id, 0, None, rule).unwrap();
    let newest = all(SurvivorRule::Newest);
    assert!(newest.lost_opt_outs.is_empty(), "the contact with the widest opt-out is the newest");
    undo(&account);
    duplicates.refresh(&account.core, id).unwrap();
    wait();
    assert_eq!(texts(&all(SurvivorRule::Oldest).lost_opt_outs), [lost("02", "SMS", "03")]);
    undo(&account);
    duplicates.refresh(&account.core, id).unwrap();
    wait();
    let group = duplicates.read_page(
        &account.core,
        id,
        &crate::duplicates::GroupQuery {
            page: roost_model::page::PageRequest { number: 1, size: 10 },
            key: None,
            least_confidence: 0,
            is_skipped: false,
        },
    );
    let group = group.unwrap().items[0].group;
    let choice = MergeChoice {
        survivor: uids[0].clone(),
        fields: [("phone_number".to_owned(), uids[2].clone())].into(),
        contacts: Some(vec![uids[0].clone(), uids[2].clone()]),
    };
    let merged = duplicates.merge_group(&account.core, &me(), id, group, &choice).unwrap();
    assert_eq!(texts(&merged.lost_opt_outs), [lost("01", "SMS", "03")]);
}

#[test]
fn a_lost_opt_out_stays_lost_until_the_new_number_is_opted_out_or_leaves_the_lists() {
    let (account, view, _) = open_account();
    let typed = edit_cells(&account, view, &[(0, "phone_number", "07700900011"), (1, "phone_number", "07700900012")]);
    let known = typed.unwrap().lost_opt_outs;
    let kept = || texts(&opt_out::keep_lost_opt_outs(&account.core, known.clone()).unwrap());
    let both = [lost("01", "SMS", "11"), lost("02", "SMS", "12")];
    assert_eq!(kept(), both);
    opt_out(&account, "+447700900012", &[Channel::WhatsApp]);
    assert_eq!(kept(), both, "another channel");
    opt_out(&account, "+447700900012", &[Channel::Sms]);
    assert_eq!(kept(), both[..1]);
    edit_cells(&account, view, &[(0, "phone_number", "07700900013")]).unwrap();
    assert_eq!(kept(), both[..0], "nobody has the number any more");
    undo(&account);
    assert_eq!(kept(), both[..1]);
}

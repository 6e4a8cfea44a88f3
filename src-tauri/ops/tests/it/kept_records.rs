//! Tests short links, senders and assets: many in one step, the trash, the history of removed records, and names that
//! are taken.

use roost_model::{channel::Channel, error::ErrorCode, page::PageRequest, sender::SenderStatus};
use roost_ops::{
    Actor, Core, Error, Noun, asset, custom_field, history, opt_out, sender,
    short_link::{self, LinkQuery, LinkVisit, NewLink},
};

use crate::support::account;

fn me() -> Actor {
    Actor::user(None)
}

fn first_page() -> PageRequest {
    PageRequest { number: 1, size: 50 }
}

fn new_link(title: &str, target: &str, tags: &[&str]) -> NewLink {
    NewLink {
        title: title.to_owned(),
        target_url: target.to_owned(),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        track_clicks: true,
    }
}

fn count_links(core: &Core) -> u64 {
    short_link::find_links(core, &LinkQuery::default()).unwrap().total_items
}

fn follow_link(core: &Core, code: &str, device: Option<&str>) {
    let visit = LinkVisit { device: device.map(str::to_owned), ..LinkVisit::default() };
    short_link::follow_code(core, &Actor::interface(), code, "http://127.0.0.1:4010/s", Some(visit)).unwrap();
}

#[test]
fn many_links_are_one_step_and_a_fault_says_in_which() {
    let core = account();
    let bad = [new_link("One", "https://shop.example/1", &[]), new_link(" ", "shop", &["a!"])];
    let Err(Error::Invalid { faults }) = short_link::create_many(&core, &me(), &bad) else { panic!("refused") };
    let paths: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert_eq!(paths, ["links[1].title", "links[1].target_url", "links[1].tags[]"]);
    assert_eq!(count_links(&core), 0);

    let good: Vec<NewLink> =
        (0..20).map(|n| new_link(&format!("Link {n}"), "https://shop.example/s", &["Spring", "sale"])).collect();
    let made = short_link::create_many(&core, &me(), &good).unwrap();
    assert_eq!((made.len(), count_links(&core)), (20, 20));
    let undo = history::read_undo_status(&core).unwrap().undo.unwrap();
    assert_eq!((undo.act.as_str(), undo.count), ("short_link_create", 20));
    assert_eq!(short_link::find_tags(&core, "SP").unwrap(), [("Spring".to_owned(), 20)]);
    let same = short_link::find_by_targets(&core, &[" https://shop.example/s ".to_owned()]).unwrap();
    assert_eq!(same.len(), 20);
    assert_eq!(short_link::find_by_targets(&core, &["https://shop.example/other".to_owned()]).unwrap(), []);
    history::undo(&core, &me()).unwrap();
    assert_eq!(count_links(&core), 0);
}

#[test]
fn deleted_links_return_from_the_trash_with_their_clicks() {
    let core = account();
    let made = short_link::create_many(&core, &me(), &[new_link("Spring", "https://shop.example/s", &[])]).unwrap();
    follow_link(&core, &made[0].code, Some("Phone"));
    follow_link(&core, &made[0].code, None);
    let deleted = short_link::delete_many(&core, &me(), &[made[0].link_id.clone()]).unwrap();
    assert_eq!((deleted.deleted, deleted.clicks), (1, 2));
    short_link::create_many(&core, &me(), &[new_link("Autumn", "https://shop.example/a", &[])]).unwrap();
    let bin = history::read_trash(&core, Some(Noun::ShortLink), first_page()).unwrap().items;
    assert_eq!(bin[0].subject.as_deref(), Some("Spring"));
    history::restore(&core, &me(), bin[0].id).unwrap();
    assert_eq!(short_link::get_in_use(&core, &made[0].link_id).unwrap().clicks, 2);
    assert_eq!(history::read_trash(&core, None, first_page()).unwrap().total_items, 0);
}

#[test]
fn clicks_are_counted_by_day_and_by_what_they_were_made_with() {
    let core = account();
    let made = short_link::create_many(&core, &me(), &[new_link("Spring", "https://shop.example/s", &[])]).unwrap();
    follow_link(&core, &made[0].code, Some("Phone"));
    core.ctx().advance(2 * 86_400);
    follow_link(&core, &made[0].code, Some("Phone"));
    follow_link(&core, &made[0].code, None);
    let series = short_link::read_click_series(&core, &made[0].link_id, 2).unwrap();
    assert_eq!((series.total, series.in_days), (3, 2));
    let days: Vec<_> = series.days.iter().map(|day| (day.day.as_str(), day.clicks)).collect();
    assert_eq!(days, [("2026-01-06", 0), ("2026-01-07", 2)]);
    let devices: Vec<_> = series.devices.iter().map(|share| (share.name.as_deref(), share.clicks)).collect();
    assert_eq!(devices, [(Some("Phone"), 2), (None, 1)]);
    assert_eq!(short_link::read_click_series(&core, &made[0].link_id, 0).unwrap_err().code(), ErrorCode::Invalid);
}

#[test]
fn a_deleted_sender_still_has_a_history() {
    let core = account();
    let made = sender::request(&core, &me(), "Roost").unwrap();
    assert_eq!(made.status, SenderStatus::Pending);
    sender::approve(&core, &me(), &made.id).unwrap();
    let refused = sender::delete_typed(&core, &me(), &made.id, "roost").unwrap_err();
    assert!(matches!(refused, Error::Invalid { faults } if faults[0].path == "typed_name"));
    sender::delete_typed(&core, &me(), &made.id, "Roost").unwrap();
    let history = sender::read_history(&core, None, Some("roost")).unwrap();
    let acts: Vec<_> = history.changes.iter().map(|change| change.act.as_str()).collect();
    assert_eq!(history.id, Some(made.id));
    assert_eq!(acts, ["sender_delete", "sender_approve", "sender_request"]);
    assert_eq!(sender::read_history(&core, None, Some("nobody")).unwrap().changes, []);
}

#[test]
fn a_restore_that_meets_a_taken_name_says_so_and_changes_nothing() {
    let core = account();
    let old = sender::request(&core, &me(), "Roost").unwrap();
    sender::delete_typed(&core, &me(), &old.id, "Roost").unwrap();
    let new = sender::request(&core, &me(), "ROOST").unwrap();
    let bin = history::read_trash(&core, Some(Noun::Sender), first_page()).unwrap().items;
    let refused = history::restore(&core, &me(), bin[0].id).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Conflict);
    assert!(refused.to_string().contains("another sender with this name"), "{refused}");
    assert_eq!(sender::read_page(&core, first_page()).unwrap().items, std::slice::from_ref(&new));
    sender::delete_typed(&core, &me(), &new.id, "ROOST").unwrap();
    history::restore(&core, &me(), bin[0].id).unwrap();
    assert_eq!(sender::get(&core, &old.id).unwrap().name, "Roost");
}

#[test]
fn undoing_a_removal_leaves_opt_outs_that_were_made_again_meanwhile_unchanged() {
    let core = account();
    let (one, two) = ("+447700900001", "+447700900002");
    for number in [one, two] {
        opt_out::add_web_opt_out(&core, &Actor::operator(), number, Channel::Sms).unwrap();
    }
    let numbers = vec![one.to_owned(), two.to_owned()];
    let unwanted = opt_out::RemovalSelection::Numbers { numbers, channel: None, asset: None, region: None };
    let shown = opt_out::preview_removal(&core, &unwanted).unwrap();
    opt_out::remove(&core, &me(), &unwanted, shown.count, &shown.stamp, "By mistake").unwrap();
    core.ctx().advance(60);
    let newer = opt_out::add_web_opt_out(&core, &Actor::operator(), one, Channel::Sms).unwrap();
    let taken = history::undo(&core, &me()).unwrap();
    assert_eq!((taken.rows, taken.kept), (1, 1));
    let records = |number| opt_out::read_timeline(&core, number, None).unwrap().records;
    assert_eq!(records(one)[0].time, newer.time);
    assert_eq!(records(two).len(), 1);
}

#[test]
fn an_asset_goes_by_its_number_and_its_opt_outs_stay() {
    let core = account();
    let (made, came_along) = asset::add_with_sender(&core, &me(), Channel::Sms, "+44 7700 900500").unwrap();
    assert_eq!(came_along.map(|sender| sender.name).as_deref(), Some("447700900500"));
    opt_out::handle_inbound_message(&core, &me(), "+447700900001", &made.id, "STOP").unwrap();
    assert_eq!(asset::read_all_in_use(&core).unwrap()[0].opt_outs, 1);
    assert_eq!(asset::remove_typed(&core, &me(), &made.id, "12345").unwrap_err().code(), ErrorCode::Invalid);
    let removed = asset::remove_typed(&core, &me(), &made.id, "+44 7700 900500").unwrap();
    assert_eq!((removed.opt_outs_kept, removed.keywords_gone), (1, 2));
    assert_eq!(opt_out::read_timeline(&core, "+447700900001", None).unwrap().records.len(), 1);
    history::undo(&core, &me()).unwrap();
    assert_eq!(asset::get(&core, &made.id).unwrap(), made);
}

#[test]
fn purged_records_were_counted_and_cannot_be_restored() {
    let core = account();
    let made = short_link::create_many(
        &core,
        &me(),
        &[new_link("One", "https://shop.example/1", &[]), new_link("Two", "https://shop.example/2", &[])],
    )
    .unwrap();
    let uids: Vec<_> = made.iter().map(|link| link.link_id.clone()).collect();
    short_link::delete_many(&core, &me(), &uids).unwrap();
    let bin = history::read_trash(&core, None, first_page()).unwrap().items;
    let refused = history::purge_typed(&core, &me(), &[bin[0].id], 1).unwrap_err();
    assert!(matches!(refused, Error::Invalid { faults } if faults[0].path == "typed_count"));
    assert_eq!(history::purge_typed(&core, &me(), &[bin[0].id], 2).unwrap(), 2);
    assert_eq!(history::read_trash(&core, None, first_page()).unwrap().total_items, 0);
    assert_eq!(history::restore(&core, &me(), bin[0].id).unwrap_err().code(), ErrorCode::Conflict);
}

#[test]
fn a_custom_field_without_a_value_is_one_thing_in_the_trash() {
    let core = account();
    let field = custom_field::add(&core, &me(), "Loyalty card").unwrap();
    custom_field::remove_named(&core, &me(), field.number, "Loyalty card").unwrap();
    let bin = history::read_trash(&core, None, first_page()).unwrap().items;
    assert_eq!(history::purge_typed(&core, &me(), &[bin[0].id], 1).unwrap(), 1);
    assert_eq!(history::read_trash(&core, None, first_page()).unwrap().total_items, 0);
}

//! Tests seeds in both directions: an account that is exported and applied again is the same account.

mod diffs;
mod edits;
mod faults;
mod forms;

use proptest::{collection::vec, option::of, prelude::*, sample::select};
use roost_model::{
    channel::Channel,
    contact::{MergeType, ValidContact},
    opt_out::OptOutType,
    short_link::check_parts,
};
use roost_ops::{
    Actor, Core, asset, contact, custom_field, job,
    job::NewJob,
    list::{self, UniqueNames},
    opt_out::{self, OptOutEntry, OptOutRemovalRequest},
    overview, seed, sender, short_link,
};

use crate::support::{account, cases, check, every_list, phone, query_contacts};

pub(crate) const BASE: &str = "http://127.0.0.1:4010/s";

pub(crate) fn export_json(core: &Core, base: &str) -> String {
    let mut out = Vec::new();
    seed::export(core, base, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// One act in the life of an account. Picks are taken modulo the number of existing records.
#[derive(Debug, Clone)]
pub(crate) enum LifeAct {
    Tick(i64),
    Sender { name: String, approve: bool },
    DropSender(usize),
    Asset { channel: Channel, last: u16 },
    DropAsset(usize),
    Enforce(usize),
    Keywords(usize, Vec<String>),
    AddField(String),
    RenameField(u32, String),
    RemoveField(u32),
    List(String),
    DropList(usize),
    Contacts { list: usize, merge_type: MergeType, contacts: Vec<ValidContact<'static>> },
    DropContact(usize),
    OptOut { last: u16, channel: Channel, asset: Option<usize>, kind: OptOutType },
    WebForm { last: u16, channel: Channel },
    Message { last: u16, asset: usize },
    DropOptOuts { last: u16 },
    Link { title: String, tags: Vec<String>, track_clicks: bool },
    Open(usize),
    DropLink(usize),
}

/// Texts that are difficult for JSON, SQL and people.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-zA-Z]{1,8}",
        1 => select(&["a\0b", "🐦🐦", "\u{202e}שלום", "O'Hara \"x\" \\ /", "=1+1", "}{][", "é\u{1}\u{7f}\n\t", " ", "<b>&amp;", "\u{feff}"][..])
            .prop_map(str::to_owned),
    ]
}

fn any_tag() -> impl Strategy<Value = String> {
    select(&["spring", "Été_1", "a b-c", "子"][..]).prop_map(str::to_owned)
}

fn any_channel() -> impl Strategy<Value = Channel> {
    select(&[Channel::Sms, Channel::WhatsApp][..])
}

fn any_contact() -> impl Strategy<Value = ValidContact<'static>> {
    (0u16..8, of(0u16..8), vec((0usize..13, any_text()), 0..5), vec((1u32..6, any_text()), 0..3)).prop_map(
        |(number, whatsapp, attributes, custom)| {
            let mut contact =
                ValidContact { phone: Some(phone(number)), whatsapp: whatsapp.map(phone), ..ValidContact::default() };
            for (i, text) in attributes {
                contact.attributes[i] = Some(text.into());
            }
            contact.custom = custom.into_iter().map(|(n, text)| (n, text.into())).collect();
            contact
        },
    )
}

pub(crate) fn any_act() -> impl Strategy<Value = LifeAct> {
    let pick = 0usize..50;
    prop_oneof![
        2 => (1i64..100_000).prop_map(LifeAct::Tick),
        2 => ("[A-Za-z][A-Za-z0-9 .&_-]{1,9}[A-Za-z0-9]|6[0-9]{4}", any::<bool>()).prop_map(|(name, approve)| LifeAct::Sender { name, approve }),
        1 => pick.clone().prop_map(LifeAct::DropSender),
        3 => (any_channel(), 0u16..8).prop_map(|(channel, last)| LifeAct::Asset { channel, last }),
        1 => pick.clone().prop_map(LifeAct::DropAsset),
        1 => pick.clone().prop_map(LifeAct::Enforce),
        1 => (pick.clone(), vec("[a-zé]{1,5}", 0..4)).prop_map(|(asset, words)| LifeAct::Keywords(asset, words)),
        1 => "[a-zA-Z🐦]{1,9}".prop_map(LifeAct::AddField),
        1 => (1u32..6, "[a-zA-Z]{1,9}").prop_map(|(n, label)| LifeAct::RenameField(n, label)),
        1 => (1u32..6).prop_map(LifeAct::RemoveField),
        3 => any_text().prop_map(LifeAct::List),
        1 => pick.clone().prop_map(LifeAct::DropList),
        4 => (pick.clone(), select(&MergeType::ALL[..]), vec(any_contact(), 1..6))
            .prop_map(|(list, merge_type, contacts)| LifeAct::Contacts { list, merge_type, contacts }),
        1 => pick.clone().prop_map(LifeAct::DropContact),
        3 => (0u16..8, any_channel(), of(pick.clone()), select(&[OptOutType::ApiImport, OptOutType::AccountImport][..]))
            .prop_map(|(last, channel, asset, kind)| LifeAct::OptOut { last, channel, asset, kind }),
        1 => (0u16..8, any_channel()).prop_map(|(last, channel)| LifeAct::WebForm { last, channel }),
        3 => (0u16..8, pick.clone()).prop_map(|(last, asset)| LifeAct::Message { last, asset }),
        1 => (0u16..8).prop_map(|last| LifeAct::DropOptOuts { last }),
        3 => (any_text(), vec(any_tag(), 0..4), any::<bool>()).prop_map(|(title, tags, track_clicks)| LifeAct::Link { title, tags, track_clicks }),
        1 => pick.clone().prop_map(LifeAct::Open),
        1 => pick.prop_map(LifeAct::DropLink),
    ]
}

/// A random history. Acts on missing records and acts with a name that is taken are refused, which belongs to the
/// history.
#[derive(Default)]
pub(crate) struct RandomLife {
    senders: Vec<roost_model::id::SenderId>,
    links: Vec<roost_model::short_link::ShortLink>,
}

impl RandomLife {
    pub(crate) fn perform(&mut self, core: &Core, act: LifeAct) {
        let by = &Actor::operator();
        let assets = asset::read_all(core).unwrap();
        let asset_at = |pick: usize| assets.get(pick % assets.len().max(1)).cloned();
        let lists = every_list(core);
        let list_at = |pick: usize| lists.get(pick % lists.len().max(1)).map(|list| list.uid.clone());
        match act {
            LifeAct::Tick(seconds) => core.ctx().advance(seconds),
            LifeAct::Sender { name, approve } => {
                if let Ok(sender) = sender::request(core, by, &name) {
                    if approve {
                        sender::approve(core, by, &sender.id).unwrap();
                    }
                    self.senders.push(sender.id);
                }
            }
            LifeAct::DropSender(pick) => {
                if let Some(id) = self.senders.get(pick % self.senders.len().max(1)) {
                    let _ = sender::delete(core, by, id);
                }
            }
            LifeAct::Asset { channel, last } => {
                let _ = asset::add(core, by, channel, &phone(last).e164);
            }
            LifeAct::DropAsset(pick) => {
                if let Some(asset) = asset_at(pick) {
                    asset::remove(core, by, &asset.id).unwrap();
                }
            }
            LifeAct::Enforce(pick) => {
                if let Some(asset) = asset_at(pick) {
                    asset::set_enforce(core, by, &asset.id, !asset.enforce_account_level_opt_outs).unwrap();
                }
            }
            LifeAct::Keywords(pick, words) => {
                if let Some(asset) = asset_at(pick) {
                    asset::set_keywords(core, by, &asset.id, &words).unwrap();
                }
            }
            LifeAct::AddField(label) => drop(custom_field::add(core, by, &label).unwrap()),
            LifeAct::RenameField(number, label) => drop(custom_field::rename(core, by, number, &label)),
            LifeAct::RemoveField(number) => drop(custom_field::remove(core, by, number)),
            LifeAct::List(name) => drop(list::create(core, by, &name, UniqueNames::Off)),
            LifeAct::DropList(pick) => drop(list_at(pick).map(|uid| list::delete(core, by, &uid))),
            LifeAct::Contacts { list, merge_type, contacts } => {
                if let Some(list) = list_at(list) {
                    job::enqueue(
                        core,
                        by,
                        NewJob { list, merge_type, callback_url: None, correlation_id: None, contacts },
                    )
                    .unwrap();
                    job::run_next(core).unwrap();
                }
            }
            LifeAct::DropContact(pick) => {
                if let Some(list) = list_at(pick) {
                    let all = query_contacts(core, &list, None, None).contacts;
                    if let Some(one) = all.get(pick % all.len().max(1)) {
                        contact::delete(core, by, &one.uid).unwrap();
                    }
                }
            }
            LifeAct::OptOut { last, channel, asset, kind } => {
                let asset = asset.and_then(asset_at);
                let channel = asset.as_ref().map_or(channel, |asset| asset.channel).as_str();
                let (number, asset_id) = (phone(last).e164, asset.as_ref().map(|asset| asset.id.as_str()));
                let entry = OptOutEntry { number: &number, channel: Some(channel), asset_id };
                opt_out::create(core, by, &[entry], kind).unwrap();
            }
            LifeAct::WebForm { last, channel } => {
                drop(opt_out::add_web_opt_out(core, by, &phone(last).e164, channel).unwrap())
            }
            LifeAct::Message { last, asset } => {
                if let Some(asset) = asset_at(asset) {
                    opt_out::opt_out_by_message(core, by, &phone(last).e164, &asset.id, " stop ").unwrap();
                }
            }
            LifeAct::DropOptOuts { last } => {
                let removal = OptOutRemovalRequest { numbers: &[phone(last).e164], channel: None, asset: None };
                opt_out::delete(core, by, &removal).unwrap();
            }
            LifeAct::Link { title, tags, track_clicks } => {
                if let Ok(parts) = check_parts(Some(&title), Some("https://shop.example/s?q=1#x"), &tags, track_clicks)
                {
                    self.links.push(short_link::create(core, by, parts).unwrap());
                }
            }
            LifeAct::Open(pick) => {
                if let Some(link) = self.links.get(pick % self.links.len().max(1)) {
                    short_link::follow_code(core, by, &link.code, BASE, Some(Default::default())).unwrap();
                }
            }
            LifeAct::DropLink(pick) => {
                if let Some(link) = self.links.get(pick % self.links.len().max(1)) {
                    let _ = short_link::delete(core, by, &link.link_id);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn any_account_written_and_read_is_written_the_same_again(acts in vec(any_act(), 0..60)) {
        let core = account();
        let mut life = RandomLife::default();
        for act in acts {
            life.perform(&core, act);
        }
        check(&core);
        let first = export_json(&core, BASE);
        let again = account();
        // The clock has moved: the content of the file must not depend on when it is read.
        again.ctx().advance(1_000_000);
        let report = seed::apply(&again, &Actor::operator(), first.as_bytes(), BASE).unwrap();
        check(&again);
        prop_assert_eq!(export_json(&again, BASE), first.as_str());
        let counts = overview::get(&again).unwrap();
        prop_assert_eq!(counts, overview::get(&core).unwrap());
        prop_assert_eq!(
            (report.senders, report.assets, report.custom_fields, report.lists, report.contacts, report.opt_outs, report.short_links),
            (counts.senders, counts.assets, counts.custom_fields, counts.lists, counts.contacts, counts.opt_outs, counts.short_links)
        );

        let elsewhere = account();
        seed::apply(&elsewhere, &Actor::operator(), first.as_bytes(), "https://sl.example").unwrap();
        prop_assert_eq!(export_json(&elsewhere, "https://sl.example"), first, "links keep the address they were given out with");
    }
}

/// Missing values are generated, and the complete account keeps them.
#[test]
fn the_shortest_records_are_completed() {
    let seed = r#"{
        "senders": [{"name": "Roost"}, {"name": "60777"}],
        "assets": [{"channel": "sms", "number": "60123"}, {"channel": "WHATSAPP", "number": "447700900100"}],
        "custom_fields": ["Size", {"number": 7, "label": "Colour"}, "Shade"],
        "lists": [{"name": "VIP"}, {"name": "VIP", "contacts": [{"phone_number": "+44 7700 900001", "field_8": "teal"}]}],
        "opt_outs": [{"number": "447700900002"}],
        "short_links": [{"title": "Spring", "target_url": "https://shop.example/s"}]
    }"#;
    let core = account();
    seed::apply(&core, &Actor::operator(), seed.as_bytes(), BASE).unwrap();
    check(&core);
    let fields: Vec<_> = custom_field::read_all(&core).unwrap().into_iter().map(|f| (f.number, f.label)).collect();
    assert_eq!(fields, [(1, "Size".to_owned()), (7, "Colour".to_owned()), (8, "Shade".to_owned())]);
    assert_eq!(custom_field::add(&core, &Actor::operator(), "More").unwrap().number, 9);
    let lists = every_list(&core);
    assert_eq!(lists.iter().map(|list| list.contact_count).sum::<u64>(), 1);
    let filled = lists.iter().find(|list| list.contact_count == 1).unwrap();
    let one = &query_contacts(&core, &filled.uid, Some("+447700900001"), None).contacts[0];
    assert_eq!((one.phone.as_ref().unwrap().region.as_str(), one.custom[2].as_deref()), ("GB", Some("teal")));
    let senders: Vec<_> =
        export_json(&core, BASE).lines().filter(|l| l.contains("ssd_")).map(|l| l.contains("Verified")).collect();
    assert_eq!(senders.iter().filter(|verified| **verified).count(), 1, "a number is verified, a name waits");
}

#[test]
fn an_account_that_holds_data_takes_no_seed() {
    let core = account();
    list::create(&core, &Actor::user(None), "mine", UniqueNames::Off).unwrap();
    let refused = seed::apply(&core, &Actor::operator(), br#"{"lists":[{"name":"other"}]}"#, BASE);
    assert!(matches!(refused, Err(seed::SeedError::NotEmpty)), "{refused:?}");
    assert_eq!(every_list(&core).len(), 1);
}

//! Tests the counts and the filters behind them against a simple evaluation of random contacts, drafts and opt-outs.

use std::{collections::BTreeSet, sync::Arc, thread, time::Duration};

use proptest::{collection::vec, option, prelude::*, sample::select, test_runner::Config};
use roost_model::{
    channel::Channel,
    contact::ContactField,
    filter::{FilterCondition, FilterExpression},
    id::{AssetId, ContactId, ListId},
    intervals::RowIntervals,
    opt_out::{OptOut, OptOutRecordScope, OptOutType},
    readiness::Readiness,
    time::Timestamp,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    error::StoreError,
    tables::{
        contacts::{grid::drafts, list_view},
        opt_outs,
    },
    watch::Watch,
};

use roost_ops::{
    Actor, Core, Ctx, asset,
    contact::{self, FieldValues},
    ctx::Clock,
    error::{Error, Result},
    list::{self, UniqueNames},
    list::{ChannelReadiness, count_readiness},
};

use super::super::ViewSpec;
use crate::grid::tests::test_core::TestCore;

/// Numbers with their problem on SMS and on WhatsApp.
const NUMBERS: [(&str, Option<Readiness>, Option<Readiness>); 6] = [
    ("+447700900001", None, None),
    ("+447700900002", None, None),
    ("+12025550123", None, None),
    ("+442079460001", Some(Readiness::Landline), None),
    ("+441632960001", Some(Readiness::Landline), None),
    ("+4470", Some(Readiness::Invalid), Some(Readiness::Invalid)),
];

#[derive(Debug, Clone)]
struct Person {
    /// Positions among the numbers for SMS and WhatsApp.
    numbers: [Option<usize>; 2],
    has_draft: [bool; 2],
}

#[derive(Debug, Clone)]
struct Refusal {
    number: usize,
    channel: usize,
    /// The position of the asset, or `None` for the whole account. The last asset was removed from the account.
    asset: Option<usize>,
}

fn any_person() -> impl Strategy<Value = Person> {
    let number = || option::weighted(0.8, 0..NUMBERS.len());
    let has_draft = || prop::bool::weighted(0.15);
    ([number(), number()], [has_draft(), has_draft()]).prop_map(|(numbers, has_draft)| Person {
        numbers: if numbers == [None, None] { [Some(0), None] } else { numbers },
        has_draft,
    })
}

fn any_refusal() -> impl Strategy<Value = Refusal> {
    let asset = select(vec![None, Some(0), Some(1), Some(2)]);
    (0..NUMBERS.len(), 0..2_usize, asset).prop_map(|(number, channel, asset)| Refusal { number, channel, asset })
}

/// Returns the readiness of one person by the documented rules.
fn expected_readiness(people: &[Person], at: usize, channel: usize, is_out: impl Fn(usize) -> bool) -> Readiness {
    let Person { numbers, has_draft } = &people[at];
    let fault = |number: usize| [NUMBERS[number].1, NUMBERS[number].2][channel];
    match numbers[channel] {
        Some(number) if is_out(number) => Readiness::OptedOut,
        _ if has_draft[channel] => Readiness::Invalid,
        None => Readiness::NoNumber,
        Some(number) => fault(number).unwrap_or_else(|| {
            let gets_it = |other: &Person| other.numbers[channel] == Some(number) && !other.has_draft[channel];
            if people[..at].iter().any(gets_it) { Readiness::Duplicate } else { Readiness::Ready }
        }),
    }
}

fn ctx() -> Ctx {
    Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 1)
}

fn me() -> Actor {
    Actor::user(None)
}

fn number_field(channel: usize) -> ContactField {
    [ContactField::PhoneNumber, ContactField::WhatsappId][channel]
}

/// Adds two assets of each channel, and one that is removed again.
fn add_assets(core: &Core) -> [Vec<AssetId>; 2] {
    Channel::ALL.map(|channel| {
        let add = |number| asset::add(core, &me(), channel, number).unwrap().id;
        let ids = ["+447700900101", "+447700900102", "+447700900103"].map(add);
        asset::remove(core, &me(), &ids[2]).unwrap();
        ids.to_vec()
    })
}

/// Adds the people to a list in their order, and returns their rows.
fn add_people(core: &Core, list: &ListId, people: &[Person]) -> Vec<i64> {
    let row_of = |uid: &ContactId| core.read(|tx| Ok(list_view::row_of(tx, uid)?.unwrap())).unwrap();
    let mut rows = Vec::new();
    for Person { numbers, has_draft } in people {
        let named = |at: usize| (number_field(at).name().into_owned(), Some("+447700900009".to_owned()));
        let given = (0..2).filter(|at| numbers[*at].is_some()).map(named);
        let uid = contact::add(core, &me(), list, &FieldValues::from_iter(given), None).unwrap().uid;
        let row = row_of(&uid);
        let written: Result<()> = core.write(&me(), |tx| {
            for at in 0..2 {
                if let Some(number) = numbers[at] {
                    let text = Some(NUMBERS[number].0.to_owned());
                    list_view::set_fields(tx, &uid, &[(number_field(at), text)], core.ctx().now())?;
                }
                if has_draft[at] {
                    drafts::set_draft(tx, row, &number_field(at).name(), Some("0770"))?;
                }
            }
            tx.log_change(ChangeLogEntry::single(Noun::Contact, ChangeAction::Updated, list));
            Ok(())
        });
        written.unwrap();
        rows.push(row);
    }
    rows
}

fn add_refusals(core: &Core, refusals: &[Refusal], assets: &[Vec<AssetId>; 2]) {
    let written: Result<()> = core.write(&me(), |tx| {
        for Refusal { number, channel, asset } in refusals {
            let record = OptOut {
                number: NUMBERS[*number].0.to_owned(),
                channel: Channel::ALL[*channel],
                scope: asset.map_or(OptOutRecordScope::Account, |asset| {
                    OptOutRecordScope::Asset(assets[*channel][asset].clone())
                }),
                kind: OptOutType::ApiImport,
                inbound: None,
                time: core.ctx().now(),
            };
            opt_outs::insert(tx, &record)?;
        }
        tx.log_change(ChangeLogEntry::bulk(Noun::OptOut, ChangeAction::Created, refusals.len() as u64));
        Ok(())
    });
    written.unwrap();
}

/// Returns the rows that the grid shows under a filter.
fn filter_rows(core: &TestCore, list: &ListId, condition: FilterCondition) -> BTreeSet<i64> {
    let spec = ViewSpec {
        list: list.clone(),
        filter: Some(FilterExpression::Is(condition)),
        text: None,
        sort: Vec::new(),
        has_deleted: false,
    };
    let (view, mut state) = core.grid().open(core, spec).unwrap();
    while state.is_building {
        state = core.grid().read_status(core, view, None, Duration::from_secs(5)).unwrap();
    }
    assert_eq!(state.fault, None);
    core.grid().row_ids(view, &RowIntervals::all_below(state.total)).unwrap().into_iter().collect()
}

proptest! {
    #![proptest_config(Config { cases: 60, failure_persistence: None, ..Config::default() })]

    #[test]
    fn every_contact_is_counted_once_and_found_by_the_filter(
        people in vec(any_person(), 0..12),
        others in vec(any_person(), 0..3),
        refusals in vec(any_refusal(), 0..8),
    ) {
        let core = TestCore::from(Core::in_memory(ctx()).unwrap());
        let create = |name| list::create(&core, &me(), name, UniqueNames::Off).unwrap().uid;
        let (list, other) = (create("Spring"), create("Autumn"));
        let assets = add_assets(&core);
        add_people(&core, &other, &others);
        let rows = add_people(&core, &list, &people);
        add_refusals(&core, &refusals, &assets);

        let counted = count_readiness(&core, &list, &Arc::default()).unwrap();
        prop_assert_eq!(counted.contacts, people.len() as u64);
        prop_assert_eq!(counted.channels.len(), 2);
        for (channel, counted) in counted.channels.iter().enumerate() {
            prop_assert_eq!(counted.channel, Channel::ALL[channel]);
            let ids: Vec<&AssetId> = counted.assets.iter().map(|asset| &asset.asset).collect();
            prop_assert_eq!(ids, assets[channel][..2].iter().collect::<Vec<_>>(), "without the one that is gone");
            let all = std::iter::once((None, counted.counts));
            for (asset, counts) in all.chain(counted.assets.iter().enumerate().map(|(at, by)| (Some(at), by.counts))) {
                let is_out = |number: usize| {
                    let mut by = refusals.iter().filter(|by| by.number == number && by.channel == channel);
                    by.any(|by| asset.is_none() || by.asset.is_none() || by.asset == asset)
                };
                let statuses: Vec<_> = (0..people.len()).map(|at| expected_readiness(&people, at, channel, is_out)).collect();
                for status in Readiness::ALL {
                    let fits = |at: &usize| statuses[*at] == status;
                    let wanted: BTreeSet<i64> = (0..people.len()).filter(fits).map(|at| rows[at]).collect();
                    let context = format!("{status:?} on {:?} by asset {asset:?}", counted.channel);
                    prop_assert_eq!(counts.count_of(status), wanted.len() as u64, "{}", context);
                    let condition = FilterCondition::Readiness {
                        status,
                        channel: counted.channel,
                        asset: asset.map(|at| assets[channel][at].clone()),
                        is: true,
                    };
                    prop_assert_eq!(filter_rows(&core, &list, condition), wanted, "{}", context);
                }
            }
        }
    }
}

#[test]
fn all_counts_are_of_one_state_while_contacts_are_added() {
    let folder = tempfile::tempdir().unwrap();
    let core = TestCore::from(Core::open(&folder.path().join("account.roost"), ctx()).unwrap());
    let list = list::create(&core, &me(), "Spring", UniqueNames::Off).unwrap().uid;
    let add = |number: usize| {
        let phone = ("phone_number".to_owned(), Some(format!("+4477009000{:02}", number % 50)));
        contact::add(&core, &me(), &list, &FieldValues::from([phone]), None).unwrap();
    };
    thread::scope(|scope| {
        let adding = scope.spawn(|| (0..100).for_each(add));
        loop {
            let is_last = adding.is_finished();
            let counted = count_readiness(&core, &list, &Arc::default()).unwrap();
            for ChannelReadiness { channel, counts, .. } in &counted.channels {
                let sum: u64 = Readiness::ALL.into_iter().map(|status| counts.count_of(status)).sum();
                assert_eq!(sum, counted.contacts, "{channel:?}");
            }
            if is_last {
                let [sms, whatsapp] = &counted.channels[..] else { panic!("two channels") };
                assert_eq!((sms.counts.ready, sms.counts.duplicate), (50, 50));
                assert_eq!(whatsapp.counts.no_number, 100);
                break;
            }
        }
    });
}

#[test]
fn counting_can_be_cancelled_and_an_unknown_list_is_not_found() {
    let core = TestCore::from(Core::in_memory(ctx()).unwrap());
    let list = list::create(&core, &me(), "Spring", UniqueNames::Off).unwrap().uid;
    let watch = Arc::new(Watch::default());
    watch.cancel();
    let cancelled = count_readiness(&core, &list, &watch).unwrap_err();
    assert!(matches!(cancelled, Error::Store(StoreError::Cancelled)), "{cancelled:?}");
    list::delete(&core, &me(), &list).unwrap();
    let missing = count_readiness(&core, &list, &Arc::default()).unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing:?}");
}

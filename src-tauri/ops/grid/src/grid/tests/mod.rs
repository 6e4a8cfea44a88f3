//! Tests views: building, staleness, limits and closing.

mod dates;
mod edge;
mod export;
mod model;
mod readiness;
mod reading;
pub(crate) mod test_core;

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use roost_model::{
    contact::{Attribute, ContactField},
    filter,
    id::{ContactId, ListId},
    page::SortOrder,
    time::Timestamp,
};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry, Noun},
    watch::Watch,
};
use serde_json::{Value, json};

use crate::grid::tests::test_core::TestCore;

use super::{ViewId, ViewSpec, ViewStatus, build};
use roost_ops::{
    Actor, Core, Ctx,
    contact::{self, FieldValues},
    ctx::Clock,
    error::{Error, Result},
    list,
};

pub(crate) struct GridAccount {
    pub core: TestCore,
    pub list: ListId,
}

fn ctx() -> Ctx {
    Ctx::seeded(Clock::fixed(Timestamp::from_unix(1_767_603_600)), 1)
}

pub(crate) fn me() -> Actor {
    Actor::user(None)
}

impl GridAccount {
    pub(crate) fn new() -> Self {
        Self::from_core(Core::in_memory(ctx()).unwrap())
    }

    pub(crate) fn in_file(path: &Path) -> Self {
        Self::from_core(Core::open(path, ctx()).unwrap())
    }

    fn from_core(core: Core) -> Self {
        let list = list::create(&core, &me(), "Everybody", list::UniqueNames::Off).unwrap().uid;
        Self { core: core.into(), list }
    }

    pub(crate) fn add_contact(&self, number: u32, values: &[(&str, &str)]) -> ContactId {
        let values = contact_values(values, number);
        contact::add(&self.core, &me(), &self.list, &values, Some("GB")).unwrap().uid
    }

    /// Adds many contacts at once.
    pub(crate) fn paste_rows(&self, rows: impl Iterator<Item = FieldValues>) {
        let rows: Vec<FieldValues> = rows.collect();
        assert_eq!(contact::paste(&self.core, &me(), &self.list, &rows, Some("GB")).unwrap().faults, []);
    }

    pub(crate) fn set_field(&self, uid: &ContactId, field: &str, text: Option<&str>) {
        let values = FieldValues::from([(field.to_owned(), text.map(str::to_owned))]);
        contact::update(&self.core, &me(), uid, &values, None).unwrap();
    }

    pub(crate) fn view_spec(&self, filter: Value, sort: &[(&str, SortOrder)]) -> ViewSpec {
        let filter = (!filter.is_null()).then(|| filter::parse_filter(&filter, "filter", &|n| n <= 3).unwrap());
        let sort: Vec<_> = sort.iter().map(|(name, order)| ((*name).to_owned(), *order)).collect();
        let sort = filter::parse_sort(&sort, "sort", &|n| n <= 3).unwrap();
        ViewSpec { list: self.list.clone(), filter, text: None, sort, has_deleted: false }
    }

    pub(crate) fn open_view(&self, spec: ViewSpec) -> ViewId {
        let (view, _) = self.core.grid().open(&self.core, spec).unwrap();
        self.wait_until_built(view);
        view
    }

    /// Waits until the view is built.
    pub(crate) fn wait_until_built(&self, view: ViewId) -> ViewStatus {
        loop {
            let state = self.core.grid().read_status(&self.core, view, None, Duration::from_secs(5)).unwrap();
            if !state.is_building {
                return state;
            }
        }
    }

    pub(crate) fn refresh(&self, view: ViewId) -> ViewStatus {
        self.core.grid().refresh(&self.core, view).unwrap();
        self.wait_until_built(view)
    }

    pub(crate) fn read_status(&self, view: ViewId) -> ViewStatus {
        self.core.grid().read_status(&self.core, view, None, Duration::ZERO).unwrap()
    }

    /// Returns one column of all rows, and their flags.
    pub(crate) fn read_column(&self, view: ViewId, column: &str) -> (Vec<Option<String>>, Vec<u8>) {
        let total = self.read_status(view).total;
        let (mut texts, mut flags) = (Vec::new(), Vec::new());
        for from in (0..total).step_by(1_000) {
            let bytes =
                self.core.grid().read_window(&self.core, view, None, from, 1_000, &[column.to_owned()]).unwrap();
            let window = read_window(&bytes);
            flags.extend(window.flags);
            texts.extend(window.columns.into_iter().next().unwrap());
        }
        (texts, flags)
    }

    pub(crate) fn uids(&self, view: ViewId) -> Vec<String> {
        self.read_column(view, "uid").0.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Runs `f` in one step, and returns the step.
    pub(crate) fn write_step(&self, f: impl FnOnce(&roost_store::tx::WriteTx)) -> i64 {
        let step: Result<i64> = self.core.write(&me(), |tx| {
            f(tx);
            tx.log_change(ChangeLogEntry::single(Noun::List, ChangeAction::Updated, &self.list));
            Ok(tx.step())
        });
        step.unwrap()
    }
}

pub(crate) fn contact_values(values: &[(&str, &str)], number: u32) -> FieldValues {
    let phone = ("phone_number".to_owned(), Some(format!("+44770090{:04}", number % 1_000)));
    std::iter::once(phone)
        .chain(values.iter().map(|(name, text)| ((*name).to_owned(), Some((*text).to_owned()))))
        .collect()
}

pub(crate) struct DecodedWindow {
    pub generation: u32,
    pub from: u32,
    pub flags: Vec<u8>,
    pub columns: Vec<Vec<Option<String>>>,
    pub cells: Vec<Vec<u8>>,
}

/// Decodes a window as a page does.
pub(crate) fn read_window(bytes: &[u8]) -> DecodedWindow {
    let mut at = 0;
    let mut take = |len: usize| {
        let part = &bytes[at..at + len];
        at += len.next_multiple_of(4);
        part
    };
    let number = |part: &[u8]| u32::from_le_bytes(part.try_into().unwrap());
    assert_eq!(take(4), b"RRG1");
    let [generation, from, rows, columns] = [(); 4].map(|()| number(take(4)));
    let flags = take(rows as usize).to_vec();
    let (mut texts, mut cells) = (Vec::new(), Vec::new());
    for _ in 0..columns {
        let offsets: Vec<usize> = (0..=rows).map(|_| number(take(4)) as usize).collect();
        let bits = take(rows as usize).to_vec();
        let text = take(offsets[rows as usize]);
        let cell = |row: usize| {
            let text = std::str::from_utf8(&text[offsets[row]..offsets[row + 1]]).unwrap();
            (bits[row] & 1 == 0).then(|| text.to_owned())
        };
        texts.push((0..rows as usize).map(cell).collect());
        cells.push(bits);
    }
    assert_eq!(at, bytes.len(), "nothing behind the last column");
    DecodedWindow { generation, from, flags, columns: texts, cells }
}

pub(crate) const CITY: ContactField = ContactField::Attribute(Attribute::City);

#[test]
fn rows_edited_under_a_filter_stay_until_the_next_refresh() {
    let account = GridAccount::new();
    for (number, city) in ["London", "Leeds", "Paris", "London"].into_iter().enumerate() {
        account.add_contact(number as u32, &[("city", city)]);
    }
    let filter = json!({ "field": "city", "op": "is", "value": "london" });
    let view = account.open_view(account.view_spec(filter, &[]));
    let (grid, core) = (account.core.grid(), &account.core);
    let ids = grid.row_ids(view, &roost_model::intervals::RowIntervals::all_below(9)).unwrap();
    assert_eq!(ids.len(), 2);
    let all = account.open_view(account.view_spec(Value::Null, &[]));

    let uid = ContactId::parse(&account.uids(view)[0]).unwrap();
    let step = account.write_step(|tx| {
        roost_store::tables::contacts::list_view::set_fields(
            tx,
            &uid,
            &[(CITY, Some("Rome".to_owned()))],
            Timestamp::from_unix(0),
        )
        .unwrap();
    });
    grid.mark_edited(core, view, step, &ids[..1]).unwrap();
    let (cities, flags) = account.read_column(view, "city");
    assert_eq!(cities, [Some("Rome".to_owned()), Some("London".to_owned())]);
    assert_eq!(flags.iter().map(|bits| bits >> 5 & 1).collect::<Vec<_>>(), [1, 0], "marked as left");
    assert!(!account.read_status(view).is_stale, "it made the change itself");
    assert!(account.read_status(all).is_stale, "for another view it is somebody else's");

    let before = account.read_status(view).generation;
    let state = account.refresh(view);
    assert_eq!((state.total, state.is_exact, state.generation), (1, true, before + 1));
    assert_eq!(account.read_column(view, "city").1, [0]);
}

#[test]
fn new_rows_come_last_and_deleted_rows_disappear_at_once() {
    let account = GridAccount::new();
    for number in 0..5 {
        account.add_contact(number, &[]);
    }
    let view = account.open_view(account.view_spec(Value::Null, &[]));
    let (grid, core) = (account.core.grid(), &account.core);
    let before = account.uids(view);
    let generation = account.read_status(view).generation;
    account.core.ctx().advance(1);
    let new = account.add_contact(7, &[("city", "Oslo")]);
    assert!(account.read_status(view).is_stale, "added past the view");
    let id = core.read(|tx| Ok(roost_store::tables::contacts::list_view::row_of(tx, &new)?)).unwrap().unwrap();
    assert_eq!(grid.append_rows(view, -1, &[id]).unwrap(), 5);
    assert_eq!(account.uids(view), [before.clone(), vec![new.to_string()]].concat());
    assert_eq!(account.read_status(view).generation, generation, "no row has another place");

    let ids = grid.row_ids(view, &roost_model::intervals::RowIntervals::new(vec![(1, 3)]).unwrap()).unwrap();
    for uid in &before[1..3] {
        contact::delete(core, &me(), &ContactId::parse(uid).unwrap()).unwrap();
    }
    assert_eq!(
        account.read_column(view, "uid").1.iter().map(|bits| bits >> 4 & 1).collect::<Vec<_>>(),
        [0, 1, 1, 0, 0, 0]
    );
    grid.remove_rows(view, -1, &ids).unwrap();
    assert_eq!(account.read_status(view).generation, generation + 1);
    assert_eq!(account.uids(view).len(), 4);
    account.refresh(view);
    assert_eq!(account.uids(view)[0], new.to_string(), "newest first again");
}

#[test]
fn a_cancelled_building_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let account = GridAccount::in_file(&folder.path().join("account.roost"));
    account.paste_rows((0..3_000).map(|n| contact_values(&[("city", "London")], n)));
    let spec =
        account.view_spec(json!({ "field": "city", "op": "matches", "value": "l" }), &[("city", SortOrder::Ascending)]);
    let watch = Arc::new(Watch::default());
    watch.cancel();
    let ended = build::build_view(&account.core, &account.core.grid().caches, &spec, &watch);
    assert!(matches!(ended, Err(Error::Store(roost_store::error::StoreError::Cancelled))));
    assert_eq!(watch.rows(), 0);
    // The connections are free again and in no transaction, and nobody waits for them.
    account.add_contact(1, &[("city", "London")]);
    let view = account.open_view(spec);
    assert_eq!(account.read_status(view).total, 3_001);
    account.core.grid().refresh(&account.core, view).unwrap();
    account.core.grid().cancel(view).unwrap();
    let state = account.read_status(view);
    assert!(!state.is_building && state.total == 3_001, "what was there still answers");
    account.core.grid().close_all();
    assert!(account.core.grid().read_status(&account.core, view, None, Duration::ZERO).is_err());
}

#[test]
fn an_account_can_be_opened_again_as_soon_as_its_views_are_built_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("account.roost");
    for _ in 0..40 {
        let account = GridAccount::in_file(&path);
        account.open_view(account.view_spec(Value::Null, &[]));
        account.core.grid().close_all();
    }
}

#[test]
fn nothing_typed_is_part_of_a_statement() {
    let account = GridAccount::new();
    account.add_contact(1, &[("city", "x' OR '1'='1"), ("lastname", "O\"Neill; --")]);
    account.add_contact(2, &[("city", "London")]);
    for evil in ["' OR 1=1 --", "x'); DROP TABLE contacts; --", "\"", "%", "_", "\\", "\u{0}", "?1", "🐦"] {
        for op in ["is", "contains", "starts", "ends", "is_not"] {
            for case in [true, false] {
                let filter = json!({ "field": "city", "op": op, "value": evil, "case": case });
                let view = account.open_view(account.view_spec(filter, &[]));
                let state = account.read_status(view);
                assert_eq!(state.fault, None);
                let expected = if op == "is_not" { 2 } else { 0 };
                assert_eq!(state.total, expected, "{op} {evil} {case}");
                account.core.grid().close(view);
            }
        }
        let one_of = account.open_view(account.view_spec(json!({ "field": "city", "one_of": [evil, null] }), &[]));
        assert_eq!(account.read_status(one_of).total, 0);
    }
    let found = account.open_view(account.view_spec(json!({ "field": "city", "one_of": ["x' OR '1'='1"] }), &[]));
    assert_eq!(account.read_status(found).total, 1);
}

#[test]
fn conditions_on_more_than_texts_find_what_they_say() {
    let account = GridAccount::new();
    let other = list::create(&account.core, &me(), "Others", list::UniqueNames::Off).unwrap().uid;
    let twins = [
        account.add_contact(1, &[("email_address", "A@x.example")]),
        account.add_contact(1, &[("email_address", "a@X.example")]),
    ];
    let third = account.add_contact(3, &[]);
    contact::add(&account.core, &me(), &other, &contact_values(&[], 3), Some("GB")).unwrap();
    let found = |filter: Value| {
        let view = account.open_view(account.view_spec(filter, &[]));
        let mut uids = account.uids(view);
        uids.sort();
        account.core.grid().close(view);
        uids
    };
    let uids = |expected: &[&ContactId]| {
        let mut uids: Vec<String> = expected.iter().map(|uid| uid.to_string()).collect();
        uids.sort();
        uids
    };
    let everybody = uids(&[&twins[0], &twins[1], &third]);
    for by in ["phone", "email"] {
        assert_eq!(found(json!({ "duplicate": by })), uids(&[&twins[0], &twins[1]]), "{by}");
        assert_eq!(found(json!({ "duplicate": by, "is": false })), uids(&[&third]), "{by}");
    }
    assert_eq!(found(json!({ "in_list": other.as_str() })), uids(&[&third]));
    assert_eq!(found(json!({ "not": { "in_list": other.as_str() } })), uids(&[&twins[0], &twins[1]]));
    assert_eq!(found(json!({ "in_list": format!("LST_{}", "0".repeat(27)) })), [] as [String; 0]);
    assert_eq!(found(json!({ "opted_out": "any", "is": false })), everybody);
    assert_eq!(found(json!({ "draft": true })), [] as [String; 0]);
    assert_eq!(found(json!({ "field": "whatsapp_id", "blank": true })), everybody);
    assert_eq!(found(json!({ "field": "created_at", "time": "on", "value": "2026-01-05" })), everybody);
    assert_eq!(found(json!({ "field": "updated_at", "time": "after", "value": "1970-01-01" })), [] as [String; 0]);
    assert_eq!(found(json!({ "field": "created_at", "time": "within_days", "value": "1" })), everybody);
    assert_eq!(
        found(json!({ "any": [{ "draft": true }, { "field": "phone_number", "op": "ends", "value": "003" }] })),
        uids(&[&third])
    );
}

/// Returns the keys and values of a map for a person.
pub(crate) fn value_map(values: &[(&str, Option<&str>)]) -> BTreeMap<String, Option<String>> {
    values.iter().map(|(name, text)| ((*name).to_owned(), text.map(str::to_owned))).collect()
}

#[test]
fn only_eight_views_are_kept() {
    let account = GridAccount::new();
    let views: Vec<ViewId> = (0..9).map(|_| account.open_view(account.view_spec(Value::Null, &[]))).collect();
    let grid = account.core.grid();
    let error = grid.read_status(&account.core, views[0], None, Duration::ZERO).unwrap_err();
    assert!(matches!(error, Error::Conflict { .. }), "{error}");
    assert!(grid.spec(views[1]).is_ok() && grid.spec(views[8]).is_ok());
    grid.close(views[8]);
    grid.close(views[8]);
    assert!(grid.spec(views[8]).is_err());
}

#[test]
fn a_replaced_account_closes_what_windows_looked_at_and_allows_new_views() {
    let account = GridAccount::new();
    let spec = account.view_spec(Value::Null, &[]);
    let (view, _) = account.core.grid().open(&account.core, spec.clone()).unwrap();
    account.core.replace(&account.core.image().unwrap()).unwrap();
    assert!(account.core.grid().row_ids(view, &roost_model::intervals::RowIntervals::default()).is_err());
    account.core.grid().open(&account.core, spec).unwrap();
}

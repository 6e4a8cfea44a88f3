//! Tests random contacts, filters, orders and edits: a view equals the result of sorting and filtering in memory.

use proptest::{collection::vec, option, prelude::*, test_runner::Config};
use roost_model::{id::ContactId, page::SortOrder};
use serde_json::{Value, json};

use super::{
    super::{ViewSpec, order},
    GridAccount, contact_values, value_map,
};
use roost_ops::contact;

#[derive(Debug, Clone)]
struct Person {
    uid: String,
    city: Option<String>,
    lastname: Option<String>,
}

impl Person {
    fn stored_text(&self, field: &str) -> Option<&str> {
        match field {
            "city" => self.city.as_deref(),
            _ => self.lastname.as_deref(),
        }
    }
}

/// Returns the expected people. All are created in the same second, so equal ones stay in the order of creation.
fn expected_uids(
    people: &[Person],
    condition: &FieldCondition,
    sort: &[(&'static str, SortOrder)],
    text: &str,
) -> Vec<String> {
    let collator = order::new_collator().unwrap();
    let mut found: Vec<&Person> = people
        .iter()
        .filter(|person| condition.is_match(person))
        .filter(|person| {
            let has = |value: Option<&str>| value.is_some_and(|value| value.to_lowercase().contains(text));
            text.is_empty() || has(person.city.as_deref()) || has(person.lastname.as_deref())
        })
        .collect();
    found.sort_by(|a, b| {
        sort.iter()
            .map(|(field, order)| match (a.stored_text(field), b.stored_text(field), order) {
                (Some(a), Some(b), SortOrder::Ascending) => collator.compare(a, b),
                (Some(a), Some(b), SortOrder::Descending) => collator.compare(b, a),
                (a, b, _) => a.is_none().cmp(&b.is_none()),
            })
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    found.into_iter().map(|person| person.uid.clone()).collect()
}

#[derive(Debug, Clone)]
struct FieldCondition {
    field: &'static str,
    op: &'static str,
    value: String,
    case: bool,
}

impl FieldCondition {
    fn json(&self) -> Value {
        json!({ "field": self.field, "op": self.op, "value": self.value, "case": self.case })
    }

    fn is_match(&self, person: &Person) -> bool {
        let fold = |text: &str| if self.case { text.to_owned() } else { text.to_lowercase() };
        let part = fold(&self.value);
        let has = |fits: &dyn Fn(&str) -> bool| person.stored_text(self.field).is_some_and(|text| fits(&fold(text)));
        match self.op {
            "is" => has(&|text| text == part),
            "is_not" => !has(&|text| text == part),
            "contains" => has(&|text| text.contains(&part)),
            "contains_not" => !has(&|text| text.contains(&part)),
            "starts" => has(&|text| text.starts_with(&part)),
            "ends" => has(&|text| text.ends_with(&part)),
            "matches" => has(&|text| text.contains(&part)),
            _ => !has(&|text| text.contains(&part)),
        }
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[abAB]{1,2}", Just("É".to_owned()), Just("é".to_owned()), Just("9".to_owned()), Just("10".to_owned())]
}

fn any_field() -> impl Strategy<Value = &'static str> {
    prop_oneof![Just("city"), Just("lastname")]
}

fn any_condition() -> impl Strategy<Value = FieldCondition> {
    let ops = prop::sample::select(vec![
        "is",
        "is_not",
        "contains",
        "contains_not",
        "starts",
        "ends",
        "matches",
        "matches_not",
    ]);
    (any_field(), ops, any_text(), any::<bool>()).prop_map(|(field, op, value, case)| FieldCondition {
        field,
        op,
        value,
        case,
    })
}

fn any_sort() -> impl Strategy<Value = Vec<(&'static str, SortOrder)>> {
    let key = (any_field(), prop_oneof![Just(SortOrder::Ascending), Just(SortOrder::Descending)]);
    vec(key, 0..3).prop_map(|mut keys| {
        if keys.len() == 2 && keys[0].0 == keys[1].0 {
            keys.pop();
        }
        keys
    })
}

#[derive(Debug, Clone)]
enum RandomEdit {
    Set(usize, &'static str, Option<String>),
    Add(Option<String>),
    Delete(usize),
    Undo,
}

fn any_edit() -> impl Strategy<Value = RandomEdit> {
    prop_oneof![
        4 => (any::<usize>(), any_field(), option::of(any_text())).prop_map(|(at, field, text)| RandomEdit::Set(at, field, text)),
        2 => option::of(any_text()).prop_map(RandomEdit::Add),
        1 => any::<usize>().prop_map(RandomEdit::Delete),
        1 => Just(RandomEdit::Undo),
    ]
}

struct PlayedHistory {
    account: GridAccount,
    people: Vec<Person>,
    before: Vec<Vec<Person>>,
}

impl PlayedHistory {
    fn new(given: &[(Option<String>, Option<String>)]) -> Self {
        let mut played = Self { account: GridAccount::new(), people: Vec::new(), before: Vec::new() };
        given.iter().for_each(|(city, lastname)| played.add_person(city.clone(), lastname.clone()));
        played
    }

    fn add_person(&mut self, city: Option<String>, lastname: Option<String>) {
        let mut wanted = contact_values(&[], self.people.len() as u32);
        wanted.extend(value_map(&[("city", city.as_deref()), ("lastname", lastname.as_deref())]));
        let made = contact::add(&self.account.core, &super::me(), &self.account.list, &wanted, Some("GB")).unwrap();
        self.before.push(self.people.clone());
        self.people.push(Person { uid: made.uid.to_string(), city, lastname });
    }

    fn apply_edit(&mut self, edit: &RandomEdit) {
        let count = self.people.len();
        match edit {
            RandomEdit::Add(city) => self.add_person(city.clone(), None),
            RandomEdit::Undo => {
                if let Some(before) = self.before.pop() {
                    roost_ops::history::undo(&self.account.core, &super::me()).unwrap();
                    self.people = before;
                }
            }
            _ if count == 0 => {}
            RandomEdit::Set(at, field, text) => {
                let person = &mut self.people[at % count];
                if person.stored_text(field) == text.as_deref() {
                    return;
                }
                let uid = ContactId::parse(&person.uid).unwrap();
                self.account.set_field(&uid, field, text.as_deref());
                self.before.push(self.people.clone());
                let person = &mut self.people[at % count];
                if *field == "city" { person.city = text.clone() } else { person.lastname = text.clone() }
            }
            RandomEdit::Delete(at) => {
                let uid = ContactId::parse(&self.people[at % count].uid).unwrap();
                contact::delete(&self.account.core, &super::me(), &uid).unwrap();
                self.before.push(self.people.clone());
                self.people.remove(at % count);
            }
        }
    }
}

proptest! {
    #![proptest_config(Config { cases: 40, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_view_says_what_a_simple_model_says(
        given in vec((option::of(any_text()), option::of(any_text())), 0..10),
        condition in any_condition(),
        sort in any_sort(),
        searched in prop_oneof![Just(String::new()), "[ab]{1,2}", Just("é".to_owned())],
        edits in vec(any_edit(), 0..8),
    ) {
        let mut played = PlayedHistory::new(&given);
        let filter = played.account.view_spec(condition.json(), &sort);
        let spec = ViewSpec { text: Some(searched.clone()), ..filter };
        let view = played.account.open_view(spec.clone());
        let with_pool = played.account.core.grid();
        prop_assert_eq!(
            played.account.uids(view), expected_uids(&played.people, &condition, &sort, &searched), "as it was opened"
        );
        // From here on, searches are answered from memory, which must follow every edit.
        with_pool.caches.pools.start_filling(&played.account.core, &played.account.list);
        while with_pool.is_preparing() {
            std::thread::yield_now();
        }
        for edit in &edits {
            played.apply_edit(edit);
            let state = played.account.refresh(view);
            prop_assert!(state.is_exact && !state.is_stale && state.fault.is_none(), "{:?}", state);
            let expected = expected_uids(&played.people, &condition, &sort, &searched);
            prop_assert_eq!(state.total, expected.len() as u64);
            prop_assert_eq!(played.account.uids(view), expected, "after {:?}", edit);
        }
    }
}

/// The list is long enough to be read in ranges by two threads.
#[test]
fn a_long_list_is_in_the_same_order_whatever_way_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let account = GridAccount::in_file(&folder.path().join("account.roost"));
    let row = |n: u32| {
        let city = format!("Town {}", n * 7 % 13);
        let lastname = format!("Name {}", n * 31 % 2_003);
        if n.is_multiple_of(17) {
            contact_values(&[("city", &city)], n)
        } else {
            contact_values(&[("city", &city), ("lastname", &lastname)], n)
        }
    };
    account.paste_rows((0..2_500).map(row));
    let sort = [("city", SortOrder::Descending), ("lastname", SortOrder::Ascending)];
    let view =
        account.open_view(account.view_spec(json!({ "field": "city", "op": "contains", "value": "town 1" }), &sort));
    let (uids, cities, names) =
        (account.uids(view), account.read_column(view, "city").0, account.read_column(view, "lastname").0);
    let people: Vec<Person> = uids
        .iter()
        .zip(cities.iter().zip(&names))
        .map(|(uid, (city, lastname))| Person { uid: uid.clone(), city: city.clone(), lastname: lastname.clone() })
        .collect();
    let count = (0..2_500_u32).filter(|n| matches!(n * 7 % 13, 1 | 10..)).count();
    assert_eq!(people.len(), count);
    let mut made = people.clone();
    made.sort_by(|a, b| a.uid.cmp(&b.uid));
    let everyone = FieldCondition { field: "city", op: "is_not", value: "?".into(), case: true };
    assert_eq!(uids, expected_uids(&made, &everyone, &sort, ""));
}

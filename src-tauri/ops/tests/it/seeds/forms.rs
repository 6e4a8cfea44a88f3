//! Seeds in every form: whatever an account went through, the account made from it does not differ.

use proptest::{collection::vec, prelude::*};
use roost_ops::{
    By, Core, asset, custom_field,
    diff::{self, Ask, Diff},
    overview,
    seed::{self, Form, SeedError},
    short_link,
};
use serde_json::Value;

use crate::{
    seeds::{BASE, Life, act, exported},
    support::{account, cases, check, every_list, find},
};

pub fn written(core: &Core, form: Form) -> String {
    let mut out = Vec::new();
    seed::export_as(core, BASE, form, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What differs, but for jobs, which no seed holds.
pub fn difference(before: &Core, after: &Core) -> Diff {
    let ask = Ask { own_base: BASE.to_owned(), ignored: diff::ignored("jobs").unwrap(), limit: 10 };
    diff::between(&before.image().unwrap(), &after.image().unwrap(), &ask).unwrap()
}

fn planted(text: &str) -> Result<Core, SeedError> {
    let core = account();
    seed::apply(&core, &By::operator(), text.as_bytes(), BASE)?;
    check(&core);
    Ok(core)
}

fn faulty(text: &str) -> (String, String) {
    match planted(text) {
        Err(SeedError::Faulty { path, message }) => (path, message),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("taken: {text}"),
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn an_account_made_from_any_form_does_not_differ(acts in vec(act(), 0..60)) {
        let core = account();
        let mut life = Life::default();
        for act in acts {
            life.live(&core, act);
        }
        for form in [Form::Json, Form::Yaml] {
            let text = written(&core, form);
            let again = planted(&text);
            prop_assert!(again.is_ok(), "{:?}: {:?}\n{text}", form, again.err());
            let again = again.unwrap();
            prop_assert_eq!(difference(&core, &again), Diff::default(), "{:?}\n{}", form, text);
            prop_assert_eq!(&written(&again, form), &text);
            // It goes on as the first one does: no number is used again.
            let label = |core: &Core| custom_field::add(core, &By::operator(), "Next").unwrap().number;
            let copy = core.copy_in_memory(roost_ops::Ctx::system()).unwrap();
            prop_assert_eq!(label(&again), label(&copy));
        }
        for line in written(&core, Form::Lines).lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            prop_assert!(record["resource"].is_string(), "{}", line);
        }
    }
}

/// Nothing has to stand in quotation marks that a person would not put there.
#[test]
fn a_seed_written_by_hand_is_read_as_it_is_meant() {
    let text = "\
# A shop.
senders:
  - name: AcmeShop
  - name: 60777
assets:
  - channel: SMS
    number: 60123
    keywords: [STOP, on, 1]
    enforce_account_level_opt_outs: true
custom_fields:
  - Size
  - number: 7
    label: 42
lists:
  - name: 2026
    created_at: 2026-01-05T09:00:00Z
    contacts:
      - phone_number: +447700900001
        zip: 02134
        title: null
        firstname: no
        field_1: 1e3
        created_at: 2026-01-05 09:00:00
      - &second
        phone_number: 07700900002
        lastname: ~
opt_outs:
  - number: +447700900003
    account_level_opt_out: true
short_links:
  - title: Spring
    target_url: https://shop.example/s
    tags: [2026, spring]
    track_clicks: false
";
    let core = planted(text).unwrap();
    let lists = every_list(&core);
    assert_eq!((lists[0].name.as_str(), lists[0].created_at.iso().as_str()), ("2026", "2026-01-05T09:00:00Z"));
    let contacts = find(&core, &lists[0].uid, Some("+447700900001"), None).contacts;
    let one = serde_json::to_value(exported(&core, BASE)).unwrap();
    let one = one.as_str().unwrap();
    assert_eq!(contacts[0].custom[0].as_deref(), Some("1e3"));
    for want in [
        "\"zip\":\"02134\"",
        "\"firstname\":\"no\"",
        "\"label\":\"42\"",
        "\"keywords\":[\"STOP\",\"on\",\"1\"]",
        "\"tags\":[\"2026\",\"spring\"]",
        "\"track_clicks\":false",
        "\"number\":\"60123\"",
        "+447700900002",
    ] {
        assert!(one.contains(want), "{want} in {one}");
    }
    assert!(!one.contains("\"title\":null") && !one.contains("lastname"), "{one}");
    let counts = overview::get(&core).unwrap();
    assert_eq!((counts.senders, counts.assets, counts.opt_outs), (2, 1, 1));
    assert!(asset::all(&core).unwrap()[0].enforce_account_level_opt_outs);
}

#[test]
fn what_is_wrong_with_yaml_is_told_with_its_place() {
    for (text, place, words) in [
        ("lists:\n  - nam: VIP\n", "lists[0].nam", "Did you mean 'name'"),
        ("lists:\n  - name: VIP\n    contacts:\n      - title: Dr\n", "lists[0].contacts[0]", "phone_number"),
        ("list: []\n", "list", "Did you mean 'lists'"),
        ("lists:\n  - name: [a]\n", "line 2, column 11", "not YAML"),
        ("lists:\n - name: x\n   name: y\n", "line 3, column 4", "not YAML"),
        ("lists: [\n", "line 1, column 8", "unclosed"),
        ("", "the file", "is empty"),
        (" \n", "the file", "is empty"),
        ("{", "line 1", "not JSON"),
        ("- a\n", "the file", "one object"),
        ("just words", "the file", "one object"),
        ("lists: []\n---\nlists: []\n", "", "not YAML"),
    ] {
        let (path, message) = faulty(text);
        assert!(path.starts_with(place) && message.contains(words), "{text:?}: {path}: {message}");
        assert!(!message.contains('\n'), "{message:?}");
        assert!(!message.starts_with("not ") || !message.contains(" at line "), "the place is told once: {message:?}");
    }
}

/// A few lines that would be thousands of millions of records.
#[test]
fn a_bomb_of_aliases_is_refused_before_it_goes_off() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let before = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", [before.as_str(); 10].join(", "));
    }
    assert!(faulty(&text).1.contains("not YAML"));
    let deep = format!("lists: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    assert!(faulty(&deep).1.contains("not YAML"));
    // A few of them are what they are for.
    let few = "lists:\n  - name: One\n    contacts: &all\n      - phone_number: 07700900001\n  - name: Two\n    contacts: *all\n";
    assert_eq!(overview::get(&planted(few).unwrap()).unwrap().contacts, 2);
}

#[test]
fn what_is_used_up_stays_used_up() {
    let core = account();
    let by = &By::operator();
    let field = custom_field::add(&core, by, "Gone").unwrap().number;
    custom_field::remove(&core, by, field).unwrap();
    let parts = roost_model::short_link::check_parts(Some("Gone"), Some("https://shop.example"), &[], true).unwrap();
    let link = short_link::create(&core, by, parts).unwrap();
    short_link::delete(&core, by, &link.link_id).unwrap();
    for form in [Form::Json, Form::Yaml] {
        let text = written(&core, form);
        assert!(text.contains(&link.code), "{text}");
        let again = planted(&text).unwrap();
        assert_eq!(custom_field::add(&again, by, "New").unwrap().number, field + 1);
    }
    for (used_up, words) in [
        (r#"{"custom_field_number": 0}"#, "from 1 to"),
        (r#"{"custom_field_number": "7"}"#, "from 1 to"),
        (r#"{"short_link_codes": ["a"]}"#, "letters or digits"),
        (r#"{"codes": []}"#, "unknown key"),
    ] {
        let (path, message) = faulty(&format!("{{\"used_up\": {used_up}}}"));
        assert!(path.starts_with("used_up") && message.contains(words), "{path}: {message}");
    }
}

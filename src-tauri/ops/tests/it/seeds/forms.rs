//! Tests seeds in every format: after any history, the account created from an export equals the original.

use proptest::{collection::vec, prelude::*};
use roost_ops::{
    Actor, Core, asset, custom_field,
    diff::{self, AccountDiff, DiffOptions},
    overview,
    seed::{self, SeedError, SeedFormat},
    short_link,
};
use serde_json::Value;

use crate::{
    seeds::{BASE, RandomLife, any_act, export_json},
    support::{account, cases, check, every_list, query_contacts},
};

pub(super) fn export_text(core: &Core, form: SeedFormat) -> String {
    let mut out = Vec::new();
    seed::export_as(core, BASE, form, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns the differences except jobs, which a seed does not contain.
pub(super) fn difference(before: &Core, after: &Core) -> AccountDiff {
    let ask = DiffOptions { default_base: BASE.to_owned(), ignored: diff::parse_ignored("jobs").unwrap(), limit: 10 };
    diff::compare_images(&before.image().unwrap(), &after.image().unwrap(), &ask).unwrap()
}

fn apply_text(text: &str) -> Result<Core, SeedError> {
    let core = account();
    seed::apply(&core, &Actor::operator(), text.as_bytes(), BASE)?;
    check(&core);
    Ok(core)
}

fn expect_error(text: &str) -> (String, String) {
    match apply_text(text) {
        Err(SeedError::Invalid { path, message }) => (path, message),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("taken: {text}"),
    }
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn an_account_made_from_any_form_does_not_differ(acts in vec(any_act(), 0..60)) {
        let core = account();
        let mut life = RandomLife::default();
        for act in acts {
            life.perform(&core, act);
        }
        for form in [SeedFormat::Json, SeedFormat::Yaml] {
            let text = export_text(&core, form);
            let again = apply_text(&text);
            prop_assert!(again.is_ok(), "{:?}: {:?}\n{text}", form, again.err());
            let again = again.unwrap();
            prop_assert_eq!(difference(&core, &again), AccountDiff::default(), "{:?}\n{}", form, text);
            prop_assert_eq!(&export_text(&again, form), &text);
            // The account continues as the original would: no number is used again.
            let label = |core: &Core| custom_field::add(core, &Actor::operator(), "Next").unwrap().number;
            let copy = core.copy_in_memory(roost_ops::Ctx::system()).unwrap();
            prop_assert_eq!(label(&again), label(&copy));
        }
        for line in export_text(&core, SeedFormat::Lines).lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            prop_assert!(record["resource"].is_string(), "{}", line);
        }
    }
}

/// A person needs quotation marks only where anyone would expect them.
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
    let core = apply_text(text).unwrap();
    let lists = every_list(&core);
    assert_eq!((lists[0].name.as_str(), lists[0].created_at.to_iso().as_str()), ("2026", "2026-01-05T09:00:00Z"));
    let contacts = query_contacts(&core, &lists[0].uid, Some("+447700900001"), None).contacts;
    let one = serde_json::to_value(export_json(&core, BASE)).unwrap();
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
    assert!(asset::read_all(&core).unwrap()[0].enforce_account_level_opt_outs);
}

#[test]
fn an_error_in_yaml_is_reported_with_its_position() {
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
        let (path, message) = expect_error(text);
        assert!(path.starts_with(place) && message.contains(words), "{text:?}: {path}: {message}");
        assert!(!message.contains('\n'), "{message:?}");
        assert!(!message.starts_with("not ") || !message.contains(" at line "), "the place is given once: {message:?}");
    }
}

/// A few lines with aliases would expand to billions of records.
#[test]
fn a_bomb_of_aliases_is_refused_before_it_goes_off() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..10 {
        let before = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", [before.as_str(); 10].join(", "));
    }
    assert!(expect_error(&text).1.contains("not YAML"));
    let deep = format!("lists: {}{}\n", "[".repeat(10_000), "]".repeat(10_000));
    assert!(expect_error(&deep).1.contains("not YAML"));
    // A few aliases are legitimate.
    let few = "lists:\n  - name: One\n    contacts: &all\n      - phone_number: 07700900001\n  - name: Two\n    contacts: *all\n";
    assert_eq!(overview::get(&apply_text(few).unwrap()).unwrap().contacts, 2);
}

#[test]
fn used_field_numbers_and_short_link_codes_stay_used_after_an_export() {
    let core = account();
    let by = &Actor::operator();
    let field = custom_field::add(&core, by, "Gone").unwrap().number;
    custom_field::remove(&core, by, field).unwrap();
    let parts = roost_model::short_link::check_parts(Some("Gone"), Some("https://shop.example"), &[], true).unwrap();
    let link = short_link::create(&core, by, parts).unwrap();
    short_link::delete(&core, by, &link.link_id).unwrap();
    for form in [SeedFormat::Json, SeedFormat::Yaml] {
        let text = export_text(&core, form);
        assert!(text.contains(&link.code), "{text}");
        let again = apply_text(&text).unwrap();
        assert_eq!(custom_field::add(&again, by, "New").unwrap().number, field + 1);
    }
    for (used_up, words) in [
        (r#"{"custom_field_number": 0}"#, "from 1 to"),
        (r#"{"custom_field_number": "7"}"#, "from 1 to"),
        (r#"{"short_link_codes": ["a"]}"#, "letters or digits"),
        (r#"{"codes": []}"#, "unknown key"),
    ] {
        let (path, message) = expect_error(&format!("{{\"used_up\": {used_up}}}"));
        assert!(path.starts_with("used_up") && message.contains(words), "{path}: {message}");
    }
}

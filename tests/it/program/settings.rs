//! Settings by flag and by environment variable.

use roost_emulator::SETTINGS;
use roost_tests::Spawned;
use serde_json::{Value, json};

use super::{refusal_message, run_program};

/// Returns name, default and another value of every setting.
fn documented_settings() -> [(&'static str, Value, &'static str, Value); 16] {
    [
        ("auth", json!("any"), "off", json!("off")),
        ("limits", json!("on"), "off", json!("off")),
        ("limits.per_second", json!(10), "25", json!(25)),
        ("status.list_create", json!(200), "201", json!(201)),
        ("status.contact_create", json!(200), "202", json!(202)),
        ("status.opt_out_delete", json!(200), "202", json!(202)),
        ("unknown_on_delete", json!(400), "404", json!(404)),
        ("opt_outs.entries", json!("first"), "all", json!("all")),
        ("opt_outs.asset_fields", json!("keyword"), "asset", json!("asset")),
        ("lists.unique_names", json!("off"), "on", json!("on")),
        ("short_link_base", Value::Null, "https://sl.example", json!("https://sl.example")),
        ("callback.retries", json!([60, 60, 60]), "1,2", json!([1, 2])),
        ("strict.body_fields", json!("ignore"), "refuse", json!("refuse")),
        ("strict.parameters", json!("ignore"), "warn", json!("warn")),
        ("strict.content_type", json!("ignore"), "refuse", json!("refuse")),
        ("strict.deprecated_forms", json!("ignore"), "warn", json!("warn")),
    ]
}

fn in_force(server: &Spawned) -> Value {
    server.admin().get("/__admin/settings").ok()
}

/// Proves: S0_program, D3, D25, D49, D68, D109, D55, D102, D94, D51, D124, D91.
#[test]
fn every_setting_has_its_name_and_its_default() {
    let server = Spawned::start::<&str>([]);
    let (found, documented) = (in_force(&server), documented_settings());
    for (name, default, ..) in &documented {
        assert_eq!(&found[*name], default, "{name}");
    }
    assert_eq!(found["auth.keys"], json!([]));
    let names = documented.iter().map(|(name, ..)| *name).chain(["auth.keys"]);
    let mut known: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
    let mut wanted: Vec<&str> = names.collect();
    known.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(known, wanted, "nothing else is a setting");
    let made = server
        .client()
        .post("/assets/v1/shortlink", &json!({ "title": "x", "target_url": "https://shop.example" }))
        .ok();
    assert!(made["short_link_url"].as_str().is_some_and(|url| url.starts_with(&format!("{}/s/", server.url()))));
}

/// Proves: S0_program.
#[test]
fn flags_and_variables_set_the_same_settings_and_flags_take_precedence() {
    let pairs: Vec<String> =
        documented_settings().iter().map(|(name, _, value, _)| format!("{name}={value}")).collect();
    let by_flag = Spawned::start(pairs.iter().flat_map(|pair| ["--set", pair.as_str()]));
    let variables: Vec<(String, &str)> = documented_settings()
        .iter()
        .map(|(name, _, value, _)| (format!("ROOST_SET_{}", name.to_uppercase().replace('.', "_")), *value))
        .collect();
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let start = |args: &[&str], variables: &[(&str, &str)]| {
        Spawned::try_start_with(args, variables).unwrap_or_else(|(status, stderr)| panic!("{status}: {stderr}"))
    };
    for server in [by_flag, start(&[], &variables)] {
        let found = in_force(&server);
        for (name, _, _, wanted) in documented_settings() {
            assert_eq!(found[name], wanted, "{name}");
        }
    }
    let named = in_force(&start(&[], &[("ROOST_AUTH", "off"), ("ROOST_LIMITS", "off")]));
    assert_eq!((&named["auth"], &named["limits"]), (&json!("off"), &json!("off")));
    let nearest = in_force(&start(
        &["--limits", "on", "--set", "auth=any"],
        &[("ROOST_LIMITS", "off"), ("ROOST_SET_AUTH", "off")],
    ));
    assert_eq!((&nearest["auth"], &nearest["limits"]), (&json!("any"), &json!("on")));
    for strict in [start(&["--strict"], &[]), start(&[], &[("ROOST_STRICT", "yes")])] {
        strict.client().get("/contacts/v1/lists/?nme=x").expect(400);
    }
    let token = "a-token-of-my-own-choice";
    let own = start(&[], &[("ROOST_ADMIN_TOKEN", token)]);
    assert_eq!(own.admin_token(), token);
}

/// Proves: S0_program.
#[test]
fn an_invalid_setting_is_reported_in_one_line() {
    for (pair, part) in [
        ("opt_out.entries=all", "opt_outs.entries"),
        ("zzz=1", "callback.retries"),
        ("limits.per_second=0", "a whole number from 1"),
        ("status.list_create=204", "200, 201"),
        ("auth", "NAME=VALUE"),
        ("short_link_base=sl.example", "short_link_base"),
    ] {
        let message = refusal_message(&run_program(&["serve", "--port", "0", "--set", pair]));
        assert!(message.contains(part), "{message}");
    }
    let start = Spawned::try_start_with::<&str>([], &[("ROOST_SET_STATUS_LIST_CREATE", "999")]);
    let Err((status, stderr)) = start else { panic!("999 was taken") };
    assert_eq!((status.code(), stderr.lines().count()), (Some(2), 1), "{stderr}");
    assert!(stderr.contains("ROOST_SET_STATUS_LIST_CREATE"), "{stderr}");
}

//! Opt-outs in imported files. None of them is ignored without a flag.

use std::{fs, path::Path};

use serde_json::json;

use super::{
    super::{failure_message, refusal_message, run_program},
    ImportFolder, build_archive, parse_output,
};
use crate::whole::read_rows;

/// Proves: S0_program.
#[test]
fn a_column_that_looks_like_consent_is_refused_until_a_flag_names_it() {
    let place = ImportFolder::new();
    fs::write(place.file_path("people.csv"), "Mobile,Do not contact\n07700900001,yes\n07700900002,no\n")
        .expect("a file");
    for more in [&[][..], &["--ignore-rest"], &["--dry-run"]] {
        let message = refusal_message(&place.run_import(&[&["--list", "May"], more].concat()));
        assert!(
            message.contains("“Do not contact”")
                && message.contains("It has “no” (1 row), “yes” (1 row).")
                && message.contains("--opt-out-column 'Do not contact=yes'"),
            "{message}"
        );
    }
    let output = place.run_import(&["--list", "May", "--json", "--dry-run", "--ignore-columns", "do not contact"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let message = failure_message(&place.run_import(&["--list", "May", "--opt-out-column", "Do not contact"]), 4);
    assert!(message.contains("--opt-outs"), "the count is still asked for: {message}");
    let output =
        place.run_import(&["--list", "May", "--json", "--opt-out-column", "Do not contact=Yes", "--opt-outs", "2"]);
    assert_eq!((output.status.code(), &parse_output(&output)["opt_outs_added"]), (Some(0), &json!(2)));
    // A remembered mapping does not answer the question.
    fs::write(place.file_path("people.csv"), "Mobile,Unsubscribed\n07700900003,yes\n").expect("a file");
    assert_eq!(place.run_import(&["--list", "May", "--ignore-columns", "Unsubscribed"]).status.code(), Some(0));
    assert!(refusal_message(&place.run_import(&["--list", "May"])).contains("“Unsubscribed”"));
}

/// Proves: S0_program.
#[test]
fn no_flag_for_the_rest_passes_consent_over() {
    let place = ImportFolder::new();
    let heads = "Email Address,Phone Number,OPTIN_TIME,UNSUB_TIME,UNSUB_REASON";
    let row = "ada@example.com,07700900001,2025-12-01 10:00:00,2026-01-07 10:00:00,NORMAL";
    fs::write(place.file_path("people.csv"), format!("{heads}\n{row}\n")).expect("a file");
    let rest = ["--list", "May", "--ignore-rest", "--json"];
    let all = ["UNSUB_TIME", "UNSUB_REASON"];
    for left in all {
        let others: Vec<&str> = all.into_iter().filter(|name| *name != left).collect();
        let message =
            refusal_message(&place.run_import(&[&rest[..], &["--ignore-columns", &others.join(",")]].concat()));
        assert!(message.contains(&format!("“{left}”")), "{message}");
    }
    let mapped = ["--opt-out-column", "UNSUB_TIME=*", "--ignore-columns", "UNSUB_REASON"];
    let output = place.run_import(&[&rest[..], &mapped, &["--opt-outs", "2"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(rows_of_opt_outs(&place), ["+447700900001"]);

    let card = "BEGIN:VCARD\nVERSION:3.0\nN:;Bo;;;\nTEL:07700900002\nX-DO-NOT-CONTACT:yes\nEND:VCARD\n";
    fs::write(place.file_path("people.csv"), card).expect("a file");
    let message = refusal_message(&place.run_import(&rest));
    assert!(message.contains("“X-DO-NOT-CONTACT”") && message.contains("--ignore-columns"), "{message}");
    let dry = ["--list", "May", "--dry-run", "--ignore-columns", "X-DO-NOT-CONTACT"];
    assert_eq!(place.run_import(&dry).status.code(), Some(0));
    let mapped = ["--list", "May", "--json", "--opt-out-column", "X-DO-NOT-CONTACT=yes", "--opt-outs", "2"];
    let output = place.run_import(&mapped);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(rows_of_opt_outs(&place), ["+447700900001", "+447700900002"]);

    let lists = r#"{"contacts":[{"phone":"07700900003"}],"unsubscribed":[{"phone":"07700900004"}]}"#;
    fs::write(place.file_path("people.csv"), lists).expect("a file");
    let message = refusal_message(&place.run_import(&rest));
    assert!(message.contains("“unsubscribed”") && message.contains("--ignore-columns"), "{message}");
}

/// Proves: S0_program.
#[test]
fn no_usual_value_of_an_opt_out_column_is_passed_over() {
    let place = ImportFolder::new();
    let put = |text: &str| fs::write(place.file_path("people.csv"), text).expect("a file");
    put("Mobile,Status\n07700900001,unsubscribed\n07700900002,active\n07700900003,Stop\n");
    let import = |column: &str, more: &[&str]| {
        place.run_import(&[&["--list", "May", "--json", "--opt-out-column", column], more].concat())
    };
    let message = refusal_message(&import("Status=unsubcribed", &[]));
    assert!(message.contains("also holds “stop” (1 row), “unsubscribed” (1 row)."), "{message}");
    assert!(message.contains("--opt-out-column 'Status=unsubcribed,stop,unsubscribed'"), "{message}");
    assert!(
        refusal_message(&import("Status=unsubscribed", &["--opt-outs", "2"])).contains("also holds “stop” (1 row).")
    );
    let both = "Status=unsubscribed,stop";
    for wrong in ["1", "3"] {
        let message = failure_message(&import(both, &["--opt-outs", wrong]), 4);
        assert!(message.contains("Repeat with --opt-outs 4."), "{message}");
    }
    assert_eq!(import(both, &["--opt-outs", "4"]).status.code(), Some(0));
    // If “no” means opted out, “yes” does not.
    put("Mobile,Accepts SMS\n07700900004,no\n07700900005,yes\n");
    assert_eq!(import("Accepts SMS=no", &["--opt-outs", "2"]).status.code(), Some(0));
    assert_eq!(rows_of_opt_outs(&place), ["+447700900001", "+447700900003", "+447700900004"]);
    put("Mobile,Opt out\n07700900006,no\n");
    let message = failure_message(&import("Opt out", &["--opt-outs", "10"]), 4);
    assert!(message.contains("This adds no opt-outs. Repeat without"), "{message}");
    // A value that grants consent is not inverted.
    put("Mobile,Accepts SMS\n07700900011,yes\n07700900012,no\n07700900013,\n07700900014,never\n");
    for (named, hint) in [
        ("Accepts SMS=yes", "Accepts SMS=never,no"),
        ("Accepts SMS=\"\"", "Accepts SMS=\"\",never,no"),
        ("Accepts SMS=no", "Accepts SMS=no,never"),
        ("Accepts SMS", "Accepts SMS=no,never"),
    ] {
        let message = refusal_message(&import(named, &["--opt-outs", "4"]));
        assert!(message.contains(&format!("--opt-out-column '{hint}'")), "{named}: {message}");
    }
    assert_eq!(import("Accepts SMS=no,!never", &["--opt-outs", "2", "--dry-run"]).status.code(), Some(0));
    assert_eq!(import("Accepts SMS=no,!*", &["--opt-outs", "2", "--dry-run"]).status.code(), Some(0));
    // Numbers in an opt-out column are never taken for phone numbers by guessing.
    put("Opted-out numbers\n07700900007\n");
    refusal_message(&place.run_import(&["--list", "May", "--ignore-rest"]));
}

/// Proves: S0_program.
#[test]
fn an_item_of_a_list_that_says_who_opted_out_is_asked_about() {
    let place = ImportFolder::new();
    // The item is in the last of many distinct rows.
    let rows: String = (100..900).map(|n| format!("07700900{n},\"vip, number {n}\"\n")).collect();
    for (heads, tags) in [
        ("Mobile,Tags", "\"vip, unsubscribed\""),
        ("Mobile,Labels", "* myContacts ::: * Opted-out"),
        ("Mobile,Categories", "Family;Do not contact"),
        ("Mobile,Groups", "a|b|STOP"),
        ("Mobile,Tags", "\"[\"\"vip\"\",\"\"unsubscribed\"\"]\""),
    ] {
        fs::write(place.file_path("people.csv"), format!("{heads}\n{rows}07700900001,{tags}\n")).expect("a file");
        let message = refusal_message(&place.run_import(&["--list", "May", "--ignore-rest"]));
        let column = heads.rsplit(',').next().unwrap_or_default();
        assert!(message.contains(&format!("“{column}”")) && message.contains("--opt-out-column"), "{message}");
    }
    let json = r#"[{"phone":"07700900001","tags":["vip","unsubscribed"]},{"phone":"07700900002","tags":["vip"]}]"#;
    fs::write(place.file_path("people.csv"), json).expect("a file");
    let message = refusal_message(&place.run_import(&["--list", "May", "--ignore-rest"]));
    assert!(message.contains("“tags”") && message.contains("“unsubscribed”"), "{message}");
    let named = ["--list", "May", "--json", "--opt-out-column", "tags=unsubscribed", "--opt-outs", "2"];
    assert_eq!(place.run_import(&named).status.code(), Some(0));
    assert_eq!(rows_of_opt_outs(&place), ["+447700900001"]);
    // A list column without opt-outs is an ordinary column.
    fs::write(
        place.file_path("people.csv"),
        format!("Mobile,Tags,Place\n{}", rows.replace('\n', ",\"Bus stop, York\"\n")),
    )
    .expect("a file");
    let output = place.run_import(&["--list", "May", "--ignore-rest"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// Proves: S0_program.
#[test]
fn a_field_filled_by_a_guess_says_who_opted_out_and_is_asked_about() {
    let place = ImportFolder::new();
    let put = |text: &str| fs::write(place.file_path("people.csv"), text).expect("a file");
    let import = |more: &[&str]| place.run_import(&[&["--list", "May", "--ignore-rest"], more].concat());
    for (heads, cell) in
        [("Mobile,State", "opted-out"), ("Mobile,First name", "STOP"), ("Mobile,City", "Do not contact")]
    {
        put(&format!("{heads}\n07700900001,{cell}\n07700900002,York\n"));
        let message = refusal_message(&import(&[]));
        assert!(message.contains(&cell.to_lowercase()) && message.contains("--opt-out-column"), "{message}");
        let column = heads.rsplit(',').next().unwrap_or_default();
        let output = import(&["--opt-out-column", &format!("{column}={cell}"), "--opt-outs", "2", "--dry-run"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    put("Mobile,Last name\n07700900001,Stop\n");
    assert!(refusal_message(&import(&[])).contains("--map 'Last name=lastname'"));
    assert_eq!(import(&["--map", "Last name=lastname", "--dry-run"]).status.code(), Some(0));
    // A single surname among many does not count as consent.
    let rows: String = (100..900).map(|n| format!("07700900{n},Ada\n")).collect();
    put(&format!("Mobile,Last name\n07700900001,Stop\n{rows}"));
    assert_eq!(import(&["--dry-run"]).status.code(), Some(0));
    // A word beside a number marks an opt-out, and the number is still read.
    put("Mobile,City\n07700 900001 (STOP),York\n07700900002,Bath\n");
    assert!(refusal_message(&import(&[])).contains("“stop”"));
    let output = import(&["--opt-out-column", "Mobile=stop", "--opt-outs", "2", "--json"]);
    assert_eq!((output.status.code(), &parse_output(&output)["counts"]["new"]), (Some(0), &json!(2)), "{output:?}");
    assert_eq!(rows_of_opt_outs(&place), ["+447700900001"]);
    fs::write(
        place.file_path("people.csv"),
        "BEGIN:VCARD\nVERSION:3.0\nN:;Bo;;;\nORG:Do not contact\nTEL:07700900003\nEND:VCARD\n",
    )
    .expect("a file");
    refusal_message(&import(&[]));
}

/// Proves: S0_program.
#[test]
fn every_value_of_an_opt_out_column_is_listed_with_its_verdict() {
    let place = ImportFolder::new();
    let put = |text: &str| fs::write(place.file_path("people.csv"), text).expect("a file");
    put(
        "Mobile,Status\n07700900001,unsubscribed\n07700900002,active\n07700900003,active\n07700900004,#N/A\n07700900005,\n",
    );
    let import = |more: &[&str]| place.run_import(&[&["--list", "May", "--dry-run"], more].concat());
    let output = import(&["--opt-out-column", "Status=unsubscribed", "--opt-outs", "2"]);
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in [
        "opt-out column “Status”, “active”: 2 rows. It does not opt out.",
        "opt-out column “Status”, “unsubscribed”: 1 row. It opts out.",
        "opt-out column “Status”, “#N/A”: 1 row. It does not opt out.",
        "opt-out column “Status”, blank: 1 row. Blank cells do not opt out.",
    ] {
        assert!(words.contains(line), "{line}: {words}");
    }
    put("Mobile,Status\n07700900001,\"No, thanks\"\n07700900002,gone\n07700900003,\n");
    assert!(refusal_message(&import(&["--opt-out-column", "Status=No\\, thanks"])).contains("“gone”"));
    let count = |words: &str| parse_output(&import(&["--opt-out-column", words, "--json"]))["opt_outs_added"].clone();
    assert_eq!(count("Status=No\\, thanks,gone"), json!(4));
    assert_eq!(count("Status=No\\, thanks,gone,\"\""), json!(6));
    // Of many values, the first are listed and all are counted.
    let many: String = (100..200).map(|n| format!("07700900{n},value {n}\n")).collect();
    put(&format!("Mobile,Unsubscribed\n{many}"));
    let message = refusal_message(&import(&["--opt-out-column", "Unsubscribed=value 199"]));
    assert!(message.contains("“value 100” (1 row)") && message.contains("“value 198” (1 row)"), "{message}");
    let named = ["--opt-out-column", "Unsubscribed=value 199,!*"];
    let words = String::from_utf8_lossy(&import(&named).stdout).into_owned();
    assert!(
        words.contains("79 rows. This and 78 more values. They do not opt out.")
            && words.contains("“value 199”: 1 row.")
    );
    // A saved mapping does not hide a value that usually means opted out.
    let map = place.file_path("saved.json");
    put("Mobile,Opt out\n07700900001,yes\n");
    assert_eq!(import(&["--opt-out-column", "Opt out=yes", "--save-map", &map]).status.code(), Some(0));
    put("Mobile,Opt out\n07700900001,TRUE\n");
    assert!(refusal_message(&import(&["--map", &map])).contains("“true” (1 row)"));
    // A column that another file ignored or kept as a field is asked about if its cells name opt-outs.
    for flag in [["--map", "Tags=new:Tags"], ["--ignore-columns", "Tags"]] {
        let map = place.file_path(&format!("{}.json", &flag[0][2..]));
        put("Mobile,Tags\n07700900001,vip\n");
        assert_eq!(import(&[&flag[..], &["--save-map", &map]].concat()).status.code(), Some(0));
        put("Mobile,Tags\n07700900001,\"vip, STOP\"\n");
        assert!(refusal_message(&import(&["--map", &map])).contains("“stop” (1 row)"));
        assert_eq!(import(&[&["--map", &map], &flag[..]].concat()).status.code(), Some(0));
    }
}

/// Proves: S0_program.
#[test]
fn a_list_whose_name_says_that_everybody_opted_out_is_asked_about() {
    let place = ImportFolder::new();
    let people = "Mobile,City\n07700900001,York\n07700900002,Bath\n";
    let import = |name: &str, content: &[u8], more: &[&str]| {
        fs::write(place.file_path(name), content).expect("a file");
        let (file, db) = (place.file_path(name), place.file_path("a.roost"));
        let usual = ["import", &file, "--db", &db, "--country", "GB", "--list", "May", "--ignore-rest", "--dry-run"];
        run_program(&[&usual[..], more].concat())
    };
    let member = "unsubscribed_members_export.csv";
    for (name, content, list) in [
        ("unsubscribed_members_export.csv", people.as_bytes().to_vec(), "unsubscribed_members_export.csv"),
        ("STOP list.csv", people.as_bytes().to_vec(), "STOP list.csv"),
        ("export.zip", build_archive(&[(member, people)]), member),
        (
            "people.json",
            br#"{"unsubscribed":[{"phone":"07700900001"},{"phone":"07700900002"}]}"#.to_vec(),
            "people.json",
        ),
        ("titled.csv", format!("Unsubscribed members,\n{people}").into_bytes(), "titled.csv"),
    ] {
        let message = refusal_message(&import(name, &content, &[]));
        assert!(message.contains(&format!("--opted-out-list '{list}'")), "{message}");
        assert!(message.contains(&format!("--ordinary-list '{list}'")), "{message}");
        assert_eq!(import(name, &content, &["--ordinary-list", list]).status.code(), Some(0));
        let output = import(name, &content, &["--opted-out-list", list, "--json"]);
        let answer = parse_output(&output);
        assert_eq!((output.status.code(), &answer["opt_outs_added"]), (Some(0), &json!(4)), "{answer}");
    }
    // Each of several lists is asked about separately.
    let both = build_archive(&[("subscribed.csv", "Mobile,City\n07700900003,York\n"), (member, people)]);
    assert!(refusal_message(&import("both.zip", &both, &["--all-sheets"])).contains(member));
    let output = import("both.zip", &both, &["--all-sheets", "--opted-out-list", member, "--json"]);
    assert_eq!(
        (&parse_output(&output)["opt_outs_added"], &parse_output(&output)["counts"]["new"]),
        (&json!(4), &json!(3))
    );
    for flag in ["--opted-out-list", "--ordinary-list"] {
        let message = refusal_message(&import("people.csv", people.as_bytes(), &[flag, "other.csv"]));
        assert!(message.contains(flag) && message.contains("people.csv"), "{message}");
    }
    for name in ["subscribed.csv", "customers without opt-outs.csv", "one stop shop.csv"] {
        assert_eq!(import(name, people.as_bytes(), &[]).status.code(), Some(0), "{name}");
    }
}

/// Proves: S0_program.
#[test]
fn all_numbers_of_a_person_are_opted_out() {
    let place = ImportFolder::new();
    let table = "Mobile,Work phone,Home phone,Alternate phone,Opt out\n\
                 07700900001,07700900002,07700 900003 / 07700900004,07700900005,yes\n07700900006,07700900007,,,no\n\
                 07700900008 ext 3,,,,yes\n";
    fs::write(place.file_path("people.csv"), table).expect("a file");
    let named = ["--list", "May", "--ignore-rest", "--opt-out-column", "Opt out"];
    assert!(failure_message(&place.run_import(&named), 4).contains("--opt-outs 12"));
    place.run_import(&[&named[..], &["--opt-outs", "12"]].concat());
    assert_eq!(rows_of_opt_outs(&place), [1, 2, 3, 4, 5, 8].map(|n| format!("+44770090000{n}")));
}

/// Proves: S0_program.
#[test]
fn consent_outlives_a_row_that_is_left_out() {
    let place = ImportFolder::new();
    let long = "x".repeat(60);
    let rows = format!("Mobile,Vorname,Opt out\n07700900001,{long},yes\n12,Bo,yes\n07700900003,Cy,yes\n");
    fs::write(place.file_path("people.csv"), rows).expect("a file");
    let mapped = ["--list", "May", "--opt-out-column", "Opt out"];
    for more in [&[][..], &["--opt-outs", "2"]] {
        let message = failure_message(&place.run_import(&[&mapped, more].concat()), 4);
        assert!(message.contains("This adds 4 opt-outs. Repeat with --opt-outs 4."), "{message}");
    }
    for more in [&["--dry-run"][..], &[]] {
        let output = place.run_import(&[&mapped[..], &["--opt-outs", "4", "--json"], more].concat());
        let answer = parse_output(&output);
        let counts = ["opt_outs_added", "opt_outs_of_invalid_rows"].map(|name| answer[name].clone());
        assert_eq!((output.status.code(), counts), (Some(1), [json!(4), json!(2)]));
    }
    let numbers = rows_of_opt_outs(&place);
    assert_eq!(numbers, ["+447700900001", "+447700900003"]);
    let words = String::from_utf8_lossy(&place.run_import(&mapped).stdout).into_owned();
    assert!(words.contains("line 3: “12” is not a valid phone number."), "{words}");
    assert!(words.contains("line 2: The firstname has 60 characters; at most 50 are allowed."), "{words}");
    fs::write(place.file_path("people.csv"), "Mobile,Opt out\n07700900009,yes\n").expect("a file");
    let message = failure_message(&place.run_import(&mapped), 4);
    assert!(message.contains("This adds 2 opt-outs. Repeat with --opt-outs 2."), "{message}");
    let words = place.run_import(&[&mapped[..], &["--opt-outs", "2"]].concat());
    let words = String::from_utf8_lossy(&words.stdout).into_owned();
    assert!(words.starts_with("1 row into the list May:\n") && words.contains("2  opt-outs added\n"), "{words}");
}

/// Proves: S0_program.
#[test]
fn everything_is_asked_at_once_and_names_may_hold_signs() {
    let place = ImportFolder::new();
    let head = "Mobile,\"Stop, please\",a=b,Doesn't want SMS,Reason\n";
    let rows = "07700900001,yes,STOP,yes,\"no, thanks\"\n07700900002,no,x,no,\"STOP, please\"\n";
    fs::write(place.file_path("people.csv"), format!("{head}{rows}")).expect("a file");
    let import = |more: &[&str]| place.run_import(&[&["--list", "May", "--json"], more].concat());
    let message = refusal_message(&import(&["--opt-out-column", "Reason=no\\, thanks"]));
    for hint in [
        "“Stop, please” holds “no” (1 row), “yes” (1 row): --opt-out-column 'Stop, please=yes'",
        "--opt-out-column 'a=b=stop'",
        "--opt-out-column 'Doesn'\\''t want SMS=yes'",
        "--ignore-columns 'Stop\\, please,a=b,Doesn'\\''t want SMS'",
        "--opt-out-column 'Reason=no\\, thanks,stop'",
    ] {
        assert!(message.contains(hint), "{hint}: {message}");
    }
    assert_eq!(message.matches("Nothing was imported.").count(), 1, "{message}");
    let named = [
        ["--opt-out-column", "Stop, please=yes"],
        ["--opt-out-column", "a=b=stop"],
        ["--opt-out-column", "Doesn't want SMS=yes"],
        ["--opt-out-column", "Reason=no\\, thanks,STOP\\, please"],
    ];
    let output = import(&[&named.concat()[..], &["--opt-outs", "4"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for ignored in ["Stop, please", "Stop\\, please,a=b"] {
        let rest = ["--ignore-columns", "a=b", "--ignore-columns", "Doesn't want SMS,Reason", "--dry-run"];
        let output = import(&[&["--ignore-columns", ignored], &rest[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
}

/// Proves: S0_program.
#[test]
fn a_number_with_a_word_is_a_number_of_who_opted_out() {
    let place = ImportFolder::new();
    let numbers: String = (100..300).map(|n| format!("07700900{n}\n")).collect();
    for cell in ["07700900150 (STOP)", "07700900150 STOP", "STOP 07700 900150", "07700 900150 - removed"] {
        fs::write(place.file_path("people.csv"), format!("Mobile\n{numbers}{cell}\n")).expect("a file");
        let import =
            |more: &[&str]| place.run_import(&[&["--list", "May", "--ignore-rest", "--dry-run"], more].concat());
        let message = refusal_message(&import(&[]));
        assert!(message.contains("--opt-out-column 'Mobile="), "{message}");
        let word = if cell.contains("removed") { "Mobile=removed" } else { "Mobile=stop" };
        let answer = parse_output(&import(&["--opt-out-column", word, "--json"]));
        let counts = &answer["counts"];
        assert_eq!((&answer["opt_outs_added"], &counts["invalid"]), (&json!(2), &json!(0)), "{cell}: {answer}");
    }
}

fn rows_of_opt_outs(place: &ImportFolder) -> Vec<String> {
    let found = read_rows(
        Path::new(&place.file_path("a.roost")),
        "SELECT number FROM opt_outs WHERE channel = 'SMS' ORDER BY number",
    );
    found.into_iter().flatten().flatten().collect()
}

//! `roost lookup`, `optouts`, `lists` and `links`.

use std::{fs, process::Output};

use roost_model::short_link::LinkParts;
use roost_ops::{
    list::{self, UniqueNames},
    short_link,
};
use roost_tests::seeds;
use serde_json::{Value, json};

use super::{AccountPlace, by, text_of};
use crate::program::{refusal_message, run_program};

impl AccountPlace {
    /// Runs a command that is not one of `roost account`.
    fn run_on_records(&self, args: &[&str]) -> Output {
        run_program(&[args, &["--db", &self.db()]].concat())
    }

    /// Runs such a command that ends with this status and prints JSON.
    #[track_caller]
    fn read_records(&self, status: i32, args: &[&str]) -> Value {
        let output = self.run_on_records(&[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(status), "{args:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }
}

#[test]
fn a_look_up_says_by_its_status_who_may_be_messaged() {
    let place = AccountPlace::new();
    let (opted_out, free) = (seeds::mobile(1), seeds::mobile(2));
    let unknown = "07700 900 777";
    assert_eq!(place.run_on_records(&["lookup", &free, unknown]).status.code(), Some(0));
    assert_eq!(place.run_on_records(&["lookup", &free, &opted_out]).status.code(), Some(1));
    assert_eq!(place.run_on_records(&["lookup", &free, "Ada"]).status.code(), Some(3));
    assert_eq!(place.run_on_records(&["lookup", &opted_out, "Ada"]).status.code(), Some(1), "an opt-out comes first");
    assert_eq!(place.run_on_records(&["lookup", &opted_out, "--channel", "whatsapp"]).status.code(), Some(0));
    assert_eq!(place.run_on_records(&["lookup", &opted_out, "--channel", "sms"]).status.code(), Some(1));
    let report = place.read_records(1, &["lookup", &opted_out, unknown, "Ada"]);
    let allowed: Vec<_> = report.as_array().expect("a list").iter().map(|one| one["allowed"].clone()).collect();
    assert_eq!(allowed, [json!(false), json!(true), Value::Null]);
    assert_eq!([&report[2]["sms"], &report[2]["whatsapp"]], [&Value::Null, &Value::Null], "nothing is known about Ada");
    assert_eq!((&report[0]["sms"]["is_account"], &report[1]["number"]), (&json!(true), &json!("+447700900777")));
    let words = String::from_utf8(place.run_on_records(&["lookup", &opted_out, "Ada"]).stdout).expect("text");
    assert!(words.contains("opted out of SMS (everything since") && words.contains("Ada: not a number"), "{words}");
}

#[test]
fn numbers_to_look_up_come_from_a_file_as_well() {
    let place = AccountPlace::new();
    fs::write(place.path("numbers"), format!("\u{feff}{}\r\n\n {} \n", seeds::mobile(2), seeds::mobile(1)))
        .expect("a file");
    let report = place.read_records(1, &["lookup", "--file", &place.path("numbers")]);
    let numbers: Vec<_> = report.as_array().expect("a list").iter().map(|one| one["number"].clone()).collect();
    assert_eq!(numbers, [json!(seeds::mobile(2)), json!(seeds::mobile(1))]);
    assert!(refusal_message(&place.run_on_records(&["lookup"])).contains("NUMBER"));
    assert!(
        refusal_message(&place.run_on_records(&["lookup", "--file", &place.path("none")])).contains("There is no file")
    );
    fs::write(place.path("empty"), "\n").expect("a file");
    assert!(refusal_message(&place.run_on_records(&["lookup", "--file", &place.path("empty")])).contains("no number"));
}

/// Numbers of another country in the same call say nothing about the numbers without a country code.
#[test]
fn numbers_are_looked_up_and_opted_out_in_the_country_of_the_account_whatever_others_come_with_them() {
    let place = AccountPlace::new();
    text_of(&place.run_on_records(&["country", "GB"]));
    let (american, other) = ("+12025550123", "+12025550124");
    let added =
        text_of(&place.run_on_records(&["optouts", "add", "07700 900005", american, other, "--reason", "stop"]));
    assert_eq!(added, "6 opt-outs added.\n  +12025550123\n  +12025550124\n  +447700900005\n");
    let report = place.read_records(1, &["lookup", "07700900005", american, other, "--channel", "sms"]);
    assert_eq!((&report[0]["number"], &report[0]["allowed"]), (&json!("+447700900005"), &json!(false)));
    let numbers = ["lookup", "(202) 555-0123", american, other];
    assert_eq!(place.run_on_records(&numbers[..2]).status.code(), Some(3), "no number of the country of the account");
    assert_eq!(place.read_records(1, &numbers)[0]["number"], Value::Null);
    let report = place.read_records(1, &[&numbers[..], &["--country", "US"]].concat());
    assert_eq!((&report[0]["number"], &report[0]["allowed"]), (&json!(american), &json!(false)));
}

#[test]
fn opt_outs_are_added_all_or_none_and_listed_with_their_reason() {
    let place = AccountPlace::new();
    let message =
        refusal_message(&place.run_on_records(&["optouts", "add", "07700900005", "Ada", "--reason", "asked"]));
    assert!(message.contains("Nothing was added. Ada: This is not a valid number."), "{message}");
    let message = refusal_message(&place.run_on_records(&["optouts", "add", "07700900005", "--reason", " "]));
    assert!(message.contains("--reason"), "{message}");
    assert_eq!(place.opted_out(), [seeds::mobile(1)]);
    let added = place.read_records(0, &["optouts", "add", "07700 900005", "--reason", "wrote a letter"]);
    assert_eq!((&added["added"], &added["renewed"]), (&json!(2), &json!(0)));
    let report = place.read_records(0, &["optouts", "list", "--number", "900005", "--channel", "whatsapp"]);
    assert_eq!(report.as_array().map(Vec::len), Some(1));
    assert_eq!((&report[0]["number"], &report[0]["reason"]), (&json!("+447700900005"), &json!("wrote a letter")));
    let again = place.read_records(0, &["optouts", "add", "+447700900005", "--reason", "again", "--channel", "sms"]);
    assert_eq!((&again["added"], &again["renewed"]), (&json!(0), &json!(1)));
    let words = text_of(&place.run_on_records(&["optouts", "list"]));
    assert!(words.contains("wrote a letter") && words.contains("asked by phone"), "{words}");
}

#[test]
fn an_import_of_opt_outs_needs_its_number_and_only_adds() {
    let place = AccountPlace::new();
    let file = place.path("stop.csv");
    let rows = format!("Number,Channel\n07700900006,SMS\n{},SMS\nAda,SMS\n07700900007,WHATSAPP\n", seeds::mobile(1));
    fs::write(&file, rows).expect("a file");
    let import = ["optouts", "import", &file, "--reason", "from the shop"];
    let shown = place.read_records(0, &[&import[..], &["--dry-run"]].concat());
    assert_eq!((&shown["counts"]["would_add"], &shown["counts"]["already"]), (&json!(2), &json!(1)));
    let words = text_of(&place.run_on_records(&[&import[..], &["--dry-run"]].concat()));
    assert!(words.ends_with("\n2 opt-outs would be added. Add --opt-outs 2 to add them.\n"), "{words}");
    for wrong in [&[][..], &["--opt-outs", "3"]] {
        let refused = place.run_on_records(&[&import[..], wrong].concat());
        assert_eq!(refused.status.code(), Some(4), "{refused:?}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("--opt-outs 2"));
    }
    let blank = place.path("blank.csv");
    fs::write(&blank, "Number,Channel\n07700900006,SMS\n,SMS\n").expect("a file");
    let shown = place.run_on_records(&["optouts", "import", &blank, "--reason", "blank", "--dry-run"]);
    assert!(text_of(&shown).contains("  line 3: This row has no number.\n"), "{shown:?}");
    assert_eq!(place.opted_out(), [seeds::mobile(1)]);
    let report = place.read_records(1, &[&import[..], &["--opt-outs", "2"]].concat());
    assert_eq!((&report["added"], &report["invalid"][0]["given"]), (&json!(2), &json!("Ada")));
    assert_eq!(place.opted_out().len(), 3);
    // Again, there is nothing new.
    assert_eq!(place.read_records(1, &import)["added"], 0);
}

#[test]
fn an_import_of_opt_outs_refuses_a_column_that_says_otherwise_and_names_what_it_does_not_read() {
    let place = AccountPlace::new();
    let file = place.path("stop.csv");
    let import = ["optouts", "import", &file, "--reason", "from the shop", "--opt-outs", "4"];
    for (rows, wanted) in [
        ("phone,opted out\n07700900015,yes\n07700900016,no\n", "“opted out” is not read, and in line 3 it has “no”"),
        ("phone,Unsubscribed at\n07700900015,\n07700900016,2026-01-05\n", "and in line 2 it is blank"),
        ("07700900015,yes\n07700900016,no\n", "“#2” is not read"),
    ] {
        fs::write(&file, rows).expect("a file");
        let message = refusal_message(&place.run_on_records(&import));
        assert!(message.contains(wanted) && message.contains("--opt-out-column"), "{message}");
        assert_eq!(place.opted_out(), [seeds::mobile(1)], "{rows}");
    }
    fs::write(&file, "phone,opted out,name\n07700900015,yes,Ada\n07700900016,yes,\n").expect("a file");
    let words = text_of(&place.run_on_records(&import));
    assert!(words.contains("not read: the columns opted out, name"), "{words}");
    assert_eq!(place.read_records(0, &import)["ignored_columns"], json!(["opted out", "name"]));
}

#[test]
fn exported_opt_outs_are_imported_again_into_another_account() {
    let place = AccountPlace::new();
    place.opt_out(2);
    let (out, other) = (place.path("out.csv"), place.path("other.roost"));
    text_of(&place.run_on_records(&["optouts", "export", "--out", &out]));
    assert_eq!(fs::read_to_string(&out).expect("a file").lines().count(), 3);
    assert!(refusal_message(&place.run_on_records(&["optouts", "export", "--out", &out])).contains("--force"));
    assert!(
        refusal_message(&place.run_on_records(&["optouts", "export", "--force", "--out", &place.db()]))
            .contains("Choose")
    );
    text_of(&run_program(&["account", "new", &other]));
    let import = ["optouts", "import", &out, "--db", &other, "--reason", "moved", "--opt-outs", "2"];
    text_of(&run_program(&import));
    for n in [1, 2] {
        let found = run_program(&["lookup", &seeds::mobile(n), "--channel", "sms", "--db", &other]);
        assert_eq!(found.status.code(), Some(1), "{n}");
    }
    let printed = text_of(&run_program(&["optouts", "export", "--db", &other]));
    assert!(printed.starts_with("number,channel,asset,type,time"), "{printed}");
}

#[test]
fn lists_and_links_are_listed() {
    let place = AccountPlace::new();
    let core = place.open();
    list::create(&core, &by(), "Autumn", UniqueNames::Off).expect("a list");
    let parts = LinkParts {
        title: "Offer".to_owned(),
        target_url: "https://example.com/offer".to_owned(),
        tags: vec!["spring".to_owned()],
        track_clicks: true,
    };
    short_link::create(&core, &by(), parts).expect("a link");
    drop(core);
    let lists = place.read_records(0, &["lists"]);
    let names: Vec<_> = lists.as_array().expect("a list").iter().map(|one| one["name"].clone()).collect();
    assert_eq!(names, [json!("Autumn"), json!("Spring")]);
    assert_eq!(lists[1]["contact_count"], 2);
    assert_eq!(place.read_records(0, &["lists", "--name", "spr"]).as_array().map(Vec::len), Some(1));
    assert!(text_of(&place.run_on_records(&["lists"])).contains("Spring, 2 contacts"));
    let links = place.read_records(0, &["links", "--tag", "spring"]);
    assert_eq!((&links[0]["title"], &links[0]["clicks"]), (&json!("Offer"), &json!(0)));
    // The names are those of the interface.
    assert!(links[0]["link_id"].is_string() && links[0]["short_link_url"].is_string(), "{links}");
    assert_eq!(place.read_records(0, &["links", "--tag", "none"]), json!([]));
    assert!(text_of(&place.run_on_records(&["links"])).contains("https://example.com/offer"));
    let from_base = text_of(&place.run_on_records(&["links", "--short-link-base", "https://s.example"]));
    assert!(from_base.starts_with("https://s.example/"), "{from_base}");
    for invalid in ["nope", "https://s.example/"] {
        let message = refusal_message(&place.run_on_records(&["links", "--short-link-base", invalid]));
        assert!(message.contains("short_link_base"), "{message}");
    }
    let empty = place.path("empty.roost");
    text_of(&run_program(&["account", "new", &empty]));
    for (listing, filter, none) in [
        (&["lists"][..], &["--name", "x"], "The account has no lists.\n"),
        (&["links"], &["--tag", "x"], "The account has no short links.\n"),
        (&["optouts", "list"], &["--channel", "sms"], "The account has no opt-outs.\n"),
    ] {
        assert_eq!(text_of(&run_program(&[listing, &["--db", &empty]].concat())), none);
        assert!(text_of(&run_program(&[listing, filter, &["--db", &empty]].concat())).ends_with(" matches.\n"));
    }
}

/// More records than one page has.
#[test]
fn lists_of_records_are_whole() {
    let place = AccountPlace::new();
    let numbers: String = (0..1_000).map(|n| format!("+447700900{n:03}\n")).collect();
    let file = place.path("many");
    fs::write(&file, numbers).expect("a file");
    let import = ["optouts", "import", &file, "--reason", "many"];
    let shown = place.read_records(0, &[&import[..], &["--dry-run"]].concat());
    let count = shown["counts"]["would_add"].to_string();
    text_of(&place.run_on_records(&[&import[..], &["--opt-outs", &count]].concat()));
    let all = place.opted_out().len();
    assert_eq!(all, 2_000, "each number on both channels");
    assert_eq!(place.read_records(0, &["optouts", "list"]).as_array().map(Vec::len), Some(all));
    let exported = text_of(&place.run_on_records(&["optouts", "export"]));
    assert_eq!(exported.lines().count(), all + 1);
}

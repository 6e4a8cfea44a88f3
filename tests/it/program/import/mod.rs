//! `roost import`.

pub(crate) mod consent;
pub(crate) mod country;
pub(crate) mod kills;
pub(crate) mod lists;
pub(crate) mod numbers;
pub(crate) mod outcomes;

use std::{fs, path::Path, process::Stdio};

use roost_imports::session::ImportSessions;
use roost_tests::{spawned::command, until};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{refusal_message, run_program};
use crate::whole::read_rows;

const PEOPLE: &str =
    "Mobile;Vorname;Ort\n07700900001;Ada;York\n07700900002;Bo;Bath\n4,47E+11;Cy;Hull\n07700900001;Eve;Leeds\n";

struct ImportFolder(TempDir);

impl ImportFolder {
    /// Creates an account file and a file of contacts.
    fn new() -> Self {
        let place = Self(TempDir::new().expect("a folder"));
        roost_ops::Core::open(place.0.path().join("a.roost").as_path(), roost_ops::Ctx::system()).expect("an account");
        fs::write(place.file_path("people.csv"), PEOPLE).expect("a file");
        place
    }

    fn file_path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }

    fn run_import(&self, more: &[&str]) -> std::process::Output {
        let (file, db) = (self.file_path("people.csv"), self.file_path("a.roost"));
        let mut arguments = vec!["import", file.as_str(), "--db", db.as_str(), "--country", "GB"];
        arguments.extend(more);
        run_program(&arguments)
    }
}

fn parse_output(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

/// Proves: S0_program.
#[test]
fn files_are_imported_into_a_list_and_every_row_is_accounted_for() {
    let place = ImportFolder::new();
    let rejects = place.file_path("left out.csv");
    let output = place.run_import(&["--list", "May", "--json", "--rejects", &rejects]);
    assert_eq!(output.status.code(), Some(3), "a row is there twice: {output:?}");
    let answer = parse_output(&output);
    assert_eq!(answer["list_is_new"], true);
    let counts = &answer["counts"];
    let found = ["rows", "new", "duplicate_in_file", "invalid", "blank"].map(|name| counts[name].clone());
    assert_eq!(found, [json!(4), json!(2), json!(1), json!(1), json!(0)]);
    assert_eq!(answer["reasons"][0]["reason"], "spreadsheet");
    let left_out = fs::read_to_string(&rejects).expect("a file");
    assert_eq!(left_out.lines().count(), 2);
    assert!(left_out.contains("\"4,47E+11\",Cy,Hull,4,") && left_out.contains("What is wrong"), "{left_out}");

    // Importing the same file again changes nothing, and the report says so in words.
    let again = place.run_import(&["--list", "May", "--ignore-rest"]);
    assert_eq!(again.status.code(), Some(1));
    let words = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(words.contains("4 rows into the list May") && words.contains("2  already in the list"), "{words}");
    assert!(!Path::new(&place.file_path("a.roost.imports/1")).exists(), "nothing is left beside the account");

    fs::write(place.file_path("people.csv"), "Mobile,Ort\n07700900001,York\n").expect("a file");
    assert_eq!(place.run_import(&["--list", "May"]).status.code(), Some(0));
}

/// Proves: S0_program.
#[test]
fn a_dry_run_says_the_same_and_writes_nothing() {
    let place = ImportFolder::new();
    for _ in 0..2 {
        let answer = parse_output(&place.run_import(&["--list", "May", "--json", "--dry-run"]));
        assert_eq!((&answer["dry_run"], &answer["list"], &answer["step"]), (&json!(true), &Value::Null, &Value::Null));
        assert_eq!((&answer["counts"]["new"], &answer["list_is_new"]), (&json!(2), &json!(true)));
    }
}

/// Proves: S0_program.
#[test]
fn an_invalid_import_command_is_refused_with_what_to_do() {
    let place = ImportFolder::new();
    assert!(refusal_message(&place.run_import(&["--list", "May", "--country", "XX"])).contains("--country"));
    assert!(
        refusal_message(&place.run_import(&["--list", "May", "--map", &place.file_path("none.json")]))
            .contains("none.json")
    );
    fs::write(place.file_path("no.json"), "{}").expect("a file");
    assert!(
        refusal_message(&place.run_import(&["--list", "May", "--map", &place.file_path("no.json")]))
            .contains("not a saved mapping")
    );
    assert!(
        refusal_message(&run_program(&["import", "x.csv", "--db", &place.file_path("none.roost"), "--list", "May"]))
            .contains("--db")
    );
    let db = place.file_path("a.roost");
    assert!(
        refusal_message(&run_program(&["import", &place.file_path("x.csv"), "--db", &db, "--list", "May"]))
            .contains("no file")
    );
    fs::write(place.file_path("people.csv"), "Colour,Size\nred,2\n").expect("a file");
    let message = refusal_message(&place.run_import(&["--list", "May"]));
    assert!(message.contains("Colour, Size") && message.contains("--map"), "{message}");
    fs::write(place.file_path("people.csv"), "Phone,City\n07700900001,York\n07700900002,\"Ba\nth\n").expect("a file");
    let message = refusal_message(&place.run_import(&["--list", "May"]));
    assert!(message.contains("Line 3") && message.contains("--take-part"), "{message}");
    let output = place.run_import(&["--list", "May", "--take-part", "--json"]);
    assert_eq!(
        (output.status.code(), &parse_output(&output)["counts"]["new"]),
        (Some(3), &json!(1)),
        "what follows is lost"
    );
    let left_out = parse_output(&output)["ledger"]["entries"].as_array().and_then(|all| {
        all.iter().find(|entry| entry["what"] == "rows_after_break").map(|entry| entry["count"].clone())
    });
    assert_eq!(left_out, Some(json!(2)));
}

/// Returns the ledger entries that were left out: kind, name and count.
fn left_out(answer: &Value) -> Vec<(String, String, Value)> {
    let entries = answer["ledger"]["entries"].as_array().cloned().unwrap_or_default();
    let entries = entries.iter().filter(|entry| entry["outcome"] == "left_out");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    entries.map(|entry| (text(&entry["what"]), text(&entry["name"]), entry["count"].clone())).collect()
}

/// Proves: S0_program.
#[test]
fn an_import_that_leaves_out_a_column_that_no_flag_names_exits_with_status_3() {
    let place = ImportFolder::new();
    fs::write(place.file_path("people.csv"), "Mobile,Ort,Colour,Size\n07700900001,York,red,2\n07700900002,Bath,,3\n")
        .expect("a file");
    let status = |more: &[&str]| {
        let arguments = [&["--list", "May", "--json", "--dry-run"], more].concat();
        place.run_import(&arguments).status.code()
    };
    let output = place.run_import(&["--list", "May", "--json", "--dry-run"]);
    assert_eq!(output.status.code(), Some(3));
    let want = [("column", "Colour", 1), ("column", "Size", 2)].map(|(a, b, c)| (a.to_owned(), b.to_owned(), json!(c)));
    assert_eq!(left_out(&parse_output(&output)), want);
    assert_eq!(status(&["--ignore-columns", "Colour"]), Some(3));
    assert_eq!(status(&["--ignore-columns", "size,COLOUR"]), Some(0));
    assert_eq!(status(&["--ignore-rest"]), Some(0));
    assert_eq!(status(&["--map", "Colour=new:Colour", "--map", "Size=new:Size"]), Some(0));
    assert!(
        refusal_message(&place.run_import(&["--list", "May", "--ignore-columns", "Fax"]))
            .contains("Mobile, Ort, Colour, Size")
    );
    // A property of vCards is named like a column.
    let card = "BEGIN:VCARD\nVERSION:3.0\nN:;Ada;;;\nTEL:07700900009\nGENDER:F\nPHOTO:x\nEND:VCARD\n";
    let people = fs::read(place.file_path("people.csv")).expect("a file");
    fs::write(place.file_path("people.csv"), card).expect("a file");
    assert_eq!(status(&["--ignore-columns", "Gender"]), Some(3));
    assert_eq!(status(&["--ignore-columns", "Gender,photo"]), Some(0));
    fs::write(place.file_path("people.csv"), people).expect("a file");
    // The real run reports the same as the dry run, also in words.
    let dry = parse_output(&output)["ledger"].clone();
    let real = place.run_import(&["--list", "May", "--json"]);
    assert_eq!((real.status.code(), &parse_output(&real)["ledger"]), (Some(3), &dry));
    let words = String::from_utf8_lossy(&place.run_import(&["--list", "June"]).stdout).into_owned();
    for line in ["Not imported:", "column “Size”: 2 values, such as “2”", "column “Mobile” → phone_number: 2 values"]
    {
        assert!(words.contains(line), "{line}: {words}");
    }
}

/// Proves: S0_program.
#[test]
fn a_mapping_is_given_in_flags_printed_and_saved() {
    let place = ImportFolder::new();
    fs::write(place.file_path("people.csv"), "Contact,Telephone,Where,Unsubscribed\nAda,07700900001,York,no\n")
        .expect("a file");
    let map = place.file_path("shop.json");
    let output = place.run_import(&[
        "--list",
        "May",
        "--json",
        "--dry-run",
        "--map",
        "Where=city",
        "--map",
        "contact=First name",
        "--opt-out-column",
        "Unsubscribed=yes",
        "--save-map",
        &map,
    ]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let answer = parse_output(&output);
    let targets = answer["mapping"]["mapping"]["targets"].as_array().expect("targets");
    let fields: Vec<&str> = targets.iter().filter_map(|target| target["field"].as_str()).collect();
    assert_eq!(fields, ["phone_number", "city", "firstname"]);
    let message =
        refusal_message(&place.run_import(&["--list", "May", "--save-map", &map, "--ignore-columns", "Unsubscribed"]));
    assert!(message.contains("already exists") && message.contains("--force"), "{message}");
    let output = place.run_import(&["--list", "May", "--json", "--map", &map]);
    assert_eq!((output.status.code(), &parse_output(&output)["counts"]["new"]), (Some(0), &json!(1)), "{output:?}");
    for (wrong, words) in [("Where=town square", "lastname"), ("Place=city", "Contact, Telephone, Where")] {
        let message =
            refusal_message(&place.run_import(&["--list", "May", "--map", wrong, "--ignore-columns", "Unsubscribed"]));
        assert!(message.contains("--map") && message.contains(words), "{message}");
    }
}

/// Builds an uncompressed archive by hand.
fn build_archive(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut out, mut contents) = (Vec::new(), Vec::new());
    for (name, text) in files {
        let mut crc = u32::MAX;
        for byte in text.bytes() {
            crc ^= u32::from(byte);
            (0..8).for_each(|_| crc = (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1)));
        }
        let size = (text.len() as u32).to_le_bytes();
        let head = [
            // Names are in UTF-8.
            &[20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0x5c][..],
            &(!crc).to_le_bytes(),
            &size,
            &size,
            &(name.len() as u16).to_le_bytes(),
            &[0, 0],
        ]
        .concat();
        let start = (out.len() as u32).to_le_bytes();
        out.extend([b"PK\x03\x04", head.as_slice(), name.as_bytes(), text.as_bytes()].concat());
        contents.extend([b"PK\x01\x02\x14\0", head.as_slice(), &[0; 10], &start, name.as_bytes()].concat());
    }
    let start = (out.len() as u32).to_le_bytes();
    let (count, length) = ((files.len() as u16).to_le_bytes(), (contents.len() as u32).to_le_bytes());
    [out, contents, [b"PK\x05\x06\0\0\0\0", &count[..], &count, &length, &start, &[0, 0]].concat()].concat()
}

/// Proves: S0_program.
#[test]
fn sheets_and_files_of_archives_are_chosen_or_all_taken_in_one_step() {
    let place = ImportFolder::new();
    let zip = build_archive(&[
        ("shops/york.csv", "Mobile,Ort\n07700900001,York\n"),
        ("shops/bath.tsv", "Town\tPhone\nBath\t07700900002\nBath\t07700900003\n"),
    ]);
    fs::write(place.file_path("people.csv"), zip).expect("a file");
    let output = place.run_import(&["--list", "May", "--json", "--dry-run"]);
    assert_eq!(output.status.code(), Some(3));
    let want = ("archive_member".to_owned(), "shops/bath.tsv".to_owned(), json!(3));
    assert_eq!(left_out(&parse_output(&output)), [want]);
    let output = place.run_import(&["--list", "May", "--json", "--dry-run", "--sheet", "shops/bath.tsv"]);
    assert_eq!((output.status.code(), &parse_output(&output)["counts"]["new"]), (Some(0), &json!(2)));
    let message = refusal_message(&place.run_import(&["--list", "May", "--sheet", "Hull"]));
    assert!(message.contains("shops/york.csv, shops/bath.tsv"), "{message}");
    let output = place.run_import(&["--list", "May", "--json", "--all-sheets"]);
    assert_eq!((output.status.code(), &parse_output(&output)["counts"]["new"]), (Some(0), &json!(3)), "{output:?}");
    let steps = read_rows(Path::new(&place.file_path("a.roost")), "SELECT count(*) FROM imports").concat();
    assert_eq!(steps, [Some("1".to_owned())], "one import, and one step");

    let book = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/imports/libreoffice/people.xlsx");
    fs::copy(book, place.file_path("people.csv")).expect("a copy");
    let output = place.run_import(&["--list", "June", "--json", "--dry-run", "--ignore-columns", "#9"]);
    assert!(refusal_message(&output).contains("--ignore-columns"));
    let output = place.run_import(&["--list", "June", "--json", "--dry-run"]);
    let answer = parse_output(&output);
    let sheets: Vec<_> =
        left_out(&answer).into_iter().filter(|(what, ..)| what == "sheet").map(|(_, name, _)| name).collect();
    assert_eq!((output.status.code(), sheets), (Some(3), vec!["Old".to_owned(), "Notes".to_owned()]));
}

/// Proves: S0_program.
#[test]
fn a_note_in_front_of_the_table_is_not_taken_for_it() {
    let place = ImportFolder::new();
    let files = [("read me.txt", "Made on 5 January 2026\n"), ("people.csv", "Mobile,City\n07700900001,York\n")];
    fs::write(place.file_path("people.csv"), build_archive(&files)).expect("a file");
    let output = place.run_import(&["--list", "May", "--json"]);
    let answer = parse_output(&output);
    assert_eq!((output.status.code(), &answer["counts"]["new"]), (Some(3), &json!(1)), "{output:?}");
    assert_eq!(left_out(&answer), [("archive_member".to_owned(), "read me.txt".to_owned(), json!(1))]);
    // A table without recognized phone numbers is not skipped in favour of another one.
    let table = format!("Kontakt,City\n{}", "Ada,York\n".repeat(10));
    let files = [("a.csv", table.as_str()), ("people.csv", "Mobile,City\n07700900002,York\n")];
    fs::write(place.file_path("people.csv"), build_archive(&files)).expect("a file");
    let message = refusal_message(&place.run_import(&["--list", "May"]));
    assert!(message.contains("The columns are: Kontakt, City."), "{message}");
}

/// Proves: S0_program.
#[test]
fn an_export_of_several_sheets_comes_back_whole() {
    let place = ImportFolder::new();
    let mut book =
        roost_sheets::write::workbook::WorkbookWriter::begin(std::io::Cursor::new(Vec::new()), "Spring", true)
            .expect("a book");
    let mut sheet = roost_sheets::write::workbook::SheetRows::with_max_rows(3);
    let mut people = (1..=7).map(|n| format!("+4477009000{n:02}"));
    for at in 0..4 {
        if at > 0 {
            book.next_sheet().expect("a sheet");
            sheet.next_sheet();
        }
        let mut markup = Vec::new();
        sheet.write_heads(["phone_number", "city"], &mut markup);
        people.by_ref().take(2).for_each(|phone| sheet.write_row([phone.as_str(), "York"], &mut markup));
        book.write_rows(&markup).expect("rows");
    }
    fs::write(place.file_path("people.csv"), book.finish().expect("a book").into_inner()).expect("a file");
    let output = place.run_import(&["--list", "May", "--json"]);
    assert_eq!((output.status.code(), &parse_output(&output)["counts"]["new"]), (Some(0), &json!(7)), "{output:?}");
}

/// Proves: S0_program.
#[test]
fn people_are_taken_wherever_their_number_is() {
    let place = ImportFolder::new();
    let card = |name: &str, phones: &str| format!("BEGIN:VCARD\nVERSION:4.0\nN:;{name};;;\n{phones}\nEND:VCARD\n");
    let cards = [
        card("Ada", "TEL;TYPE=work:07700900011\nTEL;TYPE=\"voice,cell\":tel:+447700900001"),
        card("Bo", "TEL;TYPE=work:07700900002"),
        card("Cy", "TEL;TYPE=home:07700900003"),
        card("Di", "TEL:07700900004"),
    ];
    fs::write(place.file_path("people.csv"), cards.concat()).expect("a file");
    let output = place.run_import(&["--list", "Cards", "--json"]);
    assert_eq!((output.status.code(), &parse_output(&output)["counts"]["new"]), (Some(0), &json!(4)), "{output:?}");
    let sql = "SELECT phone, alternate_phone FROM contacts ORDER BY phone";
    let found = read_rows(Path::new(&place.file_path("a.roost")), sql);
    let want: Vec<Vec<Option<String>>> = [
        ("+447700900001", Some("07700900011")),
        ("+447700900002", None),
        ("+447700900003", None),
        ("+447700900004", None),
    ]
    .map(|(phone, other)| vec![Some(phone.to_owned()), other.map(str::to_owned)])
    .to_vec();
    assert_eq!(found, want);

    let table = "Name;Business Phone;Phone 2;Home;Mobile Phone\n\
                 Ada Lovelace;07700900021;;;07700900020\nBo Cole;07700900022;;;\nCy Dunn;;07700900023;;\n\
                 Di Eld;;;07700900024;\nEd Fry;07700900026;07700900027;07700900028;07700900025\n";
    fs::write(place.file_path("people.csv"), table).expect("a file");
    let output = place.run_import(&["--list", "Table", "--json"]);
    let answer = parse_output(&output);
    assert_eq!((&answer["counts"]["new"], &answer["counts"]["invalid"]), (&json!(5), &json!(0)));
    // The third and fourth number of a person are reported.
    assert_eq!(output.status.code(), Some(3));
    let spare = [("telephone", "Business Phone", 1), ("telephone", "Home", 1)];
    let want = spare.map(|(what, name, count)| (what.to_owned(), name.to_owned(), json!(count)));
    assert_eq!(left_out(&answer), want);
    let picks: Vec<_> = answer["mapping"]["mapping"]["targets"].as_array().into_iter().flatten().collect();
    let phone = picks.iter().find(|target| target["field"] == "phone_number").expect("a phone number");
    let columns: Vec<_> =
        phone["pieces"].as_array().into_iter().flatten().map(|piece| &piece["column"]["column"]).collect();
    assert_eq!(columns, ["Mobile Phone", "Phone 2", "Business Phone", "Home"], "the order is shown");
}

/// Proves: S0_program.
#[test]
fn an_ambiguous_order_of_dates_is_asked_for_once() {
    let place = ImportFolder::new();
    let write = |dates: &[&str]| {
        let lines = dates.iter().enumerate().map(|(n, date)| format!("0770090000{n},{date}\n"));
        fs::write(place.file_path("people.csv"), format!("Mobile,Birthday\n{}", lines.collect::<String>()))
            .expect("a file");
    };
    let dates = |list: &str, more: &[&str]| {
        let output = place.run_import(&[&["--list", list, "--json"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let sql = "SELECT date_of_birth FROM contacts ORDER BY id DESC LIMIT 1";
        read_rows(Path::new(&place.file_path("a.roost")), sql).concat().remove(0).unwrap_or_default()
    };
    write(&["01/02/1950"]);
    let message = refusal_message(&place.run_import(&["--list", "May"]));
    assert!(
        message.contains("“01/02/1950” can be read in two ways") && message.contains("--date-order day-first"),
        "{message}"
    );
    assert_eq!(dates("a", &["--date-order", "day-first"]), "1950-02-01");
    assert_eq!(dates("b", &["--date-order", "month-first"]), "1950-01-02");
    assert_eq!(dates("c", &["--date-order", "as-written"]), "01/02/1950");
    write(&["13/02/1950", "01/02/1950"]);
    let answer = parse_output(&place.run_import(&["--list", "d", "--json", "--dry-run"]));
    let entries = answer["ledger"]["entries"].as_array().expect("entries");
    let dated = entries.iter().find(|entry| entry["what"] == "date_form").expect("an entry of dates");
    assert!(
        dated["reason"].as_str().is_some_and(|reason| reason.ends_with("the day comes before the month.")),
        "{dated}"
    );
    assert_eq!(dates("d", &[]), "1950-02-01", "another date of the column proves it");
    write(&["1950-02-01 00:00:00"]);
    assert_eq!(dates("e", &[]), "1950-02-01");
}

/// Proves: S0_program.
#[test]
fn a_file_that_is_not_a_table_is_called_by_its_kind() {
    let place = ImportFolder::new();
    for (bytes, name) in [
        (b"%PDF-1.7\n".as_slice(), "a PDF document"),
        (b"<!DOCTYPE html>\n<html><body>Phone</body></html>", "a web page"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\x0d", "a PNG image"),
    ] {
        fs::write(place.file_path("people.csv"), bytes).expect("a file");
        let message = refusal_message(&place.run_import(&["--list", "May"]));
        assert!(message.contains(&format!("This looks like {name}, not a table.")), "{message}");
    }
    for seed in
        [r#"{"senders":[],"lists":[{"name":"VIP","contacts":[]}]}"#, "lists:\n  - name: VIP\n    contacts: []\n"]
    {
        fs::write(place.file_path("people.csv"), seed).expect("a file");
        let message = refusal_message(&place.run_import(&["--list", "May"]));
        assert!(
            message.contains("This looks like a seed of a Roost account") && message.contains("roost seed"),
            "{message}"
        );
    }
    fs::write(place.file_path("people.csv"), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1").expect("a file");
    assert!(refusal_message(&place.run_import(&["--list", "May"])).contains("old Excel workbook"));
}

/// The import is killed after it has stored rows aside, and while it writes.
///
/// Proves: S0_program.
#[test]
fn an_import_that_is_killed_leaves_the_account_as_it_was_and_nothing_that_waits() {
    let place = ImportFolder::new();
    let lines: String = (0..40_000).map(|n| format!("+1{}5550{},Given {n}\n", 201 + n / 100, 100 + n % 100)).collect();
    fs::write(place.file_path("people.csv"), format!("Phone,Name\n{lines}")).expect("a file");
    let (file, db, imports) =
        (place.file_path("people.csv"), place.file_path("a.roost"), place.file_path("a.roost.imports"));
    let good = parse_output(&run_program(&["import", &file, "--db", &db, "--list", "May", "--json", "--dry-run"]));
    let good = good["counts"]["new"].as_u64().expect("a count");
    let log = format!("{db}-wal");
    let puts_aside = || fs::read_dir(&imports).is_ok_and(|mut folders| folders.next().is_some());
    let writes = || fs::metadata(&log).is_ok_and(|log| log.len() > 1 << 20);
    for has_begun in [&puts_aside as &dyn Fn() -> bool, &writes] {
        let mut child = command(["import", &file, "--db", &db, "--list", "May"])
            .stdout(Stdio::null())
            .spawn()
            .expect("it can be started");
        until("it has begun", || has_begun().then_some(()));
        child.kill().expect("it can be killed");
        child.wait().expect("it ends");
        // The next program finds all of it or nothing, and removes the stored rows.
        let core = roost_ops::Core::open(Path::new(&db), roost_ops::Ctx::system()).expect("the account opens");
        let sessions = ImportSessions::attach(&core, Some(Path::new(&db)));
        assert_eq!(sessions.list_waiting(&core).expect("what waits"), []);
        assert!(!Path::new(&imports).exists(), "nothing is left beside the account");
        core.end_background_work();
        drop(core);
        let counts: Vec<_> = read_rows(Path::new(&db), "SELECT count(*) FROM contacts").concat();
        assert!(good > 20_000 && ["0".to_owned(), good.to_string()].map(Some).contains(&counts[0]), "{counts:?}");
    }
    let counts = &parse_output(&run_program(&["import", &file, "--db", &db, "--list", "May", "--json"]))["counts"];
    assert_eq!(counts["new"].as_u64().max(counts["same"].as_u64()), Some(good), "{counts}");
}

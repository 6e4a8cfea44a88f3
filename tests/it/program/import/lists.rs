//! Lists of people who opted out. Whatever carries such a name, nothing is imported before the user says what it is.

use std::fs;

use serde_json::json;

use super::{
    super::{refusal_message, run_program},
    ImportFolder, build_archive, parse_output,
};

const PEOPLE: &str = "Mobile,City\n07700900001,York\n07700900002,Bath\n";
const OTHERS: &str = "Phone,Town\n07700900003,Hull\n07700900004,Ely\n";

const OPTED_OUT: [&str; 6] =
    ["STOP", "Opted out May", "Removed", "Abgemeldete Kunden", "Personnes désinscrites", "people who said no"];

const ORDINARY: [&str; 4] = ["DNC-scrubbed", "non opted out", "all contacts (incl unsubscribed)", "opt-outs removed"];

/// A file that carries the name of a list.
struct NameCarrier {
    carrier: &'static str,
    file: String,
    content: Vec<u8>,
    list: String,
    /// Whether the list is not imported without a flag.
    is_left_out: bool,
}

/// Builds a workbook from sheets with their names, states and rows.
fn build_workbook(sheets: &[(&str, &str, &str)]) -> Vec<u8> {
    let (mut names, mut relations, mut parts) = (String::new(), String::new(), Vec::new());
    for (at, (name, state, rows)) in sheets.iter().enumerate() {
        names += &format!("<sheet name=\"{name}\" sheetId=\"{at}\" state=\"{state}\" r:id=\"r{at}\"/>");
        relations += &format!("<Relationship Id=\"r{at}\" Type=\"x/worksheet\" Target=\"{at}.xml\"/>");
        let cell = |cell: &str| format!("<c t=\"str\"><v>{cell}</v></c>");
        let row = |row: &str| format!("<row>{}</row>", row.split(',').map(cell).collect::<String>());
        let rows: String = rows.lines().map(row).collect();
        parts.push((format!("xl/{at}.xml"), format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")));
    }
    let book = format!("<workbook><sheets>{names}</sheets></workbook>");
    let relations = format!("<Relationships>{relations}</Relationships>");
    let mut files = vec![
        ("[Content_Types].xml", "<Types/>"),
        ("xl/workbook.xml", &book),
        ("xl/_rels/workbook.xml.rels", &relations),
    ];
    files.extend(parts.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    build_archive(&files)
}

/// Returns every kind of file that may carry the name of a list.
fn name_carriers(name: &str) -> Vec<NameCarrier> {
    let zip = |member: &str, content: &str| build_archive(&[("people.csv", PEOPLE), (member, content)]);
    let card = "BEGIN:VCARD\nVERSION:3.0\nN:;Bo;;;\nTEL:07700900003\nEND:VCARD\n";
    let book =
        |sheet: &str, state: &str, rows: &str| build_workbook(&[("People", "visible", PEOPLE), (sheet, state, rows)]);
    let records = |number: &str| format!("[{{\"phone\":\"{number}\"}}]");
    let (people, others) = (records("07700900001"), records("07700900003"));
    let of = |carrier, file: &str, content: Vec<u8>, list: &str, is_left_out| NameCarrier {
        carrier,
        file: file.to_owned(),
        content,
        list: list.to_owned(),
        is_left_out,
    };
    let csv = format!("{name}.csv");
    let member = |end: &str| format!("{name}.{end}");
    let answers = format!("Phone,{name}\n07700900003,yes");
    let json = format!("{{\"status\":\"{name}\",\"contacts\":{people}}}");
    let beside = format!("{{\"contacts\":{people},\"{name}\":{others}}}");
    vec![
        of("file", &csv, PEOPLE.into(), &csv, false),
        of("folder", &format!("{name}/people.csv"), PEOPLE.into(), "people.csv", false),
        of("only member", "a.zip", build_archive(&[(&csv, PEOPLE)]), &csv, false),
        of("member", "a.zip", zip(&csv, OTHERS), &csv, true),
        of("member that is a card", "a.zip", zip(&member("vcf"), card), &member("vcf"), true),
        of("folder of a member", "a.zip", zip(&format!("{name}/a.csv"), OTHERS), &format!("{name}/a.csv"), true),
        of("only sheet", "a.xlsx", build_workbook(&[(name, "visible", PEOPLE)]), name, false),
        of("sheet", "a.xlsx", book(name, "visible", OTHERS), name, true),
        of("sheet with the same columns", "a.xlsx", book(name, "visible", PEOPLE), name, true),
        of("hidden sheet", "a.xlsx", book(name, "hidden", OTHERS), name, true),
        of("heading of a sheet", "a.xlsx", book("Sheet2", "visible", &format!("{name}\n{OTHERS}")), "Sheet2", true),
        of("column of a sheet", "a.xlsx", book("Sheet2", "visible", &format!("{name}\n07700900003")), "Sheet2", true),
        of("one of the columns of a sheet", "a.xlsx", book("Sheet2", "visible", &answers), "Sheet2", true),
        of("heading", "a.csv", format!("{name}\n{PEOPLE}").into(), "a.csv", false),
        of("heading above a blank row", "a.csv", format!("{name},\n\n{PEOPLE}").into(), "a.csv", false),
        of("list", "a.json", format!("{{\"{name}\":{people}}}").into(), "a.json", false),
        of("value beside the list", "a.json", json.into(), "a.json", false),
        of("list beside the list", "a.json", beside.into(), name, true),
    ]
}

fn run_import(place: &ImportFolder, carried: &NameCarrier, more: &[&str]) -> std::process::Output {
    let file = place.file_path(&carried.file);
    fs::create_dir_all(std::path::Path::new(&file).parent().expect("a folder")).expect("a folder");
    fs::write(&file, &carried.content).expect("a file");
    let db = place.file_path("a.roost");
    run_program(
        &[&["import", &file, "--db", &db, "--country", "GB", "--list", "May", "--ignore-rest"][..], more].concat(),
    )
}

/// Proves: S0_program.
#[test]
fn whatever_carries_the_name_of_a_list_of_opt_outs_is_asked_about() {
    let place = ImportFolder::new();
    for name in OPTED_OUT {
        for carried in name_carriers(name) {
            let NameCarrier { carrier, list, is_left_out, .. } = &carried;
            let message = refusal_message(&run_import(&place, &carried, &[]));
            let flag = if *is_left_out { "--ignore-columns" } else { "--ordinary-list" };
            assert!(message.contains(&format!("{flag} '{list}'")), "{name}, {carrier}: {message}");
            let output = run_import(&place, &carried, &[flag, list, "--dry-run"]);
            assert_eq!(output.status.code(), Some(0), "{name}, {carrier}: {output:?}");
        }
    }
}

/// Proves: S0_program.
#[test]
fn other_names_are_asked_about_nowhere() {
    let place = ImportFolder::new();
    for name in ORDINARY {
        for carried in name_carriers(name) {
            // The list beside it is imported, and this one may be left out by accident.
            if carried.carrier != "list beside the list" {
                let output = run_import(&place, &carried, &["--dry-run"]);
                assert_eq!(output.status.code(), Some(0), "{name}, {}: {output:?}", carried.carrier);
            }
        }
    }
}

/// Proves: S0_program.
#[test]
fn a_sheet_of_opt_outs_that_is_left_out_is_named_or_imported() {
    let place = ImportFolder::new();
    let content = build_workbook(&[("People", "visible", PEOPLE), ("STOP", "hidden", OTHERS)]);
    let book = NameCarrier { carrier: "sheet", file: "a.xlsx".into(), content, list: "STOP".into(), is_left_out: true };
    let message = refusal_message(&run_import(&place, &book, &[]));
    assert!(message.contains("with --all-sheets, and --opted-out-list 'STOP' if"), "{message}");
    let people = ["--sheet", "People"];
    let message = refusal_message(&run_import(&place, &book, &people));
    assert!(message.contains("with --sheet 'STOP', and --opted-out-list 'STOP' if"), "{message}");
    let message = refusal_message(&run_import(&place, &book, &["--opted-out-list", "STOP"]));
    assert!(message.contains("“STOP” is not imported. Import it with --all-sheets."), "{message}");
    assert!(refusal_message(&run_import(&place, &book, &["--all-sheets"])).contains("--opted-out-list 'STOP'"));
    // An imported sheet does not count as left out.
    let all = ["--all-sheets", "--ignore-columns", "STOP"];
    assert!(refusal_message(&run_import(&place, &book, &all)).contains("Unknown column “STOP”"));
    let output = run_import(&place, &book, &["--all-sheets", "--opted-out-list", "STOP", "--opt-outs", "4", "--json"]);
    assert_eq!((output.status.code(), &parse_output(&output)["opt_outs_added"]), (Some(0), &json!(4)), "{output:?}");
    let (file, db) = (place.file_path("a.xlsx"), place.file_path("a.roost"));
    let named = ["import", &file, "--db", &db, "--country", "GB", "--list", "May", "--ignore-columns", "stop"];
    assert_eq!(run_program(&named).status.code(), Some(0), "what is named is not left out by accident");
    // A sheet without rows states nothing.
    let content = build_workbook(&[("People", "visible", PEOPLE), ("STOP", "visible", "")]);
    assert_eq!(run_import(&place, &NameCarrier { content, ..book }, &[]).status.code(), Some(0));
}

/// Proves: S0_program.
#[test]
fn every_sheet_is_in_the_report_and_a_heading_with_its_text() {
    let place = ImportFolder::new();
    let sheets = [("People", "visible", PEOPLE), ("More", "visible", PEOPLE), ("Old", "hidden", OTHERS)];
    let content = build_workbook(&sheets);
    let book = NameCarrier { carrier: "", file: "a.xlsx".into(), content, list: String::new(), is_left_out: false };
    let words = |output: &std::process::Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let report = words(&run_import(&place, &book, &["--dry-run"]));
    for line in
        ["sheet “People” (a.xlsx): 2 rows\n", "sheet “More” (a.xlsx): 2 rows\n", "The sheet is hidden. Choose it"]
    {
        assert!(report.contains(line), "{line}: {report}");
    }
    let content = format!("Customers of the north\nspring,2026\n{PEOPLE}").into_bytes();
    let report = words(&run_import(&place, &NameCarrier { file: "a.csv".into(), content, ..book }, &["--dry-run"]));
    assert!(report.contains("headings: 3 rows, such as “Customers of the north, spring, 2026”"), "{report}");
}

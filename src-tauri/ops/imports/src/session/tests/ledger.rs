//! Every value in the files of an import is imported, left out with a reason, or in a row that is rejected.

use std::collections::BTreeMap;

use proptest::prelude::*;
use roost_sheets::{
    Dialect,
    write::workbook::{SheetRows, WorkbookWriter},
};

use super::*;
use crate::{
    ledger::{ImportLedger, LedgerEntry, LedgerItem, LedgerOutcome},
    reading::HeadRow,
    rehearse::ImportSummary,
    rehearse::RowQuery,
    verdicts::RowBucket,
};

impl SessionFixture {
    fn rehearse_with_ledger(&self, import: u64) -> ImportSummary {
        self.wait_until_settled(import);
        self.core.imports().rehearse(&self.core, import).unwrap();
        assert_eq!(self.wait_until_settled(import).fault, None);
        let rehearsal = self.core.imports().describe_rehearsal(&self.core, import).unwrap().summary;
        let ImportLedger { columns, cells, rows, .. } = &rehearsal.ledger;
        for sum in [columns, cells, rows] {
            assert_eq!(sum.all, sum.taken + sum.left_out + sum.rejected + sum.not_data, "{sum:?}");
        }
        rehearsal
    }

    fn import_ledger(&self, sources: Vec<ImportSource>) -> ImportLedger {
        let import = self.open_import(sources);
        self.rehearse_with_ledger(import).ledger
    }

    fn leave_out_columns(&self, import: u64, columns: &[u32]) {
        self.wait_until_settled(import);
        let mut mapping = self.describe_table(import).mapping;
        columns.iter().for_each(|column| mapping.leave_out(*column));
        self.core.imports().set_mapping(&self.core, import, mapping).unwrap();
    }
}

fn entries_about(ledger: &ImportLedger, what: LedgerItem) -> Vec<&LedgerEntry> {
    ledger.entries.iter().filter(|entry| entry.what == what).collect()
}

/// Returns what was left out without being chosen, with its name and count.
fn list_unnoticed(ledger: &ImportLedger) -> Vec<(LedgerItem, &str, Option<u64>)> {
    ledger.unnoticed_entries().map(|entry| (entry.what, entry.name.as_str(), entry.count)).collect()
}

#[test]
fn numbers_as_programs_write_them_are_taken_and_counted() {
    let world = SessionFixture::new();
    let ledger = world.import_ledger(vec![text_source(
        "a.csv",
        "Phone,City\n447700900001.0,York\ntel:+44-7700-900002,Hull\n\u{202a}+447700900003\u{202c},Deal\n07700 900004 (mobile),Bath\n4.47700900005E+11,Ware\n07700900006,Ely\n4.477009E+11,Wells\n",
    )]);
    let spelled = entries_about(&ledger, LedgerItem::NumberSpelling)[0];
    assert_eq!((spelled.name.as_str(), spelled.count, spelled.outcome), ("Phone", Some(5), LedgerOutcome::Taken));
    assert_eq!(spelled.example, "447700900001.0");
    assert_eq!((ledger.rows.taken, ledger.rows.rejected), (6, 1), "digits that are not in the file are not made up");
}

#[test]
fn telephones_that_no_field_is_filled_from_are_in_the_ledger() {
    let world = SessionFixture::new();
    let ledger = world.import_ledger(vec![text_source(
        "a.csv",
        "Phone,Work phone\n07700900001 / 07700900002,\nn/a,07700900003\n07700900004,x; y\n\
         07700900005,07700900006 | 07700900007\n#REF!,07700900008\n",
    )]);
    assert_eq!(
        list_unnoticed(&ledger),
        [
            (LedgerItem::SpreadsheetError, "Phone", Some(1)),
            (LedgerItem::Telephone, "Phone", Some(1)),
            (LedgerItem::Telephone, "Work phone", Some(1)),
            (LedgerItem::Telephone, "Work phone", Some(1)),
        ]
    );
    let examples: Vec<&str> =
        entries_about(&ledger, LedgerItem::Telephone).iter().map(|entry| entry.example.as_str()).collect();
    assert_eq!(examples, ["n/a", "07700900006 | 07700900007", "x; y"]);
    // One cell is an error, and two have no number in them.
    assert_eq!((ledger.cells.all, ledger.cells.taken, ledger.cells.left_out), (11, 6, 3));
}

#[test]
fn a_text_that_looks_like_an_error_is_taken_and_listed() {
    let world = SessionFixture::new();
    let ledger = world.import_ledger(vec![text_source("a.csv", "Phone,City\n07700900001,#REF!\n07700900002,York\n")]);
    assert_eq!(list_unnoticed(&ledger), []);
    let doubtful = entries_about(&ledger, LedgerItem::SpreadsheetError)[0];
    assert_eq!((doubtful.outcome, doubtful.count, doubtful.example.as_str()), (LedgerOutcome::Taken, Some(1), "#REF!"));
}

#[test]
fn columns_without_a_field_are_in_the_ledger() {
    let world = SessionFixture::new();
    let ledger = world.import_ledger(vec![text_source(
        "a.csv",
        "Phone,City,Note,City,Fax\n07700900001, York ,call,Bath,0207 946 0001\n07700900002,Hull,,,0207 946 0002\n07700900003,Deal,x,,,beyond\n",
    )]);
    assert_eq!(
        list_unnoticed(&ledger),
        [
            (LedgerItem::Column, "Note", Some(2)),
            (LedgerItem::Column, "City", Some(1)),
            (LedgerItem::Telephone, "Fax", Some(2)),
            (LedgerItem::SurplusCells, "#6", Some(1)),
        ]
    );
    let note = entries_about(&ledger, LedgerItem::Column)[2];
    assert_eq!((note.name.as_str(), note.example.as_str()), ("Note", "call"));
    assert!(ledger.entries.iter().any(|entry| entry.reason.contains("same name")), "{ledger:?}");
    let spaced = entries_about(&ledger, LedgerItem::TrimmedSpace)[0];
    assert_eq!((spaced.name.as_str(), spaced.count, spaced.example.as_str()), ("City", Some(1), " York "));
    let taken: Vec<_> =
        ledger.entries.iter().filter(|entry| !entry.fields.is_empty()).map(|e| e.fields[0].as_str()).collect();
    assert_eq!(taken, ["phone_number", "city"]);
    assert_eq!((ledger.columns.all, ledger.columns.taken, ledger.cells.all), (6, 2, 5 + 12));
    assert_eq!((ledger.rows.all, ledger.rows.taken, ledger.rows.not_data), (4, 3, 1));
}

#[test]
fn a_column_that_looks_like_consent_must_be_mapped_or_left_out_by_name() {
    let world = SessionFixture::new();
    for (head, value) in [
        ("Opt out", "yes"),
        ("Do not contact", "yes"),
        ("Unsubscribed", "yes"),
        ("UNSUB_TIME", "2026-01-07"),
        ("Abgemeldet", "ja"),
        ("Désabonné", "oui"),
        ("Zgoda", "nie"),
    ] {
        let import = world.open_import(vec![text_source("a.csv", &format!("Phone,{head}\n07700900001,{value}\n"))]);
        world.wait_until_settled(import);
        assert!(
            world.describe_table(import).columns[1].is_consent && !world.describe_table(import).columns[0].is_consent
        );
        assert_eq!(world.describe_table(import).faults[0].path, "left_out");
        let refused = world.core.imports().rehearse(&world.core, import).unwrap_err().to_string();
        assert!(refused.contains(&format!("“{head}”")), "{refused}");
        world.leave_out_columns(import, &[1]);
        let ledger = world.rehearse_with_ledger(import).ledger;
        let entry = entries_about(&ledger, LedgerItem::Consent)[0];
        assert!(entry.is_chosen && entry.count == Some(1), "{entry:?}");
        assert_eq!(list_unnoticed(&ledger), []);
        world.core.imports().discard(&world.core, import).unwrap();
    }
    // A property of a card must be mapped or left out as well.
    let card = "BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nTEL:07700900001\nDO-NOT-CALL:yes\nEND:VCARD\n";
    let import = world.open_import(vec![text_source("a.vcf", card)]);
    world.wait_until_settled(import);
    let refused = world.core.imports().rehearse(&world.core, import).unwrap_err().to_string();
    assert!(refused.contains("“DO-NOT-CALL”"), "{refused}");
    world.core.imports().discard(&world.core, import).unwrap();
    // A blank column says nothing about anybody, and a mapped one needs no answer.
    let import = world.open_import(vec![text_source("a.csv", "Phone,Opt out\n07700900001,\n")]);
    world.rehearse_with_ledger(import);
    let import = world.open_import(vec![text_source("a.csv", "Phone,Opt out\n07700900001,yes\n")]);
    world.wait_until_settled(import);
    let table = world.describe_table(import);
    let mut mapping = table.mapping;
    mapping.assign_consent("Opt out", 1, Vec::new(), Vec::new(), &table.columns[1].facts);
    world.core.imports().set_mapping(&world.core, import, mapping).unwrap();
    let rehearsal = world.rehearse_with_ledger(import);
    assert_eq!((rehearsal.opt_outs, list_unnoticed(&rehearsal.ledger)), (2, vec![]));
}

#[test]
fn whole_names_fill_the_first_and_the_last_name() {
    let world = SessionFixture::new();
    for (file, name) in [
        ("Phone,Name\n07700900001,Ada Lovelace\n", "csv"),
        ("07700900001,Ada Lovelace\n07700900002,Zoë O'Brien\n", "no heads"),
        ("BEGIN:VCARD\nVERSION:4.0\nFN:Ada Lovelace\nTEL:+447700900001\nEND:VCARD\n", "card"),
        (
            "{\"contacts\":[{\"phone\":\"07700900001\",\"name\":\"Ada Lovelace\"},{\"phone\":\"07700900002\",\"name\":\"Bo\"}]}",
            "json",
        ),
    ] {
        let import = world.open_import(vec![text_source(name, file)]);
        let ledger = world.rehearse_with_ledger(import).ledger;
        assert_eq!(list_unnoticed(&ledger), [], "{name}");
        let rows = world.core.imports().list_rows(&world.core, import, &RowQuery::default(), 0, 9).unwrap().rows;
        let value =
            |field: &str| rows[0].values.iter().find(|value| value.field == field).map(|value| value.text.as_str());
        assert_eq!((value("firstname"), value("lastname")), (Some("Ada"), Some("Lovelace")), "{name}: {rows:?}");
        assert!(rows.iter().all(|row| row.bucket == RowBucket::New), "{name}");
    }
}

#[test]
fn the_titles_of_whole_names_fill_the_title() {
    let world = SessionFixture::new();
    let file = "Phone,Name\n07700900001,\"Smith, Anna\"\n07700900002,Ms Guest Jones\n07700900003,Ada Lovelace\n";
    let import = world.open_import(vec![text_source("guests.csv", file)]);
    world.rehearse_with_ledger(import);
    let rows = world.core.imports().list_rows(&world.core, import, &RowQuery::default(), 0, 9).unwrap().rows;
    let value = |row: usize, field: &str| {
        let found = rows[row].values.iter().find(|value| value.field == field);
        found.map_or_else(String::new, |value| value.text.clone())
    };
    let names: Vec<[String; 3]> =
        (0..3).map(|row| ["title", "firstname", "lastname"].map(|field| value(row, field))).collect();
    assert_eq!(names, [["", "Anna", "Smith"], ["Ms", "Guest", "Jones"], ["", "Ada", "Lovelace"]]);
}

#[test]
fn rows_values_and_properties_that_stay_out_are_in_the_ledger() {
    let world = SessionFixture::new();
    let before = world.open_import(vec![text_source("a.csv", "Phone,City\n07700900001,York\n")]);
    world.rehearse_with_ledger(before);
    world.core.imports().accept(&world.core, &user(), before, None).unwrap();
    world.wait_until_settled(before);
    let ledger = world.import_ledger(vec![
        text_source(
            "b.csv",
            "Our list\n\nPhone,City\n07700900001,Bath\n07700900002,Hull\n07700900002,Deal\n,,\n12,Ely\n",
        ),
        text_source("c.vcf", "BEGIN:VCARD\nVERSION:3.0\nN:;Di;;;\nTEL:+447700900004\nGENDER:F\nEND:VCARD\n"),
        text_source("d.json", "{\"total\":1,\"data\":[{\"phone\":\"07700900005\"}]}"),
    ]);
    assert_eq!(
        list_unnoticed(&ledger),
        [
            (LedgerItem::ListValueStays, "city", Some(1)),
            (LedgerItem::DuplicateRows, "", Some(1)),
            (LedgerItem::Property, "GENDER", Some(1)),
            (LedgerItem::Property, "total", Some(1)),
        ]
    );
    assert_eq!(entries_about(&ledger, LedgerItem::ListValueStays)[0].example, "Bath (York)");
    assert_eq!(entries_about(&ledger, LedgerItem::DuplicateRows)[0].example, "b.csv, line 6");
    assert_eq!(entries_about(&ledger, LedgerItem::RejectedRows)[0].outcome, LedgerOutcome::Rejected);
    assert_eq!(entries_about(&ledger, LedgerItem::HeadingRows)[0].count, Some(3));
    assert_eq!(entries_about(&ledger, LedgerItem::BlankRows)[0].count, Some(1));
    assert_eq!(entries_about(&ledger, LedgerItem::FileForm)[0].name, "VERSION");
}

#[test]
fn lines_after_a_break_are_counted() {
    let world = SessionFixture::new();
    let import =
        world.open_import(vec![text_source("cut.csv", "Phone,City\n07700900001,York\n07700900002,\"Ba\nth\nx,y\n")]);
    world.wait_until_settled(import);
    world.set_file_settings(import, ImportSettings { takes_part: true, ..ImportSettings::default() });
    let ledger = world.rehearse_with_ledger(import).ledger;
    assert_eq!(list_unnoticed(&ledger), [(LedgerItem::RowsAfterBreak, "", Some(3))]);
}

#[test]
fn the_same_account_is_kept_with_the_import() {
    let world = SessionFixture::new();
    let import = world.open_import(vec![text_source("a.csv", "Phone,Note\n07700900001,x\n")]);
    let ledger = world.rehearse_with_ledger(import).ledger;
    world.core.imports().accept(&world.core, &user(), import, None).unwrap();
    let accepted = world.wait_until_settled(import).accepted.unwrap();
    assert_eq!(accepted.ledger, ledger);
    let past = crate::history::get(&world.core, accepted.result.import).unwrap();
    assert_eq!(past.summary.ledger, ledger);
}

/// Returns a workbook whose sheets have these rows and are called `May`, `May 2` and so on.
fn build_workbook(sheets: &[&str]) -> Vec<u8> {
    let mut book = WorkbookWriter::begin(std::io::Cursor::new(Vec::new()), "May", true).unwrap();
    for (at, rows) in sheets.iter().enumerate() {
        if at > 0 {
            book.next_sheet().unwrap();
        }
        let (mut sheet, mut markup) = (SheetRows::default(), Vec::new());
        rows.lines().for_each(|row| sheet.write_row(row.split(','), &mut markup));
        book.write_rows(&markup).unwrap();
    }
    book.finish().unwrap().into_inner()
}

#[test]
fn the_sheet_with_telephones_is_chosen_before_one_that_is_nearly_empty() {
    let contacts = "Phone,City\n07700900001,York\n07700900002,Hull";
    let chosen = |sheets: &[&str]| {
        let world = SessionFixture::new();
        let import = world.open_import(vec![world.write_file("book.xlsx", build_workbook(sheets))]);
        world.wait_until_settled(import).rows
    };
    for cover in ["Report", "Report,March 2026\nBy,Anna", "Month,Sent,Read\nMarch,12,8"] {
        assert_eq!(chosen(&[cover, contacts]), 2, "{cover}");
    }
    assert_eq!(chosen(&["Phone,City\n07700900003,Bath", contacts.replace("City", "Town").as_str()]), 1, "a short list");
}

#[test]
fn sheets_with_the_same_columns_are_one_table_and_others_are_left_out_with_a_count() {
    let world = SessionFixture::new();
    let book = build_workbook(&[
        "Phone,City\n07700900001,York",
        "a,b\nc,d\ne,f",
        "Phone,City\n07700900002,Bath\n07700900003,Hull",
    ]);
    let import = world.open_import(vec![world.write_file("book.xlsx", book)]);
    let state = world.wait_until_settled(import);
    let parts: Vec<_> = state.files.iter().map(|file| (file.group, file.part.as_deref().unwrap_or_default())).collect();
    assert_eq!((parts.as_slice(), state.rows), (&[(1, "May"), (1, "May 3")][..], 3));
    let rehearsal = world.rehearse_with_ledger(import);
    assert_eq!(rehearsal.counts.new, 3);
    assert_eq!(list_unnoticed(&rehearsal.ledger), [(LedgerItem::Sheet, "May 2", Some(3))]);
    assert_eq!((rehearsal.ledger.cells.all, rehearsal.ledger.cells.left_out), (10 + 6, 6));

    let choose = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        world.core.imports().set_parts(&world.core, import, 1, &names)
    };
    choose(&["May 3"]).unwrap();
    let state = world.wait_until_settled(import);
    assert_eq!((state.files.len(), state.rows, state.files[0].part.as_deref()), (1, 2, Some("May 3")));
    let ledger = world.rehearse_with_ledger(import).ledger;
    let left_out = |ledger: &ImportLedger| -> Vec<LedgerEntry> {
        let sheets = entries_about(ledger, LedgerItem::Sheet).into_iter();
        sheets.filter(|entry| entry.outcome == LedgerOutcome::LeftOut).cloned().collect()
    };
    assert_eq!(
        left_out(&ledger).iter().map(|entry| (entry.name.as_str(), entry.is_chosen)).collect::<Vec<_>>(),
        [("May", true), ("May 2", true)]
    );
    let file = state.files[0].file;
    let again = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        world.core.imports().set_parts(&world.core, import, file, &names)
    };
    again(&["May 2", "May", "May 3"]).unwrap();
    let state = world.wait_until_settled(import);
    let parts: Vec<_> = state.files.iter().filter_map(|file| file.part.clone()).collect();
    assert_eq!((parts, state.rows), (vec!["May".to_owned(), "May 2".to_owned(), "May 3".to_owned()], 3 + 2));
    let message = again(&["None"]).unwrap_err().to_string();
    assert_eq!(message, "It has no sheet or file “None”. It has: May, May 2, May 3.");
    assert!(again(&[]).is_err());
    // A part can be removed like a file.
    let notes = state.files[1].file;
    world.core.imports().remove_file(&world.core, import, notes).unwrap();
    let ledger = world.rehearse_with_ledger(import).ledger;
    assert_eq!(left_out(&ledger)[0].name, "May 2");
}

/// The number of cells with each text.
type CellCounts = BTreeMap<String, u64>;

fn count_cell(cells: &mut CellCounts, text: &str) {
    if !text.trim().is_empty() {
        *cells.entry(text.trim().to_owned()).or_default() += 1;
    }
}

#[derive(Debug, Clone)]
struct RandomTable {
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// Returns a table in which each cell has a different text, so that it can be followed.
fn random_table() -> impl Strategy<Value = RandomTable> {
    let heads =
        prop::sample::subsequence(vec!["First name", "Note", "City", "Company", "Colour", "City", "Last name"], 0..7);
    let row = (0_u32..12, prop::collection::vec(0_u8..4, 0..9));
    (heads, prop::collection::vec(row, 1..10)).prop_map(|(heads, rows)| {
        let heads: Vec<&str> = std::iter::once("Phone").chain(heads).collect();
        let rows = rows.into_iter().enumerate().map(|(at, (number, more))| {
            let phone = match number {
                0 => String::new(),
                1 => "12".to_owned(),
                2 => "4.47E+11".to_owned(),
                // Some numbers are in two rows.
                number => format!("07700900{:03}", number % 7),
            };
            let more = more.into_iter().enumerate().map(|(column, kind)| match kind {
                0 => String::new(),
                1 => "  ".to_owned(),
                2 => format!(" v{at}x{column} "),
                _ => format!("v{at}x{column}"),
            });
            std::iter::once(phone).chain(more).collect()
        });
        RandomTable { heads, rows: rows.collect() }
    })
}

fn quote_cells<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    cells.map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(",") + "\n"
}

fn table_source(world: &SessionFixture, table: &RandomTable, form: usize) -> ImportSource {
    match form {
        0 => {
            let rows: String = table.rows.iter().map(|row| quote_cells(row.iter().map(String::as_str))).collect();
            text_source("t.csv", &(quote_cells(table.heads.iter().copied()) + &rows))
        }
        1 => {
            let (mut sheet, mut markup) = (SheetRows::default(), Vec::new());
            let mut book = WorkbookWriter::begin(std::io::Cursor::new(Vec::new()), "May", true).unwrap();
            sheet.write_heads(table.heads.iter().copied(), &mut markup);
            table.rows.iter().for_each(|row| sheet.write_row(row.iter().map(String::as_str), &mut markup));
            book.write_rows(&markup).unwrap();
            world.write_file("t.xlsx", book.finish().unwrap().into_inner())
        }
        _ => {
            // Every column has a name here, so that no cell is beyond the last one.
            let name = |at: usize| match table.heads.get(at) {
                Some(head) if !table.heads[..at].contains(head) => (*head).to_owned(),
                _ => format!("more {at}"),
            };
            let record = |row: &Vec<String>| {
                let fields = row.iter().enumerate().map(|(at, cell)| format!("\"{}\":\"{cell}\"", name(at)));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            };
            text_source("t.json", &format!("[{}]", table.rows.iter().map(record).collect::<Vec<_>>().join(",")))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Counts the cells while the file is written, and then looks for each in the contacts and in the rejected rows.
    /// The number of those that are in neither must be what the ledger says was left out.
    #[test]
    fn every_cell_is_in_the_account_in_a_rejected_row_or_in_the_ledger(table in random_table(), form in 0_usize..3) {
        let world = SessionFixture::new();
        let mut all = CellCounts::new();
        table.rows.iter().flatten().for_each(|cell| count_cell(&mut all, cell));
        prop_assume!(all.keys().any(|cell| cell.starts_with("0770")));
        let import = world.open_import(vec![table_source(&world, &table, form)]);
        world.wait_until_settled(import);
        if form < 2 {
            // A row with only one name looks like a title, and a few commas do not look like separators.
            let (head, dialect) = (HeadRow::At(0), (form == 0).then(|| Dialect::with_separator(',')));
            world.set_file_settings(import, ImportSettings { head, dialect, ..ImportSettings::default() });
        }
        let ledger = world.rehearse_with_ledger(import).ledger;
        world.core.imports().accept(&world.core, &user(), import, None).unwrap();
        let accepted = world.wait_until_settled(import).accepted.unwrap().result;

        let mut found = CellCounts::new();
        let mut seed = Vec::new();
        roost_ops::account::seed::export(&world.core, "http://127.0.0.1:4010/s", &mut seed).unwrap();
        let seed: serde_json::Value = serde_json::from_slice(&seed).unwrap();
        let contacts = seed["lists"][0]["contacts"].as_array().cloned().unwrap_or_default();
        for contact in &contacts {
            for field in ["firstname", "lastname", "city", "company_name"] {
                count_cell(&mut found, contact[field].as_str().unwrap_or_default());
            }
            count_cell(&mut found, &contact["phone_number"].as_str().unwrap_or_default().replace("+44", "0"));
        }
        let in_contacts: u64 = found.values().sum();
        crate::rejects::visit_rejects(&world.core, accepted.import, |row| {
            row.cells.iter().for_each(|cell| count_cell(&mut found, cell));
            Ok(())
        }).unwrap();
        let in_rejects = found.values().sum::<u64>() - in_contacts;
        for (text, count) in &found {
            prop_assert!(all.get(text).is_some_and(|known| known >= count), "{text} is nowhere in the file");
        }
        let total: u64 = all.values().sum();
        let heads = if form < 2 { table.heads.len() as u64 } else { 0 };
        prop_assert_eq!(ledger.cells.all, total + heads);
        prop_assert_eq!(ledger.cells.not_data, heads);
        prop_assert_eq!(ledger.cells.taken, in_contacts);
        prop_assert_eq!(ledger.cells.rejected, in_rejects);
        prop_assert_eq!(ledger.cells.left_out, total - in_contacts - in_rejects);
        if ledger.cells.left_out > 0 {
            prop_assert!(ledger.unnoticed_entries().count() > 0, "cells are missing and nothing says so");
        }
    }
}

#[test]
fn impossible_dates_stay_as_they_are_and_are_reported() {
    let world = SessionFixture::new();
    let dates = ["01/02/1985", "12/25/1985", "2093-01-02", "1990", "13/02/1986", "5 May 1988", "07/08/90"];
    let rows = dates.iter().enumerate().map(|(n, date)| format!("0770090000{n},{date}\n"));
    let table = std::iter::once("Phone,Date of birth\n".to_owned()).chain(rows).collect::<String>();
    let import = world.open_import(vec![text_source("people.csv", &table)]);
    world.wait_until_settled(import);
    let mut mapping = world.describe_table(import).mapping;
    mapping.date_order = Some(crate::mapping::dates::DateOrder::DayFirst);
    let sample = world.core.imports().set_mapping(&world.core, import, mapping).unwrap().sample;
    let shown: Vec<&str> = sample.iter().filter_map(|row| row.values[1].as_deref()).collect();
    assert_eq!(shown, ["1985-02-01", "12/25/1985", "2093-01-02", "1990", "1986-02-13", "1988-05-05", "1990-08-07"]);
    world.core.imports().rehearse(&world.core, import).unwrap();
    assert_eq!(world.wait_until_settled(import).fault, None);
    let entries = world.core.imports().describe_rehearsal(&world.core, import).unwrap().summary.ledger.entries;
    let examples = |what: LedgerItem| -> Vec<(&str, Option<u64>)> {
        let examples = entries.iter().filter(|entry| entry.what == what);
        examples.map(|entry| (entry.example.as_str(), entry.count)).collect()
    };
    assert_eq!(examples(LedgerItem::DateForm), [("01/02/1985", Some(4))]);
    assert_eq!(examples(LedgerItem::UnreadDate), [("12/25/1985", Some(1)), ("2093-01-02", Some(1)), ("1990", Some(1))]);
}

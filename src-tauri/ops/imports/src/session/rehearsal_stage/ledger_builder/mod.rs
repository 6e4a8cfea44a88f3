//! Builds the ledger of an import from its files, its mapping and its rehearsal.

mod column_entries;

use std::io;

use roost_sheets::{Remark, RemarkKind, SourceFormat};
use roost_store::{db::scan_pool::MAX_THREADS, watch::Watch};

use super::super::{
    super::{
        ledger::{
            ImportLedger, LedgerEntry, LedgerItem, LedgerOutcome, LedgerSum, LedgerUnit,
            tally::{ColumnRole, ColumnTally, TallyRules, tally_columns},
        },
        mapping::{OpenMapping, OptedOutRowRule, OverwriteRule, consent::is_consent_name},
        rehearse::Rehearsal,
        spool::FrameReader,
        verdicts::RowBucket,
    },
    open::parts::{PartSurvey, find_left_out_parts},
    read_stage::CombinedFiles,
    stored::{StoredFile, StoredRead},
};
use roost_ops::account::CountryBy;

/// Lists everything in the files and what is done with it.
///
/// `country_by` says how the country of the files was chosen; it is `None` if the person chose it. `has_edits` says
/// whether cells were edited after the files were read.
pub(super) fn build_ledger(
    files: &[StoredFile],
    combined: &CombinedFiles,
    engine: &Rehearsal,
    country_by: Option<CountryBy>,
    has_edits: bool,
    watch: &Watch,
) -> io::Result<ImportLedger> {
    let mut account = LedgerBuilder { files, combined, rehearsal: engine, country_by, ledger: ImportLedger::default() };
    let roles: Vec<ColumnRole> = (0..combined.heads.len() as u32).map(|column| account.column_role(column)).collect();
    let rules = TallyRules { verdicts: &engine.verdicts, plan: &engine.plan };
    let columns = tally_columns(&combined.spool, rules, &roles, MAX_THREADS, watch)?;
    account.add_columns(&columns);
    account.add_skipped_values();
    account.add_rows()?;
    files
        .iter()
        .filter_map(|file| Some((file, file.read.as_ref()?)))
        .for_each(|(file, read)| account.add_file(file, read));
    account.add_parts();
    account.add_sums(&columns);
    if has_edits {
        let LedgerSum { taken, left_out, rejected, not_data, .. } = account.ledger.cells;
        account.ledger.cells.all = taken + left_out + rejected + not_data;
    }
    Ok(account.ledger)
}

struct LedgerBuilder<'a> {
    files: &'a [StoredFile],
    combined: &'a CombinedFiles,
    rehearsal: &'a Rehearsal,
    country_by: Option<CountryBy>,
    ledger: ImportLedger,
}

/// Returns an entry for all files, without details.
fn blank_entry(what: LedgerItem, outcome: LedgerOutcome) -> LedgerEntry {
    LedgerEntry {
        file: String::new(),
        what,
        name: String::new(),
        outcome,
        fields: Vec::new(),
        reason: String::new(),
        count: Some(0),
        unit: LedgerUnit::Values,
        example: String::new(),
        is_chosen: false,
    }
}

impl LedgerBuilder<'_> {
    fn mapping(&self) -> &OpenMapping {
        &self.rehearsal.mapping
    }

    fn file_name(&self, file: &StoredFile) -> String {
        match file.part_name() {
            Some(part) => format!("{}, {part}", file.name),
            None if self.files.len() > 1 => file.name.clone(),
            None => String::new(),
        }
    }

    fn add_skipped_values(&mut self) {
        let mapping = &self.rehearsal.mapping;
        for kept in &self.rehearsal.skipped_values {
            let rule = mapping.targets.iter().find(|target| target.field == kept.field).and_then(|target| target.rule);
            self.ledger.entries.push(LedgerEntry {
                name: kept.field.clone(),
                reason: "The list has another value there, which is kept.".to_owned(),
                count: Some(kept.count),
                example: kept.example.clone(),
                is_chosen: rule.is_some() || mapping.rule == OverwriteRule::Never,
                ..blank_entry(LedgerItem::ListValueStays, LedgerOutcome::LeftOut)
            });
        }
    }

    /// Describes the place of a row: `people.csv, row 5`.
    fn describe_place(&self, row: u64) -> io::Result<String> {
        let Some((frame, at)) = self.combined.spool.locate_row(row) else { return Ok(String::new()) };
        let mut reader = FrameReader::default();
        self.combined.spool.read_frame(frame, &mut reader)?;
        let place = reader.block.row(at).place;
        let file = self.files.iter().find(|file| file.file == self.combined.locate_row(row).0);
        let word = match file.and_then(|file| file.read.as_ref()).map(|read| read.found.kind) {
            Some(SourceFormat::Xlsx | SourceFormat::Ods) => "row",
            _ => "line",
        };
        Ok(match file.map(|file| self.file_name(file)).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name}, {word} {place}"),
            None => format!("{word} {place}"),
        })
    }

    fn add_rows(&mut self) -> io::Result<()> {
        let counts = self.rehearsal.summary().counts;
        for (bucket, what, count, reason, is_chosen) in [
            (
                RowBucket::DuplicateInFile,
                LedgerItem::DuplicateRows,
                counts.duplicate_in_file,
                "Another row with the same number was taken.",
                false,
            ),
            (
                RowBucket::DuplicateInList,
                LedgerItem::AmbiguousRows,
                counts.duplicate_in_list,
                "Several contacts of the list have the number.",
                false,
            ),
            (
                RowBucket::OptedOut,
                LedgerItem::OptedOutRows,
                counts.opted_out,
                "The number is opted out.",
                self.mapping().opted_out == OptedOutRowRule::LeaveOut,
            ),
        ] {
            if count == 0 {
                continue;
            }
            let (rows, _) = self.rehearsal.verdicts.select_rows(Some(bucket), None, 0, 1);
            let example = rows.first().map_or(Ok(String::new()), |row| self.describe_place(*row))?;
            let (reason, unit) = (reason.to_owned(), LedgerUnit::Rows);
            let left_out = blank_entry(what, LedgerOutcome::LeftOut);
            let count = Some(count);
            self.ledger.entries.push(LedgerEntry { reason, count, unit, example, is_chosen, ..left_out });
        }
        for refused in self.rehearsal.summary().reasons.clone() {
            let (rows, _) = self.rehearsal.verdicts.select_rows(Some(RowBucket::Invalid), Some(refused.reason), 0, 1);
            let example = rows.first().map_or(Ok(String::new()), |row| self.quote_row(*row))?;
            self.ledger.entries.push(LedgerEntry {
                reason: refused.message,
                count: Some(refused.count),
                unit: LedgerUnit::Rows,
                example,
                ..blank_entry(LedgerItem::RejectedRows, LedgerOutcome::Rejected)
            });
        }
        Ok(())
    }

    /// Describes a refused row: `line 5: “12” is not a valid phone number.`
    fn quote_row(&self, row: u64) -> io::Result<String> {
        let place = self.describe_place(row)?;
        let Some((frame, at)) = self.combined.spool.locate_row(row) else { return Ok(place) };
        let mut reader = FrameReader::default();
        self.combined.spool.read_frame(frame, &mut reader)?;
        let (row, plan) = (reader.block.row(at), &self.rehearsal.plan);
        Ok(match plan.validate_row(&row) {
            Err(fault) => format!("{place}: {}", plan.explain_fault(&fault, &row)),
            Ok(_) => place,
        })
    }

    /// Adds what a file holds apart from the rows with values.
    fn add_file(&mut self, file: &StoredFile, read: &StoredRead) {
        let name = self.file_name(file);
        let rows = |what, outcome, count, reason: &str| LedgerEntry {
            file: name.clone(),
            reason: reason.to_owned(),
            count,
            unit: LedgerUnit::Rows,
            ..blank_entry(what, outcome)
        };
        let counts = read.counts;
        if counts.above_rows > 0 {
            let heads = read.found.heads.iter().find(|head| !head.is_empty());
            let heading = Some(&read.heading).filter(|heading| !heading.is_empty()).or(heads);
            self.ledger.entries.push(LedgerEntry {
                example: heading.cloned().unwrap_or_default(),
                ..rows(
                    LedgerItem::HeadingRows,
                    LedgerOutcome::NotData,
                    Some(counts.above_rows),
                    "Column names and the text above them are not data.",
                )
            });
        }
        if counts.blank_rows > 0 {
            let blank = rows(LedgerItem::BlankRows, LedgerOutcome::NotData, Some(counts.blank_rows), "They are blank.");
            self.ledger.entries.push(blank);
        }
        if let Some(broken) = &file.broken {
            let what = LedgerItem::RowsAfterBreak;
            let rest = rows(what, LedgerOutcome::LeftOut, broken.lines_left, &broken.message);
            self.ledger.entries.push(LedgerEntry { example: broken.place.to_string(), ..rest });
        }
        if self.mapping().is_file_opted_out(file) {
            let reason = "Everyone in it is opted out, as you said.";
            self.ledger.entries.push(LedgerEntry {
                name: file.sheet_name().unwrap_or(&file.name).to_owned(),
                fields: vec!["opt_out".to_owned()],
                is_chosen: true,
                ..rows(LedgerItem::OptedOutList, LedgerOutcome::Taken, Some(counts.rows), reason)
            });
        }
        for remark in &read.remarks {
            self.ledger.entries.push(LedgerEntry { file: name.clone(), ..remark_entry(remark) });
        }
    }

    /// Adds the sheets of workbooks and the files of archives.
    fn add_parts(&mut self) {
        for (file, read) in self.files.iter().filter_map(|file| Some((file, file.read.as_ref()?))) {
            let is_book = matches!(read.found.kind, SourceFormat::Xlsx | SourceFormat::Ods);
            let what = if is_book { LedgerItem::Sheet } else { LedgerItem::ArchiveMember };
            let is_chosen = file.settings.sheet.is_some();
            if let Some(part) = file.part_name() {
                self.ledger.entries.push(LedgerEntry {
                    file: file.name.clone(),
                    name: part.to_owned(),
                    count: Some(read.counts.rows),
                    unit: LedgerUnit::Rows,
                    is_chosen,
                    ..blank_entry(what, LedgerOutcome::Taken)
                });
            }
            for part in find_left_out_parts(file, self.files) {
                let is_chosen = is_chosen || self.mapping().is_list_left_out(&part.name);
                let reason = match (is_chosen, part.is_hidden, is_book) {
                    (true, ..) => "You left it out.",
                    (_, true, _) => "The sheet is hidden. Choose it to import it.",
                    (_, _, true) => "Its columns are not those of the sheet that is imported. Choose it to import it.",
                    _ => "Only the first file of an archive is imported unless you choose others.",
                };
                let reason = match &part.broken {
                    Some(broken) => format!("{reason} {broken}"),
                    None => reason.to_owned(),
                };
                let entry = LedgerEntry {
                    file: file.name.clone(),
                    name: part.name.clone(),
                    reason,
                    count: Some(part.rows).filter(|_| part.broken.is_none()),
                    unit: LedgerUnit::Rows,
                    example: part.example.clone(),
                    is_chosen,
                    ..blank_entry(what, LedgerOutcome::LeftOut)
                };
                self.ledger.entries.push(entry);
            }
        }
    }

    fn add_sums(&mut self, columns: &[ColumnTally]) {
        let used: Vec<bool> = (0..columns.len()).map(|at| !self.column_fields(at as u32).is_empty()).collect();
        let open: Vec<&PartSurvey> = self.files.iter().flat_map(|file| find_left_out_parts(file, self.files)).collect();
        let counts = self.rehearsal.summary().counts;
        let reads = || self.files.iter().filter_map(|file| file.read.as_ref());
        let remarks = |kinds: &[RemarkKind]| -> u64 {
            let of_kind = reads().flat_map(|read| &read.remarks).filter(|remark| kinds.contains(&remark.kind));
            of_kind.map(|remark| remark.count).sum()
        };
        let stays: u64 = self.rehearsal.skipped_values.iter().map(|kept| kept.count).sum();
        let part_rows: u64 = open.iter().map(|part| part.rows).sum();
        let part_cells: u64 = open.iter().map(|part| part.cells).sum();
        let in_rows = |is_used| -> u64 {
            columns
                .iter()
                .zip(&used)
                .filter(|(_, used)| **used == is_used)
                .map(|(column, _)| column.stored_cells())
                .sum()
        };
        let spoiled: u64 = columns.iter().map(|column| column.taken - column.stored_cells()).sum();
        let passed_over = remarks(&[RemarkKind::Property, RemarkKind::Hidden]);
        let of_the_form = remarks(&[RemarkKind::Form, RemarkKind::Repeated]);
        let cells = LedgerSum {
            all: reads().map(|read| read.counts.cells + read.counts.above_cells).sum::<u64>()
                + passed_over
                + of_the_form
                + part_cells,
            // A skipped value may have been combined from several cells, so the difference could be negative.
            taken: in_rows(true).saturating_sub(stays),
            left_out: in_rows(false)
                + stays.min(in_rows(true))
                + spoiled
                + columns.iter().map(|column| column.left_out).sum::<u64>()
                + passed_over
                + part_cells,
            rejected: columns.iter().map(|column| column.rejected).sum(),
            not_data: reads().map(|read| read.counts.above_cells).sum::<u64>() + of_the_form,
        };
        let rows = LedgerSum {
            all: reads().map(|read| read.rows).sum::<u64>() + part_rows,
            taken: counts.new + counts.same + counts.kept + counts.changed,
            left_out: counts.duplicate_in_file + counts.duplicate_in_list + counts.opted_out + part_rows,
            rejected: counts.invalid,
            not_data: counts.blank,
        };
        let taken = used.iter().filter(|used| **used).count() as u64;
        let all = columns.len() as u64;
        self.ledger.columns = LedgerSum { all, taken, left_out: all - taken, rejected: 0, not_data: 0 };
        self.ledger.cells = cells;
        self.ledger.rows = rows;
    }
}

fn remark_entry(remark: &Remark) -> LedgerEntry {
    use LedgerOutcome::{LeftOut, NotData, Taken};
    let (what, outcome, reason) = match remark.kind {
        RemarkKind::Property if is_consent_name(&remark.name) => {
            (LedgerItem::Consent, LeftOut, "None of its values means an opt-out.")
        }
        RemarkKind::Property if remark.name.is_empty() => (LedgerItem::Property, LeftOut, "It was not recognized."),
        RemarkKind::Property => (LedgerItem::Property, LeftOut, "Contacts have no field for it."),
        RemarkKind::Form => (LedgerItem::FileForm, NotData, "It says nothing about a person."),
        RemarkKind::Repeated => (LedgerItem::RepeatedName, NotData, "It repeats the other names of the card."),
        RemarkKind::Doubled => {
            (LedgerItem::RepeatedName, Taken, "A record has this name twice; both values were taken together.")
        }
        RemarkKind::Comment => (LedgerItem::Comment, LeftOut, "It is a comment on a cell."),
        RemarkKind::HiddenRow => {
            (LedgerItem::HiddenRows, Taken, "The sheet hides them, and they were imported like all others.")
        }
        RemarkKind::Hidden => (LedgerItem::HiddenValue, LeftOut, "The format of its cell hides it."),
        RemarkKind::NoResult => (LedgerItem::FormulaWithoutResult, LeftOut, "The file does not hold its result."),
        RemarkKind::Rounded => (LedgerItem::RoundedNumber, Taken, "It was taken as the cell shows it."),
        RemarkKind::Date => (LedgerItem::DateForm, Taken, "They were taken as year, month and day."),
        RemarkKind::Exact => (LedgerItem::ExactNumber, Taken, "It was taken with all digits that the file holds."),
    };
    LedgerEntry {
        name: remark.name.clone(),
        reason: reason.to_owned(),
        count: Some(remark.count),
        unit: if what == LedgerItem::HiddenRows { LedgerUnit::Rows } else { LedgerUnit::Values },
        example: remark.example.clone(),
        ..blank_entry(what, outcome)
    }
}

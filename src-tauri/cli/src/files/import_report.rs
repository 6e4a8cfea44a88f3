//! The report of an import, as text and as JSON: the rows, the columns, and everything that was left out.

use std::collections::BTreeSet;

use roost_imports::{
    ledger::{LedgerEntry, LedgerItem, LedgerOutcome, LedgerUnit},
    mapping::{MappingProfile, OpenMapping},
    rehearse::ImportSummary,
    verdicts::{BucketCounts, RejectReasonCount},
};
use roost_ops::opt_out::LostOptOut;
use serde_json::{Value, json};

use super::import::ImportCommand;
use crate::{
    failure::CliFailure,
    terminal::{count_with_noun, plain_json, plural_noun, print_raw, print_text},
};

/// The facts that the report of an import describes.
pub(crate) struct ImportReport<'a> {
    pub rehearsal: &'a ImportSummary,
    pub counts: &'a BucketCounts,
    pub heads: &'a [String],
    pub mapping: &'a OpenMapping,
    /// The list's uid, the import's ID in the history, and its undo step.
    pub written: Option<(&'a str, i64, i64)>,
    /// The opt-outs that new numbers of changed contacts lack.
    pub lost_opt_outs: &'a [LostOptOut],
    pub is_new: bool,
}

impl ImportReport<'_> {
    /// Counts blank rows without the heading rows, which the rehearsal counts as blank.
    fn blank_rows(&self) -> u64 {
        let entries = self.rehearsal.ledger.entries.iter().filter(|entry| entry.what == LedgerItem::HeadingRows);
        self.counts.blank.saturating_sub(entries.filter_map(|entry| entry.count).sum())
    }
}

/// The most new numbers that the report names.
const NUMBERS_SHOWN: usize = 10;

impl ImportCommand {
    pub(crate) fn print_report(&self, report: &ImportReport) -> Result<(), CliFailure> {
        if self.json {
            let document = self.to_json(report);
            print_raw(&format!("{}\n", plain_json(&document.to_string())))
        } else {
            print_text(&self.describe(report))
        }
    }

    fn to_json(&self, report: &ImportReport) -> Value {
        let ImportReport { rehearsal, written, .. } = report;
        let reason = |counted: &RejectReasonCount| {
            let RejectReasonCount { reason, message, count } = counted;
            json!({ "reason": reason, "message": message, "rows": count })
        };
        let fields = rehearsal.fields.iter().map(|field| json!({ "field": field.field, "rows": field.count }));
        json!({
            "dry_run": self.dry_run,
            "list": written.map(|(uid, _, _)| uid),
            "list_is_new": report.is_new,
            "import": written.map(|(_, past, _)| past),
            "step": written.map(|(_, _, step)| step),
            "counts": BucketCounts { blank: report.blank_rows(), ..*report.counts },
            "reasons": rehearsal.reasons.iter().map(reason).collect::<Vec<_>>(),
            "changed_fields": fields.collect::<Vec<_>>(),
            "opted_out": rehearsal.opted_out,
            "opt_outs_added": rehearsal.opt_outs,
            "lost_opt_outs": report.lost_opt_outs,
            "opt_outs_of_invalid_rows": rehearsal.opt_outs_of_invalid_rows,
            "new_fields": rehearsal.new_fields.iter().map(|field| &field.label).collect::<Vec<_>>(),
            "mapping": MappingProfile::from_mapping("", report.heads, report.mapping),
            "ledger": rehearsal.ledger,
        })
    }

    fn describe(&self, report: &ImportReport) -> String {
        let ImportReport { rehearsal, counts, is_new, .. } = report;
        let mut out = String::new();
        let list = self.list.as_deref().unwrap_or_default().trim();
        let new = if *is_new { "new list" } else { "list" };
        let rows = count_with_noun(counts.rows, "row");
        match self.dry_run {
            true => out += &format!("{rows}; what would happen to them in the {new} {list}:\n"),
            false => out += &format!("{rows} into the {new} {list}:\n"),
        }
        let lines = [
            (counts.new, "new"),
            (counts.changed, "changed"),
            (counts.same, "already in the list"),
            (counts.kept, "already in the list with other values, which stay"),
            (counts.duplicate_in_file, "duplicates within the files"),
            (counts.duplicate_in_list, "ambiguous: several contacts have the number"),
            (counts.opted_out, "opted out, skipped"),
            (counts.invalid, "invalid, skipped"),
        ];
        for (rows, what) in lines.into_iter().filter(|(rows, _)| *rows > 0) {
            out += &format!("{rows:>10}  {what}\n");
        }
        for reason in &rehearsal.reasons {
            let example = rehearsal.ledger.entries.iter().find(|entry| {
                entry.what == LedgerItem::RejectedRows && entry.reason == reason.message && !entry.example.is_empty()
            });
            let message = match (reason.count, example) {
                (1, Some(entry)) => entry.example.clone(),
                (_, Some(entry)) => format!("{} For example {}", reason.message, entry.example),
                (_, None) => reason.message.clone(),
            };
            out += &format!("{:>10}  {message}\n", reason.count);
        }
        if rehearsal.opt_outs > 0 {
            let tense = if self.dry_run { "to add" } else { "added" };
            let from_invalid = match rehearsal.opt_outs_of_invalid_rows {
                0 => String::new(),
                count => format!(", {count} of them from invalid rows"),
            };
            let what = plural_noun(rehearsal.opt_outs, "opt-out");
            out += &format!("{:>10}  {what} {tense}{from_invalid}\n", rehearsal.opt_outs);
        }
        if rehearsal.opted_out > 0 {
            let what = plural_noun(rehearsal.opted_out, "row");
            out += &format!("{:>10}  {what} of people who opted out before and stay opted out\n", rehearsal.opted_out);
        }
        let lost: BTreeSet<&str> = report.lost_opt_outs.iter().map(|lost| lost.number.as_str()).collect();
        if !lost.is_empty() {
            let what = plural_noun(lost.len() as u64, "new number");
            let numbers = lost.iter().take(NUMBERS_SHOWN).copied().collect::<Vec<_>>().join(", ");
            out += &format!("{:>10}  {what} of people who opted out on another number: {numbers}\n", lost.len());
        }
        out + &self.describe_ledger(report)
    }

    fn describe_ledger(&self, report: &ImportReport) -> String {
        let ledger = &report.rehearsal.ledger;
        let mut out = String::new();
        let mut section = |title: &str, entries: &mut dyn Iterator<Item = &LedgerEntry>| {
            let mut is_first = true;
            for entry in entries {
                if std::mem::take(&mut is_first) {
                    out += &format!("{title}:\n");
                }
                out += &format!("  {}\n", describe_entry(entry));
            }
        };
        let entries_with =
            |outcome| ledger.entries.iter().filter(move |entry| entry.outcome == outcome && entry.count != Some(0));
        let (taken, left_out) =
            if self.dry_run { ("Would be imported", "Would not be imported") } else { ("Imported", "Not imported") };
        section(taken, &mut entries_with(LedgerOutcome::Taken));
        section(left_out, &mut entries_with(LedgerOutcome::LeftOut));
        section("Not contact data", &mut entries_with(LedgerOutcome::NotData));
        let cells = &ledger.cells;
        out += &format!(
            "{} in the files: {} imported, {} not imported, {} in invalid rows, {} not contact data\n",
            count_with_noun(cells.all, "value"),
            cells.taken,
            cells.left_out,
            cells.rejected,
            cells.not_data
        );
        let dropped = ledger.count_dropped_numbers();
        if dropped > 0 {
            out += &format!("{} in imported cells not imported\n", count_with_noun(dropped, "further number"));
        }
        out
    }
}

/// Writes a line such as `opt-out column “Status”, “gone”: 3 rows. It does not opt out.`
fn describe_consent(entry: &LedgerEntry) -> String {
    let value = match entry.example.as_str() {
        "" => "blank".to_owned(),
        value => format!("“{value}”"),
    };
    let rows = count_with_noun(entry.count.unwrap_or_default(), "row");
    format!("opt-out column “{}”, {value}: {rows}. {}", entry.name, entry.reason)
}

/// Writes a line such as `column “Note”: 3 values, such as “call back”. No field is filled from this column.`
fn describe_entry(entry: &LedgerEntry) -> String {
    let what = match entry.what {
        LedgerItem::Column | LedgerItem::Telephone => "column",
        LedgerItem::Consent => "column about opt-outs",
        LedgerItem::SurplusCells => "surplus column",
        LedgerItem::Sheet => "sheet",
        LedgerItem::ArchiveMember => "file of the archive",
        LedgerItem::Property | LedgerItem::RepeatedName => "property",
        LedgerItem::Comment => "comments",
        LedgerItem::HiddenValue => "hidden values",
        LedgerItem::HiddenRows => "hidden rows",
        LedgerItem::FormulaWithoutResult => "formulas without a result",
        LedgerItem::SpreadsheetError => "spreadsheet errors in column",
        LedgerItem::InvalidValue => "invalid values in column",
        LedgerItem::ListValueStays => "field",
        LedgerItem::DuplicateRows => "duplicate rows",
        LedgerItem::AmbiguousRows => "ambiguous rows",
        LedgerItem::OptedOutRows => "opted-out rows",
        LedgerItem::RejectedRows => "invalid rows",
        LedgerItem::RowsAfterBreak => "rows after the error",
        LedgerItem::HeadingRows => "headings",
        LedgerItem::BlankRows => "blank rows",
        LedgerItem::FileForm => "file format",
        LedgerItem::TrimmedSpace => "spaces in column",
        LedgerItem::RoundedNumber => "rounded numbers",
        LedgerItem::ExactNumber => "exact numbers",
        LedgerItem::NumberSpelling => "numbers in other spellings",
        LedgerItem::DateForm => "dates in other forms",
        LedgerItem::UnreadDate => "texts instead of dates in column",
        LedgerItem::NationalNumber => "numbers without a country code in column",
        LedgerItem::ConsentValue => "value of the opt-out column",
        LedgerItem::OptedOutList => "list",
    };
    if entry.what == LedgerItem::ConsentValue {
        return describe_consent(entry);
    }
    let mut out = what.to_owned();
    if !entry.name.is_empty() {
        out += &format!(" “{}”", entry.name);
    }
    if !entry.file.is_empty() {
        out += &format!(" ({})", entry.file);
    }
    if !entry.fields.is_empty() {
        out += &format!(" → {}", entry.fields.join(", "));
    }
    let unit = match entry.unit {
        LedgerUnit::Values => "value",
        LedgerUnit::Rows => "row",
    };
    out += &match entry.count {
        Some(count) => format!(": {}", count_with_noun(count, unit)),
        None => format!(": an unknown number of {unit}s"),
    };
    if !entry.example.is_empty() && entry.fields.is_empty() {
        out += &format!(", such as “{}”", entry.example);
    }
    if !entry.reason.is_empty() {
        out += &format!(". {}", entry.reason);
    }
    out
}

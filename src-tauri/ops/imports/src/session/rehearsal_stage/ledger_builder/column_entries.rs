//! Ledger entries for the columns of the files and the cells in them.

use roost_spelling::normalize_name;

use super::{
    super::super::{
        super::{
            ledger::{
                LedgerEntry, LedgerItem, LedgerOutcome, LedgerUnit,
                tally::{ColumnRole, ColumnTally},
            },
            mapping::{
                ConsentMapping, DateOrder, ValuePiece,
                consent::{OptOutWords, looks_like_consent},
            },
        },
        mapping_stage::column_name,
        open::truncate_text,
    },
    LedgerBuilder, blank_entry,
};

const NUMBER_FIELDS: [&str; 2] = ["phone_number", "whatsapp_id"];
const DATE_FIELD: &str = "date_of_birth";
const EMAIL_FIELD: &str = "email_address";
/// The name of an opt-out column among the fields.
const OPT_OUT_FIELD: &str = "opt_out";
/// The most values of an opt-out column that are listed.
const VALUES_SHOWN: usize = 20;
/// Characters of such a value that are shown.
const VALUE_CHARS_SHOWN: usize = 80;

impl LedgerBuilder<'_> {
    /// Returns the names of the files that have a column; empty if all have it.
    pub(super) fn column_files(&self, column: usize) -> String {
        let having = self.combined.files.get(column).map_or(&[][..], Vec::as_slice);
        if having.len() >= self.files.len() {
            return String::new();
        }
        let names = self.files.iter().filter(|file| having.contains(&file.file)).map(|file| self.file_name(file));
        names.collect::<Vec<_>>().join("; ")
    }

    /// Returns the fields that a column fills.
    pub(super) fn column_fields(&self, column: u32) -> Vec<String> {
        let mapping = self.mapping();
        let has = |pieces: &[ValuePiece<u32>]| pieces.iter().any(|piece| piece.column() == Some(&column));
        let targets = mapping.targets.iter().filter(|target| has(&target.pieces)).map(|target| target.field.clone());
        let is_consent = mapping.consents.iter().any(|consent| has(&consent.pieces));
        targets.chain(is_consent.then(|| OPT_OUT_FIELD.to_owned())).collect()
    }

    pub(super) fn column_role(&self, column: u32) -> ColumnRole {
        let fields = self.column_fields(column);
        let fills = |names: &[&str]| fields.iter().any(|field| names.contains(&field.as_str()));
        let is_used = fields.iter().any(|field| field != OPT_OUT_FIELD);
        ColumnRole {
            is_used,
            is_number: fills(&NUMBER_FIELDS),
            is_date: fills(&[DATE_FIELD]),
            is_email: fills(&[EMAIL_FIELD]),
            is_consent: fills(&[OPT_OUT_FIELD]),
        }
    }

    /// Adds the values of an opt-out column, the most frequent first, each with whether it opts out.
    fn add_consent_values(&mut self, column: u32, tally: &ColumnTally) {
        let has_column =
            |consent: &&ConsentMapping<u32>| consent.pieces.iter().any(|piece| piece.column() == Some(&column));
        let consents: Vec<&ConsentMapping<u32>> = self.mapping().consents.iter().filter(has_column).collect();
        let named: Vec<String> = consents.iter().flat_map(|consent| &consent.words).cloned().collect();
        let words: Vec<OptOutWords> = consents.into_iter().map(OptOutWords::from_consent).collect();
        let opts_out = |value: &str| words.iter().any(|words| words.opts_out(value));
        let base = LedgerEntry {
            name: column_name(&self.combined.heads, column),
            unit: LedgerUnit::Rows,
            ..blank_entry(LedgerItem::ConsentValue, LedgerOutcome::Taken)
        };
        let describe = |value: &str, count: u64| {
            let (reason, field) = match (opts_out(value), value) {
                (true, _) => ("It opts out.", Some(OPT_OUT_FIELD)),
                (false, "") => ("Blank cells do not opt out.", None),
                (false, _) => ("It does not opt out.", None),
            };
            LedgerEntry {
                example: truncate_text(value, VALUE_CHARS_SHOWN),
                count: Some(count),
                reason: reason.to_owned(),
                fields: field.map(str::to_owned).into_iter().collect(),
                ..base.clone()
            }
        };
        let mut values: Vec<(&str, u64)> = tally.values.iter().map(|(value, count)| (value.as_str(), *count)).collect();
        values.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let mut entries: Vec<LedgerEntry> =
            values.iter().take(VALUES_SHOWN).map(|(value, count)| describe(value, *count)).collect();
        // The remaining values have two entries: one for those that opt out, one for the others.
        let (out, stay): (Vec<(&str, u64)>, Vec<_>) =
            values.iter().skip(VALUES_SHOWN).partition(|(value, _)| opts_out(value));
        for (more, one, several) in
            [(out, "It opts out.", "They opt out."), (stay, "It does not opt out.", "They do not opt out.")]
        {
            if let [first, others @ ..] = more.as_slice() {
                let reason = match others.len() {
                    0 => one.to_owned(),
                    others => format!("This and {others} more values. {several}"),
                };
                entries.push(LedgerEntry {
                    reason,
                    count: Some(more.iter().map(|(_, count)| count).sum()),
                    ..describe(first.0, 0)
                });
            }
        }
        if tally.further_values > 0 {
            let reason = "There are too many values to list these.".to_owned();
            entries.push(LedgerEntry { reason, count: Some(tally.further_values), ..base.clone() });
        } else if !values.iter().any(|(value, _)| opts_out(value)) {
            let reason = "None of the values that mean “opted out” is in this column.".to_owned();
            entries.push(LedgerEntry { reason, example: truncate_text(&named.join(", "), VALUE_CHARS_SHOWN), ..base });
        }
        self.ledger.entries.append(&mut entries);
    }

    pub(super) fn add_columns(&mut self, columns: &[ColumnTally]) {
        let heads = &self.combined.heads;
        let dates = match self.mapping().date_order {
            Some(DateOrder::DayFirst) => {
                "They were taken as year, month and day. In the file the day comes before the month."
            }
            Some(DateOrder::MonthFirst) => {
                "They were taken as year, month and day. In the file the month comes before the day."
            }
            Some(DateOrder::AsWritten) | None => "They were taken as year, month and day.",
        };
        let region = self.mapping().region.clone().unwrap_or_default();
        let by = self.country_by.map_or_else(String::new, |by| format!(", {}", by.describe()));
        let of_file = format!("They do not begin with + or 00 and were read as numbers in {region}{by}.");
        let last_named = heads.iter().rposition(|head| !head.trim().is_empty());
        for (at, counted) in columns.iter().enumerate() {
            let (fields, file) = (self.column_fields(at as u32), self.column_files(at));
            let name = column_name(heads, at as u32);
            let facts = &self.combined.columns[at];
            let example = facts.samples.first().cloned().unwrap_or_default();
            if !fields.is_empty() {
                use LedgerItem::{
                    DateForm, InvalidValue, NationalNumber, NumberSpelling, SpreadsheetError, Telephone, TrimmedSpace,
                    UnreadDate,
                };
                use LedgerOutcome::{LeftOut, Taken};
                for (what, outcome, reason, cells) in [
                    (TrimmedSpace, Taken, "The spaces around them were removed.", &counted.with_space),
                    (NumberSpelling, Taken, "They were taken as the numbers they spell.", &counted.respelled),
                    (DateForm, Taken, dates, &counted.converted_dates),
                    (
                        UnreadDate,
                        Taken,
                        "Day and month are in the other order. They were kept as they are.",
                        &counted.other_order,
                    ),
                    (UnreadDate, Taken, "They are in the future. They were kept as they are.", &counted.future),
                    (
                        UnreadDate,
                        Taken,
                        "They are not complete dates. They were kept as they are.",
                        &counted.incomplete_dates,
                    ),
                    (SpreadsheetError, LeftOut, "A spreadsheet had no value there.", &counted.errors),
                    (SpreadsheetError, Taken, "They were taken as texts.", &counted.doubtful),
                    (
                        InvalidValue,
                        Taken,
                        "They are not valid e-mail addresses. They were kept as drafts for you to fix.",
                        &counted.drafts,
                    ),
                    (InvalidValue, LeftOut, "They say that there is no value.", &counted.missing),
                    (InvalidValue, LeftOut, "They are not valid dates.", &counted.impossible),
                    (Telephone, LeftOut, "Other numbers of the same person were taken.", &counted.unused),
                    (Telephone, LeftOut, "Another number of the same cell was taken.", &counted.unused_parts),
                    (Telephone, LeftOut, "They are not valid numbers; another one was taken.", &counted.invalid),
                    (
                        Telephone,
                        LeftOut,
                        "Their label says that they are for a fax or a pager.",
                        &counted.not_for_messages,
                    ),
                    (NationalNumber, Taken, of_file.as_str(), &counted.read_in_file_country),
                    (
                        NationalNumber,
                        Taken,
                        "They do not begin with + or 00 and were read as numbers in the country of their row.",
                        &counted.read_in_row_country,
                    ),
                ] {
                    if cells.count > 0 {
                        self.ledger.entries.push(LedgerEntry {
                            file: file.clone(),
                            name: name.clone(),
                            reason: reason.to_owned(),
                            count: Some(cells.count),
                            example: cells.example.clone(),
                            ..blank_entry(what, outcome)
                        });
                    }
                }
                if fields.iter().any(|field| field == OPT_OUT_FIELD) {
                    self.add_consent_values(at as u32, counted);
                }
                let taken = blank_entry(LedgerItem::Column, LedgerOutcome::Taken);
                self.ledger.entries.push(LedgerEntry {
                    file,
                    name,
                    fields,
                    count: Some(counted.stored_cells()),
                    example,
                    ..taken
                });
                continue;
            }
            let is_chosen = self.mapping().left_out.contains(&(at as u32));
            let is_twin = heads[..at]
                .iter()
                .any(|head| !normalize_name(head).is_empty() && normalize_name(head) == normalize_name(&heads[at]));
            let (what, reason) = if looks_like_consent(&heads[at], facts) {
                (LedgerItem::Consent, "None of its values means an opt-out.")
            } else if last_named.is_some_and(|last| at > last) {
                (LedgerItem::SurplusCells, "They are beyond the last column that has a name.")
            } else if facts.looks.are_mostly(facts.looks.numbers + facts.looks.shortened) {
                (LedgerItem::Telephone, "No field is filled from these numbers.")
            } else if is_twin {
                (LedgerItem::Column, "An earlier column has the same name; no field is filled from this one.")
            } else {
                (LedgerItem::Column, "No field is filled from this column.")
            };
            let reason = if is_chosen { "You left it out." } else { reason }.to_owned();
            let left_out = blank_entry(what, LedgerOutcome::LeftOut);
            let count = Some(counted.taken);
            self.ledger.entries.push(LedgerEntry { file, name, reason, count, example, is_chosen, ..left_out });
        }
    }
}

//! Imports opt-outs from pasted text or a file. A preview shows what each row would do, and the import only adds.

use std::collections::HashMap;

use roost_model::{
    channel::Channel,
    error::FieldError,
    id::AssetId,
    opt_out::{InboundAsset, OptOut, OptOutRecordScope, OptOutType},
    phone::Region,
};
use roost_spelling::number::is_shortened;
use roost_store::{
    change_log::{ActorKind, ChangeAction, ChangeLogEntry, Noun},
    tables::opt_outs,
    tx::ActDescription,
};
use serde::{Deserialize, Serialize};

use super::{
    NOT_A_NUMBER, check_cancelled, check_reason,
    grid::AssetNumbers,
    ignored_columns::{IgnoredColumn, find_ignored_columns},
    pasted::{self, PastedRow, PastedSeparator},
    read_number,
};

use crate::{
    core::{Actor, Core},
    error::{Error, Result},
};

/// The maximum number of rows in one import.
pub const ROWS_MAX: usize = 100_000;
/// The number of rows from which the columns are guessed.
const GUESS_ROWS: usize = 50;

/// The positions of the columns, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportColumns {
    pub has_head: bool,
    pub number: u32,
    pub channel: Option<u32>,
    /// The column with an asset's id or number. Rows without one apply to the account.
    pub asset: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptOutRowStatus {
    New,
    /// The number is already opted out in that scope; the record stays unchanged.
    Already,
    Duplicate,
    Invalid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum OptOutRowError {
    Blank,
    NotANumber,
    /// A spreadsheet wrote the number as 4.47E+11, and its digits are lost.
    Spreadsheet,
    Channel,
    Asset,
    ChannelMismatch,
}

impl OptOutRowError {
    fn message(self) -> &'static str {
        match self {
            Self::Blank => "This row has no number.",
            Self::NotANumber => NOT_A_NUMBER,
            Self::Spreadsheet => {
                "A spreadsheet shortened this number, and its digits are lost. Format the column as text and copy it \
                 again."
            }
            Self::Channel => "The channel must be SMS or WHATSAPP.",
            Self::Asset => "The account has no such asset.",
            Self::ChannelMismatch => "The asset belongs to the other channel.",
        }
    }
}

/// The effect of one row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportRow {
    /// The line of the text on which the row begins, counted from 1.
    pub row: u32,
    /// The number in E.164 form.
    pub number: Option<String>,
    pub given: String,
    pub channels: Vec<Channel>,
    pub asset_number: Option<String>,
    pub status: OptOutRowStatus,
    /// The first row with the same opt-out.
    pub duplicate_of: Option<u32>,
    pub fault: Option<OptOutRowError>,
    pub message: Option<String>,
    #[serde(skip)]
    #[cfg_attr(feature = "ts", ts(skip))]
    scope: Option<(AssetId, String)>,
}

/// The counts of the rows by status. The four statuses add up to `rows`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ImportCounts {
    pub rows: u32,
    pub new: u32,
    pub already: u32,
    pub duplicates: u32,
    pub invalid: u32,
    /// The number of records to add. A row for both channels counts as two.
    pub would_add: u32,
}

/// A text or file that was read for an import.
#[derive(Debug)]
pub struct OptOutImportPlan {
    pub separator: PastedSeparator,
    pub columns: ImportColumns,
    pub width: u32,
    pub head: Option<Vec<String>>,
    /// The first rows as separate cells.
    pub sample: Vec<Vec<String>>,
    pub counts: ImportCounts,
    /// The columns that are not read, in their order.
    pub ignored: Vec<IgnoredColumn>,
    rows: Vec<ImportRow>,
}

impl OptOutImportPlan {
    /// Returns up to `count` rows from position `from`, of one status or of all, and the total number of such rows.
    pub fn read_rows(&self, status: Option<OptOutRowStatus>, from: usize, count: usize) -> (Vec<ImportRow>, u64) {
        let wanted = self.rows.iter().filter(|row| status.is_none_or(|status| row.status == status));
        let rows = wanted.clone().skip(from).take(count).cloned().collect();
        (rows, wanted.count() as u64)
    }
}

/// The source of the rows.
pub enum OptOutSource<'a> {
    Text(&'a str),
    Rows(Vec<PastedRow>),
}

impl OptOutSource<'_> {
    fn read_rows(self) -> (PastedSeparator, Vec<PastedRow>) {
        match self {
            Self::Text(text) => {
                let separator = PastedSeparator::detect(text);
                (separator, pasted::parse_rows(text, separator))
            }
            Self::Rows(rows) => (PastedSeparator::None, rows),
        }
    }
}

/// The options for reading opt-outs.
pub struct OptOutImportOptions<'a> {
    pub source: OptOutSource<'a>,
    pub region: Option<Region>,
    /// The channels for rows that name none; SMS if this is empty.
    pub channels: &'a [Channel],
    /// The columns, or `None` to guess them.
    pub columns: Option<ImportColumns>,
}

/// Reads the rows and determines what they would add. Nothing is written.
pub fn read_import(core: &Core, by: &Actor, reading: OptOutImportOptions) -> Result<OptOutImportPlan> {
    let (separator, mut rows) = reading.source.read_rows();
    let width = rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
    let columns = match reading.columns {
        Some(columns) => columns,
        None => guess_columns(&rows, width, reading.region),
    };
    let is_inside = |column: u32| (column as usize) < width.max(1);
    if ![Some(columns.number), columns.channel, columns.asset].into_iter().flatten().all(is_inside) {
        return Err(FieldError::new("columns", format!("The text has {width} columns."), columns.number).into());
    }
    let head = (columns.has_head && !rows.is_empty()).then(|| rows.remove(0).cells);
    if rows.is_empty() {
        return Err(FieldError::new("text", "There are no rows. Write one number per line.", 0).into());
    }
    // Each row stays in memory until the person has reviewed the import.
    if rows.len() > ROWS_MAX {
        let message = format!(
            "It has more than {ROWS_MAX} rows, which is what can be looked at in one go. Cut it apart, and import the parts one after the other."
        );
        return Err(FieldError::new("text", message, rows.len()).into());
    }
    let ignored = find_ignored_columns(&columns, head.as_deref(), &rows, width);
    let sample = rows.iter().take(5).map(|row| row.cells.clone()).collect();
    let default = if reading.channels.is_empty() { &[Channel::Sms] } else { reading.channels };
    core.read(|tx| {
        let assets = AssetNumbers::read(tx)?;
        let mut counts = ImportCounts { rows: rows.len() as u32, ..ImportCounts::default() };
        let mut first_of: HashMap<(String, Channel, Option<AssetId>), u32> = HashMap::new();
        let mut planned_rows = Vec::with_capacity(rows.len());
        for row in &rows {
            check_cancelled(by)?;
            let mut row = read_row(row, &columns, reading.region, default, &assets);
            if let Some(number) = row.number.clone().filter(|_| row.fault.is_none()) {
                let asset = row.scope.as_ref().map(|(id, _)| id.clone());
                let scope = asset.clone().map_or(OptOutRecordScope::Account, OptOutRecordScope::Asset);
                let (mut fresh, mut first) = (0, None);
                for channel in &row.channels {
                    match first_of.entry((number.clone(), *channel, asset.clone())) {
                        std::collections::hash_map::Entry::Occupied(known) => first = first.or(Some(*known.get())),
                        std::collections::hash_map::Entry::Vacant(place) => {
                            place.insert(row.row);
                            fresh += u32::from(!opt_outs::exists(tx, &number, *channel, &scope)?);
                        }
                    }
                }
                row.duplicate_of = first.filter(|_| fresh == 0);
                row.status = match (fresh, row.duplicate_of) {
                    (0, Some(_)) => OptOutRowStatus::Duplicate,
                    (0, None) => OptOutRowStatus::Already,
                    _ => OptOutRowStatus::New,
                };
                counts.would_add += fresh;
            }
            match row.status {
                OptOutRowStatus::New => counts.new += 1,
                OptOutRowStatus::Already => counts.already += 1,
                OptOutRowStatus::Duplicate => counts.duplicates += 1,
                OptOutRowStatus::Invalid => counts.invalid += 1,
            }
            planned_rows.push(row);
        }
        let (width, rows) = (width as u32, planned_rows);
        Ok(OptOutImportPlan { separator, columns, width, head, sample, counts, ignored, rows })
    })
}

fn read_row(
    row: &PastedRow,
    columns: &ImportColumns,
    region: Option<Region>,
    default: &[Channel],
    assets: &AssetNumbers,
) -> ImportRow {
    let cell = |column: Option<u32>| {
        column.and_then(|column| row.cells.get(column as usize)).map(String::as_str).filter(|text| !text.is_empty())
    };
    let given = cell(Some(columns.number)).unwrap_or_default();
    let channel = cell(columns.channel).map(Channel::parse);
    let number = read_number(given, region).map(|phone| phone.e164);
    let wanted = cell(columns.asset);
    let of_channel = channel.flatten();
    let scope = wanted.and_then(|text| assets.find_asset(of_channel, text));
    let fault = match (&number, channel) {
        _ if given.is_empty() => Some(OptOutRowError::Blank),
        (None, _) if is_shortened(given) => Some(OptOutRowError::Spreadsheet),
        (None, _) => Some(OptOutRowError::NotANumber),
        (_, Some(None)) => Some(OptOutRowError::Channel),
        _ => match wanted {
            Some(text) if scope.is_none() && assets.find_asset(None, text).is_some() => {
                Some(OptOutRowError::ChannelMismatch)
            }
            Some(_) if scope.is_none() => Some(OptOutRowError::Asset),
            _ => None,
        },
    };
    let channels = match (&scope, of_channel) {
        (Some((id, _)), _) => vec![id.channel()],
        (None, Some(channel)) => vec![channel],
        (None, None) => default.to_vec(),
    };
    ImportRow {
        row: row.line,
        number,
        given: given.to_owned(),
        channels,
        asset_number: scope.as_ref().map(|(_, number)| number.clone()),
        status: OptOutRowStatus::Invalid,
        duplicate_of: None,
        message: fault.map(|fault| fault.message().to_owned()),
        fault,
        scope,
    }
}

const NUMBER_HEADS: &[&str] =
    &["number", "phone", "phone number", "mobile", "mobile number", "msisdn", "telephone", "tel", "cell", "whatsapp"];
const ASSET_HEADS: &[&str] = &[
    "asset",
    "asset id",
    "asset number",
    "inbound asset",
    "inbound asset id",
    "inbound number",
    "our number",
    "our number or profile",
    "received by",
    "scope",
];

/// Guesses the columns from their headings and their content.
fn guess_columns(rows: &[PastedRow], width: usize, region: Option<Region>) -> ImportColumns {
    let is_number = |text: &str| read_number(text, region).is_some() || is_shortened(text);
    let first = rows.first().map(|row| row.cells.as_slice()).unwrap_or_default();
    let heads: Vec<String> = first.iter().map(|head| head.to_lowercase().replace(['_', '-'], " ")).collect();
    let named = |names: &[&str]| heads.iter().position(|head| names.contains(&head.as_str()));
    // A first row without digits is a heading. A single row without digits is more likely an error to report.
    let has_digits = first.iter().any(|cell| cell.chars().filter(char::is_ascii_digit).count() >= 5);
    let has_head = !has_digits && (rows.len() > 1 || named(NUMBER_HEADS).is_some());
    let body: Vec<&PastedRow> = rows.iter().skip(usize::from(has_head)).take(GUESS_ROWS).collect();
    let share = |column: usize, fits: &dyn Fn(&str) -> bool| {
        body.iter().filter(|row| row.cells.get(column).is_some_and(|cell| fits(cell))).count()
    };
    let best = |fits: &dyn Fn(&str) -> bool| {
        (0..width).map(|column| (share(column, fits), std::cmp::Reverse(column))).max().filter(|(found, _)| *found > 0)
    };
    let ours = if has_head { named(ASSET_HEADS) } else { None };
    // The column of the account's own numbers looks like the column of the recipients.
    let by_content = (0..width)
        .filter(|column| Some(*column) != ours)
        .map(|column| (share(column, &is_number), std::cmp::Reverse(column)))
        .max()
        .filter(|(found, _)| *found > 0)
        .map(|(_, column)| column.0);
    let number = if has_head { named(NUMBER_HEADS) } else { None }.or(by_content).unwrap_or_default();
    let other = |names: &[&str], fits: &dyn Fn(&str) -> bool| {
        let by_name = if has_head { named(names) } else { None };
        by_name.or_else(|| best(fits).map(|(_, column)| column.0)).filter(|column| *column != number).map(|c| c as u32)
    };
    ImportColumns {
        has_head,
        number: number as u32,
        channel: other(&["channel"], &|cell| Channel::parse(cell).is_some()),
        asset: other(ASSET_HEADS, &|cell| AssetId::parse(cell).is_ok()),
    }
}

/// Adds all opt-outs of the import. No record is replaced, weakened or removed.
pub fn apply_import(core: &Core, by: &Actor, import: &OptOutImportPlan, typed_count: u64, reason: &str) -> Result<u64> {
    let reason = check_reason(reason)?;
    let by = Actor { source: ActorKind::Import, ..by.clone() };
    core.write(&by, |tx| {
        tx.set_reason(&reason)?;
        tx.expect_rows(u64::from(import.counts.would_add));
        let mut added = 0;
        for row in import.rows.iter().filter(|row| row.fault.is_none()) {
            tx.check_cancelled()?;
            let Some(number) = &row.number else { continue };
            let (scope, inbound) = match &row.scope {
                None => (OptOutRecordScope::Account, None),
                Some((id, number)) => (
                    OptOutRecordScope::Asset(id.clone()),
                    Some(InboundAsset { asset_id: id.clone(), number: Some(number.clone()) }),
                ),
            };
            for channel in &row.channels {
                let record = OptOut {
                    number: number.clone(),
                    channel: *channel,
                    scope: scope.clone(),
                    kind: OptOutType::AccountImport,
                    inbound: inbound.clone(),
                    time: core.ctx().now(),
                };
                added += u64::from(opt_outs::insert(tx, &record)?);
            }
        }
        if added != u64::from(import.counts.would_add) {
            return Err(Error::conflict(format!(
                "The opt-outs of the account have changed: {added} would be added now. Nothing was added. Check the \
                 import again."
            )));
        }
        if added != typed_count {
            let message = format!("Type {added}, the number of opt-outs that will be added.");
            return Err(FieldError::new("typed_count", message, typed_count).into());
        }
        if added == 0 {
            return Err(Error::conflict("There is nothing new in this text; nothing was added."));
        }
        tx.describe_act(ActDescription::new("opt_out_import").with_count(added));
        tx.log_change(ChangeLogEntry::bulk(Noun::OptOut, ChangeAction::Created, added));
        Ok(added)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_a_spreadsheet_shortened_differs_from_an_invalid_number() {
        for shortened in ["4.47E+11", "4,47E+11", "4.47e11", "+4.477E+11"] {
            assert!(is_shortened(shortened), "{shortened}");
        }
        for other in ["E", "Eve", "4.47", "one e1", "1e", "e+5"] {
            assert!(!is_shortened(other), "{other}");
        }
    }
}

//! The mapping of a file: which columns fill which field, how values are combined and split, and what happens to values
//! that the list already has.

pub mod cells;
pub mod columns;
pub mod consent;
mod date_order;
pub mod dates;
pub mod field_suggestions;
mod field_words;
mod full_names;
pub mod named_columns;
pub mod phones;
pub mod profile;
mod suggested_mapping;

use std::collections::BTreeMap;

use roost_model::{
    channel::Channel, contact::ContactField, custom_field::check_label, error::FieldError, phone::Region,
};
use serde::{Deserialize, Serialize};

pub use self::{
    dates::DateOrder,
    field_suggestions::{FieldSuggestion, SuggestionReason, suggest_fields},
    profile::MappingProfile,
};
use roost_ops::contact::fields;

/// The most fields that a file may fill. A contact has fewer.
const TARGETS_MAX: usize = 1_100;
/// The most pieces of one value.
const PIECES_MAX: usize = 20;
/// The number of the part that is the title in a whole name, if there is one.
pub const TITLE_PART: i32 = 0;
/// The most characters of a constant, or of the text between pieces.
const TEXT_MAX: usize = 500;

/// When a value of the file replaces one of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportRule"))]
pub enum OverwriteRule {
    /// The value of the list stays, even if it is blank.
    Never,
    /// Only if the value of the list is blank.
    #[default]
    IfBlank,
    /// If the value of the file is not blank.
    IfDifferent,
    /// Also if the value of the file is blank: then the value of the list is removed.
    Always,
}

/// The number by which a row matches a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportMatchBy"))]
pub enum MatchBy {
    #[default]
    Phone,
    Whatsapp,
}

/// The rule for rows of a file that have the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportTwice"))]
pub enum DuplicateRowRule {
    /// The first row is imported.
    #[default]
    First,
    /// The last row is imported.
    Last,
}

/// The rule for rows whose number is opted out. An import never removes an opt-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportOptedOut"))]
pub enum OptedOutRowRule {
    /// They are imported like others, and stay opted out.
    #[default]
    Take,
    LeaveOut,
}

/// A part of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportPart"))]
pub struct CellPart {
    /// The text at which the cell is split.
    pub separator: String,
    /// The number of the part, from 1. A negative number counts from the end. 0 is the title in a whole name.
    pub number: i32,
    /// Whether everything behind the part is included.
    #[serde(default)]
    pub and_rest: bool,
}

/// A piece of a value. `C` identifies a column: its number in an open file, its name in a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportPiece"))]
pub enum ValuePiece<C> {
    Column { column: C, part: Option<CellPart> },
    Constant { text: String },
}

impl<C> ValuePiece<C> {
    /// Returns the column; `None` if the piece is a constant.
    pub fn column(&self) -> Option<&C> {
        match self {
            Self::Column { column, .. } => Some(column),
            Self::Constant { .. } => None,
        }
    }
}

/// How the pieces of a value are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportPick"))]
pub enum PieceChoice {
    /// All of them are combined.
    #[default]
    All,
    /// The first piece that is not blank is taken. For a number, it is the first valid number that may be mobile, or
    /// else the first valid number.
    First,
    /// The first piece that differs from the phone number of the row is taken.
    Other,
}

/// A field and the pieces that fill it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportField"))]
pub struct FieldTarget<C> {
    /// The name of the field in records of contacts: `phone_number`, `field_3`.
    pub field: String,
    /// The label of a custom field that the import creates; then `field` is empty.
    #[serde(default)]
    pub new_field: Option<String>,
    pub pieces: Vec<ValuePiece<C>>,
    #[serde(default)]
    pub pick: PieceChoice,
    /// The text between pieces that are combined.
    #[serde(default)]
    pub between: String,
    /// The region of numbers without a country code; none: that of the file.
    #[serde(default)]
    pub region: Option<String>,
    /// None: the rule of the file.
    #[serde(default)]
    pub rule: Option<OverwriteRule>,
}

impl<C> FieldTarget<C> {
    /// Creates a target for an existing field.
    pub fn new(field: impl Into<String>, pieces: Vec<ValuePiece<C>>) -> Self {
        Self {
            field: field.into(),
            new_field: None,
            pieces,
            pick: PieceChoice::All,
            between: String::new(),
            region: None,
            rule: None,
        }
    }
}

/// The pieces that say who opted out, for the whole account. They can only add opt-outs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportConsent"))]
pub struct ConsentMapping<C> {
    pub pieces: Vec<ValuePiece<C>>,
    #[serde(default)]
    pub between: String,
    /// Values that mean an opt-out, in any letter case; `*` is any value. Nothing is guessed.
    pub words: Vec<String>,
    /// Values that do not mean an opt-out; `*` is every value for which it is otherwise unknown.
    #[serde(default)]
    pub keeps: Vec<String>,
    /// The channels on which all valid numbers of the row are opted out.
    pub channels: Vec<Channel>,
}

/// A column that names the kind of each number in another column: `Phone 1 - Label`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportNumberLabel"))]
pub struct NumberLabel<C> {
    pub column: C,
    pub label: C,
}

/// The mapping of a whole file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportMapping"))]
pub struct Mapping<C> {
    pub targets: Vec<FieldTarget<C>>,
    /// None: the region of most numbers of the files with a country code, or else that of the account.
    #[serde(default)]
    pub region: Option<String>,
    #[serde(default)]
    pub rule: OverwriteRule,
    #[serde(default)]
    pub match_by: MatchBy,
    #[serde(default)]
    pub twice: DuplicateRowRule,
    #[serde(default)]
    pub opted_out: OptedOutRowRule,
    #[serde(default = "Vec::new")]
    pub consents: Vec<ConsentMapping<C>>,
    /// None: the order that the dates with only one meaning prove.
    #[serde(default)]
    pub date_order: Option<DateOrder>,
    /// Columns that somebody left out by name.
    #[serde(default = "Vec::new")]
    pub left_out: Vec<C>,
    /// Columns whose field somebody chose, as opposed to a guess.
    #[serde(default = "Vec::new")]
    pub named: Vec<C>,
    #[serde(default = "Vec::new")]
    pub labels: Vec<NumberLabel<C>>,
    /// Names of files, sheets and lists of which somebody said that everybody in them opted out.
    #[serde(default)]
    pub opted_out_lists: Vec<String>,
    /// Names of those of which somebody said that they are ordinary lists.
    #[serde(default)]
    pub ordinary_lists: Vec<String>,
}

/// A mapping that identifies columns by their numbers, from 0.
pub type OpenMapping = Mapping<u32>;

impl OpenMapping {
    /// Returns every fault with its path. `columns` is the number of columns in the file.
    pub fn find_faults(&self, columns: usize, custom: &[u32]) -> Vec<FieldError> {
        let mut faults = Vec::new();
        let mut fault =
            |path: String, message: &str, rejected: &str| faults.push(FieldError::new(path, message, rejected));
        if self.targets.len() > TARGETS_MAX {
            fault("targets".to_owned(), "There are fewer fields than that.", "");
        }
        check_region("region".to_owned(), self.region.as_deref(), &mut fault);
        let mut filled: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, target) in self.targets.iter().enumerate() {
            let path = |rest: &str| format!("targets[{at}].{rest}");
            check_region(path("region"), target.region.as_deref(), &mut fault);
            match &target.new_field {
                Some(label) if !target.field.is_empty() => {
                    fault(path("new_field"), "A field is either there or new.", label);
                }
                Some(label) => {
                    if check_label(label).is_err() {
                        fault(path("new_field"), "The label of a new field has 1 to 100 characters.", label);
                    }
                }
                None => {
                    let known = ContactField::parse(&target.field, |number| custom.contains(&number));
                    if !known.is_some_and(fields::is_settable) {
                        fault(path("field"), "This field cannot be filled.", &target.field);
                    } else if filled.insert(&target.field, at).is_some() {
                        fault(
                            path("field"),
                            "This field is filled twice. Combine both sources into one value.",
                            &target.field,
                        );
                    }
                }
            }
            check_pieces(&format!("targets[{at}]"), &target.pieces, &target.between, columns, &mut fault);
        }
        for (at, consent) in self.consents.iter().enumerate() {
            let path = format!("consents[{at}]");
            if consent.words.iter().all(|word| word.trim().is_empty()) {
                fault(format!("{path}.words"), "Say which values mean that someone opted out.", "");
            }
            if consent.channels.is_empty() {
                fault(format!("{path}.channels"), "Choose a channel.", "");
            }
            check_pieces(&path, &consent.pieces, &consent.between, columns, &mut fault);
        }
        for (at, NumberLabel { column, label }) in self.labels.iter().enumerate() {
            if (*column).max(*label) as usize >= columns {
                fault(format!("labels[{at}]"), "The file has no such column.", &(*column).max(*label).to_string());
            }
        }
        for (path, named) in [("left_out", &self.left_out), ("named", &self.named)] {
            for (at, column) in named.iter().enumerate().filter(|(_, column)| **column as usize >= columns) {
                fault(format!("{path}[{at}]"), "The file has no such column.", &column.to_string());
            }
        }
        let key = match self.match_by {
            MatchBy::Phone => "phone_number",
            MatchBy::Whatsapp => "whatsapp_id",
        };
        if !filled.contains_key("phone_number") && !filled.contains_key("whatsapp_id") {
            fault("targets".to_owned(), "Say which column holds the phone number or the WhatsApp number.", "");
        } else if !filled.contains_key(key) {
            fault("match_by".to_owned(), "Rows are compared by a number that no column fills.", key);
        }
        faults
    }

    pub fn overwrite_rule(&self, target: &FieldTarget<u32>) -> OverwriteRule {
        target.rule.unwrap_or(self.rule)
    }

    /// Returns the columns of whole names whose titles fill a field.
    pub fn titled_columns(&self) -> Vec<u32> {
        let pieces = self.targets.iter().flat_map(|target| &target.pieces);
        let titled = pieces.filter_map(|piece| match piece {
            ValuePiece::Column { column, part: Some(part) } if part.number == TITLE_PART => Some(*column),
            _ => None,
        });
        titled.collect()
    }
}

fn check_pieces(
    path: &str,
    pieces: &[ValuePiece<u32>],
    between: &str,
    columns: usize,
    fault: &mut impl FnMut(String, &str, &str),
) {
    if pieces.is_empty() || pieces.len() > PIECES_MAX {
        fault(format!("{path}.pieces"), "A value has 1 to 20 pieces.", "");
    }
    if between.chars().count() > TEXT_MAX {
        fault(format!("{path}.between"), "This is too long.", "");
    }
    for (n, piece) in pieces.iter().enumerate() {
        let path = format!("{path}.pieces[{n}]");
        match piece {
            ValuePiece::Column { column, .. } if *column as usize >= columns => {
                fault(path, "The file has no such column.", &column.to_string());
            }
            ValuePiece::Column { part: Some(part), .. } if part.separator.is_empty() => {
                fault(path, "Enter where to split the cell, and choose the part to use.", &part.separator);
            }
            ValuePiece::Constant { text } if text.chars().count() > TEXT_MAX => fault(path, "This is too long.", ""),
            _ => {}
        }
    }
}

fn check_region(path: String, region: Option<&str>, fault: &mut impl FnMut(String, &str, &str)) {
    if let Some(code) = region.filter(|code| Region::parse(code).is_none()) {
        fault(path, &format!("“{code}” is not a country code. Use two letters, such as GB."), code);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole_column(column: u32) -> ValuePiece<u32> {
        ValuePiece::Column { column, part: None }
    }

    fn field_target(field: &str, pieces: Vec<ValuePiece<u32>>) -> FieldTarget<u32> {
        FieldTarget::new(field, pieces)
    }

    fn fault_paths(targets: Vec<FieldTarget<u32>>) -> Vec<String> {
        let mapping = Mapping { targets, ..Mapping::default() };
        mapping.find_faults(3, &[4]).into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn a_mapping_that_works_has_no_fault() {
        let mut new = field_target("", vec![ValuePiece::Constant { text: "May".to_owned() }]);
        new.new_field = Some("Campaign".to_owned());
        assert_eq!(
            fault_paths(vec![
                field_target("phone_number", vec![whole_column(0)]),
                field_target("field_4", vec![whole_column(2)]),
                new
            ]),
            [""; 0]
        );
    }

    #[test]
    fn every_fault_is_reported_at_its_place() {
        let mut cut = field_target("city", vec![whole_column(3)]);
        cut.region = Some("XX".to_owned());
        let mut both = field_target("title", vec![]);
        both.new_field = Some("New".to_owned());
        assert_eq!(
            fault_paths(vec![
                field_target("firstname", vec![whole_column(0)]),
                field_target("firstname", vec![whole_column(1)]),
                field_target("created_at", vec![whole_column(1)]),
                field_target("field_5", vec![whole_column(1)]),
                cut,
                both,
                field_target(
                    "zip",
                    vec![ValuePiece::Column {
                        column: 0,
                        part: Some(CellPart { separator: String::new(), number: 1, and_rest: false })
                    }]
                ),
            ]),
            [
                "targets[1].field",
                "targets[2].field",
                "targets[3].field",
                "targets[4].region",
                "targets[4].pieces[0]",
                "targets[5].new_field",
                "targets[5].pieces",
                "targets[6].pieces[0]",
                "targets",
            ]
        );
        assert_eq!(fault_paths(vec![field_target("whatsapp_id", vec![whole_column(0)])]), ["match_by"]);
    }
}

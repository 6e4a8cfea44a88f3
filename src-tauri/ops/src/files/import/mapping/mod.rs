//! What the columns of a file mean: which go into which field, how values are put together and cut apart, and what
//! happens to values that are there already.

pub mod cells;
pub mod consent;
mod date_order;
pub mod dates;
pub mod heads;
pub mod named;
mod names;
pub mod phones;
pub mod profile;
mod suggested;
mod words;

use std::collections::BTreeMap;

use roost_model::{channel::Channel, contact::ContactField, custom_field::check_label, error::Fault, phone::Region};
use serde::{Deserialize, Serialize};

pub use self::{
    dates::DateOrder,
    heads::{Suggestion, SuggestionBy, suggest},
    profile::Profile,
};
use crate::contact::fields;

/// Fields that a file fills at most; more than a contact has.
const TARGETS_MAX: usize = 1_100;
/// Pieces of one value.
const PIECES_MAX: usize = 20;
/// Letters of a constant or of what stands between pieces.
const TEXT_MAX: usize = 500;

/// When a value of the file takes the place of one in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportRule"))]
pub enum Rule {
    /// What the list has stays, also where it has nothing.
    Never,
    /// Only where the list has nothing.
    #[default]
    IfBlank,
    /// Where the file has something.
    IfDifferent,
    /// Also where the file has nothing: then the list's value goes.
    Always,
}

/// The number that makes a row and a contact the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportMatchBy"))]
pub enum MatchBy {
    #[default]
    Phone,
    Whatsapp,
}

/// What happens to rows of a file that have the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportTwice"))]
pub enum Twice {
    /// The first is taken.
    #[default]
    First,
    /// The last is taken.
    Last,
}

/// What happens to rows whose number is opted out. Nothing that an import does takes an opt-out away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportOptedOut"))]
pub enum OptedOut {
    /// They are contacts like others, and stay opted out.
    #[default]
    Take,
    LeaveOut,
}

/// A part of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportPart"))]
pub struct Part {
    /// What the cell is cut at.
    pub separator: String,
    /// From 1; below 0 it is counted from the end.
    pub number: i32,
    /// Whether what follows is taken along.
    #[serde(default)]
    pub and_rest: bool,
}

/// A piece of a value. `C` is a column: its number in a file that is open, its name in a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportPiece"))]
pub enum Piece<C> {
    Column { column: C, part: Option<Part> },
    Constant { text: String },
}

impl<C> Piece<C> {
    /// None: it is a text of its own.
    pub fn column(&self) -> Option<&C> {
        match self {
            Self::Column { column, .. } => Some(column),
            Self::Constant { .. } => None,
        }
    }
}

/// What becomes of the pieces of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportPick"))]
pub enum Pick {
    /// All of them are put together.
    #[default]
    All,
    /// The first that holds something is taken; of numbers the first valid one that may be mobile, or else the first valid
    /// one.
    First,
    /// The first that is not the phone number of the row is taken.
    Other,
}

/// What fills a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportField"))]
pub struct Target<C> {
    /// As contacts carry it: `phone_number`, `field_3`.
    pub field: String,
    /// The label of a custom field that is made on the way; `field` is empty then.
    #[serde(default)]
    pub new_field: Option<String>,
    pub pieces: Vec<Piece<C>>,
    #[serde(default)]
    pub pick: Pick,
    /// Stands between pieces that are put together.
    #[serde(default)]
    pub between: String,
    /// Region of numbers without a country; none: that of the file.
    #[serde(default)]
    pub region: Option<String>,
    /// None: that of the file.
    #[serde(default)]
    pub rule: Option<Rule>,
}

impl<C> Target<C> {
    /// A field that exists, filled from these pieces.
    pub fn new(field: impl Into<String>, pieces: Vec<Piece<C>>) -> Self {
        Self {
            field: field.into(),
            new_field: None,
            pieces,
            pick: Pick::All,
            between: String::new(),
            region: None,
            rule: None,
        }
    }
}

/// What says who opted out, for the whole account. It can only add opt-outs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportConsent"))]
pub struct Consent<C> {
    pub pieces: Vec<Piece<C>>,
    #[serde(default)]
    pub between: String,
    /// Values that mean it, whatever their letter case; `*` is any value. Nothing is guessed.
    pub words: Vec<String>,
    /// Values that do not mean it, although nothing else says so; `*` is any value of which it is unknown.
    #[serde(default)]
    pub keeps: Vec<String>,
    /// SMS by the phone number, WhatsApp by the WhatsApp number.
    pub channels: Vec<Channel>,
}

/// A column that says of each cell of another what kind of number stands there: `Phone 1 - Label`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportNumberLabel"))]
pub struct NumberLabel<C> {
    pub column: C,
    pub label: C,
}

/// The meaning of a whole file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "ts", ts(rename = "ImportMapping"))]
pub struct Mapping<C> {
    pub targets: Vec<Target<C>>,
    /// None: that of most numbers of the files with a country code, or of the account.
    #[serde(default)]
    pub region: Option<String>,
    #[serde(default)]
    pub rule: Rule,
    #[serde(default)]
    pub match_by: MatchBy,
    #[serde(default)]
    pub twice: Twice,
    #[serde(default)]
    pub opted_out: OptedOut,
    #[serde(default = "Vec::new")]
    pub consents: Vec<Consent<C>>,
    /// None: found out from the dates that can be only one thing.
    #[serde(default)]
    pub date_order: Option<DateOrder>,
    /// Columns that somebody left out by name.
    #[serde(default = "Vec::new")]
    pub left_out: Vec<C>,
    /// Columns of which somebody, and not a guess, said which field they fill.
    #[serde(default = "Vec::new")]
    pub named: Vec<C>,
    #[serde(default = "Vec::new")]
    pub labels: Vec<NumberLabel<C>>,
    /// Files, sheets and lists, by name, of which somebody said that everybody in them opted out.
    #[serde(default)]
    pub opted_out_lists: Vec<String>,
    /// Those of which somebody said that their names say nothing of the people in them.
    #[serde(default)]
    pub ordinary_lists: Vec<String>,
}

/// A mapping that says a column by its number, from 0.
pub type OpenMapping = Mapping<u32>;

impl OpenMapping {
    /// Every fault, each at its place. `columns` is how many the file has.
    pub fn check(&self, columns: usize, custom: &[u32]) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut fault = |path: String, message: &str, rejected: &str| faults.push(Fault::new(path, message, rejected));
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
                        fault(path("field"), "There is no such field to fill.", &target.field);
                    } else if filled.insert(&target.field, at).is_some() {
                        fault(
                            path("field"),
                            "This field is filled twice. Put both columns into one value.",
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
                fault(format!("{path}.words"), "Say which values mean that somebody opted out.", "");
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

    pub fn rule_of(&self, target: &Target<u32>) -> Rule {
        target.rule.unwrap_or(self.rule)
    }
}

fn check_pieces(
    path: &str,
    pieces: &[Piece<u32>],
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
            Piece::Column { column, .. } if *column as usize >= columns => {
                fault(path, "The file has no such column.", &column.to_string());
            }
            Piece::Column { part: Some(part), .. } if part.separator.is_empty() || part.number == 0 => {
                fault(path, "Say what the cell is cut at, and which part is meant.", &part.separator);
            }
            Piece::Constant { text } if text.chars().count() > TEXT_MAX => fault(path, "This is too long.", ""),
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

    fn column(column: u32) -> Piece<u32> {
        Piece::Column { column, part: None }
    }

    fn target(field: &str, pieces: Vec<Piece<u32>>) -> Target<u32> {
        Target::new(field, pieces)
    }

    fn faults(targets: Vec<Target<u32>>) -> Vec<String> {
        let mapping = Mapping { targets, ..Mapping::default() };
        mapping.check(3, &[4]).into_iter().map(|fault| fault.path).collect()
    }

    #[test]
    fn a_mapping_that_works_has_no_fault() {
        let mut new = target("", vec![Piece::Constant { text: "May".to_owned() }]);
        new.new_field = Some("Campaign".to_owned());
        assert_eq!(
            faults(vec![target("phone_number", vec![column(0)]), target("field_4", vec![column(2)]), new]),
            [""; 0]
        );
    }

    #[test]
    fn every_fault_is_told_at_its_place() {
        let mut cut = target("city", vec![column(3)]);
        cut.region = Some("XX".to_owned());
        let mut both = target("title", vec![]);
        both.new_field = Some("New".to_owned());
        assert_eq!(
            faults(vec![
                target("firstname", vec![column(0)]),
                target("firstname", vec![column(1)]),
                target("created_at", vec![column(1)]),
                target("field_5", vec![column(1)]),
                cut,
                both,
                target(
                    "zip",
                    vec![Piece::Column {
                        column: 0,
                        part: Some(Part { separator: String::new(), number: 1, and_rest: false })
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
        assert_eq!(faults(vec![target("whatsapp_id", vec![column(0)])]), ["match_by"]);
    }
}

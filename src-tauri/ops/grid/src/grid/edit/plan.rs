//! Turns an act on many cells into the texts it wants in each row.

use std::fmt::Write;

use roost_model::{contact::ContactField, error::FieldError, pattern::TextPattern, phone::Region};
use roost_store::{
    error::Result as StoreResult,
    tables::custom_fields,
    tx::{ActDescription, ReadTx},
};

use super::{
    bulk::{
        BulkAct, CopyColumn, CopyMode, FillWay, FillWith, NumberSeries, NumbersRead, TextExtract, TextJoin,
        TextReplace, TextSplit,
    },
    cells::{EditSheet, SheetRow, TargetRow, WantedCell},
    texts::{self, LetterCase},
};
use roost_ops::{
    contact::fields,
    error::{Error, Result},
};
use roost_spelling::number::read_number;

/// A validated act.
pub(super) struct BulkPlan {
    /// The act as the timeline names it.
    pub act: ActDescription,
    /// The fields that it writes, and the fields that it reads.
    pub targets: Vec<ContactField>,
    pub sources: Vec<ContactField>,
    pub region: Option<String>,
    how: CellTransform,
}

enum CellTransform {
    Same(Option<String>),
    Replace { pattern: TextPattern, with: String, has_groups: bool },
    Case(LetterCase),
    Trim,
    E164,
    Split(String),
    Join(String),
    Extract(TextPattern),
    Copy(CopyMode),
    Series(NumberSeries),
    FillBlanks(String),
    FillAbove,
    FillDown,
    FillRight,
}

/// State that an act carries from row to row if it works in the order of the view.
#[derive(Default)]
pub(super) struct CarriedTexts {
    first: Option<u32>,
    texts: Vec<Option<String>>,
}

/// The positions of a plan's columns among those that are read.
pub(super) struct PlanColumns {
    targets: Vec<usize>,
    sources: Vec<usize>,
}

const REGEX: &str = "regex";

impl BulkPlan {
    pub(super) fn from_act(tx: &ReadTx, act: &BulkAct, columns: &[String]) -> Result<Self> {
        let names = ColumnNames { custom: custom_fields::defined_numbers(tx)? };
        let selected = || names.settable_fields(columns, "columns");
        let one = |field: &str, path: &str| names.settable_fields(&[field.to_owned()], path);
        let first = || names.readable_fields(columns.get(..1).unwrap_or_default(), "columns");
        let plan = |act, targets, sources, how| Self { act, targets, sources, how, region: None };
        Ok(match act {
            BulkAct::Set(text) => {
                plan(ActDescription::new("grid_set"), selected()?, vec![], CellTransform::Same(Some(text.clone())))
            }
            BulkAct::Clear(true) => {
                plan(ActDescription::new("grid_clear"), selected()?, vec![], CellTransform::Same(None))
            }
            BulkAct::Trim(true) => plan(ActDescription::new("grid_trim"), selected()?, vec![], CellTransform::Trim),
            BulkAct::Clear(false) | BulkAct::Trim(false) => {
                return Err(FieldError::new("act", "Give true.", false).into());
            }
            BulkAct::Replace(replace) => {
                plan(ActDescription::new("grid_replace"), selected()?, vec![], to_replace_transform(replace)?)
            }
            BulkAct::Case(case) => {
                plan(ActDescription::new("grid_case"), selected()?, vec![], CellTransform::Case(*case))
            }
            BulkAct::E164(NumbersRead { region }) => Self {
                region: region.clone(),
                ..plan(ActDescription::new("grid_e164"), selected()?, vec![], CellTransform::E164)
            },
            BulkAct::Split(TextSplit { by, into }) => {
                if by.is_empty() || into.is_empty() {
                    return Err(FieldError::new(
                        "act.by",
                        "Choose where to split and which fields to fill.",
                        by.as_str(),
                    )
                    .into());
                }
                plan(
                    ActDescription::new("grid_split"),
                    names.settable_fields(into, "act.into")?,
                    first()?,
                    CellTransform::Split(by.clone()),
                )
            }
            BulkAct::Join(TextJoin { from, by, into }) => plan(
                ActDescription::new("grid_join"),
                one(into, "act.into")?,
                names.readable_fields(from, "act.from")?,
                CellTransform::Join(by.clone()),
            ),
            BulkAct::Extract(TextExtract { regex, into }) => {
                let pattern =
                    TextPattern::new(regex, true).map_err(|why| FieldError::new("act.regex", why, regex.as_str()))?;
                plan(
                    ActDescription::new("grid_extract"),
                    one(into, "act.into")?,
                    first()?,
                    CellTransform::Extract(pattern),
                )
            }
            BulkAct::Copy(CopyColumn { from, into, mode }) => {
                let from = names.readable_fields(std::slice::from_ref(from), "act.from")?;
                plan(ActDescription::new("grid_copy_column"), one(into, "act.into")?, from, CellTransform::Copy(*mode))
            }
            BulkAct::Series(series) => {
                plan(ActDescription::new("grid_series"), selected()?, vec![], CellTransform::Series(series.clone()))
            }
            BulkAct::FillBlanks(FillWith::Text(text)) => plan(
                ActDescription::new("grid_fill_blanks"),
                selected()?,
                vec![],
                CellTransform::FillBlanks(text.clone()),
            ),
            BulkAct::FillBlanks(FillWith::Above) => {
                plan(ActDescription::new("grid_fill_blanks"), selected()?, vec![], CellTransform::FillAbove)
            }
            BulkAct::Fill(FillWay::Down) => {
                plan(ActDescription::new("grid_fill"), selected()?, vec![], CellTransform::FillDown)
            }
            BulkAct::Fill(FillWay::Right) => {
                let others = names.settable_fields(columns.get(1..).unwrap_or_default(), "columns")?;
                plan(ActDescription::new("grid_fill"), others, first()?, CellTransform::FillRight)
            }
        })
    }

    pub(super) fn locate_columns(&self, sheet: &EditSheet) -> PlanColumns {
        let at = |fields: &[ContactField]| fields.iter().map(|field| sheet.column_of(*field)).collect();
        PlanColumns { targets: at(&self.targets), sources: at(&self.sources) }
    }

    /// Returns whether a row depends on the rows above it.
    pub(super) fn needs_view_order(&self) -> bool {
        matches!(self.how, CellTransform::FillAbove | CellTransform::FillDown)
    }

    /// Returns the text for all cells if a single statement can write it, which requires that no column is a number and
    /// no rule refuses the text.
    pub(super) fn same_text(&self) -> Option<Option<&str>> {
        let CellTransform::Same(text) = &self.how else { return None };
        let text = text.as_deref().filter(|text| !text.is_empty());
        let is_plain = |field: &ContactField| {
            fields::number_fields(*field).is_none() && fields::check_cell(*field, text, |_| Region::gb()).is_ok()
        };
        self.targets.iter().all(is_plain).then_some(text)
    }

    /// Adds the cells that the act wants to change in a row.
    pub(super) fn push_wanted_cells(
        &self,
        sheet: &EditSheet,
        places: &PlanColumns,
        item: &TargetRow,
        seen: &SheetRow,
        carry: &mut CarriedTexts,
        out: &mut Vec<WantedCell>,
    ) -> StoreResult<()> {
        let PlanColumns { targets, sources } = places;
        let mut want = |at: usize, text: Option<String>| out.push(WantedCell { at, text });
        let source = || sources.first().and_then(|at| seen.shown_text(*at));
        let each = |make: &dyn Fn(&str) -> String, want: &mut dyn FnMut(usize, Option<String>)| {
            for at in targets {
                if let Some(text) = seen.shown_text(*at) {
                    want(*at, Some(make(text)));
                }
            }
        };
        match &self.how {
            CellTransform::Same(text) => targets.iter().for_each(|at| want(*at, text.clone())),
            CellTransform::Replace { pattern, with, has_groups } => {
                for at in targets {
                    let text = seen.shown_text(*at).unwrap_or_default();
                    if pattern.is_match(text) {
                        want(*at, Some(pattern.replace_matches(text, with, *has_groups)));
                    }
                }
            }
            CellTransform::Case(case) => each(&|text| case.apply_to(text), &mut want),
            CellTransform::Trim => each(&texts::trim_spaces, &mut want),
            CellTransform::E164 => {
                for at in targets {
                    if let Some(text) = seen.shown_text(*at)
                        && let Some(number) = read_number(text, sheet.region_of(seen, text))
                    {
                        want(*at, Some(number.e164));
                    }
                }
            }
            CellTransform::Split(by) => {
                let parts = texts::split_parts(source().unwrap_or_default(), by, targets.len());
                for (at, part) in targets.iter().zip(parts).filter(|(_, part)| !part.is_empty()) {
                    want(*at, Some(part.to_owned()));
                }
            }
            CellTransform::Join(by) => {
                let parts: Vec<&str> = sources.iter().filter_map(|at| seen.shown_text(*at)).collect();
                if !parts.is_empty() {
                    want(targets[0], Some(parts.join(by)));
                }
            }
            CellTransform::Extract(pattern) => {
                if let Some(part) = pattern.extract_group(source().unwrap_or_default()).filter(|part| !part.is_empty())
                {
                    want(targets[0], Some(part.to_owned()));
                }
            }
            CellTransform::Copy(mode) => {
                if *mode == CopyMode::All || seen.shown_text(targets[0]).is_none() {
                    want(targets[0], source().map(str::to_owned));
                }
            }
            CellTransform::Series(series) => {
                let text = series.format_number(item.n);
                targets.iter().for_each(|at| want(*at, Some(text.clone())));
            }
            CellTransform::FillBlanks(text) => {
                for at in targets.iter().filter(|at| seen.shown_text(**at).is_none()) {
                    want(*at, Some(text.clone()));
                }
            }
            CellTransform::FillRight => targets.iter().for_each(|at| want(*at, source().map(str::to_owned))),
            CellTransform::FillDown => {
                if item.row == item.first {
                    carry.restart(item, targets.iter().map(|at| seen.shown_text(*at).map(str::to_owned)).collect());
                } else if carry.first == Some(item.first) {
                    targets.iter().zip(&carry.texts).for_each(|(at, text)| want(*at, text.clone()));
                }
            }
            CellTransform::FillAbove => {
                if carry.first != Some(item.first) {
                    carry.restart(item, vec![None; targets.len()]);
                }
                for (at, above) in targets.iter().zip(&mut carry.texts) {
                    match (seen.shown_text(*at), &above) {
                        (Some(text), _) => *above = Some(text.to_owned()),
                        (None, Some(text)) => want(*at, Some(text.clone())),
                        (None, None) => {}
                    }
                }
            }
        }
        Ok(())
    }
}

impl CarriedTexts {
    fn restart(&mut self, item: &TargetRow, texts: Vec<Option<String>>) {
        self.first = Some(item.first);
        self.texts = texts;
    }
}

impl NumberSeries {
    fn format_number(&self, n: u32) -> String {
        // This type holds the result of every start and step.
        let number = i128::from(self.start) + i128::from(self.step) * i128::from(n);
        let sign = if number < 0 { "-" } else { "" };
        let mut text = format!("{}{sign}", self.prefix);
        let _ = write!(text, "{:0width$}", number.unsigned_abs(), width = usize::from(self.pad));
        text
    }
}

fn to_replace_transform(replace: &TextReplace) -> Result<CellTransform> {
    let TextReplace { find, with, regex, whole_cell, case } = replace;
    if find.is_empty() && (*regex || !whole_cell) {
        return Err(FieldError::new("act.find", "Enter the text to find.", "").into());
    }
    let pattern = match (regex, whole_cell) {
        (true, true) => TextPattern::matching_whole(find, *case),
        (true, false) => TextPattern::new(find, *case),
        (false, true) => TextPattern::literal_whole(find, *case),
        (false, false) => TextPattern::literal(find, *case),
    };
    let path = if *regex { REGEX } else { "find" };
    let pattern = pattern.map_err(|why| FieldError::new(format!("act.{path}"), why, find.as_str()))?;
    Ok(CellTransform::Replace { pattern, with: with.clone(), has_groups: *regex })
}

/// Converts names of columns to fields.
pub(super) struct ColumnNames {
    pub custom: Vec<u32>,
}

impl ColumnNames {
    pub(super) fn read(tx: &ReadTx) -> Result<Self> {
        Ok(Self { custom: custom_fields::defined_numbers(tx)? })
    }

    pub(super) fn to_field(&self, name: &str) -> Option<ContactField> {
        ContactField::parse(name, |number| self.custom.contains(&number))
    }

    /// Returns the named fields that hold text, each once.
    fn readable_fields(&self, names: &[String], path: &str) -> Result<Vec<ContactField>> {
        let mut fields = Vec::with_capacity(names.len());
        let mut faults = Vec::new();
        for name in names {
            match self.to_field(name) {
                Some(ContactField::CreatedAt | ContactField::UpdatedAt) => {
                    faults.push(FieldError::new(path, "This field holds a time, not text.", name.as_str()));
                }
                Some(field) if !fields.contains(&field) => fields.push(field),
                Some(_) => {}
                None => faults.push(FieldError::new(path, "The field was not found.", name.as_str())),
            }
        }
        if fields.is_empty() && faults.is_empty() {
            faults.push(FieldError::new(path, "Choose a field.", Vec::<String>::new()));
        }
        if faults.is_empty() { Ok(fields) } else { Err(Error::Invalid { faults }) }
    }

    /// Returns the named fields that can be set. Other fields are left out, but if no field remains, this is an error.
    pub(super) fn settable_fields(&self, names: &[String], path: &str) -> Result<Vec<ContactField>> {
        let mut fields = Vec::with_capacity(names.len());
        let mut faults = Vec::new();
        for name in names {
            match self.to_field(name) {
                Some(field) if fields::is_settable(field) && !fields.contains(&field) => fields.push(field),
                Some(_) => {}
                None => faults.push(FieldError::new(path, "The field was not found.", name.as_str())),
            }
        }
        if fields.is_empty() && faults.is_empty() {
            faults.push(FieldError::new(path, fields::NOT_SETTABLE, names.to_vec()));
        }
        if faults.is_empty() { Ok(fields) } else { Err(Error::Invalid { faults }) }
    }
}

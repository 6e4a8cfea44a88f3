//! Turns an act on many cells into the texts it wants in each row.

use std::fmt::Write;

use roost_model::{contact::ContactField, error::Fault, pattern::Pattern, phone::Region};
use roost_store::{
    error::Result as StoreResult,
    tables::{custom_fields, steps::Act},
    tx::ReadTx,
};

use super::{
    bulk::{
        BulkAct, CopyColumn, CopyMode, FillWay, FillWith, NumberSeries, NumbersRead, TextExtract, TextJoin,
        TextReplace, TextSplit,
    },
    cells::{Item, Seen, Sheet, Want},
    texts::{self, LetterCase},
};
use crate::{
    contact::fields,
    error::{Error, Result},
    files::import::number::spelling::read_number,
};

/// A validated act.
pub(super) struct Plan {
    /// The act as the time line names it.
    pub act: Act,
    /// The fields that it writes, and the fields that it reads.
    pub targets: Vec<ContactField>,
    pub sources: Vec<ContactField>,
    pub region: Option<String>,
    how: How,
}

enum How {
    Same(Option<String>),
    Replace { pattern: Pattern, with: String, has_groups: bool },
    Case(LetterCase),
    Trim,
    E164,
    Split(String),
    Join(String),
    Extract(Pattern),
    Copy(CopyMode),
    Series(NumberSeries),
    FillBlanks(String),
    FillAbove,
    FillDown,
    FillRight,
}

/// State that an act carries from row to row if it works in the order of the view.
#[derive(Default)]
pub(super) struct Carry {
    first: Option<u32>,
    texts: Vec<Option<String>>,
}

/// The positions of a plan's columns among those that are read.
pub(super) struct Places {
    targets: Vec<usize>,
    sources: Vec<usize>,
}

const REGEX: &str = "regex";

impl Plan {
    pub fn of(tx: &ReadTx, act: &BulkAct, columns: &[String]) -> Result<Self> {
        let names = Names { custom: custom_fields::numbers(tx)? };
        let selected = || names.settable(columns, "columns");
        let one = |field: &str, path: &str| names.settable(&[field.to_owned()], path);
        let first = || names.known(columns.get(..1).unwrap_or_default(), "columns");
        let plan = |act, targets, sources, how| Self { act, targets, sources, how, region: None };
        Ok(match act {
            BulkAct::Set(text) => plan(Act::new("grid_set"), selected()?, vec![], How::Same(Some(text.clone()))),
            BulkAct::Clear(true) => plan(Act::new("grid_clear"), selected()?, vec![], How::Same(None)),
            BulkAct::Trim(true) => plan(Act::new("grid_trim"), selected()?, vec![], How::Trim),
            BulkAct::Clear(false) | BulkAct::Trim(false) => {
                return Err(Fault::new("act", "Give true.", false).into());
            }
            BulkAct::Replace(replace) => plan(Act::new("grid_replace"), selected()?, vec![], replaced(replace)?),
            BulkAct::Case(case) => plan(Act::new("grid_case"), selected()?, vec![], How::Case(*case)),
            BulkAct::E164(NumbersRead { region }) => {
                Self { region: region.clone(), ..plan(Act::new("grid_e164"), selected()?, vec![], How::E164) }
            }
            BulkAct::Split(TextSplit { by, into }) => {
                if by.is_empty() || into.is_empty() {
                    return Err(Fault::new("act.by", "Say where to cut, and into which fields.", by.as_str()).into());
                }
                plan(Act::new("grid_split"), names.settable(into, "act.into")?, first()?, How::Split(by.clone()))
            }
            BulkAct::Join(TextJoin { from, by, into }) => plan(
                Act::new("grid_join"),
                one(into, "act.into")?,
                names.known(from, "act.from")?,
                How::Join(by.clone()),
            ),
            BulkAct::Extract(TextExtract { regex, into }) => {
                let pattern = Pattern::new(regex, true).map_err(|why| Fault::new("act.regex", why, regex.as_str()))?;
                plan(Act::new("grid_extract"), one(into, "act.into")?, first()?, How::Extract(pattern))
            }
            BulkAct::Copy(CopyColumn { from, into, mode }) => {
                let from = names.known(std::slice::from_ref(from), "act.from")?;
                plan(Act::new("grid_copy_column"), one(into, "act.into")?, from, How::Copy(*mode))
            }
            BulkAct::Series(series) => plan(Act::new("grid_series"), selected()?, vec![], How::Series(series.clone())),
            BulkAct::FillBlanks(FillWith::Text(text)) => {
                plan(Act::new("grid_fill_blanks"), selected()?, vec![], How::FillBlanks(text.clone()))
            }
            BulkAct::FillBlanks(FillWith::Above) => {
                plan(Act::new("grid_fill_blanks"), selected()?, vec![], How::FillAbove)
            }
            BulkAct::Fill(FillWay::Down) => plan(Act::new("grid_fill"), selected()?, vec![], How::FillDown),
            BulkAct::Fill(FillWay::Right) => {
                let others = names.settable(columns.get(1..).unwrap_or_default(), "columns")?;
                plan(Act::new("grid_fill"), others, first()?, How::FillRight)
            }
        })
    }

    pub fn places(&self, sheet: &Sheet) -> Places {
        let at = |fields: &[ContactField]| fields.iter().map(|field| sheet.at(*field)).collect();
        Places { targets: at(&self.targets), sources: at(&self.sources) }
    }

    /// Returns whether a row depends on the rows above it.
    pub fn is_in_order(&self) -> bool {
        matches!(self.how, How::FillAbove | How::FillDown)
    }

    /// Returns the text for all cells if a single statement can write it, which requires that no column is a number and
    /// no rule refuses the text.
    pub fn same_text(&self) -> Option<Option<&str>> {
        let How::Same(text) = &self.how else { return None };
        let text = text.as_deref().filter(|text| !text.is_empty());
        let is_plain = |field: &ContactField| {
            fields::number_fields(*field).is_none() && fields::settle_one(*field, text, |_| Region::gb()).is_ok()
        };
        self.targets.iter().all(is_plain).then_some(text)
    }

    /// Adds the cells that the act wants to change in a row.
    pub fn wants(
        &self,
        sheet: &Sheet,
        places: &Places,
        item: &Item,
        seen: &Seen,
        carry: &mut Carry,
        out: &mut Vec<Want>,
    ) -> StoreResult<()> {
        let Places { targets, sources } = places;
        let mut want = |at: usize, text: Option<String>| out.push(Want { at, text });
        let source = || sources.first().and_then(|at| seen.shown(*at));
        let each = |make: &dyn Fn(&str) -> String, want: &mut dyn FnMut(usize, Option<String>)| {
            for at in targets {
                if let Some(text) = seen.shown(*at) {
                    want(*at, Some(make(text)));
                }
            }
        };
        match &self.how {
            How::Same(text) => targets.iter().for_each(|at| want(*at, text.clone())),
            How::Replace { pattern, with, has_groups } => {
                for at in targets {
                    let text = seen.shown(*at).unwrap_or_default();
                    if pattern.is_match(text) {
                        want(*at, Some(pattern.replaced(text, with, *has_groups)));
                    }
                }
            }
            How::Case(case) => each(&|text| case.of(text), &mut want),
            How::Trim => each(&texts::trimmed, &mut want),
            How::E164 => {
                for at in targets {
                    if let Some(text) = seen.shown(*at)
                        && let Some(number) = read_number(text, sheet.region_of(seen, text))
                    {
                        want(*at, Some(number.e164));
                    }
                }
            }
            How::Split(by) => {
                let parts = texts::parts(source().unwrap_or_default(), by, targets.len());
                for (at, part) in targets.iter().zip(parts).filter(|(_, part)| !part.is_empty()) {
                    want(*at, Some(part.to_owned()));
                }
            }
            How::Join(by) => {
                let parts: Vec<&str> = sources.iter().filter_map(|at| seen.shown(*at)).collect();
                if !parts.is_empty() {
                    want(targets[0], Some(parts.join(by)));
                }
            }
            How::Extract(pattern) => {
                if let Some(part) = pattern.extract(source().unwrap_or_default()).filter(|part| !part.is_empty()) {
                    want(targets[0], Some(part.to_owned()));
                }
            }
            How::Copy(mode) => {
                if *mode == CopyMode::All || seen.shown(targets[0]).is_none() {
                    want(targets[0], source().map(str::to_owned));
                }
            }
            How::Series(series) => {
                let text = series.text(item.n);
                targets.iter().for_each(|at| want(*at, Some(text.clone())));
            }
            How::FillBlanks(text) => {
                for at in targets.iter().filter(|at| seen.shown(**at).is_none()) {
                    want(*at, Some(text.clone()));
                }
            }
            How::FillRight => targets.iter().for_each(|at| want(*at, source().map(str::to_owned))),
            How::FillDown => {
                if item.row == item.first {
                    carry.begin(item, targets.iter().map(|at| seen.shown(*at).map(str::to_owned)).collect());
                } else if carry.first == Some(item.first) {
                    targets.iter().zip(&carry.texts).for_each(|(at, text)| want(*at, text.clone()));
                }
            }
            How::FillAbove => {
                if carry.first != Some(item.first) {
                    carry.begin(item, vec![None; targets.len()]);
                }
                for (at, above) in targets.iter().zip(&mut carry.texts) {
                    match (seen.shown(*at), &above) {
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

impl Carry {
    fn begin(&mut self, item: &Item, texts: Vec<Option<String>>) {
        self.first = Some(item.first);
        self.texts = texts;
    }
}

impl NumberSeries {
    fn text(&self, n: u32) -> String {
        // This type holds the result of every start and step.
        let number = i128::from(self.start) + i128::from(self.step) * i128::from(n);
        let sign = if number < 0 { "-" } else { "" };
        let mut text = format!("{}{sign}", self.prefix);
        let _ = write!(text, "{:0width$}", number.unsigned_abs(), width = usize::from(self.pad));
        text
    }
}

fn replaced(replace: &TextReplace) -> Result<How> {
    let TextReplace { find, with, regex, whole_cell, case } = replace;
    if find.is_empty() && (*regex || !whole_cell) {
        return Err(Fault::new("act.find", "Say what to look for.", "").into());
    }
    let pattern = match (regex, whole_cell) {
        (true, true) => Pattern::whole(find, *case),
        (true, false) => Pattern::new(find, *case),
        (false, true) => Pattern::literal_whole(find, *case),
        (false, false) => Pattern::literal(find, *case),
    };
    let path = if *regex { REGEX } else { "find" };
    let pattern = pattern.map_err(|why| Fault::new(format!("act.{path}"), why, find.as_str()))?;
    Ok(How::Replace { pattern, with: with.clone(), has_groups: *regex })
}

/// Converts names of columns to fields.
pub(super) struct Names {
    pub custom: Vec<u32>,
}

impl Names {
    pub fn of(tx: &ReadTx) -> Result<Self> {
        Ok(Self { custom: custom_fields::numbers(tx)? })
    }

    pub fn field(&self, name: &str) -> Option<ContactField> {
        ContactField::parse(name, |number| self.custom.contains(&number))
    }

    /// Returns the named fields that hold text, each once.
    fn known(&self, names: &[String], path: &str) -> Result<Vec<ContactField>> {
        let mut fields = Vec::with_capacity(names.len());
        let mut faults = Vec::new();
        for name in names {
            match self.field(name) {
                Some(ContactField::CreatedAt | ContactField::UpdatedAt) => {
                    faults.push(Fault::new(path, "This field holds a time and no text.", name.as_str()));
                }
                Some(field) if !fields.contains(&field) => fields.push(field),
                Some(_) => {}
                None => faults.push(Fault::new(path, "There is no such field.", name.as_str())),
            }
        }
        if fields.is_empty() && faults.is_empty() {
            faults.push(Fault::new(path, "Choose a field.", Vec::<String>::new()));
        }
        if faults.is_empty() { Ok(fields) } else { Err(Error::Invalid { faults }) }
    }

    /// Returns the named fields that can be set. Other fields are left out, but if no field remains, this is an error.
    pub fn settable(&self, names: &[String], path: &str) -> Result<Vec<ContactField>> {
        let mut fields = Vec::with_capacity(names.len());
        let mut faults = Vec::new();
        for name in names {
            match self.field(name) {
                Some(field) if fields::is_settable(field) && !fields.contains(&field) => fields.push(field),
                Some(_) => {}
                None => faults.push(Fault::new(path, "There is no such field.", name.as_str())),
            }
        }
        if fields.is_empty() && faults.is_empty() {
            faults.push(Fault::new(path, fields::FOLLOWS, names.to_vec()));
        }
        if faults.is_empty() { Ok(fields) } else { Err(Error::Invalid { faults }) }
    }
}

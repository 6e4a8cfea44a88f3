//! Finds a text in cells: the next cell in the order of the view, or the number of cells.

mod edge;

use std::{collections::HashMap, sync::Arc};

use roost_model::{contact::ContactField, error::FieldError, pattern::TextPattern};
use roost_store::{
    error::Result as StoreResult,
    tables::contacts::grid::{
        drafts,
        scan::{self, Row},
    },
    watch::Watch,
};

use super::{Grid, ViewId, ids::IdSet, pool::SearchTerm, reading, view::OpenView};
use roost_ops::{core::Core, error::Result};
use serde::{Deserialize, Serialize};

/// The position of a cell in a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridCell"))]
pub struct CellPosition {
    pub row: u64,
    pub column: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindDirection {
    Forwards,
    Backwards,
}

/// The text to find, and the columns to search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FindQuery {
    pub text: String,
    pub is_regex: bool,
    pub is_case_sensitive: bool,
    pub is_whole_cell: bool,
    /// The columns in the order of the screen.
    pub columns: Vec<String>,
}

/// The number of cells with the text, and the number of rows with such a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridCounted"))]
pub struct MatchCount {
    pub cells: u64,
    pub rows: u64,
}

enum CellMatcher {
    Pattern(TextPattern),
    Plain { part: String, is_case_sensitive: bool, is_whole: bool },
}

impl FindQuery {
    fn to_matcher(&self) -> Result<CellMatcher> {
        if !self.is_regex {
            let part = if self.is_case_sensitive { self.text.clone() } else { self.text.to_lowercase() };
            let (is_case_sensitive, is_whole) = (self.is_case_sensitive, self.is_whole_cell);
            return Ok(CellMatcher::Plain { part, is_case_sensitive, is_whole });
        }
        let made = if self.is_whole_cell {
            TextPattern::matching_whole(&self.text, self.is_case_sensitive)
        } else {
            TextPattern::new(&self.text, self.is_case_sensitive)
        };
        made.map(CellMatcher::Pattern).map_err(|why| FieldError::new("text", why, self.text.as_str()).into())
    }
}

impl CellMatcher {
    fn is_match(&self, text: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(text) else { return false };
        match self {
            Self::Pattern(pattern) => pattern.is_match(text),
            Self::Plain { part, is_case_sensitive, is_whole } => {
                let folded;
                let text = if *is_case_sensitive {
                    text
                } else {
                    folded = text.to_lowercase();
                    &folded
                };
                if *is_whole { text == part } else { text.contains(part.as_str()) }
            }
        }
    }

    /// Returns the positions of the columns that match. An empty cell counts as an empty text.
    fn matching_columns(
        &self,
        row: &Row,
        fields: &[ContactField],
        typed: Option<&DraftTexts>,
    ) -> StoreResult<Vec<usize>> {
        let mut fitting = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            let draft = typed.and_then(|typed| typed.iter().find(|(name, _)| *name == field.name()));
            let fits = match draft {
                Some((_, text)) => self.is_match(text.as_bytes()),
                None => self.is_match(&scan::shown_text(row, *field, at)?.unwrap_or_default()),
            };
            if fits {
                fitting.push(at);
            }
        }
        Ok(fitting)
    }
}

type DraftTexts = Vec<(String, String)>;

/// The number of rows read at once, which doubles up to the maximum.
const FIRST_BLOCK: usize = 128;
const LAST_BLOCK: usize = 8_192;

impl Grid {
    /// Returns the next cell with the text after or before a cell, if there is one.
    pub fn find_cell(
        &self,
        core: &Core,
        view: ViewId,
        find: &FindQuery,
        from: Option<&CellPosition>,
        direction: FindDirection,
        watch: &Arc<Watch>,
    ) -> Result<Option<CellPosition>> {
        let view = self.find_view(view)?;
        let (matcher, fields) = (find.to_matcher()?, core.read(|tx| reading::parse_columns(tx, &find.columns))?);
        let ids = view.rows().ids;
        let hits = self.candidate_rows(core, &view, find, &fields)?;
        let is_backwards = direction == FindDirection::Backwards;
        // A column that is not searched counts as being before the first.
        let place = from.map(|cell| (cell.row, find.columns.iter().position(|name| *name == cell.column)));
        let is_behind = |row: u64, column: usize| match place {
            None => true,
            Some((at, _)) if row != at => (row > at) != is_backwards,
            Some((_, at)) if is_backwards => at.is_some_and(|at| column < at),
            Some((_, at)) => at.is_none_or(|at| column > at),
        };
        let total = ids.len();
        let start = place.map(|(row, _)| usize::try_from(row).unwrap_or(usize::MAX));
        let rows: Box<dyn Iterator<Item = usize>> = match (start, is_backwards) {
            (None, false) => Box::new(0..total),
            (None, true) => Box::new((0..total).rev()),
            (Some(start), false) => Box::new(start..total),
            (Some(start), true) => Box::new((0..start.saturating_add(1).min(total)).rev()),
        };
        let mut rows = rows.filter(|row| hits.as_ref().is_none_or(|hits| hits.contains(ids[*row])));
        let mut size = FIRST_BLOCK;
        loop {
            let block: Vec<usize> = rows.by_ref().take(size).collect();
            if block.is_empty() {
                return Ok(None);
            }
            let wanted: Vec<i64> = block.iter().map(|row| ids[*row]).collect();
            let found = core.read(|tx| {
                let drafts = drafts::read_drafts(tx, &wanted)?;
                let mut found = None;
                scan::visit_by_ids(
                    tx,
                    reading::find_list_row(tx, &view.spec)?,
                    &wanted,
                    &fields,
                    watch,
                    &mut |at, row| {
                        if found.is_none() {
                            let row_at = block[at] as u64;
                            let mut fitting = matcher.matching_columns(row, &fields, drafts.get(&wanted[at]))?;
                            fitting.retain(|column| is_behind(row_at, *column));
                            let column = if is_backwards { fitting.last() } else { fitting.first() };
                            found = column
                                .map(|column| CellPosition { row: row_at, column: find.columns[*column].clone() });
                        }
                        Ok(())
                    },
                )?;
                Ok(found)
            })?;
            if found.is_some() {
                return Ok(found);
            }
            size = (size * 2).min(LAST_BLOCK);
        }
    }

    /// Counts the cells of the whole view that contain the text.
    pub fn count_matches(&self, core: &Core, view: ViewId, find: &FindQuery, watch: &Arc<Watch>) -> Result<MatchCount> {
        let view = self.find_view(view)?;
        let (matcher, fields) = (find.to_matcher()?, core.read(|tx| reading::parse_columns(tx, &find.columns))?);
        let mut ids = view.rows().ids;
        if let Some(hits) = self.candidate_rows(core, &view, find, &fields)? {
            ids = Arc::new(ids.iter().copied().filter(|id| hits.contains(*id)).collect());
        }
        let drafts: HashMap<i64, DraftTexts> =
            core.read(|tx| Ok(drafts::read_drafts(tx, &drafts::contacts_with_draft(tx)?)?))?;
        let counts = reading::visit_rows(core, &view.spec, &ids, &fields, watch, |count: &mut MatchCount, id, row| {
            let cells = matcher.matching_columns(row, &fields, drafts.get(&id))?.len() as u64;
            count.cells += cells;
            count.rows += u64::from(cells > 0);
            Ok(())
        })?;
        Ok(counts.into_iter().fold(MatchCount::default(), |all, some| MatchCount {
            cells: all.cells + some.cells,
            rows: all.rows + some.rows,
        }))
    }

    /// Returns the rows that may contain the text, if the texts of the list are in memory.
    fn candidate_rows(
        &self,
        core: &Core,
        view: &OpenView,
        find: &FindQuery,
        fields: &[ContactField],
    ) -> Result<Option<IdSet>> {
        let is_kept = |field: &ContactField| {
            matches!(
                field,
                ContactField::PhoneNumber
                    | ContactField::WhatsappId
                    | ContactField::Attribute(_)
                    | ContactField::Custom(_)
            )
        };
        if find.is_regex || find.text.is_empty() || !fields.iter().all(is_kept) {
            return Ok(None);
        }
        let Some(mut hits) = self.caches.pools.search(core, &view.spec.list, &SearchTerm::new_literal(&find.text))?
        else {
            return Ok(None);
        };
        core.read(|tx| Ok(drafts::contacts_with_draft(tx)?))?.into_iter().for_each(|id| hits.insert(id));
        Ok(Some(hits))
    }
}

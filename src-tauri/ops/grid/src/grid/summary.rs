//! Summarizes a selection or a whole column in numbers.

use std::{
    collections::{HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use roost_model::{error::FieldError, intervals::RowIntervals};
use roost_store::{tables::contacts::grid::scan, watch::Watch};

use super::{Grid, ViewId, reading};
use roost_ops::{core::Core, error::Result};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridSummary"))]
pub struct CellsSummary {
    pub rows: u64,
    pub cells: u64,
    pub blanks: u64,
    /// The number of distinct values that are not blank. Only for a single column.
    pub distinct: Option<u64>,
}

/// A value of a column, and the number of rows in which it occurs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridFacet"))]
pub struct FacetValue {
    pub value: Option<String>,
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GridFacets"))]
pub struct ColumnFacets {
    /// The most frequent first. Null stands for blank.
    pub values: Vec<FacetValue>,
    /// The number of distinct values, without blank.
    pub distinct: u64,
    pub blanks: u64,
}

/// The maximum number of values returned for a column.
const MAX_FACETS: usize = 200;

impl Grid {
    pub fn summarize(
        &self,
        core: &Core,
        view: ViewId,
        rows: &RowIntervals,
        columns: &[String],
        watch: &Arc<Watch>,
    ) -> Result<CellsSummary> {
        let view = self.find_view(view)?;
        let ids = view.row_ids(rows);
        let fields = core.read(|tx| reading::parse_columns(tx, columns))?;
        let is_one = fields.len() == 1;
        let counted: Vec<(u64, HashSet<u64>)> = reading::visit_rows(
            core,
            &view.spec,
            &ids,
            &fields,
            watch,
            |(filled, different): &mut (u64, HashSet<u64>), _, row| {
                for (at, field) in fields.iter().enumerate() {
                    let Some(text) = scan::shown_text(row, *field, at)? else { continue };
                    *filled += 1;
                    if is_one {
                        let mut hasher = DefaultHasher::new();
                        text.hash(&mut hasher);
                        different.insert(hasher.finish());
                    }
                }
                Ok(())
            },
        )?;
        let cells = ids.len() as u64 * fields.len() as u64;
        let filled: u64 = counted.iter().map(|(filled, _)| filled).sum();
        let different = counted.into_iter().map(|(_, different)| different).reduce(|mut all, other| {
            all.extend(other);
            all
        });
        Ok(CellsSummary {
            rows: ids.len() as u64,
            cells,
            blanks: cells.saturating_sub(filled),
            distinct: different.filter(|_| is_one).map(|different| different.len() as u64),
        })
    }

    /// Returns the most frequent values of a column in the whole view.
    pub fn read_facets(
        &self,
        core: &Core,
        view: ViewId,
        field: &str,
        most: usize,
        watch: &Arc<Watch>,
    ) -> Result<ColumnFacets> {
        if most > MAX_FACETS {
            return Err(FieldError::new("most", format!("Give at most {MAX_FACETS} at once."), most).into());
        }
        let view = self.find_view(view)?;
        let ids = view.rows().ids;
        let fields = core.read(|tx| match reading::parse_columns(tx, &[field.to_owned()]) {
            Ok(fields) => Ok(fields),
            Err(_) => Err(FieldError::new("field", "The field was not found.", field).into()),
        })?;
        type Counts = HashMap<Box<[u8]>, u64>;
        let counted: Vec<(u64, Counts)> = reading::visit_rows(
            core,
            &view.spec,
            &ids,
            &fields,
            watch,
            |(blanks, counts): &mut (u64, Counts), _, row| {
                match scan::shown_text(row, fields[0], 0)? {
                    None => *blanks += 1,
                    Some(text) => match counts.get_mut(text.as_ref()) {
                        Some(count) => *count += 1,
                        None => {
                            counts.insert(text.as_ref().into(), 1);
                        }
                    },
                }
                Ok(())
            },
        )?;
        let blanks = counted.iter().map(|(blanks, _)| blanks).sum();
        let mut counts: Vec<Counts> = counted.into_iter().map(|(_, counts)| counts).collect();
        counts.sort_by_key(HashMap::len);
        let mut all = counts.pop().unwrap_or_default();
        for (text, count) in counts.into_iter().flatten() {
            *all.entry(text).or_default() += count;
        }
        let distinct = all.len() as u64;
        let mut sorted: Vec<(Option<Box<[u8]>>, u64)> =
            all.into_iter().map(|(text, count)| (Some(text), count)).collect();
        if blanks > 0 {
            sorted.push((None, blanks));
        }
        let most = most.min(sorted.len());
        let by_count =
            |a: &(Option<Box<[u8]>>, u64), b: &(Option<Box<[u8]>>, u64)| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0));
        if most > 0 && most < sorted.len() {
            sorted.select_nth_unstable_by(most - 1, by_count);
        }
        sorted.truncate(most);
        sorted.sort_unstable_by(by_count);
        let facet = |(text, count): (Option<Box<[u8]>>, u64)| FacetValue {
            value: text.map(|text| String::from_utf8_lossy(&text).into_owned()),
            count,
        };
        Ok(ColumnFacets { values: sorted.into_iter().map(facet).collect(), distinct, blanks })
    }
}

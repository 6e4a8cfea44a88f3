//! Sorts a whole list under a filter, in any order, and returns row ids. The compared column is read in the order of
//! the file: reading a list of a hundred thousand in the order of an index would fetch each page many times.

use roost_model::{contact::ContactField, page::SortOrder};
use rusqlite::{
    params_from_iter,
    types::{Value, ValueRef},
};

use super::list_view::{self, ContactFilter};
use crate::{
    error::Result,
    tables::lists::{ListRow, facts},
    tx::ReadTx,
};

/// If more rows than this of other lists are read for each row of the list, its index is faster.
const OTHER_ROWS_MAX: i64 = 8;

/// The value by which a row is sorted. Empty values come last in either direction.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum SortRank {
    Number(i64),
    /// The first bytes come before the text, because most texts differ in them.
    Text(u64, String),
    Empty,
}

impl SortRank {
    fn from_value(value: ValueRef) -> Self {
        match value {
            ValueRef::Integer(n) => Self::Number(n),
            ValueRef::Text(text) => {
                let text = String::from_utf8_lossy(text).to_lowercase();
                let mut first = [0; 8];
                first.iter_mut().zip(text.bytes()).for_each(|(place, byte)| *place = byte);
                Self::Text(u64::from_be_bytes(first), text)
            }
            _ => Self::Empty,
        }
    }
}

/// Returns the row ids of the matching contacts in the requested order. By default, and among equal values, the newest
/// comes first.
pub fn sorted_ids(
    tx: &ReadTx,
    list: ListRow,
    which: &ContactFilter,
    custom: &[u32],
    sort: Option<(ContactField, SortOrder)>,
) -> Result<Vec<i64>> {
    let mut newest = newest_ids(tx, list)?;
    if let Some(wanted) = which.opted_out {
        let out = facts::opted_out_contacts(tx, list)?;
        newest.retain(|id| out.contains(id) == wanted);
    }
    let words = which.search_words();
    if words.is_none() && sort.is_none() {
        return Ok(newest);
    }
    let mut places: Vec<(i64, usize)> = newest.iter().enumerate().map(|(place, id)| (*id, place)).collect();
    places.sort_unstable();
    let (condition, values) = match words {
        Some(words) => (list_view::search_sql(custom, 1), list_view::search_values(words).to_vec()),
        None => ("?1 IS NULL AND ?2 IS NULL".to_owned(), vec![Value::Null, Value::Null]),
    };
    let shown = sort.map_or_else(|| "NULL".to_owned(), |(field, _)| format!("c.{}", list_view::column_name(field)));
    let (mut found, mut next) = (Vec::new(), places.iter().peekable());
    let stretch = places.first().zip(places.last()).map(|(first, last)| (first.0, last.0, places.len() as i64));
    visit_column(tx, list, stretch, &shown, &condition, values, |id, value| {
        while next.next_if(|(before, _)| *before < id).is_some() {}
        if let Some((_, place)) = next.next_if(|(here, _)| *here == id) {
            found.push((if sort.is_some() { SortRank::from_value(value) } else { SortRank::Empty }, *place, id));
        }
    })?;
    let is_descending = matches!(sort, Some((_, SortOrder::Descending)));
    found.sort_unstable_by(|(a, place_a, _), (b, place_b, _)| {
        let by_rank = match (a, b) {
            (SortRank::Empty, _) | (_, SortRank::Empty) => a.cmp(b),
            _ if is_descending => b.cmp(a),
            _ => a.cmp(b),
        };
        by_rank.then(place_a.cmp(place_b))
    });
    Ok(found.into_iter().map(|(_, _, id)| id).collect())
}

/// Returns the ids of a whole list, newest first, from its index alone.
fn newest_ids(tx: &ReadTx, list: ListRow) -> Result<Vec<i64>> {
    tx.read_rows("SELECT id FROM contacts WHERE list_id = ?1 ORDER BY created_at DESC, uid DESC", [list.0], |row| {
        row.get(0)
    })
}

/// Visits one column of the matching contacts of a list by row id. `stretch` holds the first row, the last row and the
/// number of wanted rows between them.
fn visit_column(
    tx: &ReadTx,
    list: ListRow,
    stretch: Option<(i64, i64, i64)>,
    shown: &str,
    condition: &str,
    mut values: Vec<Value>,
    mut visit: impl FnMut(i64, ValueRef),
) -> Result<()> {
    let Some((first, last, count)) = stretch else { return Ok(()) };
    let (own, n) = (list.0, values.len());
    values.extend([own, first, last].map(Value::from));
    // The plus keeps SQLite from using the index.
    let plus = if last - first < count * OTHER_ROWS_MAX { "+" } else { "" };
    let sql = format!(
        "SELECT c.id, {shown} FROM main.contacts AS c
         WHERE {plus}c.list_id = ?{} AND c.id BETWEEN ?{} AND ?{} AND {condition} ORDER BY c.id",
        n + 1,
        n + 2,
        n + 3
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        visit(row.get(0)?, row.get_ref(1)?);
    }
    Ok(())
}

/// Visits one field of every contact of a list.
pub(super) fn visit_field(
    tx: &ReadTx,
    list: ListRow,
    field: ContactField,
    mut visit: impl FnMut(Option<&str>),
) -> Result<()> {
    let mut statement = tx
        .conn()
        .prepare_cached("SELECT min(id), max(id), count(*) FROM contacts WHERE list_id = ?1 HAVING count(*) > 0")?;
    let stretch = rusqlite::OptionalExtension::optional(
        statement.query_row([list.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))),
    )?;
    let shown = format!("c.{}", list_view::column_name(field));
    visit_column(tx, list, stretch, &shown, "TRUE", Vec::new(), |_, value| visit(value.as_str_or_null().ok().flatten()))
}

//! Finds contacts in the whole account by a number, a uid or a text. Numbers are looked up list by list, so that the
//! indexes that keep writing fast are enough.

use roost_model::{
    id::{ContactId, ListId},
    phone,
};
use rusqlite::{OptionalExtension, Row, params, types::Value};

use super::list_view;
use crate::{
    error::Result,
    tables::{batch::MatchKey, lists::ListRow, parse_stored_id},
    tx::ReadTx,
};

/// A contact that a search found, with the fields that identify it to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundContact {
    pub id: i64,
    pub uid: ContactId,
    pub list: ListId,
    pub list_name: String,
    pub phone: Option<String>,
    pub whatsapp: Option<String>,
    pub firstname: Option<String>,
    pub lastname: Option<String>,
    pub company_name: Option<String>,
    pub email_address: Option<String>,
}

const FOUND: &str =
    "c.id, c.uid, l.uid, l.name, c.phone, c.whatsapp, c.firstname, c.lastname, c.company_name, c.email_address
     FROM contacts AS c CROSS JOIN lists AS l ON l.id = c.list_id";

fn row_to_found(row: &Row) -> rusqlite::Result<FoundContact> {
    let (uid, list): (String, String) = (row.get(1)?, row.get(2)?);
    Ok(FoundContact {
        id: row.get(0)?,
        uid: parse_stored_id(1, ContactId::parse(&uid))?,
        list: parse_stored_id(2, ListId::parse(&list))?,
        list_name: row.get(3)?,
        phone: row.get(4)?,
        whatsapp: row.get(5)?,
        firstname: row.get(6)?,
        lastname: row.get(7)?,
        company_name: row.get(8)?,
        email_address: row.get(9)?,
    })
}

pub fn find_by_uid(tx: &ReadTx, uid: &ContactId) -> Result<Option<FoundContact>> {
    let sql = format!("SELECT {FOUND} WHERE c.uid = ?1");
    tx.find_row(&sql, [uid.as_str()], row_to_found)
}

/// Returns the row ids of lists, beginning with `first`.
pub fn lists_from(tx: &ReadTx, first: i64, most: u32) -> Result<Vec<i64>> {
    tx.read_rows("SELECT id FROM lists WHERE id >= ?1 ORDER BY id LIMIT ?2", params![first, most], |row| row.get(0))
}

/// Finds the contacts of a list whose number begins with `beginning`, after a number and a row.
pub fn find_by_prefix(
    tx: &ReadTx,
    list: i64,
    key: MatchKey,
    beginning: &str,
    behind: (&str, i64),
    most: usize,
) -> Result<Vec<FoundContact>> {
    let column = key.column();
    // In ASCII, the colon follows the nine.
    let end = format!("{beginning}:");
    let from = if behind.0 < beginning { (beginning, 0) } else { behind };
    let sql = format!(
        "SELECT {FOUND} WHERE c.list_id = ?1 AND c.{column} >= ?2 AND c.{column} < ?3 AND (c.{column}, c.id) > (?2, ?4)
         ORDER BY c.{column}, c.id LIMIT ?5"
    );
    // A contact whose two numbers match is found by its phone number.
    let sql = match key {
        MatchKey::Phone => sql,
        MatchKey::Whatsapp => {
            sql.replace(" ORDER BY", " AND NOT (c.phone IS NOT NULL AND c.phone >= ?6 AND c.phone < ?3) ORDER BY")
        }
    };
    let mut values = vec![Value::from(list), from.0.to_owned().into(), end.into(), from.1.into(), (most as i64).into()];
    if key == MatchKey::Whatsapp {
        values.push(beginning.to_owned().into());
    }
    tx.read_rows(&sql, rusqlite::params_from_iter(values), row_to_found)
}

/// Returns the calling codes of the numbers in a list, by jumping through its index.
pub fn calling_codes(tx: &ReadTx, list: i64, most: usize) -> Result<Vec<String>> {
    let mut codes = Vec::new();
    for key in [MatchKey::Phone, MatchKey::Whatsapp] {
        let column = key.column();
        let sql =
            format!("SELECT {column} FROM contacts WHERE list_id = ?1 AND {column} >= ?2 ORDER BY {column} LIMIT 1");
        let mut statement = tx.conn().prepare_cached(&sql)?;
        let mut from = "+".to_owned();
        for _ in 0..most {
            let next: Option<String> = statement.query_row(params![list, from], |row| row.get(0)).optional()?;
            let Some(number) = next else { break };
            let Some(code) = phone::calling_code(&number) else { break };
            from = format!("+{code}:");
            codes.push(code);
        }
    }
    Ok(codes)
}

/// Finds the contacts of these lists that have one of the numbers.
pub fn find_by_numbers(
    tx: &ReadTx,
    lists: &[i64],
    phone: Option<&str>,
    whatsapp: Option<&str>,
) -> Result<Vec<FoundContact>> {
    let mut found = Vec::new();
    let sql = format!(
        "SELECT {FOUND} WHERE c.id IN (SELECT id FROM contacts WHERE list_id = ?1 AND phone IN (?2, ?3)
             UNION SELECT id FROM contacts WHERE list_id = ?1 AND whatsapp IN (?2, ?3)) ORDER BY c.id"
    );
    let mut statement = tx.conn().prepare_cached(&sql)?;
    for list in lists {
        let rows = statement.query_map(params![list, phone, whatsapp], row_to_found)?;
        for row in rows {
            found.push(row?);
        }
    }
    Ok(found)
}

/// Searches the next `slice` contacts by row for a text or a number. Also returns the last row that was searched if
/// there are more.
pub fn find_by_text(
    tx: &ReadTx,
    text: &str,
    custom: &[u32],
    behind: i64,
    slice: u32,
    most: usize,
) -> Result<(Vec<FoundContact>, Option<i64>)> {
    let last: Option<i64> = tx.find_value(
        "SELECT id FROM contacts WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2",
        params![behind, slice.saturating_sub(1)],
    )?;
    let sql = format!(
        "SELECT {FOUND} WHERE c.id > ?3 AND c.id <= ?4 AND {} ORDER BY c.id LIMIT ?5",
        list_view::search_sql(custom, 1)
    );
    let [words, digits] = list_view::search_values(text);
    let values = [words, digits, behind.into(), last.unwrap_or(i64::MAX).into(), (most as i64).into()];
    let found: Vec<FoundContact> = tx.read_rows(&sql, rusqlite::params_from_iter(values), row_to_found)?;
    let next = match found.last() {
        // The result was full before the end of the slice.
        Some(found_last) if found.len() == most => Some(found_last.id),
        _ => last,
    };
    Ok((found, next))
}

/// Values counted by list, and the last row that was read if there are more.
pub type FieldUses = (Vec<(ListRow, u64)>, Option<i64>);

/// Counts the values of a field among the next `slice` rows.
pub fn count_field_uses(tx: &ReadTx, field: u32, behind: i64, slice: u32) -> Result<FieldUses> {
    let last: Option<i64> = tx.find_value(
        "SELECT id FROM contacts WHERE id > ?1 ORDER BY id LIMIT 1 OFFSET ?2",
        params![behind, slice.saturating_sub(1)],
    )?;
    let sql = format!(
        "SELECT list_id, count(*) FROM contacts WHERE id > ?1 AND id <= ?2 AND field_{field} IS NOT NULL GROUP BY list_id"
    );
    let rows = tx.read_rows(&sql, params![behind, last.unwrap_or(i64::MAX)], |row| {
        Ok((ListRow(row.get(0)?), row.get::<_, i64>(1)? as u64))
    })?;
    Ok((rows, last))
}

/// Returns opted-out numbers that begin with `beginning`, after one, each with its channels.
pub fn opted_out_by_prefix(tx: &ReadTx, beginning: &str, behind: &str, most: usize) -> Result<Vec<(String, String)>> {
    tx.read_rows(
        "SELECT number, group_concat(DISTINCT channel) FROM opt_outs WHERE number > ?1 AND number >= ?2 AND number < ?3
         GROUP BY number ORDER BY number LIMIT ?4",
        params![behind, beginning, format!("{beginning}:"), most as i64],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

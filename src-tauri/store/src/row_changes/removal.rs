//! Removes many rows of one table at once.

use rusqlite::{Connection, ToSql, params};

use super::restore::RANGE_MIN;
use crate::{
    error::Result,
    row_recorder::{DELETED, create_triggers, drop_triggers, image_sql, tracked_tables::TrackedTable},
};

/// From this many rows on, it may be worth rebuilding the indexes.
const REBUILD_MIN: usize = 10_000;
/// The most rows for which indexes are rebuilt, because they are sorted in memory.
const REBUILT_MAX: i64 = 50_000;

/// Removes those of a range of rows that meet a condition, and returns how many they were. They are recorded in one
/// pass instead of one by one. The condition has the first and the last key as `?1` and `?2`, and further values.
pub(super) fn remove_rows(
    conn: &Connection,
    place: &TrackedTable,
    columns: &[String],
    (first, count): (i64, u64),
    (condition, values): (&str, &[&dyn ToSql]),
) -> Result<u64> {
    let TrackedTable { number, table, key, .. } = place;
    let key = key[0];
    let last = first + count as i64 - 1;
    let values: Vec<&dyn ToSql> = [&first as &dyn ToSql, &last].into_iter().chain(values.iter().copied()).collect();
    let wanted = format!("FROM {table} WHERE {key} BETWEEN ?1 AND ?2 AND {condition}");
    let delete = format!("DELETE {wanted}");
    if count < RANGE_MIN as u64 {
        return Ok(conn.prepare_cached(&delete)?.execute(&*values)? as u64);
    }
    drop_triggers(conn, place)?;
    let record = format!(
        "INSERT INTO row_changes (step, place, kind, key, data)
         SELECT roost_step(), {number}, {DELETED}, {key}, {} {wanted} ORDER BY {key}",
        image_sql(table, columns)
    );
    let recorded = conn.prepare_cached(&record)?.execute(&*values)?;
    let indexes = if recorded >= REBUILD_MIN && count_rows(conn, table)? - recorded as i64 <= REBUILT_MAX {
        drop_indexes(conn, table)?
    } else {
        Vec::new()
    };
    let removed = conn.prepare_cached(&delete)?.execute(&*values)?;
    debug_assert_eq!(removed, recorded, "BUG: other rows were removed than recorded");
    indexes.iter().try_for_each(|sql| conn.execute_batch(sql))?;
    create_triggers(conn, place)?;
    Ok(removed as u64)
}

fn count_rows(conn: &Connection, table: &str) -> Result<i64> {
    Ok(conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?)
}

/// Drops the indexes of a table and returns the statements that create them. Building them from the few rows that stay
/// takes less time than removing each of the others from them.
fn drop_indexes(conn: &Connection, table: &str) -> Result<Vec<String>> {
    let mut statement = conn.prepare_cached(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ?1 AND sql IS NOT NULL ORDER BY rowid",
    )?;
    let indexes: Vec<(String, String)> =
        statement.query_map(params![table], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    drop(statement);
    for (name, _) in &indexes {
        conn.execute_batch(&format!("DROP INDEX {name}"))?;
    }
    Ok(indexes.into_iter().map(|(_, sql)| sql).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_changes::tests::{TestAccount, add_contacts};

    /// Adds contacts with a draft each for some, and undoes that.
    fn undone(others: i64, added: i64) -> TestAccount {
        let account = TestAccount::new();
        account.act(|tx| add_contacts(tx, others));
        let step = account.act(|tx| {
            let range = crate::row_recorder::range::InsertedRange::begin(tx.conn(), tx.step(), &TrackedTable::CONTACTS)?;
            tx.conn().execute_batch(&format!(
                "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < {added})
                 INSERT INTO contacts (uid, list_id, phone, firstname, created_at) SELECT 'N' || i, 1, '+33' || i, i, i FROM n"
            ))?;
            range.end().map(drop)
        });
        let done = account.toggle(step);
        assert_eq!((done.rows, done.kept), (added as u64, 0));
        account
    }

    #[test]
    fn many_rows_are_removed_and_recorded_like_a_few() {
        // A few rows, many beside many that stay, and many beside a few, whose indexes are rebuilt.
        for (others, added) in [(3, RANGE_MIN as i64 - 1), (30, RANGE_MIN as i64), (7, REBUILD_MIN as i64)] {
            let account = undone(others, added);
            let recorded = format!("SELECT count(*) FROM row_changes WHERE kind = {DELETED} AND place = 6");
            assert_eq!(account.count(&recorded), added);
            assert_eq!(account.count("SELECT count(*) FROM contacts"), others);
            for index in ["contacts_by_age", "contacts_by_phone"] {
                assert_eq!(
                    account.count(&format!(
                        "SELECT count(*) FROM contacts INDEXED BY {index} WHERE list_id = 1 AND phone IS NOT NULL"
                    )),
                    others
                );
            }
            assert_eq!(account.count("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"), 1);
            let step = account.count("SELECT max(id) FROM steps WHERE state = 'undone'");
            assert_eq!(account.toggle(step).rows, added as u64, "redone");
            let back = "SELECT count(*) FROM contacts WHERE uid = 'N' || firstname AND phone = '+33' || firstname AND created_at = CAST(firstname AS INTEGER)";
            assert_eq!(account.count(back), added);
            account.act_in_sql("DELETE FROM contacts WHERE uid = 'N1'");
            assert_eq!(
                account.count(&format!("{recorded} AND key = (SELECT key FROM row_changes ORDER BY id DESC LIMIT 1)")),
                1,
                "rows are recorded again"
            );
        }
    }
}

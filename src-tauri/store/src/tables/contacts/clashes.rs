//! Counts the clashes that moving, copying or merging contacts into another list would cause, before anything is
//! changed.

use std::collections::HashSet;

use rusqlite::{Row, types::Value};

use crate::{
    error::{Result, StoreError},
    tables::lists::ListRow,
    tx::ReadTx,
    watch::Watch,
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClashCounts {
    /// Contacts that would be transferred.
    pub contacts: u64,
    /// Contacts whose phone or WhatsApp number the target already has on the same channel.
    pub in_target: u64,
    /// Contacts whose phone number is in the target or was transferred before them, so that they would be skipped or
    /// merged.
    pub repeated: u64,
    /// Contacts that are opted out of a channel, for the account or for an asset.
    pub opted_out: u64,
}

/// Counts contacts that would be transferred to a list. Without a list, they would go to a new one.
pub struct ClashCounter<'t, 'c> {
    tx: &'t ReadTx<'c>,
    watch: &'t Watch,
    target: i64,
    phones: HashSet<Box<str>>,
    found: ClashCounts,
}

/// Contacts between two checks for cancellation.
const CANCEL_CHECK_ROWS: usize = 1_000;

impl<'t, 'c> ClashCounter<'t, 'c> {
    pub fn new(tx: &'t ReadTx<'c>, target: Option<ListRow>, watch: &'t Watch) -> Self {
        // No list has this id.
        let target = target.map_or(-1, |list| list.0);
        Self { tx, watch, target, phones: HashSet::new(), found: ClashCounts::default() }
    }

    /// Counts rows of a list. Rows that were deleted or moved meanwhile are skipped.
    pub fn add_rows(&mut self, list: ListRow, ids: &[i64]) -> Result<()> {
        for part in ids.chunks(CANCEL_CHECK_ROWS) {
            let ids = serde_json::to_string(part).unwrap_or_default();
            let from = "json_each(?2) AS w CROSS JOIN main.contacts AS c ON c.id = w.value WHERE +c.list_id = ?3";
            self.add_from(from, vec![ids.into(), list.0.into()])?;
        }
        Ok(())
    }

    /// Counts all contacts of a list.
    pub fn add_list(&mut self, list: ListRow) -> Result<()> {
        self.add_from("main.contacts AS c WHERE c.list_id = ?2", vec![list.0.into()])
    }

    fn add_from(&mut self, from: &str, values: Vec<Value>) -> Result<()> {
        let has = |column: &str| {
            format!("EXISTS (SELECT 1 FROM main.contacts AS d WHERE d.list_id = ?1 AND d.{column} = c.{column})")
        };
        let is_out = |column: &str, channel: &str| {
            format!("EXISTS (SELECT 1 FROM main.opt_outs AS o WHERE o.number = c.{column} AND o.channel = '{channel}')")
        };
        let sql = format!(
            "SELECT c.phone, {}, {}, {} OR {} FROM {from}",
            has("phone"),
            has("whatsapp"),
            is_out("phone", "SMS"),
            is_out("whatsapp", "WHATSAPP")
        );
        let values: Vec<Value> = std::iter::once(self.target.into()).chain(values).collect();
        let tx = self.tx;
        let mut statement = tx.conn().prepare_cached(&sql)?;
        let mut rows = statement.query(rusqlite::params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            self.count_row(row)?;
            if self.found.contacts.is_multiple_of(CANCEL_CHECK_ROWS as u64) && self.watch.is_cancelled() {
                return Err(StoreError::Cancelled);
            }
        }
        Ok(())
    }

    fn count_row(&mut self, row: &Row) -> Result<()> {
        let (has_phone, has_whatsapp): (bool, bool) = (row.get(1)?, row.get(2)?);
        let phone = row.get_ref(0)?.as_str_or_null().map_err(rusqlite::Error::from)?;
        let is_repeated = has_phone || phone.is_some_and(|phone| !self.phones.insert(phone.into()));
        let found = &mut self.found;
        found.contacts += 1;
        found.in_target += u64::from(has_phone || has_whatsapp);
        found.repeated += u64::from(is_repeated);
        found.opted_out += u64::from(row.get::<_, bool>(3)?);
        Ok(())
    }

    pub fn into_counts(self) -> ClashCounts {
        self.found
    }
}

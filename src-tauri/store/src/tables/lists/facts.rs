//! Counts the contacts of a list that are opted out, duplicates or without a number. Only the indexes of the numbers
//! are read.

use std::collections::HashSet;

use roost_model::channel::Channel;
use rusqlite::params;
use serde::{Deserialize, Serialize};

use super::ListRow;
use crate::{error::Result, tables::batch::MatchKey, tx::ReadTx};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ListFacts {
    /// Contacts whose phone number is opted out of SMS, for the account or for at least one asset.
    pub opted_out_sms: u64,
    pub opted_out_whatsapp: u64,
    /// Contacts beyond the first with the same phone number.
    pub duplicates_phone: u64,
    pub duplicates_whatsapp: u64,
    pub without_phone: u64,
    pub without_whatsapp: u64,
}

/// Parses an E.164 number into its digits. It has at most fifteen, and the first is never zero.
fn parse_digits(number: &str) -> Option<u64> {
    number.strip_prefix('+')?.parse().ok()
}

/// Returns the numbers that are opted out of a channel.
pub fn opted_out_numbers(tx: &ReadTx, channel: Channel) -> Result<HashSet<u64>> {
    let mut statement = tx.conn().prepare_cached("SELECT number FROM opt_outs WHERE channel = ?1")?;
    let mut rows = statement.query([channel.as_str()])?;
    let mut numbers = HashSet::new();
    while let Some(row) = rows.next()? {
        numbers.extend(parse_digits(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?));
    }
    Ok(numbers)
}

/// Visits the numbers of a list, duplicates included, with the rows of their contacts.
fn visit_numbers(tx: &ReadTx, list: ListRow, key: MatchKey, mut visit: impl FnMut(u64, i64)) -> Result<()> {
    let column = key.column();
    let sql = format!("SELECT {column}, id FROM contacts WHERE list_id = ?1 AND {column} IS NOT NULL");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let mut rows = statement.query(params![list.0])?;
    while let Some(row) = rows.next()? {
        if let Some(number) = parse_digits(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?) {
            visit(number, row.get(1)?);
        }
    }
    Ok(())
}

/// Returns the field with the number of a contact on a channel, and the other one.
pub fn number_keys(channel: Channel) -> [MatchKey; 2] {
    match channel {
        Channel::Sms => [MatchKey::Phone, MatchKey::Whatsapp],
        Channel::WhatsApp => [MatchKey::Whatsapp, MatchKey::Phone],
    }
}

/// Passes the number and the row of every contact whose number in this field is opted out of a channel to `visit`.
pub fn visit_opted_out(
    tx: &ReadTx,
    list: ListRow,
    channel: Channel,
    key: MatchKey,
    mut visit: impl FnMut(u64, i64),
) -> Result<()> {
    let out = opted_out_numbers(tx, channel)?;
    if out.is_empty() {
        return Ok(());
    }
    visit_numbers(tx, list, key, |number, contact| {
        if out.contains(&number) {
            visit(number, contact);
        }
    })
}

/// Removes the contacts that have a number in this field.
pub fn remove_with_number(tx: &ReadTx, list: ListRow, key: MatchKey, contacts: &mut HashSet<i64>) -> Result<()> {
    if contacts.is_empty() {
        return Ok(());
    }
    visit_numbers(tx, list, key, |_, contact| {
        contacts.remove(&contact);
    })
}

/// Returns the rows of the contacts that are opted out of at least one channel.
pub fn opted_out_contacts(tx: &ReadTx, list: ListRow) -> Result<HashSet<i64>> {
    let mut contacts = HashSet::new();
    for channel in Channel::ALL {
        let [key, _] = number_keys(channel);
        visit_opted_out(tx, list, channel, key, |_, contact| {
            contacts.insert(contact);
        })?;
    }
    Ok(contacts)
}

pub fn count_facts(tx: &ReadTx, list: ListRow, contacts: u64, opted_out: [&HashSet<u64>; 2]) -> Result<ListFacts> {
    let mut counts = [(0, 0, 0); 2];
    for ((key, out), count) in [MatchKey::Phone, MatchKey::Whatsapp].into_iter().zip(opted_out).zip(&mut counts) {
        // The index returns equal numbers one after the other.
        let (mut numbers, mut opted, mut twice, mut last) = (0, 0, 0, None);
        visit_numbers(tx, list, key, |number, _| {
            numbers += 1;
            opted += u64::from(out.contains(&number));
            twice += u64::from(last == Some(number));
            last = Some(number);
        })?;
        *count = (numbers, opted, twice);
    }
    let [(phones, opted_out_sms, duplicates_phone), (whatsapps, opted_out_whatsapp, duplicates_whatsapp)] = counts;
    Ok(ListFacts {
        opted_out_sms,
        opted_out_whatsapp,
        duplicates_phone,
        duplicates_whatsapp,
        without_phone: contacts.saturating_sub(phones),
        without_whatsapp: contacts.saturating_sub(whatsapps),
    })
}

/// The set operation that combines several lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ListSetOp"))]
pub enum SetOp {
    /// Numbers of any list, each once.
    Union,
    /// Numbers that every list has.
    Intersect,
    /// Numbers of the first list that no other list has.
    Subtract,
}

/// Counts the numbers of a set, separately for each list that contributes them.
pub fn count_set(tx: &ReadTx, lists: &[ListRow], key: MatchKey, op: SetOp) -> Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for (at, list) in lists.iter().enumerate() {
        visit_numbers(tx, *list, key, |number, _| numbers.push((number, at)))?;
    }
    // After sorting, equal numbers are adjacent, with that of the first list first.
    numbers.sort_unstable();
    numbers.dedup();
    let mut given = vec![0; lists.len()];
    for same in numbers.chunk_by(|(a, _), (b, _)| a == b) {
        let first = same[0].1;
        let is_taken = match op {
            SetOp::Union => true,
            SetOp::Intersect => same.len() == lists.len(),
            SetOp::Subtract => first == 0 && same.len() == 1,
        };
        given[first] += u64::from(is_taken);
    }
    Ok(given)
}

/// Counts the contacts of a list without a number of this kind.
pub fn count_without_number(tx: &ReadTx, list: ListRow, key: MatchKey, contacts: u64) -> Result<u64> {
    let column = key.column();
    let sql = format!("SELECT count({column}) FROM contacts WHERE list_id = ?1 AND {column} IS NOT NULL");
    let with_number: i64 = tx.read_value(&sql, [list.0])?;
    Ok(contacts.saturating_sub(with_number as u64))
}

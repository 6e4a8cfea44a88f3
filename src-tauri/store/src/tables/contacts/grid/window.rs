//! Encodes a window of rows as bytes, column by column, straight from SQLite, so that no row needs a struct and no text
//! is copied twice.
//!
//! The format is little-endian: `RRG1`, generation, first row, number of rows and number of columns (u32 each); a byte
//! of flags for each row; then for each column the offsets into its text (rows + 1 of u32), a byte of flags for each
//! cell, and the text. Every part is padded to a multiple of four bytes.

use std::collections::HashSet;

use roost_model::{contact::ContactField, time::Timestamp};
use rusqlite::{Row, types::ValueRef};

use super::{super::list_view, drafts};
use crate::{
    error::Result,
    tables::{
        lists::ListRow,
        sync::unsent::{AgreedContact, AgreedContacts, sent_name},
    },
    tx::ReadTx,
};

pub const MAGIC: u32 = 0x3147_5252;

/// Flags of a row.
pub mod row {
    pub const SMS_ASSET: u8 = 1;
    pub const SMS_ACCOUNT: u8 = 2;
    pub const WHATSAPP_ASSET: u8 = 1 << 2;
    pub const WHATSAPP_ACCOUNT: u8 = 2 << 2;
    pub const DELETED: u8 = 1 << 4;
    pub const UNMATCHED: u8 = 1 << 5;
    pub const DRAFT: u8 = 1 << 6;
    pub const DUPLICATE: u8 = 1 << 7;
}

/// Flags of a cell.
pub mod cell {
    pub const NULL: u8 = 1;
    pub const DRAFT: u8 = 1 << 1;
    /// The value differs from that at the service. In a deleted row, the contact was deleted here and still exists at
    /// the service.
    pub const CHANGED: u8 = 1 << 2;
    /// The row does not exist in this list at the service.
    pub const ADDED: u8 = 1 << 3;
    /// The service changed the value as well, and to another one.
    pub const CONFLICT: u8 = 1 << 4;
}

/// The rows of a window, and their position in a generation of the view.
#[derive(Debug, Clone, Copy)]
pub struct WindowRows<'a> {
    pub list: ListRow,
    pub generation: u32,
    pub from: u32,
    pub ids: &'a [i64],
    /// Rows that no longer match the filter.
    pub unmatched: &'a HashSet<i64>,
}

#[derive(Default)]
struct WindowColumn {
    offsets: Vec<u32>,
    flags: Vec<u8>,
    text: Vec<u8>,
}

impl WindowColumn {
    fn end_cell(&mut self, flags: u8) {
        self.flags.push(flags);
        self.offsets.push(self.text.len() as u32);
    }

    fn push_value(&mut self, value: ValueRef, flags: u8) {
        match value {
            ValueRef::Text(text) => {
                self.text.extend_from_slice(text);
                self.end_cell(flags);
            }
            ValueRef::Integer(seconds) => {
                self.text.extend_from_slice(Timestamp::from_unix(seconds).to_iso().as_bytes());
                self.end_cell(flags);
            }
            ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => self.end_cell(flags | cell::NULL),
        }
    }

    /// Appends a cell of a deleted contact with the value that the service still has.
    fn push_deleted(&mut self, agreed: Option<&AgreedContact>, field: ContactField) {
        let Some(agreed) = agreed else { return self.end_cell(cell::NULL) };
        let text = agreed.agreed_text(field);
        self.text.extend_from_slice(text.as_bytes());
        self.end_cell(if text.is_empty() { cell::CHANGED | cell::NULL } else { cell::CHANGED });
    }
}

const REACH_COLUMNS: &str = "(SELECT min(scope) FROM opt_outs WHERE number = c.phone AND channel = 'SMS'),
     (SELECT min(scope) FROM opt_outs WHERE number = c.whatsapp AND channel = 'WHATSAPP')";
const HAS_DUPLICATE: &str =
    "EXISTS (SELECT 1 FROM contacts AS d WHERE d.list_id = c.list_id AND d.phone = c.phone AND d.id <> c.id)
     OR EXISTS (SELECT 1 FROM contacts AS d WHERE d.list_id = c.list_id AND d.whatsapp = c.whatsapp AND d.id <> c.id)";
/// Columns before the contact's own: two reaches, and whether its number occurs twice.
const OWN_COLUMNS: usize = 3;

fn row_flags(row: &Row) -> Result<u8> {
    let reach = |at: usize, asset: u8, account: u8| -> Result<u8> {
        Ok(match row.get_ref(at)? {
            ValueRef::Text([]) => account,
            ValueRef::Text(_) => asset,
            _ => 0,
        })
    };
    let twin = if row.get::<_, bool>(2)? { row::DUPLICATE } else { 0 };
    Ok(reach(0, row::SMS_ASSET, row::SMS_ACCOUNT)? | reach(1, row::WHATSAPP_ASSET, row::WHATSAPP_ACCOUNT)? | twin)
}

/// Returns the flags that say how a stored value differs from the one at the service.
fn unsent_flags(agreed: Option<&AgreedContact>, list: ListRow, field: ContactField, value: ValueRef) -> u8 {
    let Some(agreed) = agreed else { return 0 };
    if agreed.is_added_to(list) {
        return cell::ADDED;
    }
    let here = match value {
        ValueRef::Text(text) => std::str::from_utf8(text).unwrap_or_default(),
        _ => "",
    };
    if sent_name(field).is_none() || here == agreed.agreed_text(field) {
        0
    } else if agreed.is_in_conflict(field, here) {
        cell::CHANGED | cell::CONFLICT
    } else {
        cell::CHANGED
    }
}

/// Encodes a window.
pub fn encode_window(tx: &ReadTx, window: WindowRows, fields: &[ContactField]) -> Result<Vec<u8>> {
    let drafts = drafts::read_drafts(tx, window.ids)?;
    let has_opt_outs = tx.has_row("SELECT 1 FROM opt_outs", [])?;
    let reaches = if has_opt_outs { REACH_COLUMNS } else { "NULL, NULL" };
    let columns: String = fields.iter().map(|field| format!(", c.{}", list_view::column_name(*field))).collect();
    let sql =
        format!("SELECT {reaches}, {HAS_DUPLICATE}{columns} FROM contacts AS c WHERE c.id = ?1 AND +c.list_id = ?2");
    let mut statement = tx.conn().prepare_cached(&sql)?;
    let names: Vec<_> = fields.iter().map(|field| field.name()).collect();
    let mut flags = Vec::with_capacity(window.ids.len());
    let mut cells: Vec<WindowColumn> =
        fields.iter().map(|_| WindowColumn { offsets: vec![0], ..WindowColumn::default() }).collect();
    let mut agreed = AgreedContacts::new(tx)?;
    for id in window.ids {
        let mut rows = statement.query([id, &window.list.0])?;
        let agreed = agreed.get(*id)?;
        let Some(found) = rows.next()? else {
            flags.push(row::DELETED);
            let agreed = agreed.filter(|agreed| !agreed.is_added_to(window.list));
            cells.iter_mut().zip(fields).for_each(|(column, field)| column.push_deleted(agreed.as_ref(), *field));
            continue;
        };
        let typed = drafts.get(id);
        let mut bits = row_flags(found)?;
        if window.unmatched.contains(id) {
            bits |= row::UNMATCHED;
        }
        if typed.is_some() {
            bits |= row::DRAFT;
        }
        flags.push(bits);
        for (at, column) in cells.iter_mut().enumerate() {
            let draft = typed.and_then(|typed| typed.iter().find(|(field, _)| *field == names[at]));
            match draft {
                Some((_, text)) => {
                    column.text.extend_from_slice(text.as_bytes());
                    let is_added = agreed.as_ref().is_some_and(|agreed| agreed.is_added_to(window.list));
                    column.end_cell(if is_added { cell::DRAFT | cell::ADDED } else { cell::DRAFT });
                }
                None => {
                    let value = found.get_ref(OWN_COLUMNS + at)?;
                    column.push_value(value, unsent_flags(agreed.as_ref(), window.list, fields[at], value));
                }
            }
        }
    }
    Ok(encode_parts(window, &flags, &cells))
}

fn encode_parts(window: WindowRows, flags: &[u8], cells: &[WindowColumn]) -> Vec<u8> {
    let size = 20 + flags.len() + cells.iter().map(|c| c.text.len() + c.flags.len() * 5 + 16).sum::<usize>();
    let mut out = Vec::with_capacity(size);
    let head = [MAGIC, window.generation, window.from, flags.len() as u32, cells.len() as u32];
    let mut put = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        out.resize(out.len().next_multiple_of(4), 0);
    };
    head.iter().for_each(|number| put(&number.to_le_bytes()));
    put(flags);
    for column in cells {
        column.offsets.iter().for_each(|offset| put(&offset.to_le_bytes()));
        put(&column.flags);
        put(&column.text);
    }
    out
}

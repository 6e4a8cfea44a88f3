//! Replaces records by others with the same id, for edits that may break the rules of the interface and for imports
//! that merge.

use std::fmt::Write as _;

use roost_model::{
    contact::{Attribute, Contact},
    list::List,
    short_link::ShortLink,
    time::Timestamp,
};
use rusqlite::{params, types::Value};

use crate::{error::Result, tx::WriteTx};

/// Replaces the name and the times of a list. Its contacts stay.
pub fn replace_list(tx: &WriteTx, list: &List) -> Result<()> {
    let sql = "UPDATE lists SET name = ?2, name_folded = ?3, created_at = ?4, updated_at = ?5 WHERE uid = ?1";
    let (created, updated) = (list.created_at.unix(), list.updated_at.unix());
    tx.execute_sql(sql, params![list.uid.as_str(), list.name, list.name.to_lowercase(), created, updated])?;
    Ok(())
}

/// Replaces everything of a contact except its list. The values in `contact.custom` belong to the field numbers in
/// `custom`.
pub fn replace_contact(tx: &WriteTx, contact: &Contact, custom: &[u32]) -> Result<()> {
    let text = |text: Option<&str>| text.map_or(Value::Null, |text| Value::from(text.to_owned()));
    let mut set = "UPDATE contacts SET phone = ?2, phone_region = ?3, whatsapp = ?4, whatsapp_region = ?5, \
                   created_at = ?6, updated_at = ?7"
        .to_owned();
    let mut values = vec![text(Some(contact.uid.as_str()))];
    for phone in [&contact.phone, &contact.whatsapp] {
        values.push(text(phone.as_ref().map(|phone| phone.e164.as_str())));
        values.push(text(phone.as_ref().map(|phone| phone.region.as_str())));
    }
    values.push(contact.created_at.unix().into());
    values.push(contact.updated_at.map(Timestamp::unix).into());
    for attribute in Attribute::ALL {
        values.push(text(contact.attribute(attribute)));
        let _ = write!(set, ", {} = ?{}", attribute.name(), values.len());
    }
    for (number, value) in custom.iter().zip(&contact.custom) {
        values.push(text(value.as_deref()));
        let _ = write!(set, ", field_{number} = ?{}", values.len());
    }
    set.push_str(" WHERE uid = ?1");
    tx.conn().prepare(&set)?.execute(rusqlite::params_from_iter(values))?;
    Ok(())
}

/// Replaces everything of a link. Its clicks stay.
pub fn replace_short_link(tx: &WriteTx, link: &ShortLink) -> Result<()> {
    let sql = "UPDATE short_links SET title = ?2, target_url = ?3, code = ?4, base = ?5, tags = ?6, created_at = ?7, \
               track_clicks = ?8 WHERE uid = ?1";
    tx.conn().prepare_cached(sql)?.execute(params![
        link.link_id.as_str(),
        link.title,
        link.target_url,
        link.code,
        link.base,
        serde_json::Value::from(link.tags.clone()).to_string(),
        link.created_at.unix(),
        link.track_clicks
    ])?;
    Ok(())
}

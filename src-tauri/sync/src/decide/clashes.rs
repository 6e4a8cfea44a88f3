//! Settles whether a custom field of the account is the one that the service has under the same number.

use roost_model::{
    custom_field::{CustomField, NUMBER_MAX},
    error::FieldError,
};
use roost_ops::{Actor, Core, Error, Noun};
use roost_store::{
    change_log::{ChangeAction, ChangeLogEntry},
    tables::{custom_fields, sync::local},
    tx::{ActDescription, WriteTx},
};

use crate::fields;

/// Settles a clash. If the fields are the same, the values are sent from now on. If not, the account's name and values
/// move to a free number, as one act that can be undone. Returns that number.
pub fn settle_clash(core: &Core, by: &Actor, number: u32, is_same: bool) -> Result<Option<u32>, Error> {
    if is_same {
        return core.write_quietly(|tx| {
            find_clash(tx, number)?;
            fields::agree(tx, number)?;
            Ok(None)
        });
    }
    core.write(by, |tx| {
        let label = find_clash(tx, number)?;
        let to = fields::free_number(tx)?;
        if to > NUMBER_MAX {
            let message = format!("The account has used all {NUMBER_MAX} numbers of custom fields.");
            return Err(FieldError::new("number", message, number).into());
        }
        custom_fields::insert(tx, &CustomField { number: to, label: label.clone() })?;
        custom_fields::rename(tx, number, &fields::usual_label(number))?;
        let moved = local::move_local_values(tx, number, to)?;
        fields::record_move(tx, number)?;
        tx.describe_act(ActDescription::new("custom_field_renumber").with_subject(label).with_uid(to));
        tx.log_change(ChangeLogEntry::single(Noun::CustomField, ChangeAction::Created, to));
        tx.log_change(ChangeLogEntry::single(Noun::CustomField, ChangeAction::Updated, number));
        if moved > 0 {
            tx.log_change(ChangeLogEntry::bulk(Noun::Contact, ChangeAction::Updated, moved));
        }
        Ok(Some(to))
    })
}

fn find_clash(tx: &WriteTx, number: u32) -> Result<String, Error> {
    let clash = fields::open_clashes(tx)?.remove(&number);
    Ok(clash.ok_or_else(|| Error::NotFound { noun: Noun::CustomField, uid: number.to_string() })?.label)
}

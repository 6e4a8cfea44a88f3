//! The commands on contacts and their custom fields.

use crate::commands::{Done, Nothing, contact, custom_field};

commands! {
    /// Returns one page of a list's contacts.
    read contact_page(contact::ContactPage) -> contact::ContactPageResponse = contact::page;
    /// Returns one contact.
    read contact_get(contact::ContactUid) -> roost_ops::contact::ContactCard = contact::get;
    /// Returns the fields of contacts.
    read contact_fields(contact::ContactFields) -> contact::ContactFieldsAnswer = contact::fields;
    /// Returns the contacts of any list that have the same numbers.
    read contact_elsewhere(contact::ContactUid) -> contact::ContactElsewhere = contact::elsewhere;
    /// Returns every change of a contact.
    read contact_history(contact::ContactUid) -> contact::ContactHistory = contact::history;
    /// Reports the effect of pasting contacts without adding them.
    read contact_paste_preview(contact::ContactPaste) -> contact::ContactPasted = contact::paste_preview;
    /// Adds pasted contacts in one act. Rows with an error are not added, and the response names them.
    write contact_paste(contact::ContactPaste) -> contact::ContactPasted = contact::paste;
    /// Sets some fields of a contact.
    write contact_update(contact::ContactUpdate) -> roost_ops::contact::UpdatedContact = contact::update;
    /// Reads a number while it is typed.
    read number_read(contact::NumberRead) -> contact::NumberReadAnswer = contact::read;
    /// Returns the custom fields in the order of the screen.
    read custom_field_all(Nothing) -> custom_field::CustomFieldsAnswer = custom_field::all;
    /// Counts the contacts that have a value in a field, a part of them in each call.
    read custom_field_uses(custom_field::CustomFieldUses) -> roost_ops::custom_field::FieldUseCount = custom_field::uses;
    /// Adds a field under the next number.
    write custom_field_add(custom_field::CustomFieldAdd) -> roost_model::custom_field::CustomField = custom_field::add;
    /// Renames a field.
    write custom_field_rename(custom_field::CustomFieldRename) -> roost_model::custom_field::CustomField = custom_field::rename;
    /// Sets the order of the fields on the screen.
    write custom_field_order(custom_field::CustomFieldOrder) -> custom_field::CustomFieldsAnswer = custom_field::order;
    /// Moves a field and its values to the trash. Its number is never used again.
    write custom_field_remove(custom_field::CustomFieldRemove) -> Done = custom_field::remove;
}

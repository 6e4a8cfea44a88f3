//! Contacts and their custom fields.

use crate::commands::{contact, custom_field};

commands! {
    /// One page of a list's contacts.
    contact_page(contact::ContactPage) -> contact::ContactPageAnswer = contact::page;
    /// One contact.
    contact_get(contact::ContactUid) -> roost_ops::contact::ContactCard = contact::get;
    /// The fields of contacts.
    contact_fields(contact::ContactFields) -> contact::ContactFieldsAnswer = contact::fields;
    /// Contacts of any list with the same numbers.
    contact_elsewhere(contact::ContactUid) -> contact::ContactElsewhere = contact::elsewhere;
    /// Every change of a contact.
    contact_history(contact::ContactUid) -> contact::ContactHistory = contact::history;
    /// What pasting would do, without doing it.
    contact_paste_preview(contact::ContactPaste) -> contact::ContactPasted = contact::paste_preview;
    /// Adds pasted contacts in one act; rows with a fault are left out and told.
    contact_paste(contact::ContactPaste) -> contact::ContactPasted = contact::paste;
    /// Sets some fields of a contact.
    contact_update(contact::ContactUpdate) -> roost_ops::contact::ContactCard = contact::update;
    /// What can be said of a number while it is typed.
    number_read(contact::NumberRead) -> contact::NumberReadAnswer = contact::read;
    /// The custom fields, in the order of the screen.
    custom_field_all(custom_field::CustomFieldAll) -> custom_field::CustomFieldsAnswer = custom_field::all;
    /// How many contacts hold a value of a field, a stretch at a time.
    custom_field_uses(custom_field::CustomFieldUses) -> custom_field::CustomFieldUsesAnswer = custom_field::uses;
    /// Adds a field under the next number.
    custom_field_add(custom_field::CustomFieldAdd) -> roost_model::custom_field::CustomField = custom_field::add;
    /// Gives a field another label.
    custom_field_rename(custom_field::CustomFieldRename) -> roost_model::custom_field::CustomField = custom_field::rename;
    /// Orders the fields on screen.
    custom_field_order(custom_field::CustomFieldOrder) -> custom_field::CustomFieldsAnswer = custom_field::order;
    /// Removes a field and its values into the trash; its number is never used again.
    custom_field_remove(custom_field::CustomFieldRemove) -> custom_field::CustomFieldRemoved = custom_field::remove;
}

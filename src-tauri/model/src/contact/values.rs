//! Reads the values of a contact wherever they are: in a record, or in a row of the database that is not copied first.

use super::{Contact, ContactField};
use crate::time::Timestamp;

pub trait ContactValues {
    /// Returns the text of a field that every contact has. Times and custom fields have methods of their own.
    fn text(&self, field: ContactField) -> Option<&str>;

    /// Returns the value of the custom field at this place among those that were read.
    fn custom(&self, place: usize) -> Option<&str>;

    fn created_at(&self) -> Timestamp;

    fn updated_at(&self) -> Option<Timestamp>;
}

impl ContactValues for Contact {
    fn text(&self, field: ContactField) -> Option<&str> {
        match field {
            ContactField::Uid => Some(self.uid.as_str()),
            ContactField::PhoneNumber => self.phone.as_ref().map(|phone| phone.e164.as_str()),
            ContactField::PhoneRegion => self.phone.as_ref().map(|phone| phone.region.as_str()),
            ContactField::WhatsappId => self.whatsapp.as_ref().map(|phone| phone.e164.as_str()),
            ContactField::WhatsappRegion => self.whatsapp.as_ref().map(|phone| phone.region.as_str()),
            ContactField::Attribute(attribute) => self.attribute(attribute),
            ContactField::Custom(_) | ContactField::CreatedAt | ContactField::UpdatedAt => None,
        }
    }

    fn custom(&self, place: usize) -> Option<&str> {
        self.custom.get(place).and_then(Option::as_deref)
    }

    fn created_at(&self) -> Timestamp {
        self.created_at
    }

    fn updated_at(&self) -> Option<Timestamp> {
        self.updated_at
    }
}

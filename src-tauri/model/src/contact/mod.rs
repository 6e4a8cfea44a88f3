//! Contacts: their attributes, the limits of each, and the validation of a submitted contact.

pub mod email;
mod values;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use self::values::ContactValues;

use crate::{
    error::{has_length, size_message},
    id::{ContactId, ListId},
    phone::{self, Phone, Region},
    time::Timestamp,
};

/// Longest phone or WhatsApp number as submitted, after surrounding spaces are removed.
pub const NUMBER_MAX: usize = 16;
/// Longest value of a custom field.
pub const CUSTOM_MAX: usize = 500;
/// Most contacts in one request.
pub const BATCH_MAX: usize = 10_000;

macro_rules! attributes {
    ($($variant:ident = $name:literal, $max:literal;)*) => {
        /// A free-text attribute of a contact. The order is that in which the interface lists their limits.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(usize)]
        pub enum Attribute { $($variant),* }

        impl Attribute {
            pub const ALL: [Self; ATTRIBUTES] = [$(Self::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Returns the most characters that it may have.
            pub fn max(self) -> usize {
                match self { $(Self::$variant => $max),* }
            }

            pub fn parse(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

/// Number of [`Attribute`]s.
pub const ATTRIBUTES: usize = 13;

attributes! {
    Title = "title", 30;
    Firstname = "firstname", 50;
    Lastname = "lastname", 50;
    DateOfBirth = "date_of_birth", 255;
    Address1 = "address_1", 255;
    Address2 = "address_2", 255;
    City = "city", 128;
    Zip = "zip", 24;
    State = "state", 48;
    Country = "country", 128;
    CompanyName = "company_name", 128;
    EmailAddress = "email_address", 255;
    AlternatePhone = "alternate_phone", 128;
}

/// A contact of one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    pub uid: ContactId,
    pub list: ListId,
    pub phone: Option<Phone>,
    pub whatsapp: Option<Phone>,
    pub attributes: [Option<String>; ATTRIBUTES],
    /// Values of the defined custom fields, in the order of the requested definitions.
    pub custom: Vec<Option<String>>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl Contact {
    pub fn attribute(&self, attribute: Attribute) -> Option<&str> {
        self.attributes[attribute as usize].as_deref()
    }
}

/// A contact as submitted, before any check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactDraft<'a> {
    pub phone_number: Option<Cow<'a, str>>,
    pub whatsapp_number: Option<Cow<'a, str>>,
    pub attributes: [Option<Cow<'a, str>>; ATTRIBUTES],
    /// Values of defined custom fields by number, in ascending order.
    pub custom: Vec<(u32, Cow<'a, str>)>,
}

/// A contact that may be stored: its numbers are normalized and its sizes checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValidContact<'a> {
    pub phone: Option<Phone>,
    pub whatsapp: Option<Phone>,
    pub attributes: [Option<Cow<'a, str>>; ATTRIBUTES],
    pub custom: Vec<(u32, Cow<'a, str>)>,
}

/// A rule that a submitted contact breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactError {
    /// Neither number was given.
    NoNumber,
    /// A number was given that is not a valid phone number.
    InvalidNumber,
    /// A text is empty or too long.
    Size { attribute: Cow<'static, str>, max: usize },
}

impl ContactError {
    pub fn message(&self) -> String {
        match self {
            Self::NoNumber => "Either phone_number or whatsapp_number must be given.".to_owned(),
            Self::InvalidNumber => "Invalid phone number.".to_owned(),
            Self::Size { max, .. } => size_message(1, *max),
        }
    }

    /// Returns the attribute that breaks the rule, or `None` when the contact as a whole breaks it.
    pub fn attribute(&self) -> Option<&str> {
        match self {
            Self::NoNumber | Self::InvalidNumber => None,
            Self::Size { attribute, .. } => Some(attribute),
        }
    }
}

impl<'a> ContactDraft<'a> {
    /// Normalizes the numbers and checks every rule. All errors are returned, those of the whole contact first.
    ///
    /// Without a `region`, because the given one was unknown, only the size of numbers that need a region is checked.
    pub fn validate(self, region: Option<Region>) -> Result<ValidContact<'a>, Vec<ContactError>> {
        let mut object_fault = None;
        let mut size_faults = Vec::new();
        if self.phone_number.is_none() && self.whatsapp_number.is_none() {
            object_fault = Some(ContactError::NoNumber);
        }
        let mut settle_number = |raw: &Option<Cow<'a, str>>, name: &'static str| -> Option<Phone> {
            let raw = raw.as_deref()?.trim();
            if !has_length(raw, 1, NUMBER_MAX) {
                size_faults.push(ContactError::Size { attribute: Cow::Borrowed(name), max: NUMBER_MAX });
                return None;
            }
            if region.is_none() && !phone::without_separators(raw).starts_with('+') {
                return None;
            }
            let settled = phone::parse_contact_number(raw, region.unwrap_or_else(Region::gb));
            if settled.is_none() {
                object_fault = Some(ContactError::InvalidNumber);
            }
            settled
        };
        let phone = settle_number(&self.phone_number, "phone_number");
        let whatsapp = settle_number(&self.whatsapp_number, "whatsapp_number");
        for attribute in Attribute::ALL {
            if self.attributes[attribute as usize].as_deref().is_some_and(|text| !has_length(text, 1, attribute.max()))
            {
                size_faults
                    .push(ContactError::Size { attribute: Cow::Borrowed(attribute.name()), max: attribute.max() });
            }
        }
        for (number, text) in &self.custom {
            if !has_length(text, 1, CUSTOM_MAX) {
                size_faults
                    .push(ContactError::Size { attribute: Cow::Owned(format!("field_{number}")), max: CUSTOM_MAX });
            }
        }
        if object_fault.is_none() && size_faults.is_empty() {
            Ok(ValidContact { phone, whatsapp, attributes: self.attributes, custom: self.custom })
        } else {
            Err(object_fault.into_iter().chain(size_faults).collect())
        }
    }
}

/// A field of a contact, by its name in contact queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ContactField {
    Uid,
    PhoneNumber,
    PhoneRegion,
    WhatsappId,
    WhatsappRegion,
    Attribute(Attribute),
    Custom(u32),
    CreatedAt,
    UpdatedAt,
}

impl ContactField {
    /// The fields before the custom ones, in the order of the records.
    pub const BEFORE_CUSTOM: [Self; 18] = [
        Self::Uid,
        Self::PhoneNumber,
        Self::PhoneRegion,
        Self::WhatsappId,
        Self::WhatsappRegion,
        Self::Attribute(Attribute::AlternatePhone),
        Self::Attribute(Attribute::Title),
        Self::Attribute(Attribute::Firstname),
        Self::Attribute(Attribute::Lastname),
        Self::Attribute(Attribute::CompanyName),
        Self::Attribute(Attribute::EmailAddress),
        Self::Attribute(Attribute::DateOfBirth),
        Self::Attribute(Attribute::Address1),
        Self::Attribute(Attribute::Address2),
        Self::Attribute(Attribute::City),
        Self::Attribute(Attribute::State),
        Self::Attribute(Attribute::Zip),
        Self::Attribute(Attribute::Country),
    ];

    /// Parses the name of a field. A custom field counts only if it is `defined`.
    pub fn parse(name: &str, defined: impl Fn(u32) -> bool) -> Option<Self> {
        Some(match name {
            "uid" => Self::Uid,
            "phone_number" => Self::PhoneNumber,
            "phone_region" => Self::PhoneRegion,
            "whatsapp_id" => Self::WhatsappId,
            "whatsapp_region" => Self::WhatsappRegion,
            "created_at" => Self::CreatedAt,
            "updated_at" => Self::UpdatedAt,
            _ => match Attribute::parse(name) {
                Some(attribute) => Self::Attribute(attribute),
                None => Self::Custom(crate::custom_field::parse_key(name).filter(|n| defined(*n))?),
            },
        })
    }

    pub fn name(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Uid => "uid",
            Self::PhoneNumber => "phone_number",
            Self::PhoneRegion => "phone_region",
            Self::WhatsappId => "whatsapp_id",
            Self::WhatsappRegion => "whatsapp_region",
            Self::Attribute(attribute) => attribute.name(),
            Self::Custom(number) => return Cow::Owned(format!("field_{number}")),
            Self::CreatedAt => "created_at",
            Self::UpdatedAt => "updated_at",
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum MergeType {
    #[serde(rename = "skipDuplicates")]
    SkipDuplicates,
    #[serde(rename = "allowDuplicates")]
    AllowDuplicates,
    #[serde(rename = "mergeByPhoneNumberInList")]
    MergeByPhone,
    #[serde(rename = "mergeByWhatsappIdInList")]
    MergeByWhatsapp,
}

crate::variant_names! {
    pub MergeType {
        SkipDuplicates = "skipDuplicates", AllowDuplicates = "allowDuplicates",
        MergeByPhone = "mergeByPhoneNumberInList", MergeByWhatsapp = "mergeByWhatsappIdInList",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(phone: Option<&'static str>, whatsapp: Option<&'static str>) -> ContactDraft<'static> {
        ContactDraft {
            phone_number: phone.map(Cow::Borrowed),
            whatsapp_number: whatsapp.map(Cow::Borrowed),
            ..ContactDraft::default()
        }
    }

    fn faults(draft: ContactDraft<'static>) -> Vec<ContactError> {
        draft.validate(Some(Region::gb())).err().unwrap_or_default()
    }

    #[test]
    fn one_number_is_enough_and_none_is_a_fault() {
        assert_eq!(faults(draft(Some("07700900001"), None)), []);
        assert_eq!(faults(draft(None, Some("+447700900001"))), []);
        assert_eq!(faults(draft(None, None)), [ContactError::NoNumber]);
    }

    #[test]
    fn a_number_of_wrong_size_gets_no_second_fault() {
        let size = |name| ContactError::Size { attribute: Cow::Borrowed(name), max: 16 };
        assert_eq!(faults(draft(Some(""), None)), [size("phone_number")]);
        assert_eq!(
            faults(draft(Some("+44 (0)7700 900001"), Some(" "))),
            [size("phone_number"), size("whatsapp_number")]
        );
        assert_eq!(faults(draft(Some("x"), Some("y"))), [ContactError::InvalidNumber], "one entry for both");
    }

    #[test]
    fn every_fault_is_reported_and_those_of_the_whole_contact_come_first() {
        let mut bad = draft(Some("x"), None);
        bad.attributes[Attribute::Title as usize] = Some(Cow::Borrowed(""));
        bad.custom.push((2, Cow::Owned("é".repeat(501))));
        let found = faults(bad);
        assert_eq!(found[0], ContactError::InvalidNumber);
        assert_eq!(found[1].attribute(), Some("title"));
        assert_eq!(found[2].attribute(), Some("field_2"));
    }

    #[test]
    fn without_a_region_only_international_numbers_are_judged() {
        assert!(draft(Some("whatever"), None).validate(None).is_ok());
        assert!(draft(Some("+1"), None).validate(None).is_err());
    }

    #[test]
    fn an_attribute_names_itself() {
        for attribute in Attribute::ALL {
            assert_eq!(Attribute::parse(attribute.name()), Some(attribute));
            assert_eq!(Attribute::ALL[attribute as usize], attribute);
        }
    }
}

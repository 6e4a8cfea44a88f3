//! Commands on numbers while they are typed.

use roost_model::phone::{FormattedNumber, TypedNumber};
use roost_ops::{Actor, contact as act};
use serde::{Deserialize, Serialize};

use super::contact_id;
use crate::{accounts::App, error::CommandError};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct NumberRead {
    pub text: String,
    /// The region of a number without a country code. Null means that of the account.
    pub region: Option<String>,
    /// The UID of the contact that has the number. Null for a new contact.
    pub contact: Option<String>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum NumberKind {
    Valid,
    Invalid,
    Empty,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct NumberReadAnswer {
    pub kind: NumberKind,
    pub e164: Option<String>,
    /// The region of a valid number. For others, the region that was assumed.
    pub region: String,
    pub international: Option<String>,
    pub national: Option<String>,
    /// The reason why the text is not a valid number.
    pub message: Option<String>,
}

pub(crate) fn read(app: &App, _: &Actor, request: NumberRead) -> Result<NumberReadAnswer, CommandError> {
    let contact = request.contact.as_deref().map(|uid| contact_id("contact", uid)).transpose()?;
    let act::NumberReading { reading, region } =
        act::read_number(&app.core()?, &request.text, request.region.as_deref(), contact.as_ref())?;
    let none = |kind, message| NumberReadAnswer {
        kind,
        e164: None,
        region: region.clone(),
        international: None,
        national: None,
        message,
    };
    Ok(match reading {
        TypedNumber::Empty => none(NumberKind::Empty, None),
        TypedNumber::Invalid(why) => none(NumberKind::Invalid, Some(why.to_owned())),
        TypedNumber::Valid(FormattedNumber { phone, international, national }) => NumberReadAnswer {
            kind: NumberKind::Valid,
            e164: Some(phone.e164),
            region: phone.region,
            international: Some(international),
            national: Some(national),
            message: None,
        },
    })
}

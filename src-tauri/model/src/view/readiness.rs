//! Determines whether a contact of a list can be messaged on a channel, and why not.

use serde::Serialize;

use crate::{
    channel::Channel,
    phone::{self, NumberKind},
};

/// The readiness of a contact on one channel. If several values apply, the first in the order of [`Readiness::ALL`]
/// counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Readiness {
    /// The number is opted out of the channel.
    OptedOut,
    /// The contact has no number for the channel.
    NoNumber,
    /// The number is not in use in its country, or its cell holds a draft.
    Invalid,
    /// The number cannot receive SMS: a landline or a service number.
    Landline,
    /// An earlier contact of the list gets the message at the same number.
    Duplicate,
    Ready,
}

crate::variant_names! {
    pub Readiness {
        OptedOut = "opted_out", NoNumber = "no_number", Invalid = "invalid", Landline = "landline",
        Duplicate = "duplicate", Ready = "ready",
    }
}

impl Readiness {
    /// Returns why a number in E.164 cannot be messaged on a channel, whoever has it. A landline may have a WhatsApp
    /// account.
    pub fn number_problem(e164: &str, channel: Channel) -> Option<Self> {
        match phone::number_kind(e164) {
            NumberKind::Invalid => Some(Self::Invalid),
            NumberKind::Landline if channel == Channel::Sms => Some(Self::Landline),
            NumberKind::Landline | NumberKind::Mobile => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_landline_is_reached_by_whatsapp_alone() {
        for (number, sms, whatsapp) in [
            ("+447700900001", None, None),
            ("+442079460000", Some(Readiness::Landline), None),
            ("+441632960001", Some(Readiness::Landline), None),
            // In North America, mobile numbers cannot be distinguished from landlines.
            ("+12025550123", None, None),
            ("+4477009000011", Some(Readiness::Invalid), Some(Readiness::Invalid)),
            ("+4470", Some(Readiness::Invalid), Some(Readiness::Invalid)),
            ("", Some(Readiness::Invalid), Some(Readiness::Invalid)),
        ] {
            assert_eq!(Readiness::number_problem(number, Channel::Sms), sms, "{number}");
            assert_eq!(Readiness::number_problem(number, Channel::WhatsApp), whatsapp, "{number}");
        }
    }
}

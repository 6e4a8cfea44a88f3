//! The two channels on which a recipient can be reached.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Channel {
    #[serde(rename = "SMS")]
    Sms,
    #[serde(rename = "WHATSAPP")]
    WhatsApp,
}

impl Channel {
    pub const ALL: [Self; 2] = [Self::Sms, Self::WhatsApp];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sms => "SMS",
            Self::WhatsApp => "WHATSAPP",
        }
    }

    /// Parses a channel as people write it. Surrounding spaces and case do not matter.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        Self::ALL.into_iter().find(|c| c.as_str().eq_ignore_ascii_case(text))
    }

    /// Returns the id prefix of the inbound assets of this channel.
    pub fn asset_prefix(self) -> &'static str {
        match self {
            Self::Sms => "num_",
            Self::WhatsApp => "wbp_",
        }
    }
}

//! The reasons why a row is refused.

use roost_model::contact::ContactField;
use serde::{Deserialize, Serialize};

/// The reason why a row is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ImportReason"))]
#[repr(u8)]
pub enum RejectReason {
    /// The row has neither number.
    NoNumber = 1,
    NotANumber,
    /// A spreadsheet shortened the number or shows an error instead, so its digits are lost.
    Spreadsheet,
    /// With a zero in front it would be valid: a spreadsheet seems to have removed the zero.
    LostZero,
    TooLong,
    /// Some bytes are invalid in the encoding of the file.
    DamagedText,
    /// A NUL character.
    Nul,
    /// A part of the row could not be read.
    Malformed,
}

impl RejectReason {
    pub const ALL: [Self; 8] = [
        Self::NoNumber,
        Self::NotANumber,
        Self::Spreadsheet,
        Self::LostZero,
        Self::TooLong,
        Self::DamagedText,
        Self::Nul,
        Self::Malformed,
    ];

    pub fn message(self) -> &'static str {
        match self {
            Self::NoNumber => "The row has neither a phone number nor a WhatsApp number.",
            Self::NotANumber => "The number is not valid.",
            Self::Spreadsheet => {
                "A spreadsheet shortened the number or could not compute it, and its digits are lost. Format the column as text and save the file again."
            }
            Self::LostZero => {
                "The number is not valid; with a zero in front it would be. A spreadsheet may have removed the zero: format the column as text, or correct the number here."
            }
            Self::TooLong => "A value is longer than its field allows.",
            Self::DamagedText => {
                "The row holds bytes that are invalid in the encoding of the file. Choose another encoding, or correct the row here."
            }
            Self::Nul => "The row holds a NUL character.",
            Self::Malformed => "A part of the row is invalid.",
        }
    }
}

/// A reason, and the field that it is about; `None` if it is about the whole row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowFault {
    pub reason: RejectReason,
    pub field: Option<ContactField>,
}

//! Parses a position in the journal: a number, or an epoch and a number.

use std::{borrow::Cow, str::FromStr};

use roost_journal::{Journal, JournalGap, JournalStatus};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::super::AdminError;

/// A position in the journal: the number of a line, with or without its epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JournalPosition {
    pub epoch: Option<u64>,
    pub seq: u64,
}

impl JournalPosition {
    /// Returns the number, or refuses a position that no longer exists after a reset.
    pub(super) fn check_seq(self, status: &JournalStatus) -> Result<u64, AdminError> {
        if self.epoch.is_some_and(|epoch| epoch != status.epoch) || self.seq > status.last {
            return Err(reset_error(status));
        }
        Ok(self.seq)
    }
}

/// The error that the world was reset after the position was issued.
pub(super) fn reset_error(status: &JournalStatus) -> AdminError {
    let message = format!(
        "The world was reset or restored, or the position is ahead of the journal. The epoch is {}, its last line is \
         {}.",
        status.epoch, status.last
    );
    AdminError::conflict("reset_meanwhile", message, "Start again without since.")
}

/// The error that some requested lines were replaced by newer ones.
pub(super) fn gap_error(gap: JournalGap) -> AdminError {
    let message = format!("Lines {} to {} are no longer stored, so the result is unknown.", gap.first, gap.last);
    AdminError::conflict("journal_gap", message, "Ask earlier, pass a later since, or make the journal larger.")
}

/// The error that the journal has no line with this number, and why.
pub(crate) fn missing_line_error(journal: &Journal, seq: u64) -> AdminError {
    let JournalStatus { last, lines, dropped, .. } = journal.status();
    let stored = u64::try_from(lines).unwrap_or(u64::MAX);
    let why = match (journal.is_on(), seq) {
        (false, _) if lines == 0 => return not_recording_error(),
        (_, seq) if seq > last && last > 0 => format!("The newest line is {last}."),
        (_, seq) if seq > last => "The journal is empty. A reset, a restore or a new seed clears it.".to_owned(),
        // What is missing between the removed lines and the stored ones was cleared.
        _ if dropped == 0 || seq > last.saturating_sub(stored) => "The journal was cleared since.".to_owned(),
        _ => "It was replaced by a newer line.".to_owned(),
    };
    AdminError::not_found(format!("There is no request {seq} in the journal. {why}"))
}

pub(super) fn not_recording_error() -> AdminError {
    let message = "This world's journal is not recording.";
    AdminError::conflict("not_recording", message, "Start it with PATCH /__admin/journal {\"enabled\": true}.")
}

impl FromStr for JournalPosition {
    type Err = String;

    /// Parses `17`, or `2.17` in the second epoch.
    fn from_str(text: &str) -> Result<Self, String> {
        let (epoch, seq) = match text.split_once('.') {
            Some((epoch, seq)) => (epoch.parse().ok().map(Some), seq.parse()),
            None => (Some(None), text.parse()),
        };
        match (epoch, seq) {
            (Some(epoch), Ok(seq)) => Ok(Self { epoch, seq }),
            _ => Err(format!("'{text}' is not a valid journal position. Use SEQ or EPOCH.SEQ, as returned in next")),
        }
    }
}

impl<'de> Deserialize<'de> for JournalPosition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => text.parse().map_err(de::Error::custom),
            Value::Number(number) => number.to_string().parse().map_err(de::Error::custom),
            _ => Err(de::Error::custom("Expected a journal position: SEQ or EPOCH.SEQ")),
        }
    }
}

impl JsonSchema for JournalPosition {
    fn schema_name() -> Cow<'static, str> {
        "JournalPosition".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "After this line: SEQ or EPOCH.SEQ.",
            "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": "^([0-9]+\\.)?[0-9]+$" }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_number_with_or_without_its_epoch() {
        for (text, want) in [
            ("0", Some((None, 0))),
            ("17", Some((None, 17))),
            ("2.17", Some((Some(2), 17))),
            ("", None),
            ("-1", None),
            ("2.", None),
            ("1.2.3", None),
        ] {
            let read = text.parse::<JournalPosition>().ok().map(|place| (place.epoch, place.seq));
            assert_eq!(read, want, "{text}");
        }
    }
}

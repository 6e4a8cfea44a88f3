//! Writes opt-out events as evidence: each with its times in UTC, and each line chained to the previous one by its hash.
//!
//! The hash of a line is the SHA-256 of the previous hash (64 zeros at the start), a line feed, and the line's values
//! as a JSON array of strings. Whoever has the file and its last hash can verify that no line was changed, removed or
//! inserted.
//!
//! The action `known` stands for an opt-out that existed when the recording of events began.

use std::fmt::Write;

use roost_model::opt_out::OptOutRecordScope;
use roost_store::tables::opt_outs::events::{self, EventAction, OptOutEvent};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

pub use roost_store::tables::opt_outs::events::EventQuery;

use super::{CsvFile, CsvStyle};
use roost_ops::{
    core::{Actor, Core},
    error::{Error, Result},
    opt_out::{self, AssetNumbers},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum EvidenceFormat {
    Csv,
    Json,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OptOutEvidence {
    /// The suggested name of the file.
    pub name: String,
    pub kind: EvidenceFormat,
    pub text: String,
    pub lines: u64,
    /// The hash of the last line, to be stored apart from the file.
    pub last_hash: String,
}

const FIELDS: [&str; 14] = [
    "event",
    "at_utc",
    "source",
    "act",
    "action",
    "number",
    "channel",
    "scope",
    "scope_number",
    "opt_out_type",
    "inbound_asset_id",
    "inbound_number",
    "opt_out_time_utc",
    "reason",
];

fn event_values(event: &OptOutEvent, assets: &AssetNumbers) -> [String; FIELDS.len()] {
    let inbound = event.inbound.as_ref();
    [
        event.id.to_string(),
        event.at.to_iso(),
        event.source.as_str().to_owned(),
        event.act.clone().unwrap_or_default(),
        match event.action {
            EventAction::Known => "known",
            EventAction::Added => "added",
            EventAction::Removed => "removed",
        }
        .to_owned(),
        event.number.clone(),
        event.channel.as_str().to_owned(),
        if let OptOutRecordScope::Asset(id) = &event.scope { id.as_str() } else { "account" }.to_owned(),
        assets.scope_number(&event.scope, inbound).unwrap_or_default(),
        event.kind.as_str().to_owned(),
        inbound.map(|inbound| inbound.asset_id.as_str().to_owned()).unwrap_or_default(),
        inbound.and_then(|inbound| inbound.number.clone()).unwrap_or_default(),
        event.opted_out_at.to_iso(),
        event.reason.clone().unwrap_or_default(),
    ]
}

fn chain_hash(previous: &str, values: &[String]) -> String {
    let mut hash = Sha256::new();
    hash.update(previous.as_bytes());
    hash.update(b"\n");
    hash.update(Value::from(values.to_vec()).to_string().as_bytes());
    hash.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Writes the selected events, oldest first.
pub fn write_evidence(core: &Core, by: &Actor, query: &EventQuery, format: EvidenceFormat) -> Result<OptOutEvidence> {
    let mut last_hash = "0".repeat(64);
    let mut lines = 0;
    let to_write_error = |why: std::io::Error| Error::conflict(format!("The evidence could not be written: {why}"));
    let mut csv = CsvFile::begin(Vec::new(), CsvStyle::default()).map_err(to_write_error)?;
    let mut text = "[".to_owned();
    if format == EvidenceFormat::Csv {
        csv.write_line(FIELDS.iter().chain(&["hash"])).map_err(to_write_error)?;
    }
    core.read(|tx| {
        let assets = AssetNumbers::read(tx)?;
        events::visit_events(tx, query, |event| {
            opt_out::check_cancelled(by)?;
            let values = event_values(&event, &assets);
            last_hash = chain_hash(&last_hash, &values);
            match format {
                EvidenceFormat::Csv => {
                    csv.write_line(values.iter().chain([&last_hash])).map_err(to_write_error)?;
                }
                EvidenceFormat::Json => {
                    let mut object: Map<String, Value> = FIELDS
                        .iter()
                        .zip(&values)
                        .map(|(field, value)| ((*field).to_owned(), value.as_str().into()))
                        .collect();
                    object.insert("hash".to_owned(), last_hash.as_str().into());
                    let _ = write!(text, "{}\n{}", if lines == 0 { "" } else { "," }, Value::from(object));
                }
            }
            lines += 1;
            Ok::<_, Error>(())
        })
    })?;
    match format {
        EvidenceFormat::Csv => text = String::from_utf8_lossy(&csv.into_writer().map_err(to_write_error)?).into_owned(),
        EvidenceFormat::Json => text.push_str("\n]\n"),
    }
    let (number_part, extension) = (
        query.number.as_deref().map(|number| format!("-{}", number.trim_start_matches('+'))).unwrap_or_default(),
        match format {
            EvidenceFormat::Csv => "csv",
            EvidenceFormat::Json => "json",
        },
    );
    let day = &core.ctx().now().to_iso()[..10];
    Ok(OptOutEvidence {
        name: format!("opt-out-evidence{number_part}-{day}.{extension}"),
        kind: format,
        text,
        lines,
        last_hash,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_breaks_where_a_line_is_changed() {
        let line = |text: &str| vec![text.to_owned()];
        let first = chain_hash(&"0".repeat(64), &line("a"));
        assert_ne!(chain_hash(&first, &line("b")), chain_hash(&first, &line("c")));
        assert_ne!(chain_hash(&"0".repeat(64), &line("b")), chain_hash(&first, &line("b")));
        assert_eq!(first.len(), 64);
    }
}

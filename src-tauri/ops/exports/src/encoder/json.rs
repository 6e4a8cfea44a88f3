//! Writes contacts as JSON lines, or as a seed from which a new account can be filled.

use std::{borrow::Cow, io};

use roost_model::{contact::ContactField, list::List};
use roost_store::{tables::custom_fields, tx::ReadTx};
use serde_json::json;

use super::{super::columns::ExportColumn, RecordEncoder};
use roost_ops::error::Result;

/// Writes an object of the cells that are not blank. `names` are JSON strings, each followed by its colon.
fn write_object<'c>(names: &[String], cells: impl Iterator<Item = Cow<'c, str>>, out: &mut Vec<u8>) -> io::Result<()> {
    out.push(b'{');
    let start = out.len();
    for (name, cell) in names.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
        if out.len() > start {
            out.push(b',');
        }
        out.extend_from_slice(name.as_bytes());
        serde_json::to_writer(&mut *out, &*cell)?;
    }
    out.push(b'}');
    Ok(())
}

fn to_json_names(columns: &[ExportColumn]) -> Vec<String> {
    columns.iter().map(|column| format!("{}:", json!(column.name()))).collect()
}

pub(super) struct JsonLinesEncoder {
    names: Vec<String>,
    out: Vec<u8>,
}

impl JsonLinesEncoder {
    pub(super) fn new(columns: &[ExportColumn]) -> Self {
        Self { names: to_json_names(columns), out: Vec::new() }
    }
}

impl RecordEncoder for JsonLinesEncoder {
    fn encode_row(&mut self, cells: &[Cow<str>]) -> io::Result<()> {
        write_object(&self.names, cells.iter().map(|cell| Cow::Borrowed(&**cell)), &mut self.out)?;
        self.out.push(b'\n');
        Ok(())
    }

    fn buffered_bytes(&self) -> usize {
        self.out.len()
    }

    fn take_bytes(&mut self) -> io::Result<Vec<u8>> {
        Ok(std::mem::take(&mut self.out))
    }
}

/// Writes lists, their contacts and the opt-outs of these contacts in the form that [`roost_ops::account::seed`] reads.
pub(super) struct SeedEncoder {
    names: Vec<String>,
    /// Whether each column holds times, which seeds write in another format.
    times: Vec<bool>,
    custom_fields: String,
    opt_outs: Vec<String>,
    has_lists: bool,
    is_first: bool,
    out: Vec<u8>,
}

impl SeedEncoder {
    pub(super) fn new(tx: &ReadTx, columns: &[ExportColumn], opt_outs: Vec<String>) -> Result<Self> {
        let is_time = |column: &ExportColumn| {
            matches!(column, ExportColumn::Field(ContactField::CreatedAt | ContactField::UpdatedAt))
        };
        let custom_fields: Vec<String> =
            custom_fields::read_all(tx)?.iter().map(|field| json!(field).to_string()).collect();
        Ok(Self {
            names: to_json_names(columns),
            times: columns.iter().map(is_time).collect(),
            custom_fields: custom_fields.join(",\n"),
            opt_outs,
            has_lists: false,
            is_first: true,
            out: Vec::new(),
        })
    }

    fn push_text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }
}

impl RecordEncoder for SeedEncoder {
    fn begin(&mut self) -> io::Result<()> {
        let custom_fields = std::mem::take(&mut self.custom_fields);
        self.push_text("{\n\"custom_fields\": [\n");
        self.push_text(&custom_fields);
        self.push_text("],\n\"lists\": [");
        Ok(())
    }

    fn begin_list(&mut self, list: &List) -> io::Result<()> {
        self.push_text(if self.has_lists { "]},\n" } else { "\n" });
        self.has_lists = true;
        let head =
            json!({ "uid": list.uid, "name": list.name, "created_at": list.created_at, "updated_at": list.updated_at });
        self.push_text(head.to_string().trim_end_matches('}'));
        self.push_text(",\"contacts\":[");
        self.is_first = true;
        Ok(())
    }

    fn encode_row(&mut self, cells: &[Cow<str>]) -> io::Result<()> {
        self.push_text(if self.is_first { "\n" } else { ",\n" });
        self.is_first = false;
        let text = |(cell, is_time): (&Cow<str>, &bool)| match is_time {
            true => Cow::Owned(cell.replacen('T', " ", 1).trim_end_matches('Z').to_owned()),
            false => Cow::Owned(cell.clone().into_owned()),
        };
        write_object(&self.names, cells.iter().zip(&self.times).map(text), &mut self.out)
    }

    fn end(&mut self) -> io::Result<()> {
        self.push_text(if self.has_lists { "]}],\n" } else { "],\n" });
        let opt_outs = std::mem::take(&mut self.opt_outs).join(",\n");
        self.push_text(&format!("\"opt_outs\": [\n{opt_outs}]\n}}\n"));
        Ok(())
    }

    fn buffered_bytes(&self) -> usize {
        self.out.len()
    }

    fn take_bytes(&mut self) -> io::Result<Vec<u8>> {
        Ok(std::mem::take(&mut self.out))
    }
}

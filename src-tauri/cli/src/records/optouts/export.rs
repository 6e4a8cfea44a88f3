//! `roost optouts export`: writes opt-outs as CSV.

use std::{io, path::PathBuf};

use clap::{Args, builder::BoolishValueParser};
use roost_exports::{CsvFile, CsvStyle, ExportError};
use roost_model::{
    opt_out::{AssetFields, OptOut, OptOutRecordScope},
    page::{PageRequest, SortOrder},
};
use roost_ops::opt_out::{self, OptOutQuery};
use serde::Serialize;

use super::super::read_all;
use crate::{
    failure::CliFailure,
    outputs::{OutputPath, print_written_file, write_file_or_stdout},
};

#[derive(Args)]
#[command(
    after_help = "roost optouts import reads the columns number, channel and asset. It gives every opt-out its own type, \
     time and reason, so those of this account are not taken over. roost account backup copies everything."
)]
pub(super) struct ExportCommand {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: PathBuf,
    /// The file to write. Default: standard output.
    #[arg(long, env = "ROOST_OPTOUTS_OUT", value_name = "FILE")]
    out: Option<OutputPath>,
    /// Overwrite an existing file.
    #[arg(long, env = "ROOST_OPTOUTS_FORCE", value_parser = BoolishValueParser::new(), requires = "out")]
    force: bool,
    /// Print JSON about the file.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// What is in the file.
#[derive(Serialize)]
struct ExportedOptOuts {
    opt_outs: usize,
}

impl ExportCommand {
    pub(super) fn run(self) -> Result<(), CliFailure> {
        if self.json && self.out.is_none() {
            return Err(CliFailure::new(
                "CSV is not JSON. Name a file with --out, or print JSON with roost optouts list.",
            ));
        }
        let query = |page: PageRequest| OptOutQuery {
            number: None,
            kind: None,
            channel: None,
            asset: None,
            inbound_number: None,
            from: None,
            to: None,
            order: SortOrder::Ascending,
            page,
            fields: AssetFields::default(),
        };
        let records = read_all(&self.db, |core, page| opt_out::read_page(core, &query(page)))?;
        write_file_or_stdout(self.out.as_ref(), self.force, |out| {
            let mut table = CsvFile::begin(out, CsvStyle::default())?;
            table.write_line(["number", "channel", "asset", "type", "time"])?;
            records.iter().try_for_each(|record| write_record(&mut table, record))?;
            table.into_writer().map(drop).map_err(ExportError::File)
        })?;
        let exported = ExportedOptOuts { opt_outs: records.len() };
        if self.json { print_written_file(self.out.as_ref(), exported) } else { Ok(()) }
    }
}

fn write_record<W: io::Write>(table: &mut CsvFile<W>, record: &OptOut) -> io::Result<()> {
    let asset = match &record.scope {
        OptOutRecordScope::Account => "",
        OptOutRecordScope::Asset(id) => id.as_str(),
    };
    let time = record.time.to_iso();
    table.write_line([record.number.as_str(), record.channel.as_str(), asset, record.kind.as_str(), time.as_str()])
}

//! `roost export`: writes an account, some of its lists, or the account of a running server to a file.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_exports::{
    self as export, CardVersion, CsvStyle, Delimiter, ExportScope, FileFormat, FormulaPolicy, PreparedExport,
};
use roost_ops::{Core, Ctx, Watch, list};
use serde::Serialize;

use super::{SHORT_LINK_BASE, parse_short_link_base};
use crate::{
    emulator::ServerOption,
    failure::CliFailure,
    outputs::{OutputPath, print_written_file, write_file_or_stdout},
    terminal::{count_with_noun, print_warning},
};

#[derive(Args)]
#[command(
    after_help = "What roost import reads back: the values of the contacts, and who opted out of which channel. All numbers \
     of such a contact are then opted out of it, for the whole account, at the time of the import. The contacts are in \
     one list, and custom fields need --map. A seed has all records, but not the reasons of opt-outs, the history, or \
     the name and country of the account. roost account backup copies everything."
)]
pub(crate) struct ExportCommand {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: Option<PathBuf>,
    #[command(flatten)]
    exchange: ServerOption,
    /// The file to write. Default: standard output.
    #[arg(long, env = "ROOST_EXPORT_OUT", value_name = "FILE")]
    out: Option<OutputPath>,
    /// Overwrite an existing file.
    #[arg(long, env = "ROOST_EXPORT_FORCE", value_parser = BoolishValueParser::new(), requires = "out")]
    force: bool,
    /// A list, by its name or uid. Can be repeated. Default: the whole account.
    #[arg(long = "list", env = "ROOST_EXPORT_LIST", value_name = "NAME")]
    lists: Vec<String>,
    /// The format of the file.
    #[arg(long, env = "ROOST_EXPORT_FORMAT", value_enum, default_value_t)]
    format: ExportFormatOption,
    /// The fields in their order, separated by commas: phone_number, firstname, field_1, list. Default: all.
    #[arg(long, env = "ROOST_EXPORT_COLUMNS", value_name = "FIELDS", value_delimiter = ',')]
    columns: Vec<String>,
    /// Leave out contacts that have opted out of a channel. Otherwise the file says who has: in a column for each
    /// channel, or as the opt-outs of a seed.
    #[arg(long, env = "ROOST_EXPORT_WITHOUT_OPTED_OUT", value_parser = BoolishValueParser::new())]
    without_opted_out: bool,
    /// The separator between the cells of csv.
    #[arg(long, env = "ROOST_EXPORT_SEPARATOR", value_enum, default_value_t)]
    separator: CsvSeparator,
    /// Do not write column names into the first line of csv and xlsx.
    #[arg(long, env = "ROOST_EXPORT_NO_HEADS", value_parser = BoolishValueParser::new())]
    no_heads: bool,
    /// Start csv with a byte order mark, which tells older programs that it is UTF-8.
    #[arg(long, env = "ROOST_EXPORT_BOM", value_parser = BoolishValueParser::new())]
    bom: bool,
    /// Do not write an apostrophe before texts of csv that look like formulas. For programs that do not run formulas. A
    /// text that already has one gets a second one, which an import removes.
    #[arg(long, env = "ROOST_EXPORT_NO_GUARD", value_parser = BoolishValueParser::new())]
    no_guard: bool,
    /// The base of short URLs, for links without a base of their own.
    #[arg(long, env = "ROOST_SET_SHORT_LINK_BASE", value_name = "URL", default_value = SHORT_LINK_BASE,
        value_parser = parse_short_link_base)]
    short_link_base: String,
    /// Print JSON about the file. Without --out, only seed, ndjson and jsonl can be printed.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    json: bool,
}

/// What is in the file. Servers do not count it.
#[derive(Serialize)]
struct ExportedContacts {
    contacts: Option<u64>,
    /// How many of the contacts have opted out of a channel, exported or left out.
    opted_out: Option<u64>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum ExportFormatOption {
    /// All records, to fill a new account.
    #[default]
    Seed,
    /// The same as YAML. Servers only.
    Yaml,
    /// The same, one record per line. Servers only.
    Ndjson,
    /// An account file. Servers only.
    Sqlite,
    /// A world file: the account, and jobs, callbacks, fault rules, receivers, settings and clock. Servers only.
    World,
    Csv,
    /// A workbook.
    Xlsx,
    /// vCards of version 4.
    Vcf,
    /// vCards of version 3, for older programs.
    Vcf3,
    /// One JSON record per line.
    Jsonl,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum CsvSeparator {
    #[default]
    Comma,
    Semicolon,
    Tab,
}

impl ExportFormatOption {
    fn is_json(self) -> bool {
        matches!(self, Self::Seed | Self::Ndjson | Self::Jsonl)
    }
}

impl ExportCommand {
    pub(crate) fn run(self) -> Result<(), CliFailure> {
        if self.json && self.out.is_none() && !self.format.is_json() {
            return Err(CliFailure::new(
                "This format is not JSON. Name a file with --out, or choose seed, ndjson or jsonl.",
            ));
        }
        let exported = match self.account_file()? {
            Some(db) => self.export_account(db)?,
            None => {
                self.export_server()?;
                ExportedContacts { contacts: None, opted_out: None }
            }
        };
        if self.json { print_written_file(self.out.as_ref(), exported) } else { Ok(()) }
    }

    fn export_account(&self, db: &Path) -> Result<ExportedContacts, CliFailure> {
        super::check_existing(db)?;
        if self.format == ExportFormatOption::Xlsx && self.out.is_none() {
            return Err(CliFailure::new("A workbook is written to a file. Name one with --out."));
        }
        let core = Core::open(db, Ctx::system()).map_err(CliFailure::new)?;
        let exporting = self.begin_export(&core)?;
        let watch = Arc::new(Watch::default());
        write_file_or_stdout(self.out.as_ref(), self.force, |out| exporting.write(&core, &watch, out).map(drop))?;
        self.report_opted_out(&exporting);
        Ok(ExportedContacts { contacts: Some(exporting.row_count()), opted_out: Some(exporting.opted_out()) })
    }

    /// Returns the account file, or None if the command is for a server.
    fn account_file(&self) -> Result<Option<&PathBuf>, CliFailure> {
        if self.exchange.is_selected(self.db.as_deref())? {
            return Ok(None);
        }
        if matches!(
            self.format,
            ExportFormatOption::Yaml
                | ExportFormatOption::Ndjson
                | ExportFormatOption::Sqlite
                | ExportFormatOption::World
        ) {
            return Err(CliFailure::new("yaml, ndjson, sqlite and world are only for servers. Add --server."));
        }
        Ok(self.db.as_ref())
    }

    /// Reports opt-outs in the file, because they do not stop a program that sends to its contacts.
    fn report_opted_out(&self, exporting: &PreparedExport) {
        let out = exporting.opted_out();
        if out == 0 {
            return;
        }
        let all = exporting.row_count() + if self.without_opted_out { out } else { 0 };
        let (have, all) = (if out == 1 { "has" } else { "have" }, count_with_noun(all, "contact"));
        if self.without_opted_out {
            return print_warning(&format!("Left out {out} of {all} because of opt-outs."));
        }
        let carried = match exporting.opt_out_columns().as_slice() {
            [] => "The seed has their opt-outs.".to_owned(),
            columns => format!("The file says who: {}.", columns.join(", ")),
        };
        print_warning(&format!(
            "{out} of {all} {have} opted out. {carried} --without-opted-out leaves out such contacts."
        ));
    }

    fn export_server(&self) -> Result<(), CliFailure> {
        let format = match self.format {
            ExportFormatOption::Seed => "json",
            ExportFormatOption::Yaml => "yaml",
            ExportFormatOption::Ndjson => "ndjson",
            ExportFormatOption::Sqlite => "sqlite",
            ExportFormatOption::World => "world",
            _ => {
                return Err(CliFailure::new(
                    "A server exports seed, yaml, ndjson, sqlite or world. Other formats need --db.",
                ));
            }
        };
        if !self.lists.is_empty() || !self.columns.is_empty() {
            return Err(CliFailure::new("A server exports the whole account. --list and --columns need --db."));
        }
        if self.without_opted_out {
            return Err(CliFailure::new(
                "A server exports the whole account with its opt-outs. --without-opted-out needs --db.",
            ));
        }
        self.exchange.export(format, self.out.as_ref(), self.force)
    }

    fn begin_export(&self, core: &Core) -> Result<PreparedExport, CliFailure> {
        let what = if self.lists.is_empty() {
            ExportScope::Account
        } else {
            let found = self.lists.iter().map(|name| list::find_list(core, name).map(|list| list.uid));
            ExportScope::Lists(found.collect::<Result<_, _>>().map_err(CliFailure::new)?)
        };
        let columns = match (self.columns.as_slice(), self.lists.as_slice()) {
            // A file of one list need not name the list in each row.
            ([], [_]) => export::default_columns(core).map_err(CliFailure::new)?,
            ([], _) => {
                let fields = export::default_columns(core).map_err(CliFailure::new)?;
                std::iter::once("list".to_owned()).chain(fields).collect()
            }
            (chosen, _) => chosen.to_vec(),
        };
        let headings = if self.no_heads { Vec::new() } else { columns.clone() };
        let short_link_base = self.short_link_base.clone();
        let export = export::ExportRequest {
            scope: what,
            format: self.to_format(),
            columns,
            headings,
            short_link_base,
            without_opted_out: self.without_opted_out,
        };
        export::prepare_export(core, &export).map_err(CliFailure::new)
    }

    fn to_format(&self) -> FileFormat {
        match self.format {
            ExportFormatOption::Seed
            | ExportFormatOption::Yaml
            | ExportFormatOption::Ndjson
            | ExportFormatOption::Sqlite
            | ExportFormatOption::World => FileFormat::Seed,
            ExportFormatOption::Csv => FileFormat::Csv(CsvStyle {
                delimiter: match self.separator {
                    CsvSeparator::Comma => Delimiter::Comma,
                    CsvSeparator::Semicolon => Delimiter::Semicolon,
                    CsvSeparator::Tab => Delimiter::Tab,
                },
                formulas: if self.no_guard { FormulaPolicy::Unguarded } else { FormulaPolicy::Guarded },
                has_mark: self.bom,
            }),
            ExportFormatOption::Xlsx => FileFormat::Xlsx,
            ExportFormatOption::Vcf => FileFormat::Cards(CardVersion::V4),
            ExportFormatOption::Vcf3 => FileFormat::Cards(CardVersion::V3),
            ExportFormatOption::Jsonl => FileFormat::Jsonl,
        }
    }
}

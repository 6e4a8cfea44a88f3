//! `roost export`: an account or some of its lists as a file; or what a running server holds.

use std::{
    io::{self, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_app::file::{Lasting, write_new, write_whole};
use roost_ops::{
    Core, Ctx, Watch,
    export::{self, Broken, CardVersion, CsvStyle, Delimiter, Exporting, Format, Formulas, Target, What},
    files,
};

use crate::{emulator::Exchange, failure::Failure};

#[derive(Args)]
pub struct Export {
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: Option<PathBuf>,
    #[command(flatten)]
    exchange: Exchange,
    /// Where to write; standard output when left out.
    #[arg(long, env = "ROOST_EXPORT_OUT", value_name = "FILE")]
    out: Option<PathBuf>,
    /// A file that is there is written over.
    #[arg(long, env = "ROOST_EXPORT_FORCE", value_parser = BoolishValueParser::new(), requires = "out")]
    force: bool,
    /// A list by its name or uid, and others; the whole account when left out.
    #[arg(long = "list", env = "ROOST_EXPORT_LIST", value_name = "NAME")]
    lists: Vec<String>,
    /// The form of the file.
    #[arg(long, env = "ROOST_EXPORT_FORMAT", value_enum, default_value_t)]
    format: Form,
    /// Fields in their order, with commas between: phone_number, firstname, field_1, list. All when left out.
    #[arg(long, env = "ROOST_EXPORT_COLUMNS", value_name = "FIELDS", value_delimiter = ',')]
    columns: Vec<String>,
    /// What stands between the cells of csv.
    #[arg(long, env = "ROOST_EXPORT_SEPARATOR", value_enum, default_value_t)]
    separator: Separator,
    /// The first line of csv and xlsx holds no names.
    #[arg(long, env = "ROOST_EXPORT_NO_HEADS", value_parser = BoolishValueParser::new())]
    no_heads: bool,
    /// The first bytes of csv say that it is UTF-8.
    #[arg(long, env = "ROOST_EXPORT_BOM", value_parser = BoolishValueParser::new())]
    bom: bool,
    /// Texts of csv that look like formulas stay bare: for programs that run nothing.
    #[arg(long, env = "ROOST_EXPORT_NO_GUARD", value_parser = BoolishValueParser::new())]
    no_guard: bool,
    /// What short URLs begin with where a link has no base of its own.
    #[arg(long, env = "ROOST_SET_SHORT_LINK_BASE", value_name = "URL", default_value = "http://127.0.0.1:4010/s")]
    short_link_base: String,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Everything, as a new account can be filled from it.
    #[default]
    Seed,
    /// The same as YAML; of a server.
    Yaml,
    /// The same, a record a line; of a server.
    Ndjson,
    /// An account file; of a server.
    Sqlite,
    Csv,
    /// A workbook.
    Xlsx,
    /// vCards of version 4.
    Vcf,
    /// vCards of version 3, for programs that know no newer.
    Vcf3,
    /// A record a line.
    Jsonl,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Separator {
    #[default]
    Comma,
    Semicolon,
    Tab,
}

/// What can only be written on.
struct Stream<W>(W);

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Seek for Stream<W> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}

impl Export {
    pub fn run(self) -> Result<(), Failure> {
        let Some(db) = self.of_file()? else { return self.of_server() };
        super::check_existing(db)?;
        if self.format == Form::Xlsx && self.out.is_none() {
            return Err(Failure::new("a workbook is written into a file; name one with --out"));
        }
        if let Some(path) = self.out.as_deref().filter(|path| !self.force && path.symlink_metadata().is_ok()) {
            return Err(there_already(path));
        }
        let core = Core::open(db, Ctx::system()).map_err(Failure::new)?;
        let exporting = self.begin(&core)?;
        let watch = Arc::new(Watch::default());
        let write = |out: &mut dyn Target| exporting.write(&core, &watch, out).map(drop);
        let (done, target) = match &self.out {
            Some(path) if self.force => (write_whole(path, Lasting::Surely, write), path.display().to_string()),
            Some(path) => (write_new(path, Lasting::Surely, write), path.display().to_string()),
            None => {
                let mut out = Stream(io::BufWriter::new(io::stdout().lock()));
                (write(&mut out).and_then(|()| Ok(out.flush()?)), "standard output".to_owned())
            }
        };
        done.map_err(|broken| match (broken, &self.out) {
            (Broken::Account(error), _) => Failure::new(error),
            (Broken::File(error), Some(path)) if error.kind() == io::ErrorKind::AlreadyExists => there_already(path),
            (Broken::File(error), _) => Failure::new(format!("{target} cannot be written: {error}")),
        })
    }

    /// The account file, unless a server is meant.
    fn of_file(&self) -> Result<Option<&PathBuf>, Failure> {
        if self.exchange.is_meant(self.db.as_deref())? {
            return Ok(None);
        }
        if matches!(self.format, Form::Yaml | Form::Ndjson | Form::Sqlite) {
            return Err(Failure::new("yaml, ndjson and sqlite are forms of what a server holds; say --server"));
        }
        Ok(self.db.as_ref())
    }

    fn of_server(&self) -> Result<(), Failure> {
        let format = match self.format {
            Form::Seed => "json",
            Form::Yaml => "yaml",
            Form::Ndjson => "ndjson",
            Form::Sqlite => "sqlite",
            _ => return Err(Failure::new("a server gives seed, yaml, ndjson or sqlite; other forms need --db")),
        };
        if !self.lists.is_empty() || !self.columns.is_empty() {
            return Err(Failure::new("a server gives the whole account; lists and columns need --db"));
        }
        self.exchange.export(format, self.out.as_ref(), self.force)
    }

    fn begin(&self, core: &Core) -> Result<Exporting, Failure> {
        let what = if self.lists.is_empty() {
            What::Account
        } else {
            let found = self.lists.iter().map(|name| files::list_named(core, name).map(|list| list.uid));
            What::Lists(found.collect::<Result<_, _>>().map_err(Failure::new)?)
        };
        let columns = match (self.columns.as_slice(), self.lists.as_slice()) {
            // Which list it is, a file of one need not say.
            ([], [_]) => export::columns(core).map_err(Failure::new)?,
            ([], _) => {
                let fields = export::columns(core).map_err(Failure::new)?;
                std::iter::once("list".to_owned()).chain(fields).collect()
            }
            (chosen, _) => chosen.to_vec(),
        };
        let headings = if self.no_heads { Vec::new() } else { columns.clone() };
        let short_link_base = self.short_link_base.clone();
        let export = export::Export { what, format: self.format(), columns, headings, short_link_base };
        export::begin(core, &export).map_err(Failure::new)
    }

    fn format(&self) -> Format {
        match self.format {
            Form::Seed | Form::Yaml | Form::Ndjson | Form::Sqlite => Format::Seed,
            Form::Csv => Format::Csv(CsvStyle {
                delimiter: match self.separator {
                    Separator::Comma => Delimiter::Comma,
                    Separator::Semicolon => Delimiter::Semicolon,
                    Separator::Tab => Delimiter::Tab,
                },
                formulas: if self.no_guard { Formulas::AsTheyAre } else { Formulas::Guarded },
                has_mark: self.bom,
            }),
            Form::Xlsx => Format::Xlsx,
            Form::Vcf => Format::Cards(CardVersion::V4),
            Form::Vcf3 => Format::Cards(CardVersion::V3),
            Form::Jsonl => Format::Jsonl,
        }
    }
}

fn there_already(path: &Path) -> Failure {
    Failure::new(format!("{} is there already; choose another place, or write over it with --force", path.display()))
}

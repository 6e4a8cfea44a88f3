//! `roost import`: imports files of contacts into a list, as the window does, or a seed into a server.

use std::{
    fs,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Args, ValueEnum, builder::BoolishValueParser};
use roost_imports::{
    mapping::DateOrder,
    session::{
        ImportSessions, ImportSettings, ImportSource, ImportState, ImportTarget, ImportWork, parse_target, reject_file,
    },
};
use roost_model::error::ErrorCode;
use roost_ops::{Actor, Core, Ctx};

use super::{
    import_mapping::{MappingOptions, column_names},
    import_report::ImportReport,
};
use crate::{
    emulator::{ImportMode, ServerImport, ServerOption},
    failure::{CliFailure, read_failure},
    outputs::OutputPath,
    records::read_text,
    terminal::count_with_noun,
};

/// The exit status if some rows were invalid and left out.
const SOME_LEFT_OUT: u8 = 1;
/// The exit status if something was left out that no flag names.
const UNNAMED_LEFT_OUT: u8 = 3;
/// The explanation of the exit statuses in the help.
const STATUSES: &str = "Exit status: 0: everything was imported. 1: some rows are invalid and were skipped. 2: \
 an error; nothing was imported. 3: something was skipped that neither --ignore-columns nor --sheet nor --ignore-rest \
 names, and perhaps some rows are invalid as well; the report lists it. 4: --opt-outs is missing or wrong; nothing was \
 imported. A column that seems to say who opted out must be named in --opt-out-column, --map or --ignore-columns, and a \
 list, sheet, file or folder whose name says so in --opted-out-list, --ordinary-list or --ignore-columns.";
/// The interval between two reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Args)]
#[command(after_help = STATUSES)]
pub(crate) struct ImportCommand {
    /// Files of contacts: CSV or other text, XLSX, ODS, vCard, JSON, compressed or not. Several become one. Use - for
    /// standard input, which must be text in UTF-8.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The account file.
    #[arg(long, env = "ROOST_DB", value_name = "FILE")]
    db: Option<PathBuf>,
    #[command(flatten)]
    exchange: ServerOption,
    /// Whether the file replaces what a server holds or is merged into it. Required with --server, which takes a seed
    /// (JSON, YAML) or an account file.
    #[arg(long, env = "ROOST_IMPORT_MODE", value_enum)]
    mode: Option<ImportMode>,
    /// How many opt-outs --mode replace may remove from the server. Required if there are any.
    #[arg(long, env = "ROOST_IMPORT_REPLACE_OPT_OUTS", value_name = "COUNT")]
    replace_opt_outs: Option<u64>,
    /// The list, by its name or uid. A list of this name is created if there is none.
    #[arg(long, env = "ROOST_IMPORT_LIST", value_name = "NAME", required_unless_present = "server")]
    pub(super) list: Option<String>,
    /// What a column means, for example 'Mobile=phone'. 'new:LABEL' creates a custom field, and '#3' is the third
    /// column. Or the path of a saved mapping. Other columns are guessed.
    #[arg(long = "map", env = "ROOST_IMPORT_MAP", value_name = "COLUMN=FIELD|FILE")]
    map: Vec<String>,
    /// A column that says who opted out, and its values that mean so: 'Opt out=yes,1', or 'Unsubscribed at=*' for any
    /// value. '!maybe' is a value that does not, '\,' is a comma in a value, and '""' is a blank cell.
    #[arg(long = "opt-out-column", env = "ROOST_IMPORT_OPT_OUT_COLUMN", value_name = "COLUMN[=VALUES]")]
    pub(super) opt_out_columns: Vec<String>,
    /// A file, sheet or file of an archive in which everyone opted out. All its numbers are opted out.
    #[arg(long = "opted-out-list", env = "ROOST_IMPORT_OPTED_OUT_LIST", value_name = "NAME")]
    pub(super) opted_out_lists: Vec<String>,
    /// A file, sheet or file of an archive that is an ordinary list, although its name or heading speaks of opt-outs.
    #[arg(long = "ordinary-list", env = "ROOST_IMPORT_ORDINARY_LIST", value_name = "NAME")]
    pub(super) ordinary_lists: Vec<String>,
    /// What to skip, separated by commas: columns, properties of vCards, sheets, files of an archive, and other lists
    /// in the file. '\,' is a comma in a name.
    #[arg(long, env = "ROOST_IMPORT_IGNORE_COLUMNS", value_name = "COLUMNS")]
    pub(super) ignore_columns: Vec<String>,
    /// Accept that anything else is skipped. The report still lists it.
    #[arg(long, env = "ROOST_IMPORT_IGNORE_REST", value_parser = BoolishValueParser::new())]
    ignore_rest: bool,
    /// Where to save the mapping, as a file for --map.
    #[arg(long, env = "ROOST_IMPORT_SAVE_MAP", value_name = "FILE")]
    pub(super) save_map: Option<OutputPath>,
    /// A sheet of a workbook or a file of an archive to import. Can be repeated. Default: the first one, with those
    /// that have the same columns.
    #[arg(long = "sheet", env = "ROOST_IMPORT_SHEET", value_name = "NAME", conflicts_with = "all_sheets")]
    pub(super) sheets: Vec<String>,
    /// Import all sheets of a workbook and all files of an archive, one after the other.
    #[arg(long, env = "ROOST_IMPORT_ALL_SHEETS", value_parser = BoolishValueParser::new())]
    all_sheets: bool,
    /// The country of numbers without a country code, for example GB. Default: the country of most numbers in the files
    /// that have a code, or else the account's.
    #[arg(long, alias = "region", env = "ROOST_IMPORT_COUNTRY", value_name = "CODE")]
    pub(super) country: Option<String>,
    /// What comes first in dates such as 01/02/1950. Default: found out from the other dates of the file.
    #[arg(long, env = "ROOST_IMPORT_DATE_ORDER", value_enum)]
    pub(super) date_order: Option<DateOrderChoice>,
    /// Import the rows before the place where a file is damaged.
    #[arg(long, env = "ROOST_IMPORT_TAKE_PART", value_parser = BoolishValueParser::new())]
    take_part: bool,
    /// How many opt-outs the import adds. Required if there are any.
    #[arg(long, env = "ROOST_IMPORT_OPT_OUTS", value_name = "COUNT")]
    opt_outs: Option<u64>,
    /// Report what would happen, and do not change the account.
    #[arg(long, env = "ROOST_IMPORT_DRY_RUN", value_parser = BoolishValueParser::new())]
    pub(super) dry_run: bool,
    /// The file to write the invalid rows to, each with what is wrong with it. It is written after the import.
    #[arg(long, env = "ROOST_IMPORT_REJECTS", value_name = "FILE")]
    rejects: Option<OutputPath>,
    /// Overwrite existing files, for --rejects and --save-map.
    #[arg(long, env = "ROOST_IMPORT_FORCE", value_parser = BoolishValueParser::new())]
    pub(super) force: bool,
    /// Print JSON.
    #[arg(long, env = "ROOST_JSON", value_parser = BoolishValueParser::new())]
    pub(super) json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
pub(super) enum DateOrderChoice {
    DayFirst,
    MonthFirst,
    /// Dates are stored as they are in the file.
    AsWritten,
}

impl From<DateOrderChoice> for DateOrder {
    fn from(choice: DateOrderChoice) -> Self {
        match choice {
            DateOrderChoice::DayFirst => Self::DayFirst,
            DateOrderChoice::MonthFirst => Self::MonthFirst,
            DateOrderChoice::AsWritten => Self::AsWritten,
        }
    }
}

/// An import that is discarded when this is dropped, unless it was accepted.
pub(super) struct PendingImport<'a> {
    pub core: &'a Core,
    pub imports: &'a ImportSessions,
    pub import: u64,
    shows_progress: bool,
}

impl Drop for PendingImport<'_> {
    fn drop(&mut self) {
        // Whatever cannot be removed now is removed after a month.
        let _ = self.imports.discard(self.core, self.import);
    }
}

impl ImportCommand {
    /// Returns the exit status that the help explains.
    pub(crate) fn run(self) -> Result<u8, CliFailure> {
        if self.exchange.is_selected(self.db.as_deref())? {
            self.check_server_flags()?;
            return self.exchange.import(&ServerImport {
                files: &self.files,
                mode: self.mode,
                replace_opt_outs: self.replace_opt_outs,
                as_json: self.json,
            });
        }
        if self.replace_opt_outs.is_some() {
            return Err(CliFailure::new("--replace-opt-outs needs --server and --mode replace."));
        }
        if self.mode.is_some() {
            return Err(CliFailure::new("--mode needs --server. Without it, the contacts are added to the list."));
        }
        let db = self.db.clone().unwrap_or_default();
        super::check_existing(&db)?;
        self.check_files()?;
        let mappings = MappingOptions::read(&self.map)?;
        let core = Core::open(&db, Ctx::system()).map_err(CliFailure::new)?;
        let imports = ImportSessions::attach(&core, Some(&db));
        let done = self.import_files(&core, &imports, &mappings);
        core.end_background_work();
        done
    }

    /// Refuses a file that does not exist, as other commands do.
    fn check_files(&self) -> Result<(), CliFailure> {
        for file in self.files.iter().filter(|file| file.as_path() != Path::new("-")) {
            match fs::metadata(file) {
                Err(why) if why.kind() == io::ErrorKind::NotFound => return Err(read_failure(file, &why)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses flags that a server would ignore. For example, with `--dry-run` nothing may be written.
    fn check_server_flags(&self) -> Result<(), CliFailure> {
        let given = [
            ("--dry-run", self.dry_run),
            ("--list", self.list.is_some()),
            ("--map", !self.map.is_empty()),
            ("--opt-out-column", !self.opt_out_columns.is_empty()),
            ("--opted-out-list", !self.opted_out_lists.is_empty()),
            ("--ordinary-list", !self.ordinary_lists.is_empty()),
            ("--ignore-columns", !self.ignore_columns.is_empty()),
            ("--ignore-rest", self.ignore_rest),
            ("--save-map", self.save_map.is_some()),
            ("--sheet", !self.sheets.is_empty()),
            ("--all-sheets", self.all_sheets),
            ("--country", self.country.is_some()),
            ("--date-order", self.date_order.is_some()),
            ("--take-part", self.take_part),
            ("--opt-outs", self.opt_outs.is_some()),
            ("--rejects", self.rejects.is_some()),
            ("--force", self.force),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((flag, _)) => Err(CliFailure::new(format!(
                "{flag} is for files of contacts and cannot be used with --server, which takes a whole seed or \
                 account file. Leave it out, or name an account file with --db. Nothing was imported."
            ))),
        }
    }

    fn import_files(&self, core: &Core, imports: &ImportSessions, mappings: &MappingOptions) -> Result<u8, CliFailure> {
        let target = parse_target(core, self.list.as_deref().unwrap_or_default()).map_err(CliFailure::new)?;
        let is_new = matches!(target, ImportTarget::NewList(_));
        let sources = self.files.iter().map(|file| read_source(file)).collect::<Result<Vec<_>, _>>()?;
        let begun = imports.open_unattended(core, sources, target);
        let shows_progress = !self.json && io::stderr().is_terminal();
        let under = PendingImport { core, imports, import: begun.map_err(CliFailure::new)?, shows_progress };
        let state = self.read_files(&under)?;
        if let Some((file, broken)) = state.files.iter().find_map(|file| Some((file, file.broken.as_ref()?)))
            && !file.settings.takes_part
        {
            let hint = match broken.rows_before {
                0 => String::new(),
                1 => " The row before it can be imported with --take-part.".to_owned(),
                rows => format!(" The {rows} rows before it can be imported with --take-part."),
            };
            let message = match broken.message.strip_prefix("It ") {
                Some(rest) => format!("{} {rest}", file.name),
                None => format!("{}: {}", file.name, broken.message),
            };
            return Err(CliFailure::new(format!("{message}{hint}")));
        }
        let mapping = self.apply_mapping(&under, mappings, &state)?;
        let heads = column_names(&imports.describe_table(core, under.import).map_err(CliFailure::new)?);
        imports.rehearse(core, under.import).map_err(CliFailure::new)?;
        under.wait_until_idle()?;
        let rehearsal = imports.describe_rehearsal(core, under.import).map_err(CliFailure::new)?.summary;
        if rehearsal.counts.rows == 0 {
            let names: Vec<_> = state.files.iter().map(|file| file.name.as_str()).collect();
            let line = format!("There are no rows below the heading of {}. Nothing was imported.", names.join(", "));
            return Err(CliFailure::new(line).with_code(ErrorCode::Invalid));
        }
        self.check_ignored(&heads, &rehearsal.ledger)?;
        let result = if self.dry_run {
            None
        } else {
            imports
                .accept(core, &Actor::user(None), under.import, self.opt_outs)
                .map_err(|why| confirmation_failure(why, rehearsal.opt_outs))?;
            Some(under.wait_until_idle()?.accepted.ok_or_else(|| CliFailure::new("Nothing was imported."))?.result)
        };
        if let (Some(output), Some(accepted)) = (&self.rejects, &result) {
            output
                .write(self.force, |out| reject_file::write_rejects(core, accepted.import, out))
                .map_err(|why| why.append(" The import is done, and its invalid rows are stored with it."))?;
        }
        let counts = result.as_ref().map_or(rehearsal.counts, |accepted| accepted.counts);
        let written = result.as_ref().map(|accepted| (accepted.list.as_str(), accepted.import, accepted.step));
        let lost_opt_outs = result.as_ref().map_or(&[][..], |accepted| &accepted.lost_opt_outs);
        let (rehearsal, counts, heads, mapping) = (&rehearsal, &counts, &heads, &mapping);
        self.print_report(&ImportReport { rehearsal, counts, heads, mapping, written, lost_opt_outs, is_new })?;
        Ok(if !self.ignore_rest && rehearsal.ledger.unnoticed_entries().any(|entry| !self.ignores(heads, entry)) {
            UNNAMED_LEFT_OUT
        } else if counts.invalid > 0 {
            SOME_LEFT_OUT
        } else {
            0
        })
    }

    /// Reads the files, with the requested sheets and the requested part of a broken file.
    fn read_files(&self, under: &PendingImport) -> Result<ImportState, CliFailure> {
        let mut state = under.wait_until_idle()?;
        if self.all_sheets || !self.sheets.is_empty() {
            self.choose_sheets(under, &state)?;
            state = under.wait_until_idle()?;
        }
        if self.take_part {
            for file in &state.files {
                if file.broken.is_some() && file.found.is_some() {
                    let settings = ImportSettings { takes_part: true, ..file.settings.clone() };
                    under
                        .imports
                        .set_file_settings(under.core, under.import, file.file, settings)
                        .map_err(CliFailure::new)?;
                }
            }
            state = under.wait_until_idle()?;
        }
        Ok(state)
    }

    fn choose_sheets(&self, under: &PendingImport, state: &ImportState) -> Result<(), CliFailure> {
        let mut is_named = vec![false; self.sheets.len()];
        let (mut groups, mut known) = (Vec::new(), Vec::new());
        for file in &state.files {
            let sheets = file.found.as_ref().map_or(&[][..], |found| found.sheets.as_slice());
            if sheets.is_empty() || groups.contains(&file.group) {
                continue;
            }
            groups.push(file.group);
            let names: Vec<String> = sheets.iter().map(|sheet| sheet.name.clone()).collect();
            for (is_named, wanted) in is_named.iter_mut().zip(&self.sheets) {
                *is_named |= names.contains(wanted);
            }
            let wanted: Vec<String> =
                names.iter().filter(|name| self.all_sheets || self.sheets.contains(name)).cloned().collect();
            if wanted.is_empty() {
                let names = names.join(", ");
                return Err(CliFailure::new(format!(
                    "--sheet: {} has none of these sheets. It has: {names}.",
                    file.name
                )));
            }
            under.imports.set_parts(under.core, under.import, file.file, &wanted).map_err(CliFailure::new)?;
            known.extend(names);
        }
        let missing = is_named.iter().zip(&self.sheets).find(|(is_named, _)| !**is_named);
        match missing {
            None => Ok(()),
            Some((_, sheet)) if known.is_empty() => {
                Err(CliFailure::new(format!("--sheet: no file has sheets, so there is no sheet “{sheet}”")))
            }
            Some((_, sheet)) => Err(CliFailure::new(format!(
                "--sheet: there is no sheet “{sheet}”. The sheets are: {}.",
                known.join(", ")
            ))),
        }
    }
}

fn read_source(file: &Path) -> Result<ImportSource, CliFailure> {
    if file != Path::new("-") {
        return Ok(ImportSource::Path(file.to_owned()));
    }
    Ok(ImportSource::Text { name: "standard input".to_owned(), text: read_text(file)?, rows: None })
}

/// In the window a person types the count; here it is an argument.
fn confirmation_failure(why: roost_ops::Error, opt_outs: u64) -> CliFailure {
    match &why {
        roost_ops::Error::Invalid { faults } if faults.iter().any(|fault| fault.path == "typed_count") => {
            let (what, repeat) = match opt_outs {
                0 => ("no opt-outs".to_owned(), "without --opt-outs".to_owned()),
                _ => (count_with_noun(opt_outs, "opt-out"), format!("with --opt-outs {opt_outs}")),
            };
            CliFailure::unconfirmed(format!("This adds {what}. Repeat {repeat}. Nothing was imported."))
        }
        _ => CliFailure::new(why),
    }
}

impl PendingImport<'_> {
    /// Waits until no work is under way, and shows the progress on a terminal.
    fn wait_until_idle(&self) -> Result<ImportState, CliFailure> {
        loop {
            let state = self.imports.state(self.core, self.import, None, PROGRESS_INTERVAL).map_err(CliFailure::new)?;
            let Some(progress) = &state.progress else {
                if self.shows_progress {
                    let _ = write!(io::stderr(), "\r\x1b[K");
                }
                return match &state.fault {
                    Some(fault) => Err(CliFailure::new(fault.clone())),
                    None => Ok(state),
                };
            };
            if self.shows_progress {
                let work = match progress.work {
                    ImportWork::Read => "Reading",
                    ImportWork::Rehearse => "Comparing",
                    ImportWork::Accept => "Writing",
                };
                let (rows, speed) = (count_with_noun(progress.rows, "row"), progress.rows_per_second);
                // Without a standard error there is no place for the progress.
                let _ = write!(io::stderr(), "\r{work}: {rows}, {speed} per second\x1b[K");
            }
        }
    }
}

//! Commands that save contacts as a file. With a desktop the file goes straight to the disk. Without one it is stored
//! for the page, which fetches it in parts.

use std::{
    io::{self, BufWriter, Cursor, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use roost_exports::{
    self as act, CardVersion, CsvStyle, Delimiter, ExportError, ExportScope, FileFormat, FormulaPolicy, PreparedExport,
};
use roost_grid::grid::ViewId;
use roost_model::error::{ErrorCode, FieldError};
use roost_ops::{Actor, Core, Watch};
use serde::{Deserialize, Serialize};

use super::super::{
    Bytes,
    contact::grid::GridRows,
    desktop::{self, FileOutcome},
    list::list_id,
};
use crate::{
    accounts::App,
    desktop::FileKind,
    error::CommandError,
    file::{Durability, write_whole},
    page_cache::ReadableFile,
    reading::check_count,
};
use crate::{accounts::OpenAccount, commands::Done};

/// The maximum number of bytes in one response.
const PART_MAX: u32 = 4 << 20;
/// The number of rows in a preview.
const PREVIEW_ROWS: usize = 5;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ExportView {
    pub view: u64,
    /// The generation in which the page saw the rows. Null means the current one.
    pub generation: Option<u32>,
    /// Null means all rows.
    pub rows: Option<GridRows>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) enum ExportWhat {
    View(ExportView),
    /// Whole lists by their UIDs.
    Lists(Vec<String>),
    /// Every list. A seed holds everything else of the account, too.
    Account,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ExportCsv {
    pub delimiter: Delimiter,
    /// Puts an apostrophe in front of a text that begins like a formula. Turn it off for programs that do not evaluate
    /// formulas.
    pub is_guarded: bool,
    /// Marks the file as UTF-8 in its first bytes, for older spreadsheet programs.
    pub has_mark: bool,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ExportFormat {
    Csv(ExportCsv),
    Xlsx,
    /// Version 3, which most programs read.
    Vcard3,
    /// Version 4.
    Vcard4,
    /// One record for each line.
    Jsonl,
    /// A file from which a new account can be filled.
    Seed,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ExportChoice {
    pub what: ExportWhat,
    pub format: ExportFormat,
    /// Field names of contacts, and `list`. A seed always has every field.
    pub columns: Vec<String>,
    /// The titles above the columns of a table. Empty writes none.
    pub headings: Vec<String>,
    /// Omits contacts that have opted out of a channel.
    #[serde(default)]
    pub without_opted_out: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ExportRun {
    pub export: ExportChoice,
    /// The name that the dialog suggests.
    pub name: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ExportResult {
    /// `unsupported` means that the page must fetch `file`.
    pub outcome: FileOutcome,
    pub path: Option<String>,
    pub file: Option<u32>,
    /// The name of the file with its extension, for a page that saves it.
    pub name: String,
    pub bytes: u64,
    pub rows: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ExportPart {
    pub file: u32,
    pub from: u64,
    /// At most 4 MiB.
    pub count: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ExportFile {
    pub file: u32,
}

impl From<ExportFormat> for FileFormat {
    fn from(format: ExportFormat) -> Self {
        match format {
            ExportFormat::Csv(ExportCsv { delimiter, is_guarded, has_mark }) => Self::Csv(CsvStyle {
                delimiter,
                formulas: if is_guarded { FormulaPolicy::Guarded } else { FormulaPolicy::Unguarded },
                has_mark,
            }),
            ExportFormat::Xlsx => Self::Xlsx,
            ExportFormat::Vcard3 => Self::Cards(CardVersion::V3),
            ExportFormat::Vcard4 => Self::Cards(CardVersion::V4),
            ExportFormat::Jsonl => Self::Jsonl,
            ExportFormat::Seed => Self::Seed,
        }
    }
}

impl ExportFormat {
    fn kind(self) -> FileKind {
        match self {
            Self::Csv(ExportCsv { delimiter: Delimiter::Tab, .. }) => FileKind::Tsv,
            Self::Csv(_) => FileKind::Csv,
            Self::Xlsx => FileKind::Xlsx,
            Self::Vcard3 | Self::Vcard4 => FileKind::Vcf,
            Self::Jsonl => FileKind::Jsonl,
            Self::Seed => FileKind::Json,
        }
    }
}

fn prepare_export(app: &App, account: &OpenAccount, request: ExportChoice) -> Result<PreparedExport, CommandError> {
    let what = match request.what {
        ExportWhat::View(ExportView { view, generation, rows }) => {
            let rows = rows.map(|rows| rows.0);
            let (spec, ids) = account.grid().select_export_rows(ViewId(view), generation, rows.as_ref())?;
            ExportScope::Contacts { list: spec.list, ids }
        }
        ExportWhat::Lists(lists) => {
            if lists.is_empty() {
                return Err(FieldError::new("what.lists", "Choose a list.", Vec::<String>::new()).into());
            }
            let uid = |(at, uid): (usize, &String)| list_id(&format!("what.lists[{at}]"), uid);
            ExportScope::Lists(lists.iter().enumerate().map(uid).collect::<Result<_, _>>()?)
        }
        ExportWhat::Account => ExportScope::Account,
    };
    let short_link_base = app.server().settings().short_link_base_at(&app.server().url());
    let ExportChoice { format, columns, headings, without_opted_out, .. } = request;
    let export = act::ExportRequest {
        scope: what,
        format: format.into(),
        columns,
        headings,
        short_link_base,
        without_opted_out,
    };
    Ok(act::prepare_export(&account.core, &export)?)
}

pub(crate) fn preview(app: &App, _: &Actor, request: ExportChoice) -> Result<act::ExportSample, CommandError> {
    let account = app.account()?;
    Ok(prepare_export(app, &account, request)?.preview(&account.core, PREVIEW_ROWS)?)
}

pub(crate) fn run(app: &App, by: &Actor, request: ExportRun) -> Result<ExportResult, CommandError> {
    let account = app.account()?;
    let kind = request.export.format.kind();
    let name = desktop::suggest_name(&request.name, kind);
    let export = prepare_export(app, &account, request.export)?;
    let watch = by.watch.clone().unwrap_or_default();
    if !app.has_desktop() {
        let folder = account_folder(app);
        let (file, bytes, rows) = write_aside(&account.core, &export, &watch, folder.as_deref()).map_err(|broken| {
            match (broken, folder) {
                (ExportError::Account(why), _) => CommandError::from(why),
                (ExportError::File(why), folder) => CommandError::file(&folder.unwrap_or_default(), &why),
            }
        })?;
        let file = Some(app.made_files().add(app.open_path(), file));
        return Ok(ExportResult { outcome: FileOutcome::Unsupported, path: None, file, name, bytes, rows });
    }
    let Some(path) = desktop::choose_target(app, &name, kind)? else {
        return Ok(ExportResult { outcome: FileOutcome::Cancelled, path: None, file: None, name, bytes: 0, rows: 0 });
    };
    let mut rows = 0;
    let written = write_whole(&path, Durability::Durable, |out| {
        export.write(&account.core, &watch, out).map(|written| rows = written)
    });
    written.map_err(|broken| match broken {
        ExportError::Account(why) => CommandError::from(why),
        ExportError::File(why) => CommandError::file(&path, &why),
    })?;
    let bytes = path.metadata().map(|metadata| metadata.len()).unwrap_or_default();
    let path = Some(path.to_string_lossy().into_owned());
    Ok(ExportResult { outcome: FileOutcome::Saved, path, file: None, name, bytes, rows })
}

/// Returns the folder of the account's file. An account in memory has none.
fn account_folder(app: &App) -> Option<PathBuf> {
    app.open_path()?.parent().filter(|folder| !folder.as_os_str().is_empty()).map(Path::to_owned)
}

/// Writes the export to a nameless file in the account's folder, or to memory if the account is in memory.
fn write_aside(
    core: &Core,
    export: &PreparedExport,
    watch: &Arc<Watch>,
    folder: Option<&Path>,
) -> Result<(Box<dyn ReadableFile>, u64, u64), ExportError> {
    let Some(folder) = folder else {
        let mut out = Cursor::new(Vec::new());
        let rows = export.write(core, watch, &mut out)?;
        let bytes = out.get_ref().len() as u64;
        return Ok((Box::new(out), bytes, rows));
    };
    let mut out = BufWriter::new(tempfile::tempfile_in(folder)?);
    let rows = export.write(core, watch, &mut out)?;
    out.flush()?;
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    let bytes = file.seek(SeekFrom::End(0))?;
    Ok((Box::new(file), bytes, rows))
}

pub(crate) fn part(app: &App, _: &Actor, request: ExportPart) -> Result<Bytes, CommandError> {
    check_count("count", request.count as usize, PART_MAX as usize)?;
    let read = app.made_files().with(app.open_path(), request.file, |file| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(request.from))?;
        file.take(request.count.into()).read_to_end(&mut bytes)?;
        Ok::<_, io::Error>(bytes)
    });
    let not_found = || CommandError::new(ErrorCode::Conflict, "This file is no longer kept. Export it again.");
    read.map_err(|_| not_found())?
        .map(Bytes)
        .map_err(|why| CommandError::file(&account_folder(app).unwrap_or_default(), &why))
}

pub(crate) fn discard(app: &App, _: &Actor, request: ExportFile) -> Result<Done, CommandError> {
    app.made_files().remove(request.file);
    Ok(Done {})
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        path::{Path, PathBuf},
    };

    use roost_ops::Ctx;
    use serde_json::{Value, json};

    use super::*;
    use crate::commands::{CommandResponse, desktop::tests::FakeDesktop};

    /// An account with a list of three contacts, and an export request for it.
    fn export_page(desktop: Option<FakeDesktop>) -> (App, Value) {
        let app = App::with_core(Core::in_memory(Ctx::system()).unwrap(), Path::new(":memory:"));
        if let Some(desktop) = desktop {
            app.set_desktop(desktop);
        }
        let list = app.dispatch("list_create", json!({ "name": "Everybody" }), None).unwrap()["uid"].take();
        let contact = |(last, city)| json!({ "phone_number": format!("+44770090000{last}"), "city": city });
        let contacts: Vec<_> = ["=1+1", "Rome, \"Lazio\"", "Oslo"].iter().enumerate().map(contact).collect();
        let paste = json!({ "list": list, "contacts": contacts, "region": null });
        app.dispatch("contact_paste", paste, None).unwrap();
        let sort = json!([{ "field": "phone_number", "order": "ASC" }]);
        let open = json!({ "list": list, "filter": null, "text": null, "sort": sort });
        let view = app.dispatch("grid_open", open, None).unwrap()["view"].take();
        let wait = json!({ "view": view, "generation": 0, "wait_ms": 1_000 });
        while app.dispatch("grid_state", wait.clone(), None).unwrap()["is_building"] == true {}
        let csv = json!({ "csv": { "delimiter": "comma", "is_guarded": true, "has_mark": true } });
        let what = json!({ "view": { "view": view, "generation": 1, "rows": null } });
        let columns = json!(["city", "phone_number"]);
        let export = json!({ "what": what, "format": csv, "columns": columns, "headings": ["Town", "=Phone"] });
        (app, export)
    }

    const WHOLE: &str = "\u{feff}Town,'=Phone\r\n'=1+1,+447700900000\r\n\"Rome, \"\"Lazio\"\"\",+447700900001\r\nOslo,+447700900002\r\n";

    fn choosing(chosen: Option<PathBuf>) -> (App, Value) {
        export_page(Some(FakeDesktop { chosen, ..FakeDesktop::default() }))
    }

    fn run(app: &App, export: &Value) -> Result<Value, CommandError> {
        app.dispatch("export_run", json!({ "export": export, "name": "Everybody" }), None)
    }

    #[test]
    fn rows_are_saved_where_the_person_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let (app, export) = choosing(Some(folder.path().join("out")));
        let saved = run(&app, &export).unwrap();
        assert_eq!(
            saved,
            json!({ "outcome": "saved", "path": path, "file": null, "name": "Everybody.csv", "bytes": WHOLE.len(), "rows": 3 })
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), WHOLE);
        let mut moved = export;
        moved["what"]["view"]["generation"] = json!(9);
        assert_eq!(run(&app, &moved).unwrap_err().code, ErrorCode::Conflict);

        let (app, mut some) = choosing(Some(path.clone()));
        some["what"]["view"]["rows"] = json!([[1, 2]]);
        some["headings"] = json!([]);
        some["format"]["csv"] = json!({ "delimiter": "semicolon", "is_guarded": false, "has_mark": false });
        assert_eq!(run(&app, &some).unwrap()["rows"], 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), "\"Rome, \"\"Lazio\"\"\";+447700900001\r\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_failed_save_is_reported() {
        let (app, export) = choosing(None);
        assert_eq!(run(&app, &export).unwrap()["outcome"], "cancelled");
        let folder = tempfile::tempdir().unwrap();
        let (app, mut export) = choosing(Some(folder.path().join("none/out.csv")));
        assert!(run(&app, &export).unwrap_err().message.contains("cannot be written"));
        export["what"] = json!({ "lists": [] });
        assert_eq!(run(&app, &export).unwrap_err().details[0].path, "what.lists");
        export["what"] = json!({ "lists": ["nothing"] });
        assert_eq!(run(&app, &export).unwrap_err().details[0].path, "what.lists[0]");
    }

    #[test]
    fn without_a_desktop_the_page_fetches_the_file() {
        let (app, export) = export_page(None);
        let result = run(&app, &export).unwrap();
        assert_eq!(
            (&result["outcome"], &result["rows"], &result["bytes"]),
            (&json!("unsupported"), &json!(3), &json!(WHOLE.len()))
        );
        let part = |from: usize, count: u32| {
            app.run_command("export_part", json!({ "file": result["file"], "from": from, "count": count }), None)
        };
        let mut whole = Vec::new();
        while whole.len() < WHOLE.len() {
            let CommandResponse::Bytes(bytes) = part(whole.len(), 50).unwrap() else { panic!("bytes") };
            whole.extend(bytes);
        }
        assert_eq!(String::from_utf8(whole).unwrap(), WHOLE);
        assert_eq!(part(0, PART_MAX + 1).unwrap_err().details[0].path, "count");
        app.dispatch("export_discard", json!({ "file": result["file"] }), None).unwrap();
        assert_eq!(part(0, 1).unwrap_err().code, ErrorCode::Conflict);
    }

    #[test]
    fn an_export_that_waits_to_be_fetched_leaves_no_named_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.roost");
        let app = App::with_core(Core::open(&path, Ctx::system()).unwrap(), &path);
        app.dispatch("list_create", json!({ "name": "Everybody" }), None).unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let before = names();
        let export = json!({ "what": "account", "format": "seed", "columns": [], "headings": [] });
        let saved = run(&app, &export).unwrap();
        let part = app.run_command("export_part", json!({ "file": saved["file"], "from": 0, "count": PART_MAX }), None);
        let CommandResponse::Bytes(bytes) = part.unwrap() else { panic!("bytes") };
        assert!(bytes.starts_with(b"{\n\"senders\"") && bytes.len() as u64 == saved["bytes"].as_u64().unwrap());
        assert_eq!(names(), before);
    }

    #[test]
    fn every_scope_can_be_exported_in_every_format() {
        let (app, mut export) = export_page(None);
        let page = json!({ "page_number": 1, "page_size": 1, "sort_by": "name", "sort_order": "ASC", "name": null });
        let uid = app.dispatch("list_page", page, None).unwrap()["items"][0]["uid"].take();
        for what in [json!({ "lists": [uid] }), json!("account"), export["what"].clone()] {
            for (format, name) in
                [("xlsx", "xlsx"), ("vcard3", "vcf"), ("vcard4", "vcf"), ("jsonl", "jsonl"), ("seed", "json")]
            {
                export["what"] = what.clone();
                export["format"] = json!(format);
                let preview = app.dispatch("export_preview", export.clone(), None).unwrap();
                assert_eq!((&preview["rows"], preview["text"].is_null()), (&json!(3), format == "xlsx"), "{format}");
                let result = run(&app, &export).unwrap();
                assert_eq!((&result["rows"], &result["name"]), (&json!(3), &json!(format!("Everybody.{name}"))));
                assert!(result["bytes"].as_u64().unwrap() > 100, "{result}");
            }
        }
    }
}

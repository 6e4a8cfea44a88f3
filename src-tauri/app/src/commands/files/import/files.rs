//! Commands on the files of an import: choosing them, uploading them, changing how they are read.

use std::path::PathBuf;

use base64::{Engine, engine::general_purpose::STANDARD};
use roost_imports::session::{ImportRawRow, ImportSettings, ImportSource, ImportState, UploadPiece, list_encodings};
use roost_model::error::FieldError;
use roost_ops::Actor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ImportId, read_state};
use crate::{accounts::App, commands::Nothing, error::CommandError};

/// The maximum size of one upload, in bytes.
const CHUNK_MAX: usize = 4 << 20;
/// The maximum number of rows in a sample.
const SAMPLE_MAX: u32 = 200;

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportPaths {
    pub paths: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportAdd {
    pub import: u64,
    pub sources: Vec<ImportSource>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportUpload {
    pub import: u64,
    pub file: u32,
    /// The number of bytes that were sent before. It must equal the number that has arrived.
    pub from: u64,
    /// At most 4 MiB.
    pub content_base64: String,
    /// The file is complete with these bytes. It is then read.
    pub is_last: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportUploaded {
    /// Bytes that have arrived. The next upload continues here.
    pub received: u64,
}

/// A file of an import by its number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportFileKey {
    pub import: u64,
    pub file: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportSourcePut {
    pub import: u64,
    pub file: u32,
    pub settings: ImportSettings,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportPartsPut {
    pub import: u64,
    /// Any entry of the file.
    pub file: u32,
    /// Names of sheets, or of files in the archive. At least one.
    pub parts: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportSampleGet {
    pub import: u64,
    pub file: u32,
    pub from: u64,
    /// At most 200.
    pub count: u32,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportSample {
    pub rows: Vec<ImportRawRow>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct ImportEncodings {
    /// Names, the most likely ones first.
    pub encodings: Vec<String>,
}

/// Only a page in the window may name files of this computer, because only there the user sees them.
pub(super) fn check_sources(app: &App, sources: &[ImportSource]) -> Result<(), CommandError> {
    if sources.iter().any(|source| matches!(source, ImportSource::Path(_))) {
        app.desktop()?;
    }
    Ok(())
}

fn to_path_texts(paths: Vec<PathBuf>) -> ImportPaths {
    ImportPaths { paths: paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect() }
}

pub(crate) fn pick(app: &App, _: &Actor, _: Nothing) -> Result<ImportPaths, CommandError> {
    Ok(to_path_texts(app.desktop()?.choose_files()))
}

/// The files are returned once, to the page that asks first.
pub(crate) fn offered(app: &App, _: &Actor, _: Nothing) -> Result<ImportPaths, CommandError> {
    Ok(to_path_texts(app.take_offered()))
}

pub(crate) fn add(app: &App, _: &Actor, request: ImportAdd) -> Result<ImportState, CommandError> {
    check_sources(app, &request.sources)?;
    let account = app.account()?;
    account.imports().add_files(&account.core, request.import, request.sources)?;
    read_state(app, request.import)
}

pub(crate) fn upload(app: &App, _: &Actor, request: ImportUpload) -> Result<ImportUploaded, CommandError> {
    let ImportUpload { import, file, from, content_base64, is_last } = request;
    let refused = |message: &str| CommandError::from(FieldError::new("content_base64", message, Value::Null));
    if content_base64.len() > CHUNK_MAX / 3 * 4 + 4 {
        return Err(refused("must not be longer than 4 MiB"));
    }
    let bytes = STANDARD.decode(&content_base64).map_err(|_| refused("must be base64"))?;
    let account = app.account()?;
    let received =
        account.imports().receive_upload(&account.core, import, &UploadPiece { file, from, bytes: &bytes, is_last })?;
    Ok(ImportUploaded { received })
}

pub(crate) fn remove_file(app: &App, _: &Actor, request: ImportFileKey) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    account.imports().remove_file(&account.core, request.import, request.file)?;
    read_state(app, request.import)
}

pub(crate) fn source(app: &App, _: &Actor, request: ImportSourcePut) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    account.imports().set_file_settings(&account.core, request.import, request.file, request.settings)?;
    read_state(app, request.import)
}

pub(crate) fn parts(app: &App, _: &Actor, request: ImportPartsPut) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    account.imports().set_parts(&account.core, request.import, request.file, &request.parts)?;
    read_state(app, request.import)
}

pub(crate) fn read(app: &App, _: &Actor, request: ImportId) -> Result<ImportState, CommandError> {
    let account = app.account()?;
    account.imports().read_files(&account.core, request.import)?;
    read_state(app, request.import)
}

pub(crate) fn sample(app: &App, _: &Actor, request: ImportSampleGet) -> Result<ImportSample, CommandError> {
    let account = app.account()?;
    let count = request.count.min(SAMPLE_MAX) as usize;
    Ok(ImportSample {
        rows: account.imports().sample_rows(&account.core, request.import, request.file, request.from, count)?,
    })
}

pub(crate) fn all_encodings(_: &App, _: &Actor, _: Nothing) -> Result<ImportEncodings, CommandError> {
    Ok(ImportEncodings { encodings: list_encodings() })
}

//! Imports opt-outs from pasted text and from files.

use roost_model::{channel::Channel, page::Page};
use roost_ops::{
    Actor,
    opt_out::{
        self, ImportColumns, ImportCounts, ImportRow, OptOutImportOptions, OptOutImportPlan, OptOutRowStatus,
        OptOutSource, PastedSeparator,
    },
};
use serde::{Deserialize, Serialize};

use crate::{
    accounts::App,
    error::CommandError,
    reading::{PageResponse, parse_region, read_page_request},
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutImportPreview {
    /// Lines, with cells separated by tabs, commas, semicolons or bars if there are several.
    pub text: String,
    pub region: Option<String>,
    /// The channels of rows that name none. Empty means SMS.
    pub channels: Vec<Channel>,
    /// Null detects the columns.
    pub columns: Option<ImportColumns>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutImportPreviewAnswer {
    pub import: u32,
    pub separator: PastedSeparator,
    pub columns: ImportColumns,
    pub width: u32,
    pub head: Option<Vec<String>>,
    pub sample: Vec<Vec<String>>,
    pub counts: ImportCounts,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutImportFile {
    /// An import that was opened for opt-outs and has been read.
    pub import: u64,
    pub region: Option<String>,
    /// The channels of rows that name none. Empty means SMS.
    pub channels: Vec<Channel>,
    /// Null detects the columns.
    pub columns: Option<ImportColumns>,
}

/// Previews opt-outs from files. An import has read their rows.
pub(crate) fn import_file(
    app: &App,
    by: &Actor,
    request: OptOutImportFile,
) -> Result<OptOutImportPreviewAnswer, CommandError> {
    let account = app.account()?;
    let region = parse_region(&account.core, request.region.as_deref())?;
    let source = OptOutSource::Rows(account.imports().read_opt_out_rows(&account.core, request.import)?);
    let reading = OptOutImportOptions { source, region, channels: &request.channels, columns: request.columns };
    let read = opt_out::read_import(&account.core, by, reading)?;
    Ok(store_preview(app, read))
}

pub(crate) fn import_preview(
    app: &App,
    by: &Actor,
    request: OptOutImportPreview,
) -> Result<OptOutImportPreviewAnswer, CommandError> {
    let core = app.core()?;
    let reading = OptOutImportOptions {
        source: OptOutSource::Text(&request.text),
        region: parse_region(&core, request.region.as_deref())?,
        channels: &request.channels,
        columns: request.columns,
    };
    Ok(store_preview(app, opt_out::read_import(&core, by, reading)?))
}

/// Stores the read rows until they are imported, and returns their preview.
fn store_preview(app: &App, read: OptOutImportPlan) -> OptOutImportPreviewAnswer {
    let (separator, columns, width, counts) = (read.separator, read.columns, read.width, read.counts);
    let (head, sample) = (read.head.clone(), read.sample.clone());
    let import = app.opt_out_work().imports.add(app.open_path(), read);
    OptOutImportPreviewAnswer { import, separator, columns, width, head, sample, counts }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutImportRows {
    pub import: u32,
    pub status: Option<OptOutRowStatus>,
    pub page_number: u32,
    pub page_size: u32,
}

pub(crate) fn import_rows(
    app: &App,
    _: &Actor,
    request: OptOutImportRows,
) -> Result<PageResponse<ImportRow>, CommandError> {
    let page = read_page_request(request.page_number, request.page_size)?;
    let (from, count) = (page.offset() as usize, page.size as usize);
    let (items, total_items) = app
        .opt_out_work()
        .imports
        .with(app.open_path(), request.import, |import| import.read_rows(request.status, from, count))?;
    Ok(PageResponse::new(Page { items, total_items }, page))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutImport {
    pub import: u32,
    /// The number of opt-outs that the import will add, typed by the user.
    pub typed_count: u64,
    pub reason: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub(crate) struct OptOutImported {
    pub added: u64,
}

pub(crate) fn import(app: &App, by: &Actor, request: OptOutImport) -> Result<OptOutImported, CommandError> {
    let (core, work) = (app.core()?, app.opt_out_work());
    let added = work.imports.with(app.open_path(), request.import, |import| {
        opt_out::apply_import(&core, by, import, request.typed_count, &request.reason)
    })??;
    work.imports.remove(request.import);
    Ok(OptOutImported { added })
}

//! Runs an export. A thread reads rows from one snapshot while another writes them, so that a million contacts take no
//! more memory than a few. Drafts are not exported: the stored value of the cell is.

use std::{
    borrow::Cow,
    collections::HashSet,
    io::{self, Write},
    sync::{
        Arc,
        mpsc::{self, SyncSender},
    },
};

use roost_model::{
    channel::Channel,
    contact::{Attribute, ContactField},
    error::FieldError,
    id::ListId,
    list::List,
    phone::{self, Region},
};
use roost_sheets::write::{SeekableTarget, workbook::WorkbookWriter};
use roost_store::{
    change_log::Noun,
    error::{Result as StoreResult, StoreError},
    tables::{
        contacts::grid::scan::Row,
        counts::recent::ListDrafts,
        lists::{self, facts},
        opt_outs,
    },
    tx::ReadTx,
    watch::Watch,
};
use serde::Serialize;

use super::{
    ExportError, FileFormat,
    columns::{self, ExportColumn, OPTED_OUT_VALUES},
    encoder::{self, RecordEncoder},
    rows::{ExportRows, OptedOutIds, RowVisitor, cell_text},
};

use roost_ops::{
    account::seed,
    contact::fields,
    core::Core,
    error::{Error, OrNotFound, Result},
};

/// The most characters of a heading.
const HEADING_MAX: usize = 255;
/// The most rows of a block.
const BLOCK_ROWS: u64 = 2_000;
/// Bytes of a block at most, approximately.
const BLOCK_BYTES: usize = 1 << 20;
/// The most blocks that wait for the writer.
const WAITING_BLOCKS: usize = 2;
const PREVIEW_MAX: usize = 20;

#[derive(Debug, Clone)]
pub enum ExportScope {
    /// Some contacts of a list, by the ids of their rows in the order in which they are written.
    Contacts { list: ListId, ids: Vec<i64> },
    /// Whole lists.
    Lists(Vec<ListId>),
    /// Every list. A seed contains everything else of the account as well.
    Account,
}

#[derive(Debug, Clone)]
pub struct ExportRequest {
    pub scope: ExportScope,
    pub format: FileFormat,
    /// Names of fields as in records of contacts, and `list`. A seed ignores the choice and has every field.
    pub columns: Vec<String>,
    /// The heading row of a table, with one heading for each column; if it is empty, the table has none.
    pub headings: Vec<String>,
    /// The base of short URLs, for links of a seed that have none of their own.
    pub short_link_base: String,
    /// Leaves out contacts that have opted out of a channel.
    pub without_opted_out: bool,
}

/// An export whose contacts are chosen. Later changes of the order do not affect it.
#[derive(Debug)]
pub struct PreparedExport {
    rows: ExportRows,
    count: u64,
    opted_out: u64,
    without_opted_out: bool,
    format: FileFormat,
    columns: Vec<ExportColumn>,
    headings: Vec<String>,
    /// The name of the sheet in a workbook.
    title: String,
    /// The base of short URLs, if the export is a seed of the whole account.
    seed_base: Option<String>,
}

/// The first rows of an export, and facts about the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ExportPreview"))]
pub struct ExportSample {
    pub rows: u64,
    /// Contacts that have opted out, whether they are included or omitted.
    pub opted_out: u64,
    /// The lists with contacts whose exported value is the last valid one, because the newest is a draft.
    pub drafts: Vec<ListDrafts>,
    /// Columns that the format cannot hold.
    pub left_out: Vec<String>,
    /// The titles above the columns, including those of the opt-out columns. Empty if there are none.
    pub headings: Vec<String>,
    /// The first rows as they will be written.
    pub cells: Vec<Vec<String>>,
    /// The beginning of the file, if it is a text file.
    pub text: Option<String>,
}

/// Checks an export and chooses its contacts.
pub fn prepare_export(core: &Core, export: &ExportRequest) -> Result<PreparedExport> {
    let (rows, title, count) = match &export.scope {
        ExportScope::Contacts { list: uid, ids } => {
            let list = core.read(|tx| lists::get(tx, uid)?.or_not_found(Noun::List, uid))?;
            let count = ids.len() as u64;
            (ExportRows::Chosen { list: list.uid, ids: ids.clone() }, list.name, count)
        }
        ExportScope::Lists(uids) => core.read(|tx| {
            let found = uids.iter().map(|uid| lists::get(tx, uid)?.or_not_found(Noun::List, uid));
            select_lists(found.collect::<Result<_>>()?)
        })?,
        ExportScope::Account => core.read(|tx| select_lists(lists::read_all(tx)?))?,
    };
    let mut columns = core.read(|tx| match export.format {
        FileFormat::Seed => columns::all_columns(tx),
        _ => columns::parse(tx, &export.columns),
    })?;
    let mut headings = match export.format {
        FileFormat::Csv(_) | FileFormat::Xlsx => check_headings(&export.headings, columns.len())?,
        FileFormat::Cards(_) | FileFormat::Jsonl | FileFormat::Seed => Vec::new(),
    };
    let is_whole = matches!((&export.scope, export.format), (ExportScope::Account, FileFormat::Seed));
    let without_opted_out = export.without_opted_out;
    if is_whole && without_opted_out {
        let message =
            "A seed of the whole account carries its opt-outs and leaves nothing out. Choose another format, or lists.";
        return Err(FieldError::new("without_opted_out", message, true).into());
    }
    // A seed of the whole account has the opt-outs themselves beside the contacts.
    let opted_out = if is_whole { OptedOutIds::default() } else { core.read(|tx| rows.find_opted_out(tx))? };
    // A seed of lists has the opt-outs too, so only the other formats get columns for them.
    if export.format != FileFormat::Seed && !without_opted_out {
        let has_any = |channel: &Channel| opted_out.has_any(*channel);
        let added = Channel::ALL.into_iter().filter(has_any).map(ExportColumn::OptedOut);
        if !headings.is_empty() {
            headings.extend(added.clone().map(|column| column.name().into_owned()));
        }
        columns.extend(added);
    }
    let opted_out = opted_out.on_any_channel().len() as u64;
    let seed_base = is_whole.then(|| export.short_link_base.clone());
    let format = export.format;
    Ok(PreparedExport { rows, count, opted_out, without_opted_out, format, columns, headings, title, seed_base })
}

fn select_lists(found: Vec<List>) -> Result<(ExportRows, String, u64)> {
    let title = match found.as_slice() {
        [one] => one.name.clone(),
        _ => String::new(),
    };
    let count = found.iter().map(|list| list.contact_count).sum();
    Ok((ExportRows::Lists(found.into_iter().map(|list| list.uid).collect()), title, count))
}

fn check_headings(headings: &[String], columns: usize) -> Result<Vec<String>> {
    if !headings.is_empty() && headings.len() != columns {
        return Err(FieldError::new("headings", "Give one for each column, or none.", headings.len()).into());
    }
    if let Some(long) = headings.iter().find(|heading| heading.chars().count() > HEADING_MAX) {
        let message = format!("A column title has at most {HEADING_MAX} characters.");
        return Err(FieldError::new("headings", message, long.as_str()).into());
    }
    Ok(headings.to_vec())
}

impl PreparedExport {
    /// Returns the number of contacts. Contacts that are deleted before they are written are skipped.
    pub fn row_count(&self) -> u64 {
        if self.without_opted_out { self.count - self.opted_out } else { self.count }
    }

    /// Returns how many of the contacts have opted out of a channel, whether they are exported or left out. It is 0 for
    /// a seed of the whole account, which holds the opt-outs themselves.
    pub fn opted_out(&self) -> u64 {
        self.opted_out
    }

    /// Returns the names of the columns that say who has opted out.
    pub fn opt_out_columns(&self) -> Vec<String> {
        let columns = self.columns.iter().filter(|column| matches!(column, ExportColumn::OptedOut(_)));
        columns.map(|column| column.name().into_owned()).collect()
    }

    fn read_rows(
        &self,
        core: &Core,
        tx: &ReadTx,
        watch: &Watch,
        maker: &CellMaker,
        taker: &mut dyn RowVisitor,
    ) -> Result<()> {
        let left_out = if self.without_opted_out { maker.opted_out.on_any_channel() } else { HashSet::new() };
        self.rows.visit_rows(tx, core.ctx().now(), &self.contact_fields(), &left_out, watch, taker)
    }

    fn cell_maker(&self, core: &Core, tx: &ReadTx) -> Result<CellMaker<'_>> {
        let mut alternates = HashSet::new();
        if self.without_opted_out {
            for channel in Channel::ALL {
                alternates.extend(facts::opted_out_numbers(tx, channel)?);
            }
        }
        let (opted_out, region) = (self.rows.find_opted_out(tx)?, fields::choose_region(tx, core.ctx(), None)?);
        Ok(CellMaker { columns: &self.columns, opted_out, alternates, region })
    }

    /// Returns the opt-outs of the contacts as records of a seed.
    fn opt_out_records(&self, tx: &ReadTx) -> Result<Vec<String>> {
        if self.without_opted_out {
            return Ok(Vec::new());
        }
        let mut records = Vec::new();
        let numbers = Channel::ALL.into_iter().map(|channel| self.rows.find_opted_out_numbers(tx, channel));
        let numbers: Vec<HashSet<String>> = numbers.collect::<Result<_>>()?;
        opt_outs::visit_all(tx, |record| {
            if numbers[record.channel as usize].contains(&record.number) {
                records.push(seed::opt_out_to_json(&record).to_string());
            }
            Ok::<_, Error>(())
        })?;
        Ok(records)
    }

    /// Returns the lists with contacts whose drafts are not in the export.
    fn find_drafts(&self, tx: &ReadTx, maker: &CellMaker) -> Result<Vec<ListDrafts>> {
        let fields: Vec<String> = self.columns.iter().map(|column| column.name().into_owned()).collect();
        let left_out = if self.without_opted_out { maker.opted_out.on_any_channel() } else { HashSet::new() };
        self.rows.find_drafts(tx, &fields, &left_out)
    }

    pub fn preview(&self, core: &Core, most: usize) -> Result<ExportSample> {
        let is_carried = |column: &&ExportColumn| columns::is_supported(**column, self.format);
        let left_out = self.columns.iter().filter(|column| !is_carried(column));
        let left_out = left_out.map(|column| column.name().into_owned()).collect();
        let watch = Watch::default();
        let (cells, text, drafts) = core.read(|tx| {
            let (maker, mut form) = (self.cell_maker(core, tx)?, self.create_encoder(tx)?);
            let drafts = self.find_drafts(tx, &maker)?;
            form.begin().map_err(to_write_error)?;
            let most = most.min(PREVIEW_MAX);
            let mut first =
                PreviewVisitor { maker: &maker, form: &mut *form, list: String::new(), cells: Vec::new(), limit: most };
            match self.read_rows(core, tx, &watch, &maker, &mut first) {
                // The visitor ends the reading in this way when it has enough rows.
                Err(Error::Store(StoreError::Cancelled)) => {}
                done => done?,
            }
            let cells = first.cells;
            let text = form.take_bytes().map_err(to_write_error)?;
            Ok((cells, String::from_utf8_lossy(&text).into_owned(), drafts))
        })?;
        let text = (self.format != FileFormat::Xlsx).then_some(text);
        let headings = self.headings.clone();
        Ok(ExportSample { rows: self.row_count(), opted_out: self.opted_out, drafts, left_out, headings, cells, text })
    }

    /// Writes the whole export and returns the number of contacts in it.
    pub fn write(
        &self,
        core: &Core,
        watch: &Arc<Watch>,
        out: &mut dyn SeekableTarget,
    ) -> std::result::Result<u64, ExportError> {
        watch.set_expected(self.row_count());
        let (blocks, made) = mpsc::sync_channel::<ExportBlock>(WAITING_BLOCKS);
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                // It uses one thread: the other one is for views.
                core.scan(watch, 1, |tx| self.send_blocks(core, tx, watch, &blocks))
            });
            // The call owns the receiver, so that the reader ends as soon as nobody takes its blocks.
            let filed = self.write_blocks(made, out);
            let read = match reader.join() {
                Ok(read) => read,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            // An error of the file has precedence: then the reader only knows that nobody takes its blocks.
            match (filed, read) {
                (Err(why), _) => Err(ExportError::File(why)),
                (Ok(()), read) => Ok(read?.into_iter().sum()),
            }
        })
    }

    fn contact_fields(&self) -> Vec<ContactField> {
        let field = |column: &ExportColumn| match column {
            ExportColumn::Field(field) => Some(*field),
            ExportColumn::List | ExportColumn::OptedOut(_) => None,
        };
        self.columns.iter().filter_map(field).collect()
    }

    fn create_encoder(&self, tx: &ReadTx) -> Result<Box<dyn RecordEncoder>> {
        let opt_outs = if self.format == FileFormat::Seed { self.opt_out_records(tx)? } else { Vec::new() };
        encoder::create_encoder(tx, self.format, &self.columns, &self.headings, opt_outs)
    }

    fn send_blocks(&self, core: &Core, tx: &ReadTx, watch: &Watch, blocks: &SyncSender<ExportBlock>) -> Result<u64> {
        let sender = BlockSender { blocks, bytes: Vec::new(), is_new_part: false };
        if let Some(base) = &self.seed_base {
            let mut out = sender;
            let written = seed::write_seed(tx, base, watch, &mut out)?;
            out.flush().map_err(to_write_error)?;
            return Ok(written);
        }
        let (maker, form) = (self.cell_maker(core, tx)?, self.create_encoder(tx)?);
        let mut all = ExportVisitor { maker: &maker, form, watch, sender, list: String::new(), written: 0, rows: 0 };
        all.form.begin().map_err(to_write_error)?;
        self.read_rows(core, tx, watch, &maker, &mut all)?;
        all.form.end().map_err(to_write_error)?;
        all.send_block()?;
        Ok(all.written)
    }

    fn write_blocks(&self, made: mpsc::Receiver<ExportBlock>, out: &mut dyn SeekableTarget) -> io::Result<()> {
        if self.format != FileFormat::Xlsx {
            return made.into_iter().try_for_each(|block| out.write_all(&block.bytes));
        }
        let mut book = WorkbookWriter::begin(out, &self.title, !self.headings.is_empty())?;
        for block in made {
            if block.is_new_part {
                book.next_sheet()?;
            }
            book.write_rows(&block.bytes)?;
        }
        book.finish().map(drop)
    }
}

/// Makes the cells of a row.
struct CellMaker<'e> {
    columns: &'e [ExportColumn],
    opted_out: OptedOutIds,
    /// Numbers of people who are left out. They must not appear as the alternate number of anybody else.
    alternates: HashSet<u64>,
    /// The region in which alternate numbers without a country code are read.
    region: Region,
}

impl CellMaker<'_> {
    /// Makes one cell for each column.
    fn make_cells<'r>(&self, id: i64, row: &'r Row, list: &str) -> StoreResult<Vec<Cow<'r, str>>> {
        let mut at = 0;
        let mut cell = |column: &ExportColumn| match column {
            ExportColumn::List => Ok(Cow::Owned(list.to_owned())),
            ExportColumn::OptedOut(channel) => {
                Ok(Cow::Borrowed(OPTED_OUT_VALUES[usize::from(!self.opted_out.contains(*channel, id))]))
            }
            ExportColumn::Field(field) => {
                at += 1;
                let text = cell_text(row, *field, at - 1)?;
                let is_alternate = *field == ContactField::Attribute(Attribute::AlternatePhone);
                Ok(if is_alternate && self.holds_left_out_number(&text) { Cow::Borrowed("") } else { text })
            }
        };
        self.columns.iter().map(&mut cell).collect()
    }

    /// Returns whether a text is or contains a number of somebody who is left out.
    fn holds_left_out_number(&self, text: &str) -> bool {
        let is_left_out = |part: &str| {
            let phone = phone::parse_contact_number(part, self.region);
            let digits = phone.and_then(|phone| phone.e164.strip_prefix('+')?.parse().ok());
            digits.is_some_and(|digits: u64| self.alternates.contains(&digits))
        };
        !self.alternates.is_empty() && (is_left_out(text) || text.split([',', ';', '/', '|']).any(is_left_out))
    }
}

/// Converts an error of a write into memory, which does not happen in practice.
fn to_write_error(why: io::Error) -> Error {
    Error::conflict(format!("The export could not be written: {why}"))
}

struct ExportBlock {
    bytes: Vec<u8>,
    is_new_part: bool,
}

/// Sends blocks to the thread that writes them.
struct BlockSender<'s> {
    blocks: &'s SyncSender<ExportBlock>,
    bytes: Vec<u8>,
    is_new_part: bool,
}

impl Write for BlockSender<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= BLOCK_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.bytes.is_empty() && !self.is_new_part {
            return Ok(());
        }
        let block =
            ExportBlock { bytes: std::mem::take(&mut self.bytes), is_new_part: std::mem::take(&mut self.is_new_part) };
        self.blocks.send(block).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Takes the first rows and then ends the reading.
struct PreviewVisitor<'e> {
    maker: &'e CellMaker<'e>,
    form: &'e mut dyn RecordEncoder,
    list: String,
    cells: Vec<Vec<String>>,
    limit: usize,
}

impl PreviewVisitor<'_> {
    /// Converts an error of a write into memory, which can only say that it ended.
    fn to_cancelled(made: io::Result<()>) -> StoreResult<()> {
        made.map_err(|_| StoreError::Cancelled)
    }
}

impl RowVisitor for PreviewVisitor<'_> {
    fn visit_list(&mut self, list: &List) -> StoreResult<()> {
        self.list.clone_from(&list.name);
        Self::to_cancelled(self.form.begin_list(list))
    }

    fn visit_row(&mut self, id: i64, row: &Row) -> StoreResult<()> {
        if self.cells.len() >= self.limit {
            return Err(StoreError::Cancelled);
        }
        let cells = self.maker.make_cells(id, row, &self.list)?;
        Self::to_cancelled(self.form.encode_row(&cells))?;
        self.cells.push(cells.into_iter().map(Cow::into_owned).collect());
        Ok(())
    }
}

/// Takes all rows and sends them in blocks.
struct ExportVisitor<'e> {
    maker: &'e CellMaker<'e>,
    form: Box<dyn RecordEncoder>,
    watch: &'e Watch,
    sender: BlockSender<'e>,
    list: String,
    written: u64,
    /// Rows in the current block.
    rows: u64,
}

impl ExportVisitor<'_> {
    fn send_block(&mut self) -> StoreResult<()> {
        let sent = self.form.take_bytes().and_then(|bytes| {
            self.sender.bytes = bytes;
            self.sender.flush()
        });
        self.watch.add_rows(std::mem::take(&mut self.rows));
        // The writer has ended and reports the reason itself.
        sent.map_err(|_| StoreError::Cancelled)
    }
}

impl RowVisitor for ExportVisitor<'_> {
    fn visit_list(&mut self, list: &List) -> StoreResult<()> {
        self.list.clone_from(&list.name);
        PreviewVisitor::to_cancelled(self.form.begin_list(list))
    }

    fn visit_row(&mut self, id: i64, row: &Row) -> StoreResult<()> {
        if self.form.is_full() {
            self.send_block()?;
            self.sender.is_new_part = true;
            PreviewVisitor::to_cancelled(self.form.begin_part())?;
        }
        let cells = self.maker.make_cells(id, row, &self.list)?;
        PreviewVisitor::to_cancelled(self.form.encode_row(&cells))?;
        self.written += 1;
        self.rows += 1;
        if self.rows >= BLOCK_ROWS || self.form.buffered_bytes() >= BLOCK_BYTES {
            if self.watch.is_cancelled() {
                return Err(StoreError::Cancelled);
            }
            self.send_block()?;
        }
        Ok(())
    }
}

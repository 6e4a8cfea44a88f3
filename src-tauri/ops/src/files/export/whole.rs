//! An export from its beginning to its end: rows are read at one moment on a thread of their own and written meanwhile,
//! so that a million take no more memory than a few. Values alone: a draft is no data, the cell's own value is written.

use std::{
    borrow::Cow,
    collections::HashSet,
    io::{self, Write},
    sync::{
        Arc,
        mpsc::{self, SyncSender},
    },
};

use roost_model::{contact::ContactField, error::Fault, id::ListId, intervals::Intervals, list::List};
use roost_sheets::write::{Target, xlsx::Workbook};
use roost_store::{
    change_log::Noun,
    error::{Error as StoreError, Result as StoreResult},
    tables::{contacts::grid::scan::Row, lists},
    tx::ReadTx,
    watch::Watch,
};

use super::{
    Broken, Format,
    columns::{self, Column},
    form::{self, Form},
    rows::{Rows, Taker, shown},
};
use crate::{
    account::seed,
    core::Core,
    error::{Error, OrNotFound, Result},
    grid::ViewId,
};

/// Letters of a heading.
const HEADING_MAX: usize = 255;
/// Rows made ready at once, and about how many bytes.
const BLOCK_ROWS: u64 = 2_000;
const BLOCK_BYTES: usize = 1 << 20;
/// Blocks that wait for whoever writes them.
const WAITING: usize = 2;
/// Rows of a preview at most.
const PREVIEW_MAX: usize = 20;

/// What is written.
#[derive(Debug, Clone)]
pub enum What {
    /// Rows of a view, in its order; none: all. With a generation they are those that the page saw in it.
    View { view: ViewId, generation: Option<u32>, rows: Option<Intervals> },
    /// Whole lists.
    Lists(Vec<ListId>),
    /// Every list; as a seed everything else, too.
    Account,
}

#[derive(Debug, Clone)]
pub struct Export {
    pub what: What,
    pub format: Format,
    /// Fields as contacts carry them, and `list`. A seed leaves nothing out, whatever is chosen.
    pub columns: Vec<String>,
    /// Above a table, one a column; empty: none.
    pub headings: Vec<String>,
    /// The base of short URLs, for links of a seed that have none of their own.
    pub short_link_base: String,
    /// Leaves out contacts that have opted out of a channel.
    pub without_opted_out: bool,
}

/// An export whose rows are settled: whatever places they get later, these are written.
#[derive(Debug)]
pub struct Exporting {
    rows: Rows,
    count: u64,
    opted_out: u64,
    without_opted_out: bool,
    format: Format,
    columns: Vec<Column>,
    headings: Vec<String>,
    /// Names the sheet of a workbook.
    title: String,
    /// The whole account as a seed, with this base.
    seed_base: Option<String>,
}

/// The beginning of an export, and what is to be known of the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    pub rows: u64,
    /// Contacts that have opted out, whether they are in the rows or left out of them.
    pub opted_out: u64,
    /// Columns that the format has no place for.
    pub left_out: Vec<String>,
    /// The first rows, as they are.
    pub cells: Vec<Vec<String>>,
    /// The beginning of the file, where it is text.
    pub text: Option<String>,
}

/// Settles what is written.
pub fn begin(core: &Core, export: &Export) -> Result<Exporting> {
    let (rows, title, count) = match &export.what {
        What::View { view, generation, rows } => {
            let (spec, ids) = core.grid().leaving(*view, *generation, rows.as_ref())?;
            let list = core.read(|tx| lists::get(tx, &spec.list)?.or_not_found(Noun::List, &spec.list))?;
            let count = ids.len() as u64;
            (Rows::Chosen { list: spec.list, ids }, list.name, count)
        }
        What::Lists(uids) => core.read(|tx| {
            let found = uids.iter().map(|uid| lists::get(tx, uid)?.or_not_found(Noun::List, uid));
            named(found.collect::<Result<_>>()?)
        })?,
        What::Account => core.read(|tx| named(lists::all(tx)?))?,
    };
    let columns = core.read(|tx| match export.format {
        Format::Seed => columns::whole(tx),
        _ => columns::parse(tx, &export.columns),
    })?;
    let headings = match export.format {
        Format::Csv(_) | Format::Xlsx => checked(&export.headings, columns.len())?,
        Format::Cards(_) | Format::Jsonl | Format::Seed => Vec::new(),
    };
    let is_whole = matches!((&export.what, export.format), (What::Account, Format::Seed));
    let without_opted_out = export.without_opted_out;
    if is_whole && without_opted_out {
        let message =
            "A seed of the whole account carries its opt-outs and leaves nothing out. Choose another format, or lists.";
        return Err(Fault::new("without_opted_out", message, true).into());
    }
    // A whole seed has the opt-outs themselves beside the contacts.
    let opted_out = if is_whole { 0 } else { core.read(|tx| rows.count_opted_out(tx))? };
    let seed_base = is_whole.then(|| export.short_link_base.clone());
    let format = export.format;
    Ok(Exporting { rows, count, opted_out, without_opted_out, format, columns, headings, title, seed_base })
}

fn named(found: Vec<List>) -> Result<(Rows, String, u64)> {
    let title = match found.as_slice() {
        [one] => one.name.clone(),
        _ => String::new(),
    };
    let count = found.iter().map(|list| list.contact_count).sum();
    Ok((Rows::Lists(found.into_iter().map(|list| list.uid).collect()), title, count))
}

fn checked(headings: &[String], columns: usize) -> Result<Vec<String>> {
    if !headings.is_empty() && headings.len() != columns {
        return Err(Fault::new("headings", "Give one for each column, or none.", headings.len()).into());
    }
    if let Some(long) = headings.iter().find(|heading| heading.chars().count() > HEADING_MAX) {
        let told = format!("A heading has at most {HEADING_MAX} characters.");
        return Err(Fault::new("headings", told, long.as_str()).into());
    }
    Ok(headings.to_vec())
}

impl Exporting {
    /// How many contacts it has; those that are gone by the time of writing are passed over.
    pub fn rows(&self) -> u64 {
        if self.without_opted_out { self.count - self.opted_out } else { self.count }
    }

    /// How many of the contacts have opted out of a channel, whether they are written or left out. A seed of the whole
    /// account says itself who they are.
    pub fn opted_out(&self) -> u64 {
        self.opted_out
    }

    fn read_rows(&self, core: &Core, tx: &ReadTx, watch: &Watch, taker: &mut dyn Taker) -> Result<()> {
        let left_out = if self.without_opted_out { self.rows.opted_out(tx)? } else { HashSet::new() };
        self.rows.each(tx, core.ctx().now(), &self.fields(), &left_out, watch, taker)
    }

    pub fn preview(&self, core: &Core, most: usize) -> Result<Preview> {
        let is_carried = |column: &&Column| columns::is_carried(**column, self.format);
        let left_out = self.columns.iter().filter(|column| !is_carried(column));
        let left_out = left_out.map(|column| column.name().into_owned()).collect();
        let watch = Watch::default();
        let (cells, text) = core.read(|tx| {
            let mut form = form::of(tx, self.format, &self.columns, &self.headings)?;
            form.begin().map_err(unwritten)?;
            let most = most.min(PREVIEW_MAX);
            let mut first = First { exporting: self, form: &mut *form, list: String::new(), cells: Vec::new(), most };
            match self.read_rows(core, tx, &watch, &mut first) {
                // It has seen enough.
                Err(Error::Store(StoreError::Cancelled)) => {}
                done => done?,
            }
            let cells = first.cells;
            let text = form.take().map_err(unwritten)?;
            Ok((cells, String::from_utf8_lossy(&text).into_owned()))
        })?;
        let text = (self.format != Format::Xlsx).then_some(text);
        Ok(Preview { rows: self.rows(), opted_out: self.opted_out, left_out, cells, text })
    }

    /// Writes the whole; answers how many contacts there are in it.
    pub fn write(&self, core: &Core, watch: &Arc<Watch>, out: &mut dyn Target) -> std::result::Result<u64, Broken> {
        watch.will_change(self.rows());
        let (blocks, made) = mpsc::sync_channel::<Block>(WAITING);
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                // On one hand: the other is for views.
                core.scan(watch, 1, |tx| self.read(core, tx, watch, &blocks))
            });
            // It owns the receiver, so that the reader hears when nobody takes its rows any more.
            let filed = self.file(made, out);
            let read = match reader.join() {
                Ok(read) => read,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            // What the file says goes before: the reader was only told that nobody takes its rows.
            match (filed, read) {
                (Err(why), _) => Err(Broken::File(why)),
                (Ok(()), read) => Ok(read?.into_iter().sum()),
            }
        })
    }

    fn fields(&self) -> Vec<ContactField> {
        let field = |column: &Column| match column {
            Column::Field(field) => Some(*field),
            Column::List => None,
        };
        self.columns.iter().filter_map(field).collect()
    }

    /// One cell a column.
    fn cells<'r>(&self, row: &'r Row, list: &str) -> StoreResult<Vec<Cow<'r, str>>> {
        let mut at = 0;
        let mut cell = |column: &Column| match column {
            Column::List => Ok(Cow::Owned(list.to_owned())),
            Column::Field(field) => {
                at += 1;
                shown(row, *field, at - 1)
            }
        };
        self.columns.iter().map(&mut cell).collect()
    }

    fn read(&self, core: &Core, tx: &ReadTx, watch: &Watch, blocks: &SyncSender<Block>) -> Result<u64> {
        let sender = Sender { blocks, bytes: Vec::new(), is_new_part: false };
        if let Some(base) = &self.seed_base {
            let mut out = sender;
            let written = seed::write(tx, base, watch, &mut out)?;
            out.flush().map_err(unwritten)?;
            return Ok(written);
        }
        let form = form::of(tx, self.format, &self.columns, &self.headings)?;
        let mut all = All { exporting: self, form, watch, sender, list: String::new(), written: 0, rows: 0 };
        all.form.begin().map_err(unwritten)?;
        self.read_rows(core, tx, watch, &mut all)?;
        all.form.end().map_err(unwritten)?;
        all.send()?;
        Ok(all.written)
    }

    fn file(&self, made: mpsc::Receiver<Block>, out: &mut dyn Target) -> io::Result<()> {
        if self.format != Format::Xlsx {
            return made.into_iter().try_for_each(|block| out.write_all(&block.bytes));
        }
        let mut book = Workbook::begin(out, &self.title, !self.headings.is_empty())?;
        for block in made {
            if block.is_new_part {
                book.next_sheet()?;
            }
            book.rows(&block.bytes)?;
        }
        book.end().map(drop)
    }
}

/// Bytes are made in memory, where nothing refuses them.
fn unwritten(why: io::Error) -> Error {
    Error::conflict(format!("The export could not be written: {why}"))
}

/// A stretch of the file.
struct Block {
    bytes: Vec<u8>,
    is_new_part: bool,
}

/// Hands blocks to whoever writes them.
struct Sender<'s> {
    blocks: &'s SyncSender<Block>,
    bytes: Vec<u8>,
    is_new_part: bool,
}

impl Write for Sender<'_> {
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
            Block { bytes: std::mem::take(&mut self.bytes), is_new_part: std::mem::take(&mut self.is_new_part) };
        self.blocks.send(block).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

/// Takes the first rows and no more.
struct First<'e> {
    exporting: &'e Exporting,
    form: &'e mut dyn Form,
    list: String,
    cells: Vec<Vec<String>>,
    most: usize,
}

impl First<'_> {
    /// What fails in memory has nothing to tell but that it ended.
    fn made(made: io::Result<()>) -> StoreResult<()> {
        made.map_err(|_| StoreError::Cancelled)
    }
}

impl Taker for First<'_> {
    fn list(&mut self, list: &List) -> StoreResult<()> {
        self.list.clone_from(&list.name);
        Self::made(self.form.list(list))
    }

    fn row(&mut self, row: &Row) -> StoreResult<()> {
        if self.cells.len() >= self.most {
            return Err(StoreError::Cancelled);
        }
        let cells = self.exporting.cells(row, &self.list)?;
        Self::made(self.form.row(&cells))?;
        self.cells.push(cells.into_iter().map(Cow::into_owned).collect());
        Ok(())
    }
}

/// Takes all rows, and hands them over in blocks.
struct All<'e> {
    exporting: &'e Exporting,
    form: Box<dyn Form>,
    watch: &'e Watch,
    sender: Sender<'e>,
    list: String,
    written: u64,
    /// In the block under way.
    rows: u64,
}

impl All<'_> {
    fn send(&mut self) -> StoreResult<()> {
        let sent = self.form.take().and_then(|bytes| {
            self.sender.bytes = bytes;
            self.sender.flush()
        });
        self.watch.add_rows(std::mem::take(&mut self.rows));
        // Whoever writes has ended, and tells why.
        sent.map_err(|_| StoreError::Cancelled)
    }
}

impl Taker for All<'_> {
    fn list(&mut self, list: &List) -> StoreResult<()> {
        self.list.clone_from(&list.name);
        First::made(self.form.list(list))
    }

    fn row(&mut self, row: &Row) -> StoreResult<()> {
        if self.form.is_full() {
            self.send()?;
            self.sender.is_new_part = true;
            First::made(self.form.next_part())?;
        }
        let cells = self.exporting.cells(row, &self.list)?;
        First::made(self.form.row(&cells))?;
        self.written += 1;
        self.rows += 1;
        if self.rows >= BLOCK_ROWS || self.form.length() >= BLOCK_BYTES {
            if self.watch.is_cancelled() {
                return Err(StoreError::Cancelled);
            }
            self.send()?;
        }
        Ok(())
    }
}

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
    error::Fault,
    id::ListId,
    intervals::Intervals,
    list::List,
    phone::{self, Region},
};
use roost_sheets::write::{Target, xlsx::Workbook};
use roost_store::{
    change_log::Noun,
    error::{Error as StoreError, Result as StoreResult},
    tables::{
        contacts::grid::scan::Row,
        lists::{self, facts},
        opt_outs,
    },
    tx::ReadTx,
    watch::Watch,
};

use super::{
    Broken, Format,
    columns::{self, Column, OPTED_OUT},
    form::{self, Form},
    rows::{OptedOut, Rows, Taker, shown},
};
use crate::{
    account::seed,
    contact::fields,
    core::Core,
    error::{Error, OrNotFound, Result},
    grid::ViewId,
};

/// Characters of a heading at most.
const HEADING_MAX: usize = 255;
/// Rows of a block at most.
const BLOCK_ROWS: u64 = 2_000;
/// Bytes of a block at most, approximately.
const BLOCK_BYTES: usize = 1 << 20;
/// Blocks that wait for the writer at most.
const WAITING: usize = 2;
const PREVIEW_MAX: usize = 20;

#[derive(Debug, Clone)]
pub enum What {
    /// Rows of a view, in its order; without `rows`, all of them. With a `generation`, `rows` are positions in the view
    /// as the page saw it then.
    View { view: ViewId, generation: Option<u32>, rows: Option<Intervals> },
    /// Whole lists.
    Lists(Vec<ListId>),
    /// Every list. A seed contains everything else of the account as well.
    Account,
}

#[derive(Debug, Clone)]
pub struct Export {
    pub what: What,
    pub format: Format,
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
pub struct Exporting {
    rows: Rows,
    count: u64,
    opted_out: u64,
    without_opted_out: bool,
    format: Format,
    columns: Vec<Column>,
    headings: Vec<String>,
    /// The name of the sheet in a workbook.
    title: String,
    /// The base of short URLs, if the export is a seed of the whole account.
    seed_base: Option<String>,
}

/// The first rows of an export, and facts about the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    pub rows: u64,
    /// Contacts that have opted out, whether they are exported or left out.
    pub opted_out: u64,
    /// Columns that the format cannot hold.
    pub left_out: Vec<String>,
    /// The heading row of a table, including the columns of opt-outs; empty if there is none.
    pub headings: Vec<String>,
    /// The first rows, unchanged.
    pub cells: Vec<Vec<String>>,
    /// The beginning of the file; `None` for a workbook, which is not text.
    pub text: Option<String>,
}

/// Checks an export and chooses its contacts.
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
    let mut columns = core.read(|tx| match export.format {
        Format::Seed => columns::whole(tx),
        _ => columns::parse(tx, &export.columns),
    })?;
    let mut headings = match export.format {
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
    // A seed of the whole account has the opt-outs themselves beside the contacts.
    let opted_out = if is_whole { OptedOut::default() } else { core.read(|tx| rows.opted_out(tx))? };
    // A seed of lists has the opt-outs too, so only the other formats get columns for them.
    if export.format != Format::Seed && !without_opted_out {
        let has_any = |channel: &Channel| !opted_out.of(*channel).is_empty();
        let added = Channel::ALL.into_iter().filter(has_any).map(Column::OptedOut);
        if !headings.is_empty() {
            headings.extend(added.clone().map(|column| column.name().into_owned()));
        }
        columns.extend(added);
    }
    let opted_out = opted_out.any().len() as u64;
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
    /// Returns the number of contacts. Contacts that are deleted before they are written are skipped.
    pub fn rows(&self) -> u64 {
        if self.without_opted_out { self.count - self.opted_out } else { self.count }
    }

    /// Returns how many of the contacts have opted out of a channel, whether they are exported or left out. It is 0 for
    /// a seed of the whole account, which holds the opt-outs themselves.
    pub fn opted_out(&self) -> u64 {
        self.opted_out
    }

    /// Returns the names of the columns that say who has opted out.
    pub fn columns_of_opt_outs(&self) -> Vec<String> {
        let columns = self.columns.iter().filter(|column| matches!(column, Column::OptedOut(_)));
        columns.map(|column| column.name().into_owned()).collect()
    }

    fn read_rows(
        &self,
        core: &Core,
        tx: &ReadTx,
        watch: &Watch,
        maker: &CellMaker,
        taker: &mut dyn Taker,
    ) -> Result<()> {
        let left_out = if self.without_opted_out { maker.opted_out.any() } else { HashSet::new() };
        self.rows.each(tx, core.ctx().now(), &self.fields(), &left_out, watch, taker)
    }

    fn cell_maker(&self, core: &Core, tx: &ReadTx) -> Result<CellMaker<'_>> {
        let mut alternates = HashSet::new();
        if self.without_opted_out {
            for channel in Channel::ALL {
                alternates.extend(facts::opted_out(tx, channel)?);
            }
        }
        let (opted_out, region) = (self.rows.opted_out(tx)?, fields::region(tx, core.ctx(), None)?);
        Ok(CellMaker { columns: &self.columns, opted_out, alternates, region })
    }

    /// Returns the opt-outs of the contacts as records of a seed.
    fn records_of_opt_outs(&self, tx: &ReadTx) -> Result<Vec<String>> {
        if self.without_opted_out {
            return Ok(Vec::new());
        }
        let mut records = Vec::new();
        let numbers = Channel::ALL.into_iter().map(|channel| self.rows.opted_out_numbers(tx, channel));
        let numbers: Vec<HashSet<String>> = numbers.collect::<Result<_>>()?;
        opt_outs::each(tx, |record| {
            if numbers[record.channel as usize].contains(&record.number) {
                records.push(seed::opt_out(&record).to_string());
            }
            Ok::<_, Error>(())
        })?;
        Ok(records)
    }

    pub fn preview(&self, core: &Core, most: usize) -> Result<Preview> {
        let is_carried = |column: &&Column| columns::is_carried(**column, self.format);
        let left_out = self.columns.iter().filter(|column| !is_carried(column));
        let left_out = left_out.map(|column| column.name().into_owned()).collect();
        let watch = Watch::default();
        let (cells, text) = core.read(|tx| {
            let (maker, mut form) = (self.cell_maker(core, tx)?, self.form(tx)?);
            form.begin().map_err(unwritten)?;
            let most = most.min(PREVIEW_MAX);
            let mut first = First { maker: &maker, form: &mut *form, list: String::new(), cells: Vec::new(), most };
            match self.read_rows(core, tx, &watch, &maker, &mut first) {
                // The visitor ends the reading in this way when it has enough rows.
                Err(Error::Store(StoreError::Cancelled)) => {}
                done => done?,
            }
            let cells = first.cells;
            let text = form.take().map_err(unwritten)?;
            Ok((cells, String::from_utf8_lossy(&text).into_owned()))
        })?;
        let text = (self.format != Format::Xlsx).then_some(text);
        let headings = self.headings.clone();
        Ok(Preview { rows: self.rows(), opted_out: self.opted_out, left_out, headings, cells, text })
    }

    /// Writes the whole export and returns the number of contacts in it.
    pub fn write(&self, core: &Core, watch: &Arc<Watch>, out: &mut dyn Target) -> std::result::Result<u64, Broken> {
        watch.will_change(self.rows());
        let (blocks, made) = mpsc::sync_channel::<Block>(WAITING);
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                // It uses one thread: the other one is for views.
                core.scan(watch, 1, |tx| self.read(core, tx, watch, &blocks))
            });
            // The call owns the receiver, so that the reader ends as soon as nobody takes its blocks.
            let filed = self.file(made, out);
            let read = match reader.join() {
                Ok(read) => read,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            // An error of the file has precedence: then the reader only knows that nobody takes its blocks.
            match (filed, read) {
                (Err(why), _) => Err(Broken::File(why)),
                (Ok(()), read) => Ok(read?.into_iter().sum()),
            }
        })
    }

    fn fields(&self) -> Vec<ContactField> {
        let field = |column: &Column| match column {
            Column::Field(field) => Some(*field),
            Column::List | Column::OptedOut(_) => None,
        };
        self.columns.iter().filter_map(field).collect()
    }

    fn form(&self, tx: &ReadTx) -> Result<Box<dyn Form>> {
        let opt_outs = if self.format == Format::Seed { self.records_of_opt_outs(tx)? } else { Vec::new() };
        form::of(tx, self.format, &self.columns, &self.headings, opt_outs)
    }

    fn read(&self, core: &Core, tx: &ReadTx, watch: &Watch, blocks: &SyncSender<Block>) -> Result<u64> {
        let sender = Sender { blocks, bytes: Vec::new(), is_new_part: false };
        if let Some(base) = &self.seed_base {
            let mut out = sender;
            let written = seed::write(tx, base, watch, &mut out)?;
            out.flush().map_err(unwritten)?;
            return Ok(written);
        }
        let (maker, form) = (self.cell_maker(core, tx)?, self.form(tx)?);
        let mut all = All { maker: &maker, form, watch, sender, list: String::new(), written: 0, rows: 0 };
        all.form.begin().map_err(unwritten)?;
        self.read_rows(core, tx, watch, &maker, &mut all)?;
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

/// Makes the cells of a row.
struct CellMaker<'e> {
    columns: &'e [Column],
    opted_out: OptedOut,
    /// Numbers of people who are left out. They must not appear as the alternate number of anybody else.
    alternates: HashSet<u64>,
    /// The region in which alternate numbers without a country code are read.
    region: Region,
}

impl CellMaker<'_> {
    /// Makes one cell for each column.
    fn make_cells<'r>(&self, id: i64, row: &'r Row, list: &str) -> StoreResult<Vec<Cow<'r, str>>> {
        let mut at = 0;
        let mut cell = |column: &Column| match column {
            Column::List => Ok(Cow::Owned(list.to_owned())),
            Column::OptedOut(channel) => {
                Ok(Cow::Borrowed(OPTED_OUT[usize::from(!self.opted_out.of(*channel).contains(&id))]))
            }
            Column::Field(field) => {
                at += 1;
                let text = shown(row, *field, at - 1)?;
                let is_alternate = *field == ContactField::Attribute(Attribute::AlternatePhone);
                Ok(if is_alternate && self.has_left_out(&text) { Cow::Borrowed("") } else { text })
            }
        };
        self.columns.iter().map(&mut cell).collect()
    }

    /// Returns whether a text is or contains a number of somebody who is left out.
    fn has_left_out(&self, text: &str) -> bool {
        let is_left_out = |part: &str| {
            let phone = phone::parse_contact_number(part, self.region);
            let digits = phone.and_then(|phone| phone.e164.strip_prefix('+')?.parse().ok());
            digits.is_some_and(|digits: u64| self.alternates.contains(&digits))
        };
        !self.alternates.is_empty() && (is_left_out(text) || text.split([',', ';', '/', '|']).any(is_left_out))
    }
}

/// Converts an error of a write into memory, which does not happen in practice.
fn unwritten(why: io::Error) -> Error {
    Error::conflict(format!("The export could not be written: {why}"))
}

struct Block {
    bytes: Vec<u8>,
    is_new_part: bool,
}

/// Sends blocks to the thread that writes them.
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

/// Takes the first rows and then ends the reading.
struct First<'e> {
    maker: &'e CellMaker<'e>,
    form: &'e mut dyn Form,
    list: String,
    cells: Vec<Vec<String>>,
    most: usize,
}

impl First<'_> {
    /// Converts an error of a write into memory, which can only say that it ended.
    fn made(made: io::Result<()>) -> StoreResult<()> {
        made.map_err(|_| StoreError::Cancelled)
    }
}

impl Taker for First<'_> {
    fn list(&mut self, list: &List) -> StoreResult<()> {
        self.list.clone_from(&list.name);
        Self::made(self.form.list(list))
    }

    fn row(&mut self, id: i64, row: &Row) -> StoreResult<()> {
        if self.cells.len() >= self.most {
            return Err(StoreError::Cancelled);
        }
        let cells = self.maker.make_cells(id, row, &self.list)?;
        Self::made(self.form.row(&cells))?;
        self.cells.push(cells.into_iter().map(Cow::into_owned).collect());
        Ok(())
    }
}

/// Takes all rows and sends them in blocks.
struct All<'e> {
    maker: &'e CellMaker<'e>,
    form: Box<dyn Form>,
    watch: &'e Watch,
    sender: Sender<'e>,
    list: String,
    written: u64,
    /// Rows in the current block.
    rows: u64,
}

impl All<'_> {
    fn send(&mut self) -> StoreResult<()> {
        let sent = self.form.take().and_then(|bytes| {
            self.sender.bytes = bytes;
            self.sender.flush()
        });
        self.watch.add_rows(std::mem::take(&mut self.rows));
        // The writer has ended and reports the reason itself.
        sent.map_err(|_| StoreError::Cancelled)
    }
}

impl Taker for All<'_> {
    fn list(&mut self, list: &List) -> StoreResult<()> {
        self.list.clone_from(&list.name);
        First::made(self.form.list(list))
    }

    fn row(&mut self, id: i64, row: &Row) -> StoreResult<()> {
        if self.form.is_full() {
            self.send()?;
            self.sender.is_new_part = true;
            First::made(self.form.next_part())?;
        }
        let cells = self.maker.make_cells(id, row, &self.list)?;
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

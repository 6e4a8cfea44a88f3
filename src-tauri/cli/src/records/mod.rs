//! The commands that look numbers up, and list or change records of an account, through the same acts as the window.

mod links;
mod lists;
mod lookup;
mod optouts;

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use clap::ValueEnum;
use roost_model::{
    channel::Channel,
    page::{Page, PageRequest},
    phone::Region,
};
use roost_ops::{Core, Ctx, Error, account};

pub(crate) use self::{links::LinksCommand, lists::ListsCommand, lookup::LookupCommand, optouts::OptoutsCommand};
use crate::{
    failure::{CliFailure, read_failure},
    files::{check_existing, parse_country},
};

/// The most bytes of a file of numbers.
const BYTES_MAX: u64 = 64 << 20;
/// The number of records that are read at once.
const PAGE_SIZE: u32 = 1_000;

#[derive(Clone, Copy, ValueEnum)]
pub enum ChannelOption {
    Sms,
    Whatsapp,
}

impl From<ChannelOption> for Channel {
    fn from(choice: ChannelOption) -> Self {
        match choice {
            ChannelOption::Sms => Self::Sms,
            ChannelOption::Whatsapp => Self::WhatsApp,
        }
    }
}

/// Reads a text file, or standard input for `-`.
pub(crate) fn read_text(path: &Path) -> Result<String, CliFailure> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().take(BYTES_MAX + 1).read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|file| file.take(BYTES_MAX + 1).read_to_end(&mut bytes))
    };
    read.map_err(|why| read_failure(path, &why))?;
    let file = path.display();
    if bytes.len() as u64 > BYTES_MAX {
        return Err(CliFailure::new(format!("{file} has more than 64 MiB. Cut it into parts.")));
    }
    let text = String::from_utf8(bytes).map_err(|_| CliFailure::new(format!("{file} is not text in UTF-8.")))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// Returns the chosen country, or else that of the account.
fn choose_region(core: &Core, code: Option<&str>) -> Result<Region, CliFailure> {
    match code {
        Some(code) => parse_country(code),
        None => Ok(account::read_country(core).map_err(CliFailure::new)?.region),
    }
}

/// Opens an account and reads all records of a kind.
fn read_all<T>(db: &Path, read: impl Fn(&Core, PageRequest) -> Result<Page<T>, Error>) -> Result<Vec<T>, CliFailure> {
    check_existing(db)?;
    let core = Core::open(db, Ctx::system()).map_err(CliFailure::new)?;
    let all = read_pages(|page| read(&core, page));
    core.end_background_work();
    all.map_err(CliFailure::new)
}

fn read_pages<T>(read: impl Fn(PageRequest) -> Result<Page<T>, Error>) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    for number in 1.. {
        let page = read(PageRequest { number, size: PAGE_SIZE })?;
        let is_last = page.items.len() < PAGE_SIZE as usize;
        all.extend(page.items);
        if is_last {
            break;
        }
    }
    Ok(all)
}

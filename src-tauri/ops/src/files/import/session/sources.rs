//! The sources of an import: files of this computer, pasted tables and uploads.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use roost_model::error::{Fault, has_length};
use roost_sheets::Encoding;
use roost_store::files::identity::is_open_here;
use serde::Deserialize;

use super::kept::{Bytes, Kept, KeptFile, bytes_of, create};
use crate::error::{Error, Result};

/// Files of one import at most.
const FILES_MAX: usize = 100;
/// Characters of the name of a file at most.
const NAME_MAX: usize = 255;
/// Bytes of an upload at most.
const UPLOAD_MAX: u64 = 8 << 30;

/// A file to be imported.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum ImportSource {
    /// A file of this computer.
    Path(PathBuf),
    /// A table that was pasted.
    Text {
        name: String,
        text: String,
        /// The numbers of the rows behind the first, if the rows come from somewhere else.
        #[serde(default)]
        #[cfg_attr(feature = "ts", ts(type = "number[] | null"))]
        rows: Option<Vec<u64>>,
    },
    /// A file whose bytes are uploaded in pieces.
    Upload {
        name: String,
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        size: u64,
    },
}

/// A piece of an uploaded file.
#[derive(Debug, Clone, Copy)]
pub struct Upload<'a> {
    pub file: u32,
    /// The position of the bytes in the file.
    pub from: u64,
    pub bytes: &'a [u8],
    /// Whether these are the last bytes of the file.
    pub is_last: bool,
}

/// Returns the names of the usual encodings, the most likely ones first.
pub fn encodings() -> Vec<String> {
    Encoding::all().map(|encoding| encoding.name().to_owned()).collect()
}

pub(super) fn io_fault(what: &str, path: &Path, why: &io::Error) -> Error {
    Error::conflict(format!("{} cannot be {what}: {why}.", path.display()))
}

/// Adds sources as files of an import. If one of them is invalid, none is added.
pub(super) fn take(kept: &mut Kept, folder: &Path, sources: Vec<ImportSource>) -> Result<()> {
    if kept.files.iter().filter(|file| file.of.is_none()).count() + sources.len() > FILES_MAX {
        return Err(Fault::new("sources", format!("An import has at most {FILES_MAX} files."), sources.len()).into());
    }
    let mut taken = Vec::with_capacity(sources.len());
    for (at, source) in sources.into_iter().enumerate() {
        kept.last_file += 1;
        taken.push(one(kept.last_file, folder, source, &format!("sources[{at}]"))?);
    }
    kept.files.append(&mut taken);
    Ok(())
}

fn one(file: u32, folder: &Path, source: ImportSource, place: &str) -> Result<KeptFile> {
    let refused = |message: String, rejected: &str| Error::from(Fault::new(place, message, rejected));
    let mut places = Vec::new();
    let (name, bytes, size, received) = match source {
        ImportSource::Path(path) => {
            let shown = path.display().to_string();
            let found = fs::metadata(&path).map_err(|why| match why.kind() {
                io::ErrorKind::NotFound => refused(format!("There is no file {shown}."), &shown),
                _ => refused(format!("{shown} cannot be read: {why}."), &shown),
            })?;
            if found.is_dir() {
                return Err(refused(format!("{shown} is a folder. Choose the files in it."), &shown));
            }
            if !found.is_file() {
                return Err(refused(format!("{shown} is not a file."), &shown));
            }
            // Closing the file after reading it would end the locks that keep other programs out of the account.
            if is_open_here(&path) {
                return Err(refused(format!("{shown} is an open account. Choose files of contacts."), &shown));
            }
            let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            (name, Bytes::At(path), found.len(), found.len())
        }
        ImportSource::Text { name, text, rows } => {
            places = rows.unwrap_or_default();
            let path = bytes_of(folder, file);
            let written = create(&path).and_then(|mut out| out.write_all(text.as_bytes()));
            written.map_err(|why| io_fault("written", &path, &why))?;
            (name, Bytes::Here, text.len() as u64, text.len() as u64)
        }
        ImportSource::Upload { name, size } => {
            if size > UPLOAD_MAX {
                return Err(refused(format!("A file has at most {UPLOAD_MAX} bytes. Cut it into parts."), &name));
            }
            let path = bytes_of(folder, file);
            create(&path).map_err(|why| io_fault("written", &path, &why))?;
            (name, Bytes::Here, size, 0)
        }
    };
    if !has_length(&name, 1, NAME_MAX) {
        return Err(refused(format!("A file has a name of 1 to {NAME_MAX} characters."), &name));
    }
    let settings = super::told::ImportSettings::default();
    Ok(KeptFile {
        file,
        of: None,
        has_settled_parts: false,
        places,
        parts: Vec::new(),
        name,
        bytes,
        size,
        received,
        settings,
        read: None,
        broken: None,
    })
}

/// Appends bytes to an upload. Returns how many bytes have arrived.
pub(super) fn receive(kept: &mut KeptFile, folder: &Path, upload: &Upload) -> Result<u64> {
    if kept.bytes != Bytes::Here || kept.is_whole() && kept.size > 0 {
        return Err(Error::conflict("This file is whole already."));
    }
    if upload.from != kept.received {
        let told = format!("{} bytes have arrived; go on from there.", kept.received);
        return Err(Fault::new("from", told, upload.from).into());
    }
    let received = kept.received + upload.bytes.len() as u64;
    if received > kept.size || upload.is_last != (received == kept.size) {
        let told = format!("The file was said to have {} bytes. Choose it again.", kept.size);
        return Err(Fault::new("is_last", told, received).into());
    }
    let path = bytes_of(folder, kept.file);
    let written = OpenOptions::new().write(true).open(&path).and_then(|mut out| {
        out.seek(SeekFrom::Start(kept.received))?;
        out.write_all(upload.bytes)
    });
    written.map_err(|why| io_fault("written", &path, &why))?;
    kept.received = received;
    Ok(received)
}

/// Opens the bytes of a file and counts how many of them are read.
pub(super) fn open(kept: &KeptFile, folder: &Path, read: &Arc<AtomicU64>) -> Result<Counting> {
    let path = match &kept.bytes {
        Bytes::At(path) => path.clone(),
        Bytes::Here => bytes_of(folder, kept.group()),
    };
    let file = File::open(&path).map_err(|why| match why.kind() {
        io::ErrorKind::NotFound => Error::conflict(format!(
            "{} is not there any more. Put it back, or take the file out of this import.",
            path.display()
        )),
        _ => io_fault("read", &path, &why),
    })?;
    Ok(Counting { file, read: Arc::clone(read), furthest: 0, at: 0 })
}

/// A file that counts how much of it was read.
pub(super) struct Counting {
    file: File,
    read: Arc<AtomicU64>,
    furthest: u64,
    at: u64,
}

impl Counting {
    /// Moves the position. Bytes that are read twice count once.
    fn went_to(&mut self, at: u64) {
        self.at = at;
        if at > self.furthest {
            self.read.fetch_add(at - self.furthest, Ordering::Relaxed);
            self.furthest = at;
        }
    }
}

impl Read for Counting {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buf)?;
        self.went_to(self.at + read as u64);
        Ok(read)
    }
}

impl Seek for Counting {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        // Seeking, for example to find the length, reads nothing.
        self.at = self.file.seek(to)?;
        Ok(self.at)
    }
}

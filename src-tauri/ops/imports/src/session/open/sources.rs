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

use roost_model::error::{FieldError, has_length};
use roost_sheets::Encoding;
use roost_store::files::identity::is_open_here;
use serde::Deserialize;

use super::super::stored::{BytesLocation, StoredFile, StoredImport, bytes_path, create_private_file};
use roost_ops::error::{Error, Result};

/// The most files of one import.
const FILES_MAX: usize = 100;
/// The most characters of the name of a file.
const NAME_MAX: usize = 255;
/// The most bytes of an upload.
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
        rows: Option<Vec<u64>>,
    },
    /// A file whose bytes are uploaded in pieces.
    Upload { name: String, size: u64 },
}

/// A piece of an uploaded file.
#[derive(Debug, Clone, Copy)]
pub struct UploadPiece<'a> {
    pub file: u32,
    /// The position of the bytes in the file.
    pub from: u64,
    pub bytes: &'a [u8],
    /// Whether these are the last bytes of the file.
    pub is_last: bool,
}

/// Returns the names of the usual encodings, the most likely ones first.
pub fn list_encodings() -> Vec<String> {
    Encoding::list_known().map(|encoding| encoding.name().to_owned()).collect()
}

pub(in super::super) fn to_io_error(what: &str, path: &Path, why: &io::Error) -> Error {
    Error::conflict(format!("{} cannot be {what}: {why}.", path.display()))
}

/// Adds sources as files of an import. If one of them is invalid, none is added.
pub(super) fn add_sources(kept: &mut StoredImport, folder: &Path, sources: Vec<ImportSource>) -> Result<()> {
    if kept.files.iter().filter(|file| file.of.is_none()).count() + sources.len() > FILES_MAX {
        return Err(
            FieldError::new("sources", format!("An import has at most {FILES_MAX} files."), sources.len()).into()
        );
    }
    let mut taken = Vec::with_capacity(sources.len());
    for (at, source) in sources.into_iter().enumerate() {
        kept.last_file += 1;
        taken.push(create_entry(kept.last_file, folder, source, &format!("sources[{at}]"))?);
    }
    kept.files.append(&mut taken);
    Ok(())
}

fn create_entry(file: u32, folder: &Path, source: ImportSource, place: &str) -> Result<StoredFile> {
    let refused = |message: String, rejected: &str| Error::from(FieldError::new(place, message, rejected));
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
            (name, BytesLocation::At(path), found.len(), found.len())
        }
        ImportSource::Text { name, text, rows } => {
            places = rows.unwrap_or_default();
            let path = bytes_path(folder, file);
            let written = create_private_file(&path).and_then(|mut out| out.write_all(text.as_bytes()));
            written.map_err(|why| to_io_error("written", &path, &why))?;
            (name, BytesLocation::Here, text.len() as u64, text.len() as u64)
        }
        ImportSource::Upload { name, size } => {
            if size > UPLOAD_MAX {
                return Err(refused(format!("A file has at most {UPLOAD_MAX} bytes. Cut it into parts."), &name));
            }
            let path = bytes_path(folder, file);
            create_private_file(&path).map_err(|why| to_io_error("written", &path, &why))?;
            (name, BytesLocation::Here, size, 0)
        }
    };
    if !has_length(&name, 1, NAME_MAX) {
        return Err(refused(format!("A file has a name of 1 to {NAME_MAX} characters."), &name));
    }
    let settings = super::super::reports::ImportSettings::default();
    Ok(StoredFile {
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
pub(super) fn append_upload(kept: &mut StoredFile, folder: &Path, upload: &UploadPiece) -> Result<u64> {
    if kept.bytes != BytesLocation::Here || kept.is_whole() && kept.size > 0 {
        return Err(Error::conflict("This file is whole already."));
    }
    if upload.from != kept.received {
        let message = format!("{} bytes have arrived; go on from there.", kept.received);
        return Err(FieldError::new("from", message, upload.from).into());
    }
    let received = kept.received + upload.bytes.len() as u64;
    if received > kept.size || upload.is_last != (received == kept.size) {
        let message = format!("The file was said to have {} bytes. Choose it again.", kept.size);
        return Err(FieldError::new("is_last", message, received).into());
    }
    let path = bytes_path(folder, kept.file);
    let written = OpenOptions::new().write(true).open(&path).and_then(|mut out| {
        out.seek(SeekFrom::Start(kept.received))?;
        out.write_all(upload.bytes)
    });
    written.map_err(|why| to_io_error("written", &path, &why))?;
    kept.received = received;
    Ok(received)
}

/// Opens the bytes of a file and counts how many of them are read.
pub(in super::super) fn open_bytes(kept: &StoredFile, folder: &Path, read: &Arc<AtomicU64>) -> Result<CountingFile> {
    let path = match &kept.bytes {
        BytesLocation::At(path) => path.clone(),
        BytesLocation::Here => bytes_path(folder, kept.group_id()),
    };
    let file = File::open(&path).map_err(|why| match why.kind() {
        io::ErrorKind::NotFound => {
            Error::conflict(format!("{} no longer exists. Put it back, or remove it from this import.", path.display()))
        }
        _ => to_io_error("read", &path, &why),
    })?;
    Ok(CountingFile { file, read: Arc::clone(read), max_position: 0, at: 0 })
}

/// A file that counts how much of it was read.
pub(in super::super) struct CountingFile {
    file: File,
    read: Arc<AtomicU64>,
    max_position: u64,
    at: u64,
}

impl CountingFile {
    /// Moves the position. Bytes that are read twice count once.
    fn advance_to(&mut self, at: u64) {
        self.at = at;
        if at > self.max_position {
            self.read.fetch_add(at - self.max_position, Ordering::Relaxed);
            self.max_position = at;
        }
    }
}

impl Read for CountingFile {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buf)?;
        self.advance_to(self.at + read as u64);
        Ok(read)
    }
}

impl Seek for CountingFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        // Seeking, for example to find the length, reads nothing.
        self.at = self.file.seek(to)?;
        Ok(self.at)
    }
}

//! The file of a world's head: a log of records, of which the last of each part is current.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::Path,
};

use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::{ReadWorldError, WORLD_VERSION, head::HeadParts};

/// Creates a folder that only this user can read, because callbacks and calls to receivers may hold secrets of a test.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn create_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes a file under another name and then renames it, so that there is always a complete file.
pub(crate) fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<File> {
    path.parent().map_or(Ok(()), make_folder)?;
    let new_path = path.with_extension("new");
    let mut file = create_file(&new_path)?;
    write(&mut file)?;
    file.sync_all()?;
    fs::rename(&new_path, path)?;
    Ok(file)
}

pub(super) fn write_fresh(path: &Path, parts: &HeadParts) -> io::Result<File> {
    write_whole(path, |file| {
        let mut records = first_line();
        parts.iter().try_for_each(|(name, part)| write_record(&mut records, name, part))?;
        file.write_all(&records)
    })
}

fn first_line() -> Vec<u8> {
    format!("ROOST-STATE {WORLD_VERSION}\n").into_bytes()
}

/// Writes a record: a line with name, length and hash, and a line with the value.
pub(super) fn write_record(out: &mut Vec<u8>, name: &str, part: &RawValue) -> io::Result<()> {
    let value = part.get();
    writeln!(out, "{name} {} {}\n{value}", value.len(), hash_value(value.as_bytes()))
}

fn hash_value(value: &[u8]) -> String {
    Sha256::digest(value).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Reads the last value of each part. Ignores a record that was only partly written at the end. Returns None if there
/// is no file.
pub(super) fn read_log(path: &Path) -> Result<Option<HeadParts>, ReadWorldError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(ReadWorldError::Damaged(why.to_string())),
    };
    let first = first_line();
    let Some(mut rest) = bytes.strip_prefix(first.as_slice()) else {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
        return Err(ReadWorldError::Damaged(format!("it begins with '{}'", start.lines().next().unwrap_or_default())));
    };
    let mut parts = BTreeMap::new();
    while let Some((name, value, after)) = next_record(rest) {
        let value: Box<RawValue> =
            serde_json::from_slice(value).map_err(|why| ReadWorldError::Damaged(why.to_string()))?;
        parts.insert(name.to_owned(), value);
        rest = after;
    }
    Ok((!parts.is_empty()).then_some(parts))
}

fn next_record(bytes: &[u8]) -> Option<(&str, &[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let mut words = std::str::from_utf8(&bytes[..end]).ok()?.split(' ');
    let (name, length, hash) = (words.next()?, words.next()?.parse::<usize>().ok()?, words.next()?);
    let rest = &bytes[end + 1..];
    let (value, rest) = (rest.get(..length)?, rest.get(length..)?);
    let rest = rest.strip_prefix(b"\n")?;
    (hash_value(value) == hash).then_some((name, value, rest))
}

/// Renames a file that could not be read, because nothing is removed only because it is unreadable.
pub(super) fn set_aside(path: &Path, why: &str) -> io::Result<()> {
    let free = (1..).map(|number: u32| path.with_extension(format!("unread-{number}"))).find(|path| !path.exists());
    let Some(aside) = free else { return Ok(()) };
    tracing::error!(
        why,
        file = %aside.display(),
        "the saved state could not be read; the server starts without it and keeps the file"
    );
    fs::rename(path, aside)
}

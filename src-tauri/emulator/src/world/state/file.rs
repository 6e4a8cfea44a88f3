//! A world as a file: a line with version and lengths, the parts of its head as JSON, and its data as an SQLite
//! database.

use std::io::{self, Write};

use roost_model::time::Timestamp;
use roost_ops::Image;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    WorldState,
    head::{HeadParts, WorldHead},
};

/// The version of the file's contents. A file of another version is refused.
pub(crate) const WORLD_VERSION: u32 = 1;
/// The bytes with which every world file begins.
pub const WORLD_MAGIC: &[u8] = b"ROOST-WORLD ";
/// The most bytes of the first line; a longer one is not a world file.
const LINE_MAX: usize = 4_096;

/// A world at a time of its clock.
pub(crate) struct WorldFile {
    pub at: Timestamp,
    pub state: WorldState,
}

/// Why a world was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadWorldError {
    #[error("This is not a world file: it does not begin with ROOST-WORLD")]
    NoWorld,
    #[error("This world file has version {0}, but this Roost reads version {WORLD_VERSION}")]
    Version(u64),
    #[error("The world file is damaged: {0}")]
    Damaged(String),
    #[error("The world file is damaged: the part '{0}' is missing")]
    NoPart(&'static str),
    #[error("The world file is damaged: the part '{name}' cannot be read: {why}")]
    Part { name: &'static str, why: String },
    #[error("The world file has an unknown part '{0}'")]
    UnknownPart(String),
    #[error("The data of the world file cannot be read: {0}")]
    Data(#[from] roost_ops::Error),
}

#[derive(Deserialize)]
struct VersionLine {
    version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstLine {
    version: u32,
    at: Timestamp,
    head_bytes: usize,
    data_bytes: usize,
    /// The hash of everything after this line.
    sha256: String,
}

impl WorldFile {
    /// Writes the world without copying its data, which can be large.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut head = serde_json::to_vec(&self.state.head.write()?)?;
        head.push(b'\n');
        let data = self.state.image.bytes();
        let line = FirstLine {
            version: WORLD_VERSION,
            at: self.at,
            head_bytes: head.len(),
            data_bytes: data.len(),
            sha256: hash_contents(&head, data),
        };
        out.write_all(WORLD_MAGIC)?;
        out.write_all(&serde_json::to_vec(&line)?)?;
        out.write_all(b"\n")?;
        out.write_all(&head)?;
        out.write_all(data)
    }

    /// Reads all of a world or fails.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ReadWorldError> {
        let rest = bytes.strip_prefix(WORLD_MAGIC).ok_or(ReadWorldError::NoWorld)?;
        let damaged = |why: &str| ReadWorldError::Damaged(why.to_owned());
        let end = rest
            .iter()
            .take(LINE_MAX)
            .position(|byte| *byte == b'\n')
            .ok_or_else(|| damaged("it has no first line"))?;
        let (line, rest) = (&rest[..end], &rest[end + 1..]);
        let version_line: VersionLine =
            serde_json::from_slice(line).map_err(|why| ReadWorldError::Damaged(why.to_string()))?;
        if version_line.version != u64::from(WORLD_VERSION) {
            return Err(ReadWorldError::Version(version_line.version));
        }
        let line: FirstLine = serde_json::from_slice(line).map_err(|why| ReadWorldError::Damaged(why.to_string()))?;
        if line.head_bytes.checked_add(line.data_bytes) != Some(rest.len()) {
            let (wanted, found) = (line.head_bytes.saturating_add(line.data_bytes), rest.len());
            return Err(ReadWorldError::Damaged(format!(
                "expected {wanted} bytes after the first line, found {found}"
            )));
        }
        let (head, data) = rest.split_at(line.head_bytes);
        if hash_contents(head, data) != line.sha256 {
            return Err(damaged("its checksum does not match"));
        }
        let parts: HeadParts = serde_json::from_slice(head).map_err(|why| ReadWorldError::Damaged(why.to_string()))?;
        Ok(Self {
            at: line.at,
            state: WorldState {
                image: Image::check(data).map_err(roost_ops::Error::from)?,
                head: WorldHead::read(parts)?,
            },
        })
    }
}

fn hash_contents(head: &[u8], data: &[u8]) -> String {
    let digest = Sha256::new().chain_update(head).chain_update(data).finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

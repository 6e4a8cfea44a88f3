//! Long responses, which are made completely before they are sent, so that a slow reader occupies neither a thread nor
//! the account. Whatever exceeds a little memory is stored in an unnamed file.

use std::{
    io::{self, Read, Seek, Write},
    sync::Arc,
};

use bytes::Bytes;
use futures_util::Stream;
use tempfile::SpooledTempFile;

use crate::{
    door::bounds::{NoRoom, Room},
    world::Pass,
};

/// The most bytes of a response that are held in memory.
pub const IN_MEMORY: usize = 256 * 1024;
const PIECE: usize = 64 * 1024;

/// Why a long response was not made.
#[derive(Debug)]
pub enum NotMade<E> {
    NoRoom(NoRoom),
    /// The act itself failed.
    Failed(E),
    /// The act panicked, or the result could not be read.
    Broken,
}

/// Makes a long response on a blocking thread, after other long responses in the queue.
pub async fn make_long_answer<T: Send + 'static, E: Send + 'static>(
    room: &Arc<Room>,
    act: impl FnOnce(&mut SpoolWriter) -> Result<T, E> + Send + 'static,
) -> Result<(Spool, T), NotMade<E>> {
    let turn = room.maker().await.map_err(NotMade::NoRoom)?;
    let mut writer = SpoolWriter {
        spool: Spool { file: SpooledTempFile::new(IN_MEMORY), length: 0, sent: 0, room: room.clone() },
        no_room: None,
    };
    let made = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let made = act(&mut writer);
        (writer, made)
    });
    let (mut writer, made) = made.await.map_err(|_| NotMade::Broken)?;
    match (writer.no_room, made) {
        (Some(why), _) => Err(NotMade::NoRoom(why)),
        (None, Err(why)) => Err(NotMade::Failed(why)),
        (None, Ok(made)) => match writer.spool.file.rewind() {
            Ok(()) => Ok((writer.spool, made)),
            Err(error) => {
                tracing::error!(%error, "a long response could not be read back");
                Err(NotMade::Broken)
            }
        },
    }
}

/// Receives a long response while it is made.
pub struct SpoolWriter {
    spool: Spool,
    no_room: Option<NoRoom>,
}

impl Write for SpoolWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(why) = self.spool.room.add_answer(bytes.len() as u64) {
            self.no_room = Some(why);
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.spool.length += bytes.len() as u64;
        let written = self.spool.file.write_all(bytes);
        written.inspect_err(|error| tracing::error!(%error, "a long response could not be stored"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.spool.file.flush()
    }
}

/// A long response that waits for its reader.
pub struct Spool {
    file: SpooledTempFile,
    length: u64,
    sent: u64,
    room: Arc<Room>,
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.room.drop_answer(self.length);
    }
}

impl Spool {
    /// Returns the whole response if it is short enough to need no stream.
    pub fn short(&mut self) -> Option<Bytes> {
        if self.length > PIECE as u64 {
            return None;
        }
        self.piece().ok()
    }

    fn piece(&mut self) -> io::Result<Bytes> {
        let mut piece = Vec::with_capacity(usize::try_from(self.length - self.sent).unwrap_or(PIECE).min(PIECE));
        (&mut self.file).take(PIECE as u64).read_to_end(&mut piece)?;
        self.sent += piece.len() as u64;
        Ok(piece.into())
    }

    /// Sends the response piece by piece. Breaks off when the epoch of `pass` ends.
    pub fn into_stream(self, pass: Option<Pass>) -> impl Stream<Item = io::Result<Bytes>> {
        futures_util::stream::unfold(Some((self, pass)), |left| async move {
            let (spool, pass) = left?;
            if pass.as_ref().is_some_and(Pass::is_old) {
                return Some((Err(io::Error::other("the world was reset or removed")), None));
            }
            match read_piece(spool).await {
                Ok((_, piece)) if piece.is_empty() => None,
                Ok((spool, piece)) => Some((Ok(piece), Some((spool, pass)))),
                Err(error) => Some((Err(error), None)),
            }
        })
    }
}

async fn read_piece(mut spool: Spool) -> io::Result<(Spool, Bytes)> {
    // Reading from memory does not block.
    if !spool.file.is_rolled() {
        let piece = spool.piece()?;
        return Ok((spool, piece));
    }
    let read = tokio::task::spawn_blocking(move || {
        let piece = spool.piece()?;
        Ok((spool, piece))
    });
    read.await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;

    use super::*;
    use crate::door::bounds::Bounds;

    async fn made(room: &Arc<Room>, length: usize) -> Result<Spool, NotMade<io::Error>> {
        let act = move |writer: &mut SpoolWriter| {
            let bytes: Vec<u8> = (0..length).map(|n| n as u8).collect();
            bytes.chunks(1_000).try_for_each(|part| writer.write_all(part))
        };
        make_long_answer(room, act).await.map(|(spool, ())| spool)
    }

    #[tokio::test]
    async fn an_answer_comes_back_whole_from_memory_and_from_a_file() {
        let room = Arc::new(Room::new(Bounds::default()));
        for length in [0, 1, PIECE, PIECE + 1, IN_MEMORY, IN_MEMORY * 4 + 7] {
            let mut spool = made(&room, length).await.expect("made");
            assert_eq!(room.usage(0)[2].2, length as u64);
            let mut got = Vec::new();
            if let Some(short) = spool.short() {
                got.extend_from_slice(&short);
                drop(spool);
            } else {
                let mut stream = std::pin::pin!(spool.into_stream(None));
                while let Some(piece) = stream.next().await {
                    got.extend_from_slice(&piece.expect("read"));
                }
            }
            assert!(got.len() == length && got.iter().enumerate().all(|(at, byte)| *byte == at as u8), "{length}");
            assert_eq!(room.usage(0)[2].2, 0, "the room is given back");
        }
    }

    #[tokio::test]
    async fn an_answer_beyond_the_bound_is_refused_and_leaves_nothing() {
        let mut bounds = Bounds::default();
        bounds.set("answer-bytes", "2000000").expect("valid");
        let room = Arc::new(Room::new(bounds));
        let first = made(&room, 1_500_000).await.expect("made");
        assert!(matches!(made(&room, 600_000).await, Err(NotMade::NoRoom(_))));
        assert_eq!(room.usage(0)[2].2, 1_500_000);
        drop(first);
        assert!(made(&room, 600_000).await.is_ok());
    }
}

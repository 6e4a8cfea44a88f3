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
    http::bounds::{BoundReached, ServerCapacity},
    world::WorldPass,
};

/// The most bytes of a response that are held in memory.
pub(crate) const MEMORY_MAX: usize = 256 * 1024;
const PIECE_BYTES: usize = 64 * 1024;

/// Why a long response was not made.
#[derive(Debug)]
pub(crate) enum LongResponseError<E> {
    BoundReached(BoundReached),
    /// The act itself failed.
    Failed(E),
    /// The act panicked, or the result could not be read.
    Broken,
}

/// Makes a long response on a blocking thread, after other long responses in the queue.
pub(crate) async fn make_long_response<T: Send + 'static, E: Send + 'static>(
    room: &Arc<ServerCapacity>,
    act: impl FnOnce(&mut SpoolWriter) -> Result<T, E> + Send + 'static,
) -> Result<(ResponseSpool, T), LongResponseError<E>> {
    let turn = room.acquire_maker().await.map_err(LongResponseError::BoundReached)?;
    let mut writer = SpoolWriter {
        spool: ResponseSpool { file: SpooledTempFile::new(MEMORY_MAX), length: 0, sent: 0, capacity: room.clone() },
        no_room: None,
    };
    let work = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let result = act(&mut writer);
        (writer, result)
    });
    let (mut writer, result) = work.await.map_err(|_| LongResponseError::Broken)?;
    match (writer.no_room, result) {
        (Some(why), _) => Err(LongResponseError::BoundReached(why)),
        (None, Err(why)) => Err(LongResponseError::Failed(why)),
        (None, Ok(result)) => match writer.spool.file.rewind() {
            Ok(()) => Ok((writer.spool, result)),
            Err(error) => {
                tracing::error!(%error, "a long response could not be read back");
                Err(LongResponseError::Broken)
            }
        },
    }
}

/// Receives a long response while it is made.
pub(crate) struct SpoolWriter {
    spool: ResponseSpool,
    no_room: Option<BoundReached>,
}

impl Write for SpoolWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Err(why) = self.spool.capacity.add_answer_bytes(bytes.len() as u64) {
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
pub(crate) struct ResponseSpool {
    file: SpooledTempFile,
    length: u64,
    sent: u64,
    capacity: Arc<ServerCapacity>,
}

impl Drop for ResponseSpool {
    fn drop(&mut self) {
        self.capacity.remove_answer_bytes(self.length);
    }
}

impl ResponseSpool {
    /// Returns the whole response if it is short enough to need no stream.
    pub(crate) fn take_short(&mut self) -> Option<Bytes> {
        if self.length > PIECE_BYTES as u64 {
            return None;
        }
        self.read_next().ok()
    }

    fn read_next(&mut self) -> io::Result<Bytes> {
        let mut piece =
            Vec::with_capacity(usize::try_from(self.length - self.sent).unwrap_or(PIECE_BYTES).min(PIECE_BYTES));
        (&mut self.file).take(PIECE_BYTES as u64).read_to_end(&mut piece)?;
        self.sent += piece.len() as u64;
        Ok(piece.into())
    }

    /// Sends the response piece by piece. Breaks off when the epoch of `pass` ends.
    pub(crate) fn into_stream(self, pass: Option<WorldPass>) -> impl Stream<Item = io::Result<Bytes>> {
        futures_util::stream::unfold(Some((self, pass)), |left| async move {
            let (spool, pass) = left?;
            if pass.as_ref().is_some_and(WorldPass::has_ended) {
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

async fn read_piece(mut spool: ResponseSpool) -> io::Result<(ResponseSpool, Bytes)> {
    // Reading from memory does not block.
    if !spool.file.is_rolled() {
        let piece = spool.read_next()?;
        return Ok((spool, piece));
    }
    let read = tokio::task::spawn_blocking(move || {
        let piece = spool.read_next()?;
        Ok((spool, piece))
    });
    read.await.map_err(io::Error::other)?
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;

    use super::*;
    use crate::http::bounds::Bounds;

    async fn make_spool(
        room: &Arc<ServerCapacity>,
        length: usize,
    ) -> Result<ResponseSpool, LongResponseError<io::Error>> {
        let act = move |writer: &mut SpoolWriter| {
            let bytes: Vec<u8> = (0..length).map(|n| n as u8).collect();
            bytes.chunks(1_000).try_for_each(|part| writer.write_all(part))
        };
        make_long_response(room, act).await.map(|(spool, ())| spool)
    }

    #[tokio::test]
    async fn an_answer_comes_back_whole_from_memory_and_from_a_file() {
        let room = Arc::new(ServerCapacity::new(Bounds::default()));
        for length in [0, 1, PIECE_BYTES, PIECE_BYTES + 1, MEMORY_MAX, MEMORY_MAX * 4 + 7] {
            let mut spool = make_spool(&room, length).await.expect("made");
            assert_eq!(room.usage(0)[2].2, length as u64);
            let mut got = Vec::new();
            if let Some(short) = spool.take_short() {
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
        let room = Arc::new(ServerCapacity::new(bounds));
        let first = make_spool(&room, 1_500_000).await.expect("made");
        assert!(matches!(make_spool(&room, 600_000).await, Err(LongResponseError::BoundReached(_))));
        assert_eq!(room.usage(0)[2].2, 1_500_000);
        drop(first);
        assert!(make_spool(&room, 600_000).await.is_ok());
    }
}

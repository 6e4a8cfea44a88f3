//! A long answer on its way from the thread that makes it to the connection that sends it, held up by a slow reader.

use std::{io, ops::ControlFlow, time::Duration};

use bytes::Bytes;
use futures_util::Stream;
use roost_wire::Refusal;
use tokio::{runtime::Handle, sync::mpsc};

use crate::world::Pass;

/// Pieces made ahead of the reader.
const AHEAD: usize = 8;
/// How long a reader may take for one piece.
const STALL: Duration = Duration::from_secs(30);

enum Piece {
    More(Bytes),
    Last(Bytes),
    Broken(Refusal),
}

/// The end that makes; used on a blocking thread.
pub struct Pipe {
    sender: mpsc::Sender<Piece>,
    runtime: Handle,
    /// Whose epoch the answer belongs to: it ends with that.
    pass: Option<Pass>,
}

/// The end that sends.
pub struct Drain {
    receiver: mpsc::Receiver<Piece>,
    has_ended: bool,
}

/// Must be called inside the runtime.
pub fn pipe(pass: Option<Pass>) -> (Pipe, Drain) {
    let (sender, receiver) = mpsc::channel(AHEAD);
    (Pipe { sender, runtime: Handle::current(), pass }, Drain { receiver, has_ended: false })
}

impl Pipe {
    /// Hands a piece on, waiting for room; breaks when nobody reads any more, or its epoch has ended.
    pub fn send(&self, piece: Vec<u8>) -> ControlFlow<()> {
        if self.pass.as_ref().is_some_and(Pass::is_old) {
            return ControlFlow::Break(());
        }
        self.put(Piece::More(piece.into()))
    }

    /// Hands on the last piece, or why there is none.
    pub fn end(self, last: Result<Vec<u8>, Refusal>) {
        if self.pass.as_ref().is_some_and(Pass::is_old) {
            return;
        }
        // Whether anybody still reads makes no difference now.
        let _ = self.put(match last {
            Ok(piece) => Piece::Last(piece.into()),
            Err(refusal) => Piece::Broken(refusal),
        });
    }

    fn put(&self, piece: Piece) -> ControlFlow<()> {
        let piece = match self.sender.try_send(piece) {
            Ok(()) => return ControlFlow::Continue(()),
            Err(mpsc::error::TrySendError::Closed(_)) => return ControlFlow::Break(()),
            Err(mpsc::error::TrySendError::Full(piece)) => piece,
        };
        let sent = async {
            let ended = async {
                match &self.pass {
                    Some(pass) => pass.ended().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                sent = tokio::time::timeout(STALL, self.sender.send(piece)) => matches!(sent, Ok(Ok(()))),
                () = ended => false,
            }
        };
        if self.runtime.block_on(sent) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

impl Drain {
    /// The next piece; none after the last. A maker that went away without an end broke off.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        if self.has_ended {
            return Ok(None);
        }
        let piece = self.receiver.recv().await.unwrap_or(Piece::Broken(Refusal::Internal));
        self.has_ended = !matches!(piece, Piece::More(_));
        match piece {
            Piece::More(piece) | Piece::Last(piece) => Ok(Some(piece)),
            Piece::Broken(refusal) => Err(refusal),
        }
    }

    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// `first`, then the rest. The head has left by then, so all that a failure can do is break the line.
    pub fn stream(self, first: Option<Bytes>) -> impl Stream<Item = io::Result<Bytes>> {
        futures_util::stream::unfold((first, self), |(first, mut drain)| async move {
            if let Some(piece) = first {
                return Some((Ok(piece), (None, drain)));
            }
            match drain.next().await {
                Ok(piece) => piece.map(|piece| (Ok(piece), (None, drain))),
                Err(_) => Some((Err(io::Error::other("the answer broke off")), (None, drain))),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pieces_come_in_order_and_a_slow_reader_holds_the_maker() {
        let (out, mut drain) = pipe(None);
        let maker = tokio::task::spawn_blocking(move || {
            for n in 0..100_u8 {
                assert!(out.send(vec![n]).is_continue());
            }
            out.end(Ok(vec![100]));
        });
        let mut got = Vec::new();
        while let Some(piece) = drain.next().await.expect("whole") {
            got.extend_from_slice(&piece);
        }
        maker.await.expect("made");
        assert_eq!(got, (0..=100).collect::<Vec<u8>>());
        assert!(drain.has_ended());
    }

    #[tokio::test]
    async fn a_maker_that_dies_and_a_reader_that_leaves_are_noticed() {
        let (out, mut drain) = pipe(None);
        drop(out);
        assert!(matches!(drain.next().await, Err(Refusal::Internal)));
        let (out, drain) = pipe(None);
        drop(drain);
        assert!(out.send(vec![1]).is_break());
    }
}

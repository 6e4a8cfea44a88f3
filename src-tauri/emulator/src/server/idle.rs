//! What is under way on one connection, and how long nothing has been.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::{sync::watch, time::timeout};

/// How many requests are under way.
#[derive(Clone, Default)]
pub struct UnderWay(watch::Sender<usize>);

/// One of them, until its answer has gone out or was given up.
pub struct One(UnderWay);

impl UnderWay {
    pub fn begin(&self) -> One {
        self.0.send_modify(|count| *count += 1);
        One(self.clone())
    }

    /// Waits until nothing has been under way for so long.
    pub async fn idles(&self, so_long: Duration) {
        let mut count = self.0.subscribe();
        loop {
            let is_idle = *count.borrow_and_update() == 0;
            // Also what began and ended between two looks is seen here. The sender is this, so it is there.
            let changed = count.changed();
            if !is_idle {
                let _ = changed.await;
            } else if timeout(so_long, changed).await.is_err() {
                return;
            }
        }
    }
}

impl Drop for One {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

/// The body of an answer, which is under way as long as it lives.
pub struct Going {
    pub body: Body,
    pub _one: One,
}

impl HttpBody for Going {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);
    const MINUTE: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn nothing_is_idle_while_something_is_under_way() {
        let (under_way, begun) = (UnderWay::default(), Instant::now());
        let (one, two) = (under_way.begin(), under_way.begin());
        drop(one);
        assert!(timeout(HOUR, under_way.idles(MINUTE)).await.is_err());
        drop(two);
        under_way.idles(MINUTE).await;
        assert_eq!(begun.elapsed(), HOUR + MINUTE);
    }

    #[tokio::test(start_paused = true)]
    async fn the_shortest_request_counts() {
        let (under_way, begun) = (UnderWay::default(), Instant::now());
        let asked = async {
            sleep(MINUTE / 2).await;
            drop(under_way.begin());
        };
        tokio::join!(asked, under_way.idles(MINUTE));
        assert_eq!(begun.elapsed(), MINUTE / 2 + MINUTE);
    }
}

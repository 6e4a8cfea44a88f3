//! Streams the journal as events: each line once, from where the reader stopped.

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
};
use bytes::Bytes;
use roost_journal::{Matcher, out::sse};
use roost_wire::QueryString;
use serde_json::json;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::{
    super::{
        error::AdminError,
        route::{HostRequest, read_flag},
    },
    JournalPosition,
    line::JournalLine,
    parse_filter, parse_parameter, wait_until_removed,
};
use crate::{
    http::{
        bounds::WaitPermit,
        response::{HttpResponse, typed_response},
    },
    world::{UseGuard, World},
};

const EVENT_STREAM_TYPE: HeaderValue = HeaderValue::from_static("text/event-stream");
const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// How often a quiet stream sends a sign of life.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// The number of lines read at once.
const BATCH: usize = 256;

/// An event stream and its position in the journal.
struct EventStream {
    world: Arc<World>,
    /// Listening counts as a use of the world.
    _held: UseGuard,
    _wait: WaitPermit,
    watch: watch::Receiver<(u64, u64)>,
    filter: Matcher,
    is_stable: bool,
    epoch: u64,
    seq: u64,
    ready: VecDeque<Bytes>,
}

/// Streams the lines after `Last-Event-ID`, after `since`, or from now on.
pub(crate) async fn stream_events(host_request: HostRequest) -> Result<HttpResponse, AdminError> {
    let HostRequest { world, request, .. } = host_request;
    let query = QueryString::parse(&request.query);
    let (filter, is_stable) = (parse_filter(&query)?, read_flag(&query, "stable")?);
    let from = match request.last_event_id.as_deref().map(str::trim).filter(|id| !id.is_empty()) {
        Some(id) => {
            Some(id.parse::<JournalPosition>().map_err(|why| AdminError::bad_query(format!("Last-Event-ID: {why}.")))?)
        }
        None => parse_parameter::<JournalPosition>(&query, "since")?,
    };
    let watch = world.journal.watch_position();
    let status = world.journal.status();
    let (epoch, seq) = match from {
        Some(place) => (place.epoch.unwrap_or(status.epoch), place.seq),
        None => (status.epoch, status.last),
    };
    // Tells browsers to reconnect after a second.
    let ready = VecDeque::from([Bytes::from_static(b"retry: 1000\n\n")]);
    let (wait, guard) = (world.begin_wait()?, UseGuard::new(world.clone()));
    let stream = EventStream { world, _held: guard, _wait: wait, watch, filter, is_stable, epoch, seq, ready };
    let pieces = futures_util::stream::unfold(stream, |mut stream| async {
        let piece = stream.next().await?;
        Some((Ok::<_, Infallible>(piece), stream))
    });
    let mut response = typed_response(StatusCode::OK, Body::from_stream(pieces), EVENT_STREAM_TYPE);
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    Ok(response)
}

impl EventStream {
    /// Returns the next piece, or `None` when the server stops or the world ends.
    async fn next(&mut self) -> Option<Bytes> {
        // Lines that do not match send nothing, so they do not delay the heartbeat.
        let quiet = Instant::now() + HEARTBEAT;
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            self.watch.borrow_and_update();
            let has_more = self.read_lines();
            if !self.ready.is_empty() {
                continue;
            }
            if has_more {
                // No line of the batch matched; other tasks get a turn before the rest.
                tokio::task::yield_now().await;
                continue;
            }
            tokio::select! {
                changed = self.watch.changed() => changed.ok()?,
                () = sleep_until(quiet) => return Some(sse::heartbeat()),
                () = self.world.resources.wait_for_stop() => return None,
                () = wait_until_removed(&self.world) => return None,
            }
        }
    }

    /// Reads the next lines and returns whether more follow.
    fn read_lines(&mut self) -> bool {
        let status = self.world.journal.status();
        if status.epoch != self.epoch || self.seq > status.last {
            (self.epoch, self.seq) = (status.epoch, 0);
            let data = json!({ "epoch": status.epoch }).to_string();
            self.ready.push_back(sse::write_event(Some((self.epoch, 0)), "reset", &data));
        }
        let found = self.world.journal.read_some_since(Some(self.seq), BATCH);
        if found.status.epoch != self.epoch {
            // The world was reset between the two reads; the watch reports it.
            return false;
        }
        if let Some(gap) = found.gap {
            let data = json!({ "first": gap.first, "last": gap.last }).to_string();
            self.ready.push_back(sse::write_event(Some((self.epoch, gap.last)), "gap", &data));
            self.seq = gap.last;
        }
        for line in &found.lines {
            self.seq = line.id;
            if self.filter.matches(line.as_ref()) {
                let data = roost_wire::paging::to_bytes(&JournalLine::from_exchange(line, self.is_stable));
                let data = String::from_utf8_lossy(&data);
                self.ready.push_back(sse::write_event(Some((self.epoch, line.id)), "request", &data));
            }
        }
        self.seq < found.status.last
    }
}

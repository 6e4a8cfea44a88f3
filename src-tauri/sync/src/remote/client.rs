//! Sends calls: each operation at its own pace, reads with retries, writes once, responses parsed as they arrive.

use std::{
    collections::HashSet,
    marker::PhantomData,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::StreamExt as _;
use roost_model::time::Timestamp;
use roost_outbound::{Body, Failure, Reply, Request};
use roost_reconcile::{
    answer::{Verdict, is_success, reads},
    pace::{Ended, LaneNow, Lanes},
    plan::Lane,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until, timeout},
};

use super::{
    Remote,
    answer::{Splitter, Unreadable},
    call::{Call, ContactsAsked, LinksAsked, ListsAsked, OptOutsAsked, PageAsked},
    clock,
    error::{Entry, Error, Refused},
    records::{Contact, Link, List, OptOut, Outcome, Record, Sender},
    settings::Settings,
};

/// The time limit for the head of a response to a write or to a read of all records, which may take the service long.
const HEAD_WITHIN: Duration = Duration::from_secs(60);
/// The time limit for the head of a page.
const PAGE_WITHIN: Duration = Duration::from_secs(30);
/// The time limit for each further piece of a response.
const PIECE_WITHIN: Duration = Duration::from_secs(30);
/// The number of attempts for a read, and for one that gets no response at all.
const TRIES: u32 = 5;
const SILENT_TRIES: u32 = 2;

/// The client of one service: sends calls within the rate limits and parses the responses.
pub struct Client {
    remote: Arc<dyn Remote>,
    settings: Settings,
    began: Instant,
    lanes: Mutex<Lanes>,
    /// Notified when a call of some lane has ended.
    freed: Notify,
    /// Whether the service has responded since the work began.
    is_met: AtomicBool,
    /// The service's time, and when it was received.
    told: Mutex<Option<(Timestamp, Instant)>>,
    /// The retry in progress.
    retry: Mutex<Option<Retry>>,
}

/// A failed read that is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The number of the retry, from 1.
    pub number: u32,
    /// The status of the failed response, if there was one.
    pub status: Option<u16>,
}

/// The right to send one call of one lane. It occupies the lane until the response is read or the turn is dropped.
pub struct Turn<'c> {
    client: &'c Client,
    lane: Lane,
    /// The end that the call would have if it ended here.
    so_far: Ended,
}

/// A write that the service accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub status: u16,
    /// The outcomes of an opt-out request, entry by entry.
    pub outcomes: Vec<Outcome>,
    body: Value,
}

impl Done {
    /// Returns the identifier of the created list, if the response names it.
    pub fn uid(&self) -> Option<&str> {
        self.body["uid"].as_str()
    }

    /// Returns the created link, if the response shows it.
    pub fn link(&self) -> Option<Link> {
        serde_json::from_value(self.body.clone()).ok()
    }
}

/// One page of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The number of records on all pages, as the service counts them.
    pub total: u64,
    pub pages: u64,
    /// Without duplicates.
    pub items: Vec<T>,
}

impl Client {
    pub fn new(remote: Arc<dyn Remote>, settings: Settings) -> Self {
        let lanes = Mutex::new(Lanes::new(settings.rate, settings.together));
        let (is_met, told, retry) = (AtomicBool::new(false), Mutex::default(), Mutex::default());
        Self { remote, settings, began: Instant::now(), lanes, freed: Notify::new(), is_met, told, retry }
    }

    /// Limits the initial pace to the calls a second that earlier runs learnt. The rate limit stays.
    #[must_use]
    pub fn beginning_at(self, calls_per_second: u32) -> Self {
        let lanes = self.lanes().clone().beginning_at(calls_per_second);
        Self { lanes: Mutex::new(lanes), ..self }
    }

    /// Returns the present state of every lane that was used.
    pub fn lanes_now(&self) -> Vec<LaneNow> {
        self.lanes().now(self.now())
    }

    /// Returns the calls a second to begin with the next time, given this time's.
    pub fn learnt(&self, before: u32) -> u32 {
        self.lanes().learnt(before)
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn retry(&self) -> Option<Retry> {
        *self.retry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_retry(&self, retry: Option<Retry>) {
        *self.retry.lock().unwrap_or_else(PoisonError::into_inner) = retry;
    }

    /// Begins another piece of work. If the service cannot be reached, the first call then reports it at once without
    /// retrying.
    pub fn begin_work(&self) {
        self.is_met.store(false, Ordering::Relaxed);
    }

    /// Returns the earliest time in seconds that the service's clock can show now, or `None` if it has not sent one.
    pub fn service_time(&self) -> Option<i64> {
        let told = *self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.map(|(at, heard)| at.unix() + heard.elapsed().as_secs() as i64)
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Waits until the lane may send. Anything that has to be on disk before a request leaves is stored between this
    /// and [`Turn::send`].
    pub async fn turn(&self, lane: Lane) -> Turn<'_> {
        loop {
            let freed = self.freed.notified();
            let when = {
                let (mut lanes, now) = (self.lanes(), self.now());
                if lanes.start(lane, now) {
                    return Turn { client: self, lane, so_far: Ended::Answered };
                }
                lanes.when(lane, now)
            };
            match when {
                Some(at) => {
                    // A call that ends meanwhile can only postpone the time, which the next round notices.
                    sleep_until(self.began + Duration::from_millis(at)).await;
                }
                None => freed.await,
            }
        }
    }

    /// Retries a read while that may help. Its lane waits longer each time.
    async fn repeated<T, F: Future<Output = Result<T, Error>>>(&self, read: impl Fn() -> F) -> Result<T, Error> {
        let (mut tries, mut silent) = (0, 0);
        loop {
            let result = read().await;
            if tries > 0 {
                self.set_retry(None);
            }
            let Err(error) = result else { return result };
            tries += 1;
            silent += u32::from(error.is_silent());
            if tries == TRIES || silent == SILENT_TRIES || !self.may_repeat(&error) {
                return Err(error);
            }
            self.set_retry(Some(Retry { number: tries, status: error.answer().map(|refused| refused.status) }));
        }
    }

    /// Returns whether the same call may succeed soon.
    pub fn may_repeat(&self, error: &Error) -> bool {
        let nobody_is_there = (error.never_left() || error.is_silent()) && !self.is_met.load(Ordering::Relaxed);
        matches!(error.verdict, Verdict::Again | Verdict::Throttled { .. }) && !error.is_permanent() && !nobody_is_there
    }

    async fn begin(&self, call: &Call) -> Result<Answering<'_>, Error> {
        self.turn(call.lane).await.begin(call).await
    }

    /// Sends a read and returns the whole page, retrying failures that may pass.
    pub async fn page<T: Record>(&self, call: &Call) -> Result<Page<T>, Error> {
        self.repeated(|| self.page_once(call)).await
    }

    /// Reads a page without retrying, because somebody waits for the result.
    pub async fn page_once<T: Record>(&self, call: &Call) -> Result<Page<T>, Error> {
        Reading::new(self.begin(call).await?).whole().await
    }

    /// Reads the record that the path names, if it exists.
    async fn one<T: DeserializeOwned>(&self, call: &Call) -> Result<Option<T>, Error> {
        let read = || async move {
            let mut answer = self.begin(call).await?;
            while answer.next::<Value>().await?.is_some() {}
            answer.finish()
        };
        match self.repeated(read).await {
            Ok(body) => {
                let read = serde_json::from_value(body);
                read.map(Some).map_err(|_| Error::unreadable(call.lane, Unreadable::NotJson))
            }
            Err(error) if error.verdict == Verdict::Gone => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub async fn senders(&self, page: PageAsked) -> Result<Page<Sender>, Error> {
        self.page(&Call::senders(page)).await
    }

    pub async fn sender(&self, id: &str) -> Result<Option<Sender>, Error> {
        self.one(&Call::sender(id)).await
    }

    pub async fn lists(&self, asked: &ListsAsked<'_>) -> Result<Page<List>, Error> {
        self.page(&Call::lists(asked)).await
    }

    pub async fn contacts(&self, list: &str, asked: &ContactsAsked<'_>) -> Result<Page<Contact>, Error> {
        self.page(&Call::contacts(list, asked)).await
    }

    /// Reads all contacts of a list from one response, piece by piece, without retrying.
    pub async fn all_contacts(&self, list: &str) -> Result<Reading<'_, Contact>, Error> {
        self.begin(&Call::contacts(list, &ContactsAsked::All)).await.map(Reading::new)
    }

    pub async fn opt_outs(&self, asked: &OptOutsAsked<'_>) -> Result<Page<OptOut>, Error> {
        self.page(&Call::opt_outs(asked)).await
    }

    pub async fn links(&self, asked: &LinksAsked<'_>) -> Result<Page<Link>, Error> {
        self.page(&Call::links(asked)).await
    }

    pub async fn link(&self, id: &str) -> Result<Option<Link>, Error> {
        self.one(&Call::link(id)).await
    }
}

impl<'c> Turn<'c> {
    /// Sends a write, once. The caller decides what to do if it fails.
    pub async fn send(self, call: &Call) -> Result<Done, Error> {
        let mut answer = self.begin(call).await?;
        let status = answer.status;
        let read = async {
            let mut outcomes = Vec::new();
            while let Some(more) = answer.next().await? {
                outcomes.extend(more);
            }
            Ok::<_, Error>((outcomes, answer.finish()?))
        };
        match read.await {
            Ok((outcomes, body)) => Ok(Done { status, outcomes, body }),
            // A 204 has no content that could be lost.
            Err(_) if status == 204 => Ok(Done { status, outcomes: Vec::new(), body: Value::Null }),
            Err(error) => Err(error),
        }
    }

    /// Sends the request and reads the head of its response. An error response is read as a whole.
    async fn begin(mut self, call: &Call) -> Result<Answering<'c>, Error> {
        debug_assert_eq!(self.lane, call.lane, "BUG: another lane's turn");
        let Settings { key, paths, read_only, .. } = &self.client.settings;
        if *read_only && !reads(self.lane) {
            return Err(Error::read_only(self.lane));
        }
        let request = Request {
            method: call.method(),
            url: format!("{}{}", self.client.settings.base(), call.target(paths)),
            key: key.clone(),
            body: call.body().cloned(),
        };
        self.so_far = Ended::Lost;
        let within = if call.is_page() { PAGE_WITHIN } else { HEAD_WITHIN };
        let reply = timeout(within, self.client.remote.carry(request)).await;
        let Reply { status, retry_after, date, body } = match reply.unwrap_or(Err(Failure::TimedOut(within))) {
            Ok(reply) => reply,
            Err(failure) => {
                let error = Error::failed(self.lane, failure);
                // Waiting does not spare a service that cannot be reached.
                if error.never_left() && !self.client.is_met.load(Ordering::Relaxed) {
                    self.so_far = Ended::Answered;
                }
                return Err(error);
            }
        };
        self.client.is_met.store(true, Ordering::Relaxed);
        let date = date.as_deref().and_then(clock::date);
        if let Some(date) = date {
            *self.client.told.lock().unwrap_or_else(PoisonError::into_inner) = Some((date, Instant::now()));
        }
        tracing::debug!(lane = self.lane.name(), status, "answered");
        let mut answer = Answering { turn: self, status, body, splitter: Splitter::default() };
        if is_success(answer.turn.lane, status) {
            return Ok(answer);
        }
        let mut entries: Vec<Entry> = Vec::new();
        // A refusal counts even if its body is incomplete or unreadable.
        while let Ok(Some(more)) = answer.next::<Value>().await {
            entries.extend(more.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()));
        }
        let refused = Refused::read(status, answer.splitter.so_far(), entries);
        let retry_after = retry_after.and_then(|told| clock::wait(&told, date));
        let after_burst = answer.turn.client.lanes().is_burst(answer.turn.lane);
        let error = Error::refused(answer.turn.lane, refused, retry_after, after_burst);
        answer.turn.so_far = match error.verdict {
            _ if error.is_busy() => Ended::Throttled { retry_after },
            Verdict::Throttled { retry_after } => Ended::Throttled { retry_after },
            Verdict::Again | Verdict::Uncertain => Ended::Lost,
            Verdict::Done | Verdict::Gone | Verdict::Refused(_) | Verdict::TooLarge | Verdict::Stop(_) => {
                Ended::Answered
            }
        };
        Err(error)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.client.lanes().end(self.lane, self.client.now(), self.so_far);
        self.client.freed.notify_waiters();
    }
}

/// A response in progress.
struct Answering<'c> {
    turn: Turn<'c>,
    status: u16,
    body: Body,
    splitter: Splitter,
}

impl Answering<'_> {
    /// Returns the elements that the next piece completes, or `None` after the last piece.
    async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<Vec<T>>, Error> {
        let lane = self.turn.lane;
        let piece = match timeout(PIECE_WITHIN, self.body.next()).await {
            Err(_) => return Err(Error::failed(lane, Failure::TimedOut(PIECE_WITHIN))),
            Ok(None) => return Ok(None),
            Ok(Some(piece)) => piece.map_err(|failure| Error::failed(lane, failure))?,
        };
        let mut found = Vec::new();
        let fed = self.splitter.feed(&piece, |element| {
            found.push(serde_json::from_slice(element).map_err(|_| Unreadable::NotJson)?);
            Ok(())
        });
        fed.map(|()| Some(found)).map_err(|why| Error::unreadable(lane, why))
    }

    /// Parses the text around the elements, after the last piece.
    fn finish(&mut self) -> Result<Value, Error> {
        let lane = self.turn.lane;
        self.turn.so_far = Ended::Answered;
        let around = mem::take(&mut self.splitter).finish().map_err(|why| Error::unreadable(lane, why))?;
        // A 204 has no content.
        if around.trim_ascii().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&around).map_err(|_| Error::unreadable(lane, Unreadable::NotJson))
    }
}

/// The elements of a query as they arrive.
pub struct Reading<'c, T> {
    answer: Answering<'c>,
    left: Option<(u64, u64)>,
    record: PhantomData<T>,
}

impl<'c, T: Record> Reading<'c, T> {
    fn new(answer: Answering<'c>) -> Self {
        Self { answer, left: None, record: PhantomData }
    }

    /// Returns the elements of the next piece, duplicates included, or `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<T>>, Error> {
        if self.left.is_some() {
            return Ok(None);
        }
        let more = self.answer.next().await?;
        if more.is_none() {
            let body = self.answer.finish()?;
            let count = |key: &str| match &body["paging"][key] {
                Value::String(text) => text.parse().ok(),
                other => other.as_u64(),
            };
            // Without a total, an incomplete response could not be recognised.
            let total = count("total_items");
            let total = total.ok_or_else(|| Error::unreadable(self.answer.turn.lane, Unreadable::NotJson))?;
            self.left = Some((total, count("total_pages").unwrap_or(u64::MAX)));
        }
        Ok(more)
    }

    /// Returns the total and the number of pages, once all elements are read.
    pub fn paging(&self) -> Option<(u64, u64)> {
        self.left
    }

    async fn whole(mut self) -> Result<Page<T>, Error> {
        let (mut items, mut known) = (Vec::new(), HashSet::new());
        while let Some(more) = self.next().await? {
            items.extend(more.into_iter().filter(|item| item.uid().is_empty() || known.insert(item.uid().to_owned())));
        }
        let (total, pages) = self.left.unwrap_or_default();
        Ok(Page { total, pages, items })
    }
}

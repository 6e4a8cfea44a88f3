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
use roost_outbound::{CallFailure, ResponseBody, ServiceRequest, ServiceResponse};
use roost_reconcile::{
    pace::{CallEnd, LanePaces, LaneStatus},
    plan::Lane,
    response::{ResponseMeaning, is_read, is_success},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until, timeout},
};

use super::{
    ServiceTransport,
    call::{ContactsParams, LinksParams, ListsParams, OptOutsParams, PageParams, ServiceCall},
    clock,
    error::{ErrorEntry, ErrorResponse, ServiceError},
    records::{OptOutOutcome, RemoteContact, RemoteLink, RemoteList, RemoteOptOut, RemoteRecord, RemoteSender},
    settings::ConnectionSettings,
    splitter::{ResponseSplitter, UnreadableResponse},
};

/// The time limit for the head of a response to a write or to a read of all records, which may take the service long.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
/// The time limit for the head of a page.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for each further piece of a response.
const PIECE_TIMEOUT: Duration = Duration::from_secs(30);
/// The number of attempts for a read, and for one that gets no response at all.
const MAX_ATTEMPTS: u32 = 5;
const MAX_SILENT_ATTEMPTS: u32 = 2;

/// The client of one service: sends calls within the rate limits and parses the responses.
pub struct Client {
    remote: Arc<dyn ServiceTransport>,
    settings: ConnectionSettings,
    began: Instant,
    lanes: Mutex<LanePaces>,
    /// Notified when a call of some lane has ended.
    freed: Notify,
    /// Whether the service has responded since the work began.
    has_responded: AtomicBool,
    /// The service's time, and when it was received.
    service_clock: Mutex<Option<(Timestamp, Instant)>>,
    /// The retry in progress.
    retry: Mutex<Option<RetryStatus>>,
}

/// A failed read that is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryStatus {
    /// The number of the retry, from 1.
    pub number: u32,
    /// The status of the failed response, if there was one.
    pub status: Option<u16>,
}

/// The right to send one call of one lane. It occupies the lane until the response is read or the turn is dropped.
pub struct LaneTurn<'c> {
    client: &'c Client,
    lane: Lane,
    /// The end that the call would have if it ended here.
    end_so_far: CallEnd,
}

/// A write that the service accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptedWrite {
    pub status: u16,
    /// The outcomes of an opt-out request, entry by entry.
    pub outcomes: Vec<OptOutOutcome>,
    body: Value,
}

impl AcceptedWrite {
    /// Returns the identifier of the created list, if the response names it.
    pub fn uid(&self) -> Option<&str> {
        self.body["uid"].as_str()
    }

    /// Returns the created link, if the response shows it.
    pub fn link(&self) -> Option<RemoteLink> {
        serde_json::from_value(self.body.clone()).ok()
    }
}

/// One page of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordPage<T> {
    /// The number of records on all pages, as the service counts them.
    pub total: u64,
    pub pages: u64,
    /// Without duplicates.
    pub items: Vec<T>,
}

impl Client {
    pub fn new(remote: Arc<dyn ServiceTransport>, settings: ConnectionSettings) -> Self {
        let lanes = Mutex::new(LanePaces::new(settings.rate, settings.together));
        let (has_responded, service_clock, retry) = (AtomicBool::new(false), Mutex::default(), Mutex::default());
        Self {
            remote,
            settings,
            began: Instant::now(),
            lanes,
            freed: Notify::new(),
            has_responded,
            service_clock,
            retry,
        }
    }

    /// Limits the initial pace to the calls a second that earlier runs learnt. The rate limit stays.
    #[must_use]
    pub fn with_starting_rate(self, calls_per_second: u32) -> Self {
        let lanes = self.lock_lanes().clone().with_starting_rate(calls_per_second);
        Self { lanes: Mutex::new(lanes), ..self }
    }

    /// Returns the present state of every lane that was used.
    pub fn lane_statuses(&self) -> Vec<LaneStatus> {
        self.lock_lanes().lane_statuses(self.elapsed_ms())
    }

    /// Returns the calls a second to begin with the next time, given this time's.
    pub fn next_starting_rate(&self, before: u32) -> u32 {
        self.lock_lanes().next_starting_rate(before)
    }

    pub fn settings(&self) -> &ConnectionSettings {
        &self.settings
    }

    pub fn retry(&self) -> Option<RetryStatus> {
        *self.retry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_retry(&self, retry: Option<RetryStatus>) {
        *self.retry.lock().unwrap_or_else(PoisonError::into_inner) = retry;
    }

    /// Begins another piece of work. If the service cannot be reached, the first call then reports it at once without
    /// retrying.
    pub fn begin_work(&self) {
        self.has_responded.store(false, Ordering::Relaxed);
    }

    /// Returns the earliest time in seconds that the service's clock can show now, or `None` if it has not sent one.
    pub fn service_time(&self) -> Option<i64> {
        let clock = *self.service_clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.map(|(at, heard)| at.unix() + heard.elapsed().as_secs() as i64)
    }

    fn lock_lanes(&self) -> MutexGuard<'_, LanePaces> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn elapsed_ms(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    /// Waits until the lane may send. Anything that has to be on disk before a request leaves is stored between this
    /// and [`LaneTurn::send`].
    pub async fn wait_for_turn(&self, lane: Lane) -> LaneTurn<'_> {
        loop {
            let freed = self.freed.notified();
            let when = {
                let (mut lanes, now) = (self.lock_lanes(), self.elapsed_ms());
                if lanes.start_call(lane, now) {
                    return LaneTurn { client: self, lane, end_so_far: CallEnd::Answered };
                }
                lanes.next_start(lane, now)
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
    async fn retry_read<T, F: Future<Output = Result<T, ServiceError>>>(
        &self,
        read: impl Fn() -> F,
    ) -> Result<T, ServiceError> {
        let (mut tries, mut silent) = (0, 0);
        loop {
            let result = read().await;
            if tries > 0 {
                self.set_retry(None);
            }
            let Err(error) = result else { return result };
            tries += 1;
            silent += u32::from(error.is_silent());
            if tries == MAX_ATTEMPTS || silent == MAX_SILENT_ATTEMPTS || !self.can_retry(&error) {
                return Err(error);
            }
            self.set_retry(Some(RetryStatus { number: tries, status: error.response().map(|refused| refused.status) }));
        }
    }

    /// Returns whether the same call may succeed soon.
    pub fn can_retry(&self, error: &ServiceError) -> bool {
        let nobody_is_there = (error.never_left() || error.is_silent()) && !self.has_responded.load(Ordering::Relaxed);
        matches!(error.verdict, ResponseMeaning::Again | ResponseMeaning::Throttled { .. })
            && !error.is_permanent()
            && !nobody_is_there
    }

    async fn begin_call(&self, call: &ServiceCall) -> Result<IncomingResponse<'_>, ServiceError> {
        self.wait_for_turn(call.lane).await.send_request(call).await
    }

    /// Sends a read and returns the whole page, retrying failures that may pass.
    pub async fn read_page<T: RemoteRecord>(&self, call: &ServiceCall) -> Result<RecordPage<T>, ServiceError> {
        self.retry_read(|| self.read_page_once(call)).await
    }

    /// Reads a page without retrying, because somebody waits for the result.
    pub async fn read_page_once<T: RemoteRecord>(&self, call: &ServiceCall) -> Result<RecordPage<T>, ServiceError> {
        RecordStream::new(self.begin_call(call).await?).collect_page().await
    }

    /// Reads the record that the path names, if it exists.
    async fn read_record<T: DeserializeOwned>(&self, call: &ServiceCall) -> Result<Option<T>, ServiceError> {
        let read = || async move {
            let mut answer = self.begin_call(call).await?;
            while answer.next::<Value>().await?.is_some() {}
            answer.finish()
        };
        match self.retry_read(read).await {
            Ok(body) => {
                let read = serde_json::from_value(body);
                read.map(Some).map_err(|_| ServiceError::from_unreadable(call.lane, UnreadableResponse::NotJson))
            }
            Err(error) if error.verdict == ResponseMeaning::Gone => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub async fn query_senders(&self, page: PageParams) -> Result<RecordPage<RemoteSender>, ServiceError> {
        self.read_page(&ServiceCall::query_senders(page)).await
    }

    pub async fn get_sender(&self, id: &str) -> Result<Option<RemoteSender>, ServiceError> {
        self.read_record(&ServiceCall::get_sender(id)).await
    }

    pub async fn query_lists(&self, params: &ListsParams<'_>) -> Result<RecordPage<RemoteList>, ServiceError> {
        self.read_page(&ServiceCall::query_lists(params)).await
    }

    pub async fn query_contacts(
        &self,
        list: &str,
        params: &ContactsParams<'_>,
    ) -> Result<RecordPage<RemoteContact>, ServiceError> {
        self.read_page(&ServiceCall::query_contacts(list, params)).await
    }

    /// Reads all contacts of a list from one response, piece by piece, without retrying.
    pub async fn stream_contacts(&self, list: &str) -> Result<RecordStream<'_, RemoteContact>, ServiceError> {
        self.begin_call(&ServiceCall::query_contacts(list, &ContactsParams::All)).await.map(RecordStream::new)
    }

    pub async fn query_opt_outs(&self, params: &OptOutsParams<'_>) -> Result<RecordPage<RemoteOptOut>, ServiceError> {
        self.read_page(&ServiceCall::query_opt_outs(params)).await
    }

    pub async fn search_links(&self, params: &LinksParams<'_>) -> Result<RecordPage<RemoteLink>, ServiceError> {
        self.read_page(&ServiceCall::search_links(params)).await
    }

    pub async fn get_link(&self, id: &str) -> Result<Option<RemoteLink>, ServiceError> {
        self.read_record(&ServiceCall::get_link(id)).await
    }
}

impl<'c> LaneTurn<'c> {
    /// Sends a write, once. The caller decides what to do if it fails.
    pub async fn send(self, call: &ServiceCall) -> Result<AcceptedWrite, ServiceError> {
        let mut answer = self.send_request(call).await?;
        let status = answer.status;
        let read = async {
            let mut outcomes = Vec::new();
            while let Some(more) = answer.next().await? {
                outcomes.extend(more);
            }
            Ok::<_, ServiceError>((outcomes, answer.finish()?))
        };
        match read.await {
            Ok((outcomes, body)) => Ok(AcceptedWrite { status, outcomes, body }),
            // A 204 has no content that could be lost.
            Err(_) if status == 204 => Ok(AcceptedWrite { status, outcomes: Vec::new(), body: Value::Null }),
            Err(error) => Err(error),
        }
    }

    /// Sends the request and reads the head of its response. An error response is read as a whole.
    async fn send_request(mut self, call: &ServiceCall) -> Result<IncomingResponse<'c>, ServiceError> {
        debug_assert_eq!(self.lane, call.lane, "BUG: another lane's turn");
        let ConnectionSettings { key, paths, read_only, .. } = &self.client.settings;
        if *read_only && !is_read(self.lane) {
            return Err(ServiceError::read_only(self.lane));
        }
        let request = ServiceRequest {
            method: call.method(),
            url: format!("{}{}", self.client.settings.base(), call.request_target(paths)),
            key: key.clone(),
            body: call.body().cloned(),
        };
        self.end_so_far = CallEnd::Lost;
        let within = if call.is_page() { PAGE_TIMEOUT } else { HEAD_TIMEOUT };
        let reply = timeout(within, self.client.remote.carry_request(request)).await;
        let ServiceResponse { status, retry_after, date, body } =
            match reply.unwrap_or(Err(CallFailure::TimedOut(within))) {
                Ok(reply) => reply,
                Err(failure) => {
                    let error = ServiceError::from_failure(self.lane, failure);
                    // Waiting does not spare a service that cannot be reached.
                    if error.never_left() && !self.client.has_responded.load(Ordering::Relaxed) {
                        self.end_so_far = CallEnd::Answered;
                    }
                    return Err(error);
                }
            };
        self.client.has_responded.store(true, Ordering::Relaxed);
        let date = date.as_deref().and_then(clock::parse_date);
        if let Some(date) = date {
            *self.client.service_clock.lock().unwrap_or_else(PoisonError::into_inner) = Some((date, Instant::now()));
        }
        tracing::debug!(lane = self.lane.name(), status, "answered");
        let mut answer = IncomingResponse { turn: self, status, body, splitter: ResponseSplitter::default() };
        if is_success(answer.turn.lane, status) {
            return Ok(answer);
        }
        let mut entries: Vec<ErrorEntry> = Vec::new();
        // A refusal counts even if its body is incomplete or unreadable.
        while let Ok(Some(more)) = answer.next::<Value>().await {
            entries.extend(more.into_iter().filter_map(|entry| serde_json::from_value(entry).ok()));
        }
        let refused = ErrorResponse::parse(status, answer.splitter.text_so_far(), entries);
        let retry_after = retry_after.and_then(|wait| clock::parse_wait(&wait, date));
        let after_burst = answer.turn.client.lock_lanes().is_burst(answer.turn.lane);
        let error = ServiceError::from_response(answer.turn.lane, refused, retry_after, after_burst);
        answer.turn.end_so_far = match error.verdict {
            _ if error.is_busy() => CallEnd::Throttled { retry_after },
            ResponseMeaning::Throttled { retry_after } => CallEnd::Throttled { retry_after },
            ResponseMeaning::Again | ResponseMeaning::Uncertain => CallEnd::Lost,
            ResponseMeaning::Done
            | ResponseMeaning::Gone
            | ResponseMeaning::Refused(_)
            | ResponseMeaning::TooLarge
            | ResponseMeaning::Stop(_) => CallEnd::Answered,
        };
        Err(error)
    }
}

impl Drop for LaneTurn<'_> {
    fn drop(&mut self) {
        self.client.lock_lanes().end_call(self.lane, self.client.elapsed_ms(), self.end_so_far);
        self.client.freed.notify_waiters();
    }
}

/// A response in progress.
struct IncomingResponse<'c> {
    turn: LaneTurn<'c>,
    status: u16,
    body: ResponseBody,
    splitter: ResponseSplitter,
}

impl IncomingResponse<'_> {
    /// Returns the elements that the next piece completes, or `None` after the last piece.
    async fn next<T: DeserializeOwned>(&mut self) -> Result<Option<Vec<T>>, ServiceError> {
        let lane = self.turn.lane;
        let piece = match timeout(PIECE_TIMEOUT, self.body.next()).await {
            Err(_) => return Err(ServiceError::from_failure(lane, CallFailure::TimedOut(PIECE_TIMEOUT))),
            Ok(None) => return Ok(None),
            Ok(Some(piece)) => piece.map_err(|failure| ServiceError::from_failure(lane, failure))?,
        };
        let mut found = Vec::new();
        let fed = self.splitter.feed(&piece, |element| {
            found.push(serde_json::from_slice(element).map_err(|_| UnreadableResponse::NotJson)?);
            Ok(())
        });
        fed.map(|()| Some(found)).map_err(|why| ServiceError::from_unreadable(lane, why))
    }

    /// Parses the text around the elements, after the last piece.
    fn finish(&mut self) -> Result<Value, ServiceError> {
        let lane = self.turn.lane;
        self.turn.end_so_far = CallEnd::Answered;
        let around = mem::take(&mut self.splitter).finish().map_err(|why| ServiceError::from_unreadable(lane, why))?;
        // A 204 has no content.
        if around.trim_ascii().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&around).map_err(|_| ServiceError::from_unreadable(lane, UnreadableResponse::NotJson))
    }
}

/// The elements of a query as they arrive.
pub struct RecordStream<'c, T> {
    answer: IncomingResponse<'c>,
    left: Option<(u64, u64)>,
    record: PhantomData<T>,
}

impl<'c, T: RemoteRecord> RecordStream<'c, T> {
    fn new(answer: IncomingResponse<'c>) -> Self {
        Self { answer, left: None, record: PhantomData }
    }

    /// Returns the elements of the next piece, duplicates included, or `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<T>>, ServiceError> {
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
            let total = total
                .ok_or_else(|| ServiceError::from_unreadable(self.answer.turn.lane, UnreadableResponse::NotJson))?;
            self.left = Some((total, count("total_pages").unwrap_or(u64::MAX)));
        }
        Ok(more)
    }

    /// Returns the total and the number of pages, once all elements are read.
    pub fn totals(&self) -> Option<(u64, u64)> {
        self.left
    }

    async fn collect_page(mut self) -> Result<RecordPage<T>, ServiceError> {
        let (mut items, mut known) = (Vec::new(), HashSet::new());
        while let Some(more) = self.next().await? {
            items.extend(more.into_iter().filter(|item| item.uid().is_empty() || known.insert(item.uid().to_owned())));
        }
        let (total, pages) = self.left.unwrap_or_default();
        Ok(RecordPage { total, pages, items })
    }
}

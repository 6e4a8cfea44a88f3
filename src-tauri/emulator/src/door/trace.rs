//! Records one request while it is answered. Does nothing while the journal is off.

use std::{borrow::Cow, time::Instant};

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, Method, header, request},
};
use bytes::Bytes;
use futures_util::StreamExt;
use hyper::body::Body as _;
use roost_journal::{
    Exchange, Journal, JournalTime, RecordedBody, RecordedHeaders, RecordedMessage, RefusalCause, RefusalCheck,
    cause_order::OngoingAct, elapsed_micros, is_unmatched, mask,
};

use crate::{
    access::KEY_HEADER,
    http::{CountedRequest, RequestKind, RequestTally, response::HttpResponse},
    world::World,
};

/// The record of one request, which is counted even if it is not recorded. If it is dropped before the end, it records
/// that the caller left.
pub(crate) struct RequestTrace<'t> {
    counted: CountedRequest<'t>,
    draft: Option<Box<PendingLine>>,
}

struct PendingLine {
    journal: Journal,
    begun: Instant,
    line: Exchange,
    /// The length of the body that the head announced.
    announced: u64,
    /// Whether the bodies of request and response may hold a secret.
    withholds_body: bool,
    /// Whether the line is left out, unless the request is unmatched or the gate refuses it.
    is_unlisted: bool,
    order: LineOrder,
}

/// The position of the line relative to lines of the same cause.
enum LineOrder {
    Any,
    /// Before the lines of the work that the request causes.
    First(OngoingAct),
    /// After the line of the request that caused it.
    Follows,
}

impl<'t> RequestTrace<'t> {
    /// `is_operators` says whether the path belongs to the admin interface or the health checks.
    pub(crate) fn begin(tally: &'t RequestTally, world: &World, parts: &request::Parts, is_operators: bool) -> Self {
        let counted = CountedRequest::begin(tally);
        if !world.journal.is_on() {
            return Self { counted, draft: None };
        }
        let is_unlisted = is_operators && !world.journal.records_admin();
        let target = parts.uri.path_and_query().map_or(parts.uri.path(), |target| target.as_str());
        let (key, key_print) = parts.headers.get(KEY_HEADER).map(|key| mask::mask_key(key.as_bytes())).unzip();
        // A number identifies the effects of a request. A request that is not recorded has none.
        let (number, epoch) = if is_unlisted { (0, world.journal.epoch()) } else { world.journal.next_number() };
        let line = Exchange {
            number,
            epoch,
            at: JournalTime::now(&world.core),
            real_at: JournalTime::real_now(&world.core),
            method: method_name(&parts.method),
            target: mask::mask_target(target),
            key,
            key_print,
            request: RecordedMessage { headers: mask_headers(&parts.headers), body: RecordedBody::None },
            ..Exchange::default()
        };
        let announced = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        let draft = PendingLine {
            journal: world.journal.clone(),
            begun: counted.begun,
            line,
            announced: announced.unwrap_or(0),
            withholds_body: false,
            is_unlisted,
            order: LineOrder::Any,
        };
        Self { counted, draft: Some(Box::new(draft)) }
    }

    /// Discards the record, so that nothing is written even if the request breaks off.
    pub(crate) fn discard(&mut self) {
        self.draft = None;
    }

    /// Sets the kind of the request.
    pub(crate) fn set_operation(&mut self, kind: RequestKind) {
        self.counted.kind = kind;
        if let Some(draft) = &mut self.draft {
            draft.line.operation = Some(kind.name().into());
        }
    }

    /// Sets the admin route of the request.
    pub(crate) fn set_route(&mut self, name: &str) {
        if let Some(draft) = &mut self.draft {
            draft.line.operation = Some(format!("{}.{name}", RequestKind::Admin.name()).into());
        }
    }

    /// Records no byte of the bodies of request and response, because they may hold a secret.
    pub(crate) fn withhold_body(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.withholds_body = true;
        }
    }

    pub(crate) fn set_body(&mut self, body: &Bytes) {
        if let Some(draft) = &mut self.draft {
            draft.line.request.body = draft.withhold_if_secret(RecordedBody::from_body(body));
        }
    }

    /// Sets the reason of a refusal. The first reason counts, because it is nearest to the cause.
    pub(crate) fn set_refusal<W: Into<RefusalCause>>(&mut self, why: impl FnOnce() -> W) {
        if let Some(draft) = &mut self.draft
            && draft.line.why.is_none()
        {
            let why = why().into();
            // The reason for a bad body quotes the body.
            let quotes = draft.withholds_body && matches!(why.check, RefusalCheck::Parsing | RefusalCheck::Validation);
            let withheld = || RefusalCause::new(why.check, "The body is not valid. It may contain a secret.");
            draft.line.why = Some(if quotes { withheld() } else { why });
        }
    }

    /// Assigns the request to the current epoch, if the world was reset while it waited.
    pub(crate) fn enter_world(&mut self) {
        if let Some(draft) = &mut self.draft
            && draft.line.epoch != draft.journal.epoch()
        {
            (draft.line.number, draft.line.epoch) = draft.journal.next_number();
        }
    }

    /// Sets the newest undo step of the account at the end of the request.
    pub(crate) fn set_step(&mut self, step: i64) {
        if let Some(draft) = &mut self.draft {
            draft.line.step = step;
        }
    }

    /// From here on the request may cause work, whose lines are written after its own.
    pub(crate) fn hold_followers(&mut self) {
        if let Some(draft) = &mut self.draft
            && !draft.is_unlisted
            && !matches!(draft.order, LineOrder::First(_))
        {
            draft.order = LineOrder::First(OngoingAct::begin(&draft.journal, draft.line.epoch, draft.line.number));
        }
    }

    /// Lets the lines of caused work be written before this one, because the response comes late.
    pub(crate) fn release_followers(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.order = LineOrder::Any;
        }
    }

    /// Makes the line wait for the line of its cause.
    pub(crate) fn follow_cause(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.order = LineOrder::Follows;
        }
    }

    /// Returns the number by which effects refer to the request; none while the journal is off.
    pub(crate) fn number(&self) -> Option<u64> {
        self.draft.as_ref().map(|draft| draft.line.number)
    }

    /// Sets the fault rule that fired.
    pub(crate) fn set_rule(&mut self, name: impl FnOnce() -> Box<str>) {
        if let Some(draft) = &mut self.draft {
            draft.line.rule = Some(name());
        }
    }

    /// Sets the response that the operation gave before a rule replaced it.
    pub(crate) fn set_intended_response(&mut self, status: u16, body: &Bytes) {
        if let Some(draft) = &mut self.draft {
            draft.line.meant = Some((status, draft.withhold_if_secret(RecordedBody::share_body(body))));
        }
    }

    /// Writes the line at once, or with the last piece if the response is streamed.
    pub(crate) async fn finish(mut self, response: HttpResponse) -> HttpResponse {
        self.counted.status = Some(response.status().as_u16());
        let Some(mut draft) = self.draft.take() else { return response };
        draft.line.status = Some(response.status().as_u16());
        draft.line.response.headers = mask_headers(response.headers());
        let (parts, body) = response.into_parts();
        if body.size_hint().exact().is_none() {
            // The reader of a long list may take any time, so nothing waits for its line.
            if draft.line.method == "GET" {
                draft.order = LineOrder::Any;
            }
            let body = record_stream(
                body,
                ResponseRecorder { draft: Some(draft), kept: Vec::new(), length: 0, has_ended: false },
            );
            return HttpResponse::from_parts(parts, body);
        }
        // A body with a known size is complete already.
        let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
        draft.line.response.body = draft.withhold_if_secret(RecordedBody::share_body(&bytes));
        draft.write_line();
        HttpResponse::from_parts(parts, Body::from(bytes))
    }
}

impl Drop for RequestTrace<'_> {
    fn drop(&mut self) {
        if let Some(draft) = self.draft.take() {
            draft.write_aborted("The caller disconnected before the response.");
        }
    }
}

impl PendingLine {
    /// Returns the body, or only its length if it may hold a secret.
    fn withhold_if_secret(&self, body: RecordedBody) -> RecordedBody {
        match body.length() {
            0 => RecordedBody::None,
            length if self.withholds_body => RecordedBody::Withheld { length },
            _ => body,
        }
    }

    fn write_line(mut self) {
        if self.is_unlisted {
            let is_stopped = self.line.why.as_ref().is_some_and(|why| why.check == RefusalCheck::Gate);
            if !is_stopped && !is_unmatched(&self.line) {
                return;
            }
            (self.line.number, self.line.epoch) = self.journal.next_number();
        }
        self.line.micros = elapsed_micros(self.begun);
        if self.line.request.body == RecordedBody::None && self.announced > 0 {
            self.line.request.body = RecordedBody::Unread { length: self.announced };
        }
        match self.order {
            LineOrder::Any => self.journal.push_line(self.line),
            LineOrder::First(under_way) => {
                self.journal.push_line(self.line);
                drop(under_way);
            }
            LineOrder::Follows => self.journal.push_line_in_order(self.line),
        }
    }

    fn write_aborted(mut self, words: &'static str) {
        self.line.why.get_or_insert_with(|| RefusalCause::new(RefusalCheck::Caller, words));
        self.write_line();
    }
}

fn mask_headers(headers: &HeaderMap) -> RecordedHeaders {
    mask::mask_headers(headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())))
}

/// Returns the name of a method. The usual names are static, so they need no allocation.
fn method_name(method: &Method) -> Cow<'static, str> {
    match method.as_str() {
        "GET" => "GET".into(),
        "POST" => "POST".into(),
        "DELETE" => "DELETE".into(),
        "HEAD" => "HEAD".into(),
        "OPTIONS" => "OPTIONS".into(),
        other => other.to_owned().into(),
    }
}

/// Records the pieces of a streamed response.
struct ResponseRecorder {
    draft: Option<Box<PendingLine>>,
    kept: Vec<u8>,
    length: u64,
    has_ended: bool,
}

impl ResponseRecorder {
    fn record_piece(&mut self, piece: &Bytes) {
        let room = RecordedBody::room_left(self.kept.len()).min(piece.len());
        self.kept.extend_from_slice(&piece[..room]);
        self.length += piece.len() as u64;
    }

    fn mark_ended(&mut self) {
        self.has_ended = true;
    }
}

impl Drop for ResponseRecorder {
    fn drop(&mut self) {
        if let Some(mut draft) = self.draft.take() {
            draft.line.response.body = draft.withhold_if_secret(RecordedBody::from_beginning(&self.kept, self.length));
            if self.has_ended { draft.write_line() } else { draft.write_aborted("The response ended early.") }
        }
    }
}

fn record_stream(body: Body, tail: ResponseRecorder) -> Body {
    let pieces = (body.into_data_stream(), tail);
    Body::from_stream(futures_util::stream::unfold(pieces, |(mut pieces, mut tail)| async {
        match pieces.next().await {
            Some(Ok(piece)) => {
                tail.record_piece(&piece);
                Some((Ok(piece), (pieces, tail)))
            }
            Some(Err(error)) => Some((Err(error), (pieces, tail))),
            None => {
                tail.mark_ended();
                None
            }
        }
    }))
}

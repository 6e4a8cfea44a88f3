//! Records one request while it is answered, or one callback while it is sent. Does nothing while the journal is off.

use std::{borrow::Cow, time::Instant};

use axum::{
    body::{Body, to_bytes},
    http::{Method, header, request},
};
use bytes::Bytes;
use futures_util::StreamExt;
use hyper::body::Body as _;
use roost_outbound::{CallFailure, CallbackResponse, USER_AGENT};

use super::{Check, Direction, Exchange, Journal, KeptBody, Message, Moment, Why, is_stray, mask, turns::UnderWay};
use crate::{
    door::{Counted, Kind, Tally, answer::HttpResponse},
    work::Content,
    world::World,
};

/// The record of one request, which is counted even if it is not recorded. If it is dropped before the end, it records
/// that the caller left.
pub struct Trace<'t> {
    counted: Counted<'t>,
    draft: Option<Box<Draft>>,
}

struct Draft {
    journal: Journal,
    begun: Instant,
    line: Exchange,
    /// The length of the body as the head announced it.
    announced: u64,
    /// Whether the bodies of request and response may hold a secret.
    withholds_body: bool,
    /// Left out, unless it leads nowhere or the gate stops it.
    is_unlisted: bool,
    turn: Turn,
}

/// The position of the line relative to lines of the same cause.
enum Turn {
    Any,
    /// Before the lines of the work that the request causes.
    First(UnderWay),
    /// After the line of the request that caused it.
    Follows,
}

impl<'t> Trace<'t> {
    /// `is_operators`: the path is one of the operator's side.
    pub fn begin(tally: &'t Tally, world: &World, parts: &request::Parts, is_operators: bool) -> Self {
        let counted = Counted::begin(tally);
        if !world.journal.is_on() {
            return Self { counted, draft: None };
        }
        let is_unlisted = is_operators && !world.journal.takes_admin();
        let target = parts.uri.path_and_query().map_or(parts.uri.path(), |target| target.as_str());
        let (key, key_print) = mask::key(&parts.headers).unzip();
        // Numbers name what requests cause; what is left out has none.
        let (number, epoch) = if is_unlisted { (0, world.journal.epoch()) } else { world.journal.admit() };
        let line = Exchange {
            number,
            epoch,
            at: Moment::now(&world.core),
            real_at: Moment::real(&world.core),
            method: method(&parts.method),
            target: mask::target(target),
            key,
            key_print,
            request: Message { headers: mask::headers(&parts.headers), body: KeptBody::None },
            ..Exchange::default()
        };
        let announced = parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        let draft = Draft {
            journal: world.journal.clone(),
            begun: counted.begun,
            line,
            announced: announced.unwrap_or(0),
            withholds_body: false,
            is_unlisted,
            turn: Turn::Any,
        };
        Self { counted, draft: Some(Box::new(draft)) }
    }

    /// Discards the record, so that nothing is written even if the request breaks off.
    pub fn forget(&mut self) {
        self.draft = None;
    }

    /// Sets the kind of the request.
    pub fn operation(&mut self, kind: Kind) {
        self.counted.kind = kind;
        if let Some(draft) = &mut self.draft {
            draft.line.operation = Some(kind.name().into());
        }
    }

    /// Sets the admin route of the request.
    pub fn route(&mut self, name: &str) {
        if let Some(draft) = &mut self.draft {
            draft.line.operation = Some(format!("{}.{name}", Kind::Admin.name()).into());
        }
    }

    /// Records no byte of the bodies of request and response, because they may hold a secret.
    pub fn withhold_body(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.withholds_body = true;
        }
    }

    pub fn body(&mut self, body: &Bytes) {
        if let Some(draft) = &mut self.draft {
            draft.line.request.body = draft.kept(KeptBody::of(body));
        }
    }

    /// Sets the reason of a refusal. The first reason counts, because it is nearest to the cause.
    pub fn refuse<W: Into<Why>>(&mut self, why: impl FnOnce() -> W) {
        if let Some(draft) = &mut self.draft
            && draft.line.why.is_none()
        {
            let why = why().into();
            // The reason for a bad body quotes the body.
            let quotes = draft.withholds_body && matches!(why.check, Check::Parsing | Check::Validation);
            let withheld = || Why::new(why.check, "The body is not valid. It may contain a secret.");
            draft.line.why = Some(if quotes { withheld() } else { why });
        }
    }

    /// Assigns the request to the current epoch, if the world was reset while it waited.
    pub fn entered(&mut self) {
        if let Some(draft) = &mut self.draft
            && draft.line.epoch != draft.journal.epoch()
        {
            (draft.line.number, draft.line.epoch) = draft.journal.admit();
        }
    }

    /// Sets the newest undo step of the account at the end of the request.
    pub fn stands_at(&mut self, step: i64) {
        if let Some(draft) = &mut self.draft {
            draft.line.step = step;
        }
    }

    /// From here on the request may cause work, whose lines are written after its own.
    pub fn sets_going(&mut self) {
        if let Some(draft) = &mut self.draft
            && !draft.is_unlisted
            && !matches!(draft.turn, Turn::First(_))
        {
            draft.turn = Turn::First(UnderWay::begin(&draft.journal, draft.line.epoch, draft.line.number));
        }
    }

    /// Lets the lines of caused work be written before this one, because the response comes late.
    pub fn lets_go(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.turn = Turn::Any;
        }
    }

    /// Makes the line wait for the line of its cause.
    pub fn follows(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.turn = Turn::Follows;
        }
    }

    /// Returns the number by which effects refer to the request; none while the journal is off.
    pub fn number(&self) -> Option<u64> {
        self.draft.as_ref().map(|draft| draft.line.number)
    }

    /// Sets the fault rule that fired.
    pub fn rule(&mut self, name: impl FnOnce() -> Box<str>) {
        if let Some(draft) = &mut self.draft {
            draft.line.rule = Some(name());
        }
    }

    /// Sets the response that the operation gave before a rule replaced it.
    pub fn meant(&mut self, status: u16, body: &Bytes) {
        if let Some(draft) = &mut self.draft {
            draft.line.meant = Some((status, draft.kept(KeptBody::shared(body))));
        }
    }

    /// Writes the line at once, or with the last piece if the response is streamed.
    pub async fn finish(mut self, response: HttpResponse) -> HttpResponse {
        self.counted.status = Some(response.status().as_u16());
        let Some(mut draft) = self.draft.take() else { return response };
        draft.line.status = Some(response.status().as_u16());
        draft.line.response.headers = mask::headers(response.headers());
        let (parts, body) = response.into_parts();
        if body.size_hint().exact().is_none() {
            // The reader of a long list may take any time, so nothing waits for its line.
            if draft.line.method == "GET" {
                draft.turn = Turn::Any;
            }
            let body = followed(body, Tail { draft: Some(draft), kept: Vec::new(), length: 0, has_ended: false });
            return HttpResponse::from_parts(parts, body);
        }
        // A body with a known size is complete already.
        let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
        draft.line.response.body = draft.kept(KeptBody::shared(&bytes));
        draft.put();
        HttpResponse::from_parts(parts, Body::from(bytes))
    }
}

impl Drop for Trace<'_> {
    fn drop(&mut self) {
        if let Some(draft) = self.draft.take() {
            draft.left("The caller disconnected before the response.");
        }
    }
}

impl Draft {
    /// Returns the body, or only its length if it may hold a secret.
    fn kept(&self, body: KeptBody) -> KeptBody {
        match body.length() {
            0 => KeptBody::None,
            length if self.withholds_body => KeptBody::Withheld { length },
            _ => body,
        }
    }

    fn put(mut self) {
        if self.is_unlisted {
            let is_stopped = self.line.why.as_ref().is_some_and(|why| why.check == Check::Gate);
            if !is_stopped && !is_stray(&self.line) {
                return;
            }
            (self.line.number, self.line.epoch) = self.journal.admit();
        }
        self.line.micros = micros(self.begun);
        if self.line.request.body == KeptBody::None && self.announced > 0 {
            self.line.request.body = KeptBody::Unread { length: self.announced };
        }
        match self.turn {
            Turn::Any => self.journal.put(self.line),
            Turn::First(under_way) => {
                self.journal.put(self.line);
                drop(under_way);
            }
            Turn::Follows => self.journal.put_in_turn(self.line),
        }
    }

    fn left(mut self, words: &'static str) {
        self.line.why.get_or_insert_with(|| Why::new(Check::Caller, words));
        self.put();
    }
}

/// Returns the name of a method. The usual names are static, so they need no allocation.
fn method(method: &Method) -> Cow<'static, str> {
    match method.as_str() {
        "GET" => "GET".into(),
        "POST" => "POST".into(),
        "DELETE" => "DELETE".into(),
        "HEAD" => "HEAD".into(),
        "OPTIONS" => "OPTIONS".into(),
        other => other.to_owned().into(),
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// Records the pieces of a streamed response.
struct Tail {
    draft: Option<Box<Draft>>,
    kept: Vec<u8>,
    length: u64,
    has_ended: bool,
}

impl Tail {
    fn take(&mut self, piece: &Bytes) {
        let room = KeptBody::room(self.kept.len()).min(piece.len());
        self.kept.extend_from_slice(&piece[..room]);
        self.length += piece.len() as u64;
    }

    fn end(&mut self) {
        self.has_ended = true;
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        if let Some(mut draft) = self.draft.take() {
            draft.line.response.body = draft.kept(KeptBody::cut(&self.kept, self.length));
            if self.has_ended { draft.put() } else { draft.left("The response ended early.") }
        }
    }
}

fn followed(body: Body, tail: Tail) -> Body {
    let pieces = (body.into_data_stream(), tail);
    Body::from_stream(futures_util::stream::unfold(pieces, |(mut pieces, mut tail)| async {
        match pieces.next().await {
            Some(Ok(piece)) => {
                tail.take(&piece);
                Some((Ok(piece), (pieces, tail)))
            }
            Some(Err(error)) => Some((Err(error), (pieces, tail))),
            None => {
                tail.end();
                None
            }
        }
    }))
}

/// The record of one attempt of a callback.
pub struct Sent {
    journal: Journal,
    begun: Instant,
    line: Exchange,
}

impl Sent {
    /// Returns None while the journal is off.
    pub fn begin(world: &World, url: &str, content: &Content, attempt: u32, job: i64) -> Option<Self> {
        if !world.journal.is_on() {
            return None;
        }
        let headers = [("content-type", content.media.as_ref()), ("user-agent", USER_AGENT)];
        let (number, epoch) = world.journal.admit();
        let line = Exchange {
            number,
            epoch,
            at: Moment::now(&world.core),
            real_at: Moment::real(&world.core),
            direction: Direction::Out,
            method: "POST".into(),
            target: mask::target(url),
            operation: Some("callback".into()),
            request: Message {
                headers: headers.into_iter().collect(),
                body: KeptBody::cut(content.body.as_bytes(), content.body.len() as u64),
            },
            attempt: Some(attempt),
            job: Some(job),
            step: world.core.last_step(),
            ..Exchange::default()
        };
        Some(Self { journal: world.journal.clone(), begun: Instant::now(), line })
    }

    /// Writes the line. `next` says in words what happens next.
    pub fn end(mut self, url: &str, sent: &Result<CallbackResponse, CallFailure>, next: &str) {
        match sent {
            Ok(answer) => {
                self.line.status = Some(answer.status);
                self.line.response.body = KeptBody::cut(&answer.body, answer.body.len() as u64);
                if !(200..300).contains(&answer.status) {
                    self.line.why = Some(Why::new(Check::Receiver, format!("The receiver did not accept it. {next}")));
                }
            }
            Err(failure) => {
                let told = failure.to_string().replace(url, &self.line.target);
                self.line.why = Some(Why::new(Check::Receiver, format!("{told}. {next}").replace("..", ".")));
            }
        }
        self.line.micros = micros(self.begun);
        self.journal.put_in_turn(self.line);
    }
}

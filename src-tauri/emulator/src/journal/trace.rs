//! What is noted while one request is answered, or one callback sent; nothing at all while nobody records.

use std::{borrow::Cow, time::Instant};

use axum::{
    body::{Body, to_bytes},
    http::{Method, header, request},
};
use bytes::Bytes;
use futures_util::StreamExt;
use hyper::body::Body as _;
use roost_outbound::{Answer, Failure, USER_AGENT};

use super::{Check, Direction, Exchange, Journal, KeptBody, Message, Moment, Why, is_stray, mask, turns::UnderWay};
use crate::{
    door::{Counted, Kind, Tally, answer::HttpResponse},
    work::Content,
    world::World,
};

/// The notes on a request, which is counted in any case. Dropped before its end, it tells that the caller left.
pub struct Trace<'t> {
    counted: Counted<'t>,
    draft: Option<Box<Draft>>,
}

struct Draft {
    journal: Journal,
    begun: Instant,
    line: Exchange,
    /// What the head said of the body's length.
    announced: u64,
    /// Of both bodies.
    withholds_body: bool,
    /// Left out, unless it leads nowhere or the gate stops it.
    is_unlisted: bool,
    turn: Turn,
}

/// Where its line stands among those of what acts set going.
enum Turn {
    Any,
    /// Before what it sets going.
    First(UnderWay),
    /// After what set it going.
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

    /// Leaves this request out, also when it breaks off.
    pub fn forget(&mut self) {
        self.draft = None;
    }

    /// What it is for.
    pub fn operation(&mut self, kind: Kind) {
        self.counted.kind = kind;
        if let Some(draft) = &mut self.draft {
            draft.line.operation = Some(kind.name().into());
        }
    }

    /// Which of the operator's routes it is for.
    pub fn route(&mut self, name: &str) {
        if let Some(draft) = &mut self.draft {
            draft.line.operation = Some(format!("{}.{name}", Kind::Admin.name()).into());
        }
    }

    /// Keeps no byte of the bodies, asked and answered, because they may hold a secret.
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

    /// The first reason counts: it is the nearest to the cause.
    pub fn refuse<W: Into<Why>>(&mut self, why: impl FnOnce() -> W) {
        if let Some(draft) = &mut self.draft
            && draft.line.why.is_none()
        {
            let why = why().into();
            // What is wrong with a body is told with words of it.
            let quotes = draft.withholds_body && matches!(why.check, Check::Parsing | Check::Validation);
            let withheld = || Why::new(why.check, "The body is not valid. It may contain a secret.");
            draft.line.why = Some(if quotes { withheld() } else { why });
        }
    }

    /// The request is inside its world: when that was put back while it waited, it is one of the new epoch.
    pub fn entered(&mut self) {
        if let Some(draft) = &mut self.draft
            && draft.line.epoch != draft.journal.epoch()
        {
            (draft.line.number, draft.line.epoch) = draft.journal.admit();
        }
    }

    /// The account has come so far by its end.
    pub fn stands_at(&mut self, step: i64) {
        if let Some(draft) = &mut self.draft {
            draft.line.step = step;
        }
    }

    /// From here on it may set work going, which is written down after it.
    pub fn sets_going(&mut self) {
        if let Some(draft) = &mut self.draft
            && !draft.is_unlisted
            && !matches!(draft.turn, Turn::First(_))
        {
            draft.turn = Turn::First(UnderWay::begin(&draft.journal, draft.line.epoch, draft.line.number));
        }
    }

    /// Its answer comes late; what it set going is written down meanwhile.
    pub fn lets_go(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.turn = Turn::Any;
        }
    }

    /// Something set it going: it is written down after that.
    pub fn follows(&mut self) {
        if let Some(draft) = &mut self.draft {
            draft.turn = Turn::Follows;
        }
    }

    /// What its effects name it by; none while nobody records.
    pub fn number(&self) -> Option<u64> {
        self.draft.as_ref().map(|draft| draft.line.number)
    }

    /// Names the fault rule that fired.
    pub fn rule(&mut self, name: impl FnOnce() -> Box<str>) {
        if let Some(draft) = &mut self.draft {
            draft.line.rule = Some(name());
        }
    }

    /// What was answered before a rule put something else in its place.
    pub fn meant(&mut self, status: u16, body: &Bytes) {
        if let Some(draft) = &mut self.draft {
            draft.line.meant = Some((status, draft.kept(KeptBody::shared(body))));
        }
    }

    /// Writes the line down: at once, or with the last piece of an answer that is made while it is sent.
    pub async fn finish(mut self, response: HttpResponse) -> HttpResponse {
        self.counted.status = Some(response.status().as_u16());
        let Some(mut draft) = self.draft.take() else { return response };
        draft.line.status = Some(response.status().as_u16());
        draft.line.response.headers = mask::headers(response.headers());
        let (parts, body) = response.into_parts();
        if body.size_hint().exact().is_none() {
            // Who reads a long list takes as long as they like.
            if draft.line.method == "GET" {
                draft.turn = Turn::Any;
            }
            let body = followed(body, Tail { draft: Some(draft), kept: Vec::new(), length: 0, has_ended: false });
            return HttpResponse::from_parts(parts, body);
        }
        // A body that knows its size is here already.
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
    /// The body, or no more than its length.
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

/// The usual ones cost nothing.
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

/// What has been sent of a long answer.
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

/// The notes on one try of a callback.
pub struct Sent {
    journal: Journal,
    begun: Instant,
    line: Exchange,
}

impl Sent {
    /// None while nobody records.
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

    /// `next` says in words what follows.
    pub fn end(mut self, url: &str, sent: &Result<Answer, Failure>, next: &str) {
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

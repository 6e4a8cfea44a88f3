//! What an admin route is: its place, its types, and the act behind it, in one value.

use std::{io::Write, sync::Arc};

use axum::http::HeaderValue;
use futures_util::future::BoxFuture;
use roost_model::page::PageRequest;
use roost_wire::{
    Query,
    openapi::Document,
    paging::{Paged, Paging},
    query::parse_integer,
};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    journal::{Matching, in_turn, read_query},
    refused::Refused,
};
use crate::{
    door::{CalledAt, Visit, answer::HttpResponse, intake::Received},
    world::{Host, World},
};

/// A boolean query parameter; false when it is missing.
pub fn read_flag(query: &Query, name: &str) -> Result<bool, Refused> {
    match query.filled(name) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => Err(Refused::bad_query(format!("{name} must be true or false, got '{other}'."))),
    }
}

/// The number of opt-outs that the caller expects a replacement to remove.
pub fn read_opt_outs(query: &Query) -> Result<Option<u64>, Refused> {
    let opt_outs = query.filled("opt_outs").map(|text| {
        let count = parse_integer(text).and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| Refused::bad_query(format!("opt_outs must be a non-negative integer, got '{text}'.")))
    });
    opt_outs.transpose()
}

/// Whether a route wants the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Token,
    Open,
}

/// What a route is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The server.
    Host,
    /// One world: the token's, or else the default one.
    World,
    /// One world, named by the path.
    Within,
}

/// What a request brought.
pub struct Asked {
    /// Parameters of the path, in its order.
    pub parameters: Vec<String>,
    pub query: String,
    pub body: Received,
    /// Where a stream of events broke off.
    pub last_event_id: Option<String>,
    pub called_at: CalledAt,
}

pub(super) type JsonAct = Arc<dyn Fn(&Visit, &Asked) -> Result<Vec<u8>, Refused> + Send + Sync>;
/// Answers of what type the text is.
pub(super) type StreamAct = fn(&Visit, &Asked, &mut dyn Write) -> Result<HeaderValue, Refused>;
pub(super) type AnswerAct = Arc<dyn Fn(Whole) -> BoxFuture<'static, Result<HttpResponse, Refused>> + Send + Sync>;
pub(super) type WholeAct = Arc<dyn Fn(Whole) -> BoxFuture<'static, Result<Vec<u8>, Refused>> + Send + Sync>;

#[derive(Clone)]
pub(super) enum Act {
    /// Works on the account; belongs to the world's epoch like a call of the interface.
    Json(JsonAct),
    /// For answers too long to keep in memory.
    Stream(StreamAct),
    /// Works on worlds as such, or waits: stands outside the epochs.
    Whole(WholeAct),
    /// The same, with an answer of its own making: a text, a stream of events, a no.
    Answers(AnswerAct),
}

/// What an act outside the epochs works on.
pub struct Whole {
    pub host: Arc<Host>,
    pub world: Arc<World>,
    pub asked: Asked,
}

/// How a type is described in the document.
pub(super) type Schema = fn(&mut Document) -> Value;

#[derive(Clone)]
pub struct AdminRoute {
    pub name: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    /// Of success.
    pub status: u16,
    pub(super) access: Access,
    pub(super) place: Place,
    /// The body may hold secrets.
    pub(super) withholds_body: bool,
    /// Left out of the journal.
    pub(super) is_unseen: bool,
    /// Of an answer of the same form that says no.
    pub(super) denies: Option<u16>,
    pub(super) media: &'static str,
    /// What it may be instead when it is asked for.
    pub(super) other_media: &'static [&'static str],
    pub(super) is_paged: bool,
    /// Reads and tries matchers, in turn with others that do.
    pub(super) is_query: bool,
    pub(super) queries: &'static [&'static str],
    pub(super) request: Option<Schema>,
    pub(super) answer: Option<Schema>,
    pub(super) act: Act,
}

impl AdminRoute {
    /// Whether the route answers without the admin token.
    pub fn is_open(&self) -> bool {
        self.access == Access::Open
    }

    /// Whether its answer has no end.
    pub fn is_stream(&self) -> bool {
        self.media == "text/event-stream"
    }

    /// Whether the token of a world is good for it.
    pub fn is_of_world(&self) -> bool {
        self.place != Place::Host
    }

    /// About the server, not about one world.
    pub(super) fn of_host(self) -> Self {
        Self { place: Place::Host, ..self }
    }

    /// Takes a body that is read in a way of its own.
    pub(super) fn reads(self, request: Schema) -> Self {
        Self { request: Some(request), ..self }
    }

    /// Parameters of the query, each a text.
    pub(super) fn queries(self, names: &'static [&'static str]) -> Self {
        Self { queries: names, ..self }
    }

    /// Nothing of the body is kept in the journal.
    pub(super) fn with_secrets(self) -> Self {
        Self { withholds_body: true, ..self }
    }

    /// Nothing of it is kept in the journal.
    pub(super) fn unseen(self) -> Self {
        Self { is_unseen: true, ..self }
    }

    /// May say no with this status, in the form of its answer.
    pub(super) fn denies(self, status: u16) -> Self {
        Self { denies: Some(status), ..self }
    }

    /// What the answer is, when it is no JSON.
    pub(super) fn of_type(self, media: &'static str) -> Self {
        Self { media, ..self }
    }

    /// What the answer may be instead of JSON.
    pub(super) fn or_of_type(self, other_media: &'static [&'static str]) -> Self {
        Self { other_media, ..self }
    }

    /// Answers a page of a list.
    pub(super) fn paged(self) -> Self {
        Self { is_paged: true, ..self }
    }

    /// The same route for a world that its path names.
    pub(super) fn within(&self) -> Option<Self> {
        let rest = self.path.strip_prefix("/__admin").filter(|rest| self.place == Place::World && !rest.is_empty())?;
        // The table lives as long as the process.
        let path = Box::leak(format!("/__admin/worlds/{{world}}{rest}").into_boxed_str());
        let name = Box::leak(format!("worlds.{}", self.name).into_boxed_str());
        Some(Self { name, path, place: Place::Within, ..self.clone() })
    }
}

/// A body or an answer that is not there.
pub struct Nothing;

pub const MOST: u32 = 1_000;

impl Asked {
    pub fn parameter(&self) -> &str {
        self.parameters.first().map_or("", String::as_str)
    }

    /// `page_number` and `page_size`, 1 and 100 when left out.
    pub fn page(&self) -> Result<PageRequest, Refused> {
        let query = Query::parse(&self.query);
        let read = |name: &str, default: u32, max: u32| match query.filled(name) {
            None => Ok(default),
            Some(text) => parse_integer(text)
                .and_then(|n| u32::try_from(n).ok())
                .filter(|n| (1..=max).contains(n))
                .ok_or_else(|| Refused::bad_query(format!("{name} must be an integer from 1 to {max}."))),
        };
        Ok(PageRequest {
            number: read("page_number", 1, i32::MAX.unsigned_abs())?,
            size: read("page_size", 100, MOST)?,
        })
    }

    /// The page asked for of things that are few enough to be had at once.
    pub fn page_of<T>(&self, all: impl IntoIterator<Item = T>) -> Result<Paged<T>, Refused> {
        let page = self.page()?;
        let all: Vec<T> = all.into_iter().collect();
        let paging = Paging::of(page, all.len() as u64);
        let before = usize::try_from(u64::from(page.number - 1) * u64::from(page.size)).unwrap_or(usize::MAX);
        Ok(Paged { paging, items: all.into_iter().skip(before).take(page.size as usize).collect() })
    }

    pub(super) fn body<T: DeserializeOwned>(&self) -> Result<T, Refused> {
        // Derived readers also take arrays; a body is an object.
        if self.body.trim_ascii_start().first() != Some(&b'{') {
            return Err(Refused::bad_body("Expected a JSON object"));
        }
        serde_json::from_slice(&self.body).map_err(|why| Refused::bad_json(&self.body, &why))
    }
}

fn written(answer: &impl Serialize) -> Vec<u8> {
    roost_wire::paging::to_bytes(answer)
}

/// Name, method, path and summary of a route.
pub(super) struct At(pub &'static str, pub &'static str, pub &'static str, pub &'static str);

impl At {
    fn route(self, status: u16, answer: Option<Schema>, act: Act) -> AdminRoute {
        let Self(name, method, path, summary) = self;
        AdminRoute {
            name,
            method,
            path,
            summary,
            status,
            access: Access::Token,
            place: Place::World,
            withholds_body: false,
            is_unseen: false,
            denies: None,
            media: "application/json",
            other_media: &[],
            is_paged: false,
            is_query: false,
            queries: &[],
            request: None,
            answer,
            act,
        }
    }

    /// Looks something up.
    pub fn looks<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&Visit, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        self.route(
            200,
            Some(Document::answer::<A>),
            Act::Json(Arc::new(move |visit, asked| Ok(written(&act(visit, asked)?)))),
        )
    }

    /// Looks up a page of something.
    pub fn pages<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&Visit, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        AdminRoute { is_paged: true, ..self.looks(act) }
    }

    /// Looks up what anybody may see; of no epoch, so that a reset neither holds it up nor ends it.
    pub fn shows<A, F>(self, act: fn(Whole) -> F) -> AdminRoute
    where
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<A, Refused>> + Send + 'static,
    {
        AdminRoute { access: Access::Open, ..self.awaits(200, act) }
    }

    /// Acts on what the body says.
    pub fn takes<Q: DeserializeOwned + JsonSchema + 'static, A: Serialize + JsonSchema + 'static>(
        self,
        status: u16,
        act: fn(&Visit, &Asked, Q) -> Result<A, Refused>,
    ) -> AdminRoute {
        let act = Act::Json(Arc::new(move |visit, asked| Ok(written(&act(visit, asked, asked.body()?)?))));
        AdminRoute { request: Some(Document::request::<Q>), ..self.route(status, Some(Document::answer::<A>), act) }
    }

    /// Acts on what the matchers in the body say.
    pub fn takes_query<Q: DeserializeOwned + JsonSchema + Matching + 'static, A: Serialize + JsonSchema + 'static>(
        self,
        status: u16,
        act: fn(&Visit, &Asked, Q) -> Result<A, Refused>,
    ) -> AdminRoute {
        let act = Act::Json(Arc::new(move |visit, asked| {
            let (query, _room) = read_query(asked, &visit.world().ground.room)?;
            Ok(written(&act(visit, asked, query)?))
        }));
        let answer: Schema = Document::answer::<A>;
        AdminRoute { request: Some(Document::request::<Q>), is_query: true, ..self.route(status, Some(answer), act) }
    }

    /// Acts without a body.
    pub fn does<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&Visit, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        self.looks(act)
    }

    /// Removes something.
    pub fn removes(self, act: fn(&Visit, &Asked) -> Result<Nothing, Refused>) -> AdminRoute {
        self.route(204, None, Act::Json(Arc::new(move |visit, asked| act(visit, asked).map(|Nothing| Vec::new()))))
    }

    /// Acts on worlds, or waits.
    pub fn awaits<A, F>(self, status: u16, act: fn(Whole) -> F) -> AdminRoute
    where
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<A, Refused>> + Send + 'static,
    {
        let act: WholeAct = Arc::new(move |whole| {
            let done = act(whole);
            Box::pin(async move { Ok(written(&done.await?)) })
        });
        self.route(status, Some(Document::answer::<A>), Act::Whole(act))
    }

    /// The same where the answer may be long, so that it is written in turn with others.
    pub fn awaits_long<A, F>(self, status: u16, act: fn(Whole) -> F) -> AdminRoute
    where
        A: Serialize + JsonSchema + Send + 'static,
        F: Future<Output = Result<A, Refused>> + Send + 'static,
    {
        let act: WholeAct = Arc::new(move |whole| {
            let room = whole.world.ground.room.clone();
            let done = act(whole);
            Box::pin(async move {
                let answer = done.await?;
                in_turn(&room, move || written(&answer)).await
            })
        });
        self.route(status, Some(Document::answer::<A>), Act::Whole(act))
    }

    /// The same with what the body says.
    pub fn awaits_with<Q, A, F>(self, status: u16, act: fn(Whole, Q) -> F) -> AdminRoute
    where
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<A, Refused>> + Send + 'static,
    {
        let act: WholeAct = Arc::new(move |whole| {
            Box::pin(async move {
                let request = whole.asked.body()?;
                Ok(written(&act(whole, request).await?))
            })
        });
        let answer: Schema = Document::answer::<A>;
        AdminRoute { request: Some(Document::request::<Q>), ..self.route(status, Some(answer), Act::Whole(act)) }
    }

    /// Answers in a way of its own.
    pub fn answers<F>(self, answer: Schema, act: fn(Whole) -> F) -> AdminRoute
    where
        F: Future<Output = Result<HttpResponse, Refused>> + Send + 'static,
    {
        let act: AnswerAct = Arc::new(move |whole| Box::pin(act(whole)));
        self.route(200, Some(answer), Act::Answers(act))
    }

    /// The same with what the body says.
    pub fn answers_with<Q, A, F>(self, status: u16, act: fn(Whole, Q) -> F) -> AdminRoute
    where
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<HttpResponse, Refused>> + Send + 'static,
    {
        let act: AnswerAct = Arc::new(move |whole| {
            Box::pin(async move {
                let request = whole.asked.body()?;
                act(whole, request).await
            })
        });
        let answer: Schema = Document::answer::<A>;
        AdminRoute { request: Some(Document::request::<Q>), ..self.route(status, Some(answer), Act::Answers(act)) }
    }

    /// Acts on what the matchers in the body say, outside the epochs.
    pub fn answers_query<Q, A, F>(self, status: u16, act: fn(Whole, Q) -> F) -> AdminRoute
    where
        Q: DeserializeOwned + JsonSchema + Matching + Send + 'static,
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<HttpResponse, Refused>> + Send + 'static,
    {
        let act: AnswerAct = Arc::new(move |whole| {
            Box::pin(async move {
                let room = whole.world.ground.room.clone();
                let read = in_turn(&room, {
                    let room = room.clone();
                    move || (read_query(&whole.asked, &room), whole)
                });
                let (read, whole) = read.await?;
                let (query, _room) = read?;
                act(whole, query).await
            })
        });
        let answer: Schema = Document::answer::<A>;
        AdminRoute { request: Some(Document::request::<Q>), ..self.route(status, Some(answer), Act::Answers(act)) }
    }

    /// Removes something of a world, or a world.
    pub fn awaits_removal<F>(self, act: fn(Whole) -> F) -> AdminRoute
    where
        F: Future<Output = Result<Nothing, Refused>> + Send + 'static,
    {
        let act: WholeAct = Arc::new(move |whole| {
            let done = act(whole);
            Box::pin(async move { done.await.map(|Nothing| Vec::new()) })
        });
        self.route(204, None, Act::Whole(act))
    }

    pub fn streams(self, answer: Schema, act: StreamAct) -> AdminRoute {
        self.route(200, Some(answer), Act::Stream(act))
    }
}

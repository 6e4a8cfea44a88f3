//! Defines an admin route in one value: its path, its types and its act.

use std::{io::Write, sync::Arc};

use axum::http::HeaderValue;
use futures_util::future::BoxFuture;
use roost_model::page::PageRequest;
use roost_wire::{
    QueryString,
    openapi::OpenApiDocument,
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

/// A boolean query parameter; false if it is missing.
pub fn read_flag(query: &QueryString, name: &str) -> Result<bool, Refused> {
    match query.filled_value(name) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => Err(Refused::bad_query(format!("{name} must be true or false, got '{other}'."))),
    }
}

/// The number of opt-outs that the caller expects a replacement to remove.
pub fn read_opt_outs(query: &QueryString) -> Result<Option<u64>, Refused> {
    let opt_outs = query.filled_value("opt_outs").map(|text| {
        let count = parse_integer(text).and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| Refused::bad_query(format!("opt_outs must be a non-negative integer, got '{text}'.")))
    });
    opt_outs.transpose()
}

/// Whether a route requires the token.
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
    /// One world: that of the token, or the default one.
    World,
    /// One world, named by the path.
    Within,
}

/// The parts of a request to the admin interface.
pub struct Asked {
    /// The parameters of the path, in their order.
    pub parameters: Vec<String>,
    pub query: String,
    pub body: Received,
    /// The last event that the caller received before its event stream ended.
    pub last_event_id: Option<String>,
    pub called_at: CalledAt,
}

/// Works on the account and returns the JSON of the response.
pub(super) type JsonAct = Arc<dyn Fn(&Visit, &Asked) -> Result<Vec<u8>, Refused> + Send + Sync>;
/// Writes the response and returns its media type.
pub(super) type StreamAct = fn(&Visit, &Asked, &mut dyn Write) -> Result<HeaderValue, Refused>;
/// Works outside the epochs and builds the response itself.
pub(super) type AnswerAct = Arc<dyn Fn(Whole) -> BoxFuture<'static, Result<HttpResponse, Refused>> + Send + Sync>;
/// Works outside the epochs and returns the JSON of the response.
pub(super) type WholeAct = Arc<dyn Fn(Whole) -> BoxFuture<'static, Result<Vec<u8>, Refused>> + Send + Sync>;

/// The act behind a route.
#[derive(Clone)]
pub(super) enum Act {
    /// Works on the account and belongs to an epoch, like a call of the interface.
    Json(JsonAct),
    /// Writes a response that is too long for memory.
    Stream(StreamAct),
    /// Works on whole worlds or waits, and belongs to no epoch.
    Whole(WholeAct),
    /// Like the previous one, but builds the response itself: a text, an event stream or a denial.
    Answers(AnswerAct),
}

/// What an act outside the epochs works on.
pub struct Whole {
    pub host: Arc<Host>,
    pub world: Arc<World>,
    pub asked: Asked,
}

/// Describes a type in the document.
pub(super) type Schema = fn(&mut OpenApiDocument) -> Value;

/// A route of the admin interface with everything that router and document need.
#[derive(Clone)]
pub struct AdminRoute {
    pub name: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    /// The status of success.
    pub status: u16,
    pub(super) access: Access,
    pub(super) place: Place,
    /// Whether the body may hold secrets, so that the journal does not record it.
    pub(super) withholds_body: bool,
    /// Whether the journal leaves out the request.
    pub(super) is_unseen: bool,
    /// The status of a denial, which has the same form as the response.
    pub(super) denies: Option<u16>,
    pub(super) media: &'static str,
    /// Further media types that the caller can request.
    pub(super) other_media: &'static [&'static str],
    pub(super) is_paged: bool,
    /// Whether the act reads and evaluates matchers, which happens in turn with others.
    pub(super) is_query: bool,
    pub(super) queries: &'static [&'static str],
    pub(super) request: Option<Schema>,
    pub(super) answer: Option<Schema>,
    pub(super) act: Act,
}

impl AdminRoute {
    /// Returns whether the route answers without the admin token.
    pub fn is_open(&self) -> bool {
        self.access == Access::Open
    }

    /// Returns whether the response is an endless stream.
    pub fn is_stream(&self) -> bool {
        self.media == "text/event-stream"
    }

    /// Returns whether the token of a world gives access to the route.
    pub fn is_of_world(&self) -> bool {
        self.place != Place::Host
    }

    /// Makes the route one of the server instead of a world.
    pub(super) fn of_host(self) -> Self {
        Self { place: Place::Host, ..self }
    }

    /// Describes a body that the act reads itself.
    pub(super) fn reads(self, request: Schema) -> Self {
        Self { request: Some(request), ..self }
    }

    /// Declares query parameters, each a text.
    pub(super) fn queries(self, names: &'static [&'static str]) -> Self {
        Self { queries: names, ..self }
    }

    /// Keeps the body out of the journal.
    pub(super) fn with_secrets(self) -> Self {
        Self { withholds_body: true, ..self }
    }

    /// Keeps the request out of the journal.
    pub(super) fn unseen(self) -> Self {
        Self { is_unseen: true, ..self }
    }

    /// Declares that the route may deny with this status, in the form of its response.
    pub(super) fn denies(self, status: u16) -> Self {
        Self { denies: Some(status), ..self }
    }

    /// Sets a media type other than JSON.
    pub(super) fn of_type(self, media: &'static str) -> Self {
        Self { media, ..self }
    }

    /// Declares media types that the response may have instead of JSON.
    pub(super) fn or_of_type(self, other_media: &'static [&'static str]) -> Self {
        Self { other_media, ..self }
    }

    /// Declares that the response is a page of a list.
    pub(super) fn paged(self) -> Self {
        Self { is_paged: true, ..self }
    }

    /// Returns the route for a world named by the path.
    pub(super) fn within(&self) -> Option<Self> {
        let rest = self.path.strip_prefix("/__admin").filter(|rest| self.place == Place::World && !rest.is_empty())?;
        // The table lives as long as the process.
        let path = Box::leak(format!("/__admin/worlds/{{world}}{rest}").into_boxed_str());
        let name = Box::leak(format!("worlds.{}", self.name).into_boxed_str());
        Some(Self { name, path, place: Place::Within, ..self.clone() })
    }
}

/// A response without a body.
pub struct Nothing;

pub const MOST: u32 = 1_000;

impl Asked {
    /// Returns the first parameter of the path, or an empty text.
    pub fn parameter(&self) -> &str {
        self.parameters.first().map_or("", String::as_str)
    }

    /// Reads `page_number` and `page_size`, which default to 1 and 100.
    pub fn page(&self) -> Result<PageRequest, Refused> {
        let query = QueryString::parse(&self.query);
        let read = |name: &str, default: u32, max: u32| match query.filled_value(name) {
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

    /// Returns the requested page of items that are few enough to be in memory at once.
    pub fn page_of<T>(&self, all: impl IntoIterator<Item = T>) -> Result<Paged<T>, Refused> {
        let page = self.page()?;
        let all: Vec<T> = all.into_iter().collect();
        let paging = Paging::for_page(page, all.len() as u64);
        let before = usize::try_from(u64::from(page.number - 1) * u64::from(page.size)).unwrap_or(usize::MAX);
        Ok(Paged { paging, items: all.into_iter().skip(before).take(page.size as usize).collect() })
    }

    /// Parses the body as a JSON object.
    pub(super) fn body<T: DeserializeOwned>(&self) -> Result<T, Refused> {
        // Derived deserializers also accept arrays, but a body is an object.
        if self.body.trim_ascii_start().first() != Some(&b'{') {
            return Err(Refused::bad_body("Expected a JSON object"));
        }
        serde_json::from_slice(&self.body).map_err(|why| Refused::bad_json(&self.body, &why))
    }
}

fn written(answer: &impl Serialize) -> Vec<u8> {
    roost_wire::paging::to_bytes(answer)
}

/// The name, method, path and summary of a route, from which its constructors start.
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

    /// Defines a route that reads something.
    pub fn looks<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&Visit, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        self.route(
            200,
            Some(OpenApiDocument::response_schema::<A>),
            Act::Json(Arc::new(move |visit, asked| Ok(written(&act(visit, asked)?)))),
        )
    }

    /// Defines a route that reads a page of something.
    pub fn pages<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&Visit, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        AdminRoute { is_paged: true, ..self.looks(act) }
    }

    /// Defines a route that is open to everybody. It belongs to no epoch, so that a reset neither delays nor ends it.
    pub fn shows<A, F>(self, act: fn(Whole) -> F) -> AdminRoute
    where
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<A, Refused>> + Send + 'static,
    {
        AdminRoute { access: Access::Open, ..self.awaits(200, act) }
    }

    /// Defines a route that acts on its body.
    pub fn takes<Q: DeserializeOwned + JsonSchema + 'static, A: Serialize + JsonSchema + 'static>(
        self,
        status: u16,
        act: fn(&Visit, &Asked, Q) -> Result<A, Refused>,
    ) -> AdminRoute {
        let act = Act::Json(Arc::new(move |visit, asked| Ok(written(&act(visit, asked, asked.body()?)?))));
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            ..self.route(status, Some(OpenApiDocument::response_schema::<A>), act)
        }
    }

    /// Defines a route that acts on the matchers in its body.
    pub fn takes_query<Q: DeserializeOwned + JsonSchema + Matching + 'static, A: Serialize + JsonSchema + 'static>(
        self,
        status: u16,
        act: fn(&Visit, &Asked, Q) -> Result<A, Refused>,
    ) -> AdminRoute {
        let act = Act::Json(Arc::new(move |visit, asked| {
            let (query, _room) = read_query(asked, &visit.world().ground.room)?;
            Ok(written(&act(visit, asked, query)?))
        }));
        let answer: Schema = OpenApiDocument::response_schema::<A>;
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            is_query: true,
            ..self.route(status, Some(answer), act)
        }
    }

    /// Defines a route that acts without a body.
    pub fn does<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&Visit, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        self.looks(act)
    }

    /// Defines a route that removes something.
    pub fn removes(self, act: fn(&Visit, &Asked) -> Result<Nothing, Refused>) -> AdminRoute {
        self.route(204, None, Act::Json(Arc::new(move |visit, asked| act(visit, asked).map(|Nothing| Vec::new()))))
    }

    /// Defines a route that acts on worlds or waits.
    pub fn awaits<A, F>(self, status: u16, act: fn(Whole) -> F) -> AdminRoute
    where
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<A, Refused>> + Send + 'static,
    {
        let act: WholeAct = Arc::new(move |whole| {
            let done = act(whole);
            Box::pin(async move { Ok(written(&done.await?)) })
        });
        self.route(status, Some(OpenApiDocument::response_schema::<A>), Act::Whole(act))
    }

    /// Defines a route like [`At::awaits`] whose response may be long, so that it is written in turn with others.
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
        self.route(status, Some(OpenApiDocument::response_schema::<A>), Act::Whole(act))
    }

    /// Defines a route like [`At::awaits`] that acts on its body.
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
        let answer: Schema = OpenApiDocument::response_schema::<A>;
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            ..self.route(status, Some(answer), Act::Whole(act))
        }
    }

    /// Defines a route that builds its response itself.
    pub fn answers<F>(self, answer: Schema, act: fn(Whole) -> F) -> AdminRoute
    where
        F: Future<Output = Result<HttpResponse, Refused>> + Send + 'static,
    {
        let act: AnswerAct = Arc::new(move |whole| Box::pin(act(whole)));
        self.route(200, Some(answer), Act::Answers(act))
    }

    /// Defines a route like [`At::answers`] that acts on its body.
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
        let answer: Schema = OpenApiDocument::response_schema::<A>;
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            ..self.route(status, Some(answer), Act::Answers(act))
        }
    }

    /// Defines a route that acts on the matchers in its body and belongs to no epoch.
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
        let answer: Schema = OpenApiDocument::response_schema::<A>;
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            ..self.route(status, Some(answer), Act::Answers(act))
        }
    }

    /// Defines a route that removes a world or something of it, and belongs to no epoch.
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

    /// Defines a route with a response too long for memory.
    pub fn streams(self, answer: Schema, act: StreamAct) -> AdminRoute {
        self.route(200, Some(answer), Act::Stream(act))
    }
}

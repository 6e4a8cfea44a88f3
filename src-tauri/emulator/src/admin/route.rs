//! Defines an admin route in one value: its path, its types and its act.

use std::{io::Write, marker::PhantomData, sync::Arc};

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
    error::{AdminError, body_reader::read_body},
    journal::{MatcherQuery, run_in_turn},
    rules::warnings::ChangeWarnings,
};
use crate::{
    door::{CalledAt, WorldVisit},
    http::{bounds::ServerCapacity, request_body::ReceivedBody, response::HttpResponse},
    world::{Host, World},
};

/// A boolean query parameter; false if it is missing.
pub(super) fn read_flag(query: &QueryString, name: &str) -> Result<bool, AdminError> {
    match query.filled_value(name) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(other) => Err(AdminError::bad_query(format!("{name} must be true or false, got '{other}'."))),
    }
}

/// The number of opt-outs that the caller expects a replacement to remove.
pub(super) fn read_opt_outs(query: &QueryString) -> Result<Option<u64>, AdminError> {
    let opt_outs = query.filled_value("opt_outs").map(|text| {
        let count = parse_integer(text).and_then(|count| u64::try_from(count).ok());
        count.ok_or_else(|| AdminError::bad_query(format!("opt_outs must be a non-negative integer, got '{text}'.")))
    });
    opt_outs.transpose()
}

/// Whether a route requires the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteAccess {
    Token,
    Open,
}

/// What a route is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteSubject {
    /// The server.
    Host,
    /// One world: that of the token, or the default one.
    World,
    /// One world, named by the path.
    NamedWorld,
}

/// The parts of a request to the admin interface.
pub(super) struct AdminRequest {
    /// The parameters of the path, in their order.
    pub parameters: Vec<String>,
    pub query: String,
    pub body: ReceivedBody,
    /// The last event that the caller received before its event stream ended.
    pub last_event_id: Option<String>,
    pub called_at: CalledAt,
    pub warnings: ChangeWarnings,
}

/// Works on the account and returns the JSON of the response.
pub(super) type JsonAct = Arc<dyn Fn(&WorldVisit, &AdminRequest) -> Result<Vec<u8>, AdminError> + Send + Sync>;
/// Writes the response and returns its media type.
pub(super) type StreamAct = fn(&WorldVisit, &AdminRequest, &mut dyn Write) -> Result<HeaderValue, AdminError>;
/// Works outside the epochs and builds the response itself.
pub(super) type ResponseAct =
    Arc<dyn Fn(HostRequest) -> BoxFuture<'static, Result<HttpResponse, AdminError>> + Send + Sync>;
/// Works outside the epochs and returns the JSON of the response.
pub(super) type HostAct = Arc<dyn Fn(HostRequest) -> BoxFuture<'static, Result<Vec<u8>, AdminError>> + Send + Sync>;

/// The act behind a route.
#[derive(Clone)]
pub(super) enum AdminAct {
    /// Works on the account and belongs to an epoch, like a call of the interface.
    Json(JsonAct),
    /// Writes a response that is too long for memory.
    Stream(StreamAct),
    /// Works on whole worlds or waits, and belongs to no epoch.
    Host(HostAct),
    /// Like the previous one, but builds the response itself: a text, an event stream or a denial.
    Response(ResponseAct),
}

/// What an act outside the epochs works on.
pub(super) struct HostRequest {
    pub host: Arc<Host>,
    pub world: Arc<World>,
    pub request: AdminRequest,
}

/// Describes a type in the document.
pub(super) type SchemaFn = fn(&mut OpenApiDocument) -> Value;

/// A route of the admin interface with everything that router and document need.
#[derive(Clone)]
pub struct AdminRoute {
    pub name: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    /// The status of success.
    pub status: u16,
    pub(super) access: RouteAccess,
    pub(super) subject: RouteSubject,
    /// Whether the body may hold secrets, so that the journal does not record it.
    pub(super) withholds_body: bool,
    /// Whether the journal leaves out the request.
    pub(super) is_unrecorded: bool,
    /// The status of a denial, which has the same form as the response.
    pub(super) denial_status: Option<u16>,
    pub(super) media: &'static str,
    /// Further media types that the caller can request.
    pub(super) other_media: &'static [&'static str],
    pub(super) is_paged: bool,
    /// Whether the act reads and evaluates matchers, which happens in turn with others.
    pub(super) is_query: bool,
    pub(super) queries: &'static [&'static str],
    pub(super) request: Option<SchemaFn>,
    pub(super) answer: Option<SchemaFn>,
    pub(super) act: AdminAct,
}

impl AdminRoute {
    /// Returns whether the route answers without the admin token.
    pub fn is_open(&self) -> bool {
        self.access == RouteAccess::Open
    }

    /// Returns whether the response is an endless stream.
    pub fn is_stream(&self) -> bool {
        self.media == "text/event-stream"
    }

    /// Returns whether the token of a world gives access to the route.
    pub fn accepts_world_token(&self) -> bool {
        self.subject != RouteSubject::Host
    }

    /// Sets a status of success other than the usual one.
    pub(super) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Opens the route to everybody. Its act must belong to no epoch, so that a reset neither delays nor ends it.
    pub(super) fn without_token(self) -> Self {
        Self { access: RouteAccess::Open, ..self }
    }

    /// Describes a body of a type that the act parses itself.
    pub(super) fn with_body<Q: JsonSchema>(self) -> Self {
        self.with_request(OpenApiDocument::request_schema::<Q>)
    }

    /// Declares that the act reads matchers from the body, in turn with others.
    pub(super) fn with_matchers<Q: MatcherQuery + JsonSchema>(self) -> Self {
        Self { is_query: true, ..self.with_body::<Q>() }
    }

    /// Makes the route one of the server instead of a world.
    pub(super) fn for_host(self) -> Self {
        Self { subject: RouteSubject::Host, ..self }
    }

    /// Describes a body that the act reads itself, by a schema.
    pub(super) fn with_request(self, request: SchemaFn) -> Self {
        Self { request: Some(request), ..self }
    }

    /// Declares query parameters, each a text.
    pub(super) fn with_queries(self, names: &'static [&'static str]) -> Self {
        Self { queries: names, ..self }
    }

    /// Keeps the body out of the journal.
    pub(super) fn with_secrets(self) -> Self {
        Self { withholds_body: true, ..self }
    }

    /// Keeps the request out of the journal.
    pub(super) fn without_journal(self) -> Self {
        Self { is_unrecorded: true, ..self }
    }

    /// Declares that the route may deny with this status, in the form of its response.
    pub(super) fn with_denial(self, status: u16) -> Self {
        Self { denial_status: Some(status), ..self }
    }

    /// Sets a media type other than JSON.
    pub(super) fn with_media(self, media: &'static str) -> Self {
        Self { media, ..self }
    }

    /// Declares media types that the response may have instead of JSON.
    pub(super) fn with_other_media(self, other_media: &'static [&'static str]) -> Self {
        Self { other_media, ..self }
    }

    /// Declares that the response is a page of a list.
    pub(super) fn with_paging(self) -> Self {
        Self { is_paged: true, ..self }
    }

    /// Returns the route for a world named by the path.
    pub(super) fn for_named_world(&self) -> Option<Self> {
        let rest = self
            .path
            .strip_prefix("/__admin")
            .filter(|rest| self.subject == RouteSubject::World && !rest.is_empty())?;
        // The table lives as long as the process.
        let path = Box::leak(format!("/__admin/worlds/{{world}}{rest}").into_boxed_str());
        let name = Box::leak(format!("worlds.{}", self.name).into_boxed_str());
        Some(Self { name, path, subject: RouteSubject::NamedWorld, ..self.clone() })
    }
}

/// What an act returns for a response in JSON.
pub(super) trait RouteAnswer: 'static {
    /// The status of success, unless the route has another.
    const STATUS: u16 = 200;

    fn schema() -> Option<SchemaFn>;

    fn into_bytes(self) -> Vec<u8>;
}

impl<A: Serialize + JsonSchema + 'static> RouteAnswer for A {
    fn schema() -> Option<SchemaFn> {
        Some(OpenApiDocument::response_schema::<A>)
    }

    fn into_bytes(self) -> Vec<u8> {
        roost_wire::paging::to_bytes(&self)
    }
}

/// A response without a body.
pub(super) struct NoContent;

impl RouteAnswer for NoContent {
    const STATUS: u16 = 204;

    fn schema() -> Option<SchemaFn> {
        None
    }

    fn into_bytes(self) -> Vec<u8> {
        Vec::new()
    }
}

/// A response that may be long, so that it was written in turn with others.
pub(super) struct WrittenAnswer<A>(Vec<u8>, PhantomData<fn() -> A>);

impl<A: Serialize + Send + 'static> WrittenAnswer<A> {
    pub(super) async fn write(answer: A, room: &ServerCapacity) -> Result<Self, AdminError> {
        run_in_turn(room, move || Self(roost_wire::paging::to_bytes(&answer), PhantomData)).await
    }
}

impl<A: JsonSchema + 'static> RouteAnswer for WrittenAnswer<A> {
    fn schema() -> Option<SchemaFn> {
        Some(OpenApiDocument::response_schema::<A>)
    }

    fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

pub(super) const MAX_PAGE_SIZE: u32 = 1_000;

impl AdminRequest {
    /// Returns the first parameter of the path, or an empty text.
    pub(super) fn first_parameter(&self) -> &str {
        self.parameters.first().map_or("", String::as_str)
    }

    /// Reads `page_number` and `page_size`, which default to 1 and 100.
    pub(super) fn page_request(&self) -> Result<PageRequest, AdminError> {
        let query = QueryString::parse(&self.query);
        let read = |name: &str, default: u32, max: u32| match query.filled_value(name) {
            None => Ok(default),
            Some(text) => parse_integer(text)
                .and_then(|n| u32::try_from(n).ok())
                .filter(|n| (1..=max).contains(n))
                .ok_or_else(|| AdminError::bad_query(format!("{name} must be an integer from 1 to {max}."))),
        };
        Ok(PageRequest {
            number: read("page_number", 1, i32::MAX.unsigned_abs())?,
            size: read("page_size", 100, MAX_PAGE_SIZE)?,
        })
    }

    /// Returns the requested page of items that are few enough to be in memory at once.
    pub(super) fn paginate<T>(&self, all: impl IntoIterator<Item = T>) -> Result<Paged<T>, AdminError> {
        let page = self.page_request()?;
        let all: Vec<T> = all.into_iter().collect();
        let paging = Paging::for_page(page, all.len() as u64);
        let before = usize::try_from(u64::from(page.number - 1) * u64::from(page.size)).unwrap_or(usize::MAX);
        Ok(Paged { paging, items: all.into_iter().skip(before).take(page.size as usize).collect() })
    }

    /// Parses the body as a JSON object.
    pub(super) fn parse_body<T: DeserializeOwned>(&self) -> Result<T, AdminError> {
        if self.body.trim_ascii_start().first() != Some(&b'{') {
            return Err(AdminError::bad_body("Expected a JSON object"));
        }
        read_body(&self.body)
    }
}

/// The name, method, path and summary of a route, from which its constructors start.
pub(super) struct RouteHead(pub &'static str, pub &'static str, pub &'static str, pub &'static str);

impl RouteHead {
    fn build_route(self, status: u16, answer: Option<SchemaFn>, act: AdminAct) -> AdminRoute {
        let Self(name, method, path, summary) = self;
        AdminRoute {
            name,
            method,
            path,
            summary,
            status,
            access: RouteAccess::Token,
            subject: RouteSubject::World,
            withholds_body: false,
            is_unrecorded: false,
            denial_status: None,
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

    /// Defines a route that works on the account.
    pub(super) fn json_act<A: RouteAnswer>(
        self,
        act: fn(&WorldVisit, &AdminRequest) -> Result<A, AdminError>,
    ) -> AdminRoute {
        let act = AdminAct::Json(Arc::new(move |visit, request| Ok(act(visit, request)?.into_bytes())));
        self.build_route(A::STATUS, A::schema(), act)
    }

    /// Defines a route that works on the account with its body.
    pub(super) fn body_act<Q: DeserializeOwned + JsonSchema + 'static, A: RouteAnswer>(
        self,
        status: u16,
        act: fn(&WorldVisit, &AdminRequest, Q) -> Result<A, AdminError>,
    ) -> AdminRoute {
        let act = AdminAct::Json(Arc::new(move |visit, admin_request| {
            Ok(act(visit, admin_request, admin_request.parse_body()?)?.into_bytes())
        }));
        self.build_route(status, A::schema(), act).with_body::<Q>()
    }

    /// Defines a route that works on whole worlds or waits.
    pub(super) fn host_act<A, F>(self, act: fn(HostRequest) -> F) -> AdminRoute
    where
        A: RouteAnswer,
        F: Future<Output = Result<A, AdminError>> + Send + 'static,
    {
        let act: HostAct = Arc::new(move |host_request| {
            let done = act(host_request);
            Box::pin(async move { Ok(done.await?.into_bytes()) })
        });
        self.build_route(A::STATUS, A::schema(), AdminAct::Host(act))
    }

    /// Defines a route that builds its response itself.
    pub(super) fn response_act<F>(self, answer: SchemaFn, act: fn(HostRequest) -> F) -> AdminRoute
    where
        F: Future<Output = Result<HttpResponse, AdminError>> + Send + 'static,
    {
        let act: ResponseAct = Arc::new(move |host_request| Box::pin(act(host_request)));
        self.build_route(200, Some(answer), AdminAct::Response(act))
    }

    /// Defines a route with a response too long for memory.
    pub(super) fn stream_act(self, answer: SchemaFn, act: StreamAct) -> AdminRoute {
        self.build_route(200, Some(answer), AdminAct::Stream(act))
    }
}

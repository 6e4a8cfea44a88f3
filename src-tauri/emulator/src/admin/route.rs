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
    error::{AdminError, body_types},
    journal::{MatcherQuery, read_query, run_in_turn},
    rules::warnings::ChangeWarnings,
};
use crate::{
    door::{CalledAt, WorldVisit},
    http::{request_body::ReceivedBody, response::HttpResponse},
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
    /// The method and the path of the route, as the table has them.
    pub method: &'static str,
    pub path: &'static str,
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

    /// Makes the route one of the server instead of a world.
    pub(super) fn for_host(self) -> Self {
        Self { subject: RouteSubject::Host, ..self }
    }

    /// Describes a body that the act reads itself.
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

/// A response without a body.
pub(super) struct NoContent;

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
        // Derived deserializers also accept arrays, but a body is an object.
        if self.body.trim_ascii_start().first() != Some(&b'{') {
            return Err(AdminError::bad_body("Expected a JSON object"));
        }
        let read = serde_json::from_slice(&self.body).map_err(|why| AdminError::bad_json(&self.body, &why));
        match body_types::find_mismatch(self.method, self.path, &self.body) {
            Some(mismatch) => Err(AdminError::wrong_type(mismatch, read.err())),
            None => read,
        }
    }
}

fn to_json_bytes(answer: &impl Serialize) -> Vec<u8> {
    roost_wire::paging::to_bytes(answer)
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

    /// Defines a route that reads something.
    pub(super) fn read_act<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&WorldVisit, &AdminRequest) -> Result<A, AdminError>,
    ) -> AdminRoute {
        self.build_route(
            200,
            Some(OpenApiDocument::response_schema::<A>),
            AdminAct::Json(Arc::new(move |visit, request| Ok(to_json_bytes(&act(visit, request)?)))),
        )
    }

    /// Defines a route that reads a page of something.
    pub(super) fn page_act<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&WorldVisit, &AdminRequest) -> Result<A, AdminError>,
    ) -> AdminRoute {
        AdminRoute { is_paged: true, ..self.read_act(act) }
    }

    /// Defines a route that is open to everybody. It belongs to no epoch, so that a reset neither delays nor ends it.
    pub(super) fn open_act<A, F>(self, act: fn(HostRequest) -> F) -> AdminRoute
    where
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<A, AdminError>> + Send + 'static,
    {
        AdminRoute { access: RouteAccess::Open, ..self.async_act(200, act) }
    }

    /// Defines a route that acts on its body.
    pub(super) fn body_act<Q: DeserializeOwned + JsonSchema + 'static, A: Serialize + JsonSchema + 'static>(
        self,
        status: u16,
        act: fn(&WorldVisit, &AdminRequest, Q) -> Result<A, AdminError>,
    ) -> AdminRoute {
        let act = AdminAct::Json(Arc::new(move |visit, admin_request| {
            Ok(to_json_bytes(&act(visit, admin_request, admin_request.parse_body()?)?))
        }));
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            ..self.build_route(status, Some(OpenApiDocument::response_schema::<A>), act)
        }
    }

    /// Defines a route that acts on the matchers in its body.
    pub(super) fn query_act<
        Q: DeserializeOwned + JsonSchema + MatcherQuery + 'static,
        A: Serialize + JsonSchema + 'static,
    >(
        self,
        status: u16,
        act: fn(&WorldVisit, &AdminRequest, Q) -> Result<A, AdminError>,
    ) -> AdminRoute {
        let act = AdminAct::Json(Arc::new(move |visit, admin_request| {
            let (query, _room) = read_query(admin_request, &visit.world().resources.capacity)?;
            Ok(to_json_bytes(&act(visit, admin_request, query)?))
        }));
        let answer: SchemaFn = OpenApiDocument::response_schema::<A>;
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            is_query: true,
            ..self.build_route(status, Some(answer), act)
        }
    }

    /// Defines a route that acts without a body.
    pub(super) fn plain_act<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&WorldVisit, &AdminRequest) -> Result<A, AdminError>,
    ) -> AdminRoute {
        self.read_act(act)
    }

    /// Defines a route that removes something.
    pub(super) fn removal_act(
        self,
        act: fn(&WorldVisit, &AdminRequest) -> Result<NoContent, AdminError>,
    ) -> AdminRoute {
        self.build_route(
            204,
            None,
            AdminAct::Json(Arc::new(move |visit, request| act(visit, request).map(|NoContent| Vec::new()))),
        )
    }

    /// Defines a route that acts on worlds or waits.
    pub(super) fn async_act<A, F>(self, status: u16, act: fn(HostRequest) -> F) -> AdminRoute
    where
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<A, AdminError>> + Send + 'static,
    {
        let act: HostAct = Arc::new(move |host_request| {
            let done = act(host_request);
            Box::pin(async move { Ok(to_json_bytes(&done.await?)) })
        });
        self.build_route(status, Some(OpenApiDocument::response_schema::<A>), AdminAct::Host(act))
    }

    /// Defines a route like [`Self::async_act`] whose response may be long, so that it is written in turn with others.
    pub(super) fn async_long_act<A, F>(self, status: u16, act: fn(HostRequest) -> F) -> AdminRoute
    where
        A: Serialize + JsonSchema + Send + 'static,
        F: Future<Output = Result<A, AdminError>> + Send + 'static,
    {
        let act: HostAct = Arc::new(move |host_request| {
            let room = host_request.world.resources.capacity.clone();
            let done = act(host_request);
            Box::pin(async move {
                let answer = done.await?;
                run_in_turn(&room, move || to_json_bytes(&answer)).await
            })
        });
        self.build_route(status, Some(OpenApiDocument::response_schema::<A>), AdminAct::Host(act))
    }

    /// Defines a route like [`Self::async_act`] that acts on its body.
    pub(super) fn async_body_act<Q, A, F>(self, status: u16, act: fn(HostRequest, Q) -> F) -> AdminRoute
    where
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<A, AdminError>> + Send + 'static,
    {
        let act: HostAct = Arc::new(move |host_request| {
            Box::pin(async move {
                let request = host_request.request.parse_body()?;
                Ok(to_json_bytes(&act(host_request, request).await?))
            })
        });
        let answer: SchemaFn = OpenApiDocument::response_schema::<A>;
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            ..self.build_route(status, Some(answer), AdminAct::Host(act))
        }
    }

    /// Defines a route that builds its response itself.
    pub(super) fn response_act<F>(self, answer: SchemaFn, act: fn(HostRequest) -> F) -> AdminRoute
    where
        F: Future<Output = Result<HttpResponse, AdminError>> + Send + 'static,
    {
        let act: ResponseAct = Arc::new(move |host_request| Box::pin(act(host_request)));
        self.build_route(200, Some(answer), AdminAct::Response(act))
    }

    /// Defines a route like [`Self::response_act`] that acts on its body.
    pub(super) fn response_body_act<Q, A, F>(self, status: u16, act: fn(HostRequest, Q) -> F) -> AdminRoute
    where
        Q: DeserializeOwned + JsonSchema + Send + 'static,
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<HttpResponse, AdminError>> + Send + 'static,
    {
        let act: ResponseAct = Arc::new(move |host_request| {
            Box::pin(async move {
                let request = host_request.request.parse_body()?;
                act(host_request, request).await
            })
        });
        let answer: SchemaFn = OpenApiDocument::response_schema::<A>;
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            ..self.build_route(status, Some(answer), AdminAct::Response(act))
        }
    }

    /// Defines a route that acts on the matchers in its body and belongs to no epoch.
    pub(super) fn response_query_act<Q, A, F>(self, status: u16, act: fn(HostRequest, Q) -> F) -> AdminRoute
    where
        Q: DeserializeOwned + JsonSchema + MatcherQuery + Send + 'static,
        A: Serialize + JsonSchema + 'static,
        F: Future<Output = Result<HttpResponse, AdminError>> + Send + 'static,
    {
        let act: ResponseAct = Arc::new(move |host_request| {
            Box::pin(async move {
                let room = host_request.world.resources.capacity.clone();
                let read = run_in_turn(&room, {
                    let room = room.clone();
                    move || (read_query(&host_request.request, &room), host_request)
                });
                let (read, host_request) = read.await?;
                let (query, _room) = read?;
                act(host_request, query).await
            })
        });
        let answer: SchemaFn = OpenApiDocument::response_schema::<A>;
        AdminRoute {
            request: Some(OpenApiDocument::request_schema::<Q>),
            ..self.build_route(status, Some(answer), AdminAct::Response(act))
        }
    }

    /// Defines a route that removes a world or something of it, and belongs to no epoch.
    pub(super) fn async_removal_act<F>(self, act: fn(HostRequest) -> F) -> AdminRoute
    where
        F: Future<Output = Result<NoContent, AdminError>> + Send + 'static,
    {
        let act: HostAct = Arc::new(move |host_request| {
            let done = act(host_request);
            Box::pin(async move { done.await.map(|NoContent| Vec::new()) })
        });
        self.build_route(204, None, AdminAct::Host(act))
    }

    /// Defines a route with a response too long for memory.
    pub(super) fn stream_act(self, answer: SchemaFn, act: StreamAct) -> AdminRoute {
        self.build_route(200, Some(answer), AdminAct::Stream(act))
    }
}

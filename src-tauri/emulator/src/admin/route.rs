//! What an admin route is: its place, its types, and the act behind it, in one value.

use std::io::Write;

use bytes::Bytes;
use roost_model::page::PageRequest;
use roost_wire::{Query, openapi::Document, query::parse_integer};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::refused::Refused;
use crate::world::World;

/// Whether a route wants the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Token,
    Open,
}

/// What a request brought.
pub struct Asked {
    /// Parameters of the path, in its order.
    pub parameters: Vec<String>,
    pub query: String,
    pub body: Bytes,
}

pub(super) type JsonAct = Box<dyn Fn(&World, &Asked) -> Result<Vec<u8>, Refused> + Send + Sync>;
pub(super) type StreamAct = fn(&World, &mut dyn Write) -> Result<(), roost_ops::Error>;

pub(super) enum Act {
    Json(JsonAct),
    /// For answers too long to keep in memory.
    Stream(StreamAct),
}

/// How a type is described in the document.
pub(super) type Schema = fn(&mut Document) -> Value;

pub struct AdminRoute {
    pub name: &'static str,
    pub method: &'static str,
    pub path: &'static str,
    pub summary: &'static str,
    /// Of success.
    pub status: u16,
    pub(super) access: Access,
    pub(super) is_paged: bool,
    pub(super) request: Option<Schema>,
    pub(super) answer: Option<Schema>,
    pub(super) act: Act,
}

impl AdminRoute {
    /// Whether the route answers without the admin token.
    pub fn is_open(&self) -> bool {
        self.access == Access::Open
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
                .ok_or_else(|| Refused::bad_query(format!("{name} is a whole number from 1 to {max}."))),
        };
        Ok(PageRequest {
            number: read("page_number", 1, i32::MAX.unsigned_abs())?,
            size: read("page_size", 100, MOST)?,
        })
    }

    fn body<T: DeserializeOwned>(&self) -> Result<T, Refused> {
        // Derived readers also take arrays; a body is an object.
        if self.body.trim_ascii_start().first() != Some(&b'{') {
            return Err(Refused::bad_body("it is no JSON object"));
        }
        serde_json::from_slice(&self.body).map_err(|why| Refused::bad_body(&why.to_string()))
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
            is_paged: false,
            request: None,
            answer,
            act,
        }
    }

    /// Looks something up.
    pub fn looks<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&World, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        self.route(
            200,
            Some(Document::answer::<A>),
            Act::Json(Box::new(move |world, asked| Ok(written(&act(world, asked)?)))),
        )
    }

    /// Looks up a page of something.
    pub fn pages<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&World, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        AdminRoute { is_paged: true, ..self.looks(act) }
    }

    /// Looks up what anybody may see.
    pub fn shows<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&World, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        AdminRoute { access: Access::Open, ..self.looks(act) }
    }

    /// Acts on what the body says.
    pub fn takes<Q: DeserializeOwned + JsonSchema + 'static, A: Serialize + JsonSchema + 'static>(
        self,
        status: u16,
        act: fn(&World, &Asked, Q) -> Result<A, Refused>,
    ) -> AdminRoute {
        let act = Act::Json(Box::new(move |world, asked| Ok(written(&act(world, asked, asked.body()?)?))));
        AdminRoute { request: Some(Document::request::<Q>), ..self.route(status, Some(Document::answer::<A>), act) }
    }

    /// Acts without a body.
    pub fn does<A: Serialize + JsonSchema + 'static>(
        self,
        act: fn(&World, &Asked) -> Result<A, Refused>,
    ) -> AdminRoute {
        self.looks(act)
    }

    /// Removes something.
    pub fn removes(self, act: fn(&World, &Asked) -> Result<Nothing, Refused>) -> AdminRoute {
        self.route(204, None, Act::Json(Box::new(move |world, asked| act(world, asked).map(|Nothing| Vec::new()))))
    }

    pub fn streams(self, answer: Schema, act: StreamAct) -> AdminRoute {
        self.route(200, Some(answer), Act::Stream(act))
    }
}

//! Represents the service: the sixteen operations as data, the client that sends them at a limited rate, and the
//! meaning of responses.

mod advice;
mod answer;
mod call;
mod client;
mod clock;
mod error;
mod records;
mod settings;

use std::{future::Future, pin::Pin};

pub use advice::of_outcome_alone as outcome_advice;
pub use call::{Call, ContactsAsked, LinkMade, LinksAsked, ListsAsked, OptOutsAsked, Order, PageAsked};
pub use client::{Client, Done, Page, Reading, Retry, Turn};
pub use error::{Cause, Entry, Error, Refused};
pub use records::{Contact, Link, List, OptOut, Outcome, Sender};
pub use roost_outbound::{Body, Failure, Key, Line, Reply, Request};
pub use settings::{BadSetting, HEADER, Paths, Settings};

pub type Carried<'a> = Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send + 'a>>;

/// The destination of requests, and the one seam for tests: a test replaces it by a service in memory with faults and a
/// clock set by hand, and everything above it (pace, time-outs, retries, parsing) stays real.
pub trait Remote: Send + Sync {
    fn carry(&self, request: Request) -> Carried<'_>;
}

impl Remote for Line {
    fn carry(&self, request: Request) -> Carried<'_> {
        Box::pin(self.call(request))
    }
}

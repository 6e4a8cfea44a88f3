//! Represents the service: the sixteen operations as data, the client that sends them at a limited rate, and the
//! meaning of responses.

mod advice;
mod splitter;
mod call;
mod client;
mod clock;
mod error;
mod records;
mod settings;

use std::{future::Future, pin::Pin};

pub use advice::outcome_advice as outcome_advice;
pub use call::{ServiceCall, ContactsParams, LinkBody, LinksParams, ListsParams, OptOutsParams, QueryOrder, PageParams};
pub use client::{Client, AcceptedWrite, RecordPage, RecordStream, RetryStatus, LaneTurn};
pub use error::{ErrorCause, ErrorEntry, ServiceError, ErrorResponse};
pub use records::{RemoteContact, RemoteLink, RemoteList, RemoteOptOut, OptOutOutcome, RemoteSender};
pub use roost_outbound::{ResponseBody, CallFailure, KeyHeader, ServiceClient, ServiceResponse, ServiceRequest};
pub use settings::{ConnectionSettingError, DEFAULT_HEADER, OperationPaths, ConnectionSettings};

pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<ServiceResponse, CallFailure>> + Send + 'a>>;

/// The destination of requests, and the one seam for tests: a test replaces it by a service in memory with faults and a
/// clock set by hand, and everything above it (pace, time-outs, retries, parsing) stays real.
pub trait ServiceTransport: Send + Sync {
    fn carry(&self, request: ServiceRequest) -> ReplyFuture<'_>;
}

impl ServiceTransport for ServiceClient {
    fn carry(&self, request: ServiceRequest) -> ReplyFuture<'_> {
        Box::pin(self.call(request))
    }
}

//! Represents the service: the sixteen operations as data, the client that sends them at a limited rate, and the
//! meaning of responses.

mod advice;
mod call;
mod client;
mod clock;
mod error;
mod records;
mod settings;
mod splitter;

use std::{future::Future, pin::Pin};

pub use advice::outcome_advice;
pub use call::{
    ContactsParams, LinkBody, LinksParams, ListsParams, OptOutsParams, PageParams, QueryOrder, ServiceCall,
};
pub use client::{AcceptedWrite, Client, LaneTurn, RecordPage, RecordStream, RetryStatus};
pub use error::{ErrorCause, ErrorEntry, ErrorResponse, ServiceError};
pub use records::{OptOutOutcome, RemoteContact, RemoteLink, RemoteList, RemoteOptOut, RemoteSender};
pub use roost_outbound::{CallFailure, KeyHeader, ResponseBody, ServiceClient, ServiceRequest, ServiceResponse};
pub use settings::{ConnectionSettingError, ConnectionSettings, DEFAULT_HEADER, OperationPaths};

pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Result<ServiceResponse, CallFailure>> + Send + 'a>>;

/// The destination of requests, and the one seam for tests: a test replaces it by a service in memory with faults and a
/// clock set by hand, and everything above it (pace, time-outs, retries, parsing) stays real.
pub trait ServiceTransport: Send + Sync {
    fn carry_request(&self, request: ServiceRequest) -> ReplyFuture<'_>;
}

impl ServiceTransport for ServiceClient {
    fn carry_request(&self, request: ServiceRequest) -> ReplyFuture<'_> {
        Box::pin(self.call(request))
    }
}

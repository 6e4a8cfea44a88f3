//! A service whose requests and responses a test alters on their way.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;

use super::service::TestService;
use crate::{
    Client,
    remote::{ConnectionSettings, ReplyFuture, ServiceRequest, ServiceResponse, ServiceTransport},
};

/// A response that a test may alter.
pub(super) struct BentResponse {
    pub status: u16,
    pub retry_after: Option<String>,
    pub date: Option<String>,
    pub body: Vec<u8>,
}

/// The service, with a function that alters its requests and responses.
pub(super) struct BentService<F>(pub Arc<TestService>, pub F);

impl<F: Fn(&mut ServiceRequest, Option<&mut BentResponse>) + Send + Sync> ServiceTransport for BentService<F> {
    fn carry_request(&self, mut request: ServiceRequest) -> ReplyFuture<'_> {
        Box::pin(async move {
            (self.1)(&mut request, None);
            let ServiceResponse { status, mut body, .. } = self.0.carry_request(request.clone()).await?;
            let mut whole = BytesMut::new();
            while let Some(piece) = body.next().await {
                whole.extend_from_slice(&piece?);
            }
            let mut response = BentResponse { status, retry_after: None, date: None, body: whole.to_vec() };
            (self.1)(&mut request, Some(&mut response));
            let BentResponse { status, retry_after, date, body } = response;
            let body = Box::pin(futures_util::stream::iter([Ok(Bytes::from(body))]));
            Ok(ServiceResponse { status, retry_after, date, body })
        })
    }
}

pub(super) fn build_client(remote: impl ServiceTransport + 'static) -> Client {
    Client::new(Arc::new(remote), ConnectionSettings::new("http://service.test").expect("an address"))
}

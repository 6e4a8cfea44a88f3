//! A service whose requests and responses a test alters on their way.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;

use super::service::Service;
use crate::{
    Client,
    remote::{Carried, Remote, Reply, Request, Settings},
};

/// A response that a test may alter.
pub struct Told {
    pub status: u16,
    pub retry_after: Option<String>,
    pub date: Option<String>,
    pub body: Vec<u8>,
}

/// The service, with a function that alters its requests and responses.
pub struct Bent<F>(pub Arc<Service>, pub F);

impl<F: Fn(&mut Request, Option<&mut Told>) + Send + Sync> Remote for Bent<F> {
    fn carry(&self, mut request: Request) -> Carried<'_> {
        Box::pin(async move {
            (self.1)(&mut request, None);
            let Reply { status, mut body, .. } = self.0.carry(request.clone()).await?;
            let mut whole = BytesMut::new();
            while let Some(piece) = body.next().await {
                whole.extend_from_slice(&piece?);
            }
            let mut told = Told { status, retry_after: None, date: None, body: whole.to_vec() };
            (self.1)(&mut request, Some(&mut told));
            let Told { status, retry_after, date, body } = told;
            let body = Box::pin(futures_util::stream::iter([Ok(Bytes::from(body))]));
            Ok(Reply { status, retry_after, date, body })
        })
    }
}

pub fn client(remote: impl Remote + 'static) -> Client {
    Client::new(Arc::new(remote), Settings::new("http://service.test").expect("an address"))
}

//! The client of the service, against the service that the emulator plays.

mod errors;
mod faults;
mod histories;
mod operations;
mod pace;
mod probe;
mod secrets;
mod sync;

use std::{future::Future, sync::Arc};

use roost_sync::remote::{
    Client, ConnectionSettings, KeyHeader, PageParams, ReplyFuture, ServiceClient, ServiceRequest, ServiceTransport,
};
use roost_tests::Served;

const KEY: &str = "a-key-that-nobody-guesses-7f3a";
const PAGE: PageParams = PageParams { number: 1, size: 100 };

fn run_async<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

fn client_settings(url: &str) -> ConnectionSettings {
    let mut settings = ConnectionSettings::new(url).expect("an address");
    settings.key = Some(KeyHeader::new("X-AUTH-KEY", KEY).expect("a header"));
    settings
}

fn client_of(api: &Served) -> Client {
    client_at(api.url())
}

fn client_at(url: &str) -> Client {
    Client::new(Arc::new(ServiceClient::new(false)), client_settings(url))
}

/// A remote that changes requests before it sends them, so that the service refuses some.
struct BendingRemote<F>(ServiceClient, F);

impl<F: Fn(&mut ServiceRequest) + Send + Sync> ServiceTransport for BendingRemote<F> {
    fn carry_request(&self, mut request: ServiceRequest) -> ReplyFuture<'_> {
        (self.1)(&mut request);
        self.0.carry_request(request)
    }
}

fn bending_client(api: &Served, bend: impl Fn(&mut ServiceRequest) + Send + Sync + 'static) -> Client {
    Client::new(Arc::new(BendingRemote(ServiceClient::new(false), bend)), client_settings(api.url()))
}

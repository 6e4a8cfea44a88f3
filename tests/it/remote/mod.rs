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

use roost_sync::remote::{Carried, Client, Key, Line, PageAsked, Remote, Request, Settings};
use roost_tests::Served;

const KEY: &str = "a-key-that-nobody-guesses-7f3a";
const PAGE: PageAsked = PageAsked { number: 1, size: 100 };

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}

fn settings(url: &str) -> Settings {
    let mut settings = Settings::new(url).expect("an address");
    settings.key = Some(Key::new("X-AUTH-KEY", KEY).expect("a header"));
    settings
}

fn client(api: &Served) -> Client {
    client_at(api.url())
}

fn client_at(url: &str) -> Client {
    Client::new(Arc::new(Line::new(false)), settings(url))
}

/// A remote that changes requests before it sends them, so that the service refuses some.
struct Bent<F>(Line, F);

impl<F: Fn(&mut Request) + Send + Sync> Remote for Bent<F> {
    fn carry(&self, mut request: Request) -> Carried<'_> {
        (self.1)(&mut request);
        self.0.carry(request)
    }
}

fn bent(api: &Served, bend: impl Fn(&mut Request) + Send + Sync + 'static) -> Client {
    Client::new(Arc::new(Bent(Line::new(false), bend)), settings(api.url()))
}

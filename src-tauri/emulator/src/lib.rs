//! Plays the service on localhost: gate, operations, admin interface, jobs, callbacks and web console.

mod access;
mod admin;
pub mod client;
mod console;
mod door;
mod faults;
pub mod fidelity;
mod handlers;
mod hooks;
mod journal;
mod server;
mod settings;
mod work;
mod world;

pub use access::{PageOrigin, PublicUrl};
pub use admin::{AdminRoute, Declined, admin_document, admin_routes, closest_routes};
pub use console::{CONSOLE_ROUTES, Console, ConsoleAsset, ConsoleAssets, ConsoleRoute, Dispatcher, Reply};
pub use door::bounds::{BOUNDS, Bounds};
pub use faults::{PROFILES, Span};
pub use journal::{
    Check, Direction, Exchange, Fact, Facts, Field, Found, Gap, Headers, Journal, JournalLimits, KeptBody, Matcher,
    Message, Miss, Moment, RuleFault, Since, Standing, Strayed, Unreadable, Verdict, Why, curl,
};
pub use server::{
    Bound, Ca, Control, Emulator, EmulatorConfig, Handle, NotChanged, Seen, Standalone, StartError, Tls, TlsError,
    Within, free_port, in_process,
};
pub use settings::{Auth, Limits, SETTINGS, Setting, SettingError, Settings, Strictness};
pub use world::{Account, Place, StartOptions, WorldPrefix};

/// Returns the OpenAPI 3.1 document of the service's interface.
pub use roost_wire::openapi::interface_document;

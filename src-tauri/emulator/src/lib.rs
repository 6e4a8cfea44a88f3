//! Plays the service on localhost: the gate, the operations, the operator's side, jobs, callbacks and the web console.

mod access;
mod admin;
mod answer;
mod cache;
mod console;
mod error;
mod gate;
mod handlers;
mod intake;
mod routes;
mod server;
mod settings;
mod work;
mod world;

pub use admin::{AdminRoute, admin_document, admin_routes};
pub use console::{Console, ConsoleAsset, ConsoleAssets, Dispatcher};
pub use server::{Bound, Emulator, EmulatorConfig, Handle, StartError};
pub use settings::{Auth, Limits, SETTINGS, Setting, SettingError, Settings};

/// OpenAPI 3.1 of the interface.
pub use roost_wire::openapi::document;

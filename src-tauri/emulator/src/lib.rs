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
pub use server::{Emulator, EmulatorConfig, Handle, StartError};
pub use settings::{SETTINGS, Setting, SettingError, Settings};

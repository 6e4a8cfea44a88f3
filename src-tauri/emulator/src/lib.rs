//! Plays the service on localhost: gate, operations, admin interface, jobs, callbacks and web console.

mod access;
mod admin;
pub mod client;
mod door;
mod faults;
pub mod fidelity;
mod handlers;
mod hooks;
mod http;
mod server;
mod settings;
mod work;
mod world;

pub use access::{PageOrigin, PublicUrl, WorldPrefix};
pub use admin::{AdminRefusal, AdminRoute, admin_document, admin_routes, closest_routes};
pub use faults::PROFILE_NAMES;
pub use http::bounds::{BOUNDS, Bounds};
pub use roost_journal::{
    Direction, Exchange, FieldMismatch, FieldValue, Journal, JournalGap, JournalLimits, JournalLines, JournalPage,
    JournalStatus, JournalTime, MatchField, MatchResult, MatchSource, Matcher, MatcherError, RecordedBody,
    RecordedExchange, RecordedHeaders, RecordedMessage, RecordedText, RefusalCause, RefusalCheck, RequestViolation,
    UnmatchedEntry, UnmatchedSummary, known_method, read_recording, to_curl,
};
pub use server::console::{CONSOLE_ROUTES, ConsoleRoute};
pub use server::{
    AuthorityCertificate, BoundEmulator, EmbeddedEmulator, Emulator, EmulatorConfig, EmulatorHandle, ServerControl,
    StandaloneEmulator, StartError, TlsError, TlsOptions, WorldHandle, free_port, in_process,
};
pub use settings::{
    AuthSetting, HumanDuration, LimitSwitch, SETTINGS, Setting, SettingError, Settings, SettingsChangeError, Strictness,
};
pub use world::{
    AccountOwnership, Console, ConsoleAsset, ConsoleAssets, ConsoleDispatcher, ConsoleResponse, StartOptions,
    StateLocation, UnfinishedWork, UnfinishedWorld, UnfinishedWorldsSummary, WORLD_MAGIC, WorkKind,
};

/// Returns the OpenAPI 3.1 document of the service's interface.
pub use roost_wire::openapi::interface_document;

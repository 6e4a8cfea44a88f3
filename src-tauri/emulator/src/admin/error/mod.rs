//! The errors of the admin interface: `{"error":{"code","message","hint","pointer"}}`.

pub(super) mod body_reader;
mod body_value_error;
pub(super) mod pointer;

use axum::http::{HeaderValue, header};
use roost_journal::{RefusalCause, RefusalCheck};
use roost_model::error::ErrorCode;
use roost_ops::{Error, seed::SeedError};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) use self::body_value_error::BodyValueError;
use super::journal::closest_routes;
use crate::{
    access::WorldId,
    http::{
        bounds::{BoundReached, TooManyWaits},
        request_body,
        response::{HttpResponse, json_response},
    },
    settings::SettingsChangeError,
    work::{CreateWorldError, ResetError},
    world::{BackupError, ReadWorldError, SaveSnapshotError, WorldNotFound},
};

/// An error of the admin interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdminError {
    status: u16,
    code: &'static str,
    message: String,
    hint: &'static str,
    pointer: Option<String>,
}

/// The body of an error.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AdminError", deny_unknown_fields)]
pub(super) struct AdminErrorBody<'a> {
    error: AdminErrorDetail<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AdminErrorDetail", deny_unknown_fields)]
struct AdminErrorDetail<'a> {
    code: &'a str,
    message: &'a str,
    /// What to do about it.
    hint: &'a str,
    /// JSON pointer into the request body. "" is the whole body. Null: the error is not in the body.
    pointer: Option<&'a str>,
}

/// The authentication scheme named in the response to a caller without a token.
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"roost\"");

/// Suggests similar routes for an error message, such as `. Did you mean POST /__admin/faults/rules?`.
fn suggest_routes(method: &str, path: &str) -> String {
    let routes = closest_routes(method, path);
    let own = routes.iter().filter(|(_, known)| known.starts_with("/__admin") && !is_at_path(path, known));
    let named: Vec<String> = own.map(|(method, known)| format!("{method} {known}")).collect();
    if named.is_empty() { String::new() } else { format!(". Did you mean {}?", named.join(" or ")) }
}

/// Returns whether a known route has the requested path, which then has other methods only.
fn is_at_path(path: &str, known: &str) -> bool {
    roost_wire::RequestPath::parse(path).match_template(known).is_some()
}

/// The number of characters of a path that a message repeats.
const MAX_QUOTED: usize = 200;

/// Why a world that existed may no longer exist.
const WORLD_ENDS: &str = "GET /__admin/worlds lists the worlds. One that was created ends when it is removed, when its \
                          ttl passes without a request, and with the server.";

const FIX: &str = "Fix this value and retry.";

/// Ends a message with exactly one punctuation mark.
fn end_sentence(mut message: String) -> String {
    message.truncate(message.trim_end_matches('.').len());
    if !message.ends_with(['?', '!']) {
        message.push('.');
    }
    message
}

impl AdminError {
    fn new(status: u16, code: &'static str, message: impl Into<String>, hint: &'static str) -> Self {
        Self { status, code, message: end_sentence(message.into()), hint, pointer: None }
    }

    /// Adds the place in the body, written as `lists[0].name`.
    pub fn at_path(self, place: &str) -> Self {
        Self { pointer: Some(pointer::from_path(place)), ..self }
    }

    /// Adds the place in the body as the keys that lead to it. A key can contain a dot, as the names of settings do.
    pub fn at_keys<'k>(self, keys: impl IntoIterator<Item = &'k str>) -> Self {
        Self { pointer: Some(pointer::from_keys(keys)), ..self }
    }

    /// Adds the part of the body that holds what was read alone.
    pub fn within(self, part: &str) -> Self {
        let inner = self.pointer.clone().unwrap_or_default();
        Self { pointer: Some(format!("{}{inner}", pointer::from_path(part))), ..self }
    }

    pub fn unauthorized() -> Self {
        let hint = "Send 'Authorization: Bearer TOKEN'. The token is in the ready file, or set ROOST_ADMIN_TOKEN when \
         you start the server. A world's token ends with its world, which may have expired.";
        Self::new(401, "unauthorized", "The admin token is missing or wrong.", hint)
    }

    pub fn foreign_page() -> Self {
        let hint = "Send the request from a program or from a page of this server, or start the server with \
                    --allow-origin and the origin of your page.";
        Self::new(403, "foreign_page", "Pages of other origins cannot use this server.", hint)
    }

    pub fn unknown_path() -> Self {
        Self::unknown_path_with("There is nothing at this path.")
    }

    /// Reports an unknown path and suggests similar routes.
    pub fn unknown_route(method: &str, path: &str) -> Self {
        let suggestion = suggest_routes(method, path);
        let path: String = path.chars().take(MAX_QUOTED).collect();
        Self::unknown_path_with(format!("There is nothing at {path}{suggestion}"))
    }

    fn unknown_path_with(message: impl Into<String>) -> Self {
        Self::new(404, "unknown_path", message, "See /__admin/openapi.json for all paths.")
    }

    pub fn wrong_method(method: &str, path: &str, allow: &str) -> Self {
        let suggestion = suggest_routes(method, path);
        let path: String = path.chars().take(MAX_QUOTED).collect();
        let message = format!("{path} supports {allow}, not {method}{suggestion}");
        Self::new(405, "wrong_method", message, "The Allow header lists the methods of this path.")
    }

    pub fn bad_body(message: impl Into<String>) -> Self {
        let hint = "Send one JSON object, as described in /__admin/openapi.json.";
        Self::new(400, "bad_body", message, hint).at_path("")
    }

    /// Reports a body that is not JSON.
    pub fn bad_json(body: &[u8], why: &serde_json::Error) -> Self {
        let (line, column) = (why.line(), why.column());
        let read = pointer::take_read_part(body, line, column);
        let last = String::from_utf8_lossy(&body[read.len().saturating_sub(1)..]).chars().next();
        let problem = match last.filter(|_| !why.is_eof()) {
            Some(last) => format!(" at {last:?}"),
            None => ": the body ends too early".to_owned(),
        };
        let message = format!("Invalid JSON{problem} (line {line}, column {column})");
        Self::bad_body(message).at_value(pointer::find_pointer(read))
    }

    fn at_value(self, pointer: String) -> Self {
        let hint = if pointer.is_empty() { self.hint } else { FIX };
        Self { pointer: Some(pointer), hint, ..self }
    }

    /// Reports a body at a route that reads none.
    pub fn unread_body(queries: &[&str]) -> Self {
        let message = match queries {
            [] => "This route takes no body.".to_owned(),
            names => format!("This route takes no body. Give its parameters in the query: {}.", names.join(", ")),
        };
        Self::new(400, "bad_body", message, "Send no body, or {}.").at_path("")
    }

    pub fn bad_query(message: impl Into<String>) -> Self {
        Self::new(400, "bad_query", message, "See /__admin/openapi.json for the parameters.")
    }

    pub fn cannot_merge() -> Self {
        let hint = "Use mode=replace, or --mode replace on the command line.";
        Self::new(
            400,
            "bad_query",
            "An account file cannot be merged, only imported in place of the whole account.",
            hint,
        )
    }

    /// Reports an invalid value. If the message begins with a place, as in `apply.first: …`, the pointer of the error
    /// points there.
    pub fn invalid(message: impl Into<String>) -> Self {
        let refused = Self::new(400, "invalid", message, FIX);
        match pointer::leading_path(&refused.message).map(pointer::from_path) {
            Some(pointer) => Self { pointer: Some(pointer), ..refused },
            None => refused,
        }
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(404, "not_found", message, "List the existing records first.")
    }

    pub fn unknown_snapshot(name: &str) -> Self {
        let hint = "GET /__admin/snapshots or roost snapshot lists the snapshots.";
        Self::new(404, "not_found", format!("Unknown snapshot '{name}'."), hint)
    }

    pub fn unknown_correlation_id(id: &str) -> Self {
        let id: String = id.chars().take(MAX_QUOTED).collect();
        let hint = "GET /__admin/jobs lists the jobs with their correlation ids.";
        Self::new(404, "unknown_correlation_id", format!("No job has the correlation_id '{id}'."), hint)
            .at_path("correlation_id")
    }

    pub fn unknown_receiver() -> Self {
        let message = "A receiver's address is /__hook/{world}/{name}, with a name of a-z, 0-9 and -, at most 64 \
         characters.";
        Self::new(404, "unknown_path", message, "See GET /__admin/hooks.")
    }

    pub fn form_content() -> Self {
        let hint = "Send 'Content-Type: application/json', as the service's callbacks do.";
        Self::new(415, "form", "A receiver does not accept the content types of web forms.", hint)
    }

    pub fn no_connections() -> Self {
        let message = "All connections are in use. The last ones are reserved for health checks and the server's admin \
         token.";
        Self::new(503, "busy", message, "Close idle connections, or start the server with --bound connections=N.")
    }

    pub fn busy(why: BoundReached) -> Self {
        Self::new(503, "busy", why.to_string(), BoundReached::HINT)
    }

    /// Reports that the server is not ready. Anybody may call this route, so the message names no path.
    pub fn not_ready(why: &Error) -> Self {
        let message = match why.code() {
            ErrorCode::Displaced => "The account file was moved, removed or replaced while the server had it open.",
            ErrorCode::DiskFull => "The disk that holds the account is full.",
            ErrorCode::ReadOnly => "The account file is read-only.",
            ErrorCode::Locked => "Another program has locked the account file.",
            ErrorCode::Corrupt => "The account file is damaged.",
            _ => "The account cannot be read or written.",
        };
        tracing::warn!(error = why as &(dyn std::error::Error + 'static), "the server is not ready");
        Self::new(
            503,
            "not_ready",
            message,
            "Nothing can be saved until this is fixed. The server's log names the file.",
        )
    }

    /// Reports that the request names another host.
    pub fn other_host() -> Self {
        let message = "This server does not serve the host name of the request.";
        let hint = "Use localhost or 127.0.0.1 with the server's own port, or start it with --allow-host NAME.";
        Self::new(421, "other_host", message, hint)
    }

    /// Reports that a fault rule cannot hold back another response.
    pub fn cannot_hold_back(rule: &str, why: TooManyWaits) -> Self {
        let message = format!("The fault rule {rule} cannot hold back another response: {why}");
        let hint = "End requests that fault rules hold back, shorten or remove the rule (DELETE \
         /__admin/faults/rules/{fault}), or raise the bounds: --bound waits=N, at most half of --bound \
         connections=N.";
        Self::new(503, "busy", message, hint)
    }

    pub fn query_too_long(most: usize) -> Self {
        let message = format!("The query is longer than {} KiB.", most >> 10);
        Self::new(413, "too_large", message, "Use fewer words or requests per query.")
    }

    pub fn too_many_receivers(most: usize) -> Self {
        let message = format!("There are already {most} receivers, the most that a world can have.");
        Self::conflict("too_many_hooks", message, "Remove some with DELETE /__admin/hooks/{hook}.")
    }

    pub fn unknown_world(name: &str) -> Self {
        let message = format!("Unknown world '{name}'.");
        Self::new(404, "unknown_world", message, WORLD_ENDS)
    }

    /// Reports that the token is valid only for another world.
    pub fn out_of_scope(own: &WorldId) -> Self {
        let message = format!("This token is only valid for the world '{own}'.");
        Self::new(403, "out_of_scope", message, "Use the server's token, or the token of that world.")
    }

    pub fn conflict(code: &'static str, message: impl Into<String>, hint: &'static str) -> Self {
        Self::new(409, code, message, hint)
    }

    /// Reports that the server stopped while the caller waited.
    pub fn stopping() -> Self {
        let message = "The server is stopping, so the result is unknown.";
        Self::new(503, "stopping", message, "Ask again after it restarts. Its journal then starts empty.")
    }

    pub fn bad_seed(message: impl Into<String>) -> Self {
        Self::new(400, "bad_seed", message, "Fix the seed and retry. Nothing was changed.")
    }

    pub fn internal() -> Self {
        Self::new(500, "internal", "The server failed.", "See the server's log for the cause.")
    }

    /// Converts the error for a caller within the process.
    pub fn into_refusal(self) -> crate::admin::AdminRefusal {
        let Self { status, code, message, hint, pointer } = self;
        crate::admin::AdminRefusal { status, code, message, hint, pointer }
    }

    pub fn into_response(self) -> HttpResponse {
        let pointer = self.pointer.as_deref();
        let error = AdminErrorDetail { code: self.code, message: &self.message, hint: self.hint, pointer };
        let mut response = json_response(self.status, roost_wire::paging::to_bytes(&AdminErrorBody { error }));
        if self.status == 401 {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, BEARER);
        }
        response
    }
}

impl From<&AdminError> for RefusalCause {
    fn from(refused: &AdminError) -> Self {
        let check = match refused.code {
            "unauthorized" | "out_of_scope" => RefusalCheck::Key,
            "foreign_page" => RefusalCheck::Gate,
            "unknown_path" => RefusalCheck::Route,
            "wrong_method" => RefusalCheck::Method,
            "bad_body" | "form" | "bad_query" | "too_large" => RefusalCheck::Parsing,
            "not_found" | "unknown_world" | "unknown_correlation_id" => RefusalCheck::NotFound,
            "conflict" | "unconfirmed" | "too_many_hooks" | "world_clash" | "name_taken" | "key_taken" | "not_own"
            | "no_seed" => RefusalCheck::Conflict,
            "invalid" | "bad_seed" => RefusalCheck::Validation,
            _ => RefusalCheck::Server,
        };
        Self::new(check, format!("{} {}", refused.message, refused.hint))
    }
}

impl From<WorldNotFound> for AdminError {
    fn from(why: WorldNotFound) -> Self {
        match why {
            WorldNotFound::Unknown { by, name } => Self::new(
                404,
                "unknown_world",
                format!("The {by} selects the world '{name}', which does not exist."),
                match by {
                    "host name" => "The first part of the host name selects a world. GET /__admin/worlds lists them.",
                    _ => WORLD_ENDS,
                },
            ),
            WorldNotFound::Clash([(first_by, first), (second_by, second)]) => Self::new(
                409,
                "world_clash",
                format!("The {first_by} selects the world '{first}', but the {second_by} selects '{second}'."),
                "Select one world, or the same one each time.",
            ),
        }
    }
}

impl From<CreateWorldError> for AdminError {
    fn from(why: CreateWorldError) -> Self {
        let message = why.to_string();
        match why {
            CreateWorldError::NameTaken(_) => {
                Self::new(409, "name_taken", message, "Choose another name, or leave it out to get one.")
            }
            CreateWorldError::KeyTaken(_) => {
                Self::new(409, "key_taken", message, "Choose another key. A key selects one world.")
            }
            CreateWorldError::TooMany(_) => {
                let hint = "Remove worlds, give them a ttl, or start the server with --bound worlds=N.";
                Self::new(409, "too_many_worlds", message, hint)
            }
            CreateWorldError::TooManyKeys => {
                Self::new(409, "too_many_keys", message, "Remove worlds, or give them fewer keys.")
            }
            CreateWorldError::NoSnapshot(_) => Self::not_found(message),
            CreateWorldError::NoWorld(id) => Self::unknown_world(id.as_str()),
            CreateWorldError::Setting(why) => Self::from(why).within("settings"),
            CreateWorldError::Clock(_) => Self::invalid(message),
            CreateWorldError::Core(error) => error.into(),
        }
    }
}

impl From<ResetError> for AdminError {
    fn from(why: ResetError) -> Self {
        let message = why.to_string();
        match why {
            ResetError::NotOwn => Self::new(409, "not_own", message, "Create a world from it: POST /__admin/worlds."),
            ResetError::NoSeed => Self::new(
                409,
                "no_seed",
                message,
                "Send a seed first (PUT /__admin/seed or roost seed), or restore a snapshot.",
            ),
            ResetError::Unconfirmed { .. } => {
                let hint = "An account file that was not created from a seed is protected, and a copy is saved before \
                 it is replaced.";
                Self::new(409, "unconfirmed", message, hint)
            }
            ResetError::NoCopy(why) => why.into(),
            ResetError::Reachable => {
                Self::new(409, "reachable", message, "Set auth=keys in the world before you export it.")
            }
            ResetError::Gone => Self::new(404, "unknown_world", message, "See GET /__admin/worlds."),
            ResetError::Core(error) => error.into(),
        }
    }
}

impl From<SaveSnapshotError> for AdminError {
    fn from(why: SaveSnapshotError) -> Self {
        let code = match why {
            SaveSnapshotError::NameTaken(_) => {
                let hint = "Choose another name, or remove that snapshot with DELETE /__admin/snapshots/{snapshot} or \
                 roost snapshot NAME --remove.";
                return Self::new(409, "name_taken", why.to_string(), hint);
            }
            SaveSnapshotError::TooMany | SaveSnapshotError::TooLarge | SaveSnapshotError::AllTooLarge => {
                "too_many_snapshots"
            }
            SaveSnapshotError::NotWritten(_) => {
                let hint = "Check the free space on the disk that holds the account file.";
                return Self::new(507, "not_written", why.to_string(), hint);
            }
        };
        Self::new(409, code, why.to_string(), "Remove snapshots that you no longer need.")
    }
}

impl From<ReadWorldError> for AdminError {
    fn from(why: ReadWorldError) -> Self {
        let hint = "Nothing was changed. Send a file from GET /__admin/export?format=world of the same release.";
        Self::new(400, "bad_world", why.to_string(), hint)
    }
}

impl From<BackupError> for AdminError {
    fn from(why: BackupError) -> Self {
        match why {
            BackupError::Snapshot(why) => why.into(),
            BackupError::Core(why) => why.into(),
        }
    }
}

impl From<SeedError> for AdminError {
    fn from(error: SeedError) -> Self {
        let message = error.to_string();
        match error {
            SeedError::Core(error) => error.into(),
            SeedError::Invalid { path, .. } => {
                let refused = Self::bad_seed(message);
                // A place in the text of the file, such as "line 3", is in no field.
                match pointer::leading_path(&format!("{path}: ")) {
                    Some(place) => refused.at_path(place),
                    None => refused.at_path(""),
                }
            }
            SeedError::NotEmpty => Self::bad_seed(message),
        }
    }
}

impl From<SettingsChangeError> for AdminError {
    fn from(why: SettingsChangeError) -> Self {
        let refused = Self::invalid(why.to_string());
        match &why {
            SettingsChangeError::Setting(why) => refused.at_keys([why.setting_name()]),
            SettingsChangeError::Reachable | SettingsChangeError::Ended => refused,
        }
    }
}

impl From<TooManyWaits> for AdminError {
    fn from(why: TooManyWaits) -> Self {
        Self::new(503, "busy", why.to_string(), TooManyWaits::HINT)
    }
}

impl From<request_body::BodyError> for AdminError {
    fn from(fault: request_body::BodyError) -> Self {
        match fault {
            request_body::BodyError::TooLarge => {
                Self::new(413, "too_large", "The body is larger than 64 MiB.", "Send at most 64 MiB in one request.")
            }
            request_body::BodyError::Broken => Self::bad_body("The body ended early, or arrived too slowly"),
            request_body::BodyError::BoundReached(why) => Self::busy(why),
        }
    }
}

impl From<Error> for AdminError {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::NotFound { .. } => Self::not_found(message),
            Error::Invalid { faults } => {
                let refused = Self::invalid(message);
                match faults.first().map(|fault| fault.path.as_str()).filter(|path| !path.is_empty()) {
                    Some(path) if refused.pointer.is_none() => refused.at_path(path),
                    _ => refused,
                }
            }
            Error::Conflict { .. } => Self::new(409, "conflict", message, "Check the current state, then retry."),
            Error::Store(error) => {
                tracing::error!(error = &error as &(dyn std::error::Error + 'static), "an admin request failed");
                match error.code() {
                    ErrorCode::Internal => Self::internal(),
                    _ => Self::new(500, "storage", message, "See the server's log for the cause."),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_ends_with_exactly_one_punctuation_mark() {
        for (given, expected) in [("no", "no."), ("no.", "no."), ("did you mean 'a'?.", "did you mean 'a'?")] {
            assert_eq!(AdminError::invalid(given).message, expected);
        }
    }

    #[test]
    fn an_unknown_path_is_reported_with_the_nearest_route() {
        let message_at = |path| AdminError::unknown_route("GET", path).message;
        assert_eq!(message_at("/__admin/hook"), "There is nothing at /__admin/hook. Did you mean GET /__admin/hooks?");
        let within = "There is nothing at /__admin/worlds/a/limit. Did you mean GET /__admin/worlds/{world}/limits?";
        assert_eq!(message_at("/__admin/worlds/a/limit"), within);
        let long = format!("/__admin/{}", "a/".repeat(500));
        assert_eq!(message_at(&long), format!("There is nothing at {}.", &long[..200]));
    }
}

//! The errors of the admin interface: `{"error":{"code","message","hint","pointer"}}`.

mod neighbour;
mod pointer;

use axum::http::{HeaderValue, header};
use roost_model::error::ErrorCode;
use roost_ops::{Error, seed::SeedError};
use schemars::JsonSchema;
use serde::Serialize;

pub use self::neighbour::nearest;
use self::neighbour::{plain, suggested};
use super::journal::closest_routes;
use crate::{
    door::{
        answer::{HttpResponse, json},
        bounds::{NoRoom, TooManyWaits},
        intake,
    },
    journal::{Check, Why},
    world::{NoWorld, NotKept, NotMade, NotRead, NotReset, NotTaken, WorldId},
};

/// An error of the admin interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    status: u16,
    code: &'static str,
    message: String,
    hint: &'static str,
    pointer: Option<String>,
}

/// The body of an error.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AdminError", deny_unknown_fields)]
pub struct ErrorBody<'a> {
    error: Told<'a>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AdminErrorTold", deny_unknown_fields)]
struct Told<'a> {
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
fn probably_meant(method: &str, path: &str) -> String {
    let routes = closest_routes(method, path);
    let own = routes.iter().filter(|(_, known)| known.starts_with("/__admin") && !is_there(path, known));
    let named: Vec<String> = own.map(|(method, known)| format!("{method} {known}")).collect();
    if named.is_empty() { String::new() } else { format!(". Did you mean {}?", named.join(" or ")) }
}

/// Returns whether a known route has the requested path, which then has other methods only.
fn is_there(path: &str, known: &str) -> bool {
    roost_wire::RequestPath::parse(path).match_template(known).is_some()
}

/// The number of characters of a path that a message repeats.
const TOLD_MAX: usize = 200;

const FIX: &str = "Fix this value and retry.";

/// Ends a message with exactly one punctuation mark.
fn sentence(mut message: String) -> String {
    message.truncate(message.trim_end_matches('.').len());
    if !message.ends_with(['?', '!']) {
        message.push('.');
    }
    message
}

impl Refused {
    fn new(status: u16, code: &'static str, message: impl Into<String>, hint: &'static str) -> Self {
        Self { status, code, message: sentence(message.into()), hint, pointer: None }
    }

    /// Adds the place in the body, written as `lists[0].name`.
    pub fn at_place(self, place: &str) -> Self {
        Self { pointer: Some(pointer::of_place(place)), ..self }
    }

    pub fn unauthorized() -> Self {
        let hint = "Send 'Authorization: Bearer TOKEN'. The token is in the ready file, or set ROOST_ADMIN_TOKEN when \
         you start the server. A world's token ends with its world, which may have expired.";
        Self::new(401, "unauthorized", "The admin token is missing or wrong.", hint)
    }

    pub fn foreign_page() -> Self {
        let hint = "Send the request from a program, or from a page of this server.";
        Self::new(403, "foreign_page", "Pages of other origins cannot use this server.", hint)
    }

    pub fn unknown_path() -> Self {
        Self::nowhere("There is nothing at this path.")
    }

    /// Reports an unknown path and suggests similar routes.
    pub fn unknown_route(method: &str, path: &str) -> Self {
        let meant = probably_meant(method, path);
        let path: String = path.chars().take(TOLD_MAX).collect();
        Self::nowhere(format!("There is nothing at {path}{meant}"))
    }

    fn nowhere(told: impl Into<String>) -> Self {
        Self::new(404, "unknown_path", told, "See /__admin/openapi.json for all paths.")
    }

    pub fn wrong_method(method: &str, path: &str, allow: &str) -> Self {
        let meant = probably_meant(method, path);
        let path: String = path.chars().take(TOLD_MAX).collect();
        let told = format!("{path} supports {allow}, not {method}{meant}");
        Self::new(405, "wrong_method", told, "The Allow header lists the methods of this path.")
    }

    pub fn bad_body(why: &str) -> Self {
        let hint = "Send one JSON object, as described in /__admin/openapi.json.";
        Self::new(400, "bad_body", plain(why, suggested(why)), hint).at_place("")
    }

    /// Reports a body that is not JSON or not what the route accepts.
    pub fn bad_json(body: &[u8], why: &serde_json::Error) -> Self {
        let words = why.to_string();
        let pointer = match pointer::leading_place(&words) {
            Some(place) => pointer::of_place(place),
            None => pointer::at(body, why.line(), why.column()),
        };
        let refused = Self::bad_body(&words);
        let hint = if pointer.is_empty() { refused.hint } else { FIX };
        Self { pointer: Some(pointer), hint, ..refused }
    }

    pub fn bad_query(message: impl Into<String>) -> Self {
        Self::new(400, "bad_query", message, "See /__admin/openapi.json for the parameters.")
    }

    pub fn not_merged() -> Self {
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
        match pointer::leading_place(&refused.message).map(pointer::of_place) {
            Some(pointer) => Self { pointer: Some(pointer), ..refused },
            None => refused,
        }
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(404, "not_found", message, "List the existing records first.")
    }

    pub fn unknown_hook() -> Self {
        let told = "A receiver's address is /__hook/{world}/{name}, with a name of a-z, 0-9 and -, at most 64 \
         characters.";
        Self::new(404, "unknown_path", told, "See GET /__admin/hooks.")
    }

    pub fn no_form() -> Self {
        let hint = "Send 'Content-Type: application/json', as the service's callbacks do.";
        Self::new(415, "form", "A receiver does not accept the content types of web forms.", hint)
    }

    pub fn no_connections() -> Self {
        let told = "All connections are in use. The last ones are reserved for health checks and the server's admin \
         token.";
        Self::new(503, "busy", told, "Close idle connections, or start the server with --bound connections=N.")
    }

    pub fn busy(why: NoRoom) -> Self {
        Self::new(503, "busy", why.to_string(), NoRoom::HINT)
    }

    /// Reports that the server is not ready. Anybody may call this route, so the message names no path.
    pub fn not_ready(why: &Error) -> Self {
        let told = match why.code() {
            ErrorCode::Displaced => "The account file was moved, removed or replaced while the server had it open.",
            ErrorCode::DiskFull => "The disk that holds the account is full.",
            ErrorCode::ReadOnly => "The account file is read-only.",
            ErrorCode::Locked => "Another program has locked the account file.",
            ErrorCode::Corrupt => "The account file is damaged.",
            _ => "The account cannot be read or written.",
        };
        tracing::warn!(error = why as &(dyn std::error::Error + 'static), "the server is not ready");
        Self::new(503, "not_ready", told, "Nothing can be saved until this is fixed. The server's log names the file.")
    }

    /// Reports that the request names another host.
    pub fn other_host() -> Self {
        let told = "This server does not serve the host name of the request.";
        let hint = "Use localhost or 127.0.0.1 with the server's own port, or start it with --allow-host NAME.";
        Self::new(421, "other_host", told, hint)
    }

    /// Reports that a fault rule cannot hold back another response.
    pub fn not_held_back(rule: &str, why: TooManyWaits) -> Self {
        let told = format!("The fault rule {rule} cannot hold back another response: {why}");
        let hint = "End requests that fault rules hold back, shorten or remove the rule (DELETE \
         /__admin/faults/rules/{fault}), or raise the bounds: --bound waits=N, at most half of --bound \
         connections=N.";
        Self::new(503, "busy", told, hint)
    }

    pub fn long_query(most: usize) -> Self {
        let told = format!("The query is longer than {} KiB.", most >> 10);
        Self::new(413, "too_large", told, "Use fewer words or requests per query.")
    }

    pub fn too_many_hooks(most: usize) -> Self {
        let told = format!("There are already {most} receivers, the most that a world can have.");
        Self::conflict("too_many_hooks", told, "Remove some with DELETE /__admin/hooks/{hook}.")
    }

    pub fn unknown_world(name: &str) -> Self {
        let told = format!("Unknown world '{name}'.");
        Self::new(404, "unknown_world", told, "See GET /__admin/worlds. Worlds expire when they are not used.")
    }

    /// Reports that the token is valid only for another world.
    pub fn out_of_scope(own: &WorldId) -> Self {
        let told = format!("This token is only valid for the world '{own}'.");
        Self::new(403, "out_of_scope", told, "Use the server's token, or the token of that world.")
    }

    pub fn conflict(code: &'static str, message: impl Into<String>, hint: &'static str) -> Self {
        Self::new(409, code, message, hint)
    }

    /// Reports that the server stopped while the caller waited.
    pub fn stopping() -> Self {
        let told = "The server is stopping, so the result is unknown.";
        Self::new(503, "stopping", told, "Ask again after it restarts. Its journal then starts empty.")
    }

    pub fn bad_seed(message: impl Into<String>) -> Self {
        Self::new(400, "bad_seed", message, "Fix the seed and retry. Nothing was changed.")
    }

    pub fn internal() -> Self {
        Self::new(500, "internal", "The server failed.", "See the server's log for the cause.")
    }

    /// Converts the error for a caller within the process.
    pub fn declined(self) -> crate::admin::Declined {
        let Self { status, code, message, hint, pointer } = self;
        crate::admin::Declined { status, code, message, hint, pointer }
    }

    pub fn into_response(self) -> HttpResponse {
        let pointer = self.pointer.as_deref();
        let told = Told { code: self.code, message: &self.message, hint: self.hint, pointer };
        let mut response = json(self.status, roost_wire::paging::to_bytes(&ErrorBody { error: told }));
        if self.status == 401 {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, BEARER);
        }
        response
    }
}

impl From<&Refused> for Why {
    fn from(refused: &Refused) -> Self {
        let check = match refused.code {
            "unauthorized" | "out_of_scope" => Check::Key,
            "foreign_page" => Check::Gate,
            "unknown_path" => Check::Route,
            "wrong_method" => Check::Method,
            "bad_body" | "form" | "bad_query" | "too_large" => Check::Parsing,
            "not_found" | "unknown_world" => Check::NotFound,
            "conflict" | "unconfirmed" | "too_many_hooks" | "world_clash" | "name_taken" | "key_taken" | "not_own"
            | "no_seed" => Check::Conflict,
            "invalid" | "bad_seed" => Check::Validation,
            _ => Check::Server,
        };
        Self::new(check, format!("{} {}", refused.message, refused.hint))
    }
}

impl From<NoWorld> for Refused {
    fn from(why: NoWorld) -> Self {
        match why {
            NoWorld::Unknown { by, name } => Self::new(
                404,
                "unknown_world",
                format!("The {by} selects the world '{name}', which does not exist."),
                "See GET /__admin/worlds. Worlds expire when they are not used. With --allow-host, the first part of \
                 your own host name also selects a world.",
            ),
            NoWorld::Clash([(first_by, first), (second_by, second)]) => Self::new(
                409,
                "world_clash",
                format!("The {first_by} selects the world '{first}', but the {second_by} selects '{second}'."),
                "Select one world, or the same one each time.",
            ),
        }
    }
}

impl From<NotMade> for Refused {
    fn from(why: NotMade) -> Self {
        let told = why.to_string();
        match why {
            NotMade::NameTaken(_) => {
                Self::new(409, "name_taken", told, "Choose another name, or leave it out to get one.")
            }
            NotMade::KeyTaken(_) => Self::new(409, "key_taken", told, "Choose another key. A key selects one world."),
            NotMade::TooMany(_) => {
                let hint = "Remove worlds, give them a ttl, or start the server with --bound worlds=N.";
                Self::new(409, "too_many_worlds", told, hint)
            }
            NotMade::TooManyKeys => Self::new(409, "too_many_keys", told, "Remove worlds, or give them fewer keys."),
            NotMade::NoSnapshot(_) => Self::not_found(told),
            NotMade::NoWorld(id) => Self::unknown_world(id.as_str()),
            NotMade::Setting(_) | NotMade::Clock(_) => Self::invalid(told),
            NotMade::Core(error) => error.into(),
        }
    }
}

impl From<NotReset> for Refused {
    fn from(why: NotReset) -> Self {
        let told = why.to_string();
        match why {
            NotReset::NotOwn => Self::new(409, "not_own", told, "Create a world from it: POST /__admin/worlds."),
            NotReset::NoSeed => Self::new(
                409,
                "no_seed",
                told,
                "Send a seed first (PUT /__admin/seed or roost seed), or restore a snapshot.",
            ),
            NotReset::Unconfirmed { .. } => {
                let hint = "An account file that was not created from a seed is protected. It is copied before it is \
                 replaced.";
                Self::new(409, "unconfirmed", told, hint)
            }
            NotReset::NoCopy(why) => why.into(),
            NotReset::Reachable => {
                Self::new(409, "reachable", told, "Set auth=keys in the world before you export it.")
            }
            NotReset::Gone => Self::new(404, "unknown_world", told, "See GET /__admin/worlds."),
            NotReset::Core(error) => error.into(),
        }
    }
}

impl From<NotKept> for Refused {
    fn from(why: NotKept) -> Self {
        let code = match why {
            NotKept::Taken(_) => "name_taken",
            NotKept::TooMany | NotKept::TooLarge | NotKept::AllTooLarge => "too_many_snapshots",
            NotKept::NotWritten(_) => {
                let hint = "Check the free space on the disk that holds the account file.";
                return Self::new(507, "not_written", why.to_string(), hint);
            }
        };
        Self::new(409, code, why.to_string(), "Remove snapshots that you no longer need.")
    }
}

impl From<NotRead> for Refused {
    fn from(why: NotRead) -> Self {
        let hint = "Nothing was changed. Send a file from GET /__admin/export?format=world of the same release.";
        Self::new(400, "bad_world", why.to_string(), hint)
    }
}

impl From<NotTaken> for Refused {
    fn from(why: NotTaken) -> Self {
        match why {
            NotTaken::Snapshot(why) => why.into(),
            NotTaken::Core(why) => why.into(),
        }
    }
}

impl From<SeedError> for Refused {
    fn from(error: SeedError) -> Self {
        match error {
            SeedError::Core(error) => error.into(),
            told => Self::bad_seed(told.to_string()),
        }
    }
}

impl From<TooManyWaits> for Refused {
    fn from(why: TooManyWaits) -> Self {
        Self::new(503, "busy", why.to_string(), TooManyWaits::HINT)
    }
}

impl From<intake::Fault> for Refused {
    fn from(fault: intake::Fault) -> Self {
        match fault {
            intake::Fault::TooLarge => {
                Self::new(413, "too_large", "The body is larger than 64 MiB.", "Send at most 64 MiB in one request.")
            }
            intake::Fault::Broken => Self::bad_body("The body ended early, or arrived too slowly"),
            intake::Fault::NoRoom(why) => Self::busy(why),
        }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let told = error.to_string();
        match error {
            Error::NotFound { .. } => Self::not_found(told),
            Error::Invalid { .. } => Self::invalid(told),
            Error::Conflict { .. } => Self::new(409, "conflict", told, "Check the current state, then retry."),
            Error::Store(error) => {
                tracing::error!(error = &error as &(dyn std::error::Error + 'static), "an admin request failed");
                match error.code() {
                    ErrorCode::Internal => Self::internal(),
                    _ => Self::new(500, "storage", told, "See the server's log for the cause."),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_ends_with_one_sign() {
        for (said, told) in [("no", "no."), ("no.", "no."), ("did you mean 'a'?.", "did you mean 'a'?")] {
            assert_eq!(Refused::invalid(said).message, told);
        }
    }

    #[test]
    fn what_is_nowhere_is_told_with_the_route_that_was_meant() {
        let told = |path| Refused::unknown_route("GET", path).message;
        assert_eq!(told("/__admin/hook"), "There is nothing at /__admin/hook. Did you mean GET /__admin/hooks?");
        let within = "There is nothing at /__admin/worlds/a/limit. Did you mean GET /__admin/worlds/{world}/limits?";
        assert_eq!(told("/__admin/worlds/a/limit"), within);
        let long = format!("/__admin/{}", "a/".repeat(500));
        assert_eq!(told(&long), format!("There is nothing at {}.", &long[..200]));
    }
}

//! The headers that every format omits, and the variables that replace secrets.

use super::super::{Exchange, mask};

/// Headers that a program sets itself, or that belong to a browser.
const OMITTED_HEADERS: [&str; 9] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "expect",
    "user-agent",
    "accept",
    "accept-encoding",
    "x-roost-origin",
];

pub(super) fn is_omitted_header(header: &str) -> bool {
    OMITTED_HEADERS.contains(&header) || header.starts_with("sec-")
}

/// Returns the whole address; `url` is the address of the server, such as `http://127.0.0.1:4010`.
pub(super) fn full_url(exchange: &Exchange, url: &str) -> String {
    if exchange.target.starts_with('/') { format!("{url}{}", exchange.target) } else { exchange.target.clone() }
}

/// Returns, for a header with a secret: its name, the scheme before the secret, and the variable for the secret.
pub(super) fn secret_variable<'h>(name: &'h str, value: &str) -> Option<(&'h str, &'static str, &'static str)> {
    match name {
        "x-auth-key" => Some(("X-AUTH-KEY", "", "ROOST_API_KEY")),
        "authorization" if value.starts_with("Bearer ") || value.starts_with("bearer ") => {
            Some(("Authorization", "Bearer ", "ROOST_ADMIN_TOKEN"))
        }
        _ if mask::is_secret(name) => Some((name, "", "ROOST_SECRET")),
        _ => None,
    }
}

//! The reason that the journal gives for a refusal of the gate.

use axum::http::{HeaderMap, HeaderName, header};
use roost_journal::{RefusalCause, RefusalCheck, SHOWN_MAX, shorten_text};

use super::GateRefusal;

impl GateRefusal {
    /// Describes the refusal in terms of the request's headers.
    pub(crate) fn to_cause(self, headers: &HeaderMap) -> RefusalCause {
        let given = |name: HeaderName| {
            headers.get(name).map(|v| shorten_text(&String::from_utf8_lossy(v.as_bytes()), SHOWN_MAX))
        };
        let words = match (self, given(header::HOST), given(header::ORIGIN)) {
            (Self::Host, Some(host), _) => {
                format!("The Host header '{host}' is not a name of this server. Add names with --allow-host.")
            }
            (Self::Host, None, _) => "The Host header is missing.".to_owned(),
            (Self::Page, _, Some(origin)) => {
                format!(
                    "A page of '{origin}' sent this request, but only this server's own pages may. Call from a \
                     program instead, or start the server with --allow-origin {origin}."
                )
            }
            (Self::Page, _, None) => {
                let site = given(HeaderName::from_static("sec-fetch-site")).unwrap_or_default();
                format!(
                    "A browser sent this request from another page (Sec-Fetch-Site: {site}). Call from a program \
                 instead, or start the server with --allow-origin ORIGIN."
                )
            }
        };
        RefusalCause::new(RefusalCheck::Gate, words)
    }
}

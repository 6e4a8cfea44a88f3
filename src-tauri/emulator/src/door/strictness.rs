//! What the service may refuse and the emulator ignores by default: the settings `strict.…` refuse it, or warn of it.

use axum::http::{header, request};
use bytes::Bytes;
use roost_ops::custom_field;
use roost_wire::{
    OperationId, QueryString, RestError, ValidationError, body,
    strictness::{DeprecatedForm, find_deprecated_form, find_unknown_field, find_unknown_parameter},
};

use super::OperationCall;
use crate::{
    http::{
        error::to_rest_error,
        response::{HttpResponse, add_warning},
    },
    settings::Reaction,
};

/// The most characters of a name that a warning repeats.
const NAME_MAX: usize = 100;

/// Something in a request that the service may refuse.
pub(crate) struct Slip {
    /// The row of the register that it is about.
    pub behaviour: &'static str,
    pub words: String,
    pub refusal: RestError,
}

/// What to warn of; or the first thing that is refused.
pub(crate) async fn check(
    call: &OperationCall<'_>,
    id: OperationId,
    parts: &request::Parts,
) -> Result<Vec<Slip>, Slip> {
    let strictness = call.visit.rules.settings.strictness;
    if strictness.ignores_all() {
        return Ok(Vec::new());
    }
    let mut warnings = Vec::new();
    let mut react = |reaction, slip: Option<Slip>| match (reaction, slip) {
        (Reaction::Refuse, Some(slip)) => Err(slip),
        (Reaction::Warn, Some(slip)) => {
            warnings.push(slip);
            Ok(())
        }
        (Reaction::Ignore, _) | (_, None) => Ok(()),
    };
    react(strictness.content_type, find_missing_content_type(id, parts))?;
    if strictness.body_fields != Reaction::Ignore && id.operation().reads_body {
        react(strictness.body_fields, find_field(call, id).await)?;
    }
    react(strictness.parameters, find_parameter(id, call.query))?;
    react(strictness.deprecated_forms, find_form(id, call))?;
    Ok(warnings)
}

/// Adds a warning header for each part of the request that was refused or that the service may refuse.
pub(crate) fn warn(response: &mut HttpResponse, warnings: &[Slip]) {
    for Slip { behaviour, words, .. } in warnings {
        add_warning(response, &format!("{behaviour}: {words}"));
    }
}

fn find_missing_content_type(id: OperationId, parts: &request::Parts) -> Option<Slip> {
    let is_missing = id.operation().reads_body && !parts.headers.contains_key(header::CONTENT_TYPE);
    is_missing.then(|| Slip {
        behaviour: "transport.content_type",
        words: "The header Content-Type is missing. Send application/json.".to_owned(),
        refusal: RestError::BadBody,
    })
}

async fn find_field(call: &OperationCall<'_>, id: OperationId) -> Option<Slip> {
    let sent = Bytes::clone(&call.body);
    // A body may be large, and custom fields are in the account.
    let found = call.visit.run_blocking(move |core| {
        let defined = match id {
            OperationId::ContactsCreate => custom_field::numbers(core).map_err(to_rest_error)?,
            _ => Vec::new(),
        };
        Ok(find_unknown_field(id, body::body_text(&sent)?, &defined))
    });
    // What cannot be read is refused by the operation itself.
    let place = found.await.ok().flatten()?;
    let words = format!("Unknown field {}.", shortened(&place));
    Some(Slip { behaviour: "transport.body", words, refusal: RestError::BadBody })
}

fn find_parameter(id: OperationId, query: &str) -> Option<Slip> {
    let query = QueryString::parse(query);
    let name = find_unknown_parameter(id, &query)?;
    let entry = ValidationError::new(name.to_owned(), "Unknown parameter.", query.first_value(name));
    let words = format!("Unknown parameter {}.", shortened(name));
    Some(Slip { behaviour: "transport.parameters", words, refusal: RestError::Invalid(vec![entry]) })
}

fn find_form(id: OperationId, call: &OperationCall<'_>) -> Option<Slip> {
    let body = std::str::from_utf8(&call.body).unwrap_or_default();
    Some(match find_deprecated_form(id, call.query, body)? {
        DeprecatedForm::PlainPlus(name) => {
            let entry = ValidationError::new(
                name,
                "The plus sign is not encoded.",
                QueryString::parse(call.query).first_value(name),
            );
            Slip {
                behaviour: if id == OperationId::OptOutsQuery { "optouts.query.number" } else { "numbers.contacts" },
                words: format!("The plus sign in {name} is not encoded. Send %2B."),
                refusal: RestError::Invalid(vec![entry]),
            }
        }
        DeprecatedForm::TextNumber(field) => Slip {
            behaviour: "shortlinks.search.page",
            words: format!("{field} is text. Send a number."),
            refusal: RestError::BadParameterType,
        },
    })
}

fn shortened(name: &str) -> String {
    let mut short: String = name.chars().take(NAME_MAX).collect();
    if name.chars().nth(NAME_MAX).is_some() {
        short.push('…');
    }
    short
}

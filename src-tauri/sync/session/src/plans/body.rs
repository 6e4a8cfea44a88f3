//! Shows the request of a step as it would be sent: its first rows, with phone numbers masked on request.

use roost_reconcile::plan::StepKind;
use roost_sync::plan;
use serde_json::Value;

use crate::{PlanBody, Session, SessionResult, connection};

/// The most rows shown of a request.
const SHOWN_ROWS: usize = 200;
/// The numbers of characters that stay visible at both ends of a masked number.
const FIRST_VISIBLE: usize = 3;
const LAST_VISIBLE: usize = 2;

/// Builds the request of a step for the UI.
pub(super) fn build_body(session: &Session, kind: &StepKind, masked: bool) -> SessionResult<PlanBody> {
    let known = session.read_connection()?;
    let settings = connection::build_settings(&known, None)?;
    let call = plan::preview_call(session.core(), kind, SHOWN_ROWS)?;
    let rows = match kind {
        StepKind::Contacts { items, .. } => items.len() as u64,
        StepKind::Upload { count, .. } => *count,
        StepKind::OptOutDelete { numbers, .. } => numbers.len() as u64,
        _ => 1,
    };
    let url = format!("{}{}", settings.base(), call.request_target(&settings.paths));
    let mut body = call.body().and_then(|bytes| serde_json::from_slice::<Value>(bytes).ok());
    if let Some(body) = body.as_mut().filter(|_| masked) {
        mask_numbers(body);
    }
    let compact = body.as_ref().map(Value::to_string);
    let body = body.and_then(|body| serde_json::to_string_pretty(&body).ok());
    let curl = to_curl(call.method(), &url, &known.header, compact.as_deref());
    Ok(PlanBody { method: call.method().to_owned(), url, body, rows, shown: rows.min(SHOWN_ROWS as u64), curl })
}

/// Masks the middle of every text that is a number in international form.
fn mask_numbers(value: &mut Value) {
    match value {
        Value::String(text) => {
            let digits = text.strip_prefix('+').unwrap_or_default();
            if digits.len() >= FIRST_VISIBLE + LAST_VISIBLE && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                let dots = "•".repeat(digits.len() - FIRST_VISIBLE - LAST_VISIBLE + 1);
                *text = format!("{}{dots}{}", &text[..FIRST_VISIBLE], &text[text.len() - LAST_VISIBLE..]);
            }
        }
        Value::Array(all) => all.iter_mut().for_each(mask_numbers),
        Value::Object(all) => all.values_mut().for_each(mask_numbers),
        _ => {}
    }
}

/// Writes the request as a shell command. The key is taken from a variable of the caller.
fn to_curl(method: &str, url: &str, header: &str, body: Option<&str>) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let mut line = format!("curl -X {method} -H \"{header}: $ROOST_KEY\"");
    if let Some(body) = body {
        line.push_str(" -H 'Content-Type: application/json' -d ");
        line.push_str(&quoted(body));
    }
    format!("{line} {}", quoted(url))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_hidden_everywhere_and_nothing_else_is() {
        let mut body =
            json!({"list": "LST_1", "rows": [{"phone_number": "+447700900123", "firstname": "+ab"}], "n": 7});
        mask_numbers(&mut body);
        let hidden = json!({"list": "LST_1", "rows": [{"phone_number": "+44••••••••23", "firstname": "+ab"}], "n": 7});
        assert_eq!(body, hidden);
    }

    #[test]
    fn a_shell_gets_the_body_whole_and_the_key_from_its_owner() {
        let line = to_curl("POST", "https://api.example/x?a=1&b=2", "X-AUTH-KEY", Some(r#"{"name":"Ann's"}"#));
        assert_eq!(
            line,
            r#"curl -X POST -H "X-AUTH-KEY: $ROOST_KEY" -H 'Content-Type: application/json' -d '{"name":"Ann'\''s"}' 'https://api.example/x?a=1&b=2'"#
        );
    }
}

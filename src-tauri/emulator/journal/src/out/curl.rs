//! Writes a line of the journal as a curl command that repeats the request, with a variable for each secret.

use roost_model::error::shell::quote_argument;

use super::{super::Exchange, secrets};

/// Returns a curl command for the shell. It calls the address in ROOST_URL, which `roost exec` sets, or `url`, the
/// address of the server, such as `http://127.0.0.1:4010`.
pub fn to_curl(exchange: &Exchange, url: &str) -> String {
    let mut line = String::from("curl");
    let body = &exchange.request.body;
    match (exchange.method.as_ref(), body.length()) {
        ("HEAD", _) => line.push_str(" --head"),
        ("GET", 0) => {}
        (method, _) => line.push_str(&format!(" -X {}", quote_argument(method))),
    }
    if exchange.target.contains(['[', ']', '{', '}']) {
        line.push_str(" --globoff");
    }
    if exchange.target.contains("/.") {
        line.push_str(" --path-as-is");
    }
    match exchange.target.starts_with('/') {
        true => line.push_str(&format!(" \"${{ROOST_URL:-{url}}}\"{}", quote_argument(&exchange.target))),
        false => line.push_str(&format!(" {}", quote_argument(&exchange.target))),
    }
    for (name, value) in exchange.request.headers.iter() {
        if !secrets::is_omitted_header(name) {
            line.push_str(&format!(" -H {}", header_argument(name, value)));
        }
    }
    if body.length() > 0 {
        match std::str::from_utf8(body.bytes()) {
            Ok(text) if body.is_whole() && !text.contains('\0') => {
                line.push_str(&format!(" --data-raw {}", quote_argument(text)));
            }
            _ => {
                let data = format!(" --data-binary @body # write the body of {} bytes to the file body", body.length());
                line.push_str(&data);
            }
        }
    }
    line
}

/// Writes a header argument, in double quotes if it contains a variable.
fn header_argument(name: &str, value: &str) -> String {
    match secrets::secret_variable(name, value) {
        Some((name, scheme, variable)) if name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)) => {
            format!("\"{name}: {scheme}${variable}\"")
        }
        // Names may contain `, $, | and !, which have a meaning inside double quotes.
        Some((name, scheme, variable)) => format!("{}\"${variable}\"", quote_argument(&format!("{name}: {scheme}"))),
        // curl sends a header without a value only if its name is followed by a semicolon.
        None if value.is_empty() => quote_argument(&format!("{name};")),
        None => quote_argument(&format!("{name}: {value}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RecordedBody, RecordedHeaders, RecordedMessage};

    fn make_exchange(method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Exchange {
        Exchange {
            method: method.to_owned().into(),
            target: target.to_owned(),
            request: RecordedMessage {
                headers: headers.iter().copied().collect(),
                body: RecordedBody::from_beginning(body, body.len() as u64),
            },
            ..Exchange::default()
        }
    }

    fn curl_line(method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> String {
        to_curl(&make_exchange(method, target, headers, body.as_bytes()), "http://127.0.0.1:4010")
    }

    #[test]
    fn a_request_can_be_sent_again() {
        assert_eq!(
            curl_line(
                "POST",
                "/contacts/v1/lists/create",
                &[
                    ("host", "localhost:4010"),
                    ("x-auth-key", "open…"),
                    ("content-type", "application/json"),
                    ("content-length", "17"),
                    ("sec-fetch-site", "none"),
                ],
                r#"{"name":"Ada's"}"#
            ),
            r#"curl -X POST "${ROOST_URL:-http://127.0.0.1:4010}"/contacts/v1/lists/create -H "X-AUTH-KEY: $ROOST_API_KEY" -H 'content-type: application/json' --data-raw '{"name":"Ada'\''s"}'"#
        );
        assert_eq!(
            curl_line("GET", "/contacts/v1/lists/?name=a b&x=[1]", &[("x-empty", "")], ""),
            r#"curl --globoff "${ROOST_URL:-http://127.0.0.1:4010}"'/contacts/v1/lists/?name=a b&x=[1]' -H 'x-empty;'"#
        );
        assert_eq!(
            curl_line("HEAD", "/a/../b", &[], ""),
            r#"curl --head --path-as-is "${ROOST_URL:-http://127.0.0.1:4010}"/a/../b"#
        );
        assert_eq!(curl_line("POST", "http://a.example/b", &[], ""), "curl -X POST http://a.example/b");
        assert_eq!(
            curl_line("GET", "/__admin/info", &[("authorization", "Bearer 0123…")], ""),
            r#"curl "${ROOST_URL:-http://127.0.0.1:4010}"/__admin/info -H "Authorization: Bearer $ROOST_ADMIN_TOKEN""#
        );
        assert_eq!(
            curl_line("GET", "/x", &[("x-key`id`$home|!'", "open…"), ("x-api-token", "open…")], ""),
            r#"curl "${ROOST_URL:-http://127.0.0.1:4010}"/x -H 'x-key`id`$home|!'\'': '"$ROOST_SECRET" -H "x-api-token: $ROOST_SECRET""#
        );
    }

    #[test]
    fn a_body_that_is_not_whole_text_is_left_to_a_file() {
        let cut = Exchange {
            request: RecordedMessage {
                headers: RecordedHeaders::default(),
                body: RecordedBody::from_beginning(b"{}", 70_000),
            },
            ..make_exchange("POST", "/x", &[], b"")
        };
        assert!(
            to_curl(&cut, "http://h").ends_with("--data-binary @body # write the body of 70000 bytes to the file body")
        );
        for body in [b"\xff".as_slice(), b"a\0b"] {
            assert!(to_curl(&make_exchange("POST", "/x", &[], body), "http://h").contains("@body"));
        }
    }
}

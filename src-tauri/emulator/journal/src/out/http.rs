//! Writes a line of the journal as a `.http` file, which editors can send.

use super::{super::Exchange, secrets};

/// Returns the request with variables for secrets; `url` is the address of the server.
pub fn to_http_file(exchange: &Exchange, url: &str) -> String {
    let mut text = format!("### {} {}\n", exchange.number, exchange.operation.as_deref().unwrap_or("no operation"));
    text.push_str(&format!("{} {}\n", exchange.method, secrets::full_url(exchange, url)));
    for (name, value) in exchange.request.headers.iter().filter(|(name, _)| !secrets::is_omitted_header(name)) {
        text.push_str(&match secrets::secret_variable(name, value) {
            Some((name, scheme, variable)) => format!("{name}: {scheme}{{{{{variable}}}}}\n"),
            None => format!("{name}: {value}\n"),
        });
    }
    let body = &exchange.request.body;
    if body.length() == 0 {
        return text;
    }
    match std::str::from_utf8(body.bytes()) {
        Ok(text_body) if body.is_whole() => text.push_str(&format!("\n{text_body}\n")),
        // The syntax of the format for a body in a file.
        _ => text.push_str(&format!("\n# write the body of {} bytes to the file body\n< ./body\n", body.length())),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RecordedBody, RecordedMessage};

    #[test]
    fn a_request_is_written_in_the_http_file_format_of_editors() {
        let headers = [("host", "x"), ("x-auth-key", "open…"), ("content-type", "application/json")];
        let mut exchange = Exchange {
            number: 7,
            method: "POST".into(),
            target: "/contacts/v1/lists/create".to_owned(),
            operation: Some("lists.create".into()),
            request: RecordedMessage {
                headers: headers.into_iter().collect(),
                body: RecordedBody::from_beginning(b"{}", 2),
            },
            ..Exchange::default()
        };
        assert_eq!(
            to_http_file(&exchange, "http://127.0.0.1:4010"),
            "### 7 lists.create\nPOST http://127.0.0.1:4010/contacts/v1/lists/create\nX-AUTH-KEY: {{ROOST_API_KEY}}\n\
             content-type: application/json\n\n{}\n"
        );
        exchange.request.body = RecordedBody::from_beginning(b"{}", 70_000);
        assert!(to_http_file(&exchange, "http://h").ends_with("< ./body\n"));
    }
}

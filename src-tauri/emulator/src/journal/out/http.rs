//! Writes a line of the journal as a `.http` file, which editors can send.

use super::{super::Exchange, shown};

/// Returns the request with variables for secrets; `url` is the address of the server.
pub fn http(exchange: &Exchange, url: &str) -> String {
    let mut text = format!("### {} {}\n", exchange.number, exchange.operation.as_deref().unwrap_or("no operation"));
    text.push_str(&format!("{} {}\n", exchange.method, shown::address(exchange, url)));
    for (name, value) in exchange.request.headers.iter().filter(|(name, _)| !shown::is_left_out(name)) {
        text.push_str(&match shown::variable(name, value) {
            Some((name, scheme, variable)) => format!("{name}: {scheme}{{{{{variable}}}}}\n"),
            None => format!("{name}: {value}\n"),
        });
    }
    let body = &exchange.request.body;
    if body.length() == 0 {
        return text;
    }
    match std::str::from_utf8(body.kept()) {
        Ok(whole) if body.is_whole() => text.push_str(&format!("\n{whole}\n")),
        // The syntax of the format for a body in a file.
        _ => text.push_str(&format!("\n# write the body of {} bytes to the file body\n< ./body\n", body.length())),
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{KeptBody, Message};

    #[test]
    fn a_request_stands_as_editors_send_it() {
        let headers = [("host", "x"), ("x-auth-key", "open…"), ("content-type", "application/json")];
        let mut exchange = Exchange {
            number: 7,
            method: "POST".into(),
            target: "/contacts/v1/lists/create".to_owned(),
            operation: Some("lists.create".into()),
            request: Message { headers: headers.into_iter().collect(), body: KeptBody::cut(b"{}", 2) },
            ..Exchange::default()
        };
        assert_eq!(
            http(&exchange, "http://127.0.0.1:4010"),
            "### 7 lists.create\nPOST http://127.0.0.1:4010/contacts/v1/lists/create\nX-AUTH-KEY: {{ROOST_API_KEY}}\n\
             content-type: application/json\n\n{}\n"
        );
        exchange.request.body = KeptBody::cut(b"{}", 70_000);
        assert!(http(&exchange, "http://h").ends_with("< ./body\n"));
    }
}

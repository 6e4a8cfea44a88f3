//! Shows a request as it would be sent.

use std::fmt::Write as _;

use roost_sync_session::PlanBody;

/// The body is JSON, in which nothing can control a terminal.
pub(super) fn describe_request(body: &PlanBody) -> String {
    let mut out = format!("{} {}\n", body.method, body.url);
    if let Some(text) = &body.body {
        let _ = writeln!(out, "\n{}", text.trim_end());
    }
    if body.shown < body.rows {
        let _ = writeln!(out, "\nThe first {} of {} rows.", body.shown, body.rows);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_shown_as_far_as_it_goes() {
        let mut body = PlanBody {
            method: "DELETE".to_owned(),
            url: "http://localhost/contacts/v1/contacts/CON_1".to_owned(),
            body: None,
            rows: 0,
            shown: 0,
            curl: String::new(),
        };
        assert_eq!(describe_request(&body), "DELETE http://localhost/contacts/v1/contacts/CON_1\n");
        (body.body, body.rows, body.shown) = (Some("{\n}\n".to_owned()), 900, 200);
        assert!(describe_request(&body).ends_with("\n\n{\n}\n\nThe first 200 of 900 rows.\n"));
    }
}

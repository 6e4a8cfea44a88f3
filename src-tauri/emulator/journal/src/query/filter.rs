//! Reads a matcher from one line, such as `operation:contacts status:4xx header.x-tag:"a b"`.

use serde_json::{Value, json};

use super::{
    matcher::Matcher,
    read::{JsonPlace, MatcherError, MatcherResult},
};

const FILTER_KEYS: [&str; 11] =
    ["operation", "method", "path", "url", "key", "status", "direction", "rule", "body", "header.NAME", "query.NAME"];

/// Reads pairs of field and value, all of which must hold.
pub(super) fn parse_filter(text: &str) -> Result<Matcher, MatcherError> {
    let mut matcher = Matcher::default();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let filter = Value::from(rest);
        let at = JsonPlace::new(&filter, "filter");
        let Some((field, value)) = rest.split_once(':').filter(|(field, _)| !field.contains(char::is_whitespace))
        else {
            return at.error_here(format!(
                "'{rest}' is not a valid filter. Use pairs such as status:4xx or \
             operation:contacts.create"
            ));
        };
        let (value, after) = split_value(value, &at)?;
        let written = match field.split_once('.') {
            Some(("header" | "headers", name)) if !name.is_empty() => json!({ "headers": { name: value } }),
            Some(("query", name)) if !name.is_empty() => json!({ "query": { name: value } }),
            _ if field == "body" => json!({ "body": { "contains": value } }),
            _ if FILTER_KEYS[..8].contains(&field) => json!({ field: value }),
            _ => return at.unknown_key_error(field, &FILTER_KEYS),
        };
        matcher.add_test(&written, "filter")?;
        rest = after.trim_start();
    }
    Ok(matcher)
}

/// Splits off a value that ends at the next space or is in double quotes.
fn split_value<'t>(text: &'t str, at: &JsonPlace<'_>) -> MatcherResult<(&'t str, &'t str)> {
    match text.strip_prefix('"') {
        Some(quoted) => match quoted.split_once('"') {
            Some(found) => Ok(found),
            None => at.error_here("the closing quotation mark is missing"),
        },
        None => Ok(text.split_once(char::is_whitespace).unwrap_or((text, ""))),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::facts::{FieldValue, MatchField, MatchSource},
        *,
    };

    struct SampleRequest;

    impl MatchSource for SampleRequest {
        fn read_field(&self, field: MatchField<'_>) -> FieldValue<'_> {
            match field {
                MatchField::Operation => FieldValue::from_text("lists.create"),
                MatchField::Status => FieldValue::Number(404),
                MatchField::Header("x-tag") => FieldValue::from_text("a b"),
                MatchField::Url => FieldValue::from_text("http://client.example/hook"),
                MatchField::Body => FieldValue::Bytes(b"some words".as_slice().into()),
                _ => FieldValue::Absent,
            }
        }
    }

    #[test]
    fn a_line_of_pairs_is_a_matcher() {
        for (line, want) in [
            ("", true),
            ("operation:lists status:4xx", true),
            (" operation:lists.*  header.X-Tag:\"a b\" body:words", true),
            ("url:http://client.example/*", true),
            ("status:none", false),
            ("operation:lists status:200", false),
            ("query.name:x", false),
        ] {
            let matcher = parse_filter(line).unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(matcher.matches(&SampleRequest), want, "{line}");
        }
        for (line, want) in [
            ("lists", "filter: 'lists' is not a valid filter. Use pairs such as status:4xx"),
            ("statis:4xx", "filter: unknown key 'statis'. Did you mean 'status'?"),
            ("status:4yy", "filter.status: expected a status"),
            ("header.x:\"a", "filter: the closing quotation mark is missing"),
        ] {
            let message = parse_filter(line).expect_err("a fault").to_string();
            assert!(message.starts_with(want), "{message}");
        }
    }
}

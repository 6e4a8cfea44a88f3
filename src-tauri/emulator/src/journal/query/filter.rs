//! Reads a matcher from one line, such as `operation:contacts status:4xx header.x-tag:"a b"`.

use serde_json::{Value, json};

use super::{
    matcher::Matcher,
    read::{At, Read, Unreadable},
};

const KNOWN: [&str; 11] =
    ["operation", "method", "path", "url", "key", "status", "direction", "rule", "body", "header.NAME", "query.NAME"];

/// Reads pairs of field and value, all of which must hold.
pub fn read(text: &str) -> Result<Matcher, Unreadable> {
    let mut matcher = Matcher::default();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let whole = Value::from(rest);
        let at = At::new(&whole, "filter");
        let Some((field, value)) = rest.split_once(':').filter(|(field, _)| !field.contains(char::is_whitespace))
        else {
            return at.fault(format!(
                "'{rest}' is not a valid filter. Use pairs such as status:4xx or \
             operation:contacts.create"
            ));
        };
        let (value, behind) = value_of(value, &at)?;
        let written = match field.split_once('.') {
            Some(("header" | "headers", name)) if !name.is_empty() => json!({ "headers": { name: value } }),
            Some(("query", name)) if !name.is_empty() => json!({ "query": { name: value } }),
            _ if field == "body" => json!({ "body": { "contains": value } }),
            _ if KNOWN[..8].contains(&field) => json!({ field: value }),
            _ => return at.unknown(field, &KNOWN),
        };
        matcher.and(&written, "filter")?;
        rest = behind.trim_start();
    }
    Ok(matcher)
}

/// Splits off a value that ends at the next space or is in double quotes.
fn value_of<'t>(text: &'t str, at: &At<'_>) -> Read<(&'t str, &'t str)> {
    match text.strip_prefix('"') {
        Some(quoted) => match quoted.split_once('"') {
            Some(found) => Ok(found),
            None => at.fault("the closing quotation mark is missing"),
        },
        None => Ok(text.split_once(char::is_whitespace).unwrap_or((text, ""))),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::facts::{Fact, Facts, Field},
        *,
    };

    struct Sample;

    impl Facts for Sample {
        fn field(&self, field: Field<'_>) -> Fact<'_> {
            match field {
                Field::Operation => Fact::text("lists.create"),
                Field::Status => Fact::Number(404),
                Field::Header("x-tag") => Fact::text("a b"),
                Field::Url => Fact::text("http://client.example/hook"),
                Field::Body => Fact::Bytes(b"some words".as_slice().into()),
                _ => Fact::Absent,
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
            let matcher = read(line).unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(matcher.hits(&Sample), want, "{line}");
        }
        for (line, want) in [
            ("lists", "filter: 'lists' is not a valid filter. Use pairs such as status:4xx"),
            ("statis:4xx", "filter: unknown key 'statis'. Did you mean 'status'?"),
            ("status:4yy", "filter.status: expected a status"),
            ("header.x:\"a", "filter: the closing quotation mark is missing"),
        ] {
            let told = read(line).expect_err("a fault").to_string();
            assert!(told.starts_with(want), "{told}");
        }
    }
}

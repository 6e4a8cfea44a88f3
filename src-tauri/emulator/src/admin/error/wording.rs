//! Words errors of the JSON reader for people, because the reader's messages name types of the program. Also finds the
//! known name that is most similar to an unknown one.

use crate::settings::nearest_name;
/// Suggests a name from a message: ``unknown field `efect`, expected one of `name`, `effect` `` → `effect`.
pub(super) fn suggest_name(words: &str) -> Option<&str> {
    let (_, named) = words.split_once("unknown field `").or_else(|| words.split_once("unknown variant `"))?;
    let (given, rest) = named.split_once('`')?;
    let (_, known) = rest.split_once("expected ")?;
    nearest_name(given, known.split('`').skip(1).step_by(2))
}

/// Rewords a message: `` missing field `name` at line 1 column 2 `` → `Missing field 'name' (line 1, column 2)`. Adds the
/// name that an unknown one was probably meant for.
pub(super) fn reword_error(words: &str, suggestion: Option<&str>) -> String {
    let (message, place) =
        words.rsplit_once(" at line ").map_or((words, None), |(message, place)| (message, Some(place)));
    let place = place.map(|place| format!(" (line {})", place.replace(" column ", ", column "))).unwrap_or_default();
    let suggestion = suggestion.map(|name| format!(" Did you mean '{name}'?"));
    let (what, known) = reword_message(message);
    match (suggestion, known) {
        (None, None) => format!("{what}{place}"),
        (suggestion, known) => format!("{what}{place}.{}{}", suggestion.unwrap_or_default(), known.unwrap_or_default()),
    }
}

/// What is wrong, and the names that were possible.
fn reword_message(message: &str) -> (String, Option<String>) {
    if let Some(name) = message.strip_prefix("missing field ") {
        return (format!("Missing field '{}'", trim_backticks(name)), None);
    }
    if let Some(name) = message.strip_prefix("duplicate field ") {
        return (format!("Duplicate field '{}'", trim_backticks(name)), None);
    }
    if let Some((name, rest)) = split_name(message, "unknown field ") {
        let fields = match backticked_names(rest) {
            known if known.is_empty() => " No fields are expected.".to_owned(),
            known => format!(" Fields: {}.", known.join(", ")),
        };
        return (format!("Unknown field '{name}'"), Some(fields));
    }
    if let Some((name, rest)) = split_name(message, "unknown variant ") {
        return (format!("Unknown value '{name}'"), Some(format!(" Values: {}.", backticked_names(rest).join(", "))));
    }
    let misplaced = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((given, wanted)) = misplaced.and_then(|rest| rest.rsplit_once(", expected ")) {
        return (format!("Expected {}, got {}", describe_expected(wanted), describe_given(given)), None);
    }
    if message.starts_with("EOF while parsing") {
        return ("Invalid JSON: the body ends too early".to_owned(), None);
    }
    let fault = match message {
        "trailing characters" => "unexpected characters after the end",
        "trailing comma" => "trailing comma",
        "key must be a string" => "field names need quotation marks",
        "expected value" => "expected a value",
        "expected ident" => "expected true, false or null",
        "expected `:`" => "expected a colon",
        "expected `,` or `}`" | "expected `,` or `]`" => "expected a comma or a closing bracket",
        other => return (other.to_owned(), None),
    };
    (format!("Invalid JSON: {fault}"), None)
}

/// Splits `` `name`, expected … `` into the name and the rest.
fn split_name<'w>(message: &'w str, start: &str) -> Option<(&'w str, &'w str)> {
    message.strip_prefix(start)?.strip_prefix('`')?.split_once('`')
}

fn trim_backticks(name: &str) -> &str {
    name.trim_matches('`')
}

/// Returns the names between backticks.
fn backticked_names(rest: &str) -> Vec<&str> {
    rest.split('`').skip(1).step_by(2).collect()
}

fn describe_given(given: &str) -> String {
    let (kind, value) = given.split_once(' ').unwrap_or((given, ""));
    match kind {
        "string" => value.to_owned(),
        "integer" => trim_backticks(value).to_owned(),
        "floating" => trim_backticks(value.trim_start_matches("point ")).to_owned(),
        "boolean" => trim_backticks(value).to_owned(),
        "null" => "null".to_owned(),
        "map" => "an object".to_owned(),
        "sequence" => "a list".to_owned(),
        "unit" => "only its name".to_owned(),
        _ => given.to_owned(),
    }
}

fn describe_expected(wanted: &str) -> &str {
    match wanted {
        "a string" | "str" | "a borrowed string" => "a text",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a non-negative integer",
        _ if wanted.starts_with("a nonzero u") => "a positive integer",
        "i8" | "i16" | "i32" | "i64" | "isize" => "an integer",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" | "map" => "an object",
        "newtype variant" | "struct variant" => "an object of the name and its value, such as {\"fixed\": \"2s\"}",
        _ if wanted.starts_with("struct ") => "an object",
        _ if wanted.starts_with("enum ") || wanted == "string or map" => "one of the known names",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_known_name_is_found() {
        for (words, want) in [
            ("unknown field `efect`, expected one of `name`, `match`, `effect` at line 1", Some("effect")),
            ("unknown field `nmae`, expected `name` at line 1", Some("name")),
            ("unknown variant `restet`, expected one of `reset`, `empty`, `hang`", Some("reset")),
            ("unknown field `zzz`, expected one of `name`, `match`", None),
            ("unknown field `x`, there are no fields", None),
            ("invalid type: string \"`a`, expected `b`\"", None),
        ] {
            assert_eq!(suggest_name(words), want, "{words}");
        }
    }

    #[test]
    fn errors_are_described_in_plain_words() {
        for (words, want) in [
            ("missing field `name` at line 1 column 2", "Missing field 'name' (line 1, column 2)"),
            ("duplicate field `name` at line 1 column 9", "Duplicate field 'name' (line 1, column 9)"),
            (
                "unknown field `nmae`, expected `name` or `ttl` at line 3 column 7",
                "Unknown field 'nmae' (line 3, column 7). Did you mean 'name'? Fields: name, ttl.",
            ),
            ("unknown field `zzz`, expected `name` or `ttl`", "Unknown field 'zzz'. Fields: name, ttl."),
            ("unknown field `x`, there are no fields", "Unknown field 'x'. No fields are expected."),
            (
                "unknown variant `restet`, expected one of `reset`, `empty`",
                "Unknown value 'restet'. Did you mean 'reset'? Values: reset, empty.",
            ),
            (
                "invalid type: string \"a, expected b\", expected u64 at line 1 column 5",
                "Expected a non-negative integer, got \"a, expected b\" (line 1, column 5)",
            ),
            ("invalid type: map, expected a string", "Expected a text, got an object"),
            ("invalid type: null, expected struct Rule", "Expected an object, got null"),
            ("invalid value: integer `-1`, expected u32", "Expected a non-negative integer, got -1"),
            ("invalid value: integer `0`, expected a nonzero u64", "Expected a positive integer, got 0"),
            ("invalid type: floating point `1.5`, expected i64", "Expected an integer, got 1.5"),
            (
                "EOF while parsing an object at line 1 column 1",
                "Invalid JSON: the body ends too early (line 1, column 1)",
            ),
            ("write a time like 10m", "write a time like 10m"),
        ] {
            assert_eq!(reword_error(words, suggest_name(words)), want);
        }
    }

    /// The messages come from a library; this test fails if it changes them.
    #[test]
    fn error_messages_of_serde_json_are_still_reworded_correctly() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only read into")]
        struct Wish {
            name: String,
            count: u32,
            on: Option<bool>,
            every: Option<std::num::NonZeroU64>,
        }
        for (body, want) in [
            (r#"{"count":1}"#, "Missing field 'name' (line 1, column 11)"),
            (
                r#"{"nam":"x"}"#,
                "Unknown field 'nam' (line 1, column 6). Did you mean 'name'? Fields: name, count, on, every.",
            ),
            (r#"{"name":7}"#, "Expected a text, got 7 (line 1, column 9)"),
            (r#"{"name":"x","count":"many"}"#, "Expected a non-negative integer, got \"many\" (line 1, column 26)"),
            (r#"{"name":"x","count":1,"on":{}}"#, "Expected true or false, got an object (line 1, column 27)"),
            (r#"{"name":"x","count":1,"every":0}"#, "Expected a positive integer, got 0 (line 1, column 31)"),
            (r#"{"name":"x""#, "Invalid JSON: the body ends too early (line 1, column 11)"),
        ] {
            let why = serde_json::from_str::<Wish>(body).unwrap_err();
            let words = why.to_string();
            assert_eq!(reword_error(&words, suggest_name(&words)), want);
        }
    }
}

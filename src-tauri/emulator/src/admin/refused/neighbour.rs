//! Words errors of the JSON reader for people, because the reader's messages name types of the program. Also finds the
//! known name that is most similar to an unknown one.

/// The minimum similarity of two names.
const LIKE: f64 = 0.7;

/// Returns the known name that is most similar to the given one, if it is similar enough.
pub fn nearest<'n>(given: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let given = given.to_lowercase();
    let likeness = |name: &str| strsim::jaro_winkler(&name.to_lowercase(), &given);
    known.max_by(|a, b| likeness(a).total_cmp(&likeness(b))).filter(|name| likeness(name) > LIKE)
}

/// Suggests a name from a message: ``unknown field `efect`, expected one of `name`, `effect` `` → `effect`.
pub fn suggested(words: &str) -> Option<&str> {
    let (_, told) = words.split_once("unknown field `").or_else(|| words.split_once("unknown variant `"))?;
    let (given, rest) = told.split_once('`')?;
    let (_, known) = rest.split_once("expected ")?;
    nearest(given, known.split('`').skip(1).step_by(2))
}

/// Rewords a message: `` missing field `name` at line 1 column 2 `` → `'name' is missing (line 1, column 2)`.
pub fn plain(words: &str) -> String {
    let (told, place) = words.rsplit_once(" at line ").map_or((words, None), |(told, place)| (told, Some(place)));
    let place = place.map(|place| format!(" (line {})", place.replace(" column ", ", column "))).unwrap_or_default();
    format!("{}{place}", said(told))
}

fn said(told: &str) -> String {
    if let Some(name) = told.strip_prefix("missing field ") {
        return format!("'{}' is missing", bare(name));
    }
    if let Some(name) = told.strip_prefix("duplicate field ") {
        return format!("'{}' is there twice", bare(name));
    }
    if let Some((name, rest)) = named(told, "unknown field ") {
        return match known(rest) {
            known if known.is_empty() => format!("'{name}' is no field here; there are none"),
            known => format!("'{name}' is no field here; the fields are {}", known.join(", ")),
        };
    }
    if let Some((name, rest)) = named(told, "unknown variant ") {
        return format!("'{name}' is none of {}", known(rest).join(", "));
    }
    let misplaced = told.strip_prefix("invalid type: ").or_else(|| told.strip_prefix("invalid value: "));
    if let Some((given, wanted)) = misplaced.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("{} stands where {} belongs", given_as(given), wanted_as(wanted));
    }
    if told.starts_with("EOF while parsing") {
        return "it ends too early".to_owned();
    }
    match told {
        "trailing characters" => "there is more behind its end",
        "trailing comma" => "a comma stands before a closing bracket",
        "key must be a string" => "a name of a field stands in no quotation marks",
        "expected value" => "a value is missing, or is none",
        "expected ident" => "a word is none of true, false and null",
        "expected `:`" => "a colon is missing",
        "expected `,` or `}`" | "expected `,` or `]`" => "a comma or a closing bracket is missing",
        other => other,
    }
    .to_owned()
}

/// Splits `` `name`, expected … `` into the name and the rest.
fn named<'w>(told: &'w str, start: &str) -> Option<(&'w str, &'w str)> {
    told.strip_prefix(start)?.strip_prefix('`')?.split_once('`')
}

fn bare(name: &str) -> &str {
    name.trim_matches('`')
}

/// Returns the names between backticks.
fn known(rest: &str) -> Vec<&str> {
    rest.split('`').skip(1).step_by(2).collect()
}

fn given_as(given: &str) -> String {
    let (kind, value) = given.split_once(' ').unwrap_or((given, ""));
    match kind {
        "string" => format!("the text {value}"),
        "integer" => format!("the number {}", bare(value)),
        "floating" => format!("the number {}", bare(value.trim_start_matches("point "))),
        "boolean" => bare(value).to_owned(),
        "null" => "null".to_owned(),
        "map" => "an object".to_owned(),
        "sequence" => "a list".to_owned(),
        _ => given.to_owned(),
    }
}

fn wanted_as(wanted: &str) -> &str {
    match wanted {
        "a string" | "str" | "a borrowed string" => "a text",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" | "map" => "an object",
        _ if wanted.starts_with("struct ") => "an object",
        _ if wanted.starts_with("enum ") || wanted == "string or map" => "one of the words it knows",
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
            assert_eq!(suggested(words), want, "{words}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_plainly() {
        for (words, want) in [
            ("missing field `name` at line 1 column 2", "'name' is missing (line 1, column 2)"),
            ("duplicate field `name` at line 1 column 9", "'name' is there twice (line 1, column 9)"),
            (
                "unknown field `nmae`, expected `name` or `ttl` at line 3 column 7",
                "'nmae' is no field here; the fields are name, ttl (line 3, column 7)",
            ),
            ("unknown field `x`, there are no fields", "'x' is no field here; there are none"),
            ("unknown variant `restet`, expected one of `reset`, `empty`", "'restet' is none of reset, empty"),
            (
                "invalid type: string \"a, expected b\", expected u64 at line 1 column 5",
                "the text \"a, expected b\" stands where a whole number that is not negative belongs (line 1, column 5)",
            ),
            ("invalid type: map, expected a string", "an object stands where a text belongs"),
            ("invalid type: null, expected struct Rule", "null stands where an object belongs"),
            (
                "invalid value: integer `-1`, expected u32",
                "the number -1 stands where a whole number that is not negative belongs",
            ),
            ("invalid type: floating point `1.5`, expected i64", "the number 1.5 stands where a whole number belongs"),
            ("EOF while parsing an object at line 1 column 1", "it ends too early (line 1, column 1)"),
            ("write a time like 10m", "write a time like 10m"),
        ] {
            assert_eq!(plain(words), want);
        }
    }

    /// The messages come from a library; this test fails if it changes them.
    #[test]
    fn the_reader_still_speaks_as_it_did() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only read into")]
        struct Wish {
            name: String,
            count: u32,
            on: Option<bool>,
        }
        for (body, want) in [
            (r#"{"count":1}"#, "'name' is missing (line 1, column 11)"),
            (r#"{"nam":"x"}"#, "'nam' is no field here; the fields are name, count, on (line 1, column 6)"),
            (r#"{"name":7}"#, "the number 7 stands where a text belongs (line 1, column 9)"),
            (
                r#"{"name":"x","count":"many"}"#,
                "the text \"many\" stands where a whole number that is not negative belongs (line 1, column 26)",
            ),
            (r#"{"name":"x","count":1,"on":{}}"#, "an object stands where true or false belongs (line 1, column 27)"),
            (r#"{"name":"x""#, "it ends too early (line 1, column 11)"),
        ] {
            let why = serde_json::from_str::<Wish>(body).unwrap_err();
            assert_eq!(plain(&why.to_string()), want);
        }
    }
}

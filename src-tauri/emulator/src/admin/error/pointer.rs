//! Builds JSON pointers (RFC 6901) to the errors in a body.

/// Converts a place: `lists[0].name` → `/lists/0/name`. An empty place is the whole body.
pub(crate) fn from_path(place: &str) -> String {
    let mut pointer = String::new();
    for part in place.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
        pointer.push('/');
        pointer.push_str(&escape_segment(part));
    }
    pointer
}

/// Converts the keys that lead to a value: `settings`, `auth.keys` → `/settings/auth.keys`.
pub(crate) fn from_keys<'k>(keys: impl IntoIterator<Item = &'k str>) -> String {
    keys.into_iter().fold(String::new(), |pointer, key| format!("{pointer}/{}", escape_segment(key)))
}

fn escape_segment(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}

/// Returns the place at the beginning of a message, as in `apply.first: expected at least 1`.
pub(crate) fn leading_path(message: &str) -> Option<&str> {
    let (place, _) = message.split_once(": ")?;
    let is_place = place.starts_with(|c: char| c.is_ascii_lowercase())
        && place.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.[]-/".contains(&b));
    is_place.then_some(place)
}

/// Returns the part of a body that the JSON reader had read when it stopped.
pub(crate) fn take_read_part(body: &[u8], line: usize, column: usize) -> &[u8] {
    let before: usize = body.split(|b| *b == b'\n').take(line.saturating_sub(1)).map(|line| line.len() + 1).sum();
    &body[..(before + column).min(body.len())]
}

/// Returns the pointer to the value, or to the key, that the JSON reader had begun last when it stopped.
pub(crate) fn find_pointer(read: &[u8]) -> String {
    let mut open: Vec<JsonLevel> = Vec::new();
    let mut at = 0;
    while at < read.len() {
        match read[at] {
            b'{' => open.push(JsonLevel::Object(None)),
            b'[' => open.push(JsonLevel::List(0)),
            b'}' | b']' => {
                open.pop();
            }
            b',' => match open.last_mut() {
                Some(JsonLevel::Object(key)) => *key = None,
                Some(JsonLevel::List(n)) => *n += 1,
                None => {}
            },
            b'"' => {
                let text_end = end_of_text(read, at).min(read.len());
                if let Some(JsonLevel::Object(key @ None)) = open.last_mut() {
                    *key = serde_json::from_slice::<String>(&read[at..text_end]).ok();
                }
                at = text_end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    open.iter().fold(String::new(), |pointer, level| match level {
        JsonLevel::Object(Some(key)) => format!("{pointer}/{}", escape_segment(key)),
        JsonLevel::Object(None) => pointer,
        JsonLevel::List(n) => format!("{pointer}/{n}"),
    })
}

/// An object or array of the body that has begun but not ended.
enum JsonLevel {
    /// An object, with the key whose value comes next or came last.
    Object(Option<String>),
    List(usize),
}

/// Returns the index after the string that begins here.
fn end_of_text(body: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while at < body.len() {
        match body[at] {
            b'\\' => at += 1,
            b'"' => return at + 1,
            _ => {}
        }
        at += 1;
    }
    body.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_pointers() {
        for (place, want) in
            [("", ""), ("name", "/name"), ("lists[0].name", "/lists/0/name"), ("apply.first", "/apply/first")]
        {
            assert_eq!(from_path(place), want);
        }
        assert_eq!(from_keys(["settings", "auth.keys", "a/b"]), "/settings/auth.keys/a~1b");
        for (message, want) in [
            ("apply.first: expected at least 1", Some("apply.first")),
            ("lists[0].name: it is empty", Some("lists[0].name")),
            ("match.headers.X-Tag: expected a text", Some("match.headers.X-Tag")),
            ("There is a colon: here", None),
            ("no colon", None),
        ] {
            assert_eq!(leading_path(message), want);
        }
    }

    #[test]
    fn the_pointer_names_what_the_json_reader_had_begun_last() {
        for (body, want) in [
            (r#"{"name":"#, "/name"),
            (r#"{"name":"x","#, ""),
            (r#"{"name":"x","all":[{"count":1},{"count":-}]}"#, "/all/1"),
            (r#"{"name":"x","all":[{"count":1,}]}"#, "/all/0"),
            ("{\n  \"name\": \"x\",\n  \"all\": fales\n}", "/all"),
        ] {
            let why = serde_json::from_str::<serde_json::Value>(body).expect_err(body);
            assert_eq!(find_pointer(take_read_part(body.as_bytes(), why.line(), why.column())), want, "{body}: {why}");
        }
    }
}

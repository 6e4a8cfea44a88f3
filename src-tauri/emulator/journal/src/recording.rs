//! Reads a recording: an HTTP archive, or lines of the journal as `roost tail --json` and the admin interface write
//! them.

use serde_json::{Deserializer, Value};

/// A recorded request and its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedExchange {
    /// The position in the file, from 1.
    pub at: usize,
    pub method: String,
    /// Host and port, if the recording is an archive.
    pub host: Option<String>,
    /// Path and query, without the prefix of the world.
    pub target: String,
    pub has_key: bool,
    is_callback: bool,
    is_json: bool,
    pub body: RecordedText,
    /// None if there was no response.
    pub status: Option<u16>,
    pub answer: RecordedText,
}

/// A body as far as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordedText {
    Whole(String),
    /// Only the beginning of the body was recorded, or nothing.
    Cut,
}

impl RecordedExchange {
    /// Returns the reason why sending the request again is impossible or pointless.
    pub fn skip_reason(&self) -> Option<&'static str> {
        if self.is_callback {
            return Some("callbacks, which the server sends itself");
        }
        if self.target.starts_with("/__") {
            return Some("to the admin interface, the console or a receiver");
        }
        if known_method(&self.method).is_none() {
            return Some("with a method that the interface does not have");
        }
        match self.status {
            Some(429) => return Some("refused by the rate limit"),
            Some(401 | 403) if self.has_key => return Some("refused because of their key"),
            _ => {}
        }
        match &self.body {
            RecordedText::Cut => Some("whose body was not stored in full"),
            RecordedText::Whole(body) if !body.is_empty() && !self.is_json => {
                Some("whose body has no JSON content type")
            }
            RecordedText::Whole(_) => None,
        }
    }
}

/// Returns the method if it is a known one.
pub fn known_method(name: &str) -> Option<&'static str> {
    ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"].into_iter().find(|known| *known == name)
}

/// Reads all exchanges of a file in order.
pub fn read_recording(text: &[u8]) -> Result<Vec<RecordedExchange>, String> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let mut all = Vec::new();
    for value in Deserializer::from_slice(text).into_iter::<Value>() {
        let value = value.map_err(|why| format!("neither an HTTP archive nor journal lines: {why}"))?;
        collect_exchanges(value, &mut all)?;
    }
    Ok(all)
}

fn collect_exchanges(value: Value, all: &mut Vec<RecordedExchange>) -> Result<(), String> {
    let (entries, is_archive) = match value {
        Value::Array(lines) => (lines, false),
        Value::Object(mut object) => match ["log", "items"].iter().find_map(|name| object.remove(*name)) {
            Some(Value::Array(lines)) => (lines, false),
            Some(Value::Object(mut log)) => match log.remove("entries") {
                Some(Value::Array(entries)) => (entries, true),
                _ => return Err("the HTTP archive has no list log.entries".to_owned()),
            },
            Some(_) | None => (vec![Value::Object(object)], false),
        },
        _ => return Err("neither an HTTP archive nor journal lines".to_owned()),
    };
    for entry in &entries {
        let at = all.len() + 1;
        let read = if is_archive { from_har_entry(at, entry) } else { from_journal_line(at, entry) };
        let kind = if is_archive { "entry of an HTTP archive" } else { "journal line" };
        all.push(read.ok_or_else(|| format!("number {at} is not a valid {kind}"))?);
    }
    Ok(())
}

fn read_status(value: &Value) -> Option<u16> {
    value.as_u64().and_then(|status| u16::try_from(status).ok()).filter(|status| *status >= 100)
}

fn from_journal_line(at: usize, line: &Value) -> Option<RecordedExchange> {
    let (request, intended) = (&line["request"], &line["meant"]);
    let headers = request["headers"].as_array()?.iter();
    let headers = headers.filter_map(|pair| Some((pair[0].as_str()?, pair[1].as_str()?)));
    // If a fault rule replaced the response, the operation's own response is the one to compare.
    let (response, answer) =
        if intended.is_object() { (intended, &intended["body"]) } else { (line, &line["response"]["body"]) };
    Some(RecordedExchange {
        at,
        method: line["method"].as_str()?.to_owned(),
        host: None,
        target: without_world(line["url"].as_str()?).to_owned(),
        has_key: has_key(headers.clone()),
        is_callback: line["direction"] == "out",
        is_json: is_json(headers),
        body: read_body(&request["body"])?,
        status: read_status(&response["status"]),
        answer: read_body(answer)?,
    })
}

fn read_body(body: &Value) -> Option<RecordedText> {
    match body["state"].as_str()? {
        "none" => Some(RecordedText::Whole(String::new())),
        "whole" => Some(RecordedText::Whole(body["text"].as_str()?.to_owned())),
        _ => Some(RecordedText::Cut),
    }
}

fn from_har_entry(at: usize, entry: &Value) -> Option<RecordedExchange> {
    let (request, response) = (&entry["request"], &entry["response"]);
    let (_, place) = request["url"].as_str()?.split_once("://")?;
    let place = place.split('#').next().unwrap_or_default();
    let (host, target) = place.find('/').map_or((place, "/"), |at| place.split_at(at));
    let headers = request["headers"].as_array()?.iter();
    let headers = headers.filter_map(|header| Some((header["name"].as_str()?, header["value"].as_str()?)));
    let complete_text = |text: &Value, length: &Value| {
        let text = text.as_str().unwrap_or_default();
        let is_cut = length.as_u64().is_some_and(|length| length > text.len() as u64);
        if is_cut { RecordedText::Cut } else { RecordedText::Whole(text.to_owned()) }
    };
    let content = &response["content"];
    Some(RecordedExchange {
        at,
        method: request["method"].as_str()?.to_owned(),
        host: Some(host.to_owned()),
        target: without_world(target).to_owned(),
        has_key: has_key(headers.clone()),
        is_callback: is_callback_entry(entry),
        is_json: is_json(headers),
        body: complete_text(&request["postData"]["text"], &request["bodySize"]),
        status: read_status(&response["status"]),
        answer: match content["encoding"].as_str() {
            Some(encoding) if !encoding.is_empty() => RecordedText::Cut,
            _ => complete_text(&content["text"], &content["size"]),
        },
    })
}

/// Roost's own archives name the operation in a comment.
fn is_callback_entry(entry: &Value) -> bool {
    let comment = entry["comment"].as_str().unwrap_or_default();
    comment.split([' ', ';']).nth(1) == Some("callback")
}

fn has_key<'v>(mut headers: impl Iterator<Item = (&'v str, &'v str)>) -> bool {
    headers.any(|(name, value)| name.eq_ignore_ascii_case("x-auth-key") && !value.is_empty())
}

/// Whether the body was declared as JSON.
fn is_json<'v>(mut headers: impl Iterator<Item = (&'v str, &'v str)>) -> bool {
    headers.any(|(name, value)| name.eq_ignore_ascii_case("content-type") && value.contains("json"))
}

/// Removes the world's prefix: `/w/NAME/contacts/…` becomes `/contacts/…`.
fn without_world(target: &str) -> &str {
    let inside = target.strip_prefix("/w/").and_then(|rest| rest.find('/').map(|at| &rest[at..]));
    inside.unwrap_or(target)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn journal_line(method: &str, url: &str, status: u16) -> Value {
        let none = json!({ "state": "none", "text": "", "bytes": 0 });
        json!({
            "direction": "in", "method": method, "url": url, "status": status, "meant": null,
            "request": { "headers": [["x-auth-key", "any…"]], "body": none },
            "response": { "headers": [], "body": { "state": "whole", "text": "{}", "bytes": 2 } },
        })
    }

    #[test]
    fn every_form_of_a_journal_is_read() {
        let line = journal_line("GET", "/w/a/contacts/v1/lists/?page=1", 200);
        let lines = format!("{line}\n{line}\n");
        let forms = [lines, json!([line, line]).to_string(), json!({ "items": [line, line], "epoch": 0 }).to_string()];
        for text in forms {
            let all = read_recording(text.as_bytes()).expect("read");
            assert_eq!(all.iter().map(|one| one.at).collect::<Vec<_>>(), [1, 2]);
            assert_eq!(all[0].target, "/contacts/v1/lists/?page=1");
            assert!(all[0].has_key && all[0].skip_reason().is_none());
        }
        for text in ["x", "1", r#"{"log":{}}"#, r#"[{"method":"GET"}]"#] {
            read_recording(text.as_bytes()).expect_err(text);
        }
        assert_eq!(read_recording(b"").expect("read"), []);
    }

    #[test]
    fn an_archive_is_read() {
        let entry = |url: &str, size: u64| {
            json!({
                "request": {
                    "method": "POST", "url": url, "bodySize": 2, "postData": { "text": "{}" },
                    "headers": [{ "name": "Content-Type", "value": "application/json; charset=utf-8" }],
                },
                "response": { "status": 200, "content": { "size": size, "text": "{}" } },
                "comment": "1 lists.create",
            })
        };
        let archive =
            json!({ "log": { "entries": [entry("http://a.example:1/b?c#d", 2), entry("https://b.example", 3)] } });
        let all = read_recording(archive.to_string().as_bytes()).expect("read");
        assert_eq!((all[0].host.as_deref(), all[0].target.as_str()), (Some("a.example:1"), "/b?c"));
        assert_eq!(
            (all[0].skip_reason(), all[0].has_key, &all[0].answer),
            (None, false, &RecordedText::Whole("{}".to_owned()))
        );
        assert_eq!((all[1].target.as_str(), &all[1].answer), ("/", &RecordedText::Cut));
    }

    #[test]
    fn requests_that_cannot_be_repeated_are_left_out() {
        let read = |line: Value| read_recording(line.to_string().as_bytes()).expect("read").remove(0);
        let with = |pointer: &str, value: Value| {
            let mut line = journal_line("POST", "/contacts/v1/lists/create", 200);
            *line.pointer_mut(pointer).expect("there") = value;
            read(line).skip_reason()
        };
        assert_eq!(with("/status", json!(200)), None);
        assert_eq!(with("/status", json!(null)), None, "it may have been done all the same");
        let body = |state: &str| json!({ "state": state, "text": "{", "bytes": 9 });
        for (pointer, value) in [
            ("/direction", json!("out")),
            ("/url", json!("/__admin/reset")),
            ("/url", json!("/w/a/__hook/b")),
            ("/method", json!("BREW")),
            ("/status", json!(429)),
            ("/status", json!(401)),
            ("/request/body", body("cut")),
            ("/request/body", body("withheld")),
            ("/request/body", body("whole")),
        ] {
            assert!(with(pointer, value.clone()).is_some(), "{pointer}: {value}");
        }
        let mut lost = journal_line("POST", "/contacts/v1/lists/create", 503);
        lost["meant"] = json!({ "status": 200, "body": { "state": "none", "text": "", "bytes": 0 } });
        assert_eq!(read(lost).status, Some(200), "a rule's answer is not the interface's");
    }
}

//! Writes lines of the journal as an HTTP archive (HAR 1.2), which browsers and proxies read.

use std::borrow::Borrow;

use serde_json::{Value, json};

use super::{
    super::{Exchange, RecordedBody, RecordedHeaders},
    secrets,
};

/// Returns an archive of the lines; `url` is the address of the server.
pub fn to_har<L: Borrow<Exchange>>(lines: impl IntoIterator<Item = L>, url: &str) -> Value {
    let entries: Vec<Value> = lines.into_iter().map(|line| to_entry(line.borrow(), url)).collect();
    let creator = json!({ "name": "Roost", "version": env!("CARGO_PKG_VERSION") });
    json!({ "log": { "version": "1.2", "creator": creator, "entries": entries } })
}

fn to_entry(line: &Exchange, url: &str) -> Value {
    let address = secrets::full_url(line, url);
    let (request, response) = (&line.request, &line.response);
    let millis = line.micros as f64 / 1_000.0;
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let mut request_entry = json!({
        "method": line.method,
        "url": address,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": to_har_headers(&request.headers),
        "queryString": url::form_urlencoded::parse(query.as_bytes())
            .map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>(),
        "headersSize": -1,
        "bodySize": request.body.length(),
    });
    if request.body.length() > 0 {
        request_entry["postData"] = json!({
            "mimeType": request.headers.values_of("content-type").next().unwrap_or_default(),
            "text": String::from_utf8_lossy(request.body.bytes()),
            "comment": missing_body_note(&request.body),
        });
    }
    json!({
        "startedDateTime": line.at.to_iso(),
        "time": millis,
        "request": request_entry,
        "response": {
            // In HAR, 0 means that there was no response.
            "status": line.status.unwrap_or(0),
            "statusText": "",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": to_har_headers(&response.headers),
            "content": {
                "size": response.body.length(),
                "mimeType": response.headers.values_of("content-type").next().unwrap_or_default(),
                "text": String::from_utf8_lossy(response.body.bytes()),
                "comment": missing_body_note(&response.body),
            },
            "redirectURL": response.headers.values_of("location").next().unwrap_or_default(),
            "headersSize": -1,
            "bodySize": response.body.length(),
        },
        "cache": {},
        "timings": { "send": 0, "wait": millis, "receive": 0 },
        "comment": entry_comment(line),
    })
}

fn entry_comment(line: &Exchange) -> String {
    let operation = line.operation.as_deref().unwrap_or("no operation");
    let rule = line.rule.as_ref().map(|rule| format!("; rule {rule}")).unwrap_or_default();
    let why = line.why.as_ref().map(|why| format!("; {}: {}", why.check.as_str(), why.words)).unwrap_or_default();
    format!("{} {operation}{rule}{why}", line.id)
}

/// Secrets are masked already.
fn to_har_headers(headers: &RecordedHeaders) -> Vec<Value> {
    headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn missing_body_note(body: &RecordedBody) -> String {
    match body {
        RecordedBody::None | RecordedBody::Recorded { .. } if body.is_whole() => String::new(),
        RecordedBody::Withheld { .. } => "It may contain a secret and was not stored.".to_owned(),
        RecordedBody::Unread { .. } => "The request was refused before the body was read.".to_owned(),
        body => format!("Only {} of {} bytes are stored.", body.bytes().len(), body.length()),
    }
}

//! Servers that answer every request with hostile text.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpListener,
    thread,
};

use serde_json::json;

use super::HOSTILE;

pub(super) const LIES: usize = 5;

/// Starts a server that answers every request with hostile text and returns its address.
pub(super) fn start_liar(kind: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    let one_line = HOSTILE.replace(['\n', '\r'], "");
    let shape = json!({
        "error": { "code": HOSTILE, "message": HOSTILE, "hint": HOSTILE, "at": HOSTILE },
        "name": HOSTILE, "version": HOSTILE, "epoch": 0, "last": 1, "dropped": 0, "next": HOSTILE, "has_more": false,
        "enabled": true, "verified": false, "matched": 0, "wanted": HOSTILE, "lines": [],
        "nearest": [{ "seq": 1, "number": 1, "method": HOSTILE, "url": HOSTILE, "operation": HOSTILE, "status": 200,
            "misses": [{ "field": HOSTILE, "wanted": HOSTILE, "found": HOSTILE }] }],
        "is_empty": false, "resources": { HOSTILE: { "added": { "count": 1, "items": [{ HOSTILE: HOSTILE }] },
            "removed": { "count": 0, "items": [] }, "changed": { "count": 0, "items": [] } } },
        "items": [{ "name": HOSTILE, "id": HOSTILE, "uid": HOSTILE, "method": HOSTILE, "url": HOSTILE, "at": HOSTILE,
            "direction": HOSTILE, "operation": HOSTILE, "rule": HOSTILE, "took": HOSTILE, "status": 200,
            "why": { "words": HOSTILE }, "body": HOSTILE, "headers": { HOSTILE: HOSTILE } }],
        "paging": { "page": 1, "page_size": 100, "total_items": 1, "total_pages": 1 },
    });
    let json_head = "content-type: application/json\r\n";
    let (status, headers, body) = match kind {
        0 => (format!("500 {one_line}"), String::new(), String::new()),
        1 => ("400 Bad Request".to_owned(), json_head.to_owned(), shape.to_string()),
        2 => ("200 OK".to_owned(), json_head.to_owned(), shape.to_string()),
        3 => ("503 Service Unavailable".to_owned(), "content-type: text/plain\r\n".to_owned(), HOSTILE.repeat(3)),
        _ => ("302 Found".to_owned(), format!("location: http://\u{9b}\u{202e}/{}\r\n", "\u{85}"), String::new()),
    };
    let answer =
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    thread::spawn(move || {
        for mut line in listener.incoming().map_while(Result::ok) {
            let answer = answer.clone();
            thread::spawn(move || {
                let mut reader = BufReader::new(line.try_clone().expect("a handle"));
                let (mut head, mut length) = (String::new(), 0);
                while reader.read_line(&mut head).is_ok_and(|read| read > 2) {
                    let length_of =
                        |text: &str| text.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok();
                    length = length_of(&head).unwrap_or(length);
                    head.clear();
                }
                // The request must be read, or its answer would be lost.
                let _ = reader.take(length).read_to_end(&mut Vec::new());
                let _ = line.write_all(answer.as_bytes());
            });
        }
    });
    url
}

//! Writes events of a stream (`text/event-stream`) that a reader can resume where it broke off.

use std::fmt::Write;

use bytes::Bytes;

/// Writes one event: its position, from which a reader resumes, its name, and JSON without line ends.
pub fn write_event(place: Option<(u64, u64)>, name: &str, data: &str) -> Bytes {
    let mut text = String::with_capacity(data.len() + name.len() + 48);
    if let Some((epoch, id)) = place {
        // Writing to a String never fails.
        let _ = writeln!(text, "id: {epoch}.{id}");
    }
    let _ = write!(text, "event: {name}\ndata: {data}\n\n");
    text.into()
}

/// Returns a comment that keeps a quiet stream alive and detects a closed connection.
pub fn heartbeat() -> Bytes {
    Bytes::from_static(b":\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_place_name_and_data() {
        assert_eq!(write_event(Some((1, 7)), "request", "{}"), "id: 1.7\nevent: request\ndata: {}\n\n");
        assert_eq!(write_event(None, "gap", "{}"), "event: gap\ndata: {}\n\n");
    }
}

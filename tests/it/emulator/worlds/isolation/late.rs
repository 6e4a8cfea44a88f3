//! Requests that begin before a reset and continue after it: unfinished bodies, held answers, callbacks under way.

use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// A connection with a request that is not answered before its world is reset.
pub(super) struct DelayedRequest {
    line: TcpStream,
    rest: Vec<u8>,
}

impl DelayedRequest {
    /// Sends the head of a POST with this header. Sends the body only if the server itself holds the answer back.
    pub(super) fn send_head(server: SocketAddr, access: &str, path: &str, body: &str, sends_body: bool) -> Self {
        let mut line = TcpStream::connect(server).expect("listening");
        line.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {server}\r\n{access}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        let (now, rest) = if sends_body { (head + body, "") } else { (head, body) };
        line.write_all(now.as_bytes()).expect("writable");
        Self { line, rest: rest.as_bytes().to_vec() }
    }

    /// Continues the request as if nothing had happened, and returns the response.
    pub(super) fn continue_request(mut self) -> String {
        // The connection is closed by now, so this may fail.
        drop(self.line.write_all(&self.rest));
        let mut answer = Vec::new();
        let ended = self.line.read_to_end(&mut answer);
        let is_open = ended.is_err_and(|why| matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
        assert!(!is_open, "its line is still open");
        String::from_utf8_lossy(&answer).into_owned()
    }
}

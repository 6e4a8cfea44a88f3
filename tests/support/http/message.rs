//! Reading one HTTP/1.1 message from a stream, as client or as server.

use std::io::{self, BufRead, ErrorKind};

/// Start line, headers and body of a message.
#[derive(Debug, Clone, Default)]
pub struct Message {
    pub start: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// The value of the first header of this name.
pub fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn broken(what: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what.into())
}

fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let text = String::from_utf8(line).map_err(|_| broken("a head that is not UTF-8"))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

fn head(from: &mut impl BufRead) -> io::Result<Message> {
    let mut message = Message { start: line(from)?, ..Message::default() };
    loop {
        let text = line(from)?;
        if text.is_empty() {
            return Ok(message);
        }
        let (name, value) = text.split_once(':').ok_or_else(|| broken(format!("a header without a colon: {text}")))?;
        message.headers.push((name.to_owned(), value.trim().to_owned()));
    }
}

fn length(headers: &[(String, String)]) -> io::Result<Option<usize>> {
    let given = header(headers, "content-length");
    given.map(|text| text.parse().map_err(|_| broken(format!("content-length {text}")))).transpose()
}

fn is_chunked(headers: &[(String, String)]) -> bool {
    header(headers, "transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"))
}

fn sized(from: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(body)
}

fn chunked(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = line(from)?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| broken(format!("a chunk of size {size}")))?;
        if size == 0 {
            while !line(from)?.is_empty() {}
            return Ok(body);
        }
        body.extend(sized(from, size)?);
        line(from)?;
    }
}

/// Reads a request; none when the peer has closed instead.
pub fn read_request(from: &mut impl BufRead) -> io::Result<Option<Message>> {
    if from.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut message = head(from)?;
    message.body = match length(&message.headers)? {
        Some(length) => sized(from, length)?,
        None if is_chunked(&message.headers) => chunked(from)?,
        None => Vec::new(),
    };
    Ok(Some(message))
}

/// Status of an answer's first line.
pub fn status(start: &str) -> io::Result<u16> {
    let code = start.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).and_then(|code| code.parse().ok());
    code.ok_or_else(|| broken(format!("no status line: {start}")))
}

/// Reads the final answer to a request of this method.
pub fn read_answer(from: &mut impl BufRead, method: &str) -> io::Result<Message> {
    let mut message = head(from)?;
    while (100..200).contains(&status(&message.start)?) {
        message = head(from)?;
    }
    let bare = method == "HEAD" || matches!(status(&message.start)?, 204 | 304);
    message.body = match length(&message.headers)? {
        _ if bare => Vec::new(),
        _ if is_chunked(&message.headers) => chunked(from)?,
        Some(length) => sized(from, length)?,
        None => {
            let mut rest = Vec::new();
            from.read_to_end(&mut rest)?;
            rest
        }
    };
    Ok(message)
}
